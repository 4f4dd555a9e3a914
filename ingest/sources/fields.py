"""Typed access to the fields of a record whose writer was careless: numbers as text, booleans as words, NaN."""

import math
from collections.abc import Mapping

from app.catalog.point import Json

_TRUE = frozenset(("true", "yes", "on", "1"))
_FALSE = frozenset(("false", "no", "off", "0"))
_HUGE = 10**21
"""No count, rate or time comes near it; beyond it, sums and products overflow."""
_WHOLE = 2**63
"""No count and no time in nanoseconds comes near it, and the store holds none beyond it."""
_ABSENT = frozenset(("", "none", "null", "n/a", "-"))


class Fields:
    """A record being read. A value that cannot be taken as it stands comes out as None and leaves a note."""

    __slots__ = ("_key", "_outer", "flags", "notes", "row")

    def __init__(self, row: Mapping[str, Json], outer: "Fields | None" = None, key: str = "") -> None:
        self.row = row
        self._outer = outer
        self._key = key
        self.notes: list[str] = [] if outer is None else outer.notes
        self.flags: list[str] = [] if outer is None else outer.flags

    def __contains__(self, key: str) -> bool:
        return self.row.get(key) is not None

    def note(self, key: str, words: str) -> None:
        outer: Fields | None = self
        while outer is not None and outer._key:
            key = f"{outer._key}.{key}"
            outer = outer._outer
        self.notes.append(f"{key} {words}")

    def number(self, key: str) -> float | None:
        """A finite number; numeric text counts as one, true and false do not."""
        value = self.row.get(key)
        if type(value) is float or type(value) is int:
            number = value
        elif value is None:
            return None
        elif isinstance(value, str):
            if value.strip().lower() in _ABSENT:
                return None
            try:
                number = float(value)
            except ValueError:
                self._unusable(key, value)
                return None
        else:
            self._unusable(key, value)
            return None
        if -_HUGE < number < _HUGE:
            return float(number)
        if isinstance(number, float) and not math.isfinite(number):
            self.note(key, f"is {number}: read as not reported")
            self.flags.append("nonfinite_read_as_missing")
        else:
            self._unusable(key, value)
        return None

    def fraction(self, key: str) -> float | None:
        """A number from 0 to 1. Above 1 it may be a percentage or a mistake, and nothing tells which."""
        value = self.number(key)
        if value is None or 0 <= value <= 1:
            return value
        self.note(key, f"is {value:g}, which is no fraction: read as not reported")
        return None

    def integer(self, key: str) -> int | None:
        """A whole number, however it is written: 8, 8.0 or "8"."""
        value = self.row.get(key)
        if type(value) is int and abs(value) < _WHOLE:
            return value
        number = self.number(key)
        if number is None:
            return None
        if not number.is_integer() or abs(number) >= _WHOLE:
            self._unusable(key, value)
            return None
        return int(number)

    def boolean(self, key: str) -> bool | None:
        """True or false, as JSON, as a word or as 1 and 0. The text "false" is false."""
        value = self.row.get(key)
        if value is None or value is True or value is False:
            return value
        word = str(value).strip().lower()
        if word in _TRUE:
            return True
        if word in _FALSE:
            return False
        if word not in _ABSENT:
            self._unusable(key, value)
        return None

    def text(self, key: str) -> str | None:
        """Text without the space around it; empty text is no text. A number is taken as it prints."""
        value = self.row.get(key)
        if type(value) is str:
            return value.strip() or None
        if value is None:
            return None
        if type(value) in (int, float):
            return str(value)
        self._unusable(key, value)
        return None

    def inner(self, key: str) -> "Fields":
        """The record below a key; an empty one when there is none. Notes and flags are shared."""
        value = self.row.get(key)
        if type(value) is dict:
            return Fields(value, self, key)
        if value is not None:
            self._unusable(key, value)
        return Fields({}, self, key)

    def _unusable(self, key: str, value: Json) -> None:
        shown = repr(value)
        self.note(key, f"is {shown if len(shown) <= 40 else shown[:37] + '...'}: not usable, read as not reported")
