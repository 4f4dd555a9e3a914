"""Files of an AIPerf run directory that hold no result of their own: slices over time, raw traffic, pooled figures."""

from collections.abc import Iterator, Sequence
from typing import Literal

from app.catalog.point import Json, Point
from app.store.series import Slice
from ingest.document import Document
from ingest.sources.aiperf_files import slices
from ingest.sources.aiperf_files.places import about
from ingest.sources.companions import with_companion

_SLICED = "metrics by slice of time"
_OVER_RUNS = ("metric,mean,std,", "Metric,mean,std,")
_HEAD = 4096
_LONG = 1 << 20


class AIPerfArtifacts:
    """Taken note of, so that a run directory leaves no file unexplained."""

    key = "aiperf-artifacts"
    label = "AIPerf artifacts"
    version = 1
    role: Literal["companion"] = "companion"

    def claims(self, document: Document) -> bool:
        return artifact_of(document) is not None

    def completes(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        return about(document, others)

    def complete(self, document: Document, point: Point) -> Point:
        """Names the file among the point's facts."""
        return with_companion(point, self.key, {**_known(point, self.key), document.name: artifact_of(document)})

    def slices_in(self, document: Document, point: Point) -> Iterator[Slice]:
        return slices.slices(document) if artifact_of(document) == _SLICED else iter(())


def _known(point: Point, key: str) -> dict[str, Json]:
    """What other files of the kind have added before."""
    held: dict[str, Json] = point.facts.get("companions", {}).get(key, {})
    return held


def artifact_of(document: Document) -> str | None:
    """What such a file holds, in words; None for any other file."""
    head = document.data[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n").decode("utf-8", "replace")
    if not head.startswith("{"):
        if head.startswith(slices.HEADER):
            return _SLICED
        return "figures over several runs, as a table" if head.startswith(_OVER_RUNS) and "ci_low" in head else None
    if '"timeslices"' in head[:64]:
        return _SLICED
    if (
        '"metadata"' in head
        and '"request_start_ns"' in head
        and '"responses"' in document.data[: 1 << 20].decode("latin-1")
    ):
        return "raw requests and responses"
    if '"gpu_uuid"' in head and '"telemetry_data"' in head and '"timestamp_ns"' in head:
        return "samples of GPU telemetry"
    if '"endpoint_url"' in head and '"timestamp_ns"' in head and '"metrics"' in head:
        return "samples of the server's metrics"
    if head.startswith('{"data"') or '"session_id"' in head:
        return "the prompts that were sent" if '"payloads"' in head else None
    return "figures pooled over several runs" if '"aggregation_type"' in head and '"detailed"' in head else None
