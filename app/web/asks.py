"""What dropped files leave open and a view misses, as fields that a reader can fill in."""

from typing import Any

from app.catalog.dimensions import DIMENSIONS, Dimension
from app.catalog.metrics import METRICS
from app.catalog.point import Json
from app.store.read import Snapshot
from app.store.select import Selection
from ingest.finish import NEEDS


def asks_of(report: dict[str, Json], snapshot: Snapshot) -> list[dict[str, Any]]:
    """A field for each of NEEDS that some file of a verdict leaves open; `options` are known words, others do too."""
    missing = {name for file in report["files"] for name in file["needs"]}
    return [_field(name, snapshot) for name in NEEDS if name in missing]


def _field(name: str, snapshot: Snapshot) -> dict[str, Any]:
    dimension = DIMENSIONS.get(name)
    if dimension is None:
        label = METRICS[name].label if name in METRICS else name.replace("_", " ").capitalize()
        return {"name": name, "label": label, "number": True, "options": []}
    if dimension.number:
        return {"name": name, "label": dimension.label, "number": True, "options": []}
    options = [{"value": value, "label": dimension.label_of(value)} for value in _words(dimension, snapshot)]
    return {"name": name, "label": dimension.label, "number": False, "options": options}


def _words(dimension: Dimension, snapshot: Snapshot) -> list[str]:
    """The words of the catalog; where it has none of its own, those that the store has met."""
    if dimension.vocabulary is not None:
        return [term.key for term in dimension.vocabulary]
    return [value for value in snapshot.counts(Selection(), dimension.key) if value is not None]
