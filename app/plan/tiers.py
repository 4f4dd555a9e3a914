"""What HBM keeps alone, with DRAM and with NVMe, for how long, and what that costs."""

from collections.abc import Sequence

from app.catalog.offload import TIERS
from app.plan import formulas as f
from app.plan.parts import TierPlan, policy_of, retained_of
from app.plan.settled import DRAM, HBM, NVME, Settled

WAITS = (("a tool call", 60), ("a person", 15 * 60), ("a CI run", 60 * 60))
"""What an agent waits for, and how long that may take, in seconds."""


def tiers_of(settled: Settled) -> tuple[TierPlan, ...]:
    """HBM alone, with DRAM, with NVMe too; under both write policies."""
    named = ((HBM, "hbm_tokens"), (DRAM, "dram_tokens"), (NVME, "nvme_tokens"))
    tokens = [settled.number(name) for _, name in named]
    blind = tokens[0] is None
    costs = (None, *(_cost(settled, *names) for names in _PRICED))
    together = [tokens[1 if blind and n else 0 : n + 1] for n in range(len(named))]
    return tuple(
        TierPlan(
            medium=medium,
            label=TIERS[medium].label if n == 0 else f"with {TIERS[medium].label}",
            tokens=tokens[n],
            said=settled.known[name].said,
            conversations={policy: _conversations(settled, together[n], policy) for policy in _POLICIES},
            lifetime={policy: _lifetime(settled, together[n], policy) for policy in _POLICIES},
            outlives=outlives(_lifetime(settled, together[n], policy_of(settled))),
            usd_per_hour=costs[n],
            at_least=blind and n > 0,
        )
        for n, (medium, name) in enumerate(named)
    )


_POLICIES: tuple[f.Policy, ...] = ("inclusive", "exclusive")
_PRICED = (("dram_gb", 1.0, "dram_usd_gb"), ("nvme_tb", 1e3, "nvme_usd_gb"))


def _conversations(settled: Settled, tokens: Sequence[float | None], policy: f.Policy) -> int | None:
    held = retained_of(tokens, policy)
    return None if held is None else f.resumable(held, settled.number("context") or 0)


def _lifetime(settled: Settled, tokens: Sequence[float | None], policy: f.Policy) -> float | None:
    held, rate = retained_of(tokens, policy), settled.number("write")
    return None if held is None or rate is None else f.lifetime(held, rate)


def _cost(settled: Settled, size: str, scale: float, price: str) -> float | None:
    held, usd, years = settled.number(size), settled.number(price), settled.number("years")
    return f.cost_per_hour(held * scale, usd, years) if held is not None and usd is not None and years else None


def outlives(seconds: float | None) -> str:
    """What a prefix outlives, of the things that agents wait for."""
    if seconds is None:
        return ""
    past = [name for name, wait in WAITS if seconds >= wait]
    short = [name for name, wait in WAITS if seconds < wait]
    if not past:
        return f"gone before {short[0]} returns"
    return f"outlives {past[-1]}" + (f", not {short[0]}" if short else "")
