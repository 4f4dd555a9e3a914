"""What stays resumable, for how long and at what cost: bars, a table and the scale of pool ratios."""

from dataclasses import dataclass

from app.plan.formulas import Policy
from app.plan.parts import TierPlan, policy_of
from app.plan.result import Plan
from app.plan.settled import DRAM, HBM
from app.web.blocks.numbers import large_text, number
from app.web.blocks.plan_text import duration, plain
from app.web.blocks.pools import Ratio, ratio_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Conversations that stay resumable: width in percent of the longest bar."""

    medium: str
    label: str
    text: str | None
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    bars: tuple[Bar, ...]
    mark: float
    """Where the open conversations stand, in percent."""
    sessions: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TierLine:
    medium: str
    label: str
    tokens: str | None
    inclusive: str | None
    exclusive: str | None
    lifetime: str | None
    outlives: str
    usd: str | None
    said: str


def bars_of(made: Plan) -> Bars | None:
    policy, sessions = policy_of(made.settled), made.settled.number("sessions") or 0
    counts = [tier.conversations[policy] for tier in made.tiers]
    most = max([sessions, *(count for count in counts if count is not None)], default=0)
    if most <= 0 or all(count is None for count in counts):
        return None
    bars = tuple(
        Bar(
            medium=tier.medium,
            label=tier.label,
            text=None if count is None else ("≥ " if tier.at_least else "") + number(count, 0),
            width=round(100 * (count or 0) / most, 3),
        )
        for tier, count in zip(made.tiers, counts, strict=True)
    )
    told = "; ".join(f"{bar.label} {bar.text or 'not known'}" for bar in bars)
    return Bars(
        bars=bars,
        mark=round(100 * sessions / most, 3),
        sessions=plain(sessions),
        words=f"Resumable conversations: {told}; {plain(sessions)} are open",
    )


def tier_line(tier: TierPlan) -> TierLine:
    sign = "≥ " if tier.at_least else ""

    def count(policy: Policy) -> str | None:
        found = tier.conversations[policy]
        return None if found is None else f"{sign}{number(found, 0)}"

    lives = tier.lifetime
    spans = [duration(value) for value in dict.fromkeys(lives.values()) if value is not None]
    return TierLine(
        medium=tier.medium,
        label=tier.label,
        tokens=None if tier.tokens is None else " ".join(large_text(tier.tokens)).strip(),
        inclusive=count("inclusive"),
        exclusive=count("exclusive"),
        lifetime=" or ".join(dict.fromkeys(spans)) or None,
        outlives=tier.outlives,
        usd=None if tier.usd_per_hour is None else f"${tier.usd_per_hour:,.2f}",
        said=tier.said,
    )


def ratio_scale(made: Plan) -> Ratio | None:
    pools = ((HBM, "hbm_tokens"), (DRAM, "dram_tokens"))
    tiers = [{"medium": medium, "capacity_tokens": made.settled.number(name)} for medium, name in pools]
    if not made.settled.number("hbm_tokens"):
        return None
    return ratio_of({"tiers": tiers, "write_policy": None}, made.settled.number("hbm_tokens"))
