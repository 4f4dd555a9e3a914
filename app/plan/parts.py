"""The parts of a plan: a number with its formula, a tier with what it keeps, a way of reloading with its times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.catalog.links import Link
from app.plan import formulas as f
from app.plan.settled import Settled


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One result. `formula` is its rule in words, `worked` the same with this plan's numbers."""

    key: str
    label: str
    value: float | None
    unit: str
    formula: str
    worked: str = ""
    missing: str = ""
    """What would have to be known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierPlan:
    """A memory and all faster ones together. Conversations are those that can be resumed without recomputing."""

    medium: str
    label: str
    tokens: float | None
    said: str
    conversations: Mapping[f.Policy, int | None]
    lifetime: Mapping[f.Policy, float | None]
    outlives: str
    usd_per_hour: float | None
    at_least: bool = False
    """Whether HBM's own pool is not known, so that only the tiers below it count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way of reloading. `lane` is what one rank gets of it when all reload at once, in bytes a second."""

    key: str
    label: str
    link: Link
    count: int
    chosen: bool
    lane: float
    per_token: float
    load: f.Load
    at_context: float
    break_even: float | None
    benefit: float | None
    flop_per_byte: float | None


def policy_of(settled: Settled) -> f.Policy:
    return "exclusive" if settled.word("policy") == "exclusive" else "inclusive"


def retained_of(tokens: Sequence[float | None], policy: f.Policy) -> float | None:
    """What pools hold together; None where one of them is not known."""
    if any(value is None for value in tokens):
        return None
    return f.retained(tuple(value or 0.0 for value in tokens), policy)
