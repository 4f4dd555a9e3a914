"""The gaps between tokens that benchmarks list request by request, read apart from the text around them.

They are most of a large file. As numbers of Python's they take half as much memory again as their text, as plain
doubles a third of it.
"""

import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import orjson

from app.catalog.point import Json

LONG = 1 << 20
"""Bytes from which on a text is searched for such lists."""
_KEY = b'"itls"'
_NAME = "itls"
_BEGIN = re.compile(rb"\s*:\s*\[(?=\s*\[)")
_NUMBERS = re.compile(rb"\s*\[([-+.eE0-9,\s]*)\]\s*([,\]])")
_MARK = "\u2063set apart "
"""Stands where a list stood. The sign before it is none that anybody types."""
_ESCAPED = b"\\u2063set apart "


@dataclass(frozen=True, slots=True)
class Apart:
    """A text with a mark for each list, and the lists: an array of doubles a request, a plain list if it has others."""

    text: bytes
    lists: Mapping[str, list[Json]]

    def put_back(self, value: Json) -> None:
        """Puts the lists where their marks stand in what was made of the text."""
        for row in _with_lists(value):
            row[_NAME] = self.lists.get(row[_NAME], row[_NAME])


def set_apart(data: bytes) -> Apart | None:
    """None where there is no such list, or one is not of numbers alone."""
    parts: list[bytes | memoryview] = []
    lists: dict[str, list[Json]] = {}
    view, done, at = memoryview(data), 0, 0
    while (at := data.find(_KEY, at)) >= 0:
        begin = _BEGIN.match(data, at + len(_KEY)) if data[at - 1 : at] != b"\\" else None
        at += len(_KEY)
        if begin is None:
            continue
        read = _rows(data, begin.end())
        if read is None:
            return None
        rows, end = read
        mark = f"{_MARK}{len(lists)}"
        parts += [view[done : begin.end() - 1], orjson.dumps(mark)]
        lists[mark] = rows
        done = at = end
    if not lists or _MARK.encode() in data or _ESCAPED in data:
        return None
    return Apart(b"".join((*parts, view[done:])), lists)


def _rows(data: bytes, at: int) -> tuple[list[Json], int] | None:
    """The lists from a place on, and the place after the bracket that closes them."""
    rows: list[Json] = []
    while (row := _NUMBERS.match(data, at)) is not None:
        try:
            values = orjson.loads(b"[%b]" % row[1])
        except orjson.JSONDecodeError:
            return None
        rows.append(array("d", values) if set(map(type, values)) == {float} else values)
        at = row.end()
        if row[2] == b"]":
            return rows, at
    return None


def _with_lists(value: Json) -> Iterator[dict[str, Json]]:
    """Every object that has text where the list would be."""
    if type(value) is dict and type(value.get(_NAME)) is str:
        yield value
    for item in value.values() if type(value) is dict else value if type(value) is list else ():
        if type(item) is dict or type(item) is list:
            yield from _with_lists(item)
