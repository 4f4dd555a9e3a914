"""What happened during a run goes to the store beside its point: requests one by one, and the server over time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from app.store.series import FACT, Request, Slice, Staging
from ingest.completing import Sources
from ingest.document import Reopened
from ingest.reading import FAILURES
from ingest.sources.base import Recording, Timed, trait
from ingest.taking import Result, Taken

Tell = Callable[[str], None]


def record(taken: Sequence[Taken], sources: Sources, staged: Staging, tell: Tell) -> None:
    """Stages the series of every point, and names them among its facts. A file that fails costs only these."""
    by_place = {file.place: file for file in taken}
    for file in taken:
        for result in file.results:
            parts = [by_place[part.place] for part in result.parts if part.place in by_place]
            if not any(_records(each, sources) for each in (file, *parts)):
                continue
            recorded = _Recorded(result, file, parts, sources, tell)
            try:
                _stage(result, recorded, staged)
            except FAILURES as error:
                file.file.warn([f"what happened during the run could not be kept ({type(error).__name__}: {error})"])
            finally:
                recorded.forget_parts()
        if file.document is not None:
            file.document.forget()


def _records(file: Taken, sources: Sources) -> bool:
    return file.has_requests or (file.source is not None and trait(sources[file.source], Timed) is not None)


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
    """The files that one point was made of, asked for what they recorded.

    Its own file stays open, since the next point may stand in it; the parts are let go after each.
    """

    def __init__(self, result: Result, own: Taken, parts: Sequence[Taken], sources: Sources, tell: Tell) -> None:
        self._result, self._own, self._parts, self._sources, self._tell = result, own, parts, sources, tell

    def requests(self) -> Iterator[Request]:
        """Those of the first file that has any."""
        for file, source, document in self._read():
            recording = trait(source, Recording) if file.has_requests else None
            if recording is None:
                continue
            any_yet = False
            for request in recording.requests_in(document, self._result.where if file is self._own else None):
                if not any_yet:
                    self._tell(file.place)
                    any_yet = True
                yield request
            self._forget(file)
            if any_yet:
                return

    def slices(self) -> Iterator[Slice]:
        """Those of the first file of each source that has any."""
        told: set[str] = set()
        for file, source, document in self._read():
            timed = trait(source, Timed)
            if timed is not None and timed.key not in told:
                for slice in timed.slices_in(document, self._result.point):
                    told.add(timed.key)
                    yield slice
                self._forget(file)

    def _read(self) -> Iterator[tuple[Taken, object, Reopened]]:
        # A table says the same as the JSON beside it, with fewer digits.
        for file in sorted((self._own, *self._parts), key=lambda file: file.place.endswith(".csv")):
            if file.source is not None and file.document is not None:
                yield file, self._sources[file.source], file.document

    def _forget(self, file: Taken) -> None:
        if file is not self._own and file.document is not None:
            file.document.forget()

    def forget_parts(self) -> None:
        for file in self._parts:
            self._forget(file)
