"""Documents of a point's parts, each key with its label: offload, cache, layout, flags, metrics, dimensions."""

from collections.abc import Iterable
from typing import Any

from app.catalog.dimensions import DIMENSIONS
from app.catalog.flags import flag_of
from app.catalog.metrics import METRICS
from app.catalog.offload import (
    ACCESS_PATHS,
    BACKENDS,
    EVIDENCE,
    GDS_STATES,
    KINDS,
    PAGE_CACHE_STATES,
    SCOPES,
    TIERS,
    USES,
    WRITE_POLICIES,
)
from app.catalog.point import Json
from app.details.row import Document, Row

_STATES = {
    "evidence": EVIDENCE,
    "use": USES,
    "gds": GDS_STATES,
    "page_cache": PAGE_CACHE_STATES,
    "access_path": ACCESS_PATHS,
    "write_policy": WRITE_POLICIES,
}


def offload_document(label: str, stored: Json) -> Document:
    """Offload as it was decided once. `labels` says in words what the other keys say by key."""
    return {
        "mode": stored["mode"],
        "kinds": list(stored["kinds"]),
        "use": stored["use"],
        "label": label,
        "backend": {
            "key": stored["backend"],
            "label": BACKENDS.label(stored["backend"]),
            "version": stored["backend_version"],
            "raw": stored["backend_raw"],
        },
        "tiers": [
            {**tier, "label": TIERS.label(tier["medium"]), "scope_label": SCOPES.label(tier["scope"])}
            for tier in stored["tiers"]
        ],
        **{name: stored[name] for name in ("evidence", "gds", "page_cache", "access_path", "write_policy")},
        "parameter": stored["parameter"],
        "labels": {
            "kinds": [KINDS.label(kind) for kind in stored["kinds"]],
            **{name: vocabulary.label(stored[name]) for name, vocabulary in _STATES.items()},
        },
    }


def cache_document(stored: Json) -> Document:
    """Where the prompt tokens came from, tier by tier. No tier listed: not reported; a share of 0: measured."""
    return {
        **stored,
        "tiers": [{**tier, "label": TIERS.label(tier["medium"])} for tier in stored["tiers"]],
        "flags": flag_documents(stored["flags"]),
    }


def layout_document(label: str | None, stored: Json) -> Document:
    """How the chips are arranged, by role; a role is None where the record describes no such chips."""
    chip = DIMENSIONS["chip"]
    roles = {
        name: {**stored[name], "chip_label": chip.label_of(stored[name]["chip"]) if stored[name]["chip"] else None}
        if stored[name]
        else None
        for name in ("whole", "prefill", "decode")
    }
    return {"label": label, **roles, "disaggregated": stored["disaggregated"], "multinode": stored["multinode"]}


def flag_documents(keys: Iterable[str]) -> list[Document]:
    flags = (flag_of(key) for key in dict.fromkeys(keys))
    return [{"key": flag.key, "label": flag.label, "severity": flag.severity, "text": flag.text} for flag in flags]


def metric_documents(row: Row) -> list[Document]:
    """Every metric there is, with its unit and definition; its value is None where the record does not say."""
    return [
        {
            "key": metric.key,
            "value": row[metric.key],
            "unit": metric.unit,
            "label": metric.label,
            "digits": metric.digits,
            "better": metric.better,
            "group": metric.group,
            "made": metric.made,
            "definition": metric.text,
            "formula": metric.formula,
        }
        for metric in METRICS
    ]


def dimension_documents(row: Row) -> list[Document]:
    """Every dimension with the label of its value, or of each value where it has several."""
    return [
        {"key": d.key, "label": d.label, "value": row[d.column], "text": _texts(d.label_of, row[d.column])}
        for d in DIMENSIONS
    ]


def _texts(label_of: Any, value: Any) -> Any:
    if isinstance(value, list):
        return [label_of(item) for item in value]
    return label_of(None if value is None else filter_word(value))


def filter_word(value: Any) -> str:
    """A stored value as the word that a filter takes for it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def recipe_words(row: Row) -> str:
    """`Kimi-K2.5 in FP4 on 8 × B200 (TP8), vLLM 0.14.1, MTP`: the recipe as one reads it out."""
    words = DIMENSIONS["model"].label_of(row["model"]) if row["model"] else "A model not reported"
    if row["precision"]:
        words += f" in {DIMENSIONS['precision'].label_of(row['precision'])}"
    chip = DIMENSIONS["chip"].label_of(row["chip"]) if row["chip"] else "chips not reported"
    words += f" on {row['chip_count']} × {chip}" if row["chip_count"] else f" on {chip}"
    if row["layout"]:
        words += f" ({row['layout']})"
    engine = DIMENSIONS["engine"].label_of(row["engine"]) if row["engine"] else "engine not reported"
    parts = [words, f"{engine} {row['engine_version']}" if row["engine_version"] else engine]
    parts += [DIMENSIONS[key].label_of(row[key]) for key in ("orchestrator", "spec") if row[key] not in (None, "none")]
    return ", ".join(parts)
