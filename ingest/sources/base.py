"""What a source is: one result-file format, recognised by content, turned into points or named refusals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar, cast, runtime_checkable

from app.catalog.point import Point
from app.store.series import Request, Slice
from ingest.document import Document


@dataclass(frozen=True, slots=True)
class Found:
    """A result, and where in its file it stood: `file`, `row 3`, `line 12`."""

    where: str
    point: Point


@dataclass(frozen=True, slots=True)
class Refused:
    """A record that gives no point. `reason` is a sentence: what is wrong, and what would be right."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that is no result and is not meant to be one, such as a warm-up: told, but nothing to mend."""

    where: str
    reason: str


Reading = Found | Refused | Skipped


class Source(Protocol):
    """A format that holds results. `version` rises when other numbers are read from the same bytes."""

    key: str
    label: str
    version: int
    role: Literal["results"]

    def claims(self, document: Document) -> bool:
        """Whether the content is of this format. Cheap, and never raises."""
        ...

    def read(self, document: Document) -> Iterator[Reading]:
        """Every record of the file in its order, found or refused: none is left out."""
        ...


class Companion(Protocol):
    """A format without results of its own, which completes those of another file."""

    key: str
    label: str
    version: int
    role: Literal["companion"]

    def claims(self, document: Document) -> bool:
        """Whether the content is of this format. Cheap, and never raises."""
        ...

    def completes(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """Those of the other files, all with results, that this one is about: one, several or none.

        `companions.py` finds the ones beside it or nearest to it.
        """
        ...

    def complete(self, document: Document, point: Point) -> Point:
        """A point of such a file with what this one adds; called once for each point."""
        ...


@runtime_checkable
class Absorbing(Protocol):
    """A source of results that also takes files over as parts of its own points, such as the twin of a report."""

    def absorbs(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """Those of the other files with results that are parts of this one. Their own points are not plotted."""
        ...

    def absorb(self, part: Document, point: Point) -> Point:
        """A point with what such a part adds; called once for each point of the file."""
        ...


@runtime_checkable
class Parted(Protocol):
    """A source of results whose files are parts of one run and do not say of which."""

    def whole(self, document: Document) -> str | None:
        """What the names of all parts of the run have in common; None for a file that stands alone."""
        ...


@runtime_checkable
class Paired(Protocol):
    """A companion that says something only together with a second file of its own format."""

    def partner(self, document: Document, alike: Sequence[Document]) -> Document | str:
        """The other half among the files of this format, or a sentence on what is missing."""
        ...

    def complete_with(self, other: Document, document: Document, point: Point) -> Point:
        """A point with what both halves add; called for each half, and acted upon for one of them."""
        ...


@runtime_checkable
class Recording(Protocol):
    """A format some of whose files hold the requests of a run one by one."""

    def has_requests(self, document: Document) -> bool:
        """Whether the file may hold any. Cheap, and never raises: asked of each file while its bytes are at hand."""
        ...

    def requests_in(self, document: Document, where: str | None) -> Iterator[Request]:
        """The requests of the result that stood there, in the order of the file; none where it has none.

        `where` is None for a file that is a part of a point from another file. Holds one request at a time.
        """
        ...


@runtime_checkable
class Timed(Protocol):
    """A format some of whose files tell how a run went over time."""

    key: str

    def slices_in(self, document: Document, point: Point) -> Iterator[Slice]:
        """Stretches of time of the run that became this point; none where the file has only totals."""
        ...


@runtime_checkable
class Noting(Protocol):
    """A source that is asked several times about a file and needs only little of it."""

    def note(self, document: Document) -> object:
        """What it needs of a file when this is opened again: it is handed back as the `noted` of the document."""
        ...


T = TypeVar("T")


_traits: dict[tuple[type, str], bool] = {}


def trait(source: object, kind: type[T]) -> T | None:
    """The source as one that also does this, None where it does not."""
    # Sources are asked for every file, and a protocol takes long to tell whether it is kept.
    key = (type(source), kind.__name__)
    known = _traits.get(key)
    if known is None:
        known = _traits[key] = isinstance(source, kind)
    return cast("T", source) if known else None
