"""A cache judged anew once it is known whether offload was on, where a name, a sidecar or a person says so last."""

from dataclasses import replace

from app.catalog.offload import Offload
from app.catalog.point import Cache, Layout
from ingest.engine_counters import moved
from ingest.invariants import Setting, judged

_LATE = ("name", "supplied")


def settled(cache: Cache, offload: Offload, layout: Layout) -> Cache:
    """The cache under an offload that its source did not know of; any other is judged already.

    A name proves no medium behind a connector, so what is external stays so.
    """
    if offload.evidence not in _LATE or not cache.tiers:
        return cache
    setting = Setting(mode=offload.mode, disaggregated=bool(layout.disaggregated), ceiling=cache.ceiling_share)
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
    stale = "stale_tier_rate" in again.flags
    flags = tuple(flag for flag in again.flags if not (stale and flag == "external_unspecified"))
    return replace(again, flags=flags, cached_share=_kept(again.cached_share, cache.cached_share, stale=stale))


def _kept(now: float | None, before: float | None, *, stale: bool) -> float | None:
    """Shares given without counts may come with an overall alone, which judging does not know."""
    return now if now is not None or stale else before
