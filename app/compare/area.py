"""The area under each frontier, over the stretch of x that frontiers have in common."""

from dataclasses import dataclass

from app.catalog.metrics import Metric
from app.compare.lines import Line, Read
from app.compare.readings import apart
from app.curve import Span, area_under, common


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
    return Areas(common=every, rows=tuple(_area(line, base, every, y) for line in found.lines))


def _area(line: Line, base: Line | None, every: Span | None, y: Metric) -> Area:
    own = line.span if base is None else common((line.span, base.span))
    whole = area_under(line.corners, every, y) if every else None
    why = _why(line, base, own)
    if own is None:
        return Area(line=line, common=None, area=None, base=None, ratio=None, whole=whole, why=why)
    area = area_under(line.corners, own, y)
    against = area_under(base.corners, own, y) if base is not None else None
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
