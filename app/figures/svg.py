"""A figure as SVG made here: the first frame that a page shows, and the chart of a reader without JavaScript.

Places are percentages of the plot area and marks have fixed sizes, so that the frame fits any window and
Plotly can take its place without a jump. Colors are custom properties of static/css/site.css.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import log10

from app.figures.bounds import REGION
from app.figures.figure import Figure, Plain, linear_range, log_range
from app.figures.sprite import mark_id
from app.figures.ticks import Tick, ticks
from app.view import Range, View

X_TICKS, Y_TICKS = 8, 7
LINKED = 400
"""Up to so many points the marks are links; beyond, the table below the chart is the way."""


@dataclass(frozen=True, slots=True)
class Scale:
    """One axis in its own coordinates: exponents of ten where it is logarithmic."""

    low: float
    high: float
    log: bool
    share: bool

    def place(self, value: float) -> float | None:
        """Percent of the way along; None for what a log axis cannot show."""
        if self.log and value <= 0:
            return None
        at = log10(value) if self.log else value
        return (at - self.low) / (self.high - self.low) * 100

    def ticks(self, count: int) -> list[tuple[float, Tick]]:
        found = ticks(self.low, self.high, log=self.log, count=count, share=self.share)
        return [((tick.place - self.low) / (self.high - self.low) * 100, tick) for tick in found]


def first_frame(figure: Figure, view: View, suffix: str = "") -> str:
    """The chart of a view: hidden series, dominated points, log axes and zoom as the view says.

    `suffix` is what the addresses of its points end with.
    """
    seen = seen_by(figure, view)
    x, y = scales(figure, view)
    colors = {series["key"]: series["color"] for series in figure.meta["series"]}
    linked = escape(suffix) if figure.meta["drawn"] <= LINKED else None
    body = "".join(_trace(trace, x, y, colors[trace["meta"]["series"]], linked) for trace in seen)
    under, over = _region(figure.layout.get("shapes", ()), x, y), "".join(_reading(at, x) for at in view.at)
    label = escape(f"{figure.meta['y']['label']} against {figure.meta['x']['label']}: {figure.meta['title']}")
    return f'<svg class="frame1" role="img" aria-label="{label}">{under}{_scale(x, y)}{body}{over}</svg>'


def _region(laid: Sequence[Plain], x: Scale, y: Scale) -> str:
    """Where the service levels on the axes hold, under everything else."""
    parts = []
    for shape in laid:
        if shape["name"] == REGION:
            left, right = (_within(x.place(shape[key])) for key in ("x0", "x1"))
            bottom, top = (_within(y.place(shape[key])) for key in ("y0", "y1"))
            parts.append(
                f'<rect class="region" x="{left:.2f}%" y="{100 - top:.2f}%" '
                f'width="{max(0, right - left):.2f}%" height="{max(0, top - bottom):.2f}%"/>'
            )
    return "".join(parts)


def _within(at: float | None) -> float:
    return 0.0 if at is None else min(100.0, max(0.0, at))


def _reading(value: float, x: Scale) -> str:
    at = x.place(value)
    if at is None or not 0 <= at <= 100:
        return ""
    return (
        f'<line class="reading" x1="{at:.2f}%" x2="{at:.2f}%" y2="100%"/>'
        f'<svg x="{at:.2f}%" y="100%" overflow="visible"><text class="tick reading" y="-6" x="4">{value:g}</text></svg>'
    )


def depth_of(trace: Plain) -> int:
    """How far back a trace is drawn; 0 where it says nothing."""
    depth: int = trace.get("meta", {}).get("depth", 0)
    return depth


def seen_by(figure: Figure, view: View) -> list[Plain]:
    """The traces that the view shows, legend entries aside, in the order in which they are drawn."""
    return sorted((trace for trace in figure.data if _is_seen(trace, view)), key=depth_of)


def scales(figure: Figure, view: View) -> tuple[Scale, Scale]:
    """Both axes of the view: around all that is seen, or its zoom."""
    dots = [trace for trace in seen_by(figure, view) if trace["meta"]["role"] == "dot"]
    x = _axis(figure.meta["x"], [value for trace in dots for value in trace["x"]], "x" in view.log, view.xr)
    y = _axis(figure.meta["y"], [value for trace in dots for value in trace["y"]], "y" in view.log, view.yr)
    return x, y


def _is_seen(trace: Plain, view: View) -> bool:
    meta = trace["meta"]
    if meta["role"] in ("legend", "key") or meta["series"] in view.hide:
        return False
    return view.all or meta["standing"] != "dominated"


def _axis(meta: Plain, values: list[float], log: bool, given: Range | None) -> Scale:
    low, high = log_range(values) if log else linear_range(values)
    if given is not None and not log:
        low, high = given
    elif given is not None and given[0] > 0:
        low, high = log10(given[0]), log10(given[1])
    return Scale(low, high, log, bool(meta["share"]))


def _scale(x: Scale, y: Scale) -> str:
    """Grid, axis line and numbers, outside the area where they need to be."""
    across = "".join(
        f'<line class="grid" x2="100%" y1="{100 - at:.2f}%" y2="{100 - at:.2f}%"/>'
        f'<text class="tick" x="-6" y="{100 - at:.2f}%" dy=".35em" text-anchor="end">{tick.text}</text>'
        for at, tick in y.ticks(Y_TICKS)
    )
    along = "".join(
        f'<svg x="{at:.2f}%" y="100%" overflow="visible"><path class="axis" d="M0 0V4"/>'
        f'<text class="tick" y="17" text-anchor="middle">{tick.text}</text></svg>'
        for at, tick in x.ticks(X_TICKS)
    )
    return f'{across}<line class="axis" x2="100%" y1="100%" y2="100%"/>{along}'


def _trace(trace: Plain, x: Scale, y: Scale, color: Plain, linked: str | None) -> str:
    role = trace["meta"]["role"]
    places = [(x.place(a), y.place(b)) for a, b in zip(trace["x"], trace["y"], strict=True)]
    style = f'style="color:light-dark({color["light"]},{color["dark"]})"'
    if role == "line":
        ends = [(a, 100 - b) for a, b in places if a is not None and b is not None]
        dash = (
            f' stroke-dasharray="{escape(trace["line"]["dash"].replace("px", ""))}"' if "dash" in trace["line"] else ""
        )
        segments = "".join(
            f'<line x1="{a:.2f}%" y1="{b:.2f}%" x2="{c:.2f}%" y2="{d:.2f}%"/>' for (a, b), (c, d) in pairwise(ends)
        )
        return f'<svg class="line" width="100%" height="100%" overflow="hidden" {style}{dash}>{segments}</svg>'
    name = mark_id(role, trace["marker"]["symbol"], trace["meta"])
    uses = "".join(
        _use(name, a, b, f"{point_id}{linked}" if linked is not None and role == "dot" else None)
        for (a, b), point_id in zip(places, trace["ids"], strict=True)
        if a is not None and b is not None and 0 <= a <= 100 and 0 <= b <= 100
    )
    return f'<g class="{role} {trace["meta"]["standing"]}" {style}>{uses}</g>' if uses else ""


def _use(name: str, x: float, y: float, place: str | None) -> str:
    use = f'<use href="#{name}" x="{x:.2f}%" y="{100 - y:.2f}%"/>'
    return f'<a href="/points/{place}" tabindex="-1">{use}</a>' if place else use
