"""inference-perf's second file a stage: the same load as the server's own metrics saw it, read from Prometheus."""

from collections.abc import Sequence
from typing import Literal

from app.catalog.point import Json, Point
from ingest.document import Document
from ingest.sources.companions import beside, with_companion
from ingest.sources.fields import Fields
from ingest.sources.inference_perf import lifecycle_of
from ingest.sources.inference_perf_names import part_of

_SIGN = b'"load_summary"'


class InferencePerfServer:
    """Kept as facts: a scrape window is no measured window, and metrics that a server lacks are written as 0."""

    key = "inference-perf-server"
    label = "inference-perf server metrics"
    version = 1
    role: Literal["companion"] = "companion"

    def claims(self, document: Document) -> bool:
        return _SIGN in document.data and lifecycle_of(document) is None and _server(document) is not None

    def completes(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """The stage of the same number in the same run, by name."""
        part = part_of(document.name)
        return [other for other in beside(document, others) if part is not None and part_of(other.name) == part]

    def complete(self, document: Document, point: Point) -> Point:
        return with_companion(point, self.key, _facts(Fields(_server(document) or {})))


def _server(document: Document) -> dict[str, Json] | None:
    value = document.parsed.value
    if not isinstance(value, dict) or value.get("load_summary") != {} or not isinstance(value.get("successes"), dict):
        return None
    successes: dict[str, Json] = value["successes"]
    return successes if "rate" in successes and "failures" in value else None


def _facts(server: Fields) -> dict[str, Json]:
    facts: dict[str, Json] = {"requests_per_second": server.number("rate")}
    for name in server.row:
        if name not in ("rate", "count") and isinstance(server.row[name], dict):
            block = server.inner(name)
            facts |= {f"{name}_{part}": block.number(part) for part in block.row}
    return {name: value for name, value in facts.items() if value}
