"""Where the prompt tokens of a run came from, read off the metrics that its engine exports.

The engine is told by the prefix of its names; what its counters mean is said in `counters`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from app.catalog.engines import ENGINES
from app.catalog.point import Cache, OtherRate
from app.catalog.transfers import COUNTERS, LABELLED, WAITS, labelled
from ingest import counters, tiers
from ingest.invariants import Setting
from ingest.scrape import Scrape, config_info

_WINDOW = "sliding_window"
_KEPT = ("vllm:", "sglang:", "lmcache", "atom:", "trtllm_", "kvbm_", "dynamo_", "mooncake_")
_WORDS = ("token", "prefix", "cache", "kv", "preempt", "offload", "onboard", "block", "bytes", "load", "save", "hit")
_NOT = ("_seconds", "estimated_", "request_", "iteration_", "mm_cache", "usage", "_created")
_MOVES = ("bytes", "load_back", "backuped", "onboard", "offload_blocks")
_MOVERS = ("vllm:kv_offload", "vllm:simple_cpu_offload", "sglang:", "kvbm_", "trtllm_", "lmcache")


def cache_of(scrape: Scrape, setting: Setting) -> Cache:
    """Where the prompt tokens came from, by the counters of the engine that is there; empty where none is known."""
    reader = next((read for sign, read in _ENGINES.items() if scrape.names(sign)), None)
    if reader is None:
        return Cache(ceiling_share=setting.ceiling)
    if scrape.began_anew:
        return Cache(ceiling_share=setting.ceiling, counters=_counts(scrape), flags=("counter_reset",))
    cache = reader(scrape, setting)
    beside = (*_lmcache(scrape), *_kvbm(scrape), *tiers.predictions(_predictions(scrape)))
    flags = ("counter_reset",) if scrape.fell else ()
    if _caching_off(scrape):
        flags = (*flags, "prefix_caching_off")
    return replace(
        cache,
        other_rates=(*cache.other_rates, *beside),
        counters={**cache.counters, **_transfers(scrape)},
        flags=tuple(dict.fromkeys((*cache.flags, *flags))),
    )


def _caching_off(scrape: Scrape) -> bool:
    return config_info(scrape).get("enable_prefix_caching", "").lower() == "false"


def _counts(scrape: Scrape, *prefixes: str) -> dict[str, float]:
    """Counters worth keeping as they came, named as the engine names them."""
    names = [name for name in scrape.names(*(prefixes or _KEPT)) if any(word in name for word in _WORDS)]
    totals = {name: scrape.total(name) for name in names if not any(word in name for word in _NOT)}
    return {name: total for name, total in totals.items() if total is not None}


def _transfers(scrape: Scrape) -> dict[str, float]:
    """What offload moved and how long it took, of whichever engine or connector; by label where that tells the way."""
    plain = [*(name for name in COUNTERS if "{" not in name), *(name for wait in WAITS for name in wait.names)]
    counts = {name: scrape.total(name) for name in (*plain, *(name for wait in WAITS for name in wait.count))}
    for name, label in LABELLED.items():
        counts |= {labelled(name, label, value): total for value, total in scrape.by_label(name, label).items()}
    return {name: total for name, total in counts.items() if total is not None}


def _activity(scrape: Scrape) -> list[float | None]:
    """Counters that only offload moves, of whichever engine."""
    return [scrape.total(name) for name in scrape.names(*_MOVERS) if any(word in name for word in _MOVES)]


def moved(counts: Mapping[str, float]) -> list[float]:
    """Those of an engine's counters that only offload moves, as a Cache keeps them."""
    return [
        total for name, total in counts.items() if name.startswith(_MOVERS) and any(word in name for word in _MOVES)
    ]


def _vllm(scrape: Scrape, setting: Setting) -> Cache:
    by_source = scrape.by_label("vllm:prompt_tokens_by_source", "source")
    chunks = _chunks(scrape)
    kept, activity = _counts(scrape, "vllm:"), _activity(scrape)
    if sum(by_source.values()) > 0:
        return counters.vllm_sources(setting, by_source, tier_chunks=chunks, counters=kept, activity=activity)
    return counters.vllm_counters(
        setting,
        scrape.total("vllm:prompt_tokens"),
        prefix_hits=_either(scrape, "vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits"),
        prefix_queries=_either(scrape, "vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries"),
        external_hits=scrape.total("vllm:external_prefix_cache_hits"),
        external_queries=scrape.total("vllm:external_prefix_cache_queries"),
        tier_chunks=chunks,
        counters=kept,
        activity=activity,
    )


def _either(scrape: Scrape, *names: str) -> float | None:
    return next((total for name in names if (total := scrape.total(name)) is not None), None)


def _chunks(scrape: Scrape) -> dict[str, tuple[float, float]]:
    hits = scrape.by_label("vllm:kv_offload_tiering_chunk_hits", "tier")
    queries = scrape.by_label("vllm:kv_offload_tiering_chunk_queries", "tier")
    return {tier: (hits[tier], queries[tier]) for tier in hits if tier in queries}


def _sglang(scrape: Scrape, setting: Setting) -> Cache:
    computed = scrape.total("sglang:realtime_tokens", mode="prefill_compute")
    by_source = scrape.by_label("sglang:cached_tokens", "cache_source")
    if not by_source and (cached := scrape.total("sglang:cached_tokens")) is not None:
        by_source = {"total": cached}
    return counters.sglang(
        setting,
        scrape.total("sglang:prompt_tokens"),
        by_source,
        computed_tokens=computed,
        counters=_counts(scrape, "sglang:"),
        activity=_activity(scrape),
    )


def _atom(scrape: Scrape, setting: Setting) -> Cache:
    return counters.atom(
        setting,
        scrape.total("atom:prefix_cache_full_tokens"),
        scrape.total("atom:prefix_cache_cached_tokens"),
        scrape.total("atom:lmcache_loaded_tokens"),
        counters=_counts(scrape, "atom:"),
        activity=_activity(scrape),
    )


def _trtllm(scrape: Scrape, setting: Setting) -> Cache:
    return counters.trtllm(
        setting,
        _either(scrape, "trtllm_prompt_tokens", "trtllm_request_prompt_tokens"),
        scrape.total("trtllm_prompt_cached_tokens"),
        reused_blocks=_either(scrape, "trtllm_kv_cache_reused_blocks", "trtllm_reused_blocks"),
        missed_blocks=_either(scrape, "trtllm_kv_cache_missed_blocks", "trtllm_missed_blocks"),
        hit_rate=scrape.mean("trtllm_kv_cache_hit_rate"),
        counters=_counts(scrape, "trtllm_"),
        activity=_activity(scrape),
    )


def _frontend(scrape: Scrape, setting: Setting) -> Cache:
    return counters.frontend(
        setting,
        scrape.total("dynamo_frontend_input_sequence_tokens"),
        scrape.total("dynamo_frontend_cached_tokens"),
        counters=_counts(scrape, "dynamo_frontend", "kvbm_"),
    )


def engine_of(scrape: Scrape) -> str | None:
    """The engine whose names are there; a frontend in front of others is none."""
    sign = next((sign for sign in _ENGINES if scrape.names(sign)), "")
    term = ENGINES.resolve(sign.rstrip(":_"))
    return term.key if term else None


def _lmcache(scrape: Scrape) -> Iterable[OtherRate]:
    """LMCache's own hit rate, over what it was asked for, which the engine may have had in HBM already."""
    asked = _either(scrape, "lmcache:num_lookup_tokens", "lmcache:num_requested_tokens")
    hits = _either(scrape, "lmcache:num_lookup_hits", "lmcache:num_hit_tokens")
    yield from tiers.lookup_rate(asked, hits, "LMCache hit / lookup tokens")
    asked = _either(scrape, "lmcache_mp.lookup_requested_tokens", "lmcache_mp:lookup_requested_tokens")
    hits = _either(scrape, "lmcache_mp.lookup_hit_tokens", "lmcache_mp:lookup_hit_tokens")
    yield from tiers.lookup_rate(asked, hits, "LMCache MP hit / lookup tokens")


def _kvbm(scrape: Scrape) -> Iterable[OtherRate]:
    """KVBM's gauges over its last requests, whatever the run was."""
    for name in scrape.names("kvbm_"):
        if name.endswith("_cache_hit_rate") and (value := scrape.mean(name)) is not None:
            yield OtherRate(name=name, value=value, denominator=_WINDOW, provenance="Dynamo KVBM, last 1000 requests")


def _predictions(scrape: Scrape) -> dict[str, float]:
    name = "dynamo_component_router_kv_hit_rate"
    value = scrape.mean(name)
    return {} if value is None else {"router_kv_hit_rate": value}


_ENGINES: dict[str, Callable[[Scrape, Setting], Cache]] = {
    "vllm:": _vllm,
    "sglang:": _sglang,
    "atom:": _atom,
    "trtllm_": _trtllm,
    "dynamo_frontend": _frontend,
}
