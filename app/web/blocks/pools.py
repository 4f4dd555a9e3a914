"""How large the pools below HBM are against HBM's own: the ratio that decides whether a tier can add hits."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from app.catalog.offload import POOL_BAND, WRITE_POLICIES
from app.catalog.point import Json
from app.web.blocks.shares import tier_label

Document = Mapping[str, Json]

"""Below it the tier repeats HBM, above it memory lies idle."""
_LOW, _HIGH = -1, 4
"""Ends of the scale as powers of two, unless a pool needs more."""
_MOST_TICKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolMark:
    label: str
    ratio: str
    place: float

    @property
    def side(self) -> str:
        """On which side of the mark its label stays inside."""
        return "start" if self.place < 14 else "end" if self.place > 80 else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """Pools below HBM, each with those before it, on a logarithmic scale; places are percent of it."""

    marks: tuple[PoolMark, ...]
    ticks: tuple[tuple[str, float], ...]
    band: tuple[float, float]
    note: str

    @property
    def words(self) -> str:
        marks = "; ".join(f"{mark.label} {mark.ratio} the HBM pool" for mark in self.marks)
        return f"{marks}. Guide: {POOL_BAND[0]:g} to {POOL_BAND[1]:g}×."


def ratio_of(offload: Document, hbm_pool: float | None) -> Ratio | None:
    """How many times HBM's pool the tiers below it hold. None unless both are known in tokens."""
    pools = [(tier["medium"], tier["capacity_tokens"]) for tier in offload["tiers"]]
    hbm = next((tokens for medium, tokens in pools if medium == "hbm" and tokens), None) or hbm_pool
    below = [(medium, tokens) for medium, tokens in pools if medium != "hbm" and tokens]
    if not hbm or not below:
        return None
    sums = [sum(tokens for _, tokens in below[: n + 1]) / hbm for n in range(len(below))]
    low = min(_LOW, math.floor(math.log2(min(sums))))
    high = max(_HIGH, math.ceil(math.log2(max(sums))))

    def place(value: float) -> float:
        return round(100 * (math.log2(value) - low) / (high - low), 3)

    labels = [tier_label(medium) if n == 0 else f"with {tier_label(medium)}" for n, (medium, _) in enumerate(below)]
    return Ratio(
        marks=tuple(
            PoolMark(label=label, ratio=times(value), place=place(value))
            for label, value in zip(labels, sums, strict=True)
        ),
        ticks=tuple(
            (f"{2.0**n:g}", place(2.0**n)) for n in range(low, high + 1, max(1, math.ceil((high - low) / _MOST_TICKS)))
        ),
        band=(place(POOL_BAND[0]), place(POOL_BAND[1])),
        note=_note(offload.get("write_policy")),
    )


def _note(policy_key: str | None) -> str:
    policy = WRITE_POLICIES.get(policy_key)
    said = f"{policy.label.capitalize()}: {policy.text[:1].lower()}{policy.text[1:]} " if policy else ""
    return (
        f"{said}Where every block is copied, a pool below {POOL_BAND[0]:g}× mostly repeats what HBM already holds. "
        "The band is an empirical guide, not a measurement of this point."
    )


def times(value: float) -> str:
    return f"{value:.1f}×" if value < 100 else f"{value:,.0f}×"
