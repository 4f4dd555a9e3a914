"""Names as the last source: what they fill, what they may not, and the runs of a sweep that speak for each other."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog.offload import Offload
from app.catalog.point import Layout, Point, Role
from app.store.read import Store
from app.store.select import Selection
from ingest.document import Document
from ingest.finish import finish
from ingest.kin import Kin
from ingest.labels import telling_label
from ingest.name_words import names_of, said_in
from ingest.names import BACKEND_OF_SWEEP, BY_SWEEP, FROM_NAME, NAMED, named_facts
from ingest.pipeline import ingest
from ingest.supplied import parse_sets
from tests.rows import fixed, write

FULL = (
    "agentic_kimik2.5_tp4_conc16_offloadlmcache_fp4_vllm_tp4-ep1-dpafalse_disagg-false_spec-none_conc16_mi355x-amd_p02"
)


def document(name: str, *folders: str) -> Document:
    place = "/".join((*folders, name))
    return Document(place=place, resolved=f"/{place}", name=name, folders=folders, data=b"")


def named(name: str, *folders: str, given: tuple[str, ...] = (), **known: Any) -> Point:
    return named_facts(Point(dialect="d", **known), document(name, *folders), given)


def test_a_name_fills_every_field_that_nothing_else_gives() -> None:
    point = named("x.json", "sweep", FULL, "artifacts")
    assert (point.model, point.chip, point.engine, point.precision) == ("kimik2.5", "mi355x", "vllm", "fp4")
    assert (point.spec, point.concurrency) == ("none", 16)
    assert point.layout == Layout(whole=Role(tp=4, ep=1, dp_attention=False), disaggregated=False)
    assert (point.offload.backend, point.offload.evidence) == ("lmcache", "name")
    assert point.flags == (FROM_NAME,)
    assert point.facts[NAMED] == [
        *("chip", "concurrency", "engine", "layout", "model", "offload", "precision", "spec"),
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("agg_dsr1_tp8_conc16_isl1024_osl512", {"model": "dsr1", "tp": 8, "concurrency": 16, "sizes": (1024, 512)}),
        ("glm5_fp8_vllm_tp8_isl10240_osl128_conc16", {"model": "glm5", "precision": "fp8", "engine": "vllm", "tp": 8}),
        ("kimik2.5-fp4-b200-vllm-agentic-lmcache", {"model": "kimik2.5", "chip": "b200", "offload": None}),
        ("llama_tp8-pp2-dcp4-pcp1-ep8-dpatrue", {"pp": 2, "dcp": 4, "pcp": 1, "ep": 8, "dp_attention": True}),
        ("m_tp4_dp2", {"tp": 4, "workers": 2}),
        ("m_tp8_dp8_dpatrue", {"tp": 8, "workers": None}),
        ("m_tp8_dp8", {"workers": None}),
        ("glm5.2_p1x1_d1x8_conc1_kvdram-hisparse_tp8", {"model": "glm5.2", "tp": None, "concurrency": 1}),
        ("prefill-tp4-ep8_decode-tp8", {"tp": None}),
        ("x_disagg-true_tp8", {"disaggregated": True, "tp": None}),
        ("vllm+eagle", {"engine": "vllm", "spec": "eagle"}),
        ("vllm_bench_serve", {"engine": None}),
        ("sglang-benchmark-results", {"engine": None}),
        ("h100-against-b200", {"chip": None}),
        ("fp8_and_fp4", {"precision": None}),
        ("conc1-64", {"concurrency": None}),
        ("tp4_tp8", {"tp": None}),
        ("latp4_concrete16_tempo", {"tp": None, "concurrency": None}),
        ("DeepSeek-R1-0528_spec-mtp", {"model": "dsr1", "spec": "mtp"}),
    ],
)
def test_what_a_name_says_and_what_it_only_seems_to(name: str, said: dict[str, Any]) -> None:
    found = said_in(name.lower())
    assert {key: found.get(key) for key in said} == said


def test_joined_paths_count_as_folders_and_words_at_a_cut_are_dropped() -> None:
    names = names_of("results__0603_sa__glm5.1-fp4-mi355x-sgl~9e8068cc~p8-dpafalse_spec-none_conc16__a.json", ())
    assert names[0] == "a.json"
    assert [said_in(name).get("concurrency") for name in names[:2]] == [None, 16]
    assert {key for name in names for key in said_in(name)} == {
        *("model", "precision", "chip", "dp_attention", "spec", "concurrency")
    }
    cut = named("results__0603__dsr1-fp8-h200-vl~51619861~_tp4__dsr1_tp8_conc4_offloadnone.json")
    assert (cut.layout.whole, cut.chip, cut.offload.mode) == (Role(tp=8), "h200", "off")


def test_files_supplied_words_and_nearer_names_win() -> None:
    point = named("x.json", FULL, chip="b200", given=("precision", "tp", "offload_mode"), concurrency=16.0)
    # A folder that names another chip is the folder of another run.
    assert (point.chip, point.model) == ("b200", None)
    point = named("x.json", FULL, given=("precision", "tp", "offload_mode", "model", "spec"))
    assert (point.precision, point.model, point.spec, point.offload.mode) == (None, None, None, "unknown")
    assert point.layout.whole == Role(ep=1, dp_attention=False)
    assert named("h200_x.json", "b200_sweep").chip == "h200"


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"concurrency": 8.0}, "concurrency 16 where the record says 8"),
        ({"precision": "fp8"}, "precision fp4 where the record says fp8"),
        ({"model": "dsr1"}, "model kimik2.5 where the record says dsr1"),
        ({"engine": "sglang"}, "engine vllm where the record says sglang"),
        ({"layout": Layout(whole=Role(tp=8))}, "tensor parallelism 4 where the record says 8"),
        ({"offload": Offload(mode="off", evidence="field")}, "offload on where the record says off"),
    ],
)
def test_a_name_that_contradicts_the_record_says_nothing_and_is_told(known: dict[str, Any], words: str) -> None:
    point = named("x.json", FULL, **known)
    assert point == replace(Point(dialect="d", **known), warnings=point.warnings)
    assert point.warnings == (f"the name {FULL!r} says {words}: nothing was taken from it",)


def test_a_name_agrees_with_what_differs_in_letter_alone() -> None:
    measured = named("m_conc16_tp8.json", concurrency=15.7, flags=("load_measured",))
    assert (measured.layout.whole, measured.warnings) == (Role(tp=8), ())
    assert named("m_1k1k_tp8.json", workload="1000/1000").warnings == ()
    assert named("m_1k8k_tp8.json", workload="1k/1k").warnings != ()
    assert named("m_tp8.json", model="other:something").warnings == ()
    parts = Layout(prefill=Role(tp=4), decode=Role(tp=8), disaggregated=True)
    assert named("m_tp8.json", layout=parts).layout == parts


def sweep(*names: str) -> list[Document]:
    return [document("x.json", "sweep", name) for name in names]


def test_runs_of_one_sweep_name_the_chip_for_those_that_name_a_host() -> None:
    files = sweep("m_conc1_offloadnone_mi355x-amd_p01", "m_conc8_offloadlmcache_mia1-p02-g17", "n_conc8_mia1-p02-g17")
    kin = Kin((file, ()) for file in files)
    assert [dict(kin.of(file)) for file in files] == [{"chip": "mi355x"}, {"chip": "mi355x"}, {}]
    point = named_facts(Point(dialect="d"), files[1], (), kin.of(files[1]))
    assert (point.chip, point.facts[BY_SWEEP], point.flags) == ("mi355x", ["chip"], (FROM_NAME,))
    assert named_facts(Point(dialect="d", chip="h100"), files[1], (), kin.of(files[1])).chip == "h100"
    own = named_facts(Point(dialect="d"), files[0], (), kin.of(files[0]))
    assert BY_SWEEP not in own.facts


def proven(backend: str) -> list[Point]:
    return [Point(dialect="d", offload=Offload(mode="on", backend=backend, evidence="recipe_flag"))]


def test_a_word_for_two_backends_means_what_another_run_of_the_sweep_proves() -> None:
    files = sweep("m_conc8_offloadlmcache_h100", "m_conc16_offloadlmcache_h100", "m_conc8_offloadnone_h100")
    kin = Kin([(files[0], ()), (files[1], proven("lmcache-mp")), (files[2], ())])
    silent, own, off = (named_facts(Point(dialect="d"), file, (), kin.of(file)) for file in files)
    assert (silent.offload.backend, silent.offload.evidence) == ("lmcache-mp", "name")
    assert silent.flags == (FROM_NAME, BACKEND_OF_SWEEP)
    assert own.offload.backend == "lmcache-mp"
    assert off.offload.mode == "off"
    # Another sweep, a word that two runs mean differently, and a word of other meaning prove nothing.
    elsewhere = document("x.json", "other", "m_conc8_offloadlmcache_h100")
    assert named_facts(Point(dialect="d"), elsewhere, (), kin.of(elsewhere)).offload.backend == "lmcache"
    torn = Kin([(files[0], proven("lmcache")), (files[1], proven("lmcache-mp"))])
    assert named_facts(Point(dialect="d"), files[0], (), torn.of(files[0])).flags == (FROM_NAME,)
    other = Kin([(files[0], ()), (document("x.json", "sweep", "m_conc1_offloadhicache_h100"), proven("hicache"))])
    assert named_facts(Point(dialect="d"), files[0], (), other.of(files[0])).offload.backend == "lmcache"


def test_the_sweeps_of_the_given_runs_are_one_arm_each(shared_data: Path, tmp_path: Path) -> None:
    ingest([shared_data / "aiperf_runs"], tmp_path / "db")
    rows = Store(tmp_path / "db").snapshot().rows(Selection(newest=False))
    on = [row for row in rows if row["offload_mode"] == "on" and row["chip"] == "mi355x"]
    backends = {
        row["model"]: {other["offload_backend"] for other in on if other["model"] == row["model"]} for row in on
    }
    assert backends == {"kimik2.5": {"lmcache-mp"}, "minimaxm2.5": {"lmcache-mp"}, "qwen3.5": {"hicache"}}
    assert [BACKEND_OF_SWEEP in row["flags"] for row in on].count(True) == 15


def test_a_sweep_over_two_chips_says_nothing_of_a_host() -> None:
    files = sweep("m_conc1_h100-nv", "m_conc1_b200-nv", "m_conc1_node7")
    assert dict(Kin((file, ()) for file in files).of(files[2])) == {}
    apart = [document("x.json", "a", "m_conc1_h100-nv"), document("x.json", "b", "m_conc1_node7")]
    assert dict(Kin((file, ()) for file in apart).of(apart[1])) == {}


@pytest.mark.parametrize(
    ("name", "folders", "label"),
    [
        ("profile_export_aiperf.json", ("sweep", "kimi_tp4_conc16_off", "aiperf_artifacts"), "kimi_tp4_conc16_off"),
        ("profile_export_aiperf.json", ("sweep", "run_0001", "artifacts"), "sweep/run_0001"),
        ("profile_export_aiperf.json", ("results",), None),
        ("results.json", ("a", "conc8"), "a/conc8"),
        ("agg_dsr1.json", ("a", "conc8"), None),
    ],
)
def test_the_label_of_a_run_is_what_tells_it_apart(name: str, folders: tuple[str, ...], label: str | None) -> None:
    assert telling_label(document(name, *folders)) == label


def test_a_long_label_keeps_load_and_offload() -> None:
    label = telling_label(document("profile_export_aiperf.json", FULL, "aiperf_artifacts"))
    assert label is not None
    assert len(label) <= 73
    assert "conc16_offloadlmcache" in label
    assert label.endswith("mi355x-amd_p02")


def test_folders_above_the_argument_are_not_used(tmp_path: Path) -> None:
    inside = tmp_path / "offloadssd_sweep" / "runs"
    write(inside / "agg_run.json", fixed(8))
    modes = []
    for given in (inside / "agg_run.json", inside, inside.parent):
        ingest([given], tmp_path / f"db-{given.name}")
        (row,) = Store(tmp_path / f"db-{given.name}").snapshot().rows(Selection(), limit=5)
        modes.append(row["offload_mode"])
    assert modes == ["off", "off", "on"]


def test_a_time_without_a_zone_is_flagged_until_its_zone_is_supplied() -> None:
    naive = Point(dialect="d", run_time="2026-06-01T10:00:00")
    assert "zone_unknown" in finish(naive).flags
    zoned = finish(naive, parse_sets(["timezone=+02:00"]))
    assert "zone_unknown" not in zoned.flags
    for moment in ("2026-06-01T10:00:00Z", "2026-06-01", "last night", None):
        assert "zone_unknown" not in finish(replace(naive, run_time=moment)).flags


def test_every_load_of_the_real_sweeps_has_its_twin(shared_data: Path, tmp_path: Path) -> None:
    ingest([shared_data / "aiperf_runs"], tmp_path)
    rows = Store(tmp_path).snapshot().rows(Selection(), limit=500)
    sides: dict[tuple[str, str, float], dict[str, set[str]]] = {}
    for row in rows:
        key = (row["model"], row["chip"], row["concurrency"])
        sides.setdefault(key, {}).setdefault(row["offload_mode"], set()).add(row["recipe_id"])
    twins = {key for key, modes in sides.items() if modes.get("on", set()) & modes.get("off", set())}
    assert {load for model, _, load in twins if model == "kimik2.5"} == {1, 4, 8, 16, 32, 40, 48, 56, 64}
    assert {load for model, _, load in twins if model == "minimaxm2.5"} == {1, 2, 4, 8, 16, 32, 40, 48}
    assert {load for model, _, load in twins if model == "qwen3.5"} == {1, 2}
    assert len({row["run_label"] for row in rows}) == len(rows)
