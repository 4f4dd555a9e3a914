"""What each engine's cache counters mean: which tokens they count, which overlap, and over what.

Every engine counts its tiers with another denominator and under other names; each has one function here, from
raw counts to a Cache with all rules applied.
"""

from collections.abc import Iterable, Mapping

from app.catalog.offload import TIERS
from app.catalog.point import Cache, OtherRate, TierShare
from ingest.invariants import SHARE_OF_PROMPT, SLACK, Setting, judged, share_of
from ingest.tiers import (
    BLOCKS,
    CONDITIONAL,
    CONNECTOR,
    LOOKUPS,
    QUERIES,
    Counters,
    chunk_rates,
    medium_of,
    predictions,
    tier_shares,
)

_COMPUTED = ("local_compute", "computed")


def vllm_sources(
    setting: Setting,
    by_source: Counters,
    *,
    cached_by_source: Counters | None = None,
    tier_chunks: Mapping[str, tuple[float, float]] | None = None,
    overall: float | None = None,
    counters: Counters | None = None,
    activity: Iterable[float | None] = (),
) -> Cache:
    """vLLM's prompt_tokens_by_source, whose sources add up to the prompt tokens.

    `cached_by_source` counts at admission, retries included, so it only splits what the connector served.
    """
    prompt = sum(by_source.values())
    computed = next((by_source[name] for name in _COMPUTED if name in by_source), None)
    tokens: dict[str, float] = {}
    for name, amount in by_source.items():
        if name in _COMPUTED:
            continue
        parts = _split(amount, cached_by_source) if name in CONNECTOR else {medium_of(name): amount}
        for medium, part in parts.items():
            found = (setting.connector or medium) if medium == "external" else medium
            tokens[found] = tokens.get(found, 0.0) + part
    return judged(
        setting,
        tier_shares(tokens, prompt, "vLLM prompt_tokens_by_source"),
        prompt_tokens=prompt,
        computed_tokens=computed,
        overall=overall,
        other_rates=chunk_rates(tier_chunks),
        counters={
            **(counters or {}),
            **_prefixed("prompt_tokens_by_source", by_source),
            **_prefixed("cached_tokens_by_source", cached_by_source or {}),
        },
        activity=activity,
    )


def vllm_counters(
    setting: Setting,
    prompt_tokens: float | None,
    *,
    prefix_hits: float | None = None,
    prefix_queries: float | None = None,
    external_hits: float | None = None,
    external_queries: float | None = None,
    tier_chunks: Mapping[str, tuple[float, float]] | None = None,
    overall: float | None = None,
    counters: Counters | None = None,
    activity: Iterable[float | None] = (),
) -> Cache:
    """vLLM's hit counters over prompt tokens, the only form that compares across versions.

    External queries were all prompt tokens once and are the remaining ones now, so hits over queries is kept
    apart as a rate of its own; which of the two it is, is told from the counts and flagged.
    """
    prompt = prompt_tokens if prompt_tokens else None
    flags, other = [], chunk_rates(tier_chunks)
    if external_hits is not None and external_queries:
        meaning = external_queries_flag(prefix_hits, prefix_queries, external_queries)
        flags.append(meaning)
        denominator = {"ext_queries_all_prompt": SHARE_OF_PROMPT, "ext_queries_conditional": CONDITIONAL}
        other += (
            OtherRate(
                name="external hits / external queries",
                value=external_hits / external_queries,
                denominator=denominator.get(meaning, QUERIES),
                provenance="vLLM external_prefix_cache counters",
            ),
        )
    return judged(
        setting,
        [
            *tier_shares({"hbm": prefix_hits}, prompt, "vLLM prefix_cache_hits / prompt_tokens"),
            *tier_shares(
                {setting.connector or "external": external_hits},
                prompt,
                "vLLM external_prefix_cache_hits / prompt_tokens",
            ),
        ],
        prompt_tokens=prompt_tokens,
        overall=overall,
        other_rates=other,
        counters={
            **(counters or {}),
            **_given(
                prefix_cache_hits=prefix_hits,
                prefix_cache_queries=prefix_queries,
                external_prefix_cache_hits=external_hits,
                external_prefix_cache_queries=external_queries,
            ),
        },
        activity=activity,
        flags=flags,
    )


def external_queries_flag(prefix_hits: float | None, prefix_queries: float | None, external_queries: float) -> str:
    """Which tokens vLLM counted as external queries: every prompt token, those HBM missed, or neither."""
    if prefix_queries:
        if abs(external_queries - prefix_queries) <= SLACK * prefix_queries:
            return "ext_queries_all_prompt"
        missed = prefix_queries - (prefix_hits or 0)
        if abs(external_queries - missed) <= SLACK * missed:
            return "ext_queries_conditional"
    return "ext_queries_unexplained"


def sglang(
    setting: Setting,
    prompt_tokens: float | None,
    by_source: Counters,
    *,
    computed_tokens: float | None = None,
    overall: float | None = None,
    counters: Counters | None = None,
    activity: Iterable[float | None] = (),
) -> Cache:
    """SGLang's cached_tokens by cache_source. `total` is what a request without a breakdown adds: tier unknown."""
    tokens: dict[str, float] = {}
    for name, amount in by_source.items():
        medium = medium_of(name)
        tokens[medium] = tokens.get(medium, 0.0) + amount
    return judged(
        setting,
        tier_shares(tokens, prompt_tokens, "SGLang cached_tokens by source / prompt_tokens"),
        prompt_tokens=prompt_tokens,
        computed_tokens=computed_tokens,
        overall=overall,
        counters={**(counters or {}), **_prefixed("cached_tokens_by_source", by_source)},
        activity=activity,
    )


def atom(
    setting: Setting,
    full_tokens: float | None,
    cached_tokens: float | None,
    loaded_tokens: float | None,
    *,
    counters: Counters | None = None,
    activity: Iterable[float | None] = (),
) -> Cache:
    """ATOM's admitted tokens. `cached` already holds what LMCache loaded, so the two are told apart by subtraction."""
    hbm = None if cached_tokens is None else cached_tokens - (loaded_tokens or 0)
    return judged(
        setting,
        [
            *tier_shares({"hbm": hbm}, full_tokens, "ATOM (cached - loaded) / full tokens"),
            *tier_shares(
                {setting.connector or "host_dram": loaded_tokens}, full_tokens, "ATOM lmcache_loaded / full tokens"
            ),
        ],
        prompt_tokens=full_tokens,
        overall=share_of(cached_tokens, full_tokens),
        counters={
            **(counters or {}),
            **_given(cached_tokens=cached_tokens, loaded_tokens=loaded_tokens, full_tokens=full_tokens),
        },
        activity=activity,
    )


def trtllm(
    setting: Setting,
    prompt_tokens: float | None = None,
    cached_tokens: float | None = None,
    *,
    reused_blocks: float | None = None,
    missed_blocks: float | None = None,
    hit_rate: float | None = None,
    counters: Counters | None = None,
    activity: Iterable[float | None] = (),
) -> Cache:
    """TensorRT-LLM's one rate over HBM and host memory together. Tokens are preferred; blocks keep their own name."""
    counted = share_of(reused_blocks, (reused_blocks or 0) + (missed_blocks or 0))
    blocks = counted if counted is not None else hit_rate
    source = "TensorRT-LLM reused / (reused + missed) blocks"
    source = source if counted is not None else "TensorRT-LLM kv_cache_hit_rate, gauge_mean"
    flags: tuple[str, ...] = ()
    other: tuple[OtherRate, ...] = ()
    tiers = list(
        tier_shares({"unattributed": cached_tokens}, prompt_tokens, "TensorRT-LLM prompt_cached_tokens / prompt_tokens")
    )
    if blocks is not None and any(tier.share is not None for tier in tiers):
        other = (OtherRate(name="block hit rate", value=blocks, denominator=BLOCKS, provenance=source),)
    elif blocks is not None:
        tiers = [TierShare(medium="unattributed", share=blocks, denominator=BLOCKS, provenance=source)]
        flags = () if counted is not None else ("gauge_mean",)
    return judged(
        setting,
        tiers,
        prompt_tokens=prompt_tokens,
        other_rates=other,
        counters={
            **(counters or {}),
            **_given(prompt_cached_tokens=cached_tokens, reused_blocks=reused_blocks, missed_blocks=missed_blocks),
        },
        activity=activity,
        flags=("combined_rate", *flags) if tiers else (),
    )


def mooncake(setting: Setting, hits: Counters, objects: float | None, gets: float | None = None) -> Cache:
    """Mooncake's master counts hits over objects that lie in it now, which is no rate: the counts alone are kept.

    Over all gets, the same hits are a rate per object looked up.
    """
    rates = tuple(
        OtherRate(
            name=f"{TIERS.label(medium_of(name))} hits / gets",
            value=amount / gets,
            denominator=LOOKUPS,
            provenance="Mooncake hits / total_get, objects",
        )
        for name, amount in hits.items()
        if gets
    )
    counters = {**_prefixed("hits", hits), **_given(objects=objects, total_get=gets)}
    return judged(setting, (), other_rates=rates, counters=counters, flags=("hits_per_object",))


def frontend(
    setting: Setting,
    prompt_tokens: float | None,
    cached_tokens: float | None,
    *,
    rates: Counters | None = None,
    counters: Counters | None = None,
) -> Cache:
    """Dynamo's frontend, where workers report nothing: cached tokens of any tier, and what the router predicted."""
    return judged(
        setting,
        tier_shares({"unattributed": cached_tokens}, prompt_tokens, "Dynamo frontend cached / input tokens"),
        prompt_tokens=prompt_tokens,
        other_rates=predictions(rates or {}),
        counters={
            **(counters or {}),
            **_given(frontend_cached_tokens=cached_tokens, frontend_input_tokens=prompt_tokens),
        },
        flags=() if cached_tokens is None else ("combined_rate",),
    )


def _split(amount: float, cached_by_source: Counters | None) -> dict[str, float]:
    """Tokens of a connector, spread over the media it read them from in the proportion these counts give."""
    parts: dict[str, float] = {}
    for name, tokens in (cached_by_source or {}).items():
        medium = medium_of(name)
        if medium != "hbm" and tokens > 0:
            parts[medium] = parts.get(medium, 0.0) + tokens
    total = sum(parts.values())
    return {medium: amount * part / total for medium, part in parts.items()} if total else {"external": amount}


def _prefixed(prefix: str, counts: Counters) -> dict[str, float]:
    return {f"{prefix}.{name}": value for name, value in counts.items()}


def _given(**counts: float | None) -> dict[str, float]:
    return {name: value for name, value in counts.items() if value is not None}
