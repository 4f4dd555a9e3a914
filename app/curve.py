"""Frontiers as lines: reading one at an x, what two of them have in common, and the area between x and the line."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.catalog.metrics import Metric

Span = tuple[float, float]

NEAR = 1e-6
"""A reading within this part of a point's x is a reading of that point: figures carry seven digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corner:
    """A point of a frontier."""

    id: str
    x: float
    y: float
    halo: bool
    lead: float | None = None
    """The throughput that y follows; None where it follows none, or that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place on a line: between two neighbouring corners, or on one, which then stands on both sides."""

    left: Corner
    right: Corner
    way: float
    """From the left corner, 0, to the right one, 1."""

    @property
    def measured(self) -> bool:
        return self.left is self.right


def sign(metric: Metric) -> int:
    return 1 if metric.better == "higher" else -1


def undominated(placed: Iterable[Corner], x: Metric, y: Metric) -> tuple[Corner, ...]:
    """What nothing beats, from low x to high. Of equal points one stays, one without a halo before one with."""
    right, up = sign(x), sign(y)
    ordered = sorted(placed, key=lambda corner: (-right * corner.x, -up * corner.y, corner.halo, corner.id))
    best: list[Corner] = []
    for corner in ordered:
        if not best or up * corner.y > up * best[-1].y:
            best.append(corner)
    return tuple(sorted(best, key=lambda corner: corner.x))


def spot(line: Sequence[Corner], x: float) -> Spot | None:
    """Where a reading falls on a line whose corners ascend; None beyond its ends: nothing is extrapolated."""
    for corner in line:
        if math.isclose(corner.x, x, rel_tol=NEAR):
            return Spot(left=corner, right=corner, way=0.0)
    for left, right in pairwise(line):
        if left.x < x < right.x:
            return Spot(left=left, right=right, way=(x - left.x) / (right.x - left.x))
    return None


def between(left: float, right: float, way: float) -> float:
    return left + (right - left) * way


def halves(ends: Span, leads: tuple[float | None, float | None], metric: Metric) -> tuple[Span, Span] | None:
    """What a metric is the quotient of at two ends: each of the two goes straight from one end to the other.

    Price and power per chip mix as chips would that run half the one config and half the other. None where the metric
    follows no throughput, or that is not known.
    """
    one, other = leads
    if not metric.follows or one is None or other is None or min(one, other, *ends) <= 0:
        return None
    if metric.inverse:
        return (ends[0] * one, ends[1] * other), (one, other)
    return (one, other), (one / ends[0], other / ends[1])


def read_at(place: Spot, y: Metric) -> float:
    """y there: that of the point, straight between two, or through the throughput that it follows."""
    left, right = place.left, place.right
    quotient = None if place.measured else halves((left.y, right.y), (left.lead, right.lead), y)
    if quotient is None:
        return between(left.y, right.y, place.way)
    over, under = quotient
    return between(*over, place.way) / between(*under, place.way)


def area_under(line: Sequence[Corner], over: Span, y: Metric) -> float:
    """Under the line as readings go along it, over a stretch of x that it covers."""
    low, high = over
    edges = [low, *(corner.x for corner in line if low < corner.x < high), high]
    return sum(_part(line, left, right, y) for left, right in pairwise(edges))


def _part(line: Sequence[Corner], left: float, right: float, y: Metric) -> float:
    """A stretch on which no corner lies but at its ends."""
    a, b = next((a, b) for a, b in pairwise(line) if a.x <= left and right <= b.x)
    ways = [(x - a.x) / (b.x - a.x) for x in (left, right)]
    quotient = halves((a.y, b.y), (a.lead, b.lead), y)
    if quotient is None:
        one, other = (between(a.y, b.y, way) for way in ways)
        return (right - left) * (one + other) / 2
    over, under = ((between(*ends, ways[0]), between(*ends, ways[1])) for ends in quotient)
    return area_of_quotient(right - left, over, under)


def interpolated(line: Sequence[Corner], x: float) -> float | None:
    """The straight line between neighbouring points of a frontier; None beyond its ends."""
    found = spot(line, x)
    return None if found is None else between(found.left.y, found.right.y, found.way)


def span(line: Sequence[Corner]) -> Span | None:
    return (line[0].x, line[-1].x) if line else None


def common(spans: Iterable[Span | None]) -> Span | None:
    """The stretch of x that every line covers; None where there is none, or only a single value."""
    found = list(spans)
    known = [item for item in found if item is not None]
    if not known or len(known) < len(found):
        return None
    low, high = max(low for low, _ in known), min(high for _, high in known)
    return (low, high) if low < high else None


def reach(frontier: Sequence[Corner], at: float, x: Metric, y: Metric) -> float | None:
    """The best y among points that are at least as good as `at` on x; None where no point is."""
    right, up = sign(x), sign(y)
    able = [corner.y for corner in frontier if right * corner.x >= right * at]
    return max(able, key=lambda value: up * value) if able else None


def area_of_quotient(width: float, over: Span, under: Span) -> float:
    """The area under a quotient of two straight lines, of which `under` keeps clear of zero.

    Each pair holds the values at both ends of a stretch of x of that width.
    """
    (a, b), (c, d) = over, under
    turn = (d - c) / c
    if abs(turn) < 1e-6:
        return width * (a + b) / (c + d)
    rise = b - a
    # The quotient is rise/(d - c) plus what is left of `a`, over a line: its integral is a logarithm.
    return width * (rise / (d - c) + (a - rise / turn) * math.log1p(turn) / (d - c))
