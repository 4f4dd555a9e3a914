"""The cache counters of an InferenceX `server_metrics` block, sorted to the engine that wrote them.

The collector files several engines under one adapter's name and fills one field with two denominators, so
the engine is taken from the row and the raw counts are preferred to the rates.
"""

from collections.abc import Iterable
from dataclasses import replace

from app.catalog.point import Cache
from ingest import tiers
from ingest.invariants import Setting
from ingest.sources.fields import Fields

_VLLM_SOURCES = frozenset(("local_cache_hit", "local_compute", "external_kv_transfer"))
_RATES = ("gpu_cache_hit_rate", "cpu_cache_hit_rate", "external_cache_hit_rate", "overall_cache_hit_rate")
_ROUTER = ("frontend_cache_hit_rate", "router_kv_hit_rate", "router_shared_cache_hit_rate")
_COUNTS = (
    "prefix_cache_hits",
    "prefix_cache_queries",
    "external_prefix_cache_hits",
    "external_prefix_cache_queries",
    "frontend_cached_tokens",
    "frontend_input_tokens",
)
_OFFLOAD = (
    "bytes_gpu_to_cpu",
    "bytes_cpu_to_gpu",
    "time_gpu_to_cpu",
    "time_cpu_to_gpu",
    "bandwidth_gpu_to_cpu_bytes_per_second",
    "bandwidth_cpu_to_gpu_bytes_per_second",
)
_HOST = ("cpu_usage_pct", "cpu_used_tokens", "cpu_total_tokens")


def cache_of(server: Fields, setting: Setting, engine: str | None) -> Cache:
    """Where the prompt tokens came from, by the rules of the row's engine."""
    block, tokens = server.inner("cache"), server.inner("tokens")
    sources = tokens.inner("prompt_by_source")
    rates = _numbers(block, _RATES)
    counts = _numbers(block, _COUNTS)
    offload = _numbers(server.inner("kv_offload"), _OFFLOAD)
    host = _numbers(server.inner("kv_cache"), _HOST)
    totals = _numbers(tokens, ("prompt_total", "generation_total", "requests_completed"))
    counters = {**totals, **rates, **_numbers(block, _ROUTER), **offload, **host}
    activity = [offload.get("bytes_cpu_to_gpu"), offload.get("bytes_gpu_to_cpu"), host.get("cpu_used_tokens")]
    prompt = totals.get("prompt_total")
    by_source, raw = _counts(block.inner("cached_tokens_by_source")), _counts(sources.inner("raw"))
    overall = rates.get("overall_cache_hit_rate")
    runtime = engine or (server.text("adapter") or "").removeprefix("dynamo-")
    shared = {"counters": counters, "activity": activity}

    if runtime in ("trt", "trtllm"):
        cached = by_source.get("device", raw.get("device"))
        rate = rates.get("gpu_cache_hit_rate")
        return tiers.trtllm(setting, prompt, cached, hit_rate=rate, **shared)  # type: ignore[arg-type]  # typed above
    if runtime == "atom" and "prefix_cache_hits" in counts:
        return tiers.atom(
            setting,
            counts.get("prefix_cache_queries"),
            counts["prefix_cache_hits"],
            counts.get("external_prefix_cache_hits"),
            counters=counters,
            activity=activity,
        )
    if _VLLM_SOURCES & raw.keys() and sum(raw.values()) > 0:
        return _routed(
            tiers.vllm_sources(
                setting,
                raw,
                cached_by_source=by_source,
                overall=overall,
                counters={**counters, **counts},
                activity=activity,
            ),
            block,
        )
    if by_source or (raw and not _VLLM_SOURCES & raw.keys()):
        return _routed(
            tiers.sglang(
                setting,
                prompt,
                by_source or raw,
                computed_tokens=sources.number("computed"),
                overall=overall,
                counters=counters,
                activity=activity,
            ),
            block,
        )
    if "prefix_cache_hits" in counts or "external_prefix_cache_hits" in counts:
        return _routed(_vllm_counters(setting, prompt, counts, rates, counters, activity), block)
    if "frontend_cached_tokens" in counts:
        return tiers.frontend(
            setting,
            counts.get("frontend_input_tokens") or prompt,
            counts["frontend_cached_tokens"],
            rates=_numbers(block, _ROUTER[1:]),
            counters=counters,
        )
    return _routed(_fractions(setting, prompt, rates, runtime, counters, activity), block)


def _vllm_counters(
    setting: Setting,
    prompt: float | None,
    counts: dict[str, float],
    rates: dict[str, float],
    counters: dict[str, float],
    activity: Iterable[float | None],
) -> Cache:
    """The collector's overall rate leaves the connector out when there are no sources, so it is kept, not compared."""
    return tiers.vllm_counters(
        setting,
        prompt,
        prefix_hits=counts.get("prefix_cache_hits"),
        prefix_queries=counts.get("prefix_cache_queries"),
        external_hits=counts.get("external_prefix_cache_hits"),
        external_queries=counts.get("external_prefix_cache_queries"),
        counters=counters,
        activity=activity,
    )


def _fractions(
    setting: Setting,
    prompt: float | None,
    rates: dict[str, float],
    runtime: str,
    counters: dict[str, float],
    activity: Iterable[float | None],
) -> Cache:
    """Rates without counts. SGLang's are shares, and what its overall adds to the tiers is storage or unknown."""
    hbm, host, overall = (rates.get(f"{name}_cache_hit_rate") for name in ("gpu", "cpu", "overall"))
    if runtime == "sglang":
        rest = None if overall is None else overall - (hbm or 0) - (host or 0)
        shares = {"hbm": hbm, "host_dram": host, "unattributed": rest if rest and rest > 1e-4 else None}
        return tiers.reported(
            setting,
            shares,
            "SGLang cached / prompt tokens, as a fraction without counts",
            prompt_tokens=prompt,
            overall=overall,
            counters=counters,
            activity=activity,
        )
    external = rates.get("external_cache_hit_rate", host)
    return tiers.reported(
        setting,
        {"hbm": hbm},
        f"{runtime or 'engine'} cache hit rate, as a fraction without counts",
        prompt_tokens=prompt,
        other_rates=tiers.query_rate(setting, external),
        counters=counters,
        activity=[*activity, external],
        flags=("stale_tier_rate",) if external and setting.mode == "off" else (),
    )


def _routed(cache: Cache, block: Fields) -> Cache:
    """The cache with the router's predictions beside it, where the row has any."""
    predicted = tiers.predictions(_numbers(block, _ROUTER[1:]))
    return replace(cache, other_rates=(*cache.other_rates, *predicted)) if predicted else cache


def _numbers(block: Fields, names: Iterable[str]) -> dict[str, float]:
    return {name: value for name in names if (value := block.number(name)) is not None}


def _counts(block: Fields) -> dict[str, float]:
    return {name: value for name in block.row if (value := block.number(name)) is not None}
