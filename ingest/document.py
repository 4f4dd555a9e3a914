"""One file on its way to the sources: its bytes, and where they lay."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ingest.jsontext import Parsed, parse, utf8


@dataclass(frozen=True, eq=False)
class Document:
    """One innermost file, decompressed. A format is told by `data`, never by the names."""

    place: str
    """What pages and reports show: the path as it was given with what lies below; `archive.zip!member`."""
    resolved: str
    """Absolute path, `path!member`: tells runs apart and is never shown."""
    name: str
    """Base name of the innermost file, without .gz or .zst."""
    folders: tuple[str, ...]
    """Folder names from the argument downward, archives included: the last source of facts."""
    data: bytes = field(repr=False)

    def may_hold(self, *words: str) -> bool:
        """Whether all of these words may stand in it. Cheap: records of requests are too long to parse on suspicion.

        What is not written in one byte a letter, as UTF-16 is not, may hold anything.
        """
        return b"\0" in self.data[:4] or all(word.encode() in self.data for word in words)

    @cached_property
    def text(self) -> str:
        """The content as text, without a byte order mark. What is not UTF-8 shows as �."""
        return utf8(self.data).decode("utf-8", "replace")

    @cached_property
    def parsed(self) -> Parsed:
        """The content as JSON; its shape is `none` when it is something else."""
        return parse(self.data)


class Reopened(Document):
    """A document whose bytes were let go, and are read again when somebody asks for them."""

    path: Path | None
    noted: object
    """What its source noted of it in the first pass; None where that notes nothing."""

    def __init__(self, document: Document, path: Path | None) -> None:
        for name in ("place", "resolved", "name", "folders"):
            object.__setattr__(self, name, getattr(document, name))
        self.__dict__["path"], self.__dict__["noted"] = path, None

    @cached_property
    def data(self) -> bytes:
        return self.path.read_bytes() if self.path is not None else b""

    def forget(self) -> None:
        """Lets the bytes go again, and what was made of them."""
        for name in ("data", "text", "parsed"):
            self.__dict__.pop(name, None)
