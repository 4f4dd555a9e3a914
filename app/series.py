"""The points of a view as series with their frontiers: what the chart draws, the API lists and the table shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.catalog.colors import key_color, preview_color, series_color
from app.catalog.dimensions import DIMENSIONS, NOT_REPORTED, SERIES_DIMENSIONS
from app.catalog.engines import symbol_of
from app.catalog.metrics import Metric
from app.catalog.oklch import Color
from app.catalog.origins import DEFAULT_ORIGIN, ORIGINS
from app.catalog.precisions import PRECISIONS
from app.catalog.speculation import NONE
from app.catalog.vocabulary import hue_of
from app.frontier import frontiers
from app.question import GROUP, Question
from app.store.select import UNKNOWN

MARKS = 2000
"""Most points a figure draws. Beyond, each ring and dot costs the reader more than it tells."""

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon", "hexagon")

PREVIEW = "preview"
"""What the key and the name of a series begin with whose points are stored nowhere."""

_PRECISION = "precision"
_SPEC = "spec"


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The points of one color. `members` are positions in the chart's arrays, in row order."""

    key: str
    label: str
    color: Color
    symbol: str
    origin: str
    values: Mapping[str, str | None]
    members: NDArray[np.intp]
    fresh: bool = False
    """Whether its points are a preview's: stored nowhere, and a series of their own over the stored ones."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """All points of a view that can be placed, in row order, with their standing.

    `total` counts every match, `left_out` those that cannot be placed and why. Without a better side on
    both axes there is no frontier, and `has_frontier` is false.
    """

    question: Question
    row: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    frontier: NDArray[np.bool_]
    has_halo: NDArray[np.bool_]
    has_notch: NDArray[np.bool_]
    hollow: NDArray[np.bool_]
    series: tuple[Series, ...]
    left_out: tuple[LeftOut, ...]
    total: int
    has_frontier: bool

    def line(self, series: Series) -> NDArray[np.intp]:
        """Positions of a series' frontier from low x to high; exact duplicates once, in row order."""
        members = series.members[self.frontier[series.members]]
        order = members[np.lexsort((members, self.x[members]))]
        if len(order) < 2:
            return order
        fresh = np.r_[True, (self.x[order[1:]] != self.x[order[:-1]]) | (self.y[order[1:]] != self.y[order[:-1]])]
        return order[fresh]


def chart(question: Question) -> Chart:
    """Places the points of a view, groups them and marks what nothing in their group beats."""
    x, y = question.x, question.y
    by = tuple(dict.fromkeys((*GROUP, *question.group_by, _PRECISION)))
    found = question.snapshot.columns(question.selection, x.key, y.key, by)
    good = np.isfinite(found.x) & np.isfinite(found.y)
    placed = np.flatnonzero(good)
    xs, ys, group = found.x[placed], found.y[placed], found.group[placed]

    keys, number_of_group = _series_keys(question, by, found.groups)
    series_number = number_of_group[group] if len(group) else group
    fresh_from = question.snapshot.fresh_from
    if fresh_from is not None:
        series_number = series_number + len(keys) * (found.row[placed] >= fresh_from)
    has_frontier = x.better != "none" and y.better != "none"
    optimal = frontiers(xs, ys, series_number, x.better, y.better) if has_frontier else np.ones(len(placed), dtype=bool)
    hollow_of_group = np.array([_hollow(values[by.index(_PRECISION)]) for values in found.groups], dtype=bool)
    return Chart(
        question=question,
        row=found.row[placed],
        x=xs,
        y=ys,
        frontier=optimal,
        has_halo=found.has_halo[placed],
        has_notch=found.has_notch[placed],
        hollow=hollow_of_group[group] if len(group) else np.zeros(0, dtype=bool),
        series=_series(question, keys, series_number),
        left_out=_left_out(x, y, found.x, found.y),
        total=len(found.row),
        has_frontier=has_frontier,
    )


def drawn(chart: Chart, limit: int = MARKS) -> NDArray[np.intp]:
    """Positions to draw, ascending: all, or frontier points first and then a stable spread over the plot."""
    count = len(chart.row)
    if count <= limit:
        return np.arange(count)
    optimal = np.flatnonzero(chart.frontier)
    if len(optimal) >= limit:
        return np.sort(_spread(chart, optimal, limit))
    rest = np.flatnonzero(~chart.frontier)
    return np.sort(np.r_[optimal, _spread(chart, rest, limit - len(optimal))])


def _spread(chart: Chart, candidates: NDArray[np.intp], limit: int) -> NDArray[np.intp]:
    """`limit` of the candidates, which ascend, taken cell by cell over the plot; within a cell the lowest row first."""
    cells = 64
    column = _cell(chart.x[candidates], cells)
    line = _cell(chart.y[candidates], cells)
    cell = column * cells + line
    order = np.argsort(cell, kind="stable")
    ordered = cell[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    turn = np.arange(len(ordered)) - np.repeat(starts, np.diff(np.r_[starts, len(ordered)]))
    turns_needed = np.searchsorted(np.cumsum(np.bincount(turn)), limit)
    early = np.flatnonzero(turn <= turns_needed)
    return candidates[order[early[np.lexsort((ordered[early], turn[early]))[:limit]]]]


def _cell(values: NDArray[np.float64], cells: int) -> NDArray[np.int16]:
    """Small integers, which numpy sorts in one pass over them."""
    low, high = float(values.min()), float(values.max())
    if high <= low:
        return np.zeros(len(values), dtype=np.int16)
    return ((values - low) / (high - low) * (cells - 1)).astype(np.int16)


def _series_keys(
    question: Question, by: Sequence[str], groups: Sequence[tuple[Any, ...]]
) -> tuple[list[dict[str, str | None]], NDArray[np.int64]]:
    """The distinct series among the groups in catalog order, and the series number of each group."""
    own = tuple(dict.fromkeys((*GROUP, *question.group_by)))
    values = [{key: _text(group[by.index(key)]) for key in own} for group in groups]
    distinct = {tuple(item.values()): item for item in values}
    ordered = sorted(distinct.values(), key=lambda item: tuple(DIMENSIONS[key].order(item[key]) for key in own))
    number = {tuple(item.values()): position for position, item in enumerate(ordered)}
    return ordered, np.array([number[tuple(item.values())] for item in values], dtype=np.int64)


def _series(question: Question, keys: Sequence[dict[str, str | None]], number: NDArray[np.int64]) -> tuple[Series, ...]:
    # Those of a preview stand behind those of the store, number by number.
    found = [(values, fresh) for fresh in (False, True) for values in keys]
    # numpy sorts small integers in one pass over them.
    narrow = number.astype(np.int16 if len(found) <= np.iinfo(np.int16).max else np.int64)
    order = np.argsort(narrow, kind="stable")
    bounds = np.searchsorted(narrow[order], np.arange(len(found) + 1))
    several = {
        "model": len({item["model"] for item in keys}) > 1,
        "workload": len({item["workload"] for item in keys}) > 1,
    }
    series = []
    for position, (values, fresh) in enumerate(found):
        members = order[bounds[position] : bounds[position + 1]]
        if len(members):
            key, label = series_key(values, question, several), series_label(values, question, several)
            series.append(
                Series(
                    key=f"{PREVIEW}.{key}" if fresh else key,
                    label=f"{PREVIEW} · {label}" if fresh else label,
                    color=preview_color(key) if fresh else color_of_series(values, question.group_by),
                    symbol=_symbol(values, question.group_by),
                    origin=values["origin"] or UNKNOWN,
                    values=values,
                    members=members,
                    fresh=fresh,
                )
            )
    return tuple(series)


def series_key(values: Mapping[str, str | None], question: Question, several: Mapping[str, bool]) -> str:
    """The word for a series in links: its values by name, never its place in a list."""
    parts = [values[key] or UNKNOWN for key in ("model", "workload") if several[key]]
    parts += [values[key] or UNKNOWN for key in question.group_by]
    key = ".".join(parts)
    return key if values["origin"] == DEFAULT_ORIGIN else f"{key}~{values['origin']}"


def series_label(values: Mapping[str, str | None], question: Question, several: Mapping[str, bool]) -> str:
    parts = [DIMENSIONS[key].label_of(values[key]) for key in ("model", "workload") if several[key]]
    missing = []
    for key in question.group_by:
        if key == _SPEC and values[key] in (NONE, None) and len(question.group_by) > 1:
            continue
        if values[key] is None and DIMENSIONS[key].nothing == NOT_REPORTED:
            missing.append(DIMENSIONS[key].label.lower())
        else:
            parts.append(DIMENSIONS[key].label_of(values[key]))
    if missing:
        parts.append(f"{', '.join(missing)} {NOT_REPORTED}")
    origin = ORIGINS.get(values["origin"])
    if origin is not None and origin.badge and len(question.origins) > 1:
        parts.append(origin.badge)
    return " · ".join(parts)


def color_of_series(values: Mapping[str, str | None], group_by: Sequence[str]) -> Color:
    """A color that belongs to the series' own words, so that no filter recolors anything."""
    if tuple(group_by) == SERIES_DIMENSIONS:
        return series_color(values["chip"], values["engine"])
    return key_color(".".join(values[key] or UNKNOWN for key in group_by))


def _symbol(values: Mapping[str, str | None], group_by: Sequence[str]) -> str:
    if "engine" in group_by:
        return symbol_of(values["engine"])
    return SYMBOLS[hue_of(".".join(values[key] or UNKNOWN for key in group_by)) % len(SYMBOLS)]


def _hollow(precision: str | None) -> bool:
    term = PRECISIONS.get(precision)
    return term is not None and term.hollow


def _left_out(x: Metric, y: Metric, xs: NDArray[np.float64], ys: NDArray[np.float64]) -> tuple[LeftOut, ...]:
    bad_x, bad_y = ~np.isfinite(xs), ~np.isfinite(ys)
    if x.key == y.key:
        counts = [(f"no {x.label}", int(bad_x.sum()))]
    else:
        counts = [
            (f"no {x.label}", int((bad_x & ~bad_y).sum())),
            (f"no {y.label}", int((bad_y & ~bad_x).sum())),
            (f"neither {x.label} nor {y.label}", int((bad_x & bad_y).sum())),
        ]
    return tuple(LeftOut(reason, count) for reason, count in counts if count)


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)
