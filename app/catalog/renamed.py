"""Spellings that links had before a word changed, so that a link in someone's report goes on meaning what it meant.

Whoever renames a parameter, a metric, a value of a dimension or a page adds a line here with the date.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Pair = tuple[str, str]
What = Literal["parameter", "metric", "value", "page"]

METRIC_PARAMETERS = ("x", "y", "sort", "slo")
"""Parameters whose value begins with a metric's key, `-` before it or `:` behind it."""

KEY_PARAMETERS = ("hide", "base")
"""Parameters whose value is a series' key: values of dimensions with dots between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A word that links had until `date`. A `value` belongs to a `dimension`; a `page` is the path of an address."""

    what: What
    old: str
    new: str
    date: str
    dimension: str = ""


RENAMED: tuple[Renamed, ...] = ()
"""Oldest first. Nothing was renamed since addresses were first promised to hold."""


def respelled(pairs: Iterable[Pair], entries: Sequence[Renamed] = RENAMED) -> list[Pair]:
    """The pairs of a query as they are spelled today. Entries apply in order, so that a word may change twice."""
    found = list(pairs)
    for entry in entries:
        found = [_respelled(name, value, entry) for name, value in found]
    return found


def new_page(path: str, entries: Sequence[Renamed] = RENAMED) -> str | None:
    """Where a page moved to; None for an address that did not."""
    for entry in entries:
        if entry.what == "page" and path == entry.old:
            return new_page(entry.new, entries) or entry.new
    return None


def _respelled(name: str, value: str, entry: Renamed) -> Pair:
    if entry.what == "parameter":
        return (entry.new, value) if name == entry.old else (name, value)
    if entry.what == "metric" and name in METRIC_PARAMETERS:
        sign, key = ("-", value[1:]) if value.startswith("-") else ("", value)
        key, colon, rest = key.partition(":")
        return name, f"{sign}{entry.new if key == entry.old else key}{colon}{rest}"
    if entry.what == "value":
        if name == entry.dimension:
            return name, entry.new if value == entry.old else value
        if name in KEY_PARAMETERS:
            key, tilde, origin = value.partition("~")
            words = [entry.new if word == entry.old else word for word in key.split(".")]
            return name, f"{'.'.join(words)}{tilde}{origin}"
    return name, value
