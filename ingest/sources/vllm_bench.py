"""`vllm bench serve --save-result`: one object, a list, or one object a line in a file called `.json`."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Literal

from app.catalog.point import Point
from ingest.document import Document
from ingest.sources import vllm_row
from ingest.sources.base import Reading
from ingest.sources.serving_details import ListsRequests
from ingest.sources.serving_dialect import dialect_of_document
from ingest.sources.serving_iterations import with_cold_marked
from ingest.sources.serving_row import readings


class VllmBench(ListsRequests):
    """The file names the client, the model and the load; chip, chip count and precision only where added by hand."""

    key = "vllm-bench"
    label = "vLLM bench serve"
    version = 2
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return dialect_of_document(document) == "vllm"

    def read(self, document: Document) -> Iterator[Reading]:
        rows = readings(document.parsed.records, lambda row: vllm_row.read(row, dialect="vllm-bench-serve"))
        return with_cold_marked(rows)

    def absorbs(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """The single runs of a median over several: the same measurements must not be drawn twice."""
        value = document.parsed.value
        names = value.get("individual_result_files") if isinstance(value, dict) else None
        if not isinstance(names, list):
            return ()
        parts = {PurePosixPath(str(name)).name for name in names}
        here = folder_of(document)
        return [other for other in others if other.name in parts and folder_of(other) == here and other is not document]

    def absorb(self, part: Document, point: Point) -> Point:
        """Nothing is added: a part holds the same measurements in another file."""
        return point


def folder_of(document: Document) -> PurePosixPath:
    """Where a document lies, inside an archive as on a disk."""
    return PurePosixPath(document.resolved.replace("!", "/")).parent
