"""From tokens per memory to shares of all prompt tokens, and the names of the denominators that are something else.

Only tokens over all prompt tokens are charted. A rate over anything else keeps the name of its denominator and
stands beside the shares; a rate that several tiers have in common stays whole and unattributed.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from app.catalog.metrics import CACHED_SHARE, CEILING_SHARE, COMPUTED_SHARE
from app.catalog.offload import TIERS
from app.catalog.point import Cache, OtherRate, TierShare
from ingest.invariants import SHARE_OF_PROMPT, Setting, judged, share_of

CONDITIONAL: Final = "conditional_on_miss"
LOOKUPS: Final = "conditional_on_lookup"
BLOCKS: Final = "blocks_reused"
QUERIES: Final = "hits_per_query"
PREDICTED: Final = "router_prediction"

CONNECTOR: Final = ("external_kv_transfer", "external", "external_unspecified")
"""Names that engines give to whatever stands behind a KV connector."""
_SOURCES = {"p2p": "remote_dram", "mixed": "unattributed"}

Counters = Mapping[str, float]


def share_metrics(cache: Cache) -> dict[str, float]:
    """The shares of a Cache as metrics. Tiers of one metric add up; what a contradiction taints is not derived."""
    shares: dict[str, float] = {}
    for tier in cache.tiers:
        if tier.share is not None and tier.denominator == SHARE_OF_PROMPT:
            key = TIERS[tier.medium].share_metric
            shares[key] = shares.get(key, 0.0) + tier.share
    if "sum_gt_1" not in cache.flags:
        for key, value in ((CACHED_SHARE, cache.cached_share), (COMPUTED_SHARE, cache.computed_share)):
            if value is not None:
                shares[key] = value
    if cache.ceiling_share is not None:
        shares[CEILING_SHARE] = cache.ceiling_share
    return shares


def medium_of(source: str) -> str:
    """The medium behind a source's name in an engine's counter; unattributed where the name does not tell."""
    name = source.strip().lower()
    if name in CONNECTOR:
        return "external"
    if name in _SOURCES:
        return _SOURCES[name]
    term = TIERS.resolve(name)
    return term.key if term else "unattributed"


def tier_shares(
    tokens: Mapping[str, float | None], prompt_tokens: float | None, provenance: str
) -> Iterable[TierShare]:
    return [
        TierShare(medium=medium, share=share_of(amount, prompt_tokens), tokens=round(amount), provenance=provenance)
        for medium, amount in tokens.items()
        if amount is not None
    ]


def reported(
    setting: Setting,
    shares: Mapping[str, float | None],
    provenance: str,
    *,
    prompt_tokens: float | None = None,
    overall: float | None = None,
    other_rates: tuple[OtherRate, ...] = (),
    counters: Counters | None = None,
    activity: Iterable[float | None] = (),
    flags: tuple[str, ...] = (),
) -> Cache:
    """Shares of all prompt tokens that a record gives as fractions, without the counts behind them."""
    return judged(
        setting,
        [TierShare(medium=medium, share=share, provenance=provenance) for medium, share in shares.items()],
        prompt_tokens=prompt_tokens,
        overall=overall,
        other_rates=other_rates,
        counters=counters,
        activity=activity,
        flags=flags,
    )


def query_rate(setting: Setting, rate: float | None) -> tuple[OtherRate, ...]:
    """A connector's hits over its queries, given as a fraction: whose tokens the queries were is not known.

    With offload off it is left over from a recipe before, and only its raw value is kept.
    """
    if rate is None or setting.mode == "off":
        return ()
    source = "vLLM external_prefix_cache hits / queries, as a fraction without counts"
    return (OtherRate(name="external", value=rate, denominator=QUERIES, provenance=source),)


def chunk_rates(tier_chunks: Mapping[str, tuple[float, float]] | None) -> tuple[OtherRate, ...]:
    """Hits over queries of tiers behind host memory, in chunks: over what the tiers before them missed."""
    return tuple(
        OtherRate(
            name=f"{name} chunk hits / queries",
            value=hits / queries,
            denominator=CONDITIONAL,
            provenance="vLLM kv_offload_tiering counters, chunks per KV group",
        )
        for name, (hits, queries) in (tier_chunks or {}).items()
        if queries
    )


def lookup_rate(requested_tokens: float | None, hit_tokens: float | None, provenance: str) -> tuple[OtherRate, ...]:
    """LMCache's own rate, over the tokens it was asked for: some lie in HBM already, short prompts are left out."""
    if hit_tokens is None or not requested_tokens:
        return ()
    rate = hit_tokens / requested_tokens
    return (OtherRate(name="lookup hit rate", value=rate, denominator=LOOKUPS, provenance=provenance),)


def predictions(rates: Counters) -> tuple[OtherRate, ...]:
    """What a router expected to hit, per request: never what an engine delivered."""
    return tuple(
        OtherRate(name=name, value=value, denominator=PREDICTED, provenance="Dynamo router")
        for name, value in rates.items()
    )


def from_conditional(rates: Iterable[float]) -> list[float]:
    """Shares of all prompt tokens from rates that are each over what the tiers before it missed, fastest first."""
    shares, missed = [], 1.0
    for rate in rates:
        shares.append(missed * rate)
        missed *= 1 - rate
    return shares
