"""The cache counters of an InferenceX `server_metrics` block, handed to the rules of the engine that wrote them.

The collector files several engines under one adapter's name and fills one field with two denominators, so
the engine is taken from the row and raw counts are preferred to rates.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.catalog.point import Cache
from ingest import counters, tiers
from ingest.invariants import Setting
from ingest.sources.fields import Fields

_VLLM_SOURCES = frozenset(("local_cache_hit", "local_compute", "external_kv_transfer"))
_RATES = ("gpu_cache_hit_rate", "cpu_cache_hit_rate", "external_cache_hit_rate", "overall_cache_hit_rate")
_PREDICTIONS = ("router_kv_hit_rate", "router_shared_cache_hit_rate")
_COUNTS = (
    "prefix_cache_hits",
    "prefix_cache_queries",
    "external_prefix_cache_hits",
    "external_prefix_cache_queries",
    "frontend_cached_tokens",
    "frontend_input_tokens",
)
_TOTALS = ("prompt_total", "generation_total", "requests_completed")
_MOVED = ("bytes_gpu_to_cpu", "bytes_cpu_to_gpu", "time_gpu_to_cpu", "time_cpu_to_gpu")
_HOST = ("cpu_usage_pct", "cpu_used_tokens", "cpu_total_tokens")
_ROUNDING = 1e-4
"""Rates are written with five digits."""


def cache_of(server: Fields, setting: Setting, engine: str | None) -> Cache:
    """Where the prompt tokens came from, with what the router had predicted beside it."""
    read = _read(server, setting, engine)
    cache = _by_engine(read)
    predicted = tiers.predictions(_numbers(server.inner("cache"), _PREDICTIONS))
    if predicted:
        cache = replace(cache, other_rates=(*cache.other_rates, *predicted))
    return replace(cache, flags=(*cache.flags, "counter_reset")) if read.fell else cache


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """The block's numbers. A counter that fell is missing from them."""

    setting: Setting
    engine: str
    prompt: float | None
    computed: float | None
    rates: dict[str, float]
    counts: dict[str, float]
    by_source: dict[str, float]
    sources: dict[str, float]
    counters: dict[str, float]
    activity: tuple[float | None, ...]
    fell: bool


def _read(server: Fields, setting: Setting, engine: str | None) -> _Read:
    block, tokens = server.inner("cache"), server.inner("tokens")
    sources = tokens.inner("prompt_by_source")
    totals, counts = _numbers(tokens, _TOTALS), _numbers(block, _COUNTS)
    by_source = _numbers(block.inner("cached_tokens_by_source"))
    raw = _numbers(sources.inner("raw"))
    moved, host = _numbers(server.inner("kv_offload"), _MOVED), _numbers(server.inner("kv_cache"), _HOST)
    rates = _numbers(block, _RATES)
    fell = any(value < 0 for group in (totals, counts, by_source, raw, moved) for value in group.values())
    return _Read(
        setting=setting,
        engine=engine or (server.text("adapter") or "").removeprefix("dynamo-"),
        prompt=_risen(totals).get("prompt_total"),
        computed=sources.number("computed"),
        rates=rates,
        counts=_risen(counts),
        by_source=_risen(by_source),
        sources=_risen(raw),
        counters={**totals, **counts, **rates, **moved, **host},
        activity=(moved.get("bytes_cpu_to_gpu"), moved.get("bytes_gpu_to_cpu"), host.get("cpu_used_tokens")),
        fell=fell,
    )


def _by_engine(read: _Read) -> Cache:
    counts = read.counts
    if read.engine in ("trt", "trtllm"):
        # The adapter calls the cached tokens of both pools those of the device.
        return counters.trtllm(
            read.setting,
            read.prompt,
            read.by_source.get("device"),
            hit_rate=read.rates.get("gpu_cache_hit_rate"),
            counters=read.counters,
            activity=read.activity,
        )
    if read.engine == "atom" and "prefix_cache_hits" in counts:
        return counters.atom(
            read.setting,
            counts.get("prefix_cache_queries"),
            counts["prefix_cache_hits"],
            counts.get("external_prefix_cache_hits"),
            counters=read.counters,
            activity=read.activity,
        )
    if _VLLM_SOURCES & read.sources.keys() and sum(read.sources.values()) > 0:
        return counters.vllm_sources(
            read.setting,
            read.sources,
            cached_by_source=read.by_source,
            overall=read.rates.get("overall_cache_hit_rate"),
            counters=read.counters,
            activity=read.activity,
        )
    if read.by_source:
        return counters.sglang(
            read.setting,
            read.prompt,
            read.by_source,
            computed_tokens=read.computed,
            overall=read.rates.get("overall_cache_hit_rate"),
            counters=read.counters,
            activity=read.activity,
        )
    if "prefix_cache_hits" in counts or "external_prefix_cache_hits" in counts:
        # Without sources the collector's overall rate leaves the connector out, so it is not compared.
        return counters.vllm_counters(
            read.setting,
            read.prompt,
            prefix_hits=counts.get("prefix_cache_hits"),
            prefix_queries=counts.get("prefix_cache_queries"),
            external_hits=counts.get("external_prefix_cache_hits"),
            external_queries=counts.get("external_prefix_cache_queries"),
            counters=read.counters,
            activity=read.activity,
        )
    if "frontend_cached_tokens" in counts:
        prompt = counts.get("frontend_input_tokens") or read.prompt
        return counters.frontend(read.setting, prompt, counts["frontend_cached_tokens"], counters=read.counters)
    return _fractions(read)


def _fractions(read: _Read) -> Cache:
    """Rates without counts. SGLang's are shares, and what its overall adds to the tiers is storage or unknown."""
    hbm, host, overall = (read.rates.get(f"{name}_cache_hit_rate") for name in ("gpu", "cpu", "overall"))
    if read.engine == "sglang":
        rest = 0.0 if overall is None else overall - (hbm or 0) - (host or 0)
        return tiers.reported(
            read.setting,
            {"hbm": hbm, "host_dram": host, "unattributed": rest if rest > _ROUNDING else None},
            "SGLang cached / prompt tokens, as a fraction without counts",
            prompt_tokens=read.prompt,
            overall=overall,
            counters=read.counters,
            activity=read.activity,
        )
    external = read.rates.get("external_cache_hit_rate", host)
    return tiers.reported(
        read.setting,
        {"hbm": hbm},
        f"{read.engine or 'engine'} cache hit rate, as a fraction without counts",
        prompt_tokens=read.prompt,
        other_rates=tiers.query_rate(read.setting, external),
        counters=read.counters,
        activity=(*read.activity, external),
        flags=("stale_tier_rate",) if external and read.setting.mode == "off" else (),
    )


def _numbers(block: Fields, names: Iterable[str] | None = None) -> dict[str, float]:
    get, numbers = block.row.get, {}
    for name in block.row if names is None else names:
        # Most counters are null in most rows.
        if get(name) is not None and (value := block.number(name)) is not None:
            numbers[name] = value
    return numbers


def _risen(counts: dict[str, float]) -> dict[str, float]:
    """Counters that did not run backwards, as they do when a process restarts."""
    return {name: value for name, value in counts.items() if value >= 0}
