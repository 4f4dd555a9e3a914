"""What users supply wins over files, is checked before anything is read, and is put to use."""

from typing import Any

import pytest

from app.catalog.metrics import TOTAL_TPUT, TOTAL_TPUT_PER_CHIP
from app.catalog.offload import Offload
from app.catalog.point import Layout, Point, Role
from ingest.document import Document
from ingest.finish import finish
from ingest.names import FROM_NAME, named_facts
from ingest.supplied import NOTHING, WrongCall, parse_sets


def point(**values: Any) -> Point:
    return Point(**{"dialect": "test", **values})


def document(name: str, *folders: str) -> Document:
    return Document(place=name, resolved=f"/{name}", name=name, folders=folders, data=b"")


def test_words_are_resolved_and_equal_meanings_have_equal_texts() -> None:
    supplied = parse_sets(["hw=H200-SXM", "framework=dynamo-trt", "workload=1024/1024", "chip_count=8"])
    assert supplied.values == {
        "chip": "h200",
        "engine": "trt",
        "orchestrator": "dynamo",
        "workload": "1k/1k",
        "chip_count": 8,
    }
    assert supplied.texts == parse_sets(["chip_count=8", "workload=1k1k", "chip=h200", "engine=dynamo-trt"]).texts


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("chp=h200", "did you mean chip"),
        ("chip", "write key=value"),
        ("chip=", "write key=value"),
        ("chip_count=eight", "not a number"),
        ("chip_count=0", "0 is no count"),
        ("chip_count=2.5", "not a whole number"),
        ("origin=guessed", "is none of measured"),
        ("run_time=yesterday", "ISO 8601"),
        ("timezone=Mars/Olympus", "is no time zone"),
        ("offload_mode=maybe", "is none of on"),
        ("offload.colour=red", "nothing of that name"),
        ("total_tput=5", "nothing of that name"),
        ("disaggregated=perhaps", "is none of true"),
    ],
)
def test_what_cannot_be_meant_is_a_wrong_call_with_a_way_out(setting: str, words: str) -> None:
    with pytest.raises(WrongCall, match=words):
        parse_sets([setting])


def test_settings_that_contradict_each_other_are_a_wrong_call() -> None:
    with pytest.raises(WrongCall, match="given twice"):
        parse_sets(["tp=4", "tp=8"])
    with pytest.raises(WrongCall, match="offload_mode is off"):
        parse_sets(["offload_mode=off", "offload_backend=lmcache"])


def test_unknown_words_are_kept_and_said() -> None:
    supplied = parse_sets(["chip=Quantum 9"])
    assert supplied.values == {"chip": "other:quantum 9"}
    finished = finish(point(), supplied)
    assert finished.warnings == ("unknown chip 'quantum 9'",)


def test_per_chip_figures_are_divided_by_the_count_that_was_supplied() -> None:
    stated = point(chip_count=8, metrics={TOTAL_TPUT_PER_CHIP: 100.0})
    finished = finish(stated, parse_sets(["chip_count=16"]))
    assert finished.chip_count == 16
    assert finished.metrics[TOTAL_TPUT] == 800.0
    assert finished.metrics[TOTAL_TPUT_PER_CHIP] == 50.0
    assert finish(stated).metrics[TOTAL_TPUT_PER_CHIP] == 100.0


def test_without_a_count_whole_system_figures_stay_and_the_count_is_needed() -> None:
    finished = finish(point(model="dsr1", metrics={TOTAL_TPUT: 800.0}))
    assert finished.metrics == {TOTAL_TPUT: 800.0}
    assert finished.needs == ("chip", "chip_count", "engine", "precision", "workload", "concurrency")
    assert finish(finished, parse_sets(["tp=4"])).metrics[TOTAL_TPUT_PER_CHIP] == 200.0


def test_expert_parallelism_never_multiplies_chips() -> None:
    supplied = parse_sets(["tp=4", "pp=2", "ep=8", "dcp=4"])
    assert finish(point(), supplied).chip_count == 8


def test_role_counts_add_up_and_give_role_figures() -> None:
    finished = finish(
        point(metrics={"output_tput": 600.0, "input_tput": 1200.0}), parse_sets(["prefill_chips=4", "decode_chips=8"])
    )
    assert finished.chip_count == 12
    assert finished.layout.disaggregated is True
    assert finished.metrics["output_tput_per_chip"] == 50.0
    assert finished.metrics["output_tput_per_decode_chip"] == 75.0
    assert finished.metrics["input_tput_per_prefill_chip"] == 300.0


def test_a_layout_keeps_what_was_not_supplied() -> None:
    stated = point(layout=Layout(whole=Role(tp=8, ep=4), multinode=False))
    finished = finish(stated, parse_sets(["tp=4"]))
    assert finished.layout == Layout(whole=Role(tp=4, ep=4), multinode=False)


def test_offload_can_be_supplied_whole() -> None:
    supplied = parse_sets(
        ["offload.backend=lmcache", "offload.tiers=dram+nvme", "offload.version=0.3.1", "engine=vllm"]
    )
    offload = finish(point(), supplied).offload
    assert offload.mode == "on"
    assert offload.kinds == ("kv",)
    assert offload.media == ("hbm", "host_dram", "local_nvme")
    assert offload.backend == "lmcache"
    assert offload.backend_version == "0.3.1"
    assert offload.evidence == "supplied"


def test_a_detail_of_an_offload_is_added_to_what_the_file_says() -> None:
    stated = finish(point(), parse_sets(["offload_backend=lmcache"])).offload
    known = Offload(mode="on", kinds=("kv",), backend="lmcache", tiers=stated.tiers, evidence="field")
    details = parse_sets(["offload_version=0.3.1", "offload.gds=off", "host_dram_capacity_bytes=1000"])
    offload = finish(point(offload=known), details).offload
    assert (offload.evidence, offload.backend_version, offload.gds) == ("field", "0.3.1", "off")
    assert offload.tiers[1].capacity_bytes == 1000


def test_off_that_is_supplied_beats_on_that_was_read() -> None:
    known = Offload(mode="on", kinds=("kv",), backend="lmcache", evidence="field")
    assert finish(point(offload=known), parse_sets(["offload_mode=off"])).offload == Offload(
        mode="off", evidence="supplied"
    )


def test_a_zone_is_given_only_to_times_without_one() -> None:
    supplied = parse_sets(["timezone=+02:00"])
    assert finish(point(run_time="2026-06-01T10:00:00"), supplied).run_time == "2026-06-01T10:00:00+02:00"
    assert finish(point(run_time="2026-06-01T10:00:00+00:00"), supplied).run_time == "2026-06-01T10:00:00+00:00"
    assert finish(point(run_time="2026-06-01T10:00:00")).run_time == "2026-06-01T10:00:00"


def test_numbers_that_are_not_finite_never_pass() -> None:
    assert finish(point(metrics={TOTAL_TPUT: float("inf")}), NOTHING).metrics == {}


@pytest.mark.parametrize(
    ("name", "mode", "media", "backend"),
    [
        ("agentic_tp4_conc16_offloadssd", "on", ("hbm", "local_nvme"), None),
        ("agentic_tp4_conc16_offloadcpu_fp4", "on", ("hbm", "host_dram"), None),
        ("agentic_tp4_conc16_offloadnone_fp4", "off", (), None),
        ("kimi_tp4_offloadlmcache_fp4_vllm", "on", ("hbm", "host_dram"), "lmcache"),
        ("glm_p1x1_d1x8_conc1_kvdram-hicache", "on", ("hbm", "host_dram"), "hicache"),
        ("glm_p1x1_d1x8_conc1_kvnone", "off", (), None),
        ("kvcache-offload-eval", "unknown", (), None),
        ("offloading_study", "unknown", (), None),
    ],
)
def test_a_name_tells_offload_where_the_record_does_not(
    name: str, mode: str, media: tuple[str, ...], backend: str | None
) -> None:
    named = named_facts(point(workload="agentic"), document("result.json", "runs", name))
    assert (named.offload.mode, named.offload.media, named.offload.backend) == (mode, media, backend)
    assert named.offload.evidence == (None if mode == "unknown" else "name")
    assert named.flags == (() if mode == "unknown" else (FROM_NAME,))


def test_a_name_never_overrules_the_record_and_the_nearest_name_wins() -> None:
    stated = point(workload="agentic", offload=Offload(mode="off", evidence="field"))
    named = named_facts(stated, document("x_offloadssd.json"))
    assert (named.offload, named.flags) == (stated.offload, ())
    nearest = named_facts(point(workload="agentic"), document("a_offloadnone.json", "b_offloadssd"))
    assert nearest.offload.mode == "off"


def test_token_counts_are_read_from_names_when_nothing_else_gives_them() -> None:
    assert named_facts(point(), document("dsr1_1k8k_fp8.json")).workload == "1k/8k"
    named = named_facts(point(), document("agg.json", "x_isl1024_osl512"))
    assert (named.workload, named.flags) == ("1k/512", (FROM_NAME,))
    assert named.facts == {"isl": 1024, "osl": 512, "from_names": ["workload"]}
    assert named_facts(point(), document("agg.json")).workload is None
