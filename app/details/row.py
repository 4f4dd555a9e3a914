"""The flat row of a point: what the API lists, exports write and whole documents begin with."""

from collections.abc import Mapping
from typing import Any

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS

Row = Mapping[str, Any]
Document = dict[str, Any]

_FIRST = ("id", "config_id", "recipe_id", "run", "source", "origin")
_OFFLOAD = ("offload_mode", "offload_kind", "offload_tiers", "offload_backend", "offload_label")
_TOLD = ("interactivity_def", "run_label", "run_time", "iteration", "cold", "newest_rank", "attribution")
"""What explains a row's numbers: how its interactivity is defined, which repeat it is, who is to be named."""

_WORDS = tuple(
    dimension.column
    for dimension in DIMENSIONS
    if dimension.column not in (*_FIRST, *_OFFLOAD, *(m.key for m in METRICS))
)
COLUMNS: tuple[str, ...] = (*_FIRST, *_WORDS, *_OFFLOAD, *(metric.key for metric in METRICS), "flags", *_TOLD)
"""Every key of a flat row, in order. Dimension values are keys: the words that filters and links take."""


def api_row(row: Row) -> Document:
    """A stored row as the contract has it, and who is to be named. Numbers are not rounded; the unknown is None."""
    return {name: row[name] for name in COLUMNS}


def unit_of(column: str) -> str:
    """The unit of a column's numbers as a row holds them: shares are fractions. Empty for words and counts."""
    metric = METRICS.get(column)
    if metric is None:
        return ""
    return "fraction of 1" if metric.is_share else metric.unit


def headed(column: str) -> str:
    """A column's header with its unit: `interactivity_p50 (tok/s/user)`."""
    unit = unit_of(column)
    return f"{column} ({unit})" if unit else column


def words_of(column: str) -> dict[str, str]:
    """What a file may say about a column: label, unit, which way is better, definition."""
    metric = METRICS.get(column)
    if metric is None:
        dimension = next((item for item in DIMENSIONS if item.column == column), None)
        return {"label": dimension.label} if dimension else {}
    found = {"label": metric.label, "unit": unit_of(column), "better": metric.better, "definition": metric.text}
    return {key: text for key, text in found.items() if text}
