"""Two points of one recipe and concurrency that differ in offload alone, side by side, with the change."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.catalog.metrics import (
    CACHED_SHARE,
    JOULES_PER_OUTPUT_TOKEN,
    METRICS,
    TOTAL_TOKENS_PER_USD,
    TOTAL_TPUT_PER_CHIP,
    Metric,
    ttft,
)
from app.catalog.point import Json
from app.noise import SAME
from app.study.pairs import SAME_POINTS
from app.web.blocks.metrics import metric_text
from app.web.blocks.numbers import MINUS, number

Row = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinLine:
    label: str
    term: str
    unit: str
    left: str | None
    right: str | None
    change: str | None
    verdict: str
    """better, worse, the same, or empty where neither side is better or one is missing."""

    @property
    def tone(self) -> str:
        return {"better": "good", "worse": "bad"}.get(self.verdict, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinBlock:
    """`here` is the side that the page is about: left or right."""

    id: str
    label: str
    left: str
    right: str
    here: str
    opposite: bool
    """Whether one of them used offload and the other did not."""
    lines: tuple[TwinLine, ...]


def twin_block(this: Row, twin: Row, interactivity: Metric) -> TwinBlock:
    """Without offload on the left, with it on the right, whichever of the two the page is about."""
    this_on, twin_on = (row["offload_mode"] == "on" for row in (this, twin))
    opposite = this_on != twin_on
    left, right = (this, twin) if twin_on and not this_on else (twin, this)
    return TwinBlock(
        id=twin["id"],
        label=twin["offload_label"],
        left="Off" if opposite else "Twin",
        right="On" if opposite else "Here",
        here="left" if left is this else "right",
        opposite=opposite,
        lines=tuple(_line(metric, left.get(metric.key), right.get(metric.key)) for metric in compared(interactivity)),
    )


def compared(interactivity: Metric) -> tuple[Metric, ...]:
    keys = (
        TOTAL_TPUT_PER_CHIP,
        interactivity.key,
        ttft("p90"),
        ttft("p50"),
        TOTAL_TOKENS_PER_USD,
        CACHED_SHARE,
        JOULES_PER_OUTPUT_TOKEN,
    )
    return tuple(METRICS[key] for key in dict.fromkeys(keys))


def _line(metric: Metric, left: float | None, right: float | None) -> TwinLine:
    change, verdict = change_of(metric, left, right)
    return TwinLine(
        label=metric.label,
        term=metric.family,
        unit=metric.unit,
        left=metric_text(metric, left),
        right=metric_text(metric, right),
        change=change,
        verdict=verdict,
    )


def change_of(metric: Metric, left: float | None, right: float | None) -> tuple[str | None, str]:
    """`+76.8 %` and whether that is better; less than single runs can tell is the same.

    Shares differ by points; nothing is a percentage of zero.
    """
    if left is None or right is None:
        return None, ""
    if metric.is_share:
        moved = right - left
        text = f"{_signed(100 * moved)} pt"
    elif left == 0:
        return (f"{_signed(0.0)} %" if right == 0 else None), ""
    else:
        moved = (right - left) / abs(left)
        text = f"{_signed(100 * moved)} %"
    if abs(moved) < (SAME_POINTS if metric.is_share else SAME):
        return text, "the same"
    if metric.better == "none":
        return text, ""
    return text, "better" if (moved > 0) == (metric.better == "higher") else "worse"


def _signed(value: float) -> str:
    text = number(value)
    return text if text.startswith(MINUS) or not text.strip("0.") else f"+{text}"
