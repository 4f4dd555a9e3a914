"""AIPerf run directories: the summary of a run, and the other files that may stand for it where it is missing.

A run is one point, from the richest of its files: the JSON summary, else the records, else the table. Where runs
lie beside an aggregate of them, the runs are the points and the aggregate belongs to them: they know what was
asked of which model, keep their percentiles, and show how far repeats differ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from app.catalog.point import Json, Point
from app.store.series import Request
from ingest.document import Document
from ingest.sources.aiperf_files import aggregate, records, stream, summary, tables
from ingest.sources.aiperf_files.blocks import is_block
from ingest.sources.aiperf_files.places import let_go, stem_of
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.companions import beside, folder_of
from ingest.sources.inferencex_row import Unusable

Kind = Literal["summary", "aggregate", "sweep", "records", "table"]

_OWN = ("was_cancelled", "error_summary", "telemetry_data", "benchmark_id")
_FOREIGN = ("perf_analyzer", "genai_perf", "subcommand")
_OTHERS = ("timeslices", "per_run", "data")
_SIGNS = (b'"unit"', b'"aiperf_version"', b'"was_cancelled"', b'"error_summary"')
_POORER: dict[Kind, tuple[Kind, ...]] = {
    "summary": ("records", "table"),
    "records": ("table",),
}
_RUNS: tuple[Kind, ...] = ("summary", "records", "table")
_GATHERED: tuple[Kind, ...] = ("aggregate", "sweep")
_FOLDERS = ("aggregate", "sweep_aggregate")


class AIPerf:
    """What AIPerf leaves behind, whatever the files were named."""

    key = "aiperf"
    label = "AIPerf run"
    version = 2
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return kind_of(document) is not None

    def read(self, document: Document) -> Iterator[Reading]:
        kind = kind_of(document)
        where = "file"
        try:
            if kind == "records":
                for found in records.read(document):
                    if isinstance(found, stream.Broken):
                        yield Refused(f"line {found.line}", found.reason)
                    else:
                        yield Found(where, found)
            elif kind == "table":
                yield Found(where, summary.read(tables.blocks_in(document.text), "aiperf-csv"))
            elif kind == "sweep":
                yield from _sweep(_object(document))
            elif kind == "aggregate":
                yield Found(where, aggregate.read(_object(document)))
            else:
                yield Found(where, summary.read(_object(document)))
        except Unusable as unusable:
            yield Refused(where, str(unusable))

    def absorbs(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """Files that say again what this one says: poorer ones of the same run, and aggregates over it."""
        kind = _looked_at(document)
        near = [(other, _looked_at(other)) for other in beside(document, others) if other.place != document.place]
        kinds = [found for _, found in near]
        if kind is None or (kind != "summary" and "summary" in kinds):
            return []
        parts = [
            other
            for other, found in near
            if found in _POORER.get(kind, ())
            and (stem_of(other) == stem_of(document) or (kind not in kinds and kinds.count(found) == 1))
        ]
        if kind in _RUNS:
            parts += [other for other in others if _covers(other, document) and _looked_at(other) in _GATHERED]
        return parts

    def absorb(self, part: Document, point: Point) -> Point:
        """The records of a run give its end-to-end pace exactly; an aggregate tells how far its runs differ."""
        kind = kind_of(part)
        if kind == "records":
            return records.add(part, point)
        if kind == "aggregate":
            return replace(point, facts={**point.facts, **aggregate.spread(_object(part))})
        return point

    def note(self, document: Document) -> object:
        """What requests add up to, so that they are not read again for the summary beside them."""
        return records.note(document) if kind_of(document) == "records" else None

    def has_requests(self, document: Document) -> bool:
        return kind_of(document) == "records"

    def requests_in(self, document: Document, where: str | None) -> Iterator[Request]:
        """All of the file: a run has one, whether its point is made of it or of the summary beside it."""
        return records.requests(document) if kind_of(document) == "records" else iter(())


def kind_of(document: Document) -> Kind | None:
    """Which of AIPerf's result files a document is; None for any other."""
    data = document.data
    head = data[:4].lstrip(b"\xef\xbb\xbf")
    if head[:1] == b"{":
        if stream.is_records(data):
            return "records"
        return (
            _kind_of_object(document) if b'"unit"' in data or b'"aiperf_version"' in data or b'"was_' in data else None
        )
    return "table" if head[:2] == b"Me" and tables.is_table(document.text) else None


def _kind_of_object(document: Document) -> Kind | None:
    value = document.parsed.value
    if not isinstance(value, dict) or any(name in value for name in _OTHERS):
        return None
    if aggregate.is_aggregate(value):
        return "aggregate"
    if aggregate.is_sweep(value):
        return "sweep"
    return "summary" if _is_summary(value) else None


def _is_summary(value: dict[str, Json]) -> bool:
    metadata = value.get("metadata")
    if _has_series(value.get("metrics")) or (isinstance(metadata, dict) and "aggregation_type" in metadata):
        return False
    config = value.get("input_config")
    if isinstance(config, dict) and any(name in config for name in _FOREIGN):
        return False
    blocks = value.get("records")
    if isinstance(blocks, dict | list) and any(map(is_block, blocks.values() if isinstance(blocks, dict) else blocks)):
        return isinstance(config, dict) or any(name in value for name in _OWN)
    known = "aiperf_version" in value or any(name in value for name in _OWN) or _says_aiperf(config)
    return known and (any(map(is_block, value.values())) or isinstance(config, dict))


def _says_aiperf(config: Json) -> bool:
    return isinstance(config, dict) and ("loadgen" in config or "aiperf" in str(config.get("cli_command", "")))


def _has_series(metrics: Json) -> bool:
    """Whether the metrics are those of a server, each a list of series."""
    return isinstance(metrics, dict) and any(isinstance(item, dict) and "series" in item for item in metrics.values())


def _object(document: Document) -> dict[str, Json]:
    value = document.parsed.value
    return value if isinstance(value, dict) else {}


def _sweep(value: dict[str, Json]) -> Iterator[Reading]:
    for where, setting in aggregate.combinations(value):
        try:
            yield Found(where, aggregate.read(setting))
        except Unusable as unusable:
            yield Refused(where, str(unusable))


def _looked_at(document: Document) -> Kind | None:
    """The kind of a file, whose bytes are let go again."""
    try:
        return kind_of(document)
    finally:
        let_go(document)


def _covers(gathered: Document, run: Document) -> bool:
    """Whether an aggregate may be over this run: they lie under one folder, and agree in the setting that it names."""
    folders, own = folder_of(gathered).split("/"), folder_of(run).split("/")
    at = next((at for at, name in enumerate(folders) if name in _FOLDERS), None)
    if at is None or own[:at] != folders[:at]:
        return False
    return folders[at] not in own and set(folders[at + 1 :]) <= set(own[at:])
