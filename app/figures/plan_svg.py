"""The figure of a plan as SVG made here: whole without a script, sharp at any width, in the colors of the theme."""

from collections.abc import Sequence
from html import escape
from itertools import count
from math import log10

from app.catalog.oklch import Color
from app.figures.figure import Figure, Plain
from app.figures.plan import COLORS, X_RANGE, y_range
from app.figures.ticks import ticks

HEIGHT = 420
"""Pixels of the plot area, as static/css/plan.css has it: labels of line ends keep their distance by it."""
_GAP = 15 / HEIGHT * 100


def plan_svg(figure: Figure) -> str:
    bounds = y_range(figure.data)
    draw = _Draw(bounds)
    of = {role: [trace for trace in figure.data if trace["meta"]["role"] == role] for role in _ROLES}
    lines = sorted(of["line"], key=lambda trace: bool(trace["meta"]["strong"]))
    body = [draw.scale(), draw.context(figure.meta["context"])]
    body += [draw.line(trace) for trace in lines]
    body += [draw.stem(trace, at) for trace, at in zip(of["stem"], _shifts(of["stem"]), strict=True)]
    for role in ("recomputed", "reloaded"):
        body += [draw.square(trace, at) for trace, at in zip(of[role], _shifts(of["stem"]), strict=True)]
    body += [draw.diamond(trace) for trace in of["even"]]
    body.append(draw.labels(lines))
    words = "Time to reload and to recompute a prompt over its length, both axes logarithmic. The tables below say it."
    return f'<svg class="plan-svg" role="img" aria-label="{words}">{"".join(body)}</svg>'


_ROLES = ("line", "stem", "recomputed", "reloaded", "even")


def _shifts(stems: Sequence[Plain]) -> list[int]:
    """Pixels by which measurements at one length step aside from each other."""
    seen: dict[float, count[int]] = {}
    places = [next(seen.setdefault(stem["x"][0], count())) for stem in stems]
    totals = {length: sum(stem["x"][0] == length for stem in stems) for length in seen}
    return [0 if totals[stem["x"][0]] == 1 else 14 * place - 7 for stem, place in zip(stems, places, strict=True)]


def _style(color: Color) -> str:
    ink = f"--ink-of:light-dark({color.light_ink},{color.dark_ink})"
    return f'style="color:light-dark({color.light},{color.dark});{ink}"'


class _Draw:
    """Places in percent of the plot area."""

    def __init__(self, bounds: tuple[float, float]) -> None:
        self._low, self._high = bounds

    def _x(self, tokens: float) -> float:
        return round((log10(tokens) - X_RANGE[0]) / (X_RANGE[1] - X_RANGE[0]) * 100, 2)

    def _y(self, seconds: float) -> float:
        return round(100 - (log10(seconds) - self._low) / (self._high - self._low) * 100, 2)

    def scale(self) -> str:
        across = "".join(
            f'<line class="grid" x2="100%" y1="{at}%" y2="{at}%"/>'
            f'<text class="tick" x="-6" y="{at}%" dy=".35em" text-anchor="end">{_seconds(10**tick.place)}</text>'
            for tick in ticks(self._low, self._high, log=True, count=7)
            if round(tick.place, 6).is_integer()
            for at in [self._y(10**tick.place)]
        )
        along = "".join(
            f'<svg x="{self._x(2**power)}%" y="100%" overflow="visible"><path class="axis" d="M0 0V4"/>'
            f'<text class="tick{" minor" if power % 4 else ""}" y="17" text-anchor="middle">{_tokens(2**power)}</text>'
            "</svg>"
            for power in range(8, 21, 2)
        )
        return f'{across}<line class="axis" x2="100%" y1="100%" y2="100%"/>{along}'

    def context(self, tokens: float | None) -> str:
        """The length that is planned for."""
        if tokens is None or not X_RANGE[0] <= log10(tokens) <= X_RANGE[1]:
            return ""
        at = self._x(tokens)
        side = ("end", -5) if at > 70 else ("start", 5)
        return (
            f'<line class="guide" x1="{at}%" x2="{at}%" y1="0" y2="100%"/>'
            f'<svg x="{at}%" y="100%" overflow="visible"><text class="tick" x="{side[1]}" y="-6" '
            f'text-anchor="{side[0]}">this context</text></svg>'
        )

    def line(self, trace: Plain) -> str:
        points = " ".join(f"{self._x(x)},{self._y(y)}" for x, y in zip(trace["x"], trace["y"], strict=True) if y)
        strong = " strong" if trace["meta"]["strong"] else ""
        return (
            f'<svg class="run{strong}" width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none" '
            f'overflow="hidden" {_style(COLORS[trace["meta"]["color"]])}><polyline points="{points}"/></svg>'
        )

    def stem(self, trace: Plain, shift: int) -> str:
        x, (top, bottom) = self._x(trace["x"][0]), (self._y(value) for value in trace["y"])
        return (
            f'<svg x="{x}%" y="0" width="1" height="100%" overflow="visible">'
            f'<line class="stem" x1="{shift}" x2="{shift}" y1="{top}%" y2="{bottom}%"/></svg>'
        )

    def square(self, trace: Plain, shift: int) -> str:
        name = trace["meta"]["role"]
        told = f"{trace['name']}: {name} {trace['x'][0]:,} tokens in {trace['y'][0]:.3g} s"
        letter = f'<text x="{shift + 7}" dy=".35em">{trace["text"][0]}</text>' if name == "recomputed" else ""
        return (
            f'<svg class="anchor {name}" x="{self._x(trace["x"][0])}%" y="{self._y(trace["y"][0])}%" '
            f'overflow="visible"><title>{escape(told)}</title><rect x="{shift - 3.5}" y="-3.5" width="7" height="7"/>'
            f"{letter}</svg>"
        )

    def diamond(self, trace: Plain) -> str:
        told = f"{trace['name']}: {trace['x'][0]:,.0f} tokens"
        return (
            f'<svg class="even" x="{self._x(trace["x"][0])}%" y="{self._y(trace["y"][0])}%" overflow="visible" '
            f"{_style(COLORS[trace['meta']['color']])}><title>{escape(told)}</title>"
            '<path d="M0 -6.5 6.5 0 0 6.5 -6.5 0Z"/></svg>'
        )

    def labels(self, lines: Sequence[Plain]) -> str:
        """Names at the right ends, pushed apart where lines end close together."""
        ends = sorted(lines, key=lambda trace: float(-trace["y"][-1]))
        places: list[float] = []
        for trace in ends:
            at = self._y(trace["y"][-1])
            places.append(max(at, places[-1] + _GAP) if places else max(at, 1.0))
        over = max(0.0, places[-1] - 100) if places else 0.0
        return "".join(
            f'<svg class="name{" strong" if trace["meta"]["strong"] else ""}" x="100%" y="{at - over:.2f}%" '
            f'overflow="visible" {_style(COLORS[trace["meta"]["color"]])}>'
            f'<text x="8" dy=".35em">{escape(trace["name"])}</text></svg>'
            for trace, at in zip(ends, places, strict=True)
        )


def _seconds(value: float) -> str:
    return f"{value * 1e3:g} ms" if value < 0.9 else f"{value:g} s"


def _tokens(value: float) -> str:
    if value >= 2**20:
        return f"{value / 2**20:g}M"
    return f"{value / 1024:g}k" if value >= 1024 else f"{value:g}"
