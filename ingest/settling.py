"""A cache judged anew once it is known whether offload was on, where a name, a sidecar or a person says so last."""

from dataclasses import replace

from app.catalog.offload import Offload
from app.catalog.point import Cache, Layout
from ingest.engine_counters import moved
from ingest.invariants import Setting, judged

_LATE = ("name", "supplied")
_ALONE = ("parameter",)
_STALE, _FOREIGN = "stale_tier_rate", "parameter_tier_rate"
_OF_KV = ("external_unspecified", "offload_inert", "offload_tier_unreported")
"""Flags for which only KV offload gives ground."""


def settled(cache: Cache, offload: Offload, layout: Layout) -> Cache:
    """The cache under an offload that its source did not know of; any other is judged already.

    A name proves no medium behind a connector, so what is external stays so. A parameter table serves no prompt
    tokens: with nothing else offloaded, rates below HBM are somebody else's, and hidden as they are with offload off.
    """
    alone = offload.kinds == _ALONE
    if not cache.tiers or not (alone or offload.evidence in _LATE):
        return cache
    mode = "off" if alone else offload.mode
    setting = Setting(mode=mode, disaggregated=bool(layout.disaggregated), ceiling=cache.ceiling_share)
    computed = None
    if cache.computed_share is not None and cache.prompt_tokens:
        computed = cache.computed_share * cache.prompt_tokens
    again = judged(
        setting,
        cache.tiers,
        prompt_tokens=cache.prompt_tokens,
        computed_tokens=computed,
        other_rates=cache.other_rates,
        counters=cache.counters,
        activity=moved(cache.counters),
        flags=cache.flags,
    )
    stale = _STALE in again.flags
    flags = [flag for flag in again.flags if not (stale and flag == "external_unspecified")]
    if alone:
        flags = [_FOREIGN if flag == _STALE else flag for flag in flags if flag not in _OF_KV]
    return replace(again, flags=tuple(flags), cached_share=_kept(again.cached_share, cache.cached_share, stale=stale))


def _kept(now: float | None, before: float | None, *, stale: bool) -> float | None:
    """Shares given without counts may come with an overall alone, which judging does not know."""
    return now if now is not None or stale else before
