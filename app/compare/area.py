"""The area under each frontier, over the stretch of x that frontiers have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.catalog.metrics import METRICS, Metric
from app.compare.lines import Line, Read
from app.compare.readings import apart
from app.curve import Corner, Span, area_of_quotient, between, common


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """One series against the base over `common`, their own common stretch; `whole` is over that of all series."""

    line: Line
    common: Span | None
    area: float | None
    base: float | None
    ratio: float | None
    whole: float | None
    why: str = ""
    """Why there is no ratio."""

    @property
    def mean(self) -> float | None:
        """The mean height over the stretch."""
        return None if self.area is None or self.common is None else self.area / (self.common[1] - self.common[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Areas:
    common: Span | None
    """The stretch of x that every frontier covers."""
    rows: tuple[Area, ...]


def areas_of(found: Read, base: Line | None, y: Metric) -> Areas:
    every = common(line.span for line in found.lines) if found.lines else None
    return Areas(common=every, rows=tuple(_area(line, base, every, found, y) for line in found.lines))


def _area(line: Line, base: Line | None, every: Span | None, found: Read, y: Metric) -> Area:
    own = line.span if base is None else common((line.span, base.span))
    whole = area_under(line.corners, every, found, y) if every else None
    why = _why(line, base, own)
    if own is None:
        return Area(line=line, common=None, area=None, base=None, ratio=None, whole=whole, why=why)
    area = area_under(line.corners, own, found, y)
    against = area_under(base.corners, own, found, y) if base is not None else None
    ratio = area / against if against and not why else None
    return Area(line=line, common=own, area=area, base=against, ratio=ratio, whole=whole, why=why)


def _why(line: Line, base: Line | None, own: Span | None) -> str:
    if line.span is None:
        return "the series has no frontier on these axes"
    if base is None or base.span is None:
        return "there is no baseline with a frontier"
    if len(line.corners) < 2:
        return "its frontier is a single point"
    if len(base.corners) < 2:
        return "the frontier of the baseline is a single point"
    if own is None:
        return (
            f"no stretch in common with the baseline: {line.span[0]:.4g} to {line.span[1]:.4g} "
            f"against {base.span[0]:.4g} to {base.span[1]:.4g}"
        )
    return "interactivity is defined apart from the baseline's" if apart(line, base) else ""


def area_under(line: Sequence[Corner], over: Span, found: Read, y: Metric) -> float:
    """Under the line as readings go along it: straight, or through the throughput where y follows one."""
    low, high = over
    edges = [low, *(corner.x for corner in line if low < corner.x < high), high]
    return sum(_part(line, left, right, found, y) for left, right in pairwise(edges))


def _part(line: Sequence[Corner], left: float, right: float, found: Read, y: Metric) -> float:
    """A stretch on which no corner lies but at its ends."""
    a, b = next((a, b) for a, b in pairwise(line) if a.x <= left and right <= b.x)
    ways = [(x - a.x) / (b.x - a.x) for x in (left, right)]
    quotient = _straight_parts(a, b, found, y) if y.follows else None
    if quotient is None:
        one, other = (between(a.y, b.y, way) for way in ways)
        return (right - left) * (one + other) / 2
    over, under = ((between(*ends, ways[0]), between(*ends, ways[1])) for ends in quotient)
    return area_of_quotient(right - left, over, under)


def _straight_parts(a: Corner, b: Corner, found: Read, y: Metric) -> tuple[Span, Span] | None:
    """What y is the quotient of at both ends: each of the two goes straight from one to the other."""
    lead = METRICS[y.follows]
    one, other = found.value(a.id, lead), found.value(b.id, lead)
    if one is None or other is None or min(one, other, a.y, b.y) <= 0:
        return None
    if y.inverse:
        return (a.y * one, b.y * other), (one, other)
    return (one, other), (one / a.y, other / b.y)
