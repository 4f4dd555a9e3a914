"""The serving benchmarks of vLLM, SGLang and InferenceX: what they state, what they leave open, what is refused."""

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.catalog.metrics import INPUT_TOKENS_MEAN, INTERACTIVITY_P50, REQUESTS_FAILED, REQUESTS_OK, TOTAL_TPUT_PER_CHIP
from app.catalog.metrics import ttft as ttft_key
from app.catalog.point import Point, config_id
from ingest.checks import flags_of
from ingest.document import Document
from ingest.finish import finish
from ingest.names import named_facts
from ingest.pipeline import ingest
from ingest.reading import UNREAD
from ingest.sources import SOURCES
from ingest.sources.base import Found, Reading, Refused, Skipped, Source
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT
from ingest.sources.serving_stated import engine_of, offload_stated
from ingest.sources.vllm_bench import VllmBench
from ingest.sources.vllm_sweep import VllmSweep
from tests.conftest import ROOT
from tests.test_sources import document_of

SAMPLES = ROOT / "tests" / "samples"
VLLM: dict[str, Any] = {
    "date": "20260904-101500",
    "endpoint_type": "vllm",
    "backend": "vllm",
    "label": None,
    "model_id": "deepseek-ai/DeepSeek-R1-0528",
    "tokenizer_id": "deepseek-ai/DeepSeek-R1-0528",
    "num_prompts": 100,
    "request_rate": "inf",
    "burstiness": 1.0,
    "max_concurrency": 16,
    "duration": 50.0,
    "completed": 100,
    "failed": 0,
    "total_input_tokens": 102_400,
    "total_output_tokens": 51_200,
    "request_throughput": 2.0,
    "request_goodput": None,
    "output_throughput": 1024.0,
    "total_token_throughput": 3072.0,
    "mean_ttft_ms": 120.0,
    "median_ttft_ms": 100.0,
    "p99_ttft_ms": 400.0,
    "mean_tpot_ms": 12.5,
    "median_tpot_ms": 12.0,
    "p99_tpot_ms": 20.0,
    "mean_itl_ms": 12.5,
    "median_itl_ms": 12.0,
    "p99_itl_ms": 40.0,
}
ONE_TOKEN = VLLM | {"total_output_tokens": 100, "output_throughput": 2.0, "total_token_throughput": 2050.0}


def document(content: Any, name: str = "result.json") -> Document:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Document(place=name, resolved=f"/somewhere/{name}", name=name, folders=(), data=data)


def source_of(file: Document) -> Source:
    (source,) = [source for source in SOURCES if source.claims(file)]
    assert source.role == "results"
    return source


def readings(content: Any) -> list[Reading]:
    file = content if isinstance(content, Document) else document(content)
    return list(source_of(file).read(file))


def point(content: Any) -> Point:
    (reading,) = readings(content)
    assert isinstance(reading, Found), reading
    return reading.point


def refusal(content: Any) -> str:
    (reading,) = readings(content)
    assert isinstance(reading, Refused), reading
    return reading.reason


def points_of(path: Path) -> list[Point]:
    file = document_of(path)
    return [reading.point for reading in readings(file) if isinstance(reading, Found)]


# Shapes


def test_json_lines_in_a_file_called_json_a_list_and_glued_objects_give_the_same_points() -> None:
    rows = [VLLM, VLLM | {"max_concurrency": 32}]
    texts = [json.dumps(row) for row in rows]
    shapes = [json.dumps(rows), "\n".join(texts), "".join(texts), "\n\n".join(texts) + "\n"]
    for shape in shapes:
        made = [reading.point for reading in readings(shape.encode()) if isinstance(reading, Found)]
        assert [each.concurrency for each in made] == [16, 32]
        assert [each.raw for each in made] == rows


def test_the_old_name_of_the_backend_is_read_too() -> None:
    row = {key: value for key, value in VLLM.items() if key != "backend"}
    assert (point(row).engine, point(row).facts["client_backend"]) == ("vllm", "vllm")


def test_numbers_that_stand_as_text_are_numbers() -> None:
    texts = {key: str(value) if isinstance(value, int | float) else value for key, value in VLLM.items()}
    assert point(texts).metrics == point(VLLM).metrics


@pytest.mark.parametrize(
    ("client", "engine"),
    [
        ("vllm", "vllm"),
        ("sglang", "sglang"),
        ("sglang-oai-chat", "sglang"),
        ("vllm-chat", "vllm"),
        ("trt", "trt"),
        ("tensorrt-llm", "trt"),
        ("lmdeploy-chat", "other:lmdeploy"),
        ("openai", None),
        ("openai-chat", None),
        (None, None),
    ],
)
def test_a_client_names_an_engine_unless_it_only_names_a_protocol(client: str | None, engine: str | None) -> None:
    assert engine_of(client) == engine


# What is measured


def test_interactivity_is_the_inverse_of_the_time_per_token_and_no_share_of_the_throughput() -> None:
    metrics = point(VLLM).metrics
    assert metrics[INTERACTIVITY["p50"]] == pytest.approx(1000 / 12)
    assert metrics[INTERACTIVITY["p99"]] == pytest.approx(1000 / 20)
    assert metrics[INTERACTIVITY["mean"]] != pytest.approx(VLLM["output_throughput"] / VLLM["max_concurrency"])


def test_a_metric_that_was_not_asked_for_is_absent_and_costs_nothing_else() -> None:
    row = {key: value for key, value in VLLM.items() if not key.endswith(("_itl_ms", "_ttft_ms"))}
    made = point(row)
    assert INTERACTIVITY_P50 in made.metrics
    assert not [key for key in made.metrics if key.startswith(("itl", "ttft"))]


def test_without_a_time_per_token_the_gaps_between_chunks_stand_in_and_say_so() -> None:
    row = {key: value for key, value in VLLM.items() if not key.endswith("_tpot_ms")}
    made = point(row)
    assert made.interactivity_def == "1/itl"
    assert "pooled_itl" in made.flags


def test_gaps_of_bundled_chunks_give_no_pace() -> None:
    row = {key: value for key, value in VLLM.items() if not key.endswith("_tpot_ms")}
    made = point(row | {"mean_itl_ms": 6.2, "median_itl_ms": 0.02})
    assert made.interactivity_def is None
    assert INTERACTIVITY_P50 not in made.metrics
    assert "bundled_chunks" in made.flags


def test_one_output_token_has_no_pace_and_divides_by_nothing() -> None:
    zeros = {key: 0.0 for key in VLLM if key.endswith(("_tpot_ms", "_itl_ms"))}
    made = point(
        VLLM | zeros | {"total_output_tokens": 100, "output_throughput": 2.0, "total_token_throughput": 2050.0}
    )
    assert not [key for key in made.metrics if key.startswith(("interactivity", "tpot", "itl"))]
    assert made.metrics[ttft_key("p50")] == 0.1
    assert made.workload == "1k/1"
    assert "zero_read_as_missing" in made.flags


def test_a_negative_latency_is_left_out_and_its_row_kept() -> None:
    made = point(VLLM | {"mean_ttft_ms": -1.7e12})
    assert LATENCY["ttft"]["mean"] not in made.metrics
    assert made.metrics[LATENCY["ttft"]["p50"]] == 0.1
    assert "latency_not_positive" in made.flags
    assert any("mean_ttft_ms" in warning for warning in made.warnings)


def test_requests_that_did_not_complete_failed() -> None:
    row = {key: value for key, value in VLLM.items() if key != "failed"}
    made = point(row | {"num_prompts": 108})
    assert (made.metrics[REQUESTS_OK], made.metrics[REQUESTS_FAILED]) == (100, 8)
    assert "failed_share" in made.flags
    assert "failed_share" not in point(row | {"num_prompts": 104}).flags


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"completed": 0, "failed": 100}, "no request of 100 succeeded"),
        ({"total_output_tokens": 0, "output_throughput": 0.0}, "no output token"),
        ({"output_throughput": 0.0}, "output throughput is 0"),
        ({"duration": 0.0}, "duration is 0 s"),
        ({"total_token_throughput": -3.0}, "total throughput is -3"),
    ],
)
def test_what_measured_nothing_is_refused_in_a_sentence(change: dict[str, Any], words: str) -> None:
    assert words in refusal(VLLM | change)


def test_output_never_passes_for_a_total() -> None:
    row = {key: value for key, value in VLLM.items() if not key.startswith("total_")}
    made = point(row)
    assert made.metrics[TPUT["output"]] == 1024
    assert TPUT["total"] not in made.metrics


# Load


def test_a_closed_loop_is_as_loaded_as_its_limit() -> None:
    assert point(VLLM).concurrency == 16
    assert "load_measured" not in point(VLLM).flags


def test_requests_sent_at_a_rate_are_as_many_as_are_in_flight() -> None:
    made = point(VLLM | {"request_rate": 2.0, "max_concurrency": None, "mean_e2el_ms": 6200.0})
    assert made.concurrency == 12.4
    assert made.facts["request_rate"] == 2
    assert "load_measured" in made.flags


def test_a_limit_above_the_load_is_not_the_load() -> None:
    assert point(VLLM | {"request_rate": 2.0, "max_concurrency": 512, "mean_e2el_ms": 6200.0}).concurrency == 12.4
    assert point(VLLM | {"request_rate": 9.0, "max_concurrency": 16, "mean_e2el_ms": 7900.0}).concurrency == 16


def test_fewer_requests_than_the_limit_never_reach_it() -> None:
    made = point(VLLM | {"max_concurrency": 256})
    assert made.concurrency == 100
    assert any("only 100 requests" in warning for warning in made.warnings)


def test_neither_limit_nor_rate_nor_latency_leaves_the_load_open() -> None:
    made = finish(point(VLLM | {"max_concurrency": None}))
    assert made.concurrency is None
    assert "concurrency" in made.needs
    assert INTERACTIVITY_P50 in made.metrics


# What was added by hand


def test_metadata_fills_the_fields_that_it_names_and_the_rest_is_kept() -> None:
    row = VLLM | {"gpu": "4xMI355X", "tp": "4", "precision": "fp4", "chunksize": "256", "kv_offload": "lmcache"}
    made = finish(point(row))
    assert (made.chip, made.chip_count, made.precision) == ("mi355x", 4, "fp4")
    assert made.metrics[TOTAL_TPUT_PER_CHIP] == 768
    assert (made.offload.mode, made.offload.backend, made.offload.evidence) == ("on", "lmcache", "field")
    assert made.facts["metadata"]["chunksize"] == "256"


@pytest.mark.parametrize(
    ("added", "count"),
    [
        ({"gpu": "8"}, 8),
        ({"num_gpus": 2}, 2),
        ({"tp": "4", "dp": "2"}, 8),
        ({"tensor_parallel_size": 4, "pipeline-parallel-size": 2}, 8),
        ({"hardware": "H200 x8"}, 8),
        ({"gpu": "cuda:0"}, None),
        ({"tp": "auto"}, None),
    ],
)
def test_chips_are_counted_from_what_is_said(added: dict[str, Any], count: int | None) -> None:
    assert finish(point(VLLM | added)).chip_count == count


@pytest.mark.parametrize(
    ("text", "mode", "media"),
    [
        ("cpu", "on", ("hbm", "host_dram")),
        ("disk-arcc-400g", "on", ("hbm", "local_nvme")),
        ("gds-400g", "on", ("hbm", "external")),
        ("cpu+disk", "on", ("hbm", "host_dram", "local_nvme")),
        ("none", "off", ()),
        ("gpu", "off", ()),
        ("on", "on", ()),
    ],
)
def test_a_word_on_the_cache_states_the_offload(text: str, mode: str, media: tuple[str, ...]) -> None:
    offload = offload_stated(text, "vllm")
    assert offload is not None
    assert (offload.mode, offload.media, offload.has_halo) == (mode, media, mode == "on")


@pytest.mark.parametrize("text", ["fp8", "auto", "bfloat16", "paged"])
def test_a_word_on_the_cache_that_is_no_offload_states_none(text: str) -> None:
    assert offload_stated(text, "vllm") is None


def test_the_first_of_several_iterations_is_cold_and_a_lone_one_is_not() -> None:
    def row(number: int, size: str, **more: Any) -> dict[str, Any]:
        return VLLM | {"iteration": str(number), "input_len": size, "kvcache": "cpu", **more}

    rows = [
        row(1, "1024"),
        row(2, "1024"),
        row(1, "2048"),
        row(7, "4096"),
        row(8, "4096"),
        row(1, "1024", chunksize="64"),
    ]
    cold = [reading.point.cold for reading in readings(rows) if isinstance(reading, Found)]
    assert cold == [True, False, False, False, False, False]


def test_a_warm_up_is_passed_over_and_a_run_of_one_token_is_not() -> None:
    rows = [ONE_TOKEN | {"type": "warmup"}, ONE_TOKEN, VLLM | {"type": "Warm-Up"}]
    kinds = [type(reading) for reading in readings(rows)]
    assert kinds == [Skipped, Found, Skipped]


# Requests one by one


def detailed() -> dict[str, Any]:
    gaps = [[0.02, 0.02], [0.02, 0.04], [0.04, 0.04], [0.01, 0.03]]
    lists = {"input_lens": [1000] * 4, "output_lens": [3, 3, 3, 3], "ttfts": [0.1, 0.2, 0.3, 0.4], "itls": gaps}
    row = {key: value for key, value in VLLM.items() if not key.endswith("_ms")}
    texts = {"generated_texts": ["a secret plan"] * 4, "errors": [""] * 4}
    return (
        row | lists | texts | {"num_prompts": 4, "completed": 4, "total_input_tokens": 4000, "total_output_tokens": 12}
    )


def test_percentiles_that_are_not_stated_are_worked_out_from_the_requests() -> None:
    metrics = point(detailed()).metrics
    assert metrics[LATENCY["ttft"]["p50"]] == pytest.approx(0.25)
    assert metrics[LATENCY["ttft"]["p90"]] == pytest.approx(0.37)
    assert metrics[LATENCY["tpot"]["p50"]] == pytest.approx(0.025)
    assert metrics[LATENCY["e2el"]["mean"]] == pytest.approx(0.305)
    assert metrics[INTERACTIVITY["p50"]] == pytest.approx(40)


def test_without_gaps_the_first_tokens_still_have_percentiles() -> None:
    row = {key: value for key, value in detailed().items() if key != "itls"}
    metrics = point(row).metrics
    assert metrics[LATENCY["ttft"]["p90"]] == pytest.approx(0.37)
    assert not [key for key in metrics if key.startswith(("tpot", "itl", "e2el"))]


def test_a_failed_request_is_no_fast_one() -> None:
    row = detailed()
    row["ttfts"].append(0.0)
    row["itls"].append([])
    row["output_lens"].append(0)
    row["input_lens"].append(1000)
    row["generated_texts"].append("")
    row["errors"].append("ServerDisconnectedError")
    assert point(row).metrics[LATENCY["ttft"]["p50"]] == pytest.approx(0.25)


def test_lists_that_contradict_the_stated_mean_fill_nothing() -> None:
    assert LATENCY["ttft"]["p90"] not in point(detailed() | {"mean_ttft_ms": 90.0}).metrics


def test_lists_are_not_stored_but_tell_records_apart() -> None:
    one, other = detailed(), detailed()
    other["ttfts"][0] = 0.11
    assert "secret plan" not in json.dumps(point(one).raw)
    assert point(one).raw["ttfts"].startswith("4 values")
    assert point(one).raw != point(other).raw
    assert point(one).raw == point(detailed()).raw


# Cross-checks


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        ({"total_token_throughput": 1024.0}, "total_mismatch"),
        ({"output_throughput": 8192.0, "total_token_throughput": 10240.0}, "tokens_mismatch"),
        ({"completed": 1, "num_prompts": 1, "total_input_tokens": 102400}, "single_request"),
        ({"max_output_tokens_per_s": 500.0}, "peak_below_mean"),
        ({"mean_itl_ms": 6.2, "median_itl_ms": 0.02}, "bundled_chunks"),
        ({"mean_itl_ms": 125.0, "median_itl_ms": 120.0}, "bundled_chunks"),
        ({"failed": 3}, "counts_mismatch"),
        ({"input_len": "1024", "output_len": "1024"}, "lengths_vary"),
    ],
)
def test_figures_that_exclude_each_other_are_flagged(change: dict[str, Any], flag: str) -> None:
    assert flag not in point(VLLM).flags
    assert flag in point(VLLM | change).flags


def test_figures_that_agree_raise_no_flag() -> None:
    assert flags_of(point(VLLM | {"max_output_tokens_per_s": 1400.0, "input_len": "1024", "output_len": "512"})) == ()


# Sweeps


def sweep_row(number: int = 0) -> dict[str, Any]:
    return VLLM | {"run_number": number, "max_num_seqs": 128, "tensor_parallel_size": 8}


def test_a_run_of_a_sweep_is_plotted_once(tmp_path: Path) -> None:
    combination = tmp_path / "SERVE--max_num_seqs=128-BENCH--max_concurrency=16"
    combination.mkdir()
    runs = [sweep_row(0), sweep_row(1) | {"median_tpot_ms": 12.3}]
    for number, run in enumerate(runs):
        (combination / f"run={number}.json").write_text(json.dumps(run))
    failure = {"run_number": 2, "error_type": "TimeoutError", "error": "too long", "serve_overrides": {}}
    (combination / "run=2.failure.json").write_text(json.dumps(failure))
    (combination / "summary.json").write_text(json.dumps(runs))
    (tmp_path / "summary.csv").write_text(table(runs))
    documents = [document_of(path) for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    (summary,) = [each for each in documents if each.name == "summary.json"]
    parts = {each.name for each in VllmSweep().absorbs(summary, documents)}
    assert parts == {"run=0.json", "run=1.json", "summary.csv"}
    assert not [each for each in documents if each is not summary and VllmSweep().absorbs(each, documents)]
    report = ingest([tmp_path], tmp_path / "db", dry_run=True)
    said = {file.path.rpartition("/")[2]: (file.role, file.points, len(file.refused)) for file in report.files}
    assert said == {
        "run=0.json": ("companion", 0, 0),
        "run=1.json": ("companion", 0, 0),
        "run=2.failure.json": ("refused", 0, 1),
        "summary.json": ("results", 2, 0),
        "summary.csv": ("companion", 0, 0),
    }


def table(runs: list[dict[str, Any]]) -> str:
    columns = list(runs[0])
    lines = [",".join(("", *columns))]
    for number, run in enumerate(runs):
        lines.append(",".join((str(number), *("" if run[key] is None else str(run[key]) for key in columns))))
    return "\n".join(lines) + "\n"


def test_the_table_of_a_sweep_gives_the_points_of_its_runs() -> None:
    runs = [sweep_row(0), sweep_row(1)]
    from_table = [reading.point for reading in readings(document(table(runs).encode(), "summary.csv"))]  # type: ignore[union-attr]
    from_list = [reading.point for reading in readings(runs)]  # type: ignore[union-attr]
    assert [each.metrics for each in from_table] == [each.metrics for each in from_list]
    assert [(each.iteration, each.concurrency, each.layout) for each in from_table] == [
        (each.iteration, each.concurrency, each.layout) for each in from_list
    ]
    assert not any(each.cold for each in from_list), "a sweep clears caches between its runs"


def test_a_table_with_the_texts_of_all_answers_in_a_cell_is_read() -> None:
    run = {key: value for key, value in sweep_row().items() if value is not None} | {"generated_texts": "a" * 200_000}
    (reading,) = readings(document(table([run]).encode(), "summary.csv"))
    assert isinstance(reading, Found)
    assert len(json.dumps(reading.point.raw)) < 5_000


def test_the_row_in_which_a_table_is_cut_off_is_refused() -> None:
    text = table([sweep_row(0), sweep_row(1)])
    for end in range(len(text) - 100, len(text)):
        kinds = [type(reading) for reading in readings(document(text[:end].encode(), "summary.csv"))]
        assert kinds == [Found, Refused]


def test_a_run_that_failed_is_refused_with_its_error() -> None:
    failure = {"run_number": 1, "error_type": "CalledProcessError", "error": "exit status 1", "serve_overrides": {}}
    assert refusal(failure) == (
        "run 1 of the sweep failed: CalledProcessError: exit status 1; there is no result to read"
    )


def test_a_median_takes_over_the_runs_that_it_was_made_of() -> None:
    whole = document(VLLM | {"aggregation_method": "median", "individual_result_files": ["a.json"]}, "median.json")
    others = [document(VLLM, name) for name in ("a.json", "b.json")]
    assert [each.name for each in VllmBench().absorbs(whole, [whole, *others])] == ["a.json"]


# SGLang, perf-eval, InferenceX


def test_a_bare_infinity_is_a_rate_without_limit() -> None:
    first, _ = points_of(SAMPLES / "sglang_bench" / "of_2024.jsonl")
    assert first.interactivity_def == "1/itl"
    assert first.concurrency == 300
    assert "request_rate" not in first.facts
    assert not document_of(SAMPLES / "sglang_bench" / "of_2024.jsonl").parsed.warnings


def test_a_degree_of_parallelism_that_multiplies_two_is_a_count_of_chips() -> None:
    (made,) = points_of(SAMPLES / "perf_eval" / "nightly_row.json")
    assert made.chip_count == 8
    assert made.layout.whole is not None
    assert made.layout.whole.tp is None
    assert made.spec is None, "the tool writes false whatever was run"


def test_an_interactivity_of_zero_is_none() -> None:
    (made,) = points_of(SAMPLES / "perf_eval" / "no_pace_and_no_throughput.json")
    assert not [key for key in made.metrics if key.startswith("interactivity")]


def test_a_row_for_a_dashboard_of_another_shape_is_left_to_its_reader() -> None:
    row = json.loads((SAMPLES / "perf_eval" / "nightly_row.json").read_text())
    assert source_of(document(row)).key == "perf-eval"
    row["hw"] = row.pop("device")
    assert source_of(document(row)).key == "inferencex"


def test_the_protocol_of_a_raw_file_names_no_engine_and_its_time_has_a_zone() -> None:
    (made,) = points_of(SAMPLES / "bench_serving_raw" / "server_not_named.json")
    assert made.engine is None
    assert made.run_time == "2026-06-11T04:04:19+00:00"


def test_a_raw_row_with_known_numbers() -> None:
    raw = VLLM | {"request_goodput:": None, "total_token_throughput": 15462.803, "median_tpot_ms": 1000 / 8.2644}
    made = point({key: value for key, value in raw.items() if key != "request_goodput"})
    assert made.dialect == "inferencex-benchmark-serving"
    assert made.metrics[TPUT["total"]] == 15462.803
    assert made.metrics[INTERACTIVITY["p50"]] == pytest.approx(8.2644)


def test_a_token_position_row_with_known_numbers_is_in_seconds() -> None:
    row = json.loads((SAMPLES / "token_position" / "in_seconds.json").read_text())
    row |= {"input_throughput": 954.160, "output_throughput": 11.927, "median_tpot": 1 / 7.0896}
    made = point(row)
    assert made.metrics[TPUT["total"]] == pytest.approx(966.087)
    assert made.metrics[TPUT["output"]] == 11.927
    assert made.metrics[INTERACTIVITY["p50"]] == pytest.approx(7.0896)
    assert made.workload == "10k/128"


# Files that are no results


def test_a_file_that_is_no_result_is_told_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "fio.json").write_text(json.dumps({"fio version": "fio-3.40", "jobs": []}))
    (tmp_path / "turns.json").write_text(json.dumps({"concurrency": 4, "ttft_ms": {"p50": 3.0}}))
    report = ingest([tmp_path], tmp_path / "db", dry_run=True)
    reasons = {file.path.rpartition("/")[2]: file.refused[0][1] for file in report.files}
    assert "storage device" in reasons["fio.json"]
    assert reasons["turns.json"].startswith(f"{UNREAD}a JSON object with the keys concurrency, ttft_ms")


# Whatever stands in a row


ROWS = [
    VLLM,
    detailed(),
    sweep_row(),
    *(
        json.loads((SAMPLES / path).read_text().splitlines()[0] if path.endswith("l") else (SAMPLES / path).read_text())
        for path in (
            "sglang_bench/with_server_info.jsonl",
            "perf_eval/nightly_row.json",
            "bench_serving_raw/server_not_named.json",
            "token_position/in_seconds.json",
        )
    ),
]
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(("", "false", "12", "inf", "NaN", "8xH100", 10**30, 1e308, 5e-324, -1, [], {}, [1, "a", None])),
    st.text(max_size=5),
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(ROWS), st.data())
def test_no_value_breaks_a_row(row: dict[str, Any], data: st.DataObject) -> None:
    spoiled = copy.deepcopy(row)
    for key in data.draw(st.lists(st.sampled_from(sorted(row)), min_size=1, max_size=4)):
        spoiled[key] = data.draw(ODD)
    file = document(spoiled)
    claimants = [source for source in SOURCES if source.role == "results" and source.claims(file)]
    assert len(claimants) <= 1
    for source in claimants:
        for reading in source.read(file):
            if isinstance(reading, Found):
                made = finish(named_facts(reading.point, file))
                json.dumps(made.metrics, allow_nan=False)
                assert all(value > 0 for key, value in made.metrics.items() if key.startswith("interactivity"))
                assert made.offload.has_halo is ("kv" in made.offload.kinds)


# Real files


FOLDERS = {
    "vllm_bench_serve": ("vllm-bench", 275, 14),
    "sglang_bench_serving": ("sglang-bench", 14, 0),
    "inferencex_bench_serving_raw": ("bench-serving-raw", 30, 0),
    "inferencex_token_position_slo": ("token-position", 24, 0),
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_record_of_a_folder_is_found_or_a_warm_up(shared_data: Path, folder: str) -> None:
    key, found, skipped = FOLDERS[folder]
    kinds: Counter[type] = Counter()
    for path in sorted((shared_data / folder).iterdir()):
        file = document_of(path)
        assert source_of(file).key == key
        for reading in readings(file):
            kinds[type(reading)] += 1
            if isinstance(reading, Found):
                made = finish(reading.point)
                assert made.concurrency
                assert made.metrics[INPUT_TOKENS_MEAN] > 0
                json.dumps(made.metrics, allow_nan=False)
    assert kinds == Counter({Found: found, Skipped: skipped})


def test_iterations_with_offload_and_their_cold_firsts(shared_data: Path) -> None:
    made = [each for path in sorted((shared_data / "vllm_bench_serve").iterdir()) for each in points_of(path)]
    assert Counter(each.offload.mode for each in made) == {"on": 275}
    assert all(each.cold is (each.iteration == 1) for each in made)
    assert len({each.workload for each in made}) == 10
    (cpu,) = [path for path in (shared_data / "vllm_bench_serve").iterdir() if "0821-cpu" in path.name]
    assert len(points_of(cpu)) == 15
    assert {each.offload.media for each in points_of(cpu)} == {("hbm", "host_dram")}


def test_the_first_line_of_a_sglang_file(shared_data: Path) -> None:
    (path,) = (shared_data / "sglang_bench_serving").glob("*offline*")
    first = points_of(path)[0]
    assert first.metrics[TPUT["output"]] == pytest.approx(4520.70, abs=0.01)
    assert first.metrics[LATENCY["itl"]["p50"]] == pytest.approx(0.15901, abs=1e-5)
    assert first.interactivity_def == "1/itl"
    assert {"pooled_itl", "load_measured", "lengths_vary"} <= set(first.flags)


def test_long_chunks_are_seen_where_the_server_streamed_several_tokens_at_once(shared_data: Path) -> None:
    (path,) = (shared_data / "inferencex_bench_serving_raw").glob("results__deepseekr1*conc64*")
    (made,) = points_of(path)
    assert "bundled_chunks" in made.flags
    assert made.metrics[INTERACTIVITY["p50"]] == pytest.approx(1000 / 33.877903)


@pytest.mark.parametrize("folder", ["multiturn_custom", "misc_json", "misc_tsv", "storage_offload_custom"])
def test_one_authors_own_shapes_are_refused_in_a_sentence(shared_data: Path, tmp_path: Path, folder: str) -> None:
    report = ingest([shared_data / folder], tmp_path / "db", dry_run=True)
    for file in report.files:
        assert file.role == "refused"
        ((_, reason),) = file.refused
        assert reason.startswith(UNREAD) or "no point in it" in reason


def test_what_a_user_wrote_beside_a_run_tells_setups_apart(tmp_path: Path) -> None:
    runs = [
        {**VLLM, "kvcache": "gds-400g", "arcc": word, "iteration": str(n)} for word in ("on", "off") for n in (1, 2)
    ]
    (tmp_path / "runs.json").write_text("\n".join(json.dumps(run) for run in runs))
    gathered = points_of(tmp_path / "runs.json")
    assert {made.variant for made in gathered} == {"arcc=on kvcache=gds-400g", "arcc=off kvcache=gds-400g"}
    assert len({config_id(made) for made in gathered}) == 2
