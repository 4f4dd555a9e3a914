"""Where prompt tokens came from, stacked over concurrency from HBM down to recomputed, with the ceiling as a line."""

from collections.abc import Mapping
from typing import Any

from app.catalog.metrics import CEILING_SHARE, COMPUTED_SHARE, METRICS
from app.catalog.offload import TIER_SHARES
from app.figures import marks
from app.figures.figure import Figure, Plain, rounded_all
from app.figures.study.board import Y_MARKS, axis, figure, trace
from app.study.study import Study
from app.study.waterfall import Stack, Waterfall, part_label

_RAMP = (("#2b3f5e", "#c9d8ee"), ("#527099", "#7f9cc8"), ("#abbfda", "#4a6186"), ("#d3deeb", "#33435c"))
_NONE, _HATCH = ("#e9eae7", "#262b30"), ("#9aa0a6", "#6c757e")
"""Tier tokens of static/css/site.css: one ramp, closer to the chip is stronger; what is not proved is hatched."""

COLORS: Mapping[str, tuple[str, str]] = {
    **dict(zip(TIER_SHARES, (*_RAMP, _HATCH, _HATCH), strict=True)),
    COMPUTED_SHARE: _NONE,
}
HATCHED: Mapping[str, str] = dict(zip(TIER_SHARES[-2:], ("/", "\\"), strict=True))
_WIDTH = 0.72


def figure_of(study: Study) -> Figure:
    found = study.waterfall
    stacks = found.stacks if found else ()
    title = f"{found.recipe.label} · {found.arm.label}" if found else "No shares reported"
    data: list[Plain] = []
    if found:
        data = [_bars(found, key) for key in found.parts]
        if found.has_rest:
            data.append(_rest(found))
        if any(stack.ceiling is not None for stack in stacks):
            data.append(_ceiling(found))
    return figure(
        study,
        title=title,
        data=data,
        x={
            **axis("Concurrency (users)", [], count=1, bounds=(-0.6, max(len(stacks), 1) - 0.4)),
            "tickvals": list(range(len(stacks))),
            "ticktext": [f"{stack.concurrency:g}" for stack in stacks],
        },
        y=axis("Share of all prompt tokens", [], count=Y_MARKS, share=True, bounds=(0.0, 1.04)),
        colors=[],
        dark=dict(COLORS.values()),
        summary=_summary(found),
        more={"arm": found.arm.id if found else None, "left_out": len(found.left_out) if found else 0},
        layout={"barmode": "stack", "bargap": 1 - _WIDTH},
    )


def _bars(found: Waterfall, key: str) -> Plain:
    light = COLORS[key][0]
    marker: Plain = {"color": light, "line": {"width": 0}}
    if key in HATCHED:
        marker = {
            "color": _NONE[0],
            "line": {"width": 0},
            "pattern": hatch(key),
        }
    shares = [dict(stack.parts).get(key) for stack in found.stacks]
    return {
        **_bar(found, shares),
        "name": part_label(key),
        "marker": marker,
        "text": [_words(stack, part_label(key), share) for stack, share in zip(found.stacks, shares, strict=True)],
        "meta": {"role": "bar", "tier": key.removesuffix("_share")},
    }


def hatch(key: str) -> Plain:
    """The pattern of a tier that no memory is proved for."""
    return {"shape": HATCHED[key], "fgcolor": COLORS[key][0], "bgcolor": _NONE[0], "size": 6, "solidity": 0.35}


def _bar(found: Waterfall, shares: list[float | None]) -> Plain:
    return {
        "type": "bar",
        "x": list(range(len(found.stacks))),
        "y": rounded_all(shares),
        "ids": [stack.id for stack in found.stacks],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": True,
    }


def _rest(found: Waterfall) -> Plain:
    return {
        **_bar(found, [stack.rest for stack in found.stacks]),
        "name": "not accounted for",
        "marker": {"color": marks.CLEAR, "line": {"width": 1, "color": marks.RULE_2}},
        "text": [_words(stack, "not accounted for", stack.rest) for stack in found.stacks],
        "meta": {"role": "bar", "tier": "rest"},
    }


def _ceiling(found: Waterfall) -> Plain:
    """A short line over each bar: a ceiling belongs to its own trace, and nothing lies between two of them."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for place, stack in enumerate(found.stacks):
        if stack.ceiling is not None:
            xs += [place - 0.46, place + 0.46, None]
            ys += [stack.ceiling, stack.ceiling, None]
    line = {"color": marks.INK, "width": 2}
    more: dict[str, Any] = {"mode": "lines", "line": line, "hoverinfo": "skip", "connectgaps": False}
    found_trace = trace("line", METRICS[CEILING_SHARE].label.removesuffix(" share"), xs, ys, **more)
    found_trace["showlegend"] = True
    return found_trace


def _words(stack: Stack, label: str, share: float | None) -> str:
    ceiling = f" · ceiling {100 * stack.ceiling:.1f} %" if stack.ceiling is not None else ""
    return f"concurrency {stack.concurrency:g} · {label} {100 * (share or 0.0):.1f} %{ceiling}"


def _summary(found: Waterfall | None) -> str:
    if found is None or not found.stacks:
        return "No point of this view reports where its prompt tokens came from"
    first, last = found.stacks[0], found.stacks[-1]
    ends = [
        f"at concurrency {stack.concurrency:g} " + ", ".join(f"{part_label(k)} {100 * v:.0f} %" for k, v in stack.parts)
        for stack in dict.fromkeys((first, last))
    ]
    return f"Shares of all prompt tokens over concurrency: {'; '.join(ends)}"
