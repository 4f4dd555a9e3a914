"""GuideLLM, inference-perf, llm-d reports and Prism, genai-perf, trtllm-bench and aiconfigurator."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.catalog.metrics import REQUESTS_FAILED, REQUESTS_OK, TOTAL_TPUT, TOTAL_TPUT_PER_CHIP
from app.catalog.point import Point
from app.store.read import Store
from app.store.select import Selection
from ingest.document import Document
from ingest.finish import finish
from ingest.pipeline import ingest, run_of
from ingest.report import FileReport, Report
from ingest.sources import SOURCES
from ingest.sources.aiconfigurator import AIConfigurator
from ingest.sources.aiperf import AIPerf
from ingest.sources.base import Found, Reading, Refused, Source
from ingest.sources.genai_perf import GenaiPerf
from ingest.sources.guidellm import GuideLLM
from ingest.sources.inference_perf import InferencePerf
from ingest.sources.llmd_prism import LlmdPrism
from ingest.sources.llmd_report import LlmdReport
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT, TPUT_PER_CHIP
from ingest.sources.trtllm_bench import TrtllmBench
from ingest.yamltext import YamlFlaw, documents
from tests.conftest import ROOT
from tests.test_sources import document_of

SAMPLES = ROOT / "tests" / "samples"
MEAN, P50, P90 = "mean", "p50", "p90"


def made(data: bytes | str | object, name: str = "x.json") -> Document:
    content = data if isinstance(data, bytes) else data.encode() if isinstance(data, str) else orjson.dumps(data)
    return Document(place=name, resolved=f"/somewhere/{name}", name=name, folders=("somewhere",), data=content)


def sample(path: str) -> Any:
    return json.loads((SAMPLES / path).read_text(encoding="utf-8"))


def readings(source: Source, document: Document) -> list[Reading]:
    assert [claimant.key for claimant in SOURCES if claimant.claims(document)] == [source.key]
    return list(source.read(document))


def points(source: Source, document: Document) -> list[Point]:
    return [reading.point for reading in readings(source, document) if isinstance(reading, Found)]


def refusals(source: Source, document: Document) -> list[str]:
    return [reading.reason for reading in readings(source, document) if isinstance(reading, Refused)]


def by_name(report: Report) -> dict[str, FileReport]:
    return {Path(file.path).name: file for file in report.files}


def the_only(folder: Path, *parts: str) -> Document:
    (path,) = [path for path in sorted(folder.iterdir()) if all(part in path.name for part in parts)]
    return document_of(path)


# Real files.


def test_guidellm_paces_by_inter_token_latency_and_not_by_its_tpot(shared_data: Path) -> None:
    (point,) = points(GuideLLM(), the_only(shared_data / "guidellm", "30B-A3B_tp4"))
    assert point.metrics[LATENCY["itl"][MEAN]] == pytest.approx(0.038651, abs=1e-6)
    assert point.metrics[INTERACTIVITY[MEAN]] == pytest.approx(25.872, abs=1e-3)
    assert (point.metrics[REQUESTS_OK], point.concurrency, point.dialect) == (19, 1, "guidellm-v1")


def test_guidellm_of_version_2_gives_a_point_a_benchmark(shared_data: Path) -> None:
    first, second = points(GuideLLM(), the_only(shared_data / "guidellm", "report_v2"))
    assert first.metrics[LATENCY["itl"][MEAN]] == pytest.approx(1.15084648e-3)
    assert first.concurrency == pytest.approx(0.007885)
    assert "load_measured" in first.flags
    assert first.run == second.run


def test_an_inference_perf_summary_alone(shared_data: Path) -> None:
    (point,) = points(InferencePerf(), the_only(shared_data / "inference_perf", "batch_size", "summary_lifecycle"))
    assert point.metrics[TOTAL_TPUT] == pytest.approx(19507.52, abs=0.01)
    assert point.metrics[INTERACTIVITY[MEAN]] == pytest.approx(87.785, abs=1e-3)
    assert "loads_merged" in point.flags


def test_inference_perf_stages_are_one_run_and_its_summary_is_not_plotted(shared_data: Path, tmp_path: Path) -> None:
    report = ingest([shared_data / "inference_perf"], tmp_path)
    assert not [file.path for file in report.files if file.refused]
    summaries = [file for file in report.files if "summary_lifecycle" in file.path]
    assert {file.role for file in summaries} == {"companion"}
    rows = Store(tmp_path).snapshot().rows(Selection())
    assert len(rows) == sum("lifecycle" in file.path for file in report.files) - len(summaries)
    assert len({row["run"] for row in rows}) == 5


def test_a_prism_record_of_total_tokens(shared_data: Path) -> None:
    (path,) = (shared_data / "llmd_prism").iterdir()
    found = points(LlmdPrism(), document_of(path))
    assert len(found) == 114
    first = finish(found[0])
    assert first.chip_count == 16
    assert first.metrics[TOTAL_TPUT_PER_CHIP] == pytest.approx(1517.230, abs=1e-3)
    assert first.metrics[INTERACTIVITY[MEAN]] == pytest.approx(20.354, abs=1e-3)
    assert LATENCY["e2el"]["p99"] not in first.metrics


def test_examples_of_the_report_format_are_told_from_results(shared_data: Path, tmp_path: Path) -> None:
    report = ingest([shared_data / "llmd_benchmark_report"], tmp_path, dry_run=True)
    reasons = {name: [reason for _, reason in file.refused] for name, file in by_name(report).items()}
    for name, (*refused,) in reasons.items():
        if "schema" in name:
            assert "JSON schema" in refused[0]
        elif "v0_2" in name:
            assert "copied figures" in refused[0]
        else:
            assert not refused


def test_reference_latencies_without_throughput_are_refused(shared_data: Path) -> None:
    (path,) = (shared_data / "aiconfigurator_csv").iterdir()
    (reason,) = refusals(AIConfigurator(), document_of(path))
    assert "without any throughput" in reason


# GuideLLM.


def test_a_cap_is_no_load() -> None:
    alone, streams, rated = points(GuideLLM(), document_of(SAMPLES / "guidellm" / "v1_two_streams_and_one_rate.json"))
    assert [alone.concurrency, streams.concurrency, rated.concurrency] == [1, 16, 9.016]
    assert rated.flags == ("load_measured",)


def test_seven_rates_in_one_file_are_seven_points() -> None:
    report = sample("guidellm/v1_two_streams_and_one_rate.json")
    report["benchmarks"] = [copy.deepcopy(report["benchmarks"][2]) for _ in range(7)]
    assert len(points(GuideLLM(), made(report))) == 7


def test_a_stream_without_a_first_token_costs_its_ttft_alone() -> None:
    *_, point = points(GuideLLM(), document_of(SAMPLES / "guidellm" / "v2_failed_and_without_streaming.json"))
    assert LATENCY["ttft"][MEAN] not in point.metrics
    assert "latency_not_positive" in point.flags
    assert point.metrics[INTERACTIVITY[MEAN]] == pytest.approx(1 / 0.012)


def test_zeros_of_no_samples_are_no_measurement() -> None:
    report = sample("guidellm/v1_two_streams_and_one_rate.json")
    metrics = report["benchmarks"][0]["metrics"]
    metrics["inter_token_latency_ms"]["successful"] = metrics["inter_token_latency_ms"]["errored"]
    point = points(GuideLLM(), made(report))[0]
    assert LATENCY["itl"][MEAN] not in point.metrics
    assert "zero_read_as_missing" not in point.flags


def test_answers_without_tokens_have_no_throughput() -> None:
    report = sample("guidellm/v1_two_streams_and_one_rate.json")
    for block in report["benchmarks"][0]["metrics"]["output_token_count"].values():
        block["mean"] = 0.0
    assert "no output token" in refusals(GuideLLM(), made(report))[0]


def test_the_requests_of_a_report_are_not_kept_with_each_point() -> None:
    point = points(GuideLLM(), document_of(SAMPLES / "guidellm" / "v1_two_streams_and_one_rate.json"))[0]
    assert "requests" not in point.raw["benchmark"]
    assert "benchmarks" not in point.raw


def test_a_config_beside_a_report_names_the_chips(tmp_path: Path) -> None:
    for place in ("guidellm/v1_two_streams_and_one_rate.json", "guidellm_config/benchmark-config.txt"):
        (tmp_path / Path(place).name).write_bytes((SAMPLES / place).read_bytes())
    report = ingest([tmp_path], tmp_path / "db")
    assert by_name(report)["benchmark-config.txt"].role == "companion"
    rows = Store(tmp_path / "db").snapshot().rows(Selection())
    assert {(row["chip"], row["chip_count"], row["offload_mode"]) for row in rows} == {("h100", 4, "unknown")}


# inference-perf.


def test_the_summary_is_read_only_without_its_stages(tmp_path: Path) -> None:
    summary = SAMPLES / "inference_perf" / "summary_lifecycle_metrics.json"
    assert ingest([summary], tmp_path, dry_run=True).files[0].role == "results"
    files = by_name(ingest([SAMPLES / "inference_perf"], tmp_path, dry_run=True))
    assert files["summary_lifecycle_metrics.json"].of == files["stage_0_lifecycle_metrics.json"].path
    assert files["stage_3_lifecycle_metrics.json"].role == "refused"


def test_failures_alone_are_no_point() -> None:
    document = document_of(SAMPLES / "inference_perf" / "stage_3_lifecycle_metrics.json")
    assert refusals(InferencePerf(), document) == [
        "no request succeeded (50 failed), so nothing was measured; a point needs at least one"
    ]


def test_the_rate_achieved_and_the_rate_asked_for_are_both_kept() -> None:
    (point,) = points(InferencePerf(), document_of(SAMPLES / "inference_perf" / "stage_1_lifecycle_metrics.json"))
    assert (point.facts["requested_rate"], point.facts["achieved_rate"]) == (25.0, 18.2)
    assert point.concurrency == pytest.approx(17.5 * 2.4)


def test_without_streaming_there_is_no_pace() -> None:
    (point,) = points(InferencePerf(), document_of(SAMPLES / "inference_perf" / "stage_2_lifecycle_metrics.json"))
    assert not [key for key in (*LATENCY["ttft"].values(), *LATENCY["itl"].values()) if key in point.metrics]
    assert point.interactivity_def is None


def test_stages_of_one_folder_are_one_run_and_those_of_two_are_not() -> None:
    def run(name: str, folder: str) -> str:
        document = Document(place=name, resolved=f"{folder}/{name}", name=name, folders=(), data=b"")
        return run_of(document, None, InferencePerf().whole(document))[1]

    stages = [run(f"stage_{number}_lifecycle_metrics.json", "/a/results") for number in range(3)]
    assert len(set(stages)) == 1
    assert run("stage_0_lifecycle_metrics.json", "/b/results") not in stages
    assert run("second_stage_0_lifecycle_metrics.json", "/a/results") not in stages
    assert run("renamed.json", "/a/results") != run("other.json", "/a/results")
    assert "/a/" not in stages[0]


def test_one_good_request_is_flagged() -> None:
    stage = sample("inference_perf/stage_0_lifecycle_metrics.json")
    stage["successes"]["count"] = stage["load_summary"]["count"] = 1
    assert "single_request" in points(InferencePerf(), made(stage))[0].flags


# llm-d.


def report_yaml() -> str:
    return (SAMPLES / "llmd_report" / "v0_2_1_prefill_and_decode_with_offload.yaml").read_text(encoding="utf-8")


def test_declared_units_are_obeyed() -> None:
    (seconds,) = points(LlmdReport(), made(report_yaml()))
    scaled = report_yaml().replace("{units: s/token, mean: 0.01,", "{units: ms/token, mean: 10.0,")
    (milliseconds,) = points(LlmdReport(), made(scaled))
    assert seconds.metrics[LATENCY["tpot"][MEAN]] == pytest.approx(milliseconds.metrics[LATENCY["tpot"][MEAN]])
    assert seconds.metrics[LATENCY["ttft"][MEAN]] == pytest.approx(0.2)
    assert LATENCY["itl"][MEAN] not in seconds.metrics


def test_chips_are_those_of_the_engines_and_not_of_the_router() -> None:
    (point,) = points(LlmdReport(), made(report_yaml()))
    assert (point.chip, point.chip_count, point.layout.label) == ("h100", 16, "8P+8D · TP4/TP8")


def test_offload_is_read_from_the_launch_arguments() -> None:
    (point,) = points(LlmdReport(), made(report_yaml()))
    assert (point.offload.mode, point.offload.backend, point.offload.evidence) == ("on", "vllm-native", "recipe_flag")
    (without,) = points(LlmdReport(), made(report_yaml().replace("OffloadingConnector", "NixlConnector")))
    assert without.offload.mode != "on"


def test_a_report_without_a_stack_is_kept_and_asks_for_what_it_lacks() -> None:
    report = documents(report_yaml().encode())[0]
    del report["scenario"]["stack"]
    (point,) = points(LlmdReport(), made(report))
    assert {"chip", "chip_count", "model", "engine"} <= set(finish(point).needs)
    assert TPUT_PER_CHIP["total"] not in finish(point).metrics


def test_yaml_and_json_of_one_run_are_one(tmp_path: Path) -> None:
    text = report_yaml()
    (tmp_path / "report.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "report.json").write_bytes(orjson.dumps(documents(text.encode())[0]))
    report = ingest([tmp_path], tmp_path / "db")
    assert (report.totals()["points"], by_name(report)["report.json"].role) == (1, "companion")


def test_an_older_version_and_the_tools_own_file_are_the_same_measurement(tmp_path: Path) -> None:
    report = documents(report_yaml().encode())[0]
    aggregate = report["results"]["request_performance"]["aggregate"]
    (tmp_path / "v2.json").write_bytes(orjson.dumps(report))
    old = {
        "version": "0.1",
        "scenario": {"load": {"name": "inference-perf"}},
        "metrics": {
            "time": {"duration": 60.0},
            "requests": aggregate["requests"],
            "latency": aggregate["latency"],
            "throughput": {
                f"{kind}_tokens_per_sec": aggregate["throughput"][f"{kind}_token_rate"]["mean"]
                for kind in ("input", "output", "total")
            },
        },
    }
    (tmp_path / "v1.json").write_bytes(orjson.dumps(old))
    (tmp_path / "other.json").write_bytes(orjson.dumps(old).replace(b"4864.0", b"4865.5"))
    report_of = ingest([tmp_path], tmp_path / "db", dry_run=True)
    roles = {name: file.role for name, file in by_name(report_of).items()}
    assert roles == {"v1.json": "companion", "v2.json": "results", "other.json": "results"}


def test_an_endless_concurrency_is_no_number() -> None:
    (point,) = points(LlmdReport(), made(report_yaml().replace("rate_qps: 10", "rate_qps: .inf")))
    assert point.concurrency == pytest.approx(9.5 * 5.31, rel=1e-3)
    (set_one,) = points(
        LlmdReport(),
        made(report_yaml().replace("rate_qps: 10", "rate_qps: null").replace("concurrency: .inf", "concurrency: 32")),
    )
    assert (set_one.concurrency, "load_measured" in set_one.flags) == (32, False)


def test_secrets_in_a_yaml_report_are_not_stored(tmp_path: Path) -> None:
    (tmp_path / "report.yaml").write_text(report_yaml(), encoding="utf-8")
    ingest([tmp_path], tmp_path / "db")
    assert "left-by-mistake" in report_yaml()
    snapshot = Store(tmp_path / "db").snapshot()
    (row,) = snapshot.rows(Selection())
    assert "left-by-mistake" not in json.dumps(snapshot.point(row["id"]), default=str)


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system ['true']", "!!python/name:os.getcwd ''", "!ours 1"])
def test_a_tag_that_makes_an_object_refuses_the_file(tag: str) -> None:
    text = report_yaml().replace("user: namespace=bench", f"user: {tag}")
    (reason,) = refusals(LlmdReport(), made(text))
    assert tag.split()[0].lstrip("!").split("/")[-1][:4] in reason


def nested(depth: int) -> str:
    return "a: " + "[" * depth + "]" * depth


def bomb(line: Callable[[int], str]) -> str:
    return "\n".join(line(level) for level in range(12))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (nested(200), "deep"),
        (nested(100_000), "depth"),
        (bomb(lambda n: f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'x'] * 9)}]"), "aliases"),
        ("a: &a [*a]", "deep"),
        ("a: 1\na: 2", "'a'"),
        ("a: " + "9" * 9000, "too long"),
        ("? [1]\n: 2", "unhashable"),
        ("a: \x01", "not YAML"),
    ],
)
def test_yaml_that_would_grow_or_lie_is_refused(text: str, word: str) -> None:
    with pytest.raises(YamlFlaw, match=word):
        documents(text.encode())


def test_yaml_means_what_json_means() -> None:
    text = "a: 2026-03-05T18:00:42Z\nb: .inf\nc: [1, 2.5, null, true]\n1: x\n"
    assert documents(text.encode()) == [{"a": "2026-03-05T18:00:42Z", "b": None, "c": [1, 2.5, None, True], "1": "x"}]


# Prism, genai-perf, trtllm-bench, aiconfigurator.


def test_the_request_rate_tells_what_a_throughput_counts() -> None:
    total, output = points(LlmdPrism(), document_of(SAMPLES / "llmd_prism" / "total_output_and_neither.json"))
    assert total.metrics[TPUT["total"]] == 22000.0
    assert TPUT["total"] not in output.metrics
    assert output.metrics[TPUT["output"]] == 1704.0


def test_a_pace_that_outlasts_its_request_is_not_drawn() -> None:
    _, output = points(LlmdPrism(), document_of(SAMPLES / "llmd_prism" / "total_output_and_neither.json"))
    assert "pace_disputed" in output.flags
    assert not [key for key in INTERACTIVITY.values() if key in output.metrics]


def test_genai_perf_and_aiperf_do_not_claim_each_others_files() -> None:
    for path in sorted((SAMPLES / "genai_perf").glob("*.json")):
        if not path.name.endswith(".points.json"):
            document = document_of(path)
            assert (GenaiPerf().claims(document), AIPerf().claims(document)) == (True, False)
    newer = sample("genai_perf/streaming.json") | {"schema_version": "1.0", "aiperf_version": "0.3"}
    newer["input_config"] = {"endpoint": {"model_names": ["m"]}, "loadgen": {"concurrency": 4}}
    assert (GenaiPerf().claims(made(newer)), AIPerf().claims(made(newer))) == (False, True)


def test_without_streaming_the_first_token_is_the_last() -> None:
    (point,) = points(GenaiPerf(), document_of(SAMPLES / "genai_perf" / "sections_and_no_streaming.json"))
    assert LATENCY["ttft"][MEAN] not in point.metrics
    assert (point.concurrency, point.engine, point.workload) == (64, "trt", "200/500")


def test_trtllm_bench_paces_without_the_first_token() -> None:
    (point,) = points(TrtllmBench(), document_of(SAMPLES / "trtllm_bench" / "streaming.json"))
    assert point.metrics[INTERACTIVITY[MEAN]] == pytest.approx(1000 / 9.5)
    assert point.metrics[INTERACTIVITY[P90]] == pytest.approx(1000 / 10.0)
    finished = finish(point)
    assert finished.chip_count == 8
    assert finished.metrics[TOTAL_TPUT_PER_CHIP] == 3200.0
    (plain,) = points(TrtllmBench(), document_of(SAMPLES / "trtllm_bench" / "without_streaming_or_gpu_info.json"))
    assert plain.interactivity_def is None


def test_predictions_are_marked_and_their_throughput_is_output() -> None:
    (point,) = points(AIConfigurator(), document_of(SAMPLES / "aiconfigurator" / "pareto.csv"))
    assert point.origin == "predicted"
    assert point.metrics[TPUT_PER_CHIP["output"]] == 512.0
    assert point.metrics[LATENCY["tpot"][MEAN]] == pytest.approx(0.010)
    assert INTERACTIVITY[P50] not in point.metrics


def test_the_best_of_a_table_beside_it_is_not_drawn_twice(tmp_path: Path) -> None:
    table = (SAMPLES / "aiconfigurator" / "pareto.csv").read_text(encoding="utf-8")
    head, first, *_ = table.splitlines()
    (tmp_path / "pareto.csv").write_text("\n".join((head, first, first.replace(",512.0,", ",500.0,"))), "utf-8")
    (tmp_path / "best_config_topn.csv").write_text(f"{head}\n{first}\n", "utf-8")
    files = by_name(ingest([tmp_path], tmp_path / "db", dry_run=True))
    assert files["best_config_topn.csv"].role == "companion"
    assert files["pareto.csv"].points == 2


def test_prediction_and_measurement_never_share_a_frontier(tmp_path: Path) -> None:
    ingest([SAMPLES / "aiconfigurator" / "pareto.csv"], tmp_path)
    rows = Store(tmp_path).snapshot().rows(Selection())
    assert {row["origin"] for row in rows} == {"predicted"}


def test_numbers_as_text_are_numbers() -> None:
    report = sample("trtllm_bench/streaming.json")
    report["performance"]["system_output_throughput_tok_s"] = "12800.0"
    assert points(TrtllmBench(), made(report))[0].metrics[TPUT["output"]] == 12800.0


@pytest.mark.parametrize("value", [0, -5, None, "nan", float("1e30")])
def test_no_throughput_is_refused(value: object) -> None:
    report = sample("trtllm_bench/streaming.json")
    report["performance"]["system_output_throughput_tok_s"] = value
    report["performance"]["system_total_throughput_tok_s"] = value
    assert "throughput" in refusals(TrtllmBench(), made(report))[0]


def test_failed_requests_of_unknown_share_are_a_fact() -> None:
    total, _ = points(LlmdPrism(), document_of(SAMPLES / "llmd_prism" / "total_output_and_neither.json"))
    assert total.facts["errors"] == 3
    assert REQUESTS_FAILED not in total.metrics
