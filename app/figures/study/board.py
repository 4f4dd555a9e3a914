"""What the study's figures have in common: axes with their marks, a legend of their own, colors for both themes."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from app.catalog.metrics import Metric
from app.catalog.oklch import PAPER_DARK, PAPER_LIGHT, Color
from app.figures import marks
from app.figures.figure import Figure, Plain, linear_range, log_range, rounded, rounded_all
from app.figures.pareto import axis_title
from app.figures.ticks import tick_text, ticks
from app.study.arms import Sample
from app.study.study import Study

X_MARKS, Y_MARKS = 7, 6
DARK: dict[str, str] = {
    PAPER_LIGHT: PAPER_DARK,
    marks.INK: "#e7e9ea",
    marks.INK_2: "#9da5ad",
    marks.GRID: "#1f2428",
    marks.RULE_2: "#69727b",
}
"""The dark twin of each light color that no series owns."""


def axis(
    title: str,
    values: Sequence[float],
    *,
    count: int,
    log: bool = False,
    share: bool = False,
    signed: bool = False,
    bounds: Sequence[float] | None = None,
) -> Plain:
    """An axis with its own marks, so that browser, export and first frame agree. `signed` ones print a plus."""
    low, high = bounds or (log_range(values) if log else linear_range(values))
    found = ticks(low, high, log=log, count=count, share=share)
    places = [10**tick.place if log else tick.place for tick in found]
    texts = [f"+{tick.text}" if signed and tick.place > 0 else tick.text for tick in found]
    return {
        "title": {"text": title, "font": {"size": 13, "color": marks.INK}},
        "type": "log" if log else "linear",
        "range": [rounded(low), rounded(high)],
        "autorange": False,
        "fixedrange": True,
        "zeroline": False,
        "gridcolor": marks.GRID,
        "linecolor": marks.RULE_2,
        "tickcolor": marks.RULE_2,
        "tickfont": {"size": 11, "color": marks.INK_2},
        "ticklen": 4,
        "tickmode": "array",
        "tickvals": rounded_all(places),
        "ticktext": texts,
    }


def metric_axis(metric: Metric, prices: str, values: Sequence[float], *, count: int) -> Plain:
    return axis(axis_title(metric, prices), values, count=count, share=metric.is_share)


def figure(
    study: Study,
    *,
    title: str,
    data: Sequence[Plain],
    x: Plain,
    y: Plain,
    colors: Iterable[Color],
    summary: str,
    shapes: Sequence[Plain] = (),
    more: Plain | None = None,
    dark: Plain | None = None,
    layout: Plain | None = None,
) -> Figure:
    """A document as every figure travels; `meta.dark` gives each light color its dark twin."""
    return Figure(
        data=list(data),
        layout={
            "title": {"text": title, "font": {"size": 16, "color": marks.INK}, "x": 0, "xref": "paper"},
            "font": {"family": marks.FONT, "size": 12, "color": marks.INK_2},
            "paper_bgcolor": PAPER_LIGHT,
            "plot_bgcolor": PAPER_LIGHT,
            "hovermode": "closest",
            "showlegend": True,
            "legend": {"itemsizing": "trace", "tracegroupgap": 0, "font": {"size": 12, "color": marks.INK}},
            "margin": {"l": 64, "r": 16, "t": 48, "b": 52},
            "xaxis": {**x, "showgrid": False, "showline": True, "ticks": "outside"},
            "yaxis": y,
            "shapes": list(shapes),
            **(layout or {}),
        },
        meta={
            "snapshot": study.question.snapshot.id,
            "title": title,
            "summary": summary,
            "points": sum(len(trace.get("ids", ())) for trace in data if trace["meta"]["role"] in ("dot", "bar")),
            "dark": {**DARK, **{color.light: color.dark for color in colors}, **(dark or {})},
            **(more or {}),
        },
    )


def trace(role: str, name: str, xs: Sequence[float | None], ys: Sequence[float | None], **more: Any) -> Plain:
    return {
        "type": "scatter",
        "x": rounded_all(xs),
        "y": rounded_all(ys),
        "name": name,
        "showlegend": False,
        "meta": {"role": role},
        **more,
    }


def dots(
    name: str,
    places: Sequence[tuple[str, float, float, str]],
    symbol: str,
    color: str,
    *,
    hollow: bool,
    halo: bool,
    legend: bool = False,
) -> list[Plain]:
    """Marks of points (id, x, y, words), each with its ring where it used KV offload."""
    if not places:
        return []
    ids, words = [place[0] for place in places], [place[3] for place in places]
    xs, ys = [place[1] for place in places], [place[2] for place in places]
    common: Plain = {"mode": "markers", "ids": ids, "cliponaxis": False}
    found = []
    if halo:
        found.append(trace("ring", name, xs, ys, **common, hoverinfo="skip", marker=marks.ring(color)))
    found.append(
        trace(
            "dot",
            name,
            xs,
            ys,
            **common,
            text=words,
            hovertemplate="%{text}<extra></extra>",
            marker=marks.dot(symbol, color, hollow=hollow),
        )
    )
    found[-1]["meta"] |= {"symbol": symbol, "hollow": hollow}
    found[-1]["showlegend"] = legend
    return found


def notches(name: str, places: Sequence[tuple[str, float, float, str]], color: str) -> list[Plain]:
    """The mark of parameter offload on points that `dots` has drawn."""
    if not places:
        return []
    xs, ys = [place[1] for place in places], [place[2] for place in places]
    ids = [place[0] for place in places]
    more: Plain = {"mode": "markers", "ids": ids, "hoverinfo": "skip", "cliponaxis": False}
    return [trace("notch", name, xs, ys, **more, marker=marks.notch(color))]


def band(low: float, high: float, color: str = marks.GRID) -> Plain:
    """A stretch of x, shaded over the whole height. On a log axis the ends are given as numbers, not exponents."""
    return {
        "type": "rect",
        "layer": "below",
        "xref": "x",
        "yref": "paper",
        "x0": low,
        "x1": high,
        "y0": 0,
        "y1": 1,
        "fillcolor": color,
        "line": {"width": 0},
    }


def level(y: float, color: str = marks.RULE_2) -> Plain:
    """A line across the plot."""
    return {
        "type": "line",
        "layer": "below",
        "xref": "paper",
        "yref": "y",
        "x0": 0,
        "x1": 1,
        "y0": y,
        "y1": y,
        "line": {"color": color, "width": 1},
    }


def value_text(metric: Metric, value: float) -> str:
    return f"{100 * value if metric.is_share else value:,.{metric.digits}f} {metric.unit}"


def words_of(sample: Sample, *metrics: Metric) -> str:
    """`concurrency 48 · 14,458 tok/s/chip`: what a mark says of its point."""
    parts = [f"concurrency {sample.concurrency:g}"] if sample.concurrency is not None else []
    for metric in metrics:
        value = sample.value(metric.key)
        if value is not None:
            parts.append(f"{metric.label} {value_text(metric, value)}")
    return " · ".join(parts)


def change_axis(title: str, values: Sequence[float]) -> Plain:
    """Relative changes, zero always in sight."""
    low, high = min([0.0, *values]), max([0.0, *values])
    pad = 0.06 * (high - low) or 0.1
    return axis(
        title, values, count=Y_MARKS, share=True, signed=True, bounds=(low - pad if low < 0 else low, high + pad)
    )


def ratio_axis(title: str, values: Sequence[float], *, least: Sequence[float]) -> Plain:
    """A ratio on a log axis that holds these values too, marked at 0.5×, 1×, 2× and so on."""
    every = [value for value in (*values, *least) if value > 0]
    low, high = math.floor(math.log2(min(every))), math.ceil(math.log2(max(every)))
    step = max(1, math.ceil((high - low) / X_MARKS))
    found = axis(
        title, every, count=X_MARKS, log=True, bounds=(math.log10(2.0**low) - 0.04, math.log10(2.0**high) + 0.04)
    )
    places = [2.0**n for n in range(low, high + 1, step)]
    return {
        **found,
        "tickvals": rounded_all(places),
        "ticktext": [f"{place:.2g}×" if place < 1 else f"{tick_text(place)}×" for place in places],
    }
