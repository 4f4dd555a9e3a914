"""The offload study on the demo, on published figures and, where they are at hand, on real result files."""

from pathlib import Path

import pytest

from app.question import ask
from app.store.read import Store
from app.store.select import Selection
from app.study.study import Study, study
from app.view import parse_query
from ingest.demo import demo_tables, published_tables
from ingest.pipeline import ingest

TRACES = "_060226_256k"
"""How the name of the trace data set ends that the AIPerf runs replayed."""


def studied(folder: Path, query: str) -> Study:
    view, problems = parse_query(query)
    assert not problems
    return study(ask(view, Store(folder).snapshot()))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    ingest([*demo_tables(), *published_tables()], folder)
    return folder


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Path:
    sources = [shared_data / name for name in ("aiperf_runs", "inferencex_agg_agentic_v3_regenerated")]
    if not all(source.is_dir() for source in sources):
        pytest.skip("these result files are not in ../shared/data")
    folder = tmp_path_factory.mktemp("real")
    ingest(sources, folder)
    return folder


def labels(found: Study) -> set[tuple[str | None, str | None]]:
    """Model and chip of every pair."""
    return {(pair.recipe.values["model"], pair.recipe.values["chip"]) for pair in found.pairs}


def test_the_demo_has_off_dram_and_nvme_arms_and_answers_from_them(demo: Path) -> None:
    found = studied(demo, "model=kimik2.5&origin=synthetic")
    (nvme,) = [item for item in found.nvme if item.measured]
    assert nvme.dram is not None
    assert nvme.nvme is not None
    assert (nvme.dram.below, nvme.nvme.below) == (("host_dram",), ("host_dram", "local_nvme"))
    assert nvme.answer == "yes"
    assert [level for level, *_ in nvme.steps][-1] == 128
    assert nvme.steps[-1][1] > 0.5
    # Without that arm the DRAM arm alone says the same of the heaviest load, and no of those before it.
    assert (nvme.stretches[-1].regime, nvme.stretches[-1].answer) == ("thrash", "yes")
    assert any(stretch.answer == "no" for stretch in nvme.stretches)


def test_every_demo_point_with_kv_offload_is_paired_or_said_why_not(demo: Path) -> None:
    for model in ("kimik2.5", "dsv4", "glm5.2", "minimaxm2.5", "dsv41flash"):
        found = studied(demo, f"model={model}&origin=synthetic")
        parked = {s.id for recipe in found.recipes for arm in recipe.arms if arm.has_kv for s in arm.newest}
        assert parked == {pair.on.id for pair in found.pairs} | {apart.sample.id for apart in found.apart}
        assert all(apart.reason for apart in found.apart)


def test_a_demo_tier_that_is_slower_than_computing_is_link_bound(demo: Path) -> None:
    found = studied(demo, "model=glm5.2&origin=synthetic")
    slow = [item for item in found.pressures if "remote_flash" in item.arm.below and item.gain and item.gain < -0.4]
    assert {item.regime for item in slow if (item.sample.reloaded or 0) > 0.4} == {"link"}
    assert any(pays.tone == "bad" for pays in found.pays)


def test_two_demo_chips_of_one_recipe_stand_side_by_side(demo: Path) -> None:
    found = studied(demo, "model=dsv4&origin=synthetic")
    assert found.sides is not None
    assert found.sides.differ == ("chip",)
    assert found.sides.shared == 12
    pools = [side.arm.newest[0].pool or 0 for side in (found.sides.a, found.sides.b)]
    assert max(pools) > 2 * min(pools)


def test_the_published_parameter_pair_is_as_typed(demo: Path) -> None:
    found = studied(demo, "model=dsv41flash&origin=published").parameter
    assert not found.elsewhere
    (item,) = found.comparisons
    assert item.typed is not None
    assert [(corner.x, corner.y) for corner in item.typed] == [(125, 121e6), (125, 52e6)]
    assert item.ratio == pytest.approx(0.43, abs=0.005)
    assert item.reads == ()
    assert {table.bytes_per_token for table in found.tables} == {12_672}


def test_the_demo_parameter_pair_is_interpolated_between_its_points(demo: Path) -> None:
    found = studied(demo, "model=dsv41flash&origin=synthetic").parameter
    (item,) = found.comparisons
    assert len(item.fast_line) > 3
    assert len(item.slow_line) > 3
    assert all(read.ratio < 1 for read in item.reads)
    low = max(item.fast_line[0].x, item.slow_line[0].x)
    high = min(item.fast_line[-1].x, item.slow_line[-1].x)
    assert all(low <= read.x <= high for read in item.reads)
    assert all(read.measured_fast or read.measured_slow for read in item.reads)


def test_a_view_without_parameter_offload_shows_the_stores(demo: Path) -> None:
    found = studied(demo, "model=kimik2.5&origin=synthetic").parameter
    assert found.elsewhere
    assert found.tables


def test_real_files_give_pairs_for_kimi_on_two_chips_and_for_minimax(real: Path) -> None:
    kimi = studied(real, "model=kimik2.5&workload=agentic")
    assert labels(kimi) >= {("kimik2.5", "mi355x"), ("kimik2.5", "b200")}
    assert labels(studied(real, "model=minimaxm2.5&workload=agentic")) == {("minimaxm2.5", "mi355x")}
    # Two runs of one config differ in their prompts: each is held against the other side's like.
    alone = [pair for pair in kimi.pairs if pair.concurrency == 1]
    assert [pair.throughput.verdict for pair in alone] == ["same"]
    # And so is the frontier: the shown run without offload had other prompts and half the throughput.
    areas = {gain.key.split(".")[0]: gain.area for gain in kimi.gains}
    assert areas["mi355x"] == pytest.approx(1, abs=0.03)
    pays = {item.recipe.values["chip"]: item.since for item in kimi.pays}
    assert pays == {"b200": 12, "mi355x": 40}


def test_real_files_with_counters_fill_every_panel(real: Path) -> None:
    counted = Store(real).snapshot().counts(Selection(filters={"model": ("minimaxm2.5",)}), "workload")
    (workload,) = (name for name in counted if name and name.endswith(TRACES))
    found = studied(real, f"model=minimaxm2.5&workload={workload}")
    # Where a launch command tells the backend more exactly than the folder's name, that load is an arm of its own.
    assert sorted(pair.concurrency for pair in found.pairs) == [1, 2, 4, 8, 16, 32, 40, 48]
    assert min(pays.since or 0 for pays in found.pays) == 16
    assert found.waterfall is not None
    assert len(found.waterfall.stacks) >= 7
    assert found.waterfall.left_out == ()
    assert found.waterfall.proof.startswith("At concurrency 16 the record proves which memory served (DRAM)")
    assert all(item.hbm is not None and item.gain is not None for item in found.pressures)
    assert {item.sample.concurrency for item in found.pressures if item.regime == "idle"} == {1, 2, 4, 8}
    (nvme,) = found.nvme
    assert (nvme.answer, nvme.measured) == ("no", False)
    (gain,) = found.gains
    assert gain.area is not None
    assert 1 < gain.area < 1.05


def test_real_files_without_counters_compare_speed_alone(real: Path) -> None:
    found = studied(real, "model=glm5.1")
    assert len(found.pairs) == 4
    assert all(pair.throughput.verdict == "better" for pair in found.pairs)
    assert found.waterfall is None
    assert [item.answer for item in found.nvme] == ["unknown"]
