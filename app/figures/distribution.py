"""How a quantity is spread over the measured requests: a histogram on a log axis, its percentiles as lines."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from app.figures import marks
from app.figures.figure import Figure, Plain
from app.figures.panel import DASH, STRONG, X_MARKS, area, line, panel, upward
from app.figures.study.board import axis
from app.store.happened import Distribution, Happened

_CROWD = 6
_ROOM = 1.12
"""How far the axis goes beyond the tallest bin."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is spread: its title, the axis, and how its values print."""

    title: str
    axis: str
    unit: str
    digits: int


KINDS: Mapping[str, Kind] = {
    "ttft": Kind("Time to first token", "TTFT (s)", "s", 2),
    "pace": Kind("Interactivity", "Interactivity (tok/s/user)", "tok/s/user", 1),
    "isl": Kind("Input length", "Input tokens per request", "tok", 0),
    "osl": Kind("Output length", "Output tokens per request", "tok", 0),
}


def distribution(run: Happened, quantity: str) -> Figure | None:
    found = run.distributions.get(quantity)
    if found is None or not found.counts:
        return None
    kind = KINDS[quantity]
    top = max(found.counts) * _ROOM
    summary = (
        f"{kind.title} of {found.count:,} requests: p50 {_text(found.p50, kind)}, p90 {_text(found.p90, kind)}, "
        f"p99 {_text(found.p99, kind)}, from {_text(found.least, kind)} to {_text(found.most, kind)} {kind.unit}"
    )
    return panel(
        kind.title,
        [_bins(found), *_percentiles(found, top)],
        _along(kind, found),
        upward("Requests", [], most=top),
        summary,
        note=_note(found, kind),
    )


def _along(kind: Kind, found: Distribution) -> Plain:
    """The axis. Its panel is narrow: where marks at 1, 2 and 5 would crowd, only powers of ten are marked."""
    made = axis(kind.axis, found.edges, count=X_MARKS, log=True)
    marked = list(zip(made["tickvals"], made["ticktext"], strict=True))
    if len(marked) > _CROWD:
        marked = [(value, text) for value, text in marked if math.log10(value).is_integer()]
    return {**made, "tickvals": [value for value, _ in marked], "ticktext": [text for _, text in marked]}


def _bins(found: Distribution) -> Plain:
    xs: list[float | None] = []
    ys: list[float | None] = []
    for low, high, count in zip(found.edges, found.edges[1:], found.counts, strict=False):
        if count:
            xs += [low, low, high, high, None]
            ys += [0, count, count, 0, None]
    return {**area("Requests", xs[:-1], ys[:-1], STRONG, opacity=0.75), "showlegend": False}


def _percentiles(found: Distribution, top: float) -> list[Plain]:
    """Upright lines: the median drawn through, the tail dashed."""
    return [
        line(name, [value, value], [0, top], marks.INK, dash=dash)
        for name, value, dash in (("p50", found.p50, ""), ("p90", found.p90, DASH))
        if value > 0
    ]


def _note(found: Distribution, kind: Kind) -> str:
    parts = [f"{name} {_text(value, kind)}" for name, value in (("p50", found.p50), ("p90", found.p90))]
    parts.append(f"p99 {_text(found.p99, kind)} {kind.unit}")
    parts += [f"{found.zeros:,} of zero are not drawn"] if found.zeros else []
    return " · ".join(parts)


def _text(value: float, kind: Kind) -> str:
    digits = kind.digits if value == 0 or abs(value) >= 10**-kind.digits else 4
    return f"{value:,.{digits}f}"
