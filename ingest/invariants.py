"""What must hold between a point's cache figures, and the flag that says so where it does not.

Raw counts stay as they came; a share that breaks a rule is shown with its flag and left out of what is derived.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.catalog.point import Cache, OtherRate, TierShare

SHARE_OF_PROMPT = "share_of_prompt"
SLACK = 0.02
"""How far shares may miss their sum before it is a contradiction: counters are read at slightly different times."""
CEILING_SLACK = 0.03
BYTES_SLACK = 0.10
MOST_TOKENS = 2**53
"""Counters beyond it are no counts of tokens: nothing is worked out from them."""
ON_CHIP = ("hbm", "unattributed")
"""Tiers that a point without offload may have: everything else is offload."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a recipe says that bears on its cache figures.

    `connector` is the medium that the recipe proves to stand behind a KV connector, None where it proves none.
    `prefill_only` when the counters leave out decode workers, whose connector also carries the transfer from prefill.
    """

    mode: str = "unknown"
    connector: str | None = None
    disaggregated: bool = False
    prefill_only: bool = False
    ceiling: float | None = None


def share_of(tokens: float | None, prompt_tokens: float | None) -> float | None:
    """Tokens over all prompt tokens; None where either is not known or there was no prompt."""
    if tokens is None or not prompt_tokens or prompt_tokens <= 0:
        return None
    return tokens / prompt_tokens


def judged(
    setting: Setting,
    tiers: Iterable[TierShare],
    *,
    prompt_tokens: float | None = None,
    computed_tokens: float | None = None,
    overall: float | None = None,
    other_rates: Sequence[OtherRate] = (),
    counters: Mapping[str, float] | None = None,
    activity: Iterable[float | None] = (),
    flags: Iterable[str] = (),
) -> Cache:
    """A Cache of these tiers with every rule applied. `activity` are further counters that only offload moves."""
    raised = list(flags)
    known = [tier for tier in tiers if tier.share is not None or tier.tokens is not None]
    if any(abs(tier.tokens or 0) >= MOST_TOKENS for tier in known) or abs(prompt_tokens or 0) >= MOST_TOKENS:
        known, prompt_tokens, computed_tokens = [], None, None
        raised.append("out_of_range")
    raised += _offload_flags(setting, known, activity)
    if setting.mode == "off":
        known = [tier for tier in known if tier.medium in ON_CHIP]
    if any(tier.share is not None and not 0 <= tier.share <= 1 for tier in known):
        raised.append("out_of_range")
    shares = [tier.share for tier in known if tier.share is not None and tier.denominator == SHARE_OF_PROMPT]
    total = sum(shares) if shares else None
    if total is not None and total < 0:
        total = None
    complete = _complete(setting, known)
    if total is not None and not complete:
        raised.append("offload_tier_unreported")
    cached, computed = _sums(total, share_of(computed_tokens, prompt_tokens), raised, complete=complete)
    if overall is not None and total is not None and abs(overall - total) > SLACK:
        raised.append("overall_mismatch")
    if setting.ceiling is not None and total is not None and total > setting.ceiling + CEILING_SLACK:
        raised.append("above_ceiling")
    return Cache(
        prompt_tokens=None if prompt_tokens is None else round(prompt_tokens),
        tiers=tuple(_within(tier) for tier in known),
        cached_share=cached,
        computed_share=computed,
        ceiling_share=setting.ceiling,
        other_rates=tuple(other_rates),
        counters=dict(counters or {}),
        flags=tuple(dict.fromkeys(raised)),
    )


def _offload_flags(setting: Setting, tiers: Sequence[TierShare], activity: Iterable[float | None]) -> list[str]:
    below = [tier for tier in tiers if tier.medium not in ON_CHIP]
    amounts = [tier.tokens if tier.tokens is not None else tier.share for tier in below]
    served = any(amount for amount in amounts)
    transfers = setting.disaggregated and not setting.prefill_only
    flags = []
    by_connector = any(tier.medium == "external" and amount for tier, amount in zip(below, amounts, strict=True))
    if by_connector and transfers:
        flags.append("external_includes_pd")
    elif served and setting.mode == "off":
        flags.append("stale_tier_rate")
    elif by_connector:
        flags.append("external_unspecified")
    moved = [*amounts, *(amount for amount in activity if amount is not None)]
    if setting.mode == "on" and moved and not any(moved):
        flags.append("offload_inert")
    return flags


def _complete(setting: Setting, tiers: Sequence[TierShare]) -> bool:
    """Whether every tier that may have served tokens is reported; with offload on, the chip's own is not all."""
    if setting.mode != "on":
        return True
    return any(tier.medium != "hbm" and tier.share is not None for tier in tiers)


def _sums(
    total: float | None, counted: float | None, raised: list[str], *, complete: bool
) -> tuple[float | None, float | None]:
    """Cached and computed share. A sum too far above 1 is kept as it is, and nothing is derived from it."""
    if counted is not None and counted > 1 + SLACK:
        raised.append("computed_exceeds_prompt")
        counted = None
    if total is None:
        return None, counted
    if total > 1 + SLACK:
        raised.append("sum_gt_1")
        return total, None
    if total > 1:
        raised.append("clamped")
        total = 1.0
    if counted is not None and abs(total + counted - 1) <= SLACK:
        return total, counted
    if counted is not None and total + counted > 1 + SLACK:
        raised.append("sum_gt_1")
        return total, None
    return total, 1 - total if complete else None


def _within(tier: TierShare) -> TierShare:
    if tier.share is None or 0 <= tier.share <= 1:
        return tier
    return replace(tier, share=min(max(tier.share, 0.0), 1.0))


def bytes_mismatch(
    loaded_bytes: float | None, tokens: float | None, bytes_per_token: float | None, replication: float = 1
) -> bool:
    """Whether the bytes a tier loaded contradict the tokens it is said to have served: the strongest cross-check."""
    if not loaded_bytes or not tokens or not bytes_per_token:
        return False
    expected = tokens * bytes_per_token * replication
    return abs(loaded_bytes - expected) > BYTES_SLACK * expected


def capacity_mismatch(
    tokens: float | None, capacity_bytes: float | None, bytes_per_token: float | None, replication: float = 1
) -> bool:
    """Whether a tier is said to hold more tokens than its bytes have room for."""
    if not tokens or not capacity_bytes or not bytes_per_token:
        return False
    return tokens * replication * bytes_per_token > capacity_bytes * (1 + SLACK)


def mirror_tier(tokens: float | None, hbm_tokens: float | None, *, inclusive: bool) -> bool:
    """Whether a tier that repeats what HBM holds is no larger than HBM, so that it cannot add a hit."""
    return inclusive and bool(tokens) and bool(hbm_tokens) and tokens <= hbm_tokens  # type: ignore[operator]  # both are set


def parameter_table_bytes(rows: Iterable[int], row_bytes: int) -> int:
    """The size of a parameter table spread over several parts of so many rows."""
    return sum(rows) * row_bytes
