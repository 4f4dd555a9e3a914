"""A figure as a picture that stands alone: its view applied, a theme, a size, title, axis titles and legend inside.

What comes back is Plotly JSON again, so that whoever turns it into an image draws the halos of the figure.
"""

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log10
from typing import Any

from app.catalog.oklch import PAPER_LIGHT
from app.figures import marks
from app.figures.figure import Figure, Plain
from app.figures.study.board import DARK
from app.figures.svg import X_TICKS, Y_TICKS, scales, seen_by
from app.view import View

NARROW = 720
"""Pixels of width below which the legend stands under the plot instead of beside it."""

_LETTER = 6.6
_TITLE_LETTER = 8.6
_AXIS_LETTER = 7.0
_LEFT = 72
_LEGEND_ITEMS = ("legend", "key")
_ROW = 19
FAINT_IN_DARK = 0.48
"""Dominated points on dark paper, as `--faint` of static/css/site.css."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """How a picture is asked for: pixels before scaling, and the theme."""

    width: int
    height: int
    dark: bool = False


def picture(figure: Figure, view: View, frame: Frame) -> Plain:
    """`{"data", "layout"}` of the figure as a reader of the view sees it, in the frame."""
    is_chart = "x" in figure.meta and "y" in figure.meta
    data = _shown(figure, view) if is_chart else figure.data
    layout = {key: value for key, value in figure.layout.items() if key not in ("uirevision", "hovermode")}
    if is_chart:
        layout |= _axes(figure, view)
        layout["annotations"] = [*layout.get("annotations", ()), *_pins(data, view, layout)]
    if frame.dark:
        twins = _twins(figure)
        data, layout = _swapped(data, twins), _swapped(layout, twins)
        data = [_fainter(trace) for trace in data]
    return {"data": [_plain(trace) for trace in data], "layout": _framed(layout, data, frame)}


def _shown(figure: Figure, view: View) -> list[Plain]:
    """Traces of the view, and the entries of the legend that belong to them."""
    legend = [
        trace
        for trace in figure.data
        if trace["meta"]["role"] in _LEGEND_ITEMS and trace["meta"].get("series") not in view.hide
    ]
    return [*seen_by(figure, view), *legend]


def _axes(figure: Figure, view: View) -> Plain:
    """Ranges of what is seen, marked by the rule of the page."""
    found = {}
    for name, scale, count in zip(("xaxis", "yaxis"), scales(figure, view), (X_TICKS, Y_TICKS), strict=True):
        marked = [tick for _, tick in scale.ticks(count)]
        found[name] = {
            **{key: value for key, value in figure.layout[name].items() if key not in ("tickformat", "exponentformat")},
            "type": "log" if scale.log else "linear",
            "range": [scale.low, scale.high],
            "tickmode": "array",
            "tickvals": [10**tick.place if scale.log else tick.place for tick in marked],
            "ticktext": [tick.text for tick in marked],
        }
    return found


def _pins(data: list[Plain], view: View, layout: Plain) -> list[Plain]:
    """Letters at the points that the view pins, as the page gives them."""
    at = {
        point: (x, y)
        for trace in data
        if trace["meta"]["role"] == "dot"
        for point, x, y in zip(trace["ids"], trace["x"], trace["y"], strict=True)
    }
    found = []
    for place, point in enumerate([point for point in view.point if point in at][:26]):
        spot = {
            name: log10(value) if layout[f"{name}axis"]["type"] == "log" else value
            for name, value in zip("xy", at[point], strict=True)
            if value > 0 or layout[f"{name}axis"]["type"] != "log"
        }
        if len(spot) == 2:
            font = {"size": 12, "color": marks.INK, "weight": 700}
            look = {"bgcolor": PAPER_LIGHT, "bordercolor": marks.INK, "borderpad": 2, "font": font}
            arrow = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": marks.INK, "standoff": 9}
            found.append({**spot, "text": chr(65 + place), "ax": 22, "ay": -26, **look, **arrow})
    return found


def _twins(figure: Figure) -> dict[str, str]:
    """The dark twin of each light color in the figure."""
    series = {one["color"]["light"]: one["color"]["dark"] for one in figure.meta.get("series", ()) if "color" in one}
    return {**DARK, **series, **figure.meta.get("dark", {})}


def _swapped(value: Any, twins: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return twins.get(value, value)
    if isinstance(value, Mapping):
        return {key: _swapped(item, twins) for key, item in value.items()}
    if isinstance(value, list):
        return [_swapped(item, twins) for item in value]
    return value


def _fainter(trace: Plain) -> Plain:
    return {**trace, "opacity": FAINT_IN_DARK} if trace.get("opacity") == marks.DOMINATED_OPACITY else trace


def _plain(trace: Plain) -> Plain:
    """The trace with what a picture needs: names are text, marks at the edge are whole."""
    kept = {key: value for key, value in trace.items() if key not in ("ids", "meta", "hovertemplate")}
    if "name" in kept:
        kept["name"] = escaped(kept["name"])
    if "marker" in kept and kept["type"] == "scatter":
        kept["cliponaxis"] = False
    return kept


def escaped(text: str) -> str:
    """Text that Plotly prints as it is: it reads a little HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _framed(layout: Plain, data: Iterable[Plain], frame: Frame) -> Plain:
    names = [trace.get("name", "") for trace in data if trace.get("showlegend", True)]
    narrow = frame.width < NARROW
    longest = max((len(name) for name in names), default=0) * _LETTER
    right = min(48 + longest, frame.width * 0.45) if names and not narrow else 16
    title = layout.get("title", {})
    lines = _lines(title.get("text", ""), frame.width - 32, _TITLE_LETTER)
    width = max(frame.width - _LEFT - right, 1)
    x_title = _lines(layout["xaxis"]["title"]["text"], width + right, _AXIS_LETTER)
    top, axis = 28 + 22 * len(lines), 40 + 17 * len(x_title)
    under = _ROW * len(names) + 12 if narrow and names else 0
    height = max(frame.height - top - axis - under, 1)
    y_title = _lines(layout["yaxis"]["title"]["text"], height + 40, _AXIS_LETTER)
    left = _LEFT + 15 * (len(y_title) - 1)
    return {
        **layout,
        "width": frame.width,
        "height": frame.height,
        "autosize": False,
        "font": {**layout["font"], "family": marks.FONT},
        "margin": {"l": left, "r": round(right), "t": top, "b": axis + under, "autoexpand": False},
        "title": {
            **title,
            "text": "<br>".join(lines),
            "x": 16 / frame.width,
            "xref": "container",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 14 + 9 * (len(lines) - 1)},
        },
        "legend": {
            **layout.get("legend", {}),
            "itemsizing": "trace",
            "tracegroupgap": 0,
            "bgcolor": "rgba(0,0,0,0)",
            **_legend_place(left / width, axis / height, narrow),
        },
        "xaxis": _with_title(_with_room(layout["xaxis"], width), x_title),
        "yaxis": _with_title(layout["yaxis"], y_title),
        "annotations": list(layout.get("annotations", ())),
    }


def _lines(text: str, width: float, letter: float) -> list[str]:
    """The text in as few lines as its place needs, three at most."""
    return [escaped(line) for line in textwrap.wrap(text, max(12, int(width / letter)))[:3]] or [""]


def _legend_place(left: float, below: float, narrow: bool) -> Plain:
    """Beside the plot, or under its axis; in shares of the plot's own sides."""
    if not narrow:
        return {"x": 1, "xanchor": "left", "y": 1, "yanchor": "top"}
    return {"x": -left, "xanchor": "left", "y": -below, "yanchor": "top"}


def _with_title(axis: Plain, lines: list[str]) -> Plain:
    return {**axis, "title": {**axis["title"], "text": "<br>".join(lines)}}


def _with_room(axis: Plain, width: float) -> Plain:
    """Every second mark where all of them would run into each other."""
    texts = axis.get("ticktext")
    if not texts:
        return axis
    step = -(-len(texts) * 40 // max(int(width), 1))
    return {**axis, "tickvals": axis["tickvals"][::step], "ticktext": texts[::step]}
