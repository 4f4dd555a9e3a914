"""The first pass: each file to the one source that claims it, each record to an unfinished point or a refusal."""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from app.catalog.point import Point
from ingest.document import Document, Reopened
from ingest.found import Problem
from ingest.reading import FAILURES, claim, failed
from ingest.redact import document_may_hold_secrets
from ingest.report import FileReport
from ingest.shelf import shelved
from ingest.sidecar import Sidecar, is_sidecar, read_sidecar
from ingest.sources.base import Companion, Found, Noting, Recording, Skipped, Source, trait

NO_RESULT = "the file is of this format but holds no result"


@dataclass(slots=True)
class Result:
    """A point on its way to the store, with the names and digests of the files that completed it."""

    where: str
    point: Point
    clean: bool
    """Whether nothing that the point was made of can hold a secret."""
    companions: dict[str, str] = field(default_factory=dict)
    parts: list[Reopened] = field(default_factory=list)
    """Those files."""

    def completed_by(self, key: str, document: Reopened, digest: str) -> None:
        """Remembers a file that was put into the point."""
        self.parts.append(document)
        name = f"{key}:{document.name}"
        while self.companions.get(name, digest) != digest:
            name += "+"
        self.companions[name] = digest


@dataclass(slots=True)
class Taken:
    """A file after the first pass. `source` counts in the list of sources; None for a file that nobody reads."""

    file: FileReport
    document: Reopened | None = None
    source: int | None = None
    results: list[Result] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Records that the source refused; the flaws of the text itself are in the report already."""
    flaws: list[tuple[str, str]] = field(default_factory=list)
    sidecar: Sidecar | None = None
    warnings: list[str] = field(default_factory=list)
    skipped: bool = False
    """Whether it holds records that are not meant as results, such as the warm-up of a sweep."""
    has_requests: bool = False
    """Whether it may hold requests one by one."""

    @property
    def place(self) -> str:
        return self.file.path

    def report(self) -> None:
        """Enters what became of a file of results into its report, once it is known to stand for itself."""
        file = self.file
        file.refused += [*self.refused, *self.flaws]
        file.warn(self.warnings)
        if not self.results and not file.refused:
            set_aside(file, NO_RESULT, ignored=self.skipped)
        elif not self.results:
            file.role = "refused"


def take(part: Document | Problem, sources: Sequence[Source | Companion], shelf: Path | None) -> Taken:
    """One file, read if it holds results. `shelf` is a folder for what cannot be opened again where it lies."""
    taken = Taken(FileReport(path=part.place))
    if isinstance(part, Problem):
        set_aside(taken.file, part.reason, ignored=part.ignored)
        return taken
    if is_sidecar(part):
        taken.sidecar = read_sidecar(part)
        taken.file.role = "refused" if taken.sidecar.refused else "companion"
        taken.file.refused += taken.sidecar.refused
        return taken
    source = claim(part, sources)
    if isinstance(source, str):
        set_aside(taken.file, source)
        return taken
    taken.source = sources.index(source)
    taken.file.source = source.key
    taken.document = shelved(part, shelf)
    if source.role == "companion":
        taken.file.role = "companion"
        _note(taken.document, part, source)
    else:
        _read(taken, part, source)
        recording = trait(source, Recording)
        taken.has_requests = recording is not None and recording.has_requests(part)
        _note(taken.document, part, source)
    if "parsed" in part.__dict__ and part.parsed.shape != "none":
        taken.flaws = [(problem.where, problem.reason) for problem in part.parsed.problems]
        taken.warnings += part.parsed.warnings
    return taken


def _read(taken: Taken, document: Document, source: Source) -> None:
    where = "at the start"
    clean = not document_may_hold_secrets(document)
    try:
        for reading in source.read(document):
            where = f"after {reading.where}"
            if isinstance(reading, Found):
                taken.results.append(Result(reading.where, reading.point, clean))
            elif isinstance(reading, Skipped):
                taken.warnings.append(f"{reading.where}: {reading.reason}")
                taken.skipped = True
            else:
                taken.refused.append((reading.where, reading.reason))
    except FAILURES as error:
        taken.refused.append((where, failed(source, where, error)))


def _note(kept: Reopened, document: Document, source: Source | Companion) -> None:
    """Keeps what the source needs later. One that fails on it will fail again when it is asked, and be told."""
    if (noting := trait(source, Noting)) is not None:
        with suppress(*FAILURES):
            kept.noted = noting.note(document)


def set_aside(file: FileReport, reason: str, *, ignored: bool = False) -> None:
    """Marks a file as refused as a whole, or as ignored."""
    if ignored:
        file.role = "ignored"
        file.warn([reason])
    else:
        file.role = "refused"
        file.refused.append(("file", reason))


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
