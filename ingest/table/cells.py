"""One cell of a Halo table to one value. Anything but a plain value is refused with what would be right."""

import math
import re
from typing import Any

from app.catalog.metrics import METRICS
from app.catalog.offload import KINDS, TIERS
from app.catalog.vocabulary import other
from app.catalog.workloads import workload_key
from ingest.table.groups import Column

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_GROUPED = re.compile(r"[+-]?\d{1,3}([,' \u00a0\u202f]\d{3})+(\.\d+)?")
_WITH_UNIT = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([%$€a-zA-Zµ/].*)")
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_MODES = {"on": "on", "true": "on", "off": "off", "none": "off", "false": "off", "unknown": "unknown"}
_MOST_SHARE = 1.02
"""A share may exceed 1 by this little through rounding and double counts; beyond it, it is not a fraction."""


class Misread(ValueError):
    """A cell that does not hold what its column holds; the message says what would be right."""


def read_cell(column: Column, text: str, warnings: list[str]) -> Any:
    """The value of a cell that is not empty, None when it counts as missing (with a warning)."""
    match column.reads:
        case "number" | "count":
            return _number(column, text, warnings)
        case "flag":
            return _one_of(column, text, _FLAGS)
        case "mode":
            return _one_of(column, text, _MODES)
        case "kinds":
            return _kinds(text)
        case "tiers":
            return read_tiers(text)
        case "word":
            return _word(column, text)
        case "workload":
            return workload_key(text)
        case _:
            return text


def _number(column: Column, text: str, warnings: list[str]) -> float | int | None:
    if _NOT_FINITE.fullmatch(text):
        warnings.append(f"{column.name}: {text} was read as missing")
        return None
    if not _NUMBER.fullmatch(text):
        raise Misread(_not_a_number(column, text))
    value = float(text)
    if not math.isfinite(value):
        raise Misread(f"{text} is too large for a number")
    metric = METRICS.get(column.name)
    if value < 0:
        raise Misread(f"{text} is below zero, which it cannot be")
    if metric is not None and metric.is_share and value > _MOST_SHARE:
        raise Misread(f"{text} is above 1: shares are fractions, so 95 percent is written 0.95")
    if column.reads == "count":
        if value != int(value):
            raise Misread(f"{text} is not a whole number")
        return int(text) if text.lstrip("+").isdigit() else int(value)
    return value


def _not_a_number(column: Column, text: str) -> str:
    unit = f" (in {column.unit})" if column.unit else ""
    if _GROUPED.fullmatch(text):
        plain = re.sub(r"[,' \u00a0\u202f]", "", text)
        return f"{text!r} has thousands separators: write {plain}"
    if re.fullmatch(r"[+-]?\d+,\d+", text):
        return f"{text!r} has a decimal comma: write {text.replace(',', '.')}"
    if with_unit := _WITH_UNIT.fullmatch(text):
        return f"{text!r} carries a unit: write the number alone{unit}, here {with_unit[1]} if that is its unit"
    return f"{text!r} is not a number{unit}; leave the cell empty where a value is missing"


def _one_of(column: Column, text: str, words: dict[str, Any]) -> Any:
    value = words.get(text.lower())
    if value is None:
        raise Misread(f"{text!r} is none of {', '.join(words)}")
    return value


def _kinds(text: str) -> tuple[str, ...]:
    found = []
    for word in re.split(r"[+,\s]+", text):
        kind = KINDS.resolve(word)
        if kind is None:
            raise Misread(f"{word!r} is no offload kind: write {', '.join(k.key for k in KINDS)} or both with a +")
        found.append(kind.key)
    return tuple(kind.key for kind in KINDS if kind.key in found)


def read_tiers(text: str) -> tuple[str, ...]:
    """`hbm>host_dram>local_nvme`, or the media in other spellings with other marks between them, as keys."""
    if (whole := TIERS.resolve(text)) is not None:
        return (whole.key,)
    words = [word for word in re.split(r"\s*(?:->|→|[>+,;|])\s*", text) if word]
    if len(words) == 1:
        words = text.split()
    return tuple(dict.fromkeys(TIERS.key_of(word) or other(word) for word in words))


def _word(column: Column, text: str) -> str | None:
    words = column.words
    if words is None:
        return text
    if column.closed and words.resolve(text) is None:
        raise Misread(f"{text!r} is none of {', '.join(term.key for term in words)}")
    return words.key_of(text)
