"""The main chart: two metrics against each other, a frontier line per series, a dashed halo on every
drawn point that used KV-cache offload, Pareto-optimal or not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.catalog.metrics import METRICS, Metric
from app.catalog.oklch import PAPER_LIGHT, Color
from app.catalog.origins import ORIGINS
from app.catalog.speculation import NONE
from app.compare.service import levels_of
from app.figures import cards, marks
from app.figures.bounds import meets, shapes
from app.figures.figure import Figure, Plain, linear_range, log_range, rounded, rounded_all
from app.question import Question
from app.series import MARKS, Chart, Series, chart, drawn

HALO_WORDS = "dashed halo: used KV-cache offload"
NOTCH_WORDS = "notch: parameter offload"
MEETS_WORDS = "cross: meets every service level"


def figure(question: Question) -> Figure:
    """The chart of a view, with every dominated point in it; `all=0` and `hide` are the page's to apply."""
    return figure_of(chart(question))


def figure_of(placed: Chart, *, limit: int = MARKS) -> Figure:
    """The figure of points already placed. A drawn point that used KV offload never lacks its ring.

    What marks the same points stands side by side, in the same order: compression reaches 32 kB back and no
    farther. `meta.depth` says what is drawn over what; Plotly's own `zorder` costs the line of the x axis.
    """
    question = placed.question
    shown = drawn(placed, limit)
    is_shown = np.zeros(len(placed.row), dtype=bool)
    is_shown[shown] = True
    levels = levels_of(question.view)
    beside = [level.metric.key for level in levels] + ([question.y.follows] if question.y.follows else [])
    columns = [*dict.fromkeys((*cards.COLUMNS, *beside))]
    picked = question.snapshot.pick([int(row) for row in placed.row[shown]], columns, question.selection)
    met = np.zeros(len(placed.row), dtype=bool)
    met[shown] = (
        [meets(levels, values) for values in zip(*(picked[level.metric.key] for level in levels), strict=True)]
        if levels
        else False
    )
    position = np.full(len(placed.row), -1, dtype=np.int64)
    position[shown] = np.arange(len(shown))
    ids: list[str] = picked["id"]

    data: list[Plain] = []
    dots = [np.zeros(0, dtype=np.intp)]
    plot = _Plot(position, ids, rounded_all(placed.x[shown]), rounded_all(placed.y[shown]))
    for series in placed.series:
        draw = _Pen(placed, series, plot)
        members = series.members[is_shown[series.members]]
        best = members[placed.frontier[members]]
        rest = members[~placed.frontier[members]]
        line = placed.line(series)
        if placed.has_frontier and len(line) > 1:
            data.append(draw.line(line, _leads(placed, line, picked, position)))
            best = best[np.argsort(placed.x[best], kind="stable")]
        for some, standing in ((rest, "dominated"), (best, "frontier")):
            points = some[np.argsort(placed.has_halo[some], kind="stable")]
            ringed = points[placed.has_halo[points]]
            if len(ringed):
                data.append(draw.rings(ringed, standing))
            for hollow in (False, True):
                alike = points[placed.hollow[points] == hollow]
                if len(alike):
                    data.append(draw.dots(alike, standing, hollow))
                    dots.append(alike)
            notched = points[placed.has_notch[points]]
            if len(notched):
                data.append(draw.notches(notched, standing))
            crossed = points[met[points]]
            if len(crossed):
                data.append(draw.meets(crossed, standing))

    data += _legend(placed, is_shown, met)
    meta = _meta(placed, shown, picked, position[np.concatenate(dots)])
    return Figure(data=data, layout=_layout(placed, shown), meta=meta)


@dataclass(frozen=True, slots=True)
class _Plot:
    """The drawn points: where each point of the chart stands among them, or -1, then their ids and places."""

    position: NDArray[np.int64]
    ids: Sequence[str]
    x: Sequence[float | int | None]
    y: Sequence[float | int | None]


class _Pen:
    """Traces of one series: they share its color, its place in the legend and its key."""

    def __init__(self, placed: Chart, series: Series, plot: _Plot) -> None:
        self._placed = placed
        self._series = series
        self._plot = plot

    def _trace(self, points: NDArray[np.intp], role: str, standing: str, **more: Any) -> Plain:
        places = self._plot.position[points].tolist()
        depth = marks.DEPTH[role] if role != "dot" or standing == "frontier" else marks.FAINT_DEPTH
        return {
            "type": "scatter",
            "x": [self._plot.x[place] for place in places],
            "y": [self._plot.y[place] for place in places],
            "ids": [self._plot.ids[place] for place in places],
            "name": self._series.label,
            "legendgroup": self._series.key,
            "showlegend": False,
            "meta": {
                "series": self._series.key,
                "role": role,
                "standing": standing,
                **({"depth": depth} if depth else {}),
            },
            **more,
        }

    def line(self, points: NDArray[np.intp], leads: list[float | None] | None) -> Plain:
        """`leads` are the throughputs that y follows: between two points a reading goes through them."""
        style: Plain = {"color": self._series.color.light, "width": marks.LINE_WIDTH}
        origin = ORIGINS.get(self._series.origin)
        if self._series.fresh:
            style["dash"] = "2px,3px"
        elif origin is not None and origin.dashed_line:
            style["dash"] = "6px,4px"
        elif self._series.values.get("spec") not in (None, NONE):
            style["dash"] = "9px,3px"
        trace = self._trace(points[:0], "line", "frontier", mode="lines", line=style, hoverinfo="skip")
        trace["x"], trace["y"] = rounded_all(self._placed.x[points]), rounded_all(self._placed.y[points])
        del trace["ids"]
        if leads is not None:
            trace["meta"] |= {"leads": rounded_all(leads), "inverse": self._placed.question.y.inverse}
        return trace

    def rings(self, points: NDArray[np.intp], standing: str) -> Plain:
        opacity = marks.DOMINATED_RING_OPACITY if standing == "dominated" else 1
        return self._trace(
            points,
            "ring",
            standing,
            mode="markers",
            hoverinfo="skip",
            opacity=opacity,
            marker=marks.ring(self._series.color.light),
        )

    def dots(self, points: NDArray[np.intp], standing: str, hollow: bool) -> Plain:
        dominated = standing == "dominated"
        scale = marks.DOMINATED_SCALE if dominated else 1.0
        trace = self._trace(
            points,
            "dot",
            standing,
            mode="markers",
            hovertemplate="%{y} "
            + METRICS[self._placed.question.y.key].unit
            + "<br>%{x} "
            + METRICS[self._placed.question.x.key].unit
            + f"<extra>{self._series.label}</extra>",
            marker=marks.dot(self._series.symbol, self._series.color.light, hollow=hollow, scale=scale),
        )
        if dominated:
            trace["opacity"] = marks.DOMINATED_OPACITY
        if hollow:
            trace["meta"]["hollow"] = True
        return trace

    def notches(self, points: NDArray[np.intp], standing: str) -> Plain:
        return self._trace(
            points,
            "notch",
            standing,
            mode="markers",
            hoverinfo="skip",
            opacity=marks.DOMINATED_RING_OPACITY if standing == "dominated" else 1,
            marker=marks.notch(self._series.color.light),
        )

    def meets(self, points: NDArray[np.intp], standing: str) -> Plain:
        marker = marks.meets(self._series.color.light)
        return self._trace(points, "meets", standing, mode="markers", hoverinfo="skip", marker=marker)


def _leads(
    placed: Chart, line: NDArray[np.intp], picked: dict[str, list[Any]], position: NDArray[np.int64]
) -> list[float | None] | None:
    key = placed.question.y.follows
    if not key or (position[line] < 0).any():
        return None
    return [picked[key][place] for place in position[line].tolist()]


def _legend(placed: Chart, is_shown: NDArray[np.bool_], met: NDArray[np.bool_]) -> list[Plain]:
    """Legend entries of their own, so that an export explains itself: one a series, one for each special mark."""
    entries: list[Plain] = []
    for series in placed.series:
        if is_shown[series.members].any():
            hollow = bool(placed.hollow[series.members].all())
            entries.append(
                _entry(
                    series.label,
                    {
                        "series": series.key,
                        "role": "legend",
                        "standing": "frontier",
                        **({"hollow": True} if hollow else {}),
                    },
                    marks.dot(series.symbol, series.color.light, hollow=hollow),
                    legendgroup=series.key,
                )
            )
    if placed.has_halo[is_shown].any():
        entries.append(_entry(HALO_WORDS, {"role": "key"}, marks.ring(marks.INK)))
    if placed.has_notch[is_shown].any():
        entries.append(_entry(NOTCH_WORDS, {"role": "key"}, {"symbol": "square", "size": 5, "color": marks.INK}))
    if met[is_shown].any():
        entries.append(_entry(MEETS_WORDS, {"role": "key"}, marks.meets(marks.INK)))
    return entries


def _entry(name: str, meta: Plain, marker: Plain, **more: Any) -> Plain:
    return {
        "type": "scatter",
        "x": [None],
        "y": [None],
        "mode": "markers",
        "name": name,
        "showlegend": True,
        "hoverinfo": "skip",
        "meta": meta,
        "marker": marker,
        **more,
    }


def axis_title(metric: Metric, prices: str) -> str:
    """`Interactivity p90 (tok/s/user), higher is better`; a priced metric names its table."""
    parts = [f"{metric.label} ({metric.unit})", *([metric.direction] if metric.direction else [])]
    return ", ".join(parts) + (f" · {prices}" if metric.made == "priced" else "")


def _axis(
    metric: Metric,
    prices: str,
    values: Sequence[float],
    *,
    log: bool,
    given: tuple[float, float] | None,
) -> Plain:
    bounds: list[float] = log_range(values) if log else linear_range(values)
    if given is not None:
        bounds = list(log_range(given)) if log else list(given)
        if log and given[0] > 0:
            bounds = [float(np.log10(given[0])), float(np.log10(given[1]))]
    return {
        "title": {"text": axis_title(metric, prices), "font": {"size": 13, "color": marks.INK}},
        "type": "log" if log else "linear",
        "range": [rounded(bound) for bound in bounds],
        "autorange": False,
        "zeroline": False,
        "gridcolor": marks.GRID,
        "linecolor": marks.RULE_2,
        "tickcolor": marks.RULE_2,
        "tickfont": {"size": 11, "color": marks.INK_2},
        "ticklen": 4,
        "exponentformat": "SI",
        **({"tickformat": ".0%"} if metric.is_share else {}),
    }


def _layout(placed: Chart, shown: NDArray[np.intp]) -> Plain:
    question = placed.question
    view = question.view
    xs, ys = [float(v) for v in placed.x[shown]], [float(v) for v in placed.y[shown]]
    return {
        "title": {"text": question.title, "font": {"size": 16, "color": marks.INK}, "x": 0, "xref": "paper"},
        "font": {"family": marks.FONT, "size": 12, "color": marks.INK_2},
        "paper_bgcolor": PAPER_LIGHT,
        "plot_bgcolor": PAPER_LIGHT,
        "hovermode": "closest",
        "hoverdistance": 14,
        "showlegend": True,
        "legend": {"itemsizing": "trace", "tracegroupgap": 0, "font": {"size": 12, "color": marks.INK}},
        "margin": {"l": 64, "r": 16, "t": 48, "b": 52},
        "xaxis": {
            **_axis(question.x, question.price_words, xs, log="x" in view.log, given=view.xr),
            "showgrid": False,
            "showline": True,
            "ticks": "outside",
        },
        "yaxis": _axis(question.y, question.price_words, ys, log="y" in view.log, given=view.yr),
        "uirevision": "view",
        **({"shapes": laid} if (laid := shapes(view, question.x, question.y, xs, ys)) else {}),
    }


def _meta(placed: Chart, shown: NDArray[np.intp], picked: dict[str, list[Any]], dots: NDArray[np.int64]) -> Plain:
    question = placed.question
    xs, ys = [float(v) for v in placed.x[shown]], [float(v) for v in placed.y[shown]]
    definitions = sorted({text for text in picked["interactivity_def"] if text})
    uses_interactivity = any(metric.group == "Interactivity" for metric in (question.x, question.y))
    return {
        "snapshot": question.snapshot.id,
        "title": question.title,
        "notes": list(question.notes),
        "x": axis_meta(question.x, xs),
        "y": axis_meta(question.y, ys),
        "has_frontier": placed.has_frontier,
        "total": placed.total,
        "placed": len(placed.row),
        "drawn": len(shown),
        "drawn_with_halo": int(placed.has_halo[shown].sum()),
        "left_out": [{"reason": item.reason, "count": item.count} for item in placed.left_out],
        "definitions": definitions if uses_interactivity and len(definitions) > 1 else [],
        "series": [series_meta(placed, series, shown) for series in placed.series],
        "cards": cards.columns(question, picked, dots),
        "card": cards.layout(question),
    }


def axis_meta(metric: Metric, values: Sequence[float]) -> Plain:
    """What the page says of an axis, and both of its ranges, so that log needs no new figure."""
    return {
        "key": metric.key,
        "label": metric.label,
        "unit": metric.unit,
        "better": metric.better,
        "direction": metric.direction,
        "share": metric.is_share,
        "linear": [rounded(bound) for bound in linear_range(values)],
        "log": [rounded(bound) for bound in log_range(values)],
        "not_positive": sum(value <= 0 for value in values),
    }


def series_meta(placed: Chart, series: Series, shown: NDArray[np.intp]) -> Plain:
    members = series.members
    return {
        "key": series.key,
        "label": series.label,
        "color": color_meta(series.color),
        "symbol": series.symbol,
        "hollow": bool(placed.hollow[members].all()),
        "origin": series.origin,
        "points": len(members),
        "with_halo": int(placed.has_halo[members].sum()),
        "on_frontier": int(placed.frontier[members].sum()),
    }


def color_meta(color: Color) -> Plain:
    return {"light": color.light, "dark": color.dark, "light_ink": color.light_ink, "dark_ink": color.dark_ink}
