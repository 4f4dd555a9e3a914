"""How much attention state each memory of a point holds, against HBM and against what its sessions need."""

from collections.abc import Sequence

from app.catalog.metrics import CONCURRENCY, HBM_POOL_TOKENS, INPUT_TOKENS_MEAN
from app.catalog.offload import POOL_BAND, SCOPES, TIERS, WRITE_POLICIES, WritePolicy
from app.catalog.point import Json
from app.catalog.token_bytes import TokenBytes, tokens_in
from app.details.row import Document, Row


def pools_document(row: Row, detail: Json, tokens: TokenBytes | None) -> Document | None:
    """Sizes, ratio to HBM, what the write policy makes of it, and the load. None without KV offload or a pool."""
    offload = detail["offload"]
    listed = offload["tiers"] if "kv" in offload["kinds"] else []
    hbm = next((tier["capacity_tokens"] for tier in listed if tier["medium"] == "hbm"), None) or row[HBM_POOL_TOKENS]
    if not listed and hbm is None:
        return None
    tiers = [_tier(tier, detail["layout"], tokens, hbm) for tier in listed]
    if not listed:
        tiers = [_tier({"medium": "hbm", **_EMPTY}, detail["layout"], None, hbm)]
    ratios = _ratios(tiers, hbm)
    policy = WRITE_POLICIES.get(offload["write_policy"])
    return {
        "hbm_tokens": hbm,
        "tiers": tiers,
        "ratios": ratios,
        "ratio": ratios[-1]["ratio"] if ratios else None,
        "band": list(POOL_BAND),
        "policy": _policy(policy),
        "gain": _gain(tiers, hbm, policy) if ratios and hbm else None,
        "working_set": _working_set(row, hbm, tiers, policy),
        "bytes_per_token": tokens.document() if tokens else None,
    }


_EMPTY: dict[str, Json] = {"capacity_tokens": None, "capacity_bytes": None, "scope": None, "native_label": None}


def _tier(tier: Json, layout: Json, tokens: TokenBytes | None, hbm: float | None) -> Document:
    medium = tier["medium"]
    stated = tier["capacity_tokens"] if medium != "hbm" else (tier["capacity_tokens"] or hbm)
    worked_out = None if stated is not None else tokens_in(tier, layout, tokens)
    return {
        "medium": medium,
        "label": TIERS.label(medium),
        "native_label": tier["native_label"],
        "tokens": stated if stated is not None else worked_out,
        "tokens_estimated": worked_out is not None,
        "bytes": tier["capacity_bytes"],
        "scope": tier["scope"],
        "scope_label": SCOPES.label(tier["scope"]),
        "copies": tokens.copies if tokens else None,
    }


def _ratios(tiers: Sequence[Document], hbm: float | None) -> list[Document]:
    """Each pool below HBM together with those before it, over HBM's."""
    below = [tier for tier in tiers if tier["medium"] != "hbm" and tier["tokens"]]
    if not hbm or not below:
        return []
    return [
        {
            "medium": tier["medium"],
            "label": tier["label"],
            "ratio": sum(other["tokens"] for other in below[: n + 1]) / hbm,
            "estimated": any(other["tokens_estimated"] for other in below[: n + 1]),
        }
        for n, tier in enumerate(below)
    ]


def _policy(policy: WritePolicy | None) -> Document | None:
    if policy is None:
        return None
    inclusion = {True: "inclusive", False: "exclusive", None: "mixed"}[policy.inclusive]
    return {"key": policy.key, "label": policy.label, "text": policy.text, "inclusion": inclusion}


def _kept(tiers: Sequence[Document], hbm: float, *, inclusive: bool) -> float:
    """Distinct tokens in all pools. Inclusive ones repeat what those before them hold, so only the largest counts."""
    below: list[float] = [tier["tokens"] for tier in tiers if tier["medium"] != "hbm" and tier["tokens"]]
    return max(hbm, *below) if inclusive else hbm + sum(below)


def _gain(tiers: Sequence[Document], hbm: float, policy: WritePolicy | None) -> Document:
    """By how many times distinct tokens grow over HBM alone, by both rules, and by the one that holds here."""
    inclusive, exclusive = (_kept(tiers, hbm, inclusive=rule) / hbm for rule in (True, False))
    here = None if policy is None or policy.inclusive is None else inclusive if policy.inclusive else exclusive
    return {"inclusive": inclusive, "exclusive": exclusive, "here": here}


def _working_set(row: Row, hbm: float | None, tiers: Sequence[Document], policy: WritePolicy | None) -> Document | None:
    """Tokens that the sessions hold together, at the mean prompt, over HBM's pool and over all that is kept."""
    sessions, context = row[CONCURRENCY], row[INPUT_TOKENS_MEAN]
    if not sessions or not context:
        return None
    needed = sessions * context
    has_pool = any(tier["tokens"] for tier in tiers if tier["medium"] != "hbm")
    kept = None
    if hbm and has_pool and policy is not None and policy.inclusive is not None:
        kept = _kept(tiers, hbm, inclusive=policy.inclusive)
    return {
        "tokens": needed,
        "sessions": sessions,
        "context": context,
        "over_hbm": needed / hbm if hbm else None,
        "kept": kept,
        "over_kept": needed / kept if kept else None,
    }
