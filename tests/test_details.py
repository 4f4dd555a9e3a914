"""Points and configs whole: twins, neighbours, repeats, history, standing and provenance."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.catalog.metrics import METRICS
from app.catalog.offload import Offload
from app.catalog.point import Layout, Role
from app.details.config import config_document
from app.details.point import point_document
from app.details.row import COLUMNS
from app.store.publish import publish, retire
from app.store.read import Snapshot, Store
from app.store.select import Selection
from app.view import View
from tests.points import arrival, kv, point, shares, stored

EVERY = Selection(newest=False)
Document = dict[str, Any]


def shot(folder: Path) -> Snapshot:
    return Store(folder).snapshot()


def whole(folder: Path, view: View | None = None, **equal: Any) -> Document:
    """The document of the one point whose row equals that."""
    snapshot = shot(folder)
    found = [row for row in snapshot.rows(EVERY) if all(row[name] == value for name, value in equal.items())]
    assert len(found) == 1, equal
    document = point_document(snapshot, found[0]["id"], view or View())
    assert document is not None
    return document


def test_what_the_store_does_not_hold_has_no_document(tmp_path: Path) -> None:
    stored(tmp_path, point(8))
    assert point_document(shot(tmp_path), "p000000000000", View()) is None
    assert config_document(shot(tmp_path), "c0000000000", View()) is None


def test_a_twin_differs_in_offload_alone(tmp_path: Path) -> None:
    stored(
        tmp_path,
        point(8, x=40.0, y=900.0),
        point(8, x=44.0, y=1350.0, offload=kv(), cache=shares(hbm=300, host_dram=200)),
        point(16, offload=kv()),
        point(8, precision="fp8", offload=kv()),
        point(8, workload="8k/1k", offload=kv()),
        point(8, origin="predicted", offload=kv()),
    )
    off = whole(tmp_path, offload_mode="off")
    assert [twin["offload_label"] for twin in off["twins"]] == [kv().label]
    (twin,) = off["twins"]
    assert (twin["concurrency"], twin["precision"], twin["workload"], twin["origin"]) == (8, "fp4", "1k/1k", "measured")
    changes = {item["key"]: item for item in twin["differences"]}
    throughput = next(item for item in changes.values() if item["here"] == 900.0)
    assert (throughput["twin"], throughput["change"]) == (1350.0, pytest.approx(900 / 1350 - 1))
    back = whole(tmp_path, id=twin["id"])
    assert [other["id"] for other in back["twins"]] == [off["id"]]


def test_a_twin_of_the_same_run_is_preferred_to_a_newer_one_and_it_is_said(tmp_path: Path) -> None:
    stored(tmp_path, point(8), point(8, offload=kv(), y=1000.0), run="one")
    stored(tmp_path, point(8, offload=kv(), y=1100.0), run="two")
    (twin,) = whole(tmp_path, offload_mode="off")["twins"]
    assert (twin["run"], twin["chosen"]) == ("one", "from the same run")


def test_without_one_of_the_same_run_the_newest_twin_is_taken(tmp_path: Path) -> None:
    stored(tmp_path, point(8), run="one")
    stored(tmp_path, point(8, offload=kv(), y=1000.0), run="two")
    stored(tmp_path, point(8, offload=kv(), y=1100.0), run="three")
    (twin,) = whole(tmp_path, offload_mode="off")["twins"]
    assert (twin["run"], twin["chosen"]) == ("three", "the newest of 2: none is from the same run")


def test_each_other_config_gives_one_twin_the_opposite_mode_first(tmp_path: Path) -> None:
    stored(
        tmp_path,
        point(8, offload=kv()),
        point(8, offload=kv("hicache", None)),
        point(8, offload=Offload(mode="unknown")),
        point(8),
    )
    labels = [twin["offload_mode"] for twin in whole(tmp_path, offload_backend="lmcache")["twins"]]
    assert labels[0] == "off"
    assert sorted(labels) == ["off", "on", "unknown"]


def test_neighbours_are_the_same_config_at_other_loads_by_number(tmp_path: Path) -> None:
    stored(tmp_path, point(2), point(16), point(128), point(8, offload=kv()), point(64, workload="8k/1k"))
    document = whole(tmp_path, concurrency=16)
    assert (document["neighbours"]["before"]["concurrency"], document["neighbours"]["after"]["concurrency"]) == (2, 128)
    assert [step["concurrency"] for step in document["neighbours"]["all"]] == [2, 16, 128]
    ends = whole(tmp_path, concurrency=2)["neighbours"]
    assert (ends["before"], ends["after"]["concurrency"]) == (None, 16)


def test_repeats_are_listed_newest_first_with_the_point_itself(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=900.0), run="one")
    stored(tmp_path, point(8, y=950.0), run="two")
    document = whole(tmp_path, run="one")
    assert [row["run"] for row in document["repeats"]] == ["two", "one"]
    assert (document["newest_rank"], document["standing"]["drawn"]) == (2, False)
    assert "newer repeat" in document["standing"]["reason"]


def test_history_names_the_snapshots_that_an_earlier_content_lived_in(tmp_path: Path) -> None:
    first = stored(tmp_path, point(8, y=900.0)).snapshot
    second = stored(tmp_path, point(8, y=905.0)).snapshot
    document = whole(tmp_path, concurrency=8)
    assert document["history"] == [{"since": first, "until": second}]
    assert document["provenance"]["since"] == second
    before = point_document(Store(tmp_path).snapshot(first), document["id"], View())
    assert before is not None
    assert (before["history"], before["total_tput_per_chip"]) == ([], 900.0)


def test_a_removed_point_has_no_document_but_keeps_its_old_one(tmp_path: Path) -> None:
    first = stored(tmp_path, point(8, origin="synthetic"), point(8)).snapshot
    gone = whole(tmp_path, origin="synthetic")["id"]
    retire(tmp_path, "synthetic")
    assert point_document(shot(tmp_path), gone, View()) is None
    assert point_document(Store(tmp_path).snapshot(first), gone, View()) is not None


def test_standing_is_that_of_the_default_series(tmp_path: Path) -> None:
    stored(
        tmp_path,
        point(4, x=60.0, y=500.0),
        point(8, x=40.0, y=900.0),
        point(16, x=39.0, y=800.0),
        point(32, x=38.0, y=700.0, offload=kv()),
        point(8, x=90.0, y=9000.0, precision="fp8"),
    )
    ranks = {n: whole(tmp_path, concurrency=n, precision="fp4")["standing"] for n in (4, 8, 16, 32)}
    assert {n: (told["frontier"], told["rank"], told["points"]) for n, told in ranks.items()} == {
        4: (True, 1, 4),
        8: (True, 1, 4),
        16: (False, 2, 4),
        32: (False, 3, 4),
    }


def test_a_point_without_an_axis_says_which_is_missing(tmp_path: Path) -> None:
    stored(tmp_path, point(8, x=None))
    told = whole(tmp_path, concurrency=8)["standing"]
    assert (told["drawn"], told["frontier"], told["reason"]) == (False, None, "no Interactivity p50")


places = st.tuples(st.sampled_from([10.0, 20.0, 30.0, 40.0]), st.sampled_from([100.0, 200.0, 300.0]))


@settings(max_examples=15, deadline=None)
@given(spots=st.lists(places, min_size=1, max_size=8))
def test_rank_counts_what_is_better_and_rank_1_is_the_frontier(
    tmp_path_factory: pytest.TempPathFactory, spots: list[tuple[float, float]]
) -> None:
    folder = tmp_path_factory.mktemp("rank")
    stored(folder, *(point(n + 1, x=x, y=y) for n, (x, y) in enumerate(spots)))
    for n, (x, y) in enumerate(spots):
        told = whole(folder, concurrency=n + 1)["standing"]
        beaten_by = sum(a >= x and b >= y and (a, b) != (x, y) for a, b in spots)
        assert told["rank"] == 1 + beaten_by
        assert told["frontier"] == (beaten_by == 0)


def test_missing_is_none_all_the_way_and_zero_is_zero(tmp_path: Path) -> None:
    bare = point(
        8,
        x=None,
        y=None,
        model=None,
        chip=None,
        chip_count=None,
        engine=None,
        precision=None,
        spec=None,
        orchestrator=None,
        workload=None,
        layout=Layout(),
        offload=Offload(),
        interactivity_def=None,
        cache=shares(host_dram=0),
        metrics={"dram_share": 0.0},
    )
    stored(tmp_path, bare)
    document = whole(tmp_path, concurrency=8)
    known = {metric["key"]: metric["value"] for metric in document["metrics"] if metric["value"] is not None}
    assert known == {"dram_share": 0.0, "concurrency": 8.0}
    assert [document[name] for name in ("model", "chip", "chip_count", "engine", "precision", "workload")] == [None] * 6
    assert [(tier["medium"], tier["share"]) for tier in document["cache"]["tiers"]] == [("host_dram", 0.0)]
    assert (document["offload"]["mode"], document["offload"]["label"]) == ("unknown", "Offload not reported")
    assert document["title"] == "A model not reported on chips not reported, engine not reported"


def test_metrics_are_told_with_unit_and_definition(tmp_path: Path) -> None:
    stored(tmp_path, point(8))
    told = whole(tmp_path, concurrency=8)["metrics"]
    assert [item["key"] for item in told] == [metric.key for metric in METRICS]
    assert all(item["unit"] and item["definition"] for item in told)


def test_provenance_names_places_reader_and_what_was_supplied(tmp_path: Path) -> None:
    first = point(8, run_time="2026-11-03T14:05:00", facts={"image": "vllm:0.14"}, spellings={"chip": "b200-dgxc_01"})
    publish(tmp_path, [arrival(first, place="a/agg.json", where="row 1", supplied={"chip_count": "8"})])
    publish(tmp_path, [arrival(first, place="b/copy.json", where="row 4", supplied={"chip_count": "8"})])
    told = whole(tmp_path, concurrency=8)["provenance"]
    assert told["places"] == [
        {"place": "a/agg.json", "where": "row 1"},
        {"place": "b/copy.json", "where": "row 4"},
    ]
    assert (told["reader"], told["image"], told["supplied"]) == ("by-hand/1", "vllm:0.14", {"chip_count": "8"})
    assert (told["run_time"], told["zone_known"]) == ("2026-11-03T14:05:00", False)
    assert told["spellings"] == {"chip": "b200-dgxc_01"}


@pytest.mark.parametrize(
    ("time", "known"),
    [
        ("2026-11-03T14:05:00Z", True),
        ("2026-11-03T14:05:00-07:00", True),
        ("2026-11-03 14:05:00+01:00", True),
        ("2026-11-03T14:05:00", False),
        ("2026-11-03", False),
        (None, None),
        ("last Tuesday", None),
    ],
)
def test_a_time_without_a_zone_says_so(tmp_path: Path, time: str | None, known: bool | None) -> None:
    stored(tmp_path, point(8, run_time=time))
    assert whole(tmp_path, concurrency=8)["provenance"]["zone_known"] is known


def test_flags_are_told_in_words_once_each(tmp_path: Path) -> None:
    stored(tmp_path, point(8, flags=("sum_gt_1", "never_described", "sum_gt_1")))
    flags = whole(tmp_path, concurrency=8)["flags"]
    assert [flag["key"] for flag in flags] == ["sum_gt_1", "never_described"]
    assert all(flag["text"] for flag in flags)


def test_layout_is_told_by_role(tmp_path: Path) -> None:
    roles = Layout(
        prefill=Role(chip="b200", chips=4, tp=4), decode=Role(chip="h200", chips=8, tp=8), disaggregated=True
    )
    stored(tmp_path, point(8, layout=roles, chip_count=12))
    layout = whole(tmp_path, concurrency=8)["layout"]
    assert (layout["whole"], layout["prefill"]["chip_label"], layout["decode"]["chips"]) == (None, "B200", 8)
    assert layout["label"] == roles.label


def test_a_config_holds_its_loads_repeats_runs_and_twins(tmp_path: Path) -> None:
    stored(tmp_path, point(8), point(16), point(8, workload="8k/1k"), point(8, offload=kv()), run="one")
    stored(tmp_path, point(8, y=950.0), run="two")
    config = whole(tmp_path, run="two")["config_id"]
    document = config_document(shot(tmp_path), config, View())
    assert document is not None
    assert [(part["workload"], len(part["points"]), len(part["repeats"])) for part in document["workloads"]] == [
        ("1k/1k", 2, 1),
        ("8k/1k", 1, 0),
    ]
    assert [row["concurrency"] for row in document["workloads"][0]["points"]] == [8, 16]
    assert [(twin["offload_mode"], twin["shared"], len(twin["points"])) for twin in document["twins"]] == [("on", 1, 1)]
    assert {run["run"]: len(run["points"]) for run in document["runs"]} == {"one": 3, "two": 1}
    assert document["title"] == "DeepSeek-R1-0528 in FP4 on 8 × B200 (TP8), vLLM"


def test_prices_are_those_that_were_asked_for(tmp_path: Path) -> None:
    stored(tmp_path, point(8))
    usual, other = (whole(tmp_path, view, concurrency=8) for view in (View(), View(price="hyp@2026-07")))
    assert (usual["prices"], other["prices"]) != (other["prices"], usual["prices"])
    assert usual["total_tokens_per_usd"] != other["total_tokens_per_usd"]
    config = config_document(shot(tmp_path), usual["config_id"], View(price="hyp@2026-07"))
    assert config is not None
    assert config["workloads"][0]["points"][0]["total_tokens_per_usd"] == other["total_tokens_per_usd"]


def test_a_row_has_the_same_keys_wherever_it_is_told(tmp_path: Path) -> None:
    stored(tmp_path, point(8), point(16), point(8, offload=kv()))
    document = whole(tmp_path, concurrency=8, offload_mode="off")
    assert set(COLUMNS) <= set(document)
    assert set(document["neighbours"]["after"]) == set(document["repeats"][0]) == set(COLUMNS)
    assert set(document["twins"][0]) == {*COLUMNS, "chosen", "differences"}


def flags_of(document: Document) -> list[str]:
    return [flag["key"] for flag in document["flags"]]


def waiting(concurrency: float, seconds: float) -> Any:
    return point(concurrency, metrics={"ttft_p50_s": seconds})


def test_a_heavier_load_that_waits_less_is_a_doubt_on_the_lighter_one(tmp_path: Path) -> None:
    stored(tmp_path, waiting(8, 2.0), waiting(16, 0.5), waiting(32, 0.49), waiting(64, 3.0))
    assert [flags_of(whole(tmp_path, concurrency=load)) for load in (8, 16, 32, 64)] == [
        ["ttft_falls_with_load"],
        [],
        [],
        [],
    ]


def test_three_repeats_that_lie_far_apart_are_a_doubt_and_two_are_not(tmp_path: Path) -> None:
    for number, y in enumerate((900.0, 1300.0)):
        publish(tmp_path, [arrival(point(8, y=y), run=f"r{number}")])
    assert flags_of(whole(tmp_path, total_tput_per_chip=900.0)) == []
    publish(tmp_path, [arrival(point(8, y=1000.0), run="r2")])
    assert flags_of(whole(tmp_path, total_tput_per_chip=900.0)) == ["noisy_repeats"]
    publish(tmp_path, [arrival(point(16, y=y), run=f"r{y}") for y in (900.0, 950.0, 1000.0)])
    assert flags_of(whole(tmp_path, total_tput_per_chip=950.0)) == []


def test_another_hit_rate_with_every_time_the_same_is_a_contradiction(tmp_path: Path) -> None:
    few, many = {"cached_share": 0.1}, {"cached_share": 0.5}
    stored(
        tmp_path,
        point(8, x=40.0, metrics=few),
        point(8, x=40.0, metrics=many, offload=kv()),
        point(16, x=30.0, metrics=few),
        point(16, x=31.0, metrics=many, offload=kv()),
    )
    assert [flags_of(whole(tmp_path, concurrency=8, offload_mode=mode)) for mode in ("off", "on")] == [
        ["timings_equal"],
        ["timings_equal"],
    ]
    assert flags_of(whole(tmp_path, concurrency=16, offload_mode="on")) == []
