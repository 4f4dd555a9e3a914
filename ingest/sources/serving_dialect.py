"""Which descendant of the one benchmark script wrote a row. Exactly one answer, so that one reader claims a file."""

from typing import Literal

from app.catalog.point import Json
from ingest.document import Document

Dialect = Literal["vllm", "sweep", "raw", "token_position", "sglang", "perf_eval"]

_MARKS = (b'"num_prompts"', b'"total_output_tokens"', b'"tput_per_gpu"', b'"burstiness"')
"""One stands near the start of every such file, even where keys are sorted and lists of requests come first."""
_HEAD = 65_536
_RECORDS = 20
_PERF_EVAL = frozenset(("device", "framework", "conc", "tp", "tput_per_gpu"))
_LATENCIES = ("ttft", "tpot", "itl", "e2el")


def dialect_of_document(document: Document) -> Dialect | None:
    """The dialect of the first record that has one. Whatever else a file begins with, it is soon over."""
    head = document.data[:_HEAD].replace(b"\0", b"")  # UTF-16 puts a zero beside every letter
    if not any(mark in head for mark in _MARKS):
        return None
    return next((dialect for row in document.parsed.records[:_RECORDS] if (dialect := dialect_of(row.value))), None)


def dialect_of(row: Json) -> Dialect | None:
    """The dialect of a row; None for anything else."""
    if not isinstance(row, dict):
        return None
    if row.keys() >= _PERF_EVAL and "hw" not in row:
        return "perf_eval"
    if "total_output_tokens_retokenized" in row or _is_sglang(row):
        return "sglang"
    if not {"num_prompts", "completed", "duration"} <= row.keys() or not ("model_id" in row or "tokenizer_id" in row):
        return None
    if "run_number" in row:
        return "sweep"
    if "request_goodput:" in row or "benchmark_start_time_unix" in row:
        return "raw"
    if not any(key.endswith("_ms") for key in row) and any(f"median_{name}" in row for name in _LATENCIES):
        return "token_position"
    return "vllm"


def _is_sglang(row: dict[str, Json]) -> bool:
    return {"backend", "dataset_name", "completed", "output_throughput"} <= row.keys() and "num_prompts" not in row
