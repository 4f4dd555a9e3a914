"""Rows of the InferenceX API, tables, and pairs of metrics pages: chips, units, tiers, and what is no result."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog.metrics import (
    HBM_POOL_TOKENS,
    INPUT_TOKENS_MEAN,
    INTERACTIVITY_P50,
    OUTPUT_TPUT_PER_DECODE_CHIP,
    REQUESTS_OK,
    TOTAL_TPUT,
    TOTAL_TPUT_PER_CHIP,
    TTFT_MEAN_S,
)
from app.catalog.offload import Offload, kv_tiers
from app.catalog.point import Layout, Point, Role
from ingest.document import Document
from ingest.exposition import between, is_exposition, page_of
from ingest.finish import finish
from ingest.pipeline import ingest
from ingest.report import FileReport
from ingest.sources import SOURCES
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.inferencex_result_name import result_name
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT, TPUT_PER_CHIP
from ingest.sources.prometheus_pair import PrometheusPair
from ingest.strangers import stranger
from tests.test_serving_benches import VLLM
from tests.test_sources import document_of

METRICS: dict[str, Any] = {
    "median_ttft": 0.2,
    "p99_ttft": 0.9,
    "median_tpot": 0.0125,
    "p99_tpot": 0.02,
    "median_intvty": 80.0,
    "p99_intvty": 50.0,
    "std_intvty": 7170.0,
    "tput_per_gpu": 500.0,
    "output_tput_per_gpu": 250.0,
    "input_tput_per_gpu": 250.0,
}
ROW: dict[str, Any] = {
    "hardware": "b300",
    "framework": "sglang",
    "model": "dsr1",
    "precision": "fp8",
    "spec_method": "none",
    "disagg": False,
    "is_multinode": False,
    "prefill_tp": 8,
    "prefill_ep": 8,
    "prefill_dp_attention": True,
    "prefill_num_workers": 0,
    "decode_tp": 8,
    "decode_ep": 8,
    "decode_dp_attention": True,
    "decode_num_workers": 0,
    "num_prefill_gpu": 64,
    "num_decode_gpu": 64,
    "isl": 1024,
    "osl": 1024,
    "conc": 32,
    "workers": None,
    "date": "2026-05-04",
    "run_url": "https://github.com/example/bench/actions/runs/20250504001/attempts/3",
}


def row(metrics: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    return {**ROW, **changes, "metrics": {**METRICS, **(metrics or {})}}


def document(content: str | list[Any] | dict[str, Any], name: str = "file") -> Document:
    data = content if isinstance(content, str) else json.dumps(content)
    return Document(place=name, resolved=f"/runs/{name}", name=name, folders=(), data=data.encode())


def readings(file: Document) -> list[Reading]:
    (source,) = [source for source in SOURCES if source.claims(file)]
    assert source.role == "results"
    return list(source.read(file))


def points(file: Document) -> list[Point]:
    return [finish(reading.point) for reading in readings(file) if isinstance(reading, Found)]


def point(value: dict[str, Any]) -> Point:
    (made,) = points(document([value]))
    return made


def refusals(file: Document) -> list[str]:
    return [reading.reason for reading in readings(file) if isinstance(reading, Refused)]


# Rows of the API


def test_chips_of_one_node_are_its_parallelism_and_never_what_is_served() -> None:
    made = point(row())
    assert made.chip_count == 8
    assert made.metrics[TOTAL_TPUT] == 4000
    assert made.facts["chips_as_served"] == {"prefill": 64, "decode": 64}
    assert (made.layout.whole and made.layout.whole.ep, made.layout.decode) == (8, None)
    assert "chips_as_served" not in point(row(prefill_ep=1, num_prefill_gpu=8, num_decode_gpu=8)).facts


def test_pipeline_and_context_parallelism_multiply_and_decode_context_does_not() -> None:
    assert point(row({"pp": 2, "pcp_size": 2, "dcp_size": 4})).chip_count == 32


def test_power_of_all_boards_over_power_of_one_confirms_the_chips() -> None:
    power = {"power_metric_schema_version": 2, "power_valid": 1, "avg_power_w": 650.0}
    assert point(row({**power, "avg_total_gpu_power_w": 5200.0})).flags == ()
    assert "chip_count_disputed" in point(row({**power, "avg_total_gpu_power_w": 2600.0})).flags


def test_several_nodes_count_by_role_and_roles_are_brought_back_to_all_chips() -> None:
    roles = {"disagg": True, "is_multinode": True, "num_prefill_gpu": 4, "num_decode_gpu": 12, "prefill_tp": 4}
    made = point(row({"tput_per_gpu": 500.0, "input_tput_per_gpu": 1000.0, "output_tput_per_gpu": 1000 / 3}, **roles))
    assert made.chip_count == 16
    assert made.metrics[TPUT_PER_CHIP["output"]] == pytest.approx(250)
    assert made.metrics[OUTPUT_TPUT_PER_DECODE_CHIP] == pytest.approx(1000 / 3)
    assert "disagg_identity_violated" not in made.flags


def test_an_aggregated_deployment_over_nodes_takes_its_stated_count_and_adds_no_roles() -> None:
    nodes = {"is_multinode": True, "prefill_tp": 1, "prefill_ep": 8, "num_prefill_gpu": 8, "num_decode_gpu": 0}
    assert point(row(**nodes)).chip_count == 8
    assert point(row(**{**nodes, "num_decode_gpu": 8})).chip_count == 8


def test_two_roles_on_one_node_share_its_chips_and_say_that_this_is_disputed() -> None:
    made = point(row(disagg=True, num_prefill_gpu=8, num_decode_gpu=8))
    assert made.chip_count == 8
    assert "chip_count_disputed" in made.flags


def test_interactivity_is_worked_out_anew_and_the_inverse_of_a_deviation_is_no_metric() -> None:
    made = point(row({"median_intvty": 999.0}))
    assert made.metrics[INTERACTIVITY["p50"]] == 80
    assert made.metrics[INTERACTIVITY["p99"]] == 50
    assert 7170 not in made.metrics.values()


@pytest.mark.parametrize(
    ("changes", "run"),
    [
        ({}, "20250504001-3"),
        ({"run_url": "https://github.com/example/bench/actions/runs/77"}, "77"),
        ({"run_url": None, "curve_workflow_run_id": "2401"}, "curve-2401"),
        ({"run_url": None}, "2026-05-04"),
        ({"run_url": None, "date": None}, None),
    ],
)
def test_the_run_is_that_of_the_workflow_else_of_the_day(changes: dict[str, Any], run: str | None) -> None:
    assert point(row(**changes)).run == run


def test_the_day_is_the_time_of_the_run_and_what_is_no_day_is_told() -> None:
    assert point(row()).run_time == "2026-05-04"
    made = point(row(date="yesterday"))
    assert made.run_time is None
    assert any("yesterday" in warning for warning in made.warnings)


@pytest.mark.parametrize("name", [440994, "440994", None])
def test_an_id_is_a_number_or_text_or_absent(name: Any) -> None:
    assert point(row(id=name)).facts.get("id") == name


def test_agentic_rows_turn_itl_around_and_keep_only_the_median_of_a_stated_pace() -> None:
    agentic = {"benchmark_type": "agentic_traces", "isl": None, "osl": None}
    without = {"median_tpot": None, "p99_tpot": None}
    made = point(row({**without, "p90_itl": 0.05, "p90_intvty": 45.0, "p90_ttlt": 140.0}, **agentic))
    assert (made.workload, made.interactivity_def) == ("agentic", "1/itl")
    assert made.metrics[INTERACTIVITY["p90"]] == 20
    assert made.metrics[LATENCY["e2el"]["p90"]] == 140
    stated = point(row({**without, "p90_intvty": 45.0}, **agentic))
    assert {key for key in INTERACTIVITY.values() if key in stated.metrics} == {INTERACTIVITY_P50}
    assert "as_reported" in stated.flags


AGENTIC_ON = {"benchmark_type": "agentic_traces", "isl": None, "osl": None, "offload_mode": "on"}


def test_offload_with_its_backend_and_rates_by_tier() -> None:
    rates = {"server_gpu_cache_hit_rate": 0.55, "server_cpu_cache_hit_rate": 0.4, "server_overall_cache_hit_rate": 0.97}
    said = {"kv_offloading": "dram", "kv_offload_backend": "hicache", "kv_offload_backend_version": "1.2"}
    made = point(row({**rates, **said, "kv_cache_pool_tokens": 730_000}, **AGENTIC_ON))
    assert made.offload.media == ("hbm", "host_dram")
    assert (made.offload.backend, made.offload.backend_version) == ("hicache", "1.2")
    shares = {tier.medium: round(tier.share or 0, 6) for tier in made.cache.tiers}
    assert shares == {"hbm": 0.55, "host_dram": 0.4, "unattributed": 0.02}
    assert made.metrics[HBM_POOL_TOKENS] == 730_000


def test_offload_as_a_list_is_a_set_of_tiers() -> None:
    made = point(row({"kv_offloading": ["dram", "nvme"], "kv_offload_backend": "lmcache"}, **AGENTIC_ON))
    assert made.offload.media == ("hbm", "host_dram", "local_nvme")


def test_a_combined_rate_is_no_rate_of_hbm_and_overlapping_ones_are_told_apart() -> None:
    rate = {"server_gpu_cache_hit_rate": 0.9}
    trt = point(row({**rate, "kv_offload_backend": "native"}, framework="trt", **AGENTIC_ON))
    assert [tier.medium for tier in trt.cache.tiers] == ["unattributed"]
    atom = point(row({**rate, "server_cpu_cache_hit_rate": 0.3}, framework="atom", **AGENTIC_ON))
    shares = {tier.medium: tier.share for tier in atom.cache.tiers}
    assert shares == {"hbm": pytest.approx(0.6), "host_dram": 0.3}
    assert atom.cache.cached_share == pytest.approx(0.9)


def test_a_rate_below_hbm_with_offload_off_is_not_shown() -> None:
    off = {**AGENTIC_ON, "offload_mode": "off"}
    made = point(row({"server_gpu_cache_hit_rate": 0.5, "server_cpu_cache_hit_rate": 0.12}, **off))
    assert [tier.medium for tier in made.cache.tiers] == ["hbm"]
    assert "stale_tier_rate" in made.cache.flags


def test_a_rate_of_zero_is_zero_and_an_absent_one_absent() -> None:
    made = point(row({"server_gpu_cache_hit_rate": 0.0}, **{**AGENTIC_ON, "offload_mode": "off"}))
    assert [tier.share for tier in made.cache.tiers] == [0.0]
    assert point(row(**AGENTIC_ON)).cache.tiers == ()


@pytest.mark.parametrize(
    ("metrics", "words"),
    [
        ({"tput_per_gpu": None}, "no throughput"),
        ({"tput_per_gpu": 0}, "above zero"),
        ({"tput_per_gpu": "inf"}, "no throughput"),
        ({"median_tpot": 0.0}, "no pace"),
        ({"median_tpot": -0.01}, "no pace"),
        ({"num_requests_successful": 0}, "no request succeeded"),
        ({"benchmark_outcome": {"status": "failed", "completed": 3, "requested": 100}}, "marked as failed"),
    ],
)
def test_a_row_that_measured_nothing_is_refused_and_costs_no_other(metrics: dict[str, Any], words: str) -> None:
    file = document([row(), row(metrics), row(conc=64)])
    (reason,) = refusals(file)
    assert words in reason
    assert [made.concurrency for made in points(file)] == [32, 64]


def test_numbers_as_text_are_numbers() -> None:
    texts = {key: str(value) for key, value in METRICS.items()}
    changed = row(texts, conc="32", prefill_tp="8", isl="1024")
    assert point(changed).metrics == point(row()).metrics


def test_lists_by_model_are_read_with_the_name_of_their_model() -> None:
    file = document({"DeepSeek-R1-0528": [row(), "no row"], "GLM-5": [row(model="glm5")]})
    assert [reading.where for reading in readings(file)] == [
        "DeepSeek-R1-0528, row 1",
        "DeepSeek-R1-0528, row 2",
        "GLM-5, row 1",
    ]
    assert len(refusals(file)) == 1


# The site's export

COLUMNS = (
    "Model,ISL,OSL,Hardware,Hardware Key,Framework,Precision,TP,Concurrency,Date,Throughput/GPU (tok/s),"
    "Output Throughput/GPU (tok/s),Input Throughput/GPU (tok/s),Median TTFT (ms),Median TPOT (ms),"
    "Median Interactivity (tok/s/user),Disaggregated,Num Prefill GPUs,Num Decode GPUs,Spec Decoding,EP,DP Attention,"
    "Is Multinode"
)
CELLS = {
    **dict.fromkeys(COLUMNS.split(","), ""),
    "Model": "DeepSeek-R1-0528",
    "ISL": "1024",
    "OSL": "1024",
    "Hardware": "h200",
    "Hardware Key": "h200_sglang",
    "Framework": "sglang",
    "Precision": "fp8",
    "TP": "8",
    "Concurrency": "4",
    "Date": "2026-06-02",
    "Throughput/GPU (tok/s)": "100",
    "Output Throughput/GPU (tok/s)": "50",
    "Input Throughput/GPU (tok/s)": "50",
    "Median TTFT (ms)": "0.08",
    "Median TPOT (ms)": "0.01",
    "Median Interactivity (tok/s/user)": "100",
    "Disaggregated": "false",
    "Spec Decoding": "none",
    "EP": "1",
    "DP Attention": "false",
    "Is Multinode": "false",
}


def export(*changes: dict[str, str], header: str = COLUMNS) -> Document:
    text = io.StringIO("# License\n# Copyright\n# Attribution\n", newline="")
    text.seek(0, io.SEEK_END)
    writer = csv.writer(text)
    writer.writerow(header.split(","))
    for change in changes:
        writer.writerow({**CELLS, **change}.values())
    return document(text.getvalue(), "InferenceX_export.csv")


def test_seconds_headed_ms_are_read_as_seconds_with_a_flag() -> None:
    (made,) = points(export({}))
    assert made.metrics[LATENCY["tpot"]["p50"]] == 0.01
    assert made.metrics[LATENCY["ttft"]["p50"]] == 0.08
    assert made.metrics[INTERACTIVITY_P50] == 100
    assert "unit_corrected" in made.flags


@pytest.mark.parametrize(
    ("tpot", "pace", "seconds", "corrected"),
    [
        ("10", "100", 0.01, False),
        ("10", "", 0.01, False),
        ("0.01", "", 0.01, True),
        ("0.8", "1250", 0.0008, False),
        ("0.8", "1.25", 0.8, True),
    ],
)
def test_milliseconds_stay_so_where_they_are(tpot: str, pace: str, seconds: float, corrected: bool) -> None:
    (made,) = points(export({"Median TPOT (ms)": tpot, "Median Interactivity (tok/s/user)": pace}))
    assert made.metrics[LATENCY["tpot"]["p50"]] == pytest.approx(seconds)
    assert ("unit_corrected" in made.flags) is corrected


def test_a_header_that_says_seconds_is_obeyed_without_a_flag() -> None:
    (made,) = points(export({}, header=COLUMNS.replace("(ms)", "(s)")))
    assert made.metrics[INTERACTIVITY_P50] == 100
    assert "unit_corrected" not in made.flags


def test_an_empty_cell_is_absent_and_a_hardware_key_names_its_chip() -> None:
    (made,) = points(export({"Hardware": "", "Hardware Key": "mi355x_sglang", "Median TTFT (ms)": ""}))
    assert made.chip == "mi355x"
    assert LATENCY["ttft"]["p50"] not in made.metrics


def test_chips_of_an_export_are_counted_as_those_of_the_api() -> None:
    (single,) = points(export({"EP": "8", "Num Prefill GPUs": "64", "Num Decode GPUs": "64"}))
    assert single.chip_count == 8
    roles = {"Disaggregated": "true", "Is Multinode": "true", "Num Prefill GPUs": "8", "Num Decode GPUs": "8"}
    (multi,) = points(export({**roles, "Throughput/GPU (tok/s)": "100"} | {"Output Throughput/GPU (tok/s)": "150"}))
    assert multi.chip_count == 16
    assert multi.metrics[TPUT_PER_CHIP["output"]] == 75


def test_a_line_that_is_cut_off_is_refused_by_its_number() -> None:
    text = export({}, {"Concurrency": "8"}).text.rstrip()
    file = document(text[:-60], "cut.csv")
    assert [reading.where for reading in readings(file)] == ["line 5", "line 6"]
    (reason,) = refusals(file)
    assert "cut off" in reason


# Summaries of agentic sweeps


def test_a_name_of_a_result_gives_what_its_summary_lacks() -> None:
    found = result_name(
        "agentic_qwen3.5_tp4_conc16_offloadnone_fp8_sglang_tp4-ep1-dpafalse_disagg-false_spec-mtp_conc16_mi355x-amds_02"
    )
    assert (found["hw"], found["precision"], found["framework"], found["tp"]) == ("mi355x-amds_02", "fp8", "sglang", 4)
    assert (found["infmax_model_prefix"], found["spec_decoding"]) == ("qwen3.5", "mtp")
    assert result_name("a run by hand") == {}


def test_no_name_of_a_home_folder_is_kept(shared_data: Path) -> None:
    (path,) = (shared_data / "inferencex_agentic_summary_csv").glob("*published*")
    made = points(document_of(path))
    assert len(made) == 8
    assert b"/Users/" in path.read_bytes()
    assert not any("/Users/" in json.dumps([each.raw, each.facts, each.spellings]) for each in made)
    assert {each.run for each in made} == {"29820102138"}


def test_latency_per_token_of_a_summary_is_the_itl_of_the_aggregates(shared_data: Path) -> None:
    """The same run stands in the aggregates with all digits."""
    (path,) = (shared_data / "inferencex_agentic_summary_csv").glob("*faulty*hicache__*")
    (made,) = [each for each in points(document_of(path)) if each.concurrency == 16 and each.offload.mode == "on"]
    assert made.interactivity_def == "1/itl"
    assert made.metrics[INTERACTIVITY["p90"]] == pytest.approx(1 / 0.038705873528214724, rel=1e-3)
    assert made.metrics[TOTAL_TPUT] == pytest.approx(25314.093172863482, rel=1e-6)
    assert (made.chip, made.chip_count, made.model, made.precision) == ("mi355x", 4, "qwen3.5", "fp8")


# Comparisons of caches

COMPARE = "iteration,input_len,cache_type,mean_ttft_ms,mean_itl_ms,total_token_throughput\n"


def compared(word: str) -> Point:
    (made,) = points(document(f"{COMPARE}1,1000,{word},200,20,5000\n"))
    return made


@pytest.mark.parametrize(
    ("word", "mode", "media"),
    [
        ("none", "off", ()),
        ("cpu", "on", ("hbm", "host_dram")),
        ("cpu-cpu", "on", ("hbm", "host_dram")),
        ("disk", "on", ("hbm", "host_dram", "local_nvme")),
        ("disk-arcc-400g", "on", ("hbm", "host_dram", "local_nvme")),
        ("gds-800g", "on", ("hbm", "external")),
    ],
)
def test_a_kind_of_cache_is_a_mode_and_its_tiers(word: str, mode: str, media: tuple[str, ...]) -> None:
    made = compared(word)
    assert (made.offload.mode, made.offload.media, made.offload.evidence) == (mode, media, "field")


def test_gds_is_an_access_path_that_nobody_verified() -> None:
    made = compared("gds-800g")
    assert (made.offload.access_path, made.offload.gds) == ("gds_cufile", "requested_unverified")
    assert compared("disk").offload.access_path is None


def test_the_cold_iteration_is_marked_and_no_other_and_nothing_is_averaged() -> None:
    rows = "".join(
        f"{i},{size},{word},{ttft},20,{1e6 / ttft}\n"
        for word in ("none", "cpu")
        for size in (100, 1000)
        for i, ttft in ((1, 800), (2, 200), (3, 250))
    )
    made = points(document(COMPARE + rows))
    assert Counter((each.iteration, each.cold) for each in made) == {(1, True): 4, (2, False): 4, (3, False): 4}
    assert {each.metrics[TTFT_MEAN_S] for each in made} == {0.8, 0.2, 0.25}
    assert all(("cold_iteration" in each.flags) is each.cold for each in made)


def test_what_a_comparison_lacks_is_named_and_no_latency_of_zero_is_measured() -> None:
    made = points(document(f"{COMPARE}2,1000,cpu,200,0.0,5000\n"))[0]
    assert {"model", "chip", "chip_count", "concurrency", "workload"} <= set(made.needs)
    assert made.interactivity_def is None
    assert TOTAL_TPUT_PER_CHIP not in made.metrics


# Pairs of metrics pages


def page(engine: str, counters: Mapping[str, float], start: float = 1_780_000_000.0) -> str:
    lines = ["# TYPE process_start_time_seconds gauge", f"process_start_time_seconds {start}"]
    for name, value in counters.items():
        plain = name.partition("{")[0]
        lines += [f"# TYPE {engine}{plain} {'counter' if plain.endswith('_total') else 'gauge'}"]
        lines += [f"{engine}{name} {value!r}"]
    return "\n".join(lines) + "\n"


def pages(engine: str, grown: Mapping[str, float]) -> tuple[Document, Document]:
    """Pages from before and after, between which the counters grew by so much."""
    before = dict.fromkeys(grown, 50.0)
    after = {name: 50.0 + value for name, value in grown.items()}
    return document(page(engine, before), "run.m0"), document(page(engine, after), "run.m1")


ON = Offload(
    mode="on", kinds=("kv",), backend="vllm-native", tiers=kv_tiers("vllm-native", ["host_dram"]), evidence="field"
)


def completed(engine: str, grown: Mapping[str, float], point: Point | None = None) -> Point:
    before, after = pages(engine, grown)
    pair = PrometheusPair()
    assert pair.claims(before)
    assert pair.partner(before, [before, after]) is after
    start = point or Point(dialect="test", offload=ON)
    return pair.complete_with(before, after, pair.complete_with(after, before, start))


def shares(point: Point) -> dict[str, float]:
    return {tier.medium: tier.share for tier in point.cache.tiers if tier.share is not None}


def test_vllm_by_source() -> None:
    source = 'prompt_tokens_by_source_total{{source="{}"}}'
    grown = {source.format("local_compute"): 200, source.format("local_cache_hit"): 600}
    made = completed("vllm:", {**grown, source.format("external_kv_transfer"): 200})
    assert shares(made) == {"hbm": 0.6, "host_dram": 0.2}
    assert (made.engine, made.cache.prompt_tokens, made.cache.computed_share) == ("vllm", 1000, 0.2)


@pytest.mark.parametrize(("queries", "flag"), [(1000, "ext_queries_all_prompt"), (400, "ext_queries_conditional")])
def test_vllm_without_sources(queries: int, flag: str) -> None:
    made = completed(
        "vllm:",
        {
            "prompt_tokens_total": 1000,
            "prefix_cache_hits_total": 600,
            "prefix_cache_queries_total": 1000,
            "external_prefix_cache_hits_total": 200,
            "external_prefix_cache_queries_total": queries,
        },
    )
    assert shares(made) == {"hbm": 0.6, "host_dram": 0.2}
    assert flag in made.cache.flags


def test_sglang_with_storage_and_tokens_of_no_source() -> None:
    cached = 'cached_tokens_total{{cache_source="{}"}}'
    amounts = {"device": 500, "host": 100, "storage_HiCacheFile": 150, "total": 50}
    grown = {cached.format(name): amount for name, amount in amounts.items()}
    made = completed("sglang:", {"prompt_tokens_total": 1000, **grown})
    assert shares(made) == {"hbm": 0.5, "host_dram": 0.1, "local_nvme": 0.15, "unattributed": 0.05}
    assert made.cache.cached_share == pytest.approx(0.8)


def test_atom_whose_hits_hold_what_was_loaded() -> None:
    made = completed(
        "atom:",
        {
            "prefix_cache_full_tokens_total": 1000,
            "prefix_cache_cached_tokens_total": 900,
            "lmcache_loaded_tokens_total": 300,
        },
    )
    assert shares(made) == {"hbm": 0.6, "host_dram": 0.3}
    assert made.cache.cached_share == pytest.approx(0.9)


def test_trtllm_whose_rate_is_of_both_pools() -> None:
    made = completed("trtllm_", {"kv_cache_reused_blocks_total": 900, "kv_cache_missed_blocks_total": 100})
    assert [(tier.medium, tier.share) for tier in made.cache.tiers] == [("unattributed", 0.9)]
    assert "combined_rate" in made.cache.flags


def test_dynamo_whose_frontend_alone_is_watched() -> None:
    text = (
        "# TYPE dynamo_frontend_input_sequence_tokens histogram\n"
        'dynamo_frontend_input_sequence_tokens_bucket{{le="+Inf"}} 4\n'
        "dynamo_frontend_input_sequence_tokens_sum {}\n"
        "dynamo_frontend_input_sequence_tokens_count 4\n"
        "# TYPE dynamo_frontend_cached_tokens histogram\n"
        "dynamo_frontend_cached_tokens_sum {}\n"
        "# TYPE kvbm_host_cache_hit_rate gauge\n"
        "kvbm_host_cache_hit_rate 0.5\n"
    )
    before, after = document(text.format(0, 0), "x.m0"), document(text.format(1000, 700), "x.m1")
    made = PrometheusPair().complete_with(before, after, Point(dialect="test", offload=ON))
    assert shares(made) == {"unattributed": 0.7}
    assert [(rate.name, rate.denominator) for rate in made.cache.other_rates] == [
        ("kvbm_host_cache_hit_rate", "sliding_window")
    ]


def test_lmcache_counts_what_hbm_holds_too_so_its_rate_stays_beside() -> None:
    vllm, lmcache = "vllm:prompt_tokens_total", "lmcache:num_lookup_tokens_total"
    grown = {
        vllm: 1000,
        "vllm:prefix_cache_hits_total": 600,
        "vllm:external_prefix_cache_hits_total": 200,
        lmcache: 1000,
        "lmcache:num_lookup_hits_total": 800,
        "lmcache_mp_lookup_requested_tokens_total": 400,
        "lmcache_mp_lookup_hit_tokens_total": 200,
    }
    made = completed("", grown)
    assert shares(made) == {"hbm": 0.6, "host_dram": 0.2}
    assert {rate.provenance: rate.value for rate in made.cache.other_rates if "lookup" in rate.name} == {
        "LMCache hit / lookup tokens": 0.8,
        "LMCache MP hit / lookup tokens": 0.5,
    }


def test_a_counter_that_ran_backwards_is_left_out_and_told() -> None:
    made = completed("vllm:", {"prompt_tokens_total": 1000, "prefix_cache_hits_total": -20})
    assert shares(made) == {}
    assert "counter_reset" in made.cache.flags


def test_a_process_that_began_anew_gives_no_shares() -> None:
    before = document(page("vllm:", {"prompt_tokens_total": 0.0, "prefix_cache_hits_total": 0.0}), "run.m0")
    after = page("vllm:", {"prompt_tokens_total": 1000.0, "prefix_cache_hits_total": 500.0}, start=1_780_000_900.0)
    made = PrometheusPair().complete_with(before, document(after, "run.m1"), Point(dialect="test", offload=ON))
    assert shares(made) == {}
    assert made.cache.flags == ("counter_reset",)
    assert made.cache.counters["vllm:prompt_tokens"] == 1000


def test_a_series_that_first_occurs_during_the_run_began_at_zero() -> None:
    before = page_of(page("vllm:", {"prompt_tokens_total": 10.0}))
    after = page_of(page("vllm:", {"prompt_tokens_total": 110.0, 'request_success_total{reason="stop"}': 4.0}))
    scrape = between(before, after)
    assert (scrape.total("vllm:prompt_tokens"), scrape.total("vllm:request_success")) == (100, 4)


def test_what_came_by_transfer_from_prefill_is_no_hit() -> None:
    source = 'prompt_tokens_by_source_total{{source="{}"}}'
    grown = {source.format("local_compute"): 200, source.format("local_cache_hit"): 600}
    apart = Layout(prefill=Role(chips=4), decode=Role(chips=4), disaggregated=True)
    made = completed(
        "vllm:",
        {**grown, source.format("external_kv_transfer"): 200},
        Point(dialect="test", layout=apart, offload=Offload(mode="off", evidence="field")),
    )
    assert "external_includes_pd" in made.cache.flags
    assert "host_dram" not in shares(made)


def test_a_point_keeps_the_counters_of_its_own_record() -> None:
    own = completed("vllm:", {"prompt_tokens_total": 1000, "prefix_cache_hits_total": 600})
    again = completed("vllm:", {"prompt_tokens_total": 1000, "prefix_cache_hits_total": 100}, own)
    assert again.cache == own.cache


def test_counters_of_more_than_this_run_are_not_used() -> None:
    own = Point(dialect="test", offload=ON, metrics={INPUT_TOKENS_MEAN: 10.0, REQUESTS_OK: 10.0})
    made = completed("vllm:", {"prompt_tokens_total": 1000, "prefix_cache_hits_total": 600}, own)
    assert made.cache.tiers == ()
    assert "other requests" in made.warnings[0]
    close = replace(own, metrics={INPUT_TOKENS_MEAN: 90.0, REQUESTS_OK: 10.0})
    assert shares(completed("vllm:", {"prompt_tokens_total": 1000, "prefix_cache_hits_total": 600}, close))


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("# HELP a b\n# TYPE a counter\na 1\n", True),
        ('a{b="c"} 1\na{b="d, \\"e\\" }"} NaN\nb 2e+09 1780000000000\n', True),
        ("a,b,c\n1,2,3\n4,5,6\n", False),
        ("# a title\nsome words about a run\nand more\n", False),
        ("", False),
        ("alpha 1\n", False),
    ],
)
def test_a_page_is_told_by_its_content(text: str, claimed: bool) -> None:
    assert is_exposition(text.encode()) is claimed


def by_name(paths: list[Path], store: Path) -> Iterator[tuple[str, FileReport]]:
    for file in ingest(paths, store).files:
        yield Path(file.path).name, file


def write_pair(folder: Path, names: tuple[str, str], tokens: int = 102_400) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    before, after = pages("vllm:", {"prompt_tokens_total": tokens, "prefix_cache_hits_total": tokens // 2})
    (folder / names[0]).write_bytes(before.data)
    (folder / names[1]).write_bytes(after.data)


def test_a_pair_completes_the_run_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    write_pair(folder, ("metrics_before.txt", "metrics_after.txt"))
    (folder / "result.json").write_text(json.dumps(VLLM))
    files = dict(by_name([folder], tmp_path / "db"))
    assert {name: file.role for name, file in files.items()} == {
        "metrics_after.txt": "companion",
        "metrics_before.txt": "companion",
        "result.json": "results",
    }
    assert files["metrics_after.txt"].of == files["result.json"].path


def test_several_runs_of_a_folder_have_pairs_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    write_pair(folder, ("sweep_c1.m0", "sweep_c1.m1"))
    (folder / "sweep_c1.json").write_text(json.dumps(VLLM | {"max_concurrency": 1}))
    (folder / "sweep_c128.json").write_text(json.dumps(VLLM | {"max_concurrency": 128}))
    files = dict(by_name([folder], tmp_path / "db"))
    assert files["sweep_c1.m1"].of == files["sweep_c1.json"].path
    assert not files["sweep_c1.m1"].warnings


def test_a_pair_without_a_run_and_a_half_without_the_other_are_ignored_with_a_reason(tmp_path: Path) -> None:
    write_pair(tmp_path / "alone", ("run.m0", "run.m1"))
    write_pair(tmp_path / "half", ("run.m0", "other.m1"))
    (tmp_path / "half" / "result.json").write_text(json.dumps(VLLM))
    (tmp_path / "half" / "metrics.prom").write_text(page("vllm:", {"prompt_tokens_total": 5.0}))
    files = {(Path(file.path).parent.name, Path(file.path).name): file for file in ingest([tmp_path], tmp_path).files}
    assert "not among these files" in files["alone", "run.m1"].warnings[0]
    assert "marked m0: the half marked m1 does not lie beside it" in files["half", "run.m0"].warnings[0]
    assert "known by its names" in files["half", "metrics.prom"].warnings[0]
    assert {file.role for key, file in files.items() if key[1] != "result.json"} == {"ignored"}


# What is no result


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([{"hardware": "b200", "spec_method": "none", "task": "gsm8k", "metrics": {"n_eff": 9}}], "accuracy"),
        ([{"hardware": "b200", "spec_method": "none", "date": "2026-01-01", "model": "dsr1"}], "without the results"),
        ({"runs": [], "changelogs": []}, "workflow"),
        ({"b200": {"n_success": 0, "total": 1}, "h200": {"n_success": 1, "total": 1}}, "which jobs succeeded"),
        ({"X": [{"Conc": 1, "Interactivity_tok_s_user": 40, "Median_TTFT_ms": 1.9}]}, "one chart"),
        ('window.BENCHMARK_DATA = {"entries": {}}', "dashboard"),
        ("timestamp, index, power.draw [W], utilization.gpu [%]\n2026/06/10 20:34:26.165, 0, 76.10 W, 0 %\n", "power"),
        ("2026/06/09 22:06:40.939, 0, 226.37, 0, 33, 243826\n", "power"),
    ],
)
def test_what_lies_beside_results_is_named(content: Any, words: str) -> None:
    file = document(content)
    assert not [source.key for source in SOURCES if source.claims(file)]
    assert words in (stranger(file) or "")


# Real files


@pytest.mark.parametrize(
    ("folder", "found", "refused"),
    [
        ("inferencex_api_rows", 1462, 0),
        ("inferencex_api_rows_2026_09", 2, 0),
        ("inferencex_api_rows_synthetic", 34, 0),
        ("inferencex_site_csv_export", 5, 0),
        ("inferencex_agentic_summary_csv", 94, 0),
        ("offload_compare_csv", 2240, 0),
    ],
)
def test_every_record_of_a_folder_is_found_or_refused(shared_data: Path, folder: str, found: int, refused: int) -> None:
    files = [document_of(path) for path in sorted((shared_data / folder).iterdir())]
    claimed = [file for file in files if any(source.claims(file) for source in SOURCES)]
    assert all(stranger(file) for file in files if file not in claimed)
    read = [reading for file in claimed for reading in readings(file)]
    assert sum(isinstance(reading, Found) for reading in read) == found
    assert sum(isinstance(reading, Refused) for reading in read) == refused


@pytest.mark.parametrize(
    "folder", ["inferencex_api_other", "gpu_power_csv", "inferencex_run_stats", "atom_dashboard", "prometheus_text"]
)
def test_a_folder_without_results_says_why(shared_data: Path, folder: str, tmp_path: Path) -> None:
    for file in ingest([shared_data / folder], tmp_path).files:
        (sentence,) = [reason for _, reason in file.refused] + file.warnings
        assert sentence.startswith(("no result: ", "one half of a pair"))


def test_a_third_of_the_rows_of_one_node_were_served_with_chips_that_no_node_has(shared_data: Path) -> None:
    (path,) = (shared_data / "inferencex_api_rows").glob("*history*")
    made = points(document_of(path))
    single = [each for each in made if each.layout.multinode is False]
    wrong = [each for each in single if "chips_as_served" in each.facts]
    assert (len(single), len(wrong)) == (1027, 336)
    assert max(each.chip_count or 0 for each in single) == 8
    assert not [each for each in made if "disagg_identity_violated" in each.flags]


def test_the_row_whose_power_proves_eight_chips(shared_data: Path) -> None:
    (path,) = (shared_data / "inferencex_api_rows_2026_09").iterdir()
    (made,) = [each for each in points(document_of(path)) if each.facts["id"] == "440994"]
    assert made.chip_count == 8
    assert made.facts["chips_as_served"] == {"prefill": 64, "decode": 64}
    assert made.metrics[TOTAL_TPUT_PER_CHIP] == pytest.approx(1449.6199, abs=1e-4)
    assert made.metrics[INTERACTIVITY_P50] == pytest.approx(20.0535, abs=1e-4)
    assert made.metrics[HBM_POOL_TOKENS] == 375_856
    assert made.facts["power"]["boards"] == pytest.approx(8, abs=0.01)


def test_the_export_whose_header_says_ms(shared_data: Path) -> None:
    (path,) = (shared_data / "inferencex_site_csv_export").iterdir()
    (made,) = [each for each in points(document_of(path)) if each.concurrency == 4]
    assert made.chip_count == 8
    assert made.metrics[TOTAL_TPUT_PER_CHIP] == pytest.approx(98.8286, abs=1e-4)
    assert made.metrics[LATENCY["tpot"]["p50"]] == pytest.approx(0.00973, abs=1e-5)
    assert made.metrics[INTERACTIVITY_P50] == pytest.approx(102.776, abs=1e-3)
    assert "unit_corrected" in made.flags


def test_the_cold_iteration_of_a_real_comparison(shared_data: Path) -> None:
    (path,) = (shared_data / "offload_compare_csv").glob("*0822*")
    first, second, *_ = points(document_of(path))
    assert (first.cold, second.cold, first.offload.mode) == (True, False, "off")
    assert first.metrics[TTFT_MEAN_S] == pytest.approx(0.807, abs=1e-3)
    assert second.metrics[TTFT_MEAN_S] == pytest.approx(0.203, abs=1e-3)
    assert second.metrics[TPUT["total"]] == pytest.approx(1620.15, abs=0.01)
