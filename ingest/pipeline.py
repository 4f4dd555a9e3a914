"""From paths to a published snapshot: each file to the one source that claims it, each record to a verdict.

A bad row costs itself, a file that a source fails on costs itself, and both are named. Files are taken
in sorted order and rows in theirs, so that the order of the arguments changes nothing.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from app.catalog.point import Json, Point, digest
from app.store.publish import publish
from app.store.rows import Arrival, Rejection
from ingest.document import Document
from ingest.documents import Problem, opened
from ingest.finish import finish
from ingest.found import found, shown
from ingest.names import named_facts
from ingest.reading import FAILURES, claim, failed
from ingest.redact import may_hold_secrets, redacted
from ingest.report import FileReport, Report
from ingest.sources import SOURCES
from ingest.sources.base import Companion, Found, Skipped, Source
from ingest.supplied import NOTHING, Supplied

_LABEL = 36


class Progress(Protocol):
    """Told how far an ingest is."""

    def begin(self, files: int, size: int) -> None: ...
    def at(self, place: str) -> None: ...
    def done(self, size: int) -> None: ...
    def publishing(self) -> None: ...
    def waiting(self, text: str) -> None: ...


@dataclass(slots=True)
class _Batch:
    """All that one call has read so far."""

    supplied: Supplied
    run: str | None
    sources: Sequence[Source | Companion]
    files: list[FileReport] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    owners: list[FileReport] = field(default_factory=list)
    companions: list[tuple[Document, Companion, FileReport]] = field(default_factory=list)
    results: list[Document] = field(default_factory=list)


def ingest(
    paths: Iterable[Path],
    folder: Path,
    *,
    supplied: Supplied = NOTHING,
    run: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
    sources: Sequence[Source | Companion] = SOURCES,
) -> Report:
    """Reads every file under the paths into the store in `folder`, as one snapshot. Raises NoSuchPath, StoreError."""
    batch = _Batch(supplied, run, sources)
    entries = found(paths)
    if progress:
        progress.begin(len(entries), sum(0 if isinstance(entry, Problem) else entry.size for entry in entries))
    for entry in entries:
        if progress:
            progress.at(entry.place)
        for part in opened(entry):
            _take(batch, part)
        if progress:
            progress.done(0 if isinstance(entry, Problem) else entry.size)
    _attach_companions(batch)
    if progress:
        progress.publishing()
    published = publish(
        folder,
        batch.arrivals,
        _rejections(batch),
        on_wait=progress.waiting if progress else None,
        dry_run=dry_run,
    )
    report = Report(snapshot=published.snapshot, files=batch.files, dry_run=dry_run)
    for arrival, owner, verdict in zip(batch.arrivals, batch.owners, published.verdicts, strict=True):
        owner.verdicts[verdict] += 1
        if verdict != "duplicate":
            report.offload[arrival.point.offload.mode] += 1
    return report


def _take(batch: _Batch, part: Document | Problem) -> None:
    file = FileReport(path=part.place)
    batch.files.append(file)
    if isinstance(part, Problem):
        _set_aside(file, part.reason, ignored=part.ignored)
        return
    source = claim(part, batch.sources)
    if isinstance(source, str):
        _set_aside(file, source)
        return
    file.source = source.key
    if source.role == "companion":
        file.role = "companion"
        batch.companions.append((part, source, file))
    else:
        _read(batch, part, source, file)


def _set_aside(file: FileReport, reason: str, *, ignored: bool = False) -> None:
    if ignored:
        file.role = "ignored"
        file.warn([reason])
    else:
        file.role = "refused"
        file.refused.append(("file", reason))


def _read(batch: _Batch, document: Document, source: Source, file: FileReport) -> None:
    """Takes the points of a file; what its text or its source refuses is named."""
    first = len(batch.arrivals)
    where = "at the start"
    clean = not may_hold_secrets(document.data)
    label, own_run = run_of(document, batch.run)
    reader = f"{source.key}/{source.version}"
    try:
        for reading in source.read(document):
            where = f"after {reading.where}"
            if isinstance(reading, Skipped):
                file.warn([f"{reading.where}: {reading.reason}"])
                continue
            if not isinstance(reading, Found):
                file.refused.append((reading.where, reading.reason))
                continue
            point = finish(named_facts(reading.point, document), batch.supplied)
            point = point if clean else _redacted(point)
            batch.arrivals.append(
                Arrival(
                    point=point,
                    run=point.run or own_run,
                    run_label=point.run or label,
                    place=document.place,
                    where=reading.where,
                    source=source.key,
                    reader=reader,
                    supplied=batch.supplied.texts,
                )
            )
            file.need(point.needs)
            file.warn(point.warnings)
    except FAILURES as error:
        file.refused.append((where, failed(source, where, error)))
    if "parsed" in document.__dict__ and document.parsed.shape != "none":
        file.refused += document.parsed.problems
        file.warn(document.parsed.warnings)
    batch.owners += [file] * (len(batch.arrivals) - first)
    if len(batch.arrivals) > first:
        batch.results.append(replace(document, data=b""))
    elif not file.refused:
        _set_aside(file, "the file is of this format but holds no result")
    else:
        file.role = "refused"


def run_of(document: Document, run: str | None) -> tuple[str, str]:
    """Label and id of the run that a file is when it names none: `--run`, else the file itself."""
    if run is not None:
        return run, run
    path, _, member = document.resolved.partition("!")
    outer = Path(path)
    parts = (outer.name, document.name) if member else (outer.parent.name, document.name)
    label = ("!" if member else "/").join(_short(shown(part)) for part in parts if part)
    return label, f"{label}~{hashlib.sha256(document.resolved.encode('utf-8', 'surrogateescape')).hexdigest()[:6]}"


def _short(name: str) -> str:
    """A name that fits into a legend; both its ends tell sweeps apart."""
    return name if len(name) <= _LABEL else f"{name[: _LABEL // 2]}..{name[-_LABEL // 2 + 2 :]}"


def _redacted(point: Point) -> Point:
    return replace(point, raw=redacted(point.raw), facts=redacted(point.facts), spellings=redacted(point.spellings))


def _attach_companions(batch: _Batch) -> None:
    """Hands each companion to the file it completes; its facts go to every point made of the same record."""
    for document, companion, file in batch.companions:
        try:
            completed = companion.completes(document, batch.results)
            facts = redacted(companion.facts(document)) if completed is not None else {}
        except FAILURES as error:
            _set_aside(file, failed(companion, "on it", error))
            continue
        if completed is None:
            file.role = "ignored"
            file.warn([f"{companion.label}: the result it belongs to is not among these files"])
            continue
        file.of = completed.place
        _add_facts(batch.arrivals, completed.place, companion.key, facts)


def _add_facts(arrivals: list[Arrival], place: str, key: str, facts: dict[str, Json]) -> None:
    records = {digest(arrival.point.raw) for arrival in arrivals if arrival.place == place}
    for at, arrival in enumerate(arrivals):
        if arrival.place == place or digest(arrival.point.raw) in records:
            point = arrival.point
            known = point.facts.get("companions", {})
            point = replace(point, facts={**point.facts, "companions": {**known, key: facts}})
            arrivals[at] = replace(arrival, point=point)


def _rejections(batch: _Batch) -> Sequence[Rejection]:
    return [
        Rejection(path=file.path, where=where, reason=reason, source=file.source)
        for file in batch.files
        for where, reason in file.refused
    ]
