"""The formulas of a plan, one function each, in tokens, bytes, seconds and FLOP. None knows a model or a chip."""

import math
from dataclasses import dataclass
from typing import Literal

Policy = Literal["inclusive", "exclusive"]
Regime = Literal["idle", "sweet spot", "thrash", "link-bound"]

SECONDS_A_DAY = 86_400
HOURS_A_YEAR = 8_760


def working_set(sessions: float, context: float) -> float:
    """Tokens that all open conversations hold together."""
    return sessions * context


def reuse_set(sessions: float, context: float) -> float:
    """Tokens that others bring in before a conversation comes back: what an LRU tier must hold to still have it."""
    return max(0.0, sessions - 1) * context


def pressure(tokens: float, capacity: float) -> float:
    """Gamma: above 1 the set does not fit."""
    return tokens / capacity if capacity > 0 else math.inf


def retained(pools: tuple[float, ...], policy: Policy) -> float:
    """Distinct tokens that pools hold together. Inclusive tiers repeat what faster ones have, exclusive ones add."""
    return max(pools, default=0.0) if policy == "inclusive" else sum(pools)


def gain(ratio: float, policy: Policy) -> float:
    """By how many times a pool `ratio` times as large as HBM's raises what is retained."""
    return retained((1.0, ratio), policy)


def resumable(tokens: float, context: float) -> int:
    """Whole conversations of this length that so many tokens hold."""
    return math.floor(tokens / context) if context > 0 else 0


def lifetime(tokens: float, written_per_s: float) -> float | None:
    """Seconds until newly written tokens have pushed out one that nobody asked for again."""
    return tokens / written_per_s if written_per_s > 0 else None


def pool_tokens(free_bytes_per_rank: float, rank_bytes: float, groups: float) -> float:
    """Tokens in HBM: each group of ranks that serve a conversation together holds its own."""
    return groups * free_bytes_per_rank / rank_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Compute:
    """What recomputing costs. `attention` is FLOP for one token and one token of context before it."""

    active: float
    attention: float
    flops: float
    """FLOP a second that prefill really gets from all chips."""

    def per_token(self, length: float = 0.0) -> float:
        """Seconds a token in a prompt of this length; at 0, of the weights alone."""
        return (2 * self.active + self.attention * length) / self.flops

    def time(self, length: float) -> float:
        return length * self.per_token(length)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What reloading costs: seconds before the first byte, seconds a token, seconds for what has a fixed size."""

    start: float
    per_token: float
    fixed: float = 0.0

    def time(self, length: float) -> float:
        return self.start + self.fixed + length * self.per_token


def break_even_length(load: Load, compute: Compute) -> float | None:
    """Tokens from which on reloading is faster than recomputing; None where it never is."""
    once = load.start + load.fixed
    linear = compute.per_token() - load.per_token
    square = compute.attention / compute.flops
    if square == 0:
        return once / linear if linear > 0 else None
    return (-linear + math.sqrt(linear * linear + 4 * square * once)) / (2 * square)


def break_even_bandwidth(bytes_per_token: float, seconds_per_token: float) -> float:
    """Bytes a second below which moving a token takes longer than computing it."""
    return bytes_per_token / seconds_per_token


def benefit(load: float, recompute: float) -> float:
    """The part of the recompute time that reloading saves; negative where it costs time."""
    return 1 - load / recompute


def flop_per_link_byte(flops: float, bytes_per_s: float) -> float:
    """FLOP that a chip could do while one byte comes in: the higher, the less a reload is worth."""
    return flops / bytes_per_s


def required_bandwidth(tokens_per_s: float, bytes_per_token: float) -> float:
    return tokens_per_s * bytes_per_token


def written_per_day(tokens_per_s: float, bytes_per_token: float) -> float:
    """Bytes a day where every computed token is written once."""
    return required_bandwidth(tokens_per_s, bytes_per_token) * SECONDS_A_DAY


def drive_writes_per_day(bytes_per_day: float, capacity: float) -> float:
    return bytes_per_day / capacity


def cost_per_hour(gigabytes: float, usd_per_gb: float, years: float) -> float:
    return gigabytes * usd_per_gb / (years * HOURS_A_YEAR)


def write_amplification(stored: float, loaded: float) -> float:
    return stored / loaded


def regime(on_hbm: float, on_pool: float, needed: float | None, available: float | None) -> Regime:
    """Where a load stands: `on_*` are pressures, `needed` and `available` are the reload bandwidth below HBM."""
    if on_hbm <= 1:
        return "idle"
    if needed is not None and available is not None and needed > available:
        return "link-bound"
    return "sweet spot" if on_pool <= 1 else "thrash"
