"""Frontiers read at equal x: measured there, interpolated between two points that are named, or outside."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from app.catalog.metrics import METRICS, Metric
from app.compare.lines import Line, Read
from app.curve import Span, Spot, between, common, halves, spot
from app.noise import Bounds, Interval, Told, told

State = Literal["measured", "interpolated", "outside"]
How = Literal["measured", "interpolated", "derived", "unknown"]

FEWEST = 3
"""Readings that are chosen at least where the reader gave none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One quantity at a reading. `derived` follows from the interpolated throughput; `ratio` is to the base."""

    metric: Metric
    value: float | None
    how: How
    ratio: float | None = None
    why: str = ""
    """Why there is no value, or no ratio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One series at one reading. `points` are the point itself, or the two neighbours it lies between."""

    x: float
    line: Line
    state: State
    points: tuple[str, ...]
    way: float | None
    values: tuple[Value, ...]
    bounds: Bounds | None
    """Of y over repeats, interpolated as y is; None where every point of it was measured once."""
    intervals: tuple[Interval | None, ...]
    told: Told | None = None
    """How y stands to that of the base: beyond the scatter of repeats, within it, or too close for single runs."""

    def of(self, metric: Metric) -> Value:
        return next(value for value in self.values if value.metric == metric)


def cells_at(x: float, found: Read, base: Line | None, columns: Sequence[Metric]) -> list[Cell]:
    """The cells of one reading, with ratios to the base."""
    cells = [_cell(x, line, found, columns) for line in found.lines]
    against = next((cell for cell in cells if base is not None and cell.line.key == base.key), None)
    return [_compared(cell, against) for cell in cells]


def _cell(x: float, line: Line, found: Read, columns: Sequence[Metric]) -> Cell:
    place = spot(line.corners, x)
    if place is None:
        nothing = tuple(Value(metric=metric, value=None, how="unknown", why=_outside(line)) for metric in columns)
        return Cell(x=x, line=line, state="outside", points=(), way=None, values=nothing, bounds=None, intervals=())
    y = columns[0]
    points = (place.left.id,) if place.measured else (place.left.id, place.right.id)
    intervals = tuple(found.interval(point, y) for point in points)
    return Cell(
        x=x,
        line=line,
        state="measured" if place.measured else "interpolated",
        points=points,
        way=None if place.measured else place.way,
        values=tuple(_value(metric, place, found) for metric in columns),
        bounds=_bounds(y, place, intervals),
        intervals=intervals,
    )


def _outside(line: Line) -> str:
    if line.span is None:
        return "the series has no frontier on these axes"
    return "outside the range of its frontier"


def _value(metric: Metric, place: Spot, found: Read) -> Value:
    ends = [found.value(corner.id, metric) for corner in (place.left, place.right)]
    one, other = ends
    if one is None or other is None:
        which = "its point" if place.measured else "both of the points it lies between"
        return Value(metric=metric, value=None, how="unknown", why=f"not known of {which}")
    if place.measured:
        return Value(metric=metric, value=one, how="measured")
    if metric.follows:
        quotient = _quotient(metric, place, found, (one, other))
        if quotient is not None:
            return quotient
    return Value(metric=metric, value=between(one, other, place.way), how="interpolated")


def _quotient(metric: Metric, place: Spot, found: Read, ends: Bounds) -> Value | None:
    """Through the throughput between the points, so that columns agree; None where that is not known."""
    lead = METRICS[metric.follows]
    quotient = halves(ends, (found.value(place.left.id, lead), found.value(place.right.id, lead)), metric)
    if quotient is None:
        return None
    over, under = quotient
    per_chip = over if metric.inverse else under
    return Value(
        metric=metric,
        value=between(*over, place.way) / between(*under, place.way),
        how="derived" if math.isclose(*per_chip, rel_tol=1e-6) else "interpolated",
    )


def _bounds(y: Metric, place: Spot, intervals: Sequence[Interval | None]) -> Bounds | None:
    if not any(intervals):
        return None
    left, right = (
        interval.bounds if interval else (corner.y, corner.y)
        for corner, interval in ((place.left, intervals[0]), (place.right, intervals[-1]))
    )
    if y.inverse and min(*left, *right) > 0:
        low, high = (1 / between(1 / left[end], 1 / right[end], place.way) for end in (0, 1))
        return low, high
    return between(left[0], right[0], place.way), between(left[1], right[1], place.way)


def _compared(cell: Cell, base: Cell | None) -> Cell:
    if base is None or cell.state == "outside":
        return cell
    values = tuple(_against(value, cell, base) for value in cell.values)
    y = values[0]
    own = None
    if cell.line.key != base.line.key and y.ratio is not None:
        against = base.values[0].value or 0.0
        own = told(y.ratio - 1, (y.value or 0.0, against), cell.bounds, base.bounds)
    return replace(cell, values=values, told=own)


def _against(value: Value, cell: Cell, base: Cell) -> Value:
    other = base.of(value.metric).value
    if value.value is None:
        return value
    why, ratio = "", None
    if base.state == "outside":
        why = f"the baseline has nothing at {cell.x:g}"
    elif apart(cell.line, base.line):
        why = "interactivity is defined apart from the baseline's"
    elif other is None:
        why = "not known of the baseline"
    elif other == 0:
        why = "the baseline is zero"
    else:
        ratio = value.value / other
    return replace(value, ratio=ratio, why=why)


def apart(one: Line, other: Line) -> bool:
    """Whether two series say that they define interactivity differently."""
    return one.definitions != other.definitions


def chosen_readings(lines: Sequence[Line]) -> tuple[tuple[float, ...], str]:
    """A few round values where most frontiers have something, and a sentence that says so."""
    spans = [line.span for line in lines if line.span is not None and len(line.corners) > 1]
    if not spans:
        single = sorted({line.span[0] for line in lines if line.span is not None})
        return tuple(single[:FEWEST]), "No frontier has two points: readings are at the points there are."
    low, high, covered = _densest(spans)
    where = (
        "that all frontiers cover" if covered == len(lines) else f"that most frontiers cover, {covered} of {len(lines)}"
    )
    return round_values(low, high), f"Readings are round values within {low:.4g} to {high:.4g}, the stretch {where}."


def _densest(spans: Sequence[Span]) -> tuple[float, float, int]:
    """The widest stretch that as many spans cover as cover any, and how many."""
    everywhere = common(spans)
    if everywhere is not None:
        return (*everywhere, len(spans))
    edges = sorted({edge for span in spans for edge in span})
    counted = [
        (sum(low <= left and right <= high for low, high in spans), right - left, left, right)
        for left, right in pairwise(edges)
    ]
    covered, _, left, right = max(counted, key=lambda item: (item[0], item[1], -item[2]))
    return left, right, covered


def round_values(low: float, high: float) -> tuple[float, ...]:
    """Three to six multiples of one, two or five times a power of ten between the ends; the middle where none is."""
    power = math.floor(math.log10(high - low))
    for step in (5 * 10.0**power, 2 * 10.0**power, 10.0**power, 5 * 10.0 ** (power - 1), 2 * 10.0 ** (power - 1)):
        first, last = math.ceil(low / step), math.floor(high / step)
        if last - first + 1 >= FEWEST:
            digits = max(0, 1 - power)
            return tuple(round(number * step, digits) for number in range(first, last + 1))
    return ((low + high) / 2,)
