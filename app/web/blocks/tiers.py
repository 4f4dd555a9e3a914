"""The table of tiers: not reported, measured zero and no such tier are three things; other rates stand apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.catalog.metrics import COMPUTED_SHARE
from app.catalog.offload import DENOMINATORS, SCOPES, SHARE_OF_PROMPT, TIERS
from app.catalog.point import Json
from app.web.blocks.shares import RECOMPUTED, is_share, tier_label

Document = Mapping[str, Json]
State = Literal["reported", "unreported", "absent", "apart", "weights"]

ALWAYS = ("hbm", "host_dram", "local_nvme")
"""Rows that every table has, so that a tier that is not there is seen not to be there."""
REMOTE = "remote"
VAGUE = ("external", "unattributed")
_WORDS = {
    "absent": "no such tier in this config",
    "weights": "no KV cache there",
    "apart": "not told apart: the record names no memory behind its connector",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TierRow:
    tier: str
    label: str
    state: State
    share: float | None = None
    tokens: float | None = None
    pool_tokens: float | None = None
    pool_bytes: float | None = None
    scope: str | None = None
    denominator: str | None = None
    counted_by: str | None = None
    has_pool: bool = True

    @property
    def words(self) -> str:
        """What stands in place of figures where the config has no such tier."""
        return _WORDS.get(self.state, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """A rate with a denominator of its own. `is_rate` unless it exceeds 1, as hits per object can."""

    name: str
    value: float
    denominator: str
    provenance: str
    is_rate: bool


def tier_rows(offload: Document, cache: Document, hbm_pool: float | None) -> tuple[TierRow, ...]:
    """HBM, DRAM, NVMe and remote always, the vague ones where they occur, and what was recomputed."""
    seen = {tier["medium"]: tier for tier in cache["tiers"]}
    pools = {tier["medium"]: tier for tier in offload["tiers"]} if "kv" in offload["kinds"] else {}
    media = [medium.key for medium in TIERS]
    shown = [key for key in media if key in ALWAYS or key in seen or key in pools]
    shown += sorted(key for key in {*seen, *pools} if key not in media)
    if not any(_is_remote(key) for key in shown):
        shown.insert(next((n for n, key in enumerate(shown) if key in VAGUE), len(shown)), REMOTE)
    vague = any(key in pools for key in VAGUE) or (len(pools) < 2 and any(key in seen for key in VAGUE))
    rows = [
        _row(key, seen.get(key), pools.get(key), hbm_pool if key == "hbm" else None)
        if key in seen or key in pools or key == "hbm"
        else _missing(key, offload, vague)
        for key in shown
    ]
    return (*rows, _recomputed(cache))


def other_rates(cache: Document) -> tuple[Other, ...]:
    listed = [(rate["name"], rate["value"], rate) for rate in cache.get("other_rates", ())]
    listed += [
        (f"{tier_label(tier['medium'])} rate", tier["share"], tier)
        for tier in cache["tiers"]
        if tier["share"] is not None and not is_share(tier)
    ]
    return tuple(
        Other(
            name=name,
            value=value,
            denominator=DENOMINATORS.label(rate["denominator"]) or rate["denominator"],
            provenance=rate.get("provenance") or "",
            is_rate=value <= 1,
        )
        for name, value, rate in listed
    )


def _is_remote(key: str) -> bool:
    return key in TIERS and TIERS[key].share_metric == TIERS["object"].share_metric


def _row(key: str, seen: Document | None, pool: Document | None, hbm_pool: float | None) -> TierRow:
    tokens = pool["capacity_tokens"] if pool else None
    share = seen["share"] if seen and is_share(seen) else None
    return TierRow(
        tier=key,
        label=tier_label(key),
        state="unreported" if share is None else "reported",
        share=share,
        tokens=seen["tokens"] if seen else None,
        pool_tokens=tokens if tokens is not None else hbm_pool,
        pool_bytes=pool["capacity_bytes"] if pool else None,
        scope=SCOPES.label(pool["scope"]) if pool else None,
        denominator=DENOMINATORS.label(seen["denominator"]) if seen else None,
        counted_by=(seen["provenance"] or None) if seen else None,
        has_pool=key != "unattributed",
    )


def _missing(key: str, offload: Document, vague: bool) -> TierRow:
    """A tier that neither the recipe nor the counters name: absent, unless the record is too vague to say so."""
    state: State = "apart" if vague else "absent"
    if offload["mode"] == "unknown":
        state = "unreported"
    elif offload["kinds"] and "kv" not in offload["kinds"]:
        state = "weights"
    return TierRow(tier=key, label="Remote" if key == REMOTE else tier_label(key), state=state)


def _recomputed(cache: Document) -> TierRow:
    share, prompt = cache[COMPUTED_SHARE], cache["prompt_tokens"]
    known = share is not None
    return TierRow(
        tier=RECOMPUTED,
        label=RECOMPUTED.capitalize(),
        state="reported" if known else "unreported",
        share=share,
        tokens=share * prompt if known and prompt else None,
        denominator=DENOMINATORS.label(SHARE_OF_PROMPT) if known else None,
        counted_by="what no tier served" if known else None,
        has_pool=False,
    )
