"""What a view lays over its chart: reading lines on x, and the region in which service levels on its axes hold."""

from collections.abc import Sequence
from math import inf

from app.catalog.metrics import Metric
from app.compare.service import Level, levels_of
from app.figures import marks
from app.figures.figure import Plain, rounded
from app.view import View

REGION = "region"
READING = "reading"
_LARGEST = 1e300
_FAR = 1e3
"""How many times beyond the farthest point an open side of the region ends: off every window, on log axes too."""


def shapes(view: View, x: Metric, y: Metric, xs: Sequence[float], ys: Sequence[float]) -> list[Plain]:
    levels = levels_of(view)
    return [*_region(levels, x, y, xs, ys), *(_reading(at) for at in view.at)]


def _region(levels: Sequence[Level], x: Metric, y: Metric, xs: Sequence[float], ys: Sequence[float]) -> list[Plain]:
    across = [level for level in levels if level.metric == x]
    up = [level for level in levels if level.metric == y]
    if not across and not up:
        return []
    (x0, x1), (y0, y1) = _extent(across, xs), _extent(up, ys)
    return [
        {
            "type": "rect",
            "name": REGION,
            "xref": "x",
            "yref": "y",
            **{key: rounded(value) for key, value in (("x0", x0), ("x1", x1), ("y0", y0), ("y1", y1))},
            "layer": "below",
            "fillcolor": marks.REGION,
            "line": {"width": 0},
        }
    ]


def _extent(levels: Sequence[Level], values: Sequence[float]) -> tuple[float, float]:
    """From where to where the levels on an axis hold; without one, everywhere."""
    bounds = [abs(level.value) for level in levels]
    most = min(max((*map(abs, values), *bounds), default=1.0) or 1.0, _LARGEST)
    least = min((value for value in (*map(abs, values), *bounds) if value > 0), default=1.0)
    low = least / _FAR if min(values, default=0.0) >= 0 else -most * _FAR
    high = most * _FAR
    for level in levels:
        value = max(-_LARGEST, min(_LARGEST, level.value))
        if level.at_most:
            high = min(high, value)
        else:
            low = max(low, value)
    return low, high


def _reading(at: float) -> Plain:
    return {
        "type": "line",
        "name": READING,
        "xref": "x",
        "yref": "paper",
        "x0": at,
        "x1": at,
        "y0": 0,
        "y1": 1,
        "line": {"color": marks.INK_2, "width": 1, "dash": "3px,3px"},
        "label": {"text": f"{at:g}", "textposition": "end", "font": {"size": 11, "color": marks.INK_2}},
    }


def meets(levels: Sequence[Level], values: Sequence[float | None]) -> bool:
    """Whether every level holds; what is not known meets nothing."""
    return bool(levels) and all(
        value is not None and abs(value) < inf and level.holds(value)
        for level, value in zip(levels, values, strict=True)
    )
