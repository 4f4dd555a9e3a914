"""JSON as people's tools really write it: read fast where it is clean, salvaged row by row where it is not.

Clean text goes through orjson. The slow path takes NaN and Infinity as missing, refuses a row that
gives a key twice, keeps the whole rows before a cut, and reads JSON lines and objects glued together
whatever the file is called, up to a size past which text with flaws is refused. Nothing here raises: what is
wrong is a problem with a place and a reason.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import orjson

from app.catalog.point import Json
from ingest.decoder import Decoder, Flaw
from ingest.set_apart import LONG, set_apart

Shape = Literal["object", "array", "lines", "none"]


class Row(NamedTuple):
    """One record of a file and the place it stands at."""

    where: str
    value: Json


class Problem(NamedTuple):
    """What could not be read, at which place."""

    where: str
    reason: str


@dataclass(slots=True)
class Parsed:
    """A text read as JSON. Rows at fault are in `problems` and nowhere else; the pipeline reports those.

    `value` is the object, or the list of rows that could be read. `rows` is None for an object.
    """

    shape: Shape = "none"
    value: Json | None = None
    rows: list[Row] | None = None
    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def records(self) -> list[Row]:
        """The object or the rows: whatever stands for one result each."""
        if self.shape == "object":
            return [Row("file", self.value)]
        return self.rows or []


def utf8(data: bytes) -> bytes:
    """The same text as UTF-8 without a byte order mark. Windows shells redirect into UTF-16."""
    encoding = json.detect_encoding(data)
    if encoding == "utf-8":
        return data
    if encoding == "utf-8-sig":
        return data[3:]
    return data.decode(encoding, "replace").encode("utf-8", "replace")


MENDED = 128 << 20
"""Bytes up to which a text with flaws is gone through: that takes five times as much memory."""
_UNCOUNTED = " (counted without its lists of gaps)"


def parse(data: bytes) -> Parsed:
    """Reads bytes as JSON: one object, an array, or one value a line. Long lists of gaps come as arrays of doubles."""
    data = utf8(data)
    apart = set_apart(data) if len(data) >= LONG else None
    if apart is None:
        return _parse(data)
    parsed = _parse(apart.text)
    apart.put_back(parsed.value)
    parsed.problems = [
        Problem(where, f"{reason}{_UNCOUNTED}" if "column" in reason else reason) for where, reason in parsed.problems
    ]
    return parsed


def _parse(data: bytes) -> Parsed:
    if data[:1].isspace():
        data = data.lstrip()
    if not data:
        return Parsed(problems=[Problem("file", "the file holds nothing but blanks")])
    if data[:1] not in (b"{", b"["):
        return Parsed(problems=[Problem("file", "the text is not a JSON object, array or lines")])
    value = _clean(data)
    if isinstance(value, dict):
        return Parsed(shape="object", value=value)
    if isinstance(value, list):
        return _array([Row(f"row {number}", item) for number, item in enumerate(value, start=1)])
    return _Salvage(data).read()


_PAIR = b'":'
_LARGE = 16 << 20
"""Bytes from which on a text is not written out as a whole a second time."""
_STRETCH = 256
_SPACED_COLON = ((b" ", b" :"), (b"\t", b"\t:"), (b"\n", b"\n:"), (b"\r", b"\r:"))
"""Each with what is found far faster where it is not there."""
_KEY = re.compile(rb'"\s*:')


def _clean(data: bytes) -> Json | None:
    """The value of text without a flaw, None when the slow path has to look.

    orjson keeps the last of equal keys. Keys counted in the text and in the value tell whether it did,
    far faster than a parser that watches for them. Writing the value also finds nesting past 254 levels.
    """
    try:
        value = orjson.loads(data)
        kept = orjson.dumps(value).count(_PAIR) if len(data) < _LARGE else _kept(value)
    except (orjson.JSONDecodeError, TypeError):
        return None
    spaced = any(blank in data and mark in data for blank, mark in _SPACED_COLON)
    given = len(_KEY.findall(data)) if spaced else data.count(_PAIR)
    return value if given == kept and not (b"\\" in data and b"\\u0022" in data) else None


def _kept(value: Json, deeper: int = 6) -> int:
    """The keys of a large value, of which a stretch at a time is written out."""
    if deeper and isinstance(value, dict):
        return len(value) + sum(_kept(item, deeper - 1) for item in value.values())
    if deeper and isinstance(value, list) and len(value) <= _STRETCH:
        return sum(_kept(item, deeper - 1) for item in value)
    if isinstance(value, list):
        return sum(orjson.dumps(value[at : at + _STRETCH]).count(_PAIR) for at in range(0, len(value), _STRETCH))
    return orjson.dumps(value).count(_PAIR)


def _array(rows: list[Row], shape: Shape = "array") -> Parsed:
    return Parsed(shape=shape, value=[row.value for row in rows], rows=rows)


class _Salvage:
    """Reads text with flaws, value by value."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._decoder = Decoder()
        self._rows: list[Row] = []
        self._problems: list[Problem] = []

    def read(self) -> Parsed:
        if self._is_lines():
            self._read_lines()
            parsed = _array(self._rows, "lines")
        elif len(self._data) > MENDED:
            self._problems.append(Problem("file", self._too_long()))
            parsed = Parsed()
        elif self._data.startswith(b"["):
            self._read_array(_text(self._data))
            parsed = _array(self._rows)
        else:
            parsed = self._read_objects(_text(self._data))
        parsed.problems = self._problems
        parsed.warnings = self._decoder.warnings()
        if not _is_utf8(self._data):
            parsed.warnings.append("the text is not UTF-8 throughout; what could not be read shows as �")
        if self._problems and not self._rows and parsed.value in (None, []):
            parsed.shape, parsed.value = "none", None
        return parsed

    def _is_lines(self) -> bool:
        end = self._data.find(b"\n")
        if end < 0 or _INK.search(self._data, end) is None:
            return False
        if end > MENDED:
            return True
        try:
            _, end = self._decoder.value(text := _text(self._data[:end]).strip(), 0)
        except Flaw as flaw:
            return flaw.whole
        return not text[end:].strip() or text[end] == text[0]

    def _too_long(self) -> str:
        """Why text with flaws is not gone through."""
        try:
            orjson.loads(self._data)
            flaw = "a key is given twice, or it is nested too deeply"
        except orjson.JSONDecodeError as error:
            flaw = f"{error.msg} at line {error.lineno}, column {error.colno}"
        size = len(self._data) >> 20
        return f"it is no clean JSON ({flaw}), and at {size:,} MiB too long to be mended: {MENDED >> 20} MiB at most"

    def _read_lines(self) -> None:
        for number, line in enumerate(_lines(self._data), start=1):
            if not (line := line.strip()):
                continue
            if (value := _clean(line)) is not None:
                self._rows.append(Row(f"line {number}", value))
                continue
            for part, item in enumerate(self._values(_text(line)), start=1):
                where = f"line {number}" if part == 1 else f"line {number}, value {part}"
                self._keep(where, item)

    def _read_objects(self, text: str) -> Parsed:
        """One object, or several one after the other without a line of their own each."""
        items = list(self._values(text))
        if len(items) == 1:
            self._keep("file", items[0])
            value = self._rows.pop().value if self._rows else None
            return Parsed(shape="object", value=value)
        for number, item in enumerate(items, start=1):
            self._keep(f"value {number}", item)
        return _array(self._rows, "lines")

    def _read_array(self, text: str) -> None:
        at, number = _skip(text, 1), 0
        while at < len(text) and text[at] != "]":
            number += 1
            try:
                value, at = self._decoder.value(text, at)
                self._rows.append(Row(f"row {number}", value))
            except Flaw as flaw:
                self._problems.append(Problem(f"row {number}", flaw.reason))
                if not flaw.whole:
                    return
                at = flaw.end
            at = _skip(text, at)
            if text[at : at + 1] == ",":
                at = _skip(text, at + 1)
            elif text[at : at + 1] != "]":
                break
        if at >= len(text):
            self._problems.append(Problem(f"row {number + 1}", "the file is cut off here: the array does not end"))
        elif text[at] != "]":
            self._problems.append(Problem(f"row {number + 1}", f"no comma before it: {_around(text, at)}"))
        elif rest := text[at + 1 :].strip():
            self._problems.append(Problem("file", f"text after the end of the array: {_around(rest, 0)}"))

    def _values(self, text: str) -> Iterator[Json | Flaw]:
        """Values that stand one after the other, up to the first place that is no JSON."""
        at = 0
        while (at := _skip(text, at)) < len(text):
            try:
                value, at = self._decoder.value(text, at)
                yield value
            except Flaw as flaw:
                yield flaw
                if not flaw.whole:
                    return
                at = flaw.end

    def _keep(self, where: str, item: Json | Flaw) -> None:
        if isinstance(item, Flaw):
            self._problems.append(Problem(where, item.reason))
        else:
            self._rows.append(Row(where, item))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _lines(data: bytes) -> Iterator[bytes]:
    at = 0
    while (end := data.find(b"\n", at)) >= 0:
        yield data[at:end]
        at = end + 1
    yield data[at:]


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        for line in _lines(data):
            line.decode()
    except UnicodeDecodeError:
        return False
    return True


_INK = re.compile(rb"\S")
_BLANK = re.compile(r"[ \t\r\n]*")


def _skip(text: str, at: int) -> int:
    """The next place that is not blank."""
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _around(text: str, at: int) -> str:
    return repr(text[at : at + 24])
