"""The offload of a point in words: what it is, how that is known, how it works, and its parameter table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.catalog.offload import (
    ACCESS_PATHS,
    EVIDENCE,
    GDS_STATES,
    PAGE_CACHE_STATES,
    TIERS,
    USES,
    WRITE_POLICIES,
)
from app.catalog.point import Json
from app.web.blocks.numbers import Scaled, byte_text, count_scale, number, percent, significant
from app.web.blocks.pools import Ratio, ratio_of
from app.web.blocks.shares import Bar, Words, bar_of, sentence_of
from app.web.blocks.tiers import Other, TierRow, other_rates, tier_rows

Document = Mapping[str, Json]
Pair = tuple[str, str | None]
"""A fact and what is known of it."""

_TABLE = ("table", "medium", "rows", "row_bytes", "table_bytes", "access_path", "page_cache", "dedupe", "prefetch")
"""What one wants to know of every parameter table, in this order; the rest follows as it was given."""
_TITLES = {"gds": "GPUDirect Storage", "effective_bps": "Effective rate", "rowid_copy": "Row id copy"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OffloadBlock:
    """`rows` are the tiers, `others` rates that are no shares, `policy` how KV offload works here."""

    label: str
    mode: str
    evidence: str
    prompt_tokens: float | None
    bar: Bar | None
    sentence: Words
    rows: tuple[TierRow, ...]
    tokens_scale: Scaled
    pool_scale: Scaled
    others: tuple[Other, ...]
    ratio: Ratio | None
    policy: tuple[Pair, ...]
    parameter: tuple[Pair, ...] | None


def offload_block(offload: Document, cache: Document, hbm_pool: float | None, flags: Sequence[str]) -> OffloadBlock:
    """`hbm_pool` are the tokens that HBM holds, which records often state apart from the tiers."""
    kinds = tuple(offload["kinds"])
    rows = tier_rows(offload, cache, hbm_pool)
    return OffloadBlock(
        label=offload["label"],
        mode=offload["mode"],
        evidence=evidence_words(offload, flags),
        prompt_tokens=cache["prompt_tokens"],
        bar=bar_of(cache, flags),
        sentence=sentence_of(cache, flags),
        rows=rows,
        tokens_scale=count_scale(row.tokens for row in rows),
        pool_scale=count_scale(row.pool_tokens for row in rows),
        others=other_rates(cache),
        ratio=ratio_of(offload, hbm_pool) if "kv" in kinds else None,
        policy=_policy(offload, kinds),
        parameter=_parameter(offload) if "parameter" in kinds or offload.get("parameter") else None,
    )


def evidence_words(offload: Document, flags: Sequence[str]) -> str:
    """How it is known, and whether anything in the record says otherwise."""
    if offload["mode"] == "unknown":
        return "Nothing in the record says whether anything was offloaded."
    key = offload.get("evidence")
    if key is None:
        return "This benchmark has no offload, and the record names none."
    known = EVIDENCE.label(key) or key
    return f"{known}; another place of the record disagrees." if "mode_contradiction" in flags else f"{known}."


def _policy(offload: Document, kinds: Sequence[str]) -> tuple[Pair, ...]:
    if offload["mode"] != "on":
        return ()
    pairs: list[Pair] = [("Backend", _backend(offload.get("backend")))]
    if offload.get("use"):
        pairs.append(("Used for", USES.label(offload["use"])))
    if "kv" in kinds:
        pairs.append(("Write policy", WRITE_POLICIES.label(offload.get("write_policy"))))
        pairs.append(("Access path", ACCESS_PATHS.label(offload.get("access_path"))))
        flash = any(TIERS[tier["medium"]].flash for tier in offload["tiers"] if tier["medium"] in TIERS)
        if not flash and (offload.get("gds") or offload.get("page_cache")):  # a tier on flash has a part of its own
            pairs.append(("GPUDirect Storage", GDS_STATES.label(offload.get("gds"))))
            pairs.append(("Page cache", PAGE_CACHE_STATES.label(offload.get("page_cache"))))
    if "parameter" not in kinds:
        pairs.append(("Parameter offload", "none"))
    return tuple(pairs)


def _backend(backend: Document | None) -> str | None:
    """Its name and version, and how the file spelled it where that is another word."""
    if not backend or not (backend.get("key") or backend.get("raw")):
        return None
    name = backend.get("label") or backend.get("key") or backend.get("raw")
    if backend.get("version"):
        name = f"{name} {backend['version']}"
    raw = backend.get("raw")
    return f"{name}, spelled “{raw}”" if raw and raw != backend.get("label") else str(name)


def _parameter(offload: Document) -> tuple[Pair, ...]:
    given: Mapping[str, Json] = offload.get("parameter") or {}
    names = [*_TABLE, *(name for name in given if name not in _TABLE)]
    return tuple((_title(name), _fact(name, given.get(name))) for name in names)


def _title(name: str) -> str:
    words = name.removesuffix("_bytes") + " size" if name.endswith("_bytes") else name
    return _TITLES.get(name, words.replace("_", " ").capitalize().replace("hbm", "HBM"))


def _fact(name: str, value: Json) -> str | None:
    if value is None or value == "":
        return None
    if name == "medium":
        return TIERS.label(str(value))
    words = {"access_path": ACCESS_PATHS, "gds": GDS_STATES, "page_cache": PAGE_CACHE_STATES}.get(name)
    if words is not None:
        return words.label(str(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _quantity(name, value)
    return str(value)


def _quantity(name: str, value: float) -> str:
    if name.endswith("_bps"):
        return f"{byte_text(value)}/s"
    if "bytes" in name:
        return byte_text(value)
    if name.endswith(("_rate", "_fraction")):
        return percent(value)
    return number(value, 0) if float(value).is_integer() else significant(value)
