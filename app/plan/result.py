"""A plan: everything that follows from settled inputs, each number with its formula and what keeps it unknown."""

from dataclasses import dataclass

from app.plan import formulas as f
from app.plan.numbers import numbers_of
from app.plan.parts import Number, TierPlan, Way
from app.plan.settled import Settled
from app.plan.size import pool_numbers, pool_size
from app.plan.tiers import tiers_of
from app.plan.verdict import short_prompts, verdict_of
from app.plan.ways import compute_of, ways_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    settled: Settled
    compute: f.Compute | None
    numbers: tuple[Number, ...]
    tiers: tuple[TierPlan, ...]
    ways: tuple[Way, ...]
    regime: f.Regime | None
    verdict: str
    pool_size: str
    """How big a pool keeps every conversation resumable, or why that cannot be told."""
    short_prompts: str
    needs: tuple[str, ...]
    """What to give so that more can be worked out."""

    def number(self, key: str) -> Number:
        return next(number for number in self.numbers if number.key == key)

    def value(self, key: str) -> float | None:
        return self.number(key).value


def plan(settled: Settled) -> Plan:
    compute = compute_of(settled)
    ways = ways_of(settled, compute)
    tiers = tiers_of(settled)
    numbers = [*numbers_of(settled, compute, ways, tiers), *pool_numbers(settled)]
    regime, verdict = verdict_of(settled, numbers, ways)
    return Plan(
        settled=settled,
        compute=compute,
        numbers=tuple(numbers),
        tiers=tiers,
        ways=ways,
        regime=regime,
        verdict=verdict,
        pool_size=pool_size(settled, numbers),
        short_prompts=short_prompts(settled, compute, ways),
        needs=tuple(dict.fromkeys(number.missing for number in numbers if number.value is None and number.missing)),
    )
