"""What a source is: one result-file format, recognised by content, turned into points or named refusals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from app.catalog.point import Json, Point
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

    def completes(self, document: Document, others: Sequence[Document]) -> Document | None:
        """The one of the other files that this one is about."""
        ...

    def facts(self, document: Document) -> dict[str, Json]:
        """What it adds to the facts of the points it completes."""
        ...
