"""Where the prompt tokens of a Halo table's row came from: by its counts, else by its stated shares."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.catalog.metrics import CACHED_SHARE, CEILING_SHARE, COMPUTED_SHARE
from app.catalog.offload import TIER_SHARES, TIERS, Offload
from app.catalog.point import Cache, OtherRate, TierShare
from app.catalog.transfers import OWN, WAIT_COLUMNS
from ingest.invariants import SLACK, Setting, judged
from ingest.table.cells import Misread
from ingest.tiers import CONDITIONAL

SHARES = (*TIER_SHARES, CACHED_SHARE, COMPUTED_SHARE, CEILING_SHARE)
"""Metrics that the cache of a point holds."""


def cache_of(values: Mapping[str, Any], offload: Offload, *, disaggregated: bool, warnings: list[str]) -> Cache:
    """Shares by tier. Raises Misread where they cannot be worked out or contradict the offload."""
    prompt = values.get("prompt_tokens")
    counts = {medium.key: values[f"{medium.key}_tokens"] for medium in TIERS if f"{medium.key}_tokens" in values}
    if not prompt and (counts or "computed_tokens" in values):
        raise Misread("tokens by source are given without prompt_tokens, so no share can be worked out")
    tiers = [
        TierShare(medium=medium, share=tokens / prompt, tokens=tokens, provenance="counts in the table")
        for medium, tokens in counts.items()
    ]
    tiers += _stated(values, tiers, offload, warnings)
    if offload.kinds == ("parameter",) and (below := [tier.medium for tier in tiers if tier.share and _is_kv(tier)]):
        raise Misread(
            f"offload_kind is parameter alone, but {' and '.join(below)} served prompt tokens: a parameter table "
            "has no hit rate, so write kv+parameter or leave the share empty"
        )
    # A parameter table serves no prompt tokens, so that for the shares there is no offload.
    mode = "off" if offload.kinds == ("parameter",) else offload.mode
    setting = Setting(mode=mode, disaggregated=disaggregated, ceiling=values.get(CEILING_SHARE))
    cache = judged(
        setting,
        tiers,
        prompt_tokens=prompt,
        computed_tokens=values.get("computed_tokens"),
        overall=values.get(CACHED_SHARE),
        other_rates=_chunks(values, offload),
        counters={name: float(values[name]) for name in (*OWN, *WAIT_COLUMNS) if name in values},
    )
    if cache.cached_share is None:
        cache = replace(cache, cached_share=values.get(CACHED_SHARE))
    return cache if cache.computed_share is not None else replace(cache, computed_share=values.get(COMPUTED_SHARE))


def _chunks(values: Mapping[str, Any], offload: Offload) -> tuple[OtherRate, ...]:
    """The rate at which the slowest tier answered what it was asked for."""
    hits, queries = values.get("chunk_hits"), values.get("chunk_queries")
    if hits is None or not queries:
        return ()
    slowest = TIERS.label(offload.media[-1]) if offload.media else "Slowest tier"
    source = "chunk hits / chunk queries in the table"
    return (OtherRate(name=f"{slowest} chunk hits", value=hits / queries, denominator=CONDITIONAL, provenance=source),)


def _stated(
    values: Mapping[str, Any], counted: list[TierShare], offload: Offload, warnings: list[str]
) -> list[TierShare]:
    """Shares that the row states, of tiers it does not count."""
    stated = []
    for metric in TIER_SHARES:
        if (share := values.get(metric)) is None:
            continue
        same = [tier.share or 0 for tier in counted if TIERS[tier.medium].share_metric == metric]
        if not same:
            stated.append(TierShare(medium=_medium(metric, offload), share=share, provenance="stated in the table"))
        elif abs(sum(same) - share) > SLACK:
            warnings.append(f"{metric} is stated as {share:g}, but the tokens give {sum(same):.4g}, which was taken")
    return stated


def _medium(metric: str, offload: Offload) -> str:
    """The memory that a stated share belongs to. Only beyond the server do several share one metric."""
    media = [medium.key for medium in TIERS if medium.share_metric == metric]
    named = media if len(media) == 1 else [medium for medium in media if medium in offload.media]
    if len(named) != 1:
        counts = ", ".join(f"{medium}_tokens" for medium in media)
        raise Misread(f"{metric} could be any of {', '.join(media)}: name it in offload_tiers, or fill one of {counts}")
    return named[0]


def _is_kv(tier: TierShare) -> bool:
    return tier.medium not in ("hbm", "unattributed", "external")
