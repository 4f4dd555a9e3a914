"""SGLang's `bench_serving`: one object a line, appended run after run, since 2024 under changing keys."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from app.catalog.point import Point
from app.catalog.workloads import fixed_workload, workload_key
from ingest.document import Document
from ingest.sources.base import Reading
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured
from ingest.sources.serving_details import ListsRequests
from ingest.sources.serving_dialect import dialect_of_document
from ingest.sources.serving_iterations import with_cold_marked
from ingest.sources.serving_requests import LISTS, fill, requests_of
from ingest.sources.serving_row import Spelling, counts, latencies, load_of, pace, readings, throughput
from ingest.sources.serving_stated import Stated, engine_of, stated_of
from ingest.sources.vllm_row import point_of, refuse_warm_up

_SPELLING = Spelling(whole="e2e_latency")
_OWN = frozenset(
    (
        *("backend", "dataset_name", "request_rate", "max_concurrency", "sharegpt_output_len", "random_range_ratio"),
        *("duration", "completed", "failed", "total_input_tokens", "total_output_tokens", "total_input_text_tokens"),
        *("total_input_vision_tokens", "total_output_tokens_retokenized", "request_throughput", "input_throughput"),
        *("output_throughput", "total_throughput", "concurrency", "accept_length", "server_info", "tag"),
        *("max_output_tokens_per_s", "max_concurrent_requests", "num_prompts", "type", "date", "model_id", "model"),
        *LISTS,
    )
)
_SIZES = ("random_input_len", "random_output_len")
_FACTS = (
    *("dataset_name", "random_range_ratio", "total_output_tokens_retokenized", "accept_length", "tag"),
    *("max_concurrent_requests", "sharegpt_output_len"),
)
_SERVER = {
    "tp_size": ("tp_size",),
    "pp_size": ("pp_size",),
    "dp_size": ("dp_size",),
    "ep_size": ("ep_size",),
    "quantization": ("quantization",),
    "sglang_version": ("version", "sglang_version"),
}
"""Settings of the server that newer files carry, under the names by which people state them."""


class _Own:
    def __contains__(self, key: object) -> bool:
        name = str(key)
        return name in _OWN or name.endswith("_ms")


_OWN_KEYS = _Own()


class SglangBench(ListsRequests):
    """Files of 2024 have neither a model nor a time per output token: their pace is that of streamed chunks."""

    key = "sglang-bench"
    label = "SGLang bench_serving"
    version = 2
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return dialect_of_document(document) == "sglang"

    def read(self, document: Document) -> Iterator[Reading]:
        return with_cold_marked(readings(document.parsed.records, _read))


def _read(row: Fields) -> Point:
    refuse_warm_up(row)
    measured = Measured()
    counts(row, measured)
    throughput(row, measured)
    latencies(row, measured, _SPELLING)
    if (requests := requests_of(row.row)) is not None:
        fill(measured, requests)
    pace(measured)
    client = row.text("backend")
    server = row.inner("server_info") if isinstance(row.row.get("server_info"), dict) else Fields({})
    known = Fields({**_settings(server), **row.row}, row)
    stated = stated_of(known, _OWN_KEYS, engine_of(client))
    concurrency = load_of(row, measured)
    facts = {name: row.row[name] for name in _FACTS if row.row.get(name) not in (None, "")}
    if client:
        facts["client_backend"] = client
    by_hand = {
        key: value for key, value in stated.facts.get("metadata", {}).items() if key in row and key not in _SIZES
    }
    if by_hand:
        facts["metadata"] = by_hand
    stated = replace(stated, facts={})
    workload = _workload(row, stated, measured)
    if "model_id" not in row and "model" not in row and (model := server.text("model_path")):
        row = Fields({**row.row, "model_id": model}, row)
    return point_of(
        row,
        dialect="sglang-bench-serving",
        stated=stated,
        measured=measured,
        workload=workload,
        concurrency=concurrency,
        facts=facts,
    )


def _settings(server: Fields) -> dict[str, object]:
    return {
        name: server.row[key] for name, keys in _SERVER.items() for key in keys if server.row.get(key) not in (None, "")
    }


def _workload(row: Fields, stated: Stated, measured: Measured) -> str | None:
    """The nominal lengths of a random load, else the name of the data set.

    With a range ratio below 1 lengths are drawn between that part of the nominal one and all of it; the check of
    mean lengths flags it.
    """
    name = row.text("dataset_name")
    if name is not None and not name.startswith("random"):
        return workload_key(name)
    measured.facts.update((key, size) for key, size in (("isl", stated.isl), ("osl", stated.osl)) if size is not None)
    return fixed_workload(stated.isl, stated.osl)
