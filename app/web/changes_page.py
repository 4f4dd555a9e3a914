"""The page of what changed between two snapshots: how much, which metrics, and point by point."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS, Metric
from app.catalog.vocabulary import raw_of
from app.changes.between import KINDS, Changes, Entry, Kind, Number
from app.store.changed import MetricMoves
from app.store.read import EMPTY
from app.view import Pair, View
from app.web.blocks.heading import Glyph, chips_name, concurrency_name, engine_name, glyph_of, precision_name
from app.web.blocks.metrics import metric_text
from app.web.blocks.numbers import percent

PAGE = 100
FIRST = 6
"""Numbers of a point that are shown; the rest is unfolded."""

_KINDS: dict[Kind, str] = {"changed": "changed", "added": "added", "retired": "retired"}


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberLine:
    label: str
    term: str
    unit: str
    before: str
    after: str
    change: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryLine:
    """A point that changed. `href` leads to it where it still or last was."""

    glyph: Glyph
    title: str
    place: str
    run: str
    kind: str
    href: str
    numbers: tuple[NumberLine, ...]
    more: tuple[NumberLine, ...]
    words: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricLine:
    label: str
    term: str
    points: int
    up: int
    down: int
    middle: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesPage:
    """`snapshots` are the choices for both ends, newest first; `beginning` stands for the empty store."""

    earlier: str
    later: str
    beginning: str
    snapshots: tuple[str, ...]
    counts: tuple[tuple[str, int, str], ...]
    total: int
    metrics: tuple[MetricLine, ...]
    more_metrics: int
    entries: tuple[EntryLine, ...]
    first: int
    before: str
    after: str
    demo: int
    demo_href: str
    filters: tuple[str, ...]
    hidden: tuple[Pair, ...]
    json: str


METRIC_LINES = 12


def changes_page(found: Changes, view: View, page: str | None) -> ChangesPage:
    """`page` counts from 1; what is no page of the list is the first."""
    pages = max(1, -(-found.total // PAGE))
    number = int(page) if page and page.isascii() and page.isdigit() and len(page) < 9 else 1
    number = number if 1 <= number <= pages else 1
    start = (number - 1) * PAGE
    kept = [pair for pair in view.pairs() if pair[0] in (*view.filter, "offload", "price")]
    ends = [("from", found.earlier.id), ("to", found.later.id)]
    moved = sorted(found.metrics, key=lambda item: -item.points)
    return ChangesPage(
        earlier=found.earlier.id,
        later=found.later.id,
        beginning=EMPTY,
        snapshots=tuple(reversed(found.later.names().values())),
        counts=tuple((_KINDS[kind], found.counts[kind], _COUNTED[kind]) for kind in KINDS),
        total=found.total,
        metrics=tuple(_metric_line(item) for item in moved[:METRIC_LINES]),
        more_metrics=max(0, len(moved) - METRIC_LINES),
        entries=tuple(_line(entry, found) for entry in found.entries(start, PAGE)),
        first=start + 1,
        before=_href([*kept, *ends, *_page(number - 1)]) if number > 1 else "",
        after=_href([*kept, *ends, *_page(number + 1)]) if number < pages else "",
        demo=found.demo,
        demo_href=_href([*kept, ("origin", "synthetic"), *ends]),
        filters=tuple(_filters(view)),
        hidden=tuple(kept),
        json=_href([*kept, *ends], "/data/changes.json"),
    )


_COUNTED: dict[Kind, str] = {
    "changed": "same address, other content",
    "added": "addresses that were not there",
    "retired": "addresses that are gone",
}


def _page(number: int) -> list[Pair]:
    return [("page", str(number))] if number > 1 else []


def _href(pairs: Sequence[Pair], path: str = "/data/changes") -> str:
    return f"{path}?{urlencode(pairs)}"


def _filters(view: View) -> list[str]:
    found = [
        f"{DIMENSIONS[key].label} {', '.join(DIMENSIONS[key].label_of(value) for value in values)}"
        for key, values in view.filters
    ]
    return [*found, *(["offload " + " or ".join(view.offload)] if view.offload else [])]


def _metric_line(item: MetricMoves) -> MetricLine:
    metric = METRICS[item.key]
    return MetricLine(
        label=metric.label,
        term=metric.family,
        points=item.points,
        up=item.up,
        down=item.down,
        middle=signed(item.middle),
    )


def _line(entry: Entry, found: Changes) -> EntryLine:
    row = entry.row
    shown = found.earlier.id if entry.kind == "retired" else found.later.id
    numbers = [_number_line(number) for number in entry.numbers]
    return EntryLine(
        glyph=glyph_of(row),
        title=f"{chips_name(row)} · {engine_name(row)} · {precision_name(row)} · {concurrency_name(row)}",
        place=f"{DIMENSIONS['model'].label_of(row['model'])} on {DIMENSIONS['workload'].label_of(row['workload'])}",
        run=row["run_label"] or "",
        kind=entry.kind,
        href=f"/points/{entry.id}?{urlencode({'snapshot': shown})}",
        numbers=tuple(numbers[:FIRST]),
        more=tuple(numbers[FIRST:]),
        words=tuple((_name(word.name), _text(word.before), _text(word.after)) for word in entry.words),
    )


def _number_line(number: Number) -> NumberLine:
    return NumberLine(
        label=number.metric.label,
        term=number.metric.family,
        unit=number.metric.unit,
        before=_value(number.metric, number.before),
        after=_value(number.metric, number.after),
        change=signed(number.change),
        tone={True: "good", False: "bad", None: ""}[number.better],
    )


def _value(metric: Metric, value: float | None) -> str:
    return metric_text(metric, value) or "not reported"


def signed(change: float | None) -> str:
    """`+3.2 %`, empty where there is no relative change."""
    if change is None:
        return ""
    return f"+{percent(change)}" if change > 0 else percent(change)


def _name(column: str) -> str:
    dimension = next((item for item in DIMENSIONS if item.column == column), None)
    return dimension.label if dimension else column.replace("_", " ").capitalize()


def _text(value: Any) -> str:
    if value is None or value == []:
        return "not reported" if value is None else "none"
    if isinstance(value, list):
        return ", ".join(raw_of(str(item)) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return raw_of(str(value))
