"""Why prompt tokens were computed: never seen before, lost by the cache, or lost with recurrent state."""

from app.catalog.metrics import CACHED_SHARE, CEILING_SHARE
from app.catalog.offload import SHARE_OF_PROMPT
from app.catalog.point import Json
from app.details.row import Document

_PREDICTION = "router_prediction"
_ATOM = ("atom:prefix_cache_wanted_tokens", "atom:prefix_cache_cached_tokens", "atom:prefix_cache_full_tokens")


def misses_document(cache: Json) -> Document:
    """Cached, compulsory and lost shares, which add up to the whole prompt; `reason` says why there are none."""
    ceiling, cached = cache[CEILING_SHARE], cache[CACHED_SHARE]
    reason = _reason(cache, ceiling, cached)
    parts = [] if reason or ceiling is None or cached is None else _parts(cache, ceiling, cached)
    return {
        "ceiling": ceiling,
        "cached": cached,
        "achieved": cached / ceiling if not reason and cached is not None and ceiling else None,
        "above_ceiling": not reason and cached is not None and ceiling is not None and cached > ceiling,
        "parts": parts,
        "prediction": _prediction(cache, cached),
        "reason": reason,
    }


def _reason(cache: Json, ceiling: float | None, cached: float | None) -> str:
    flags = cache["flags"]
    if "sum_gt_1" in flags:
        return "The tiers add up to more than the prompt, so what was missed cannot be told."
    if cached is None:
        return "What caches served is not reported."
    if "offload_tier_unreported" in flags:
        return "What slower memory served is not reported, so part of the rest may be hits."
    if "external_includes_pd" in flags:
        return "The external part may be transfers from prefill, which are no hits, so what was missed cannot be told."
    if ceiling is None:
        return "The record has no ceiling, so what could not be reused is not told from what was lost."
    return ""


def _parts(cache: Json, ceiling: float, cached: float) -> list[Document]:
    compulsory, lost = 1 - max(ceiling, cached), max(0.0, ceiling - cached)
    state = _state(cache["counters"])
    parts = [
        _part("cached", "From a cache", cached, "cached share", "Tokens that some tier served."),
        _part(
            "compulsory",
            "Never seen before",
            compulsory,
            "1 − ceiling" if cached <= ceiling else "1 − cached share",
            "New in this session: a cache of any size misses them.",
        ),
    ]
    if state is None:
        text = (
            "Dropped for want of room, not admitted, or looked for in another replica: the record does not say which."
        )
        return [*parts, _part("lost", "Lost: capacity, policy, routing or state", lost, "ceiling − cached share", text)]
    state = min(state, lost)
    return [
        *parts,
        _part(
            "state",
            "Lost with recurrent state",
            state,
            "(wanted − cached) / full tokens",
            "Attention state was there; the checkpoint of the recurrent layers was not, which voids the hit.",
        ),
        _part(
            "lost",
            "Lost: capacity, policy or routing",
            lost - state,
            "ceiling − cached share − state",
            "Dropped for want of room, not admitted, or looked for in another replica.",
        ),
    ]


def _part(key: str, label: str, share: float, formula: str, text: str) -> Document:
    return {"key": key, "label": label, "share": share, "formula": formula, "text": text}


def _state(counters: Json) -> float | None:
    """ATOM's tokens that prefixes matched and checkpoints voided, over all prompt tokens."""
    wanted, cached, full = (counters.get(name) for name in _ATOM)
    return (wanted - cached) / full if wanted is not None and cached is not None and full else None


def _prediction(cache: Json, cached: float | None) -> Document | None:
    """What a router expected: a mean over requests, so that it is set beside the shares and never among them."""
    rates = [rate for rate in cache["other_rates"] if rate["denominator"] == _PREDICTION and rate["value"] <= 1]
    if not rates:
        return None
    rate = rates[0]
    return {
        "name": rate["name"],
        "value": rate["value"],
        "denominator": _PREDICTION,
        "delivered": cached,
        "delivered_denominator": SHARE_OF_PROMPT,
    }
