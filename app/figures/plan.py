"""Reload against recompute over prompt length, both axes logarithmic, with what others measured as points."""

from collections.abc import Sequence
from math import log10

from app.catalog.oklch import PAPER_LIGHT, Color
from app.figures import marks
from app.figures.figure import Figure, Plain, rounded, rounded_all
from app.plan.anchors import ANCHORS, Anchor
from app.plan.parts import Way
from app.plan.result import Plan

SHORTEST, LONGEST = 2**8, 2**20
_STEPS_AN_OCTAVE = 4
LENGTHS = tuple(
    SHORTEST * 2 ** (step / _STEPS_AN_OCTAVE) for step in range(20 * _STEPS_AN_OCTAVE - 8 * _STEPS_AN_OCTAVE + 1)
)
_FLOOR_S = 1e-3

RECOMPUTE = "recompute"
COLORS = {
    RECOMPUTE: Color("#1a1d21", "#e7e9ea", "#1a1d21", "#e7e9ea"),
    "chip": Color("#0a9184", "#3fa9a0", "#08766b", "#5cc0b7"),
    "drive": Color("#c2410c", "#f3a24e", "#a8380a", "#f3b04e"),
    "port": Color("#6b4fc0", "#b6a2f2", "#6b4fc0", "#b6a2f2"),
    "anchor": Color("#565c64", "#9da5ad", "#565c64", "#9da5ad"),
}
"""One color for each kind of link; what this server has is drawn strong, what it might have thin."""


def figure(made: Plan) -> Figure:
    data: list[Plain] = [_way(way) for way in made.ways]
    if made.compute is not None:
        times = [made.compute.time(length) for length in LENGTHS]
        data.append(_line("Recompute", RECOMPUTE, RECOMPUTE, times, strong=True))
        data += [trace for way in made.ways if (trace := _even(made, way))]
    data += [trace for anchor in ANCHORS for trace in _anchor(anchor)]
    return Figure(data=data, layout=_layout(data), meta=_meta(made, data))


def _way(way: Way) -> Plain:
    times = [way.load.time(length) for length in LENGTHS]
    return _line(way.label, way.key, way.link.owner, times, strong=way.chosen)


def _line(name: str, series: str, color: str, times: Sequence[float], *, strong: bool) -> Plain:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": rounded_all(LENGTHS),
        "y": rounded_all(times),
        "line": {"color": COLORS[color].light, "width": 2 if strong else 1},
        "hovertemplate": "%{x:,.0f} tokens: %{y:.3g} s<extra>" + name + "</extra>",
        "meta": {"series": series, "role": "line", "color": color, "strong": strong},
    }


def _even(made: Plan, way: Way) -> Plain | None:
    """Where reloading and recomputing take the same time, for the links that this server has."""
    at = way.break_even
    if made.compute is None or not way.chosen or at is None or not SHORTEST <= at <= LONGEST:
        return None
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"Break-even, {way.label}",
        "x": [rounded(at)],
        "y": [rounded(made.compute.time(at))],
        "marker": {
            "symbol": "diamond",
            "size": 11,
            "color": PAPER_LIGHT,
            "line": {"color": COLORS[way.link.owner].light, "width": 2},
        },
        "hovertemplate": "break-even at %{x:,.0f} tokens<extra>" + way.label + "</extra>",
        "showlegend": False,
        "meta": {"series": way.key, "role": "even", "color": way.link.owner, "strong": True},
    }


def _anchor(anchor: Anchor) -> list[Plain]:
    """A measurement as two marks on a stem: hollow recomputed, solid reloaded."""
    common = {
        "type": "scatter",
        "name": f"{anchor.letter} {anchor.system}",
        "legendgroup": anchor.letter,
        "showlegend": False,
    }
    color = COLORS["anchor"].light
    stem = {
        **common,
        "mode": "lines",
        "x": [anchor.tokens] * 2,
        "y": [rounded(anchor.recompute), rounded(anchor.reload)],
        "line": {"color": color, "width": 1, "dash": "2px,2px"},
        "hoverinfo": "skip",
        "meta": {"series": anchor.letter, "role": "stem", "color": "anchor", "strong": False},
    }
    return [stem, *(_end(anchor, common, color, role) for role in ("recomputed", "reloaded"))]


def _end(anchor: Anchor, common: Plain, color: str, role: str) -> Plain:
    hollow = role == "recomputed"
    return {
        **common,
        "mode": "markers+text",
        "x": [anchor.tokens],
        "y": [rounded(anchor.recompute if hollow else anchor.reload)],
        "text": [anchor.letter],
        "textposition": "middle right",
        "textfont": {"size": 11, "color": color},
        "marker": {
            "symbol": "square",
            "size": 7,
            "color": PAPER_LIGHT if hollow else color,
            "line": {"color": color, "width": 1.5},
        },
        "hovertemplate": f"{role} %{{x:,.0f}} tokens in %{{y:.3g}} s<extra>{anchor.letter} {anchor.system}</extra>",
        "meta": {"series": anchor.letter, "role": role, "color": "anchor", "strong": False},
    }


def y_range(data: Sequence[Plain]) -> tuple[float, float]:
    """Exponents of ten around all that is drawn, a millisecond the least."""
    values = [value for trace in data for value in trace["y"] if value]
    low, high = max(_FLOOR_S, min(values, default=_FLOOR_S)), max(values, default=1.0)
    return log10(low) - 0.1, log10(max(high, low * 10)) + 0.15


X_RANGE = (log10(SHORTEST), log10(LONGEST))


def _layout(data: Sequence[Plain]) -> Plain:
    axis = {
        "type": "log",
        "autorange": False,
        "zeroline": False,
        "gridcolor": marks.GRID,
        "linecolor": marks.RULE_2,
        "tickcolor": marks.RULE_2,
        "tickfont": {"size": 11, "color": marks.INK_2},
        "exponentformat": "SI",
    }
    return {
        "title": {"text": "Reload or recompute", "font": {"size": 16, "color": marks.INK}, "x": 0, "xref": "paper"},
        "font": {"family": marks.FONT, "size": 12, "color": marks.INK_2},
        "paper_bgcolor": PAPER_LIGHT,
        "plot_bgcolor": PAPER_LIGHT,
        "hovermode": "closest",
        "showlegend": True,
        "legend": {"tracegroupgap": 0, "font": {"size": 12, "color": marks.INK}},
        "margin": {"l": 64, "r": 16, "t": 48, "b": 52},
        "xaxis": {
            **axis,
            "title": {"text": "Prompt length (tokens)", "font": {"size": 13, "color": marks.INK}},
            "range": [rounded(end) for end in X_RANGE],
            "showgrid": False,
            "showline": True,
            "ticks": "outside",
        },
        "yaxis": {
            **axis,
            "title": {"text": "Time (s), lower is better", "font": {"size": 13, "color": marks.INK}},
            "range": [rounded(end) for end in y_range(data)],
        },
    }


def _meta(made: Plan, data: Sequence[Plain]) -> Plain:
    return {
        "title": "Reload or recompute",
        "context": made.settled.number("context"),
        "series": [
            {
                "key": trace["meta"]["series"],
                "label": trace["name"],
                "color": vars_of(COLORS[trace["meta"]["color"]]),
                "strong": trace["meta"]["strong"],
            }
            for trace in data
            if trace["meta"]["role"] == "line"
        ],
    }


def vars_of(color: Color) -> Plain:
    return {"light": color.light, "dark": color.dark, "light_ink": color.light_ink, "dark_ink": color.dark_ink}
