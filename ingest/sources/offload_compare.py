"""Tables that compare KV caches by medium: one row an iteration of an input length with no cache, cpu, disk or gds.

They give time to first token and total throughput alone, no model, chips or concurrency. The first iteration
meets an empty cache and is four times slower, so it is kept apart.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from app.catalog.offload import ACCESS_PATHS, GDS_STATES, TIERS, Offload, kv_tiers
from app.catalog.point import Json, Point
from app.catalog.vocabulary import other
from ingest.checks import checked
from ingest.document import Document
from ingest.sources import benches
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable
from ingest.sources.serving_iterations import with_cold_marked
from ingest.sources.serving_stated import offload_stated
from ingest.sources.tables import Cut, Row, header_of, rows_of

_SIGNS = frozenset(("iteration", "input_len", "mean_ttft_ms", "total_token_throughput"))
_CACHE = ("cache_type", "kvcache")
_MEASURED = ("iteration", "mean_ttft_ms", "std_ttft_ms", "mean_itl_ms", "total_token_throughput")
_MS = 1e-3
_DISK, _HOST = TIERS["local_nvme"].key, TIERS["host_dram"].key
_GDS = "gds"


class OffloadCompare:
    """Rows of one file and one cache are iterations of each other; nothing is averaged."""

    key = "offload-compare"
    label = "offload comparison CSV"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        columns = header_of(document)
        return set(columns) >= _SIGNS and any(name in columns for name in _CACHE)

    def read(self, document: Document) -> Iterator[Reading]:
        yield from with_cold_marked(_readings(document))


def _readings(document: Document) -> Iterator[Reading]:
    for line, row in rows_of(document):
        if isinstance(row, Cut):
            yield Refused(f"line {line}", str(row))
            continue
        try:
            yield Found(f"line {line}", _point(row))
        except Unusable as unusable:
            yield Refused(f"line {line}", str(unusable))


def _point(cells: Row) -> Point:
    row = Fields(cells)
    measured = Measured()
    benches.throughput(measured, total=row.number("total_token_throughput"), output=None, inputs=None)
    benches.seconds(measured, row, "ttft", {"mean": "mean_ttft_ms"}, unit=_MS)
    benches.seconds(measured, row, "itl", {"mean": "mean_itl_ms"}, unit=_MS)
    benches.pace(measured, "itl")
    if measured.interactivity_def:
        measured.flags += ["itl_based", "pooled_itl"]
    isl = row.integer("input_len")
    word = next((text for name in _CACHE if (text := row.text(name))), None)
    offload = _offload(word)
    point = Point(
        offload=offload,
        workload=_workload(isl, row.text("phase")),
        run="/".join(part for name in ("folder", "file") if (part := row.text(name))) or None,
        iteration=row.integer("iteration"),
        dialect="offload-compare",
        metrics=measured.metrics,
        interactivity_def=measured.interactivity_def,
        facts=_facts(cells, isl),
        spellings={"backend": word} if word else {},
        variant=word if word and re.search(r"\d", word) else None,
        flags=tuple(dict.fromkeys((*_flags(offload), *measured.flags, *row.flags))),
        needs=("workload",),
        warnings=tuple(dict.fromkeys(row.notes)),
        raw=cells,
    )
    return checked(point)


def _flags(offload: Offload) -> tuple[str, ...]:
    return ("backend_missing",) if offload.mode == "on" and offload.backend is None else ()


def _workload(isl: int | None, phase: str | None) -> str | None:
    """The input is stated and the output is not, so each input is a workload of its own until somebody says."""
    return None if not isl else other(" ".join(filter(None, (f"{isl}/?", phase))))


def _offload(word: str | None) -> Offload:
    """`none`, `cpu`, `disk-400g`, `gds-800g`.

    LMCache keeps in host memory too what it writes to disk; with GDS it does not. That GDS really ran is not
    shown, since it falls back to plain reads without a word.
    """
    stated = offload_stated(word, None) if word else None
    if stated is None or stated.mode != "on":
        return stated or Offload()
    if _GDS in re.split(r"[^a-z0-9]+", (word or "").lower()):
        path, state = ACCESS_PATHS["gds_cufile"].key, GDS_STATES["requested_unverified"].key
        return replace(stated, backend_raw=word, access_path=path, gds=state)
    if _DISK in stated.media:
        return replace(stated, tiers=kv_tiers(stated.backend, [_HOST, *stated.media]), backend_raw=word)
    return replace(stated, backend_raw=word)


def _facts(cells: Row, isl: int | None) -> dict[str, Json]:
    """What was set: settings that are no dimension still tell one config from another."""
    settings = {key: value for key, value in cells.items() if value is not None and key not in _MEASURED}
    return benches.told({"isl": isl, "metadata": settings})
