"""The small chart of the point and config pages: a few curves with their rings, placed in percent of the plot.

The server draws it, so that it needs no script, prints sharp text at any width and takes its colors from the theme.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Literal

import numpy as np

from app.catalog.metrics import Metric
from app.catalog.oklch import Color
from app.figures.figure import linear_range
from app.figures.pareto import axis_title
from app.figures.sprite import mark_id
from app.figures.ticks import ticks
from app.frontier import frontier
from app.question import Question
from app.series import Series, chart, drawn

MOST = 400
"""Most points of a small chart; the full one is a click away."""
TICKS = 6
LABEL_WIDTH, LABEL_HEIGHT = 24.0, 14.0
"""Room that a line's label takes, in percent of the plot."""

Tone = Literal["series", "plain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One point with both of its numbers."""

    id: str
    x: float
    y: float
    optimal: bool
    halo: bool
    notch: bool
    hollow: bool
    concurrency: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Points that share a line. The plain tone is for what a curve is compared with."""

    label: str
    tone: Tone
    color: Color
    symbol: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A dot in its place: percent from the left and from the top. `role` is this, twin or empty."""

    dot: Dot
    left: float
    top: float
    shape: str
    """Its name in the sprite."""
    tone: Tone
    role: str
    label: str
    words: str
    flip: bool
    """Whether a label belongs to the left of the mark, to stay inside."""
    drop: bool
    """Whether a label belongs below the mark, clear of the other one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    tone: Tone
    points: tuple[tuple[float, float], ...]
    label: str
    """Printed at the high end of the line; empty where one curve is alone."""
    below: bool = False
    """Whether the label belongs below that end, clear of another line's."""

    @property
    def segments(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        return list(zip(self.points, self.points[1:], strict=False))


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallChart:
    x: Metric
    y: Metric
    color: Color
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...]
    summary: str
    prices: str

    @property
    def titles(self) -> tuple[str, str]:
        """What stands under and above the plot."""
        return axis_title(self.x, self.prices), axis_title(self.y, self.prices)

    @property
    def has_halo(self) -> bool:
        return any(mark.dot.halo for mark in self.marks)

    @property
    def has_notch(self) -> bool:
        return any(mark.dot.notch for mark in self.marks)


def series_curve(question: Question) -> Curve | None:
    """The first series of a question as a curve: its frontier is that of the main chart. None where it has no point."""
    placed = chart(question)
    if not placed.series:
        return None
    series: Series = placed.series[0]
    shown = np.intersect1d(series.members, drawn(placed, MOST))
    picked = question.snapshot.pick([int(row) for row in placed.row[shown]], ("id", "concurrency"), question.selection)
    return Curve(
        label=series.label,
        tone="series",
        color=series.color,
        symbol=series.symbol,
        dots=tuple(
            Dot(
                id=picked["id"][n],
                x=float(placed.x[place]),
                y=float(placed.y[place]),
                optimal=bool(placed.frontier[place]) and placed.has_frontier,
                halo=bool(placed.has_halo[place]),
                notch=bool(placed.has_notch[place]),
                hollow=bool(placed.hollow[place]),
                concurrency=picked["concurrency"][n],
            )
            for n, place in enumerate(shown)
        ),
    )


def rows_curve(
    rows: Sequence[Mapping[str, Any]],
    x: Metric,
    y: Metric,
    *,
    label: str,
    tone: Tone,
    color: Color,
    symbol: str,
    hollow: bool,
) -> Curve:
    """Flat rows as a curve with a frontier of its own."""
    usable = [row for row in rows if _finite(row.get(x.key)) and _finite(row.get(y.key))]
    xs, ys = (np.array([float(row[metric.key]) for row in usable]) for metric in (x, y))
    directed = x.better != "none" and y.better != "none"
    best = frontier(xs, ys, x.better, y.better) if directed else np.zeros(len(usable), dtype=bool)
    return Curve(
        label=label,
        tone=tone,
        color=color,
        symbol=symbol,
        dots=tuple(
            Dot(
                id=row["id"],
                x=float(row[x.key]),
                y=float(row[y.key]),
                optimal=bool(best[n]),
                halo="kv" in (row["offload_kind"] or "").split("+"),
                notch="parameter" in (row["offload_kind"] or "").split("+"),
                hollow=hollow,
                concurrency=row["concurrency"],
            )
            for n, row in enumerate(usable)
        ),
    )


def small_chart(
    curves: Sequence[Curve],
    x: Metric,
    y: Metric,
    *,
    prices: str,
    this: str | None = None,
    twins: Mapping[str, str] | None = None,
) -> SmallChart | None:
    """The curves in one plot. `this` is singled out, `twins` maps ids to what is printed beside them."""
    dots = [dot for curve in curves for dot in curve.dots]
    if not dots:
        return None
    x_range, y_range = linear_range([dot.x for dot in dots]), linear_range([dot.y for dot in dots])
    named = twins or {}

    def spot(dot: Dot) -> tuple[float, float]:
        return _percent(dot.x, x_range), 100 - _percent(dot.y, y_range)

    marks: list[Mark] = []
    lines: list[Line] = []
    for curve in curves:
        for dot in curve.dots:
            left, top = spot(dot)
            role = "this" if dot.id == this else "twin" if dot.id in named else ""
            marks.append(
                Mark(
                    dot=dot,
                    left=left,
                    top=top,
                    shape=_shape(curve, dot, role),
                    tone=curve.tone,
                    role=role,
                    label="this point" if role == "this" else named.get(dot.id, ""),
                    words=_words(dot, x, y),
                    flip=left > 60,
                    drop=role == "twin",
                )
            )
        best = sorted({(dot.x, dot.y) for dot in curve.dots if dot.optimal})
        ends = tuple((_percent(px, x_range), 100 - _percent(py, y_range)) for px, py in best)
        lines.append(Line(tone=curve.tone, points=ends, label=curve.label if len(curves) > 1 else ""))
    marks = _apart(marks)
    marks.sort(key=lambda mark: (bool(mark.role), mark.dot.optimal, mark.tone == "series"))
    return SmallChart(
        x=x,
        y=y,
        color=curves[0].color,
        x_ticks=_ticks(x_range, x),
        y_ticks=_ticks(y_range, y),
        lines=_labelled(lines),
        marks=tuple(marks),
        summary=_summary(dots, x, y),
        prices=prices,
    )


def _apart(marks: Sequence[Mark]) -> list[Mark]:
    """Of the two labels, the higher mark's goes up and the lower one's goes down."""
    this = next((mark for mark in marks if mark.role == "this"), None)
    twin = next((mark for mark in marks if mark.role == "twin"), None)
    if this is None or twin is None or twin.top >= this.top:
        return list(marks)
    return [replace(mark, drop=mark.role == "this") if mark.role else mark for mark in marks]


def _labelled(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Of two line ends that lie close together, the lower one has its label below."""
    if len(lines) != 2 or not all(line.points for line in lines):
        return tuple(lines)
    (left, top), (other_left, other_top) = lines[0].points[0], lines[1].points[0]
    if abs(left - other_left) > LABEL_WIDTH or abs(top - other_top) > LABEL_HEIGHT:
        return tuple(lines)
    lower = 0 if top > other_top else 1
    return tuple(replace(line, below=n == lower) for n, line in enumerate(lines))


def _shape(curve: Curve, dot: Dot, role: str) -> str:
    standing = "frontier" if dot.optimal or role else "dominated"
    return mark_id("dot", curve.symbol, {"hollow": dot.hollow, "standing": standing})


def _words(dot: Dot, x: Metric, y: Metric) -> str:
    load = f"concurrency {dot.concurrency:g}" if dot.concurrency is not None else "concurrency not reported"
    parts = [load, f"{_value(dot.y, y)} at {_value(dot.x, x)}"]
    parts += ["used KV offload"] if dot.halo else []
    parts += ["used parameter offload"] if dot.notch else []
    return ", ".join(parts)


def _value(value: float, metric: Metric) -> str:
    return f"{100 * value if metric.is_share else value:,.{metric.digits}f} {metric.unit}"


def _summary(dots: Sequence[Dot], x: Metric, y: Metric) -> str:
    ringed = sum(dot.halo for dot in dots)
    points = "1 point" if len(dots) == 1 else f"{len(dots)} points"
    return f"{y.label} against {x.label}: {points}, {ringed} with KV offload"


def _ticks(bounds: Sequence[float], metric: Metric) -> tuple[Tick, ...]:
    low, high = bounds
    found = ticks(low, high, log=False, count=TICKS, share=metric.is_share)
    return tuple(Tick(_percent(tick.place, bounds), tick.text) for tick in found)


def _percent(value: float, bounds: Sequence[float]) -> float:
    low, high = bounds
    return round(100 * (value - low) / (high - low), 3) if high > low else 50.0


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and isfinite(value)
