"""The table that the InferenceX site exports: three lines of license, then one row a point.

Older exports head their latencies (ms) over figures in seconds. This is the one place in Halo where a declared
unit is overruled, and every point of it carries a flag.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from app.catalog.point import Json, Point
from ingest.checks import checked
from ingest.document import Document
from ingest.sources import inferencex_fixed
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.fields import Fields
from ingest.sources.inferencex_api_row import day_of, one_node
from ingest.sources.inferencex_row import Unusable
from ingest.sources.tables import Cut, Row, header_of, rows_of

_SIGNS = frozenset(("Model", "ISL", "OSL", "Hardware", "Hardware Key", "Throughput/GPU (tok/s)"))
_PLAIN = {
    "Model": "model",
    "ISL": "isl",
    "OSL": "osl",
    "Framework": "framework",
    "Precision": "precision",
    "Concurrency": "conc",
    "Throughput/GPU (tok/s)": "tput_per_gpu",
    "Output Throughput/GPU (tok/s)": "output_tput_per_gpu",
    "Input Throughput/GPU (tok/s)": "input_tput_per_gpu",
    "Disaggregated": "disagg",
    "Num Prefill GPUs": "num_prefill_gpu",
    "Num Decode GPUs": "num_decode_gpu",
    "Spec Decoding": "spec_decoding",
    "EP": "ep",
    "DP Attention": "dp_attention",
    "Is Multinode": "is_multinode",
    "TP": "tp",
}
_STATISTICS = {"Mean": "mean", "Median": "median", "P75": "p75", "P90": "p90", "P95": "p95", "P99": "p99"}
_LATENCIES = {"TTFT": "ttft", "TPOT": "tpot", "ITL": "itl", "E2E Latency": "e2el"}
_PACE = "Interactivity (tok/s/user)"
_UNITS = {"s": 1.0, "ms": 1e-3}
_SECONDS = 1.0
_NEAR_ONE = 0.1


class InferenceXSiteCsv:
    """Chips are counted as in rows of the API: by role on several nodes, else by parallelism."""

    key = "inferencex-site-csv"
    label = "InferenceX site CSV"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return set(header_of(document)) >= _SIGNS

    def read(self, document: Document) -> Iterator[Reading]:
        for line, row in rows_of(document):
            if isinstance(row, Cut):
                yield Refused(f"line {line}", str(row))
                continue
            try:
                yield Found(f"line {line}", _point(row))
            except Unusable as unusable:
                yield Refused(f"line {line}", str(unusable))


def _point(cells: Row) -> Point:
    said = Fields(cells)
    flat: dict[str, Json] = {name: cells[column] for column, name in _PLAIN.items() if cells.get(column) is not None}
    flat["hw"] = _chip(said)
    overruled = _in_seconds(said)
    for column in cells:
        if (named := _latency(column)) is None:
            continue
        name, unit = named
        if (value := said.number(column)) is not None:
            flat[name] = value if overruled else value * _UNITS[unit]
    flat |= {f"{ours}_intvty": cells.get(f"{theirs} {_PACE}") for theirs, ours in _STATISTICS.items()}
    row = Fields(one_node(flat))
    point = inferencex_fixed.read(row)
    day = day_of(said, "Date")
    notes = [*said.notes, *row.notes]
    if overruled:
        notes.append("latencies headed (ms) are seconds: they were read as seconds")
    completed = replace(
        point,
        dialect="inferencex-site-csv",
        run=day,
        run_time=day,
        flags=tuple(dict.fromkeys((*point.flags, *(["unit_corrected"] if overruled else []), *said.flags))),
        warnings=tuple(dict.fromkeys(notes)),
        raw=cells,
    )
    return checked(completed)


def _chip(said: Fields) -> str | None:
    """`h200`, or the part of `h200_sglang` that names it."""
    return said.text("Hardware") or (said.text("Hardware Key") or "").partition("_")[0] or None


def _latency(column: str) -> tuple[str, str] | None:
    """`Median TTFT (ms)` as our aggregates spell it, and the unit that it states."""
    words, bracket, unit = column.removesuffix(")").rpartition(" (")
    statistic, _, quantity = words.partition(" ")
    if not bracket or unit not in _UNITS or statistic not in _STATISTICS or quantity not in _LATENCIES:
        return None
    return f"{_STATISTICS[statistic]}_{_LATENCIES[quantity]}", unit


def _in_seconds(said: Fields) -> bool:
    """Whether latencies headed (ms) are seconds: a median TPOT below 1 is, since no server needs so few ms.

    Where the row gives its interactivity too, that proves the unit: the two make 1 in seconds and 1,000 in ms.
    """
    tpot, pace = said.number("Median TPOT (ms)"), said.number(f"Median {_PACE}")
    if tpot is None or tpot <= 0:
        others = [value for name in ("ITL", "TTFT") if (value := said.number(f"Median {name} (ms)")) is not None]
        return bool(others) and max(others) < _SECONDS
    if pace is not None and abs(tpot * pace / 1000 - 1) < _NEAR_ONE:
        return False
    return tpot < _SECONDS
