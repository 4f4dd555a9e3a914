"""From paths to a published snapshot: each file to the one source that claims it, each record to a verdict.

A bad row costs itself, a file that a source fails on costs itself, and both are named. Files are taken
in sorted order and rows in theirs, so that the order of the arguments changes nothing. Points are
finished in a second pass, when every file that completes them is known.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from app.catalog.point import Point
from app.store.publish import publish
from app.store.rows import COMPANION, SAID_IN, TELLER, Arrival, Rejection
from app.store.series import Staging
from ingest.acyclic import acyclic
from ingest.completing import Sources, complete
from ingest.document import Document
from ingest.finish import finish
from ingest.found import Entries, Entry, Problem, found, public, shown
from ingest.kin import Kin
from ingest.labels import telling_label
from ingest.names import named_facts
from ingest.reading import FAILURES
from ingest.recording import record
from ingest.redact import redacted
from ingest.report import FileReport, Report
from ingest.shelf import Shelf
from ingest.sidecar import Sidecar, Sidecars, sidecars_above
from ingest.sources import SOURCES
from ingest.sources.base import Parted, trait
from ingest.sources.halo_rows import remote_id, teller_of
from ingest.supplied import NOTHING, Supplied
from ingest.taking import Result, Taken, take
from ingest.told_twice import stored_twins, tell_of_stored_twins, tell_of_twins
from ingest.workers import read_all

_LABEL = 36


class Progress(Protocol):
    """Told how far an ingest is."""

    def begin(self, files: int, size: int) -> None: ...
    def at(self, place: str) -> None: ...
    def done(self, size: int) -> None: ...
    def publishing(self) -> None: ...
    def waiting(self, text: str) -> None: ...


@dataclass(slots=True)
class Gathered:
    """What files hold: a report on each, and the points that are ready for the store with the file they are from."""

    files: list[FileReport] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    owners: list[FileReport] = field(default_factory=list)


def ingest(
    paths: Iterable[Path] | Entries,
    folder: Path,
    *,
    supplied: Supplied = NOTHING,
    run: str | None = None,
    dry_run: bool = False,
    refusals_alone: bool = True,
    progress: Progress | None = None,
    sources: Sources = SOURCES,
    apart: bool = False,
) -> Report:
    """Reads every file under the paths into the store in `folder`, as one snapshot. Raises NoSuchPath, StoreError.

    `apart` lays them over what is stored, as `publish` does. Without `refusals_alone` what was refused is kept only
    beside points that were not.
    """
    with acyclic(), Staging(folder) as staging:
        staged = None if dry_run else staging
        gathered = gather(paths, supplied=supplied, run=run, progress=progress, sources=sources, staged=staged)
        if progress:
            progress.publishing()
        twins = stored_twins(folder, gathered.arrivals)
        published = publish(
            folder,
            gathered.arrivals,
            _rejections(gathered.files) if refusals_alone or gathered.arrivals else (),
            on_wait=progress.waiting if progress else None,
            dry_run=dry_run,
            staged=staged,
            apart=apart,
        )
    new = [verdict == "new" for verdict in published.verdicts]
    tell_of_stored_twins(gathered.arrivals, gathered.owners, twins, new)
    report = Report(snapshot=published.snapshot, files=gathered.files, dry_run=dry_run)
    for arrival, owner, verdict in zip(gathered.arrivals, gathered.owners, published.verdicts, strict=True):
        owner.verdicts[verdict] += 1
        if verdict != "duplicate":
            report.offload[arrival.point.offload.mode] += 1
    return report


def gather(
    paths: Iterable[Path] | Entries,
    *,
    supplied: Supplied = NOTHING,
    run: str | None = None,
    progress: Progress | None = None,
    sources: Sources = SOURCES,
    staged: Staging | None = None,
) -> Gathered:
    """Everything that lies under the paths, read, completed and finished. Raises NoSuchPath.

    Requests and time series are written to `staged`, and left out without it. Nothing else is written.
    """
    tell = progress.at if progress else lambda _: None
    with acyclic(), Shelf() as shelf:
        taken = _first_pass(paths, sources, shelf, progress)
        complete(taken, sources, tell)
        if staged is not None:
            record(taken, sources, staged, tell)
    gathered = Gathered(files=[file.file for file in taken])
    sidecars = Sidecars([file.sidecar for file in taken if file.sidecar is not None], supplied)
    kin = Kin(
        (file.document, [result.point for result in file.results])
        for file in taken
        if file.results and file.document is not None
    )
    for file in taken:
        if file.results and file.document is not None and file.source is not None:
            source = sources[file.source]
            reader = f"{source.key}/{source.version}"
            parted = trait(source, Parted)
            whole = parted.whole(file.document) if parted is not None else None
            _finish(gathered, file, file.document, reader, sidecars, kin, run, whole)
    tell_of_twins(gathered.arrivals, gathered.owners)
    for file in taken:
        if file.sidecar is not None and not file.sidecar.refused:
            _tell_of(file.file, file.sidecar, sidecars.uses.get(file.place, 0))
    return gathered


def _first_pass(
    paths: Iterable[Path] | Entries, sources: Sources, shelf: Shelf, progress: Progress | None
) -> list[Taken]:
    given = [] if isinstance(paths, Entries) else list(paths)
    entries = list(paths) if isinstance(paths, Entries) else found(given)
    inside = {entry.resolved for entry in entries if not isinstance(entry, Problem)}
    taken = [
        take(sidecar, sources, shelf.folder) for sidecar in sidecars_above(given) if sidecar.resolved not in inside
    ]
    if progress:
        progress.begin(len(entries), sum(0 if isinstance(entry, Problem) else entry.size for entry in entries))

    def done(entry: Entry | Problem) -> None:
        if progress:
            progress.at(entry.place)
            progress.done(0 if isinstance(entry, Problem) else entry.size)

    taken += read_all(entries, sources, shelf.folder, done)
    return taken


def _finish(
    gathered: Gathered,
    taken: Taken,
    document: Document,
    reader: str,
    sidecars: Sidecars,
    kin: Kin,
    run: str | None,
    whole: str | None,
) -> None:
    """The points of a file as they go into the store."""
    file = taken.file
    applied = sidecars.of(document)
    supplied = applied.supplied
    label, own_run = run_of(document, run or applied.run, whole)
    file.warn(applied.warnings)
    relatives = kin.of(document)
    for result in taken.results:
        try:
            point = result.point
            if supplied or remote_id(point) is None:  # what another Halo tells of is finished
                point = finish(named_facts(point, document, supplied.values, relatives), supplied)
        except FAILURES as error:
            file.refused.append((result.where, f"could not be finished ({type(error).__name__}: {error})"))
            continue
        gathered.arrivals.append(
            Arrival(
                point=point if result.clean else _redacted(point),
                run=point.run or own_run,
                run_label=point.run_label or point.run or label,
                place=public(document.place),
                where=result.where,
                source=file.source or "",
                reader=f"{reader}{TELLER}{teller}" if (teller := teller_of(point)) else reader,
                supplied=_told(supplied, result),
                address=remote_id(point),
            )
        )
        gathered.owners.append(file)
        file.need(point.needs)
        file.warn(point.warnings)


def _told(supplied: Supplied, result: Result) -> Mapping[str, str]:
    """What was supplied for a point, with the digests of the files that completed it."""
    if not result.companions and not supplied.places:
        return supplied.texts
    return {
        **supplied.texts,
        **{f"{SAID_IN}{name}": place for name, place in sorted(supplied.places.items())},
        **{f"{COMPANION}{name}": digest for name, digest in sorted(result.companions.items())},
    }


def _tell_of(file: FileReport, sidecar: Sidecar, uses: int) -> None:
    """What became of a sidecar."""
    if not sidecar.says:
        file.role = "ignored"
        file.warn(["it says nothing yet: every line is empty or a comment"])
    elif not uses:
        file.role = "ignored"
        file.warn(["no result lies below it"])
    else:
        file.warn(
            [f"said {', '.join(sidecar.says)} of {uses} file{'s' if uses > 1 else ''}", *sidecar.supplied.warnings]
        )


def run_of(document: Document, run: str | None, whole: str | None = None) -> tuple[str, str]:
    """Label and id of the run that a file is when it names none: `--run`, else the file itself.

    `whole` stands for the file's name where several files of a folder are one run; it may be empty.
    """
    if run is not None:
        return run, run
    path, _, member = document.resolved.partition("!")
    outer = Path(path)
    name = document.name if whole is None else whole
    parts = (outer.name, name) if member else (outer.parent.name, name)
    label = ("!" if member else "/").join(_short(shown(part)) for part in parts if part)
    if whole is None and (telling := telling_label(document)) is not None:
        label = telling
    resolved = document.resolved if whole is None else document.resolved.removesuffix(document.name) + whole
    return label, f"{label}~{hashlib.sha256(resolved.encode('utf-8', 'surrogateescape')).hexdigest()[:6]}"


def _short(name: str) -> str:
    """A name that fits into a legend; both its ends tell sweeps apart."""
    return name if len(name) <= _LABEL else f"{name[: _LABEL // 2]}..{name[-_LABEL // 2 + 2 :]}"


def _redacted(point: Point) -> Point:
    return replace(point, raw=redacted(point.raw), facts=redacted(point.facts), spellings=redacted(point.spellings))


def _rejections(files: Sequence[FileReport]) -> list[Rejection]:
    return [
        Rejection(path=public(file.path), where=where, reason=reason, source=file.source)
        for file in files
        for where, reason in file.refused
    ]
