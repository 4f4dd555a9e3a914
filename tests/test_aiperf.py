"""AIPerf run directories: which file is the result, what the others add, and the numbers of real runs."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog.metrics import (
    CACHED_SHARE,
    CEILING_SHARE,
    COMPUTED_SHARE,
    HBM_POOL_TOKENS,
    HBM_USAGE_MAX,
    INTERACTIVITY_P90,
    REQUESTS_FAILED,
    REQUESTS_OK,
    TOTAL_TPUT,
    TTFT_MEAN_S,
)
from app.catalog.offload import TIERS, Offload
from app.catalog.point import Json, Layout, Point
from app.store.read import Store
from app.store.select import Selection
from ingest.document import Document
from ingest.engine_counters import cache_of
from ingest.invariants import Setting
from ingest.pipeline import ingest
from ingest.scrape import Scrape, Series
from ingest.settling import settled
from ingest.sources.aiperf import AIPerf, kind_of
from ingest.sources.aiperf_artifacts import AIPerfArtifacts
from ingest.sources.aiperf_files import stream
from ingest.sources.aiperf_files.telemetry import FLAG
from ingest.sources.aiperf_server import AIPerfServerMetrics
from ingest.sources.base import Found, Refused
from ingest.sources.companions import beside
from ingest.sources.measures import E2E_INTERACTIVITY, INTERACTIVITY
from ingest.tiers import share_metrics
from tests.conftest import ROOT
from tests.test_sources import document_of

SAMPLES = ROOT / "tests" / "samples"
RUN = json.loads((SAMPLES / "aiperf" / "run.json").read_text())


def document(value: Json, name: str = "profile_export_aiperf.json", folder: str = "/runs/a") -> Document:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Document(place=f"{folder}/{name}", resolved=f"{folder}/{name}", name=name, folders=("runs",), data=data)


def point_of(value: Json) -> Point:
    (reading,) = AIPerf().read(document(value))
    assert isinstance(reading, Found), reading
    return reading.point


def refusal_of(value: Json) -> str:
    (reading,) = AIPerf().read(document(value))
    assert isinstance(reading, Refused)
    return reading.reason


def test_interactivity_is_one_over_the_latency_at_the_same_percentile() -> None:
    point = point_of(RUN)
    assert point.metrics[INTERACTIVITY_P90] == pytest.approx(1000 / 40)
    assert point.metrics[INTERACTIVITY["mean"]] == pytest.approx(1000 / 25)
    # The slow tail of the end-to-end pace is the low percentile of tokens over latency.
    assert point.metrics[E2E_INTERACTIVITY["p90"]] == 20
    assert E2E_INTERACTIVITY["mean"] not in point.metrics


def test_a_latency_is_read_in_the_unit_it_declares() -> None:
    seconds = {"unit": "sec", "avg": 0.5}
    assert point_of({**RUN, "time_to_first_token": seconds}).metrics[TTFT_MEAN_S] == 0.5
    strange = point_of({**RUN, "time_to_first_token": {"unit": "fortnights", "avg": 1.0}})
    assert TTFT_MEAN_S not in strange.metrics
    assert "fortnights" in strange.warnings[0]


@pytest.mark.parametrize("version", [None, "1.0", "1.1", "1.2", "1.3"])
def test_versions_that_are_read(version: str | None) -> None:
    record = {key: value for key, value in RUN.items() if key != "schema_version"}
    point = point_of(record if version is None else {**record, "schema_version": version})
    assert point.metrics[TOTAL_TPUT] == 6000
    assert point.dialect == f"aiperf-v{version or 0}"


def test_a_later_version_is_named() -> None:
    assert "schema version 2.0" in refusal_of({**RUN, "schema_version": "2.0"})


def test_metrics_under_records_as_the_first_releases_wrote_them() -> None:
    listed = {"records": [{"tag": key, **value} for key, value in RUN.items() if _is_block(value)]}
    rest = {key: value for key, value in RUN.items() if not _is_block(value)}
    assert point_of({**rest, **listed}).metrics == point_of(RUN).metrics


def _is_block(value: Json) -> bool:
    return isinstance(value, dict) and "unit" in value


def test_a_run_without_a_request_count_is_refused_with_its_errors() -> None:
    failed = {key: value for key, value in RUN.items() if key != "request_count"}
    assert "no request succeeded (request_count is absent, 2 failed: ClientOSError 2)" in refusal_of(failed)
    assert "request_count is 0" in refusal_of({**RUN, "request_count": {"unit": "requests", "avg": 0}})


@pytest.mark.parametrize("latency", [0.0, -3.0])
def test_a_pace_that_no_request_can_have_is_refused(latency: float) -> None:
    assert "above zero" in refusal_of({**RUN, "inter_token_latency": {"unit": "ms", "avg": 10.0, "p90": latency}})


def test_warm_up_errors_and_load_are_accounted_for() -> None:
    point = point_of(RUN)
    assert (point.metrics[REQUESTS_OK], point.metrics[REQUESTS_FAILED], point.concurrency) == (20, 2, 4)
    assert point.facts["requests"] == {"ok": 20, "failed": 2, "warmup": 4, "errors": {"ClientOSError": 2}}
    assert point.facts["effective_concurrency"] == 3.2
    assert point.cache.ceiling_share == 0.9375
    assert point.run_time == "2026-06-01T00:23:36.091349"


def test_throughput_from_tokens_where_no_total_is_given() -> None:
    gone = ("total_token_throughput", "input_token_throughput", "total_isl", "total_osl")
    assert point_of({key: value for key, value in RUN.items() if key not in gone}).metrics[TOTAL_TPUT] == 6000


def test_output_throughput_alone_is_never_taken_for_the_total() -> None:
    gone = ("total_token_throughput", "input_token_throughput", "total_isl", "input_sequence_length")
    assert TOTAL_TPUT not in point_of({key: value for key, value in RUN.items() if key not in gone}).metrics


@pytest.mark.parametrize(
    ("asked", "workload"),
    [
        ({"input": {"public_dataset": "sharegpt"}}, "other:sharegpt"),
        ({"input": {"prompt": {"input_tokens": {"mean": 8192}, "output_tokens": {"mean": 1024}}}}, "8k/1k"),
        ({"input": {"file": "/data/mine.jsonl"}}, None),
        ({"input": {"prompt": {"input_tokens": {"mean": 8192}}}}, None),
        ({"cli_command": "aiperf profile --isl=1024 --osl 128"}, "1k/128"),
        ({"datasets": [{"type": "synthetic", "prompts": {"isl": {"mean": 512}, "osl": {"mean": 64}}}]}, "512/64"),
        ({"scenario": "inferencex-agentx"}, "agentic"),
    ],
)
def test_the_workload_that_was_asked_for(asked: Json, workload: str | None) -> None:
    point = point_of({**RUN, "metadata": {}, "input_config": {"loadgen": {"concurrency": 1}, **asked}})
    assert point.workload == workload


def test_a_load_set_as_a_rate_shows_the_concurrency_that_came_about() -> None:
    point = point_of({**RUN, "input_config": {"loadgen": {"request_rate": 5.0}}})
    assert (point.concurrency, point.flags) == (3.2, ("load_measured",))


def test_one_board_under_two_addresses_is_one_and_idle_ones_are_not_counted() -> None:
    def gpu(uuid: str, peak: float) -> Json:
        load = {"unit": "%", "avg": peak / 2, "max": peak}
        power = {"unit": "W", "avg": 400.0}
        metrics = {"gpu_utilization": load, "gpu_power_usage": power}
        return {"gpu_index": 0, "gpu_name": "NVIDIA H100 80GB HBM3", "gpu_uuid": uuid, "metrics": metrics}

    same = {"gpus": {"gpu_0": gpu("GPU-1", 90.0), "gpu_1": gpu("GPU-2", 0.0)}}
    point = point_of({**RUN, "telemetry_data": {"endpoints": {"localhost:9400": same, "localhost:9402": same}}})
    assert (point.chip, point.chip_count, point.facts["boards"]) == ("h100", 1, 2)
    assert FLAG in point.flags


def test_a_custom_export_name_is_told_by_its_content() -> None:
    assert kind_of(document(RUN, "night-run.txt")) == "summary"
    assert kind_of(document((SAMPLES / "aiperf" / "requests.jsonl").read_bytes(), "x")) == "records"
    genai_perf = {"input_config": {"perf_analyzer": {}}, "request_latency": {"unit": "ms", "avg": 1}}
    assert kind_of(document(genai_perf)) is None


def test_a_run_of_one_folder_takes_its_twins_and_leaves_those_of_others() -> None:
    records = (SAMPLES / "aiperf" / "requests.jsonl").read_bytes()
    table = (SAMPLES / "aiperf" / "table.csv").read_bytes()
    one = [document(RUN), document(records, "profile_export.jsonl"), document(table, "profile_export_aiperf.csv")]
    far = document(records, "profile_export.jsonl", "/runs/b")
    assert AIPerf().absorbs(one[0], [*one, far]) == one[1:]
    assert AIPerf().absorbs(one[1], [*one, far]) == []
    assert AIPerf().absorbs(one[1], one[1:]) == [one[2]]
    two = [document(RUN, "x.json"), document(RUN, "y.json"), document(records, "x.jsonl"), document(records, "y.jsonl")]
    assert AIPerf().absorbs(two[0], two) == [two[2]]


def test_runs_beside_their_aggregate_are_the_points() -> None:
    over = json.loads((SAMPLES / "aiperf" / "profile_export_aiperf_aggregate.json").read_text())
    name = "profile_export_aiperf_aggregate.json"
    runs = [document(RUN, folder=f"/sweep/profile_runs/trial_{n}/concurrency_8") for n in (1, 2)]
    own = document(over, name, "/sweep/aggregate/concurrency_8")
    other = document(over, name, "/sweep/aggregate/concurrency_16")
    everything = [*runs, own, other]
    assert [AIPerf().absorbs(run, everything) for run in runs] == [[own], [own]]
    assert AIPerf().absorbs(own, everything) == []
    point = AIPerf().absorb(own, point_of(RUN))
    assert point.facts["num_profile_runs"] == 3
    assert point.metrics == point_of(RUN).metrics


def test_records_alone_are_a_result_and_a_cut_line_costs_itself() -> None:
    data = (SAMPLES / "aiperf" / "requests.jsonl").read_bytes()
    readings = list(AIPerf().read(document(data[:-40], "profile_export.jsonl")))
    assert [type(reading) for reading in readings] == [Refused, Found]
    assert readings[0].where == "line 7"
    (whole,) = AIPerf().read(document(data, "profile_export.jsonl"))
    assert isinstance(whole, Found)
    point = whole.point
    # Five measured requests over ten seconds: the warm-up and the failed one are no part of the figures.
    assert point.metrics[TOTAL_TPUT] == pytest.approx(5 * 1091 / 10)
    assert point.metrics[INTERACTIVITY["p50"]] == pytest.approx(1 / 0.03)
    assert point.metrics[INTERACTIVITY_P90] == pytest.approx(1 / 0.046)
    assert point.facts["requests"] == {"ok": 5, "failed": 1, "warmup": 1, "errors": {"Internal Server Error": 1}}
    assert point.facts["sub_agent_requests"] == 1


def test_records_are_read_one_line_at_a_time() -> None:
    data = (SAMPLES / "aiperf" / "requests.jsonl").read_bytes()
    found = stream.records(document(data + b"not json\n", "x.jsonl"))
    first = next(found)
    assert isinstance(first, stream.Request)
    assert (first.phase, first.outcome, first.measured) == ("warmup", "ok", False)
    assert isinstance(list(found)[-1], stream.Broken)


def test_records_beside_a_summary_give_its_end_to_end_pace() -> None:
    data = (SAMPLES / "aiperf" / "requests.jsonl").read_bytes()
    summary = point_of({**RUN, "request_count": {"unit": "requests", "avg": 5}})
    point = AIPerf().absorb(document(data, "x.jsonl"), summary)
    assert point.metrics[E2E_INTERACTIVITY["mean"]] == pytest.approx(91 / 3)
    assert AIPerf().absorb(document(data, "x.jsonl"), point_of(RUN)).metrics == point_of(RUN).metrics


def server_sample(name: str) -> Document:
    return document_of(SAMPLES / "aiperf_server" / name)


def test_server_metrics_give_the_tiers_and_leave_warm_up_out() -> None:
    companion = AIPerfServerMetrics()
    point = companion.complete(server_sample("server_metrics_export.json"), point_of(RUN))
    shares = share_metrics(point.cache)
    assert [shares[TIERS[medium].share_metric] for medium in ("hbm", "external")] == [0.6, 0.2]
    assert shares[CEILING_SHARE] == 0.9375
    assert (point.engine, point.cache.prompt_tokens) == ("vllm", 1000)
    assert (point.metrics[HBM_POOL_TOKENS], point.metrics[HBM_USAGE_MAX]) == (8000, 0.9)
    # vLLM names its default backend whether or not it offloads.
    assert point.offload.mode == "unknown"


def test_server_metrics_as_a_table_with_sources_of_sglang() -> None:
    point = AIPerfServerMetrics().complete(server_sample("server_table.csv"), point_of(RUN))
    shares = share_metrics(point.cache)
    media = ("hbm", "host_dram", "local_nvme", "unattributed")
    assert [shares[TIERS[medium].share_metric] for medium in media] == [0.5, 0.1, 0.15, 0.05]
    assert shares[CACHED_SHARE] == pytest.approx(0.8)
    assert (point.engine, point.metrics[HBM_POOL_TOKENS]) == ("sglang", 10_000)


def test_server_metrics_of_another_benchmark_are_left_alone() -> None:
    other = point_of({**RUN, "benchmark_id": "another"})
    assert AIPerfServerMetrics().complete(server_sample("server_metrics_export.json"), other) == other


def test_a_stated_offload_size_is_evidence() -> None:
    value = json.loads((SAMPLES / "aiperf_server" / "server_metrics_export.json").read_text())
    value["metrics"]["vllm:cache_config_info"]["series"][0]["labels"]["kv_offloading_size"] = "64"
    point = AIPerfServerMetrics().complete(document(value, "server_metrics_export.json"), point_of(RUN))
    assert (point.offload.mode, point.offload.backend, point.offload.evidence) == ("on", "vllm-native", "field")
    assert point.offload.tiers[1].capacity_bytes == 64 * 2**30
    assert share_metrics(point.cache)[TIERS["host_dram"].share_metric] == 0.2


def test_a_server_that_began_anew_gives_no_shares() -> None:
    value = json.loads((SAMPLES / "aiperf_server" / "server_metrics_export.json").read_text())
    value["metrics"]["process_start_time_seconds"]["series"][0]["stats"]["max"] += 60
    cache = AIPerfServerMetrics().complete(document(value), point_of(RUN)).cache
    assert (cache.tiers, cache.flags) == ((), ("counter_reset",))
    assert cache.counters["vllm:prompt_tokens"] == 1000


def counted(**totals: float) -> Scrape:
    return Scrape(tuple(Series(name=name.replace("__", ":"), total=total) for name, total in totals.items()))


def test_a_counter_that_fell_is_left_out() -> None:
    scrape = counted(vllm__prompt_tokens=1000, vllm__prefix_cache_hits=600, vllm__external_prefix_cache_hits=-5)
    cache = cache_of(scrape, Setting())
    assert [tier.medium for tier in cache.tiers] == ["hbm"]
    assert "counter_reset" in cache.flags


def test_counters_of_each_engine_with_and_without_total_in_their_names() -> None:
    vllm = counted(
        vllm__prompt_tokens_total=1000,
        vllm__prefix_cache_hits_total=600,
        vllm__prefix_cache_queries_total=1000,
        vllm__external_prefix_cache_hits_total=200,
        vllm__external_prefix_cache_queries_total=400,
        lmcache__num_lookup_tokens=1000,
        lmcache__num_lookup_hits=800,
    )
    cache = cache_of(vllm, Setting())
    assert {tier.medium: tier.share for tier in cache.tiers} == {"hbm": 0.6, "external": 0.2}
    assert "ext_queries_conditional" in cache.flags
    assert [(rate.denominator, rate.value) for rate in cache.other_rates][-1] == ("conditional_on_lookup", 0.8)
    atom = counted(
        atom__prefix_cache_full_tokens=1000, atom__prefix_cache_cached_tokens=900, atom__lmcache_loaded_tokens=300
    )
    assert {tier.medium: tier.share for tier in cache_of(atom, Setting()).tiers} == {"hbm": 0.6, "host_dram": 0.3}
    trt = counted(trtllm_kv_cache_reused_blocks=900, trtllm_kv_cache_missed_blocks=100)
    (tier,) = cache_of(trt, Setting(mode="on")).tiers
    assert (tier.medium, tier.share, tier.denominator) == ("unattributed", 0.9, "blocks_reused")
    dynamo = counted(dynamo_frontend_input_sequence_tokens=1000, dynamo_frontend_cached_tokens=400)
    assert cache_of(dynamo, Setting()).cached_share == 0.4
    assert cache_of(counted(something=1), Setting()).tiers == ()


def test_a_mode_told_late_judges_the_cache_anew() -> None:
    cache = AIPerfServerMetrics().complete(server_sample("server_metrics_export.json"), point_of(RUN)).cache
    off = settled(cache, Offload(mode="off", evidence="name"), Layout())
    assert ([tier.medium for tier in off.tiers], off.flags) == (["hbm"], ("stale_tier_rate",))
    on = settled(cache, Offload(mode="on", kinds=("kv",), evidence="name"), Layout())
    assert on == cache
    assert settled(cache, Offload(mode="on", kinds=("kv",), evidence="field"), Layout()) is cache


def test_a_parameter_table_alone_serves_no_prompt_tokens(tmp_path: Path) -> None:
    cache = AIPerfServerMetrics().complete(server_sample("server_metrics_export.json"), point_of(RUN)).cache
    assert len(cache.tiers) == 2
    for kinds, media, flagged in ((("parameter",), ["hbm"], True), (("kv", "parameter"), ["hbm", "external"], False)):
        made = settled(cache, Offload(mode="on", kinds=kinds, evidence="recipe_flag"), Layout())
        assert [tier.medium for tier in made.tiers] == media
        assert ("parameter_tier_rate" in made.flags) is flagged
        assert "stale_tier_rate" not in made.flags
    none_below = replace(cache, tiers=cache.tiers[:1], flags=("offload_tier_unreported", "counter_reset"))
    made = settled(none_below, Offload(mode="on", kinds=("parameter",), evidence="recipe_flag"), Layout())
    assert made.flags == ("counter_reset",)
    assert made.computed_share == pytest.approx(1 - (cache.tiers[0].share or 0))
    (tmp_path / "server_metrics_export.json").write_bytes(server_sample("server_metrics_export.json").data)
    (tmp_path / "profile_export_aiperf.json").write_text(json.dumps(RUN))
    (tmp_path / "server.cmd").write_text("vllm serve deepseek --engram-config '{\"cpu_offload\": true}'\n")
    ingest([tmp_path], tmp_path / "db")
    (row,) = Store(tmp_path / "db").snapshot().rows(Selection(newest=False))
    assert row["offload_mode"] == "on"
    assert "parameter_tier_rate" in row["flags"]


def test_other_files_of_the_directory_are_known() -> None:
    slices = document({"timeslices": [{"start_ns": 1, "end_ns": 2, "request_count": {"unit": "requests", "avg": 1}}]})
    companion = AIPerfArtifacts()
    assert companion.claims(slices)
    assert not AIPerf().claims(slices)
    assert list(companion.completes(slices, [document(RUN)])) != []


# What follows was worked out by hand from real runs.


@pytest.fixture(scope="module")
def runs(shared_data: Path) -> list[Document]:
    return [document_of(path) for path in sorted((shared_data / "aiperf_runs").rglob("*")) if path.is_file()]


def test_each_real_file_is_claimed_by_one(runs: list[Document], shared_data: Path) -> None:
    sources = (AIPerf(), AIPerfServerMetrics(), AIPerfArtifacts())
    folders = [shared_data / name for name in ("aiperf_server_metrics", "aiperf_timeslices")]
    files = [*runs, *(document_of(path) for folder in folders for path in folder.iterdir())]
    commands = [file for file in files if file.name.endswith(".txt")]
    claims = Counter(tuple(s.key for s in sources if s.claims(file)) for file in files if file not in commands)
    assert claims == {("aiperf",): 67, ("aiperf-server-metrics",): 46, ("aiperf-artifacts",): 2}


def test_a_real_run(runs: list[Document]) -> None:
    summaries = [file for file in runs if file.name == "profile_export_aiperf.json"]
    (file,) = [file for file in summaries if "0601" in file.resolved and "conc16_offloadnone" in file.resolved]
    (reading,) = AIPerf().read(file)
    assert isinstance(reading, Found)
    metrics = reading.point.metrics
    assert metrics[TOTAL_TPUT] / 4 == pytest.approx(9592.996, abs=1e-3)
    assert metrics[INTERACTIVITY["mean"]] == pytest.approx(20.116, abs=1e-3)
    assert metrics[INTERACTIVITY_P90] == pytest.approx(12.733, abs=1e-3)
    assert (metrics[REQUESTS_OK], metrics[REQUESTS_FAILED]) == (727, 1)


def test_records_and_summary_of_a_real_run_agree(runs: list[Document]) -> None:
    pairs = 0
    for file in runs:
        if kind_of(file) != "records":
            continue
        (summary,) = [other for other in beside(file, runs) if kind_of(other) == "summary"]
        (alone,), (whole,) = AIPerf().read(file), AIPerf().read(summary)
        assert isinstance(alone, Found)
        assert isinstance(whole, Found)
        for key in (TOTAL_TPUT, INTERACTIVITY_P90, TTFT_MEAN_S):
            assert alone.point.metrics[key] == pytest.approx(whole.point.metrics[key], rel=1e-6)
        # Between two requests, the mean of the inverses is not the inverse of the mean.
        pace = E2E_INTERACTIVITY["p90"]
        assert alone.point.metrics[pace] == pytest.approx(whole.point.metrics[pace], rel=1e-3)
        pairs += 1
    assert pairs == 7


def test_each_real_directory_is_one_point_with_its_tiers(runs: list[Document]) -> None:
    # Places of these documents are bare names, so files are told apart by where they lie.
    results = [replace(file, place=file.resolved) for file in runs if AIPerf().claims(file)]
    absorbed = {part.place for file in results for part in AIPerf().absorbs(file, results)}
    points = [file for file in results if file.place not in absorbed]
    assert Counter(map(kind_of, points)) == {"summary": 49}
    counters = [file for file in runs if AIPerfServerMetrics().claims(file)]
    assert len(counters) == 45
    for file in counters:
        (about,) = AIPerfServerMetrics().completes(file, points)
        (reading,) = AIPerf().read(about)
        assert isinstance(reading, Found)
        shares = share_metrics(AIPerfServerMetrics().complete(file, reading.point).cache)
        assert {TIERS["hbm"].share_metric, TIERS["external"].share_metric, CEILING_SHARE} <= shares.keys()
        assert shares[CACHED_SHARE] + shares[COMPUTED_SHARE] == pytest.approx(1, abs=0.02)


def test_the_sweeps_with_and_without_offload_are_twins_with_their_tiers(shared_data: Path, tmp_path: Path) -> None:
    """Sixteen directories: eight loads, each with and without offload, which their names alone tell."""
    (sweep,) = (shared_data / "aiperf_runs").glob("*minimaxm2.5*")
    report = ingest([sweep], tmp_path)
    rows = Store(tmp_path).snapshot().rows(Selection(), limit=100)
    assert report.offload == {"on": 8, "off": 8}
    hbm, dram, external = (TIERS[medium].share_metric for medium in ("hbm", "host_dram", "external"))
    assert {(row["concurrency"], row["offload_mode"]) for row in rows} == {
        (load, mode) for load in (1, 2, 4, 8, 16, 32, 40, 48) for mode in ("on", "off")
    }
    assert len({row["recipe_id"] for row in rows}) == 1
    for row in rows:
        assert row[hbm] is not None
        assert (row[external] is None and row[dram] is None) == (row["offload_mode"] == "off")
        # The one load whose launch command is kept: it proves which memory stands behind the connector.
        assert (row[dram] is not None) == (row["offload_mode"] == "on" and row["concurrency"] == 16)
