"""Reload and recompute as a page prints them: a line for each link, each number with its formula, each measurement."""

from dataclasses import dataclass

from markupsafe import Markup

from app.figures.plan import COLORS
from app.plan.anchors import Anchor
from app.plan.parts import Number, Way
from app.web.blocks.numbers import number, significant
from app.web.blocks.plan_text import time_text, value_text

SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("The set and the pressure", ("working_set", "reuse_set", "reuse_bytes", "pressure_hbm", "pressure_pool")),
    ("Copies and ratio", ("stored_bytes", "ratio", "gain", "ratio_nvme")),
    ("How big a pool", ("pool_needed_bytes", "pool_needed_ratio", "pool_low_bytes", "pool_high_bytes")),
    (
        "Time",
        (
            "recompute_us",
            "recompute_context_us",
            "recompute_s",
            "reload_s",
            "benefit",
            "break_even_tokens",
            "break_even_gb_s",
            "break_even_rank_gb_s",
            "flop_per_byte",
        ),
    ),
    (
        "Traffic and wear",
        ("reload_gb_s", "reload_available_gb_s", "reload_nvme_gb_s", "write_gb_s", "written_tb_day", "drive_writes"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WayLine:
    label: str
    style: Markup
    chosen: bool
    rate: str
    us: str
    at_context: str
    break_even: str | None
    saved: str | None
    tone: str
    flop: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    label: str
    text: str | None
    formula: str
    worked: str
    missing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorLine:
    letter: str
    system: str
    tokens: str
    recompute: str
    reload: str
    times: str
    note: str
    source: str


def way_line(way: Way) -> WayLine:
    color = COLORS[way.link.owner]
    saved = None if way.benefit is None else 100 * way.benefit
    return WayLine(
        label=way.label,
        style=Markup(f"--mark:light-dark({color.light},{color.dark})"),
        chosen=way.chosen,
        rate=number(way.link.gb_s * way.count, 0),
        us=significant(way.per_token * 1e6, 3),
        at_context=time_text(way.at_context),
        break_even=None if way.break_even is None or way.break_even > 1e7 else number(way.break_even, 0),
        saved=None if saved is None else f"{number(saved, 0)} %",
        tone="" if saved is None else "good" if saved > 0 else "bad",
        flop=None if way.flop_per_byte is None else number(way.flop_per_byte, 0),
    )


def number_line(found: Number) -> Line:
    return Line(
        label=found.label,
        text=None if found.value is None else value_text(found.value, found.unit),
        formula=found.formula,
        worked=found.worked,
        missing=found.missing,
    )


def anchor_line(anchor: Anchor) -> AnchorLine:
    reload = "flat" if anchor.reload_us is None else f"{_span(anchor.reload_us)} µs"
    return AnchorLine(
        letter=anchor.letter,
        system=anchor.system,
        tokens=number(anchor.tokens, 0),
        recompute=f"{_span(anchor.recompute_us)} µs",
        reload=reload if anchor.reload_s is None else f"{anchor.reload_s:g} s, flat",
        times=f"{significant(anchor.times, 2)}×",
        note=anchor.note,
        source=anchor.source,
    )


def _span(ends: tuple[float, float]) -> str:
    low, high = (f"{end:,g}" for end in ends)
    return low if low == high else f"{low} to {high}"
