"""Any figure with its own axis marks as SVG: what a reader without JavaScript sees, and the frame before Plotly draws.

Like the first frame of the main chart it is placed in percent of the plot, so that it fits any width.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import log10

from app.figures.figure import Figure, Plain
from app.figures.sprite import mark_id

ROOMY = 8
"""Most marks that a phone has room for along x; of more it shows every second."""


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float
    log: bool

    def at(self, value: float) -> float:
        """Percent of the way along."""
        place = log10(value) if self.log and value > 0 else value
        return (place - self.low) / (self.high - self.low) * 100


@dataclass(frozen=True, slots=True)
class _Board:
    """The plot area: axes, the twin of each color, and what its links end with."""

    x: _Axis
    y: _Axis
    name: str
    dark: Plain
    suffix: str

    def color(self, light: str) -> str:
        return f"light-dark({light},{self.dark.get(light, light)})"

    def spot(self, x: float, y: float) -> tuple[float, float]:
        """Percent from the left and from the top."""
        return self.x.at(x), 100 - self.y.at(y)


def frame(figure: Figure, name: str, suffix: str = "") -> str:
    """The figure as an SVG element. `name` keeps what it defines apart from that of other figures of the page."""
    layout = figure.layout
    x, y = (_axis(layout[key]) for key in ("xaxis", "yaxis"))
    board = _Board(x, y, name, figure.meta["dark"], suffix)
    shapes = "".join(_shape(shape, board) for shape in layout["shapes"])
    body = "".join(_trace(trace, place, board) for place, trace in enumerate(figure.data) if trace["type"] == "scatter")
    bars = _bars([trace for trace in figure.data if trace["type"] == "bar"], layout, board)
    label = escape(figure.meta["summary"])
    scale = _scale(layout, board)
    return f'<svg class="frame1" role="group" aria-label="{label}">{shapes}{scale}{bars}{body}</svg>'


def _axis(axis: Plain) -> _Axis:
    low, high = axis["range"]
    return _Axis(low, high, axis["type"] == "log")


def _scale(layout: Plain, board: _Board) -> str:
    across = "".join(
        f'<line class="grid" x2="100%" y1="{100 - at:.2f}%" y2="{100 - at:.2f}%"/>'
        f'<text class="tick" x="-6" y="{100 - at:.2f}%" dy=".35em" text-anchor="end">{escape(text)}</text>'
        for at, text in _marks(layout["yaxis"], board.y)
    )
    marks = _marks(layout["xaxis"], board.x)
    along = "".join(
        f'<svg x="{at:.2f}%" y="100%" overflow="visible"><path class="axis" d="M0 0V4"/>'
        f'<text class="tick{" minor" if n % 2 and len(marks) > ROOMY else ""}" y="17" text-anchor="middle">'
        f"{escape(text)}</text></svg>"
        for n, (at, text) in enumerate(marks)
    )
    return f'{across}<line class="axis" x2="100%" y1="100%" y2="100%"/>{along}'


def _marks(axis: Plain, scale: _Axis) -> list[tuple[float, str]]:
    return [(scale.at(value), text) for value, text in zip(axis["tickvals"], axis["ticktext"], strict=True)]


def _shape(shape: Plain, board: _Board) -> str:
    if shape["type"] == "rect":
        left, right = (max(0.0, min(100.0, board.x.at(shape[key]))) for key in ("x0", "x1"))
        fill = board.color(shape["fillcolor"])
        return f'<rect x="{left:.2f}%" width="{right - left:.2f}%" height="100%" style="fill:{fill}"/>'
    top = 100 - board.y.at(shape["y0"])
    return f'<line class="axis" x2="100%" y1="{top:.2f}%" y2="{top:.2f}%"/>'


def _trace(trace: Plain, place: int, board: _Board) -> str:
    role = trace["meta"]["role"]
    if role in ("line", "arrow", "area"):
        return _path(trace, role, place, board)
    color = board.color(_own_color(trace["marker"]))
    name = mark_id(role, trace["marker"]["symbol"], {**trace["meta"], "standing": "frontier"})
    uses = "".join(_use(trace, n, name, board) for n in range(len(trace["x"])) if trace["y"][n] is not None)
    return f'<g class="{role}" style="color:{color}">{uses}</g>'


def _own_color(marker: Plain) -> str:
    """A hollow mark and a ring have their color in the outline."""
    line = marker.get("line", {})
    return str(line["color"] if "dash" in line or line.get("width", 0) > 1 else marker["color"])


def _use(trace: Plain, n: int, name: str, board: _Board) -> str:
    left, top = board.spot(trace["x"][n], trace["y"][n])
    use = f'<use href="#{name}" x="{left:.2f}%" y="{top:.2f}%"/>'
    if trace["meta"]["role"] != "dot":
        return use
    return f"{_link(trace, n, board)}{use}</a>"


def _link(trace: Plain, n: int, board: _Board) -> str:
    words = escape(trace["text"][n])
    address = f"/points/{trace['ids'][n]}{escape(board.suffix)}"
    return f'<a href="{address}" tabindex="-1" aria-label="{words}"><title>{words}</title>'


def _path(trace: Plain, role: str, place: int, board: _Board) -> str:
    color = board.color(trace["line"]["color"])
    runs = _runs(trace, board)
    if role == "area":
        # Polygons take no percentages: a viewBox of 100 stretched over the plot stands in for them.
        outlines = "".join(f"M{' '.join(f'{left:.2f},{top:.2f}' for left, top in run)}Z" for run in runs)
        if "fillpattern" in trace:
            return _hatched_area(outlines, trace["fillpattern"], f"{board.name}-{place}", board)
        return (
            '<svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none">'
            f'<path d="{outlines}" style="fill:{color};opacity:{trace["opacity"]}"/></svg>'
        )
    dash = trace["line"].get("dash", "").replace("px", "")
    style = f' stroke-dasharray="{escape(dash)}"' if dash else ""
    head, end = "", ""
    if role == "arrow":
        key = f"head-{board.name}-{place}"
        end = f' marker-end="url(#{key})"'
        head = (
            f'<marker id="{key}" markerWidth="8" markerHeight="8" refX="11" refY="4" orient="auto" '
            f'markerUnits="userSpaceOnUse"><path d="M0 0L8 4L0 8Z" style="fill:{color}"/></marker>'
        )
    lines = "".join(
        f'<line x1="{a:.2f}%" y1="{b:.2f}%" x2="{c:.2f}%" y2="{d:.2f}%"{end}/>'
        for run in runs
        for (a, b), (c, d) in pairwise(run)
    )
    width = trace["line"]["width"]
    return f'{head}<g class="line {role}" style="color:{color};stroke-width:{width}"{style}>{lines}</g>'


def _runs(trace: Plain, board: _Board) -> list[list[tuple[float, float]]]:
    """Stretches of a line between its gaps."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(trace["x"], trace["y"], strict=True):
        if x is None or y is None:
            runs.append([])
        else:
            runs[-1].append(board.spot(x, y))
    return [run for run in runs if run]


def _bars(bars: Sequence[Plain], layout: Plain, board: _Board) -> str:
    """Stacked bars, the first trace at the bottom."""
    half = (1 - layout.get("bargap", 0.2)) / 2
    drawn = []
    base: dict[float, float] = {}
    for bar in bars:
        parts = []
        for n, (x, y) in enumerate(zip(bar["x"], bar["y"], strict=True)):
            if not y:
                continue
            low = base.get(x, 0.0)
            base[x] = low + y
            left, top = board.spot(x - half, low + y)
            width, height = board.x.at(x + half) - left, 100 - board.y.at(low) - top
            parts.append(
                f"{_link(bar, n, board)}"
                f'<rect x="{left:.2f}%" y="{top:.2f}%" width="{width:.2f}%" height="{height:.2f}%"/></a>'
            )
        drawn.append(f"{_fill(bar, board)}{''.join(parts)}</g>")
    return "".join(drawn)


def _fill(bar: Plain, board: _Board) -> str:
    """The group that bars of one kind stand in: hatched where a pattern is asked for, else filled or outlined."""
    marker = bar["marker"]
    pattern = marker.get("pattern")
    if pattern is not None:
        key = f"hatch-{board.name}-{bar['meta']['tier']}"
        return f'{_pattern(pattern, key, board)}<g class="bar" fill="url(#{key})">'
    if marker["line"]["width"]:
        return f'<g class="bar" style="fill:none;stroke:{board.color(marker["line"]["color"])}">'
    return f'<g class="bar" style="fill:{board.color(marker["color"])}">'


def _pattern(pattern: Plain, key: str, board: _Board) -> str:
    turn = 45 if pattern["shape"] == "/" else -45
    ink, back = board.color(pattern["fgcolor"]), board.color(pattern["bgcolor"])
    return (
        f'<pattern id="{key}" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate({turn})">'
        f'<rect width="5" height="5" style="fill:{back}"/><rect width="1.5" height="5" style="fill:{ink}"/></pattern>'
    )


def _hatched_area(outlines: str, pattern: Plain, name: str, board: _Board) -> str:
    """A pattern would be stretched with the outline, so the outline only cuts it out of a plain rectangle."""
    return (
        f"{_pattern(pattern, f'hatch-{name}', board)}"
        f'<clipPath id="cut-{name}" clipPathUnits="objectBoundingBox">'
        f'<path d="{outlines}" transform="scale(.01)"/></clipPath>'
        f'<rect width="100%" height="100%" fill="url(#hatch-{name})" clip-path="url(#cut-{name})"/>'
    )
