"""Answers worked out once for records that agree in some fields, since the rows of a sweep repeat themselves."""

import marshal
from collections.abc import Callable
from typing import Generic, TypeVar

from app.catalog.point import Json
from ingest.sources.fields import Fields

T = TypeVar("T")

_MOST = 4096
_PLAIN = 2
"""The version of marshal that writes equal values as equal bytes, whichever objects they are."""


class Memory(Generic[T]):
    """What was made of the fields `names`. Give the answer a frozen type: many records will hold the same one."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._known: dict[bytes, tuple[T, list[str], list[str]]] = {}

    def of(self, row: Fields, work: Callable[[Fields], T], *more: Json) -> T:
        """The answer for these fields and what else it depends on, with its notes and flags added to the row's."""
        # Unlike a tuple as a key, marshal tells true from 1 and takes lists and blocks.
        key = marshal.dumps((more, [row.row.get(name) for name in self._names]), _PLAIN)
        known = self._known.get(key)
        if known is None:
            own = Fields(row.row)
            if len(self._known) >= _MOST:
                self._known.clear()
            known = self._known[key] = (work(own), own.notes, own.flags)
        answer, notes, flags = known
        row.notes += notes
        row.flags += flags
        return answer
