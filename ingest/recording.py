"""What happened during a run goes to the store beside its point: requests one by one, and the server over time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from app.catalog.point import Point
from app.store.series import FACT, Request, Slice, Staging
from ingest.completing import Sources
from ingest.document import Reopened
from ingest.reading import FAILURES
from ingest.sources.base import Recording, Timed
from ingest.taking import Result, Taken

Tell = Callable[[str], None]


def record(taken: Sequence[Taken], sources: Sources, staged: Staging, tell: Tell) -> None:
    """Stages the series of every point, and names them among its facts. A file that fails costs only these."""
    by_place = {file.place: file for file in taken}
    for file in taken:
        for result in file.results:
            parts = [by_place[part.place] for part in result.parts if part.place in by_place]
            recorded = _Recorded(result.point, [file, *parts], sources, tell)
            try:
                _stage(result, recorded, staged)
            except FAILURES as error:
                file.file.warn([f"what happened during the run could not be kept ({type(error).__name__}: {error})"])
            finally:
                recorded.forget()


def _stage(result: Result, recorded: "_Recorded", staged: Staging) -> None:
    names: dict[str, str] = {}
    requests = staged.requests(recorded.requests())
    if requests is not None:
        names["requests"] = requests.name
    timeline = staged.timeline(recorded.slices(), requests.zero_ns if requests else None)
    if timeline is not None:
        names["timeline"] = timeline.name
    if names:
        result.point = replace(result.point, facts={**result.point.facts, FACT: names})


class _Recorded:
    """The files that one point was made of, asked for what they recorded."""

    def __init__(self, point: Point, files: Sequence[Taken], sources: Sources, tell: Tell) -> None:
        self._point, self._files, self._sources, self._tell = point, files, sources, tell

    def requests(self) -> Iterator[Request]:
        """Those of the first file that has any."""
        for file, source, document in self._read():
            if isinstance(source, Recording):
                any_yet = False
                for request in source.requests_in(document):
                    if not any_yet:
                        self._tell(file.place)
                        any_yet = True
                    yield request
                document.forget()
                if any_yet:
                    return

    def slices(self) -> Iterator[Slice]:
        """Those of the first file of each source that has any."""
        told: set[str] = set()
        for _, source, document in self._read():
            if isinstance(source, Timed) and source.key not in told:
                for slice in source.slices_in(document, self._point):
                    told.add(source.key)
                    yield slice
                document.forget()

    def _read(self) -> Iterator[tuple[Taken, object, Reopened]]:
        # A table says the same as the JSON beside it, with fewer digits.
        for file in sorted(self._files, key=lambda file: file.place.endswith(".csv")):
            if file.source is not None and file.document is not None:
                yield file, self._sources[file.source], file.document

    def forget(self) -> None:
        for file in self._files:
            if file.document is not None:
                file.document.forget()
