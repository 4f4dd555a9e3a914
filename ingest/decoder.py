"""The slow, watchful JSON decoder: one value at a time, with what is wrong about it in a sentence."""

import json
from collections import Counter
from typing import NamedTuple

import orjson

from app.catalog.point import Json

_WIDEST = 2**64
_KEYS_NAMED = 8
_UNLIMITED = "request_rate"
"""The one quantity that is rightly endless: requests are sent as fast as they can be."""


class _Missing(NamedTuple):
    """Stands for a number that JSON has no word for, until the object around it is closed."""

    literal: str


class Flaw(Exception):
    """A value that cannot be taken. `whole` when it ends at `end`, so that what follows can be read."""

    def __init__(self, reason: str, end: int, *, whole: bool) -> None:
        super().__init__(reason)
        self.reason, self.end, self.whole = reason, end, whole


class Decoder:
    """Decodes values out of a text, remembering which keys held NaN or Infinity."""

    def __init__(self) -> None:
        self._missing: Counter[str] = Counter()
        self._twice: list[str] = []
        self._json = json.JSONDecoder(
            object_pairs_hook=self._object, parse_constant=_Missing, parse_float=_float, parse_int=_int
        )

    def value(self, text: str, at: int) -> tuple[Json, int]:
        """The value at a place and the place after it. Raises Flaw."""
        self._twice = []
        before = self._missing.copy()
        try:
            value, end = self._json.raw_decode(text, at)
            value = self._filled("", value)
        except json.JSONDecodeError as error:
            self._missing = before
            raise Flaw(_wrong(text, error), error.pos, whole=False) from None
        except RecursionError:
            raise Flaw("it is nested too deeply to be a result", at, whole=False) from None
        if self._twice:
            self._missing = before
            keys = ", ".join(repr(key) for key in dict.fromkeys(self._twice))
            raise Flaw(f"the key {keys} is given more than once, so its value is in doubt", end, whole=True)
        return self._plain(value, end), end

    def warnings(self) -> list[str]:
        """What was read otherwise than it stands."""
        if not self._missing:
            return []
        names = list(self._missing)
        more = f" and {len(names) - _KEYS_NAMED} more" if len(names) > _KEYS_NAMED else ""
        return [f"NaN or Infinity was read as missing: {', '.join(names[:_KEYS_NAMED])}{more}"]

    def _object(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        made = {key: self._filled(key, value) for key, value in pairs}
        if len(made) != len(pairs):
            self._twice += [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
        return made

    def _filled(self, key: str, value: Json) -> Json:
        if isinstance(value, _Missing):
            if key == _UNLIMITED and value.literal == "Infinity":
                return "inf"
            self._missing[key or "a list"] += 1
            return None
        if isinstance(value, list):
            return [self._filled(key, item) for item in value]
        return value

    @staticmethod
    def _plain(value: Json, end: int) -> Json:
        """The value if JSON can carry it on: no lone surrogates, no nesting past what writers follow."""
        try:
            orjson.dumps(value)
        except TypeError as error:
            if "surrogate" not in str(error) and "UTF-8" not in str(error):
                raise Flaw("it is nested too deeply to be a result", end, whole=True) from None
            return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
        return value


def _float(text: str) -> float | _Missing:
    value = float(text)
    return value if abs(value) != float("inf") else _Missing(text)


def _int(text: str) -> int | float | _Missing:
    """Whole numbers past 64 bits become floats, as everywhere else on their way."""
    if len(text) < 19 or abs(value := int(text) if len(text) < 40 else _WIDEST) < _WIDEST // 2:
        return int(text)
    return _float(text) if len(text) >= 40 else float(value)


def _wrong(text: str, error: json.JSONDecodeError) -> str:
    at = f"line {error.lineno}, column {error.colno}"
    rest = text[error.pos :].strip()
    unfinished = any(word.startswith(rest) for word in ("true", "false", "null", "NaN", "Infinity", "-Infinity"))
    if not rest or unfinished or error.msg.startswith("Unterminated string"):
        return f"the file is cut off here: its text ends in the middle of a value ({at})"
    return f"it is not JSON: {error.msg[0].lower()}{error.msg[1:]} at {at}"
