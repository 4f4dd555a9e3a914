"""The flat row and what every other shape stands on."""

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS
from app.details.row import COLUMNS
from app.store.schema import POINT_COLUMNS

Free = dict[str, Any]
"""An object whose keys are a file's own."""

_TYPES: dict[str, Any] = {
    "INTEGER": int,
    "VARCHAR": str,
    "DOUBLE": float,
    "BOOLEAN": bool,
    "VARCHAR[]": list[str],
}
_WORDS = {
    "id": "Address of the point: it stays when its numbers are corrected.",
    "config_id": "Recipe and offload. Points of one config differ in load, workload or run.",
    "recipe_id": "Recipe without offload. Two configs of one recipe are twins.",
    "offload_mode": "on, off or unknown. Decided once, from the evidence that the whole point names.",
    "offload_kind": "kv, parameter, kv+parameter or null. `kv` is what a halo marks.",
    "offload_tiers": "Media from the fastest down.",
    "offload_label": "The offload in words.",
    "flags": "Named doubts about the numbers; /api/v1/vocabulary holds their texts.",
    "interactivity_def": "What interactivity was computed from. Two definitions do not compare.",
    "attribution": "Who is to be named wherever the point is shown, where its publisher asks for it.",
    "newest_rank": "1 for the repeat that is shown by default.",
    "run_time": "As the file has it; without an offset its zone is unknown.",
}


_ALWAYS = frozenset(
    {
        *("id", "config_id", "recipe_id", "run", "run_label", "source", "origin"),
        *("offload_mode", "offload_label", "newest_rank", "cold"),
    }
)
"""Columns that no row lacks."""


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _told(name: str) -> str:
    metric = METRICS.get(name)
    if metric is not None:
        unit = "fraction of 1" if metric.is_share else metric.unit
        return f"{metric.label}, {unit}. {metric.text}"
    dimension = next((item for item in DIMENSIONS if item.column == name), None)
    return _WORDS.get(name) or (dimension.label if dimension else "")


def _type(name: str) -> Any:
    kind = _TYPES[_SQL[name]]
    return kind if name in _ALWAYS or kind == list[str] else kind | None


_SQL = {"attribution": "VARCHAR", **{column.name: column.type for column in POINT_COLUMNS}}
FIELDS: dict[str, Any] = {name: (_type(name), Field(description=_told(name))) for name in COLUMNS}
if TYPE_CHECKING:

    class Row(Model): ...

else:
    Row = create_model("Row", __base__=Model, **FIELDS)
