"""The files under the paths that were given: each one opened, unpacked and yielded once, one at a time."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from ingest.document import Document
from ingest.found import Entry, Problem, found
from ingest.unpack import Limits, unpacked

__all__ = ["Document", "Problem", "documents", "opened"]

LIMITS = Limits()


def documents(paths: Iterable[Path], limits: Limits = LIMITS) -> Iterator[Document | Problem]:
    """Every file under the paths, in an order that does not depend on theirs. Raises NoSuchPath."""
    for entry in found(paths):
        yield from opened(entry, limits)


def opened(entry: Entry | Problem, limits: Limits = LIMITS) -> Iterator[Document | Problem]:
    """What an entry holds: itself, or the innermost files of an archive."""
    if isinstance(entry, Problem):
        yield entry
    else:
        yield from unpacked(entry, limits)
