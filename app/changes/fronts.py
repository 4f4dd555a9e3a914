"""A series' frontier now over its frontier before, as far as both reach."""

from dataclasses import dataclass

import numpy as np

from app.series import Chart, Series


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """The relative change of the area under a frontier, lines straight between points, over the common range of x."""

    key: str
    label: str
    low: float
    high: float
    change: float


def fronts(before: Chart, now: Chart) -> tuple[Front, ...]:
    """Of each series that has a line on both sides and a stretch of x in common; none where there is no frontier."""
    former = {series.key: series for series in before.series}
    pairs = [(former[series.key], series) for series in now.series if series.key in former]
    found = [_front(before, old, now, new) for old, new in pairs] if now.has_frontier else []
    return tuple(front for front in found if front is not None)


def _front(before: Chart, old: Series, now: Chart, new: Series) -> Front | None:
    lines = [(chart.x[line], chart.y[line]) for chart, line in ((before, before.line(old)), (now, now.line(new)))]
    if any(len(xs) < 2 for xs, _ in lines):
        return None
    low, high = max(xs[0] for xs, _ in lines), min(xs[-1] for xs, _ in lines)
    if not low < high:
        return None
    grid = np.unique(np.concatenate([[low, high], *(xs[(xs > low) & (xs < high)] for xs, _ in lines)]))
    was, is_now = (float(np.trapezoid(np.interp(grid, xs, ys), grid)) for xs, ys in lines)
    if was == 0:
        return None
    return Front(key=new.key, label=new.label, low=float(low), high=float(high), change=is_now / was - 1)
