"""The rules of the InferenceX rows, one at a time, on rows made for the rule."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.catalog.metrics import HBM_POOL_TOKENS, HBM_USAGE_MAX, TOTAL_TPUT_PER_CHIP
from app.catalog.point import Point, identity
from ingest.document import Document
from ingest.names import named_facts
from ingest.sources.base import Found, Refused
from ingest.sources.inferencex import InferenceX
from ingest.sources.inferencex_power import InferenceXPower
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT_PER_CHIP
from tests.conftest import ROOT

SAMPLES = ROOT / "tests" / "samples"


def sample(name: str) -> Any:
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"))


FIXED = sample("inferencex_fixed/v1_before_the_matrix_had_keys.json")
DISAGGREGATED = sample("inferencex_fixed/v2_disaggregated.json")
FLAT = sample("inferencex_flat/v2_off_and_on.json")[0]
NESTED = sample("inferencex_nested/sglang_hicache.json")


def document(value: Any, name: str = "results.json", folders: tuple[str, ...] = ()) -> Document:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Document(place=name, resolved=f"/somewhere/{name}", name=name, folders=folders, data=data)


def point(row: dict[str, Any], **changes: Any) -> Point:
    (reading,) = InferenceX().read(document({**row, **changes}))
    assert isinstance(reading, Found), reading
    return reading.point


def refusal(row: dict[str, Any], **changes: Any) -> str:
    (reading,) = InferenceX().read(document({**row, **changes}))
    assert isinstance(reading, Refused), reading
    return reading.reason


def without(row: dict[str, Any], *parts: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if not any(part in key for part in parts)}


# Chips


@pytest.mark.parametrize(
    ("changes", "chips"),
    [
        ({"tp": 8, "ep": 8}, 8),
        ({"tp": 4, "pp": 2, "pcp_size": 2, "dcp_size": 4, "ep": 16}, 16),
        ({"tp": 1, "ep": 8, "num_decode_gpu": 8}, 8),
        ({"tp": 1, "num_prefill_gpu": 8, "num_decode_gpu": 8}, 8),
        ({"tp": 8, "num_gpus": 4}, 4),
        ({"tp": None}, None),
    ],
)
def test_chips_of_one_pool(changes: dict[str, Any], chips: int | None) -> None:
    assert point(FIXED, disagg=False, **changes).chip_count == chips


def test_disaggregated_chips_are_prefill_and_decode_together() -> None:
    counted, worked_out = point(DISAGGREGATED), point(DISAGGREGATED, num_prefill_gpu=None, num_decode_gpu=None)
    assert counted.chip_count == worked_out.chip_count == 8 + 24
    assert counted.layout.label == "8P+24D · TP4 EP4 DPA/TP8 EP8"


def test_dynamo_is_disaggregated_unless_the_row_says_otherwise() -> None:
    silent = without(DISAGGREGATED, "disagg")
    assert point(silent).layout.disaggregated is True
    aggregated = point({**silent, "disagg": "false"}, num_prefill_gpu=16, num_decode_gpu=0)
    assert (aggregated.layout.disaggregated, aggregated.chip_count) == (False, 16)


def test_power_of_all_boards_over_power_of_one_checks_the_count() -> None:
    power = {"power_metric_schema_version": 2, "power_valid": 1, "avg_power_w": 450.0}
    assert point(FIXED, **power, avg_total_gpu_power_w=3600.0).flags == ()
    assert point(FIXED, **power, avg_total_gpu_power_w=1800.0).flags == ("chip_count_disputed",)


# Throughput


def test_figures_over_the_chips_of_one_role_are_brought_to_all_chips_and_kept_under_their_own_names() -> None:
    metrics = point(DISAGGREGATED).metrics
    assert [metrics[TPUT_PER_CHIP[kind]] for kind in ("total", "input", "output")] == [800, 500, 300]
    assert {round(value) for key, value in metrics.items() if "_per_prefill_" in key or "_per_decode_" in key} == {
        2000,
        400,
    }


def test_agentic_figures_divide_by_all_chips_already() -> None:
    several = sample("inferencex_flat/v2_several_nodes.json")
    metrics = point(several).metrics
    assert metrics[TPUT_PER_CHIP["output"]] == 12.5
    assert not [key for key in metrics if "_per_decode_" in key]


@pytest.mark.parametrize(
    ("hardware", "tp", "gb", "over"),
    [
        ("b200", 8, 3000, False),
        ("b200", 8, 3001, True),
        ("b200", 4, 1500, False),
        ("b200", 4, 1501, True),
        ("gb200", 4, 3000, False),
        ("gb200", 2, 1501, True),
        ("a chip that nobody knows", 4, 1501, False),
    ],
)
def test_a_run_is_granted_host_memory_in_proportion_to_its_chips(hardware: str, tp: int, gb: int, over: bool) -> None:
    made = point(NESTED, hw=hardware, tp=tp, num_gpus=tp, allocated_cpu_dram_gb=gb)
    assert ("over_budget" in made.flags) is over


def test_roles_that_do_not_add_up_are_flagged() -> None:
    assert point(DISAGGREGATED, output_tput_per_gpu=100.0).flags == ("disagg_identity_violated",)


@pytest.mark.parametrize("value", [None, "", "n/a"])
def test_output_never_stands_in_for_a_missing_total(value: Any) -> None:
    assert "no throughput" in refusal(FIXED, tput_per_gpu=value)


def test_zero_throughput_is_refused() -> None:
    assert "nothing was served" in refusal(FIXED, tput_per_gpu=0)


def test_a_missing_role_figure_is_absent_and_not_zero() -> None:
    metrics = point(DISAGGREGATED, output_tput_per_gpu=None).metrics
    assert TPUT_PER_CHIP["output"] not in metrics
    assert metrics[TPUT_PER_CHIP["input"]] == 500


# Latency and interactivity


@pytest.mark.parametrize(("row", "quantity"), [(FIXED, "tpot"), (FLAT, "itl"), (NESTED, "itl")])
def test_interactivity_inverts_the_latency_at_its_own_percentile(row: dict[str, Any], quantity: str) -> None:
    made = point(row)
    assert made.interactivity_def == f"1/{quantity}"
    for statistic, key in INTERACTIVITY.items():
        if key in made.metrics:
            assert made.metrics[key] == 1 / made.metrics[LATENCY[quantity][statistic]]
    assert INTERACTIVITY["mean"] in made.metrics


def test_the_fast_tail_that_a_flat_row_calls_p90_is_dropped() -> None:
    assert point(FLAT, p90_intvty=999.0).metrics[INTERACTIVITY["p90"]] == 1 / FLAT["p90_itl"]


def test_a_flat_row_without_latency_has_no_interactivity() -> None:
    made = point(without(FLAT, "_itl", "_tpot"))
    assert made.interactivity_def is None
    assert not [key for key in INTERACTIVITY.values() if key in made.metrics]


def test_the_full_response_overrides_the_visible_one() -> None:
    made = point(sample("inferencex_nested/sglang_off_with_full_response.json"))
    assert made.metrics[INTERACTIVITY["mean"]] == pytest.approx(1 / 0.025)
    assert "itl_basis" in made.facts


@pytest.mark.parametrize("value", [0, 0.0, -0.02, "0"])
def test_a_pace_of_no_time_at_all_is_refused(value: Any) -> None:
    assert "TPOT p50" in refusal(FIXED, median_tpot=value)


def test_a_negative_wait_is_dropped_and_the_row_stays_with_a_flag() -> None:
    made = point(FIXED, mean_ttft=-1.7e9)
    assert LATENCY["ttft"]["mean"] not in made.metrics
    assert "latency_not_positive" in made.flags


@pytest.mark.parametrize("name", ["median_tpot", "p50_tpot"])
def test_the_median_goes_by_two_names(name: str) -> None:
    row = without(FIXED, "median_tpot")
    assert point({**row, name: 0.05}).metrics[INTERACTIVITY["p50"]] == 20


def test_a_row_that_lacks_one_axis_is_kept_without_it() -> None:
    made = point(without(FIXED, "ttft", "tpot", "intvty"))
    assert made.metrics[TOTAL_TPUT_PER_CHIP] == 200
    assert made.interactivity_def is None


def test_standard_deviations_are_no_metrics() -> None:
    assert not [key for key in (*point(FIXED).metrics, *point(FLAT).metrics) if "std" in key]


# What failed


@pytest.mark.parametrize("row", [FLAT, NESTED])
def test_a_run_without_a_success_is_refused_whatever_its_hit_rates_say(row: dict[str, Any]) -> None:
    assert "no request succeeded" in refusal(row, num_requests_successful=0)


def test_one_success_is_a_point_and_a_doubt() -> None:
    assert point(FLAT, num_requests_successful=1).flags == ("single_request",)


def test_failures_beside_successes_are_flagged_and_warm_up_is_no_failure() -> None:
    accounts = {"records_total": 140, "records_profiled": 100, "records_warmup_dropped": 40}
    assert point(NESTED, request_accounting={**accounts, "records_error_dropped": 0}).flags == ()
    assert point(NESTED, request_accounting={**accounts, "records_error_dropped": 9}).flags == ("failed_share",)


def test_a_run_marked_as_failed_is_refused() -> None:
    outcome = {"status": "failed", "requested": 100, "completed": 90, "failed": 10}
    assert "90 of 100" in refusal(FIXED, benchmark_outcome=outcome)


# Values as they are really written


def test_infinity_and_nan_are_missing_as_literals_and_as_text() -> None:
    text = json.dumps({**FIXED, "p99_ttft": "inf", "request_rate": "inf"}).replace(
        '"mean_ttft": 0.3', '"mean_ttft": NaN'
    )
    text = text.replace('"median_ttft": 0.285', '"median_ttft": Infinity')
    (reading,) = InferenceX().read(document(text.encode()))
    assert isinstance(reading, Found)
    assert not [key for key in LATENCY["ttft"].values() if key in reading.point.metrics]
    assert reading.point.warnings == ("p99_ttft is inf: read as not reported",)
    assert "nonfinite_read_as_missing" in reading.point.flags


@pytest.mark.parametrize(("value", "read"), [("false", False), ("False", False), (0, False), ("true", True), (1, True)])
def test_false_as_text_is_false(value: Any, read: bool) -> None:
    layout = point(FIXED, dp_attention=value, disagg=False).layout
    assert layout.whole is not None
    assert layout.whole.dp_attention is read


def test_numbers_as_text_and_whole_numbers_with_a_point_are_numbers() -> None:
    made = point(FIXED, conc="16", tp="8", ep=8.0, tput_per_gpu="200.5", disagg=False)
    assert (made.concurrency, made.chip_count, made.metrics[TOTAL_TPUT_PER_CHIP]) == (16, 8, 200.5)


def test_true_is_not_a_number() -> None:
    assert "no throughput" in refusal(FIXED, tput_per_gpu=True)


def test_empty_words_are_unknown_and_the_row_stays() -> None:
    made = point(FIXED, hw="", image="", framework="", model="", precision="")
    assert (made.chip, made.engine, made.model, made.precision, made.engine_version) == (None,) * 5
    assert made.spellings == {}


def test_a_word_that_nobody_knows_is_kept_as_it_came() -> None:
    made = point(FIXED, hw="gaudi3-lab", framework="sonic")
    assert (made.chip, made.engine) == ("other:gaudi3", "other:sonic")
    assert made.spellings["chip"] == "gaudi3-lab"


def test_two_names_for_the_model_that_disagree_are_flagged() -> None:
    assert "model_disputed" in point(FIXED, infmax_model_prefix="gptoss").flags


def test_keys_of_tomorrow_stay_in_the_record() -> None:
    assert point(FIXED, something_new={"a": [1]}).raw["something_new"] == {"a": [1]}


def test_unversioned_joules_are_not_read() -> None:
    for version in ({}, {"power_metric_schema_version": 1, "power_valid": 1}, {"power_valid": 0}):
        made = point(FIXED, joules_per_output_token=3.0, avg_power_w=900.0, **version)
        assert made.flags == ("power_unversioned",)
        assert not [key for key in made.metrics if "joules" in key or "power" in key]


def test_power_marked_as_invalid_is_left_out() -> None:
    made = point(FIXED, power_metric_schema_version=2, power_valid=0, power_invalid_reasons=["a gap of 9 s"])
    assert made.flags == ("power_invalid",)
    assert made.facts["power"] == {"valid": False, "reasons": ["a gap of 9 s"]}


# Offload


@pytest.mark.parametrize(
    ("fields", "mode", "media"),
    [
        ({"kv_offloading": "none"}, "off", ()),
        ({"kv_offloading": "dram"}, "on", ("hbm", "host_dram")),
        ({"kv_offloading": "nvme"}, "on", ("hbm", "local_nvme")),
        ({"kv_offloading": "ssd"}, "on", ("hbm", "local_nvme")),
        ({"kv_offloading": "dram+nvme"}, "on", ("hbm", "host_dram", "local_nvme")),
        ({"kv_offloading": ["nvme", "dram"]}, "on", ("hbm", "host_dram", "local_nvme")),
        ({"kv_offloading": "somewhere"}, "on", ("hbm", "external")),
        ({"offload_mode": "on"}, "on", ("hbm", "external")),
        ({"offload_mode": "off"}, "off", ()),
        ({"offloading": "hicache"}, "on", ("hbm", "host_dram")),
        ({"offloading": "cpu"}, "on", ("hbm", "host_dram")),
        ({"offloading": "none"}, "off", ()),
        ({"kv_offload_backend": {"name": "native"}}, "unknown", ()),
        ({}, "unknown", ()),
    ],
)
def test_every_spelling_of_the_mode(fields: dict[str, Any], mode: str, media: tuple[str, ...]) -> None:
    offload = point({**without(FLAT, "offloading"), **fields}).offload
    assert (offload.mode, offload.media) == (mode, media)
    assert offload.has_halo is (mode == "on")


def test_the_canonical_mode_wins_and_a_field_that_disagrees_is_a_flag() -> None:
    made = point(FLAT, offload_mode="off", kv_offloading="dram", offloading="lmcache")
    assert made.offload.mode == "off"
    assert made.flags == ("mode_contradiction", "backend_while_off")


@pytest.mark.parametrize("backend", ["lmcache", {"name": "lmcache"}, {"name": "lmcache", "version": "0.5.3"}])
def test_a_backend_is_text_or_a_block(backend: Any) -> None:
    offload = point(NESTED, framework="vllm", kv_offload_backend=backend).offload
    assert (offload.backend, offload.backend_raw) == ("lmcache", "lmcache")
    assert offload.backend_version == (backend.get("version") if isinstance(backend, dict) else None)


@pytest.mark.parametrize(
    ("framework", "key"), [("vllm", "vllm-native"), ("trt", "trtllm-native"), ("dynamo-trt", "trtllm-native")]
)
def test_native_is_resolved_by_the_engine(framework: str, key: str) -> None:
    assert point(NESTED, framework=framework, kv_offload_backend={"name": "native"}).offload.backend == key


def test_host_memory_has_a_size_per_node_in_decimal_bytes() -> None:
    tiers = point(NESTED).offload.tiers
    assert [(tier.medium, tier.capacity_bytes, tier.scope) for tier in tiers] == [
        ("hbm", None, None),
        ("host_dram", 1_500_000_000_000, "per_node"),
    ]
    assert tiers[0].capacity_tokens == point(NESTED).metrics[HBM_POOL_TOKENS] == 2_000_000


def test_hisparse_is_ringed_and_is_not_prefix_reuse() -> None:
    offload = point(sample("inferencex_nested/dynamo_sglang_hisparse_under_another_name.json")).offload
    assert offload.has_halo
    assert offload.use == "sparse_decode"
    assert "sparse decode" in offload.label


def test_a_fixed_row_that_is_silent_is_off_by_default_until_a_name_says_otherwise() -> None:
    made = point(FIXED)
    assert (made.offload.mode, made.offload.evidence) == ("off", None)
    named = named_facts(made, document(FIXED, "dsr1_tp8_conc16_offloadssd_fp8.json"))
    assert (named.offload.mode, named.offload.media, named.offload.evidence) == ("on", ("hbm", "local_nvme"), "name")
    stated = named_facts(point(FIXED, kv_offloading="none"), document(FIXED, "x_offloadssd_y.json"))
    assert (stated.offload.mode, stated.offload.evidence) == ("off", "field")


def test_two_dialects_of_one_run_have_one_config() -> None:
    words = (
        "hw",
        "conc",
        "image",
        "model",
        "infmax_model_prefix",
        "framework",
        "precision",
        "spec_decoding",
        "tp",
        "ep",
    )
    same = {key: FLAT[key] for key in words}
    nested = point(NESTED, **same, num_gpus=None, kv_offload_backend={"name": "lmcache"}, dataset=None)
    assert identity(nested) == identity(point(FLAT, offloading="lmcache"))


def test_a_counter_that_fell_is_left_out_and_flagged() -> None:
    server = {**NESTED["server_metrics"], "cache": {"cached_tokens_by_source": {"device": 548000.0, "host": -1.0}}}
    cache = point(NESTED, server_metrics=server).cache
    assert [tier.medium for tier in cache.tiers] == ["hbm"]
    assert "counter_reset" in cache.flags


def test_a_usage_above_one_may_be_a_percentage_and_is_not_guessed_at() -> None:
    server = {**NESTED["server_metrics"], "kv_cache": {"gpu_usage_pct": 1.2}}
    made = point(NESTED, server_metrics=server)
    assert HBM_USAGE_MAX not in made.metrics
    assert made.warnings == (
        "server_metrics.kv_cache.gpu_usage_pct is 1.2, which is no fraction: read as not reported",
    )


# Whole files


def test_a_bad_row_does_not_cost_its_neighbours() -> None:
    readings = list(InferenceX().read(document([FIXED, {"hw": "h200"}, None, FLAT, 7, NESTED])))
    found = [reading.where for reading in readings if isinstance(reading, Found)]
    assert found == ["row 1", "row 4", "row 6"]
    assert [reading.where for reading in readings] == [f"row {number}" for number in range(1, 7)]


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        {"hw": "h200", "framework": "sglang", "task": "gsm8k", "score": 0.9, "isl": 1024, "conc": 4},
        {"hardware": "h200", "spec_method": "none", "metrics": {"tput_per_gpu": 1}},
        {"device": "h200", "tput_per_gpu": 1},
        ["hw", "tput_per_gpu"],
    ],
)
def test_other_json_is_not_claimed(value: Any) -> None:
    assert not InferenceX().claims(document(value))


def test_an_audit_finds_the_aggregate_in_its_own_folder() -> None:
    audit = sample("inferencex_power/power_validation_dsr1_fp8_h200_tp8_conc16.json")
    here = document(audit, "a/power_validation_dsr1_fp8_h200_tp8_conc16.json")

    def other(place: str) -> Document:
        return Document(place=place, resolved=f"/somewhere/{place}", name=Path(place).name, folders=(), data=b"")

    mine, theirs = other("a/agg_dsr1_fp8_h200_tp8_conc16.json"), other("b/agg_dsr1_fp8_h200_tp8_conc16.json")
    source = InferenceXPower()
    assert source.claims(here)
    assert not InferenceX().claims(here)
    assert source.completes(here, [theirs, mine, other("a/agg_bmk.json")]) == [mine]
    assert source.completes(here, [theirs]) == [theirs]
    assert source.completes(here, [other("a/agg_bmk.json")]) == []
