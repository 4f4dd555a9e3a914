"""What the figures of one run have in common: seconds along x, few colors with their twins, no marks of points."""

from collections.abc import Sequence
from typing import Any

from app.catalog.oklch import PAPER_LIGHT
from app.figures import marks
from app.figures.figure import Figure, Plain
from app.figures.study.board import DARK, axis, band, trace

STRONG, SOFT, PALE = "#2b3f5e", "#6f8db8", "#c3d0e2"
WARMUP, LOST = "#9a8a5c", "#a3362a"
_TWINS = {STRONG: "#c9d8ee", SOFT: "#7f9cc8", PALE: "#3a4c69", WARMUP: "#a8986a", LOST: "#f08a7c"}
BAND = marks.GRID
DASH = "4px,3px"
DOTS = "1px,3px"
X_MARKS, Y_MARKS = 7, 4
Span = tuple[float, float]


def panel(
    title: str,
    data: Sequence[Plain],
    x: Plain,
    y: Plain,
    summary: str,
    *,
    shapes: Sequence[Plain] = (),
    twins: Plain | None = None,
    note: str = "",
) -> Figure:
    """A figure with its title, what it shows in words, and how its light colors look in the dark."""
    return Figure(
        data=list(data),
        layout={
            "title": {"text": title, "font": {"size": 16, "color": marks.INK}, "x": 0, "xref": "paper"},
            "font": {"family": marks.FONT, "size": 12, "color": marks.INK_2},
            "paper_bgcolor": PAPER_LIGHT,
            "plot_bgcolor": PAPER_LIGHT,
            "hovermode": "x",
            "showlegend": True,
            "margin": {"l": 64, "r": 16, "t": 48, "b": 52},
            "xaxis": {**x, "showgrid": False, "showline": True, "ticks": "outside"},
            "yaxis": y,
            "shapes": list(shapes),
        },
        meta={"title": title, "summary": summary, "note": note, "dark": {**DARK, **_TWINS, **(twins or {})}},
    )


def seconds(span: Span) -> Plain:
    return axis("Seconds since the first request", [], count=X_MARKS, bounds=span)


def upward(title: str, values: Sequence[float | None], *, share: bool = False, most: float | None = None) -> Plain:
    """An axis from zero to a little beyond the values, or to the most there can be."""
    known = [value for value in values if value is not None]
    bounds = (0.0, most) if most is not None else None
    return axis(title, known or [1.0], count=Y_MARKS, share=share, bounds=bounds)


def warm_band(span: Span, end_s: float | None) -> list[Plain]:
    """The stretch in which requests of the warm-up were under way."""
    return [] if end_s is None else [band(span[0], min(end_s, span[1]), BAND)]


def line(name: str, xs: Sequence[float], ys: Sequence[float | None], color: str, *, dash: str = "") -> Plain:
    style: Plain = {"color": color, "width": 1.75 if not dash else 1.5, **({"dash": dash} if dash else {})}
    more: dict[str, Any] = {"mode": "lines", "line": style, "connectgaps": False, "showlegend": True}
    return trace("line", name, xs, ys, **more)


def area(
    name: str,
    xs: Sequence[float | None],
    ys: Sequence[float | None],
    color: str,
    *,
    opacity: float = 1,
    hatch: Plain | None = None,
) -> Plain:
    """One or several filled outlines, None between them; hatched where what they stand for is not proved."""
    more = {"fillpattern": hatch} if hatch else {}
    return trace(
        "area",
        name,
        xs,
        ys,
        mode="lines",
        fill="toself",
        fillcolor=color,
        opacity=opacity,
        line={"width": 0, "color": color},
        hoverinfo="skip",
        showlegend=True,
        **more,
    )


def middles(starts: Sequence[float], width: float) -> list[float]:
    """Where values of a stretch of time are drawn."""
    return [start + width / 2 for start in starts]
