"""What a point's tokens weigh against the bytes that it states: the cross-checks that need the model's geometry.

They are made when a point is finished, since model, layout and sizes may be said by a sidecar or a name.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from app.catalog.metrics import HBM_POOL_TOKENS
from app.catalog.offload import SHARE_OF_PROMPT, WRITE_POLICIES, Offload, Tier
from app.catalog.point import Cache, Layout
from app.catalog.token_bytes import TokenBytes, token_bytes_of, tokens_in
from app.catalog.transfers import CONNECTOR, counter_of
from ingest.invariants import ON_CHIP, bytes_mismatch, capacity_mismatch, mirror_tier

SERVER_BYTES = 8 * 10**12
"""No server that we know of has more host memory: what is said to be larger is that of several, or a slip."""
_HOST = "host_dram"
_HALF = 0.5
"""Where the format of the cache is not stated it may be half as wide as the usual one."""


def contradictions(
    model: str | None,
    offload: Offload,
    layout: Layout,
    cache: Cache,
    facts: Mapping[str, Any],
    metrics: Mapping[str, float],
) -> tuple[str, ...]:
    """Flags for what cannot be so together; none for a point without KV offload."""
    if offload.mode != "on" or "kv" not in offload.kinds:
        return ()
    loaded = _loaded(offload, cache)
    if loaded is None and not any(tier.capacity_bytes or tier.capacity_tokens for tier in offload.tiers):
        return ()
    shape = asdict(layout)
    weight = token_bytes_of({"model": model}, {"facts": facts, "layout": shape})
    return tuple(dict.fromkeys(_found(offload, cache, shape, weight, loaded, metrics.get(HBM_POOL_TOKENS))))


def _found(
    offload: Offload,
    cache: Cache,
    layout: Mapping[str, Any],
    weight: TokenBytes | None,
    loaded: float | None,
    pool: float | None,
) -> Iterator[str]:
    if weight is not None and _disagree(cache, weight, loaded):
        yield "bytes_mismatch"
    policy = WRITE_POLICIES.get(offload.write_policy)
    hbm = next((tier.capacity_tokens for tier in offload.tiers if tier.medium == "hbm"), None) or pool
    for tier in offload.tiers:
        if tier.medium == "hbm":
            continue
        if weight is not None and _overfull(tier, weight):
            yield "capacity_mismatch"
        tokens = tier.capacity_tokens or tokens_in(asdict(tier), layout, weight)
        if mirror_tier(tokens, hbm, inclusive=policy is not None and policy.inclusive is True):
            yield "mirror_tier"
        if tier.medium == _HOST and _on_a_server(tier, layout, weight) > SERVER_BYTES:
            yield "over_budget"


def _loaded(offload: Offload, cache: Cache) -> float | None:
    """Bytes that came up from below HBM. What lies behind host memory passes through it, so only the nearest counts."""
    below = [tier.medium for tier in offload.tiers if tier.medium != "hbm"]
    found: dict[str, float] = {}
    for name, value in cache.counters.items():
        counter = counter_of(name)
        if counter is not None and counter.way == "load" and counter.quantity == "bytes" and value > 0:
            medium = below[0] if counter.medium == CONNECTOR and len(below) == 1 else counter.medium
            found[medium] = found.get(medium, 0.0) + value
    return next((found[medium] for medium in (*below, *found) if medium in found), None)


def _disagree(cache: Cache, weight: TokenBytes, loaded: float | None) -> bool:
    """Whether the bytes are those of the tokens for no number of copies, and no width that may be meant."""
    if "external_includes_pd" in cache.flags or weight.hybrid:
        return False
    tokens = sum(
        tier.tokens or 0 for tier in cache.tiers if tier.medium not in ON_CHIP and tier.denominator == SHARE_OF_PROMPT
    )
    widths = (1.0,) if weight.stated else (1.0, _HALF)
    return all(
        bytes_mismatch(loaded, tokens, weight.value * width, copies)
        for width in widths
        for copies in {1.0, weight.copies}
    )


def _overfull(tier: Tier, weight: TokenBytes) -> bool:
    """Whether it is said to hold more tokens than its bytes have room for, were each held only once."""
    if weight.hybrid or tier.scope not in ("per_node", "cluster"):
        return False
    return capacity_mismatch(
        tier.capacity_tokens, tier.capacity_bytes, weight.value * (1.0 if weight.stated else _HALF)
    )


def _on_a_server(tier: Tier, layout: Mapping[str, Any], weight: TokenBytes | None) -> float:
    """Bytes of a tier on one server; 0 where it is not known how many share it."""
    if tier.scope == "per_node" or (tier.scope == "cluster" and layout["multinode"] is False):
        return tier.capacity_bytes or 0
    if tier.scope in ("per_rank", "per_process") and weight is not None and not layout["disaggregated"]:
        return (tier.capacity_bytes or 0) * min(weight.ranks, 8)
    return 0
