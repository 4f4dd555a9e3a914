"""The second pass: files that are parts of others, and companions, find the points they belong to."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from app.catalog.point import Point, digest
from ingest.document import Document, Reopened
from ingest.reading import FAILURES, failed
from ingest.redact import document_may_hold_secrets
from ingest.sources.base import Absorbing, Companion, Paired, Source, trait
from ingest.sources.companions import Others
from ingest.taking import Result, Taken, digest_of, set_aside

Sources = Sequence[Source | Companion]
Tell = Callable[[str], None]


def complete(taken: Sequence[Taken], sources: Sources, tell: Tell) -> None:
    """Puts parts and companions into the points, and each file's fate into its report. `tell` hears of each file."""
    _absorb(taken, sources, tell)
    results = [file for file in taken if file.results]
    others = Others(file.document for file in results if file.document is not None)
    for index, source in enumerate(sources):
        companions = [file for file in taken if file.source == index]
        if source.role == "companion" and companions:
            _complete(source, companions, results, others, tell)


def _absorb(taken: Sequence[Taken], sources: Sources, tell: Tell) -> None:
    """Files of results that others take over; what is left of them stands for itself."""
    readable = {file.place: file for file in taken if _role(file, sources) == "results"}
    everything = Others(file.document for file in readable.values() if file.document is not None)
    for file in readable.values():
        source = _absorbing(file, sources)
        if source is None or file.document is None or not file.results or file.file.of:
            continue
        tell(file.place)
        try:
            parts = source.absorbs(file.document, everything)
            for part in (readable[each.place] for each in parts if each.place != file.place):
                if part.document is not None:
                    _add(file.file.source or "", source.absorb, part.document, file.results)
                    part.file.role, part.file.of = "companion", part.file.of or file.place
        except FAILURES as error:
            file.warnings.append(failed(sources[file.source or 0], "on the files beside it", error))
        file.document.forget()
    for file in readable.values():
        if file.file.of:
            file.results = []
            file.file.warn([*file.warnings, *(f"{where}: {reason}" for where, reason in file.flaws)])
        else:
            file.report()


def _role(file: Taken, sources: Sources) -> str | None:
    return None if file.source is None else sources[file.source].role


def _absorbing(file: Taken, sources: Sources) -> Absorbing | None:
    return None if file.source is None else trait(sources[file.source], Absorbing)


def _complete(
    companion: Companion, files: Sequence[Taken], results: Sequence[Taken], others: Others, tell: Tell
) -> None:
    """Hands each companion to the files it completes, and to every other point made of the same record."""
    about: dict[str, list[Taken]] = defaultdict(list)
    halves = _halves(companion, files) if isinstance(companion, Paired) else {}
    for file in files:
        document = None if file.file.role == "ignored" else file.document
        if document is None:
            continue
        tell(file.place)
        try:
            targets = list(dict.fromkeys(target.place for target in companion.completes(document, others)))
        except FAILURES as error:
            set_aside(file.file, failed(companion, "on it", error))
            continue
        finally:
            document.forget()
        if not targets:
            set_aside(file.file, f"{companion.label}: the result it belongs to is not among these files", ignored=True)
            continue
        file.file.of = targets[0]
        if len(targets) > 1:
            more = len(targets) - 1
            file.file.warn([f"completes {more} other file{'s' if more > 1 else ''} too"])
        for place in targets:
            about[place].append(file)
    points = _assigned(about, results)
    for file in files:
        if file.document is None or file.file.of is None:
            continue
        tell(file.place)
        try:
            _add(companion.key, _put(companion, halves.get(file.place)), file.document, points[file.place])
            file.file.warn([*file.warnings, *(f"{where}: {reason}" for where, reason in file.flaws)])
        except FAILURES as error:
            file.file.of = None
            set_aside(file.file, failed(companion, "on it", error))


def _halves(companion: Paired, files: Sequence[Taken]) -> Mapping[str, Document]:
    """The other half of each file by its place. A file without one is set aside."""
    documents = [file.document for file in files if file.document is not None]
    halves: dict[str, Document] = {}
    for file in files:
        if file.document is None:
            continue
        found = companion.partner(file.document, documents)
        if isinstance(found, str):
            set_aside(file.file, found, ignored=True)
        else:
            halves[file.place] = found
    return halves


def _put(companion: Companion, half: Document | None) -> Callable[[Document, Point], Point]:
    return partial(companion.complete_with, half) if half and isinstance(companion, Paired) else companion.complete


def _assigned(about: dict[str, list[Taken]], results: Sequence[Taken]) -> dict[str, list[Result]]:
    """The points that each companion completes, by its place.

    A record may be among the files twice, such as alone and in the aggregate of its sweep. A copy that
    has no companion of its own gets that of the other, so that the two stay one.
    """
    points: dict[str, list[Result]] = defaultdict(list)
    if not about:
        return points
    of_record: dict[str, list[Taken]] = {}
    alone: list[tuple[str, Result]] = []
    for file in results:
        for result in file.results:
            content = digest(result.point.raw)
            if file.place not in about:
                alone.append((content, result))
                continue
            of_record.setdefault(content, about[file.place])
            for companion in about[file.place]:
                points[companion.place].append(result)
    for content, result in alone:
        for companion in of_record.get(content, ()):
            points[companion.place].append(result)
    return points


def _add(key: str, put: Callable[[Document, Point], Point], document: Reopened, results: Sequence[Result]) -> None:
    """Puts a file into points: into all of them, or, where it fails on one, into none. A copy is put in once."""
    try:
        content = digest_of(document.data)
        fresh = [result for result in results if content not in result.companions.values()]
        made = [put(document, result.point) for result in fresh]
        clean = not document_may_hold_secrets(document)
    finally:
        document.forget()
    for result, point in zip(fresh, made, strict=True):
        result.point = point
        result.clean = result.clean and clean
        result.completed_by(key, document, content)
