"""The raw file of InferenceX's `benchmark_serving.py`, and of the vLLM script of that name that it grew from."""

from collections.abc import Iterator
from typing import Literal

from ingest.document import Document
from ingest.sources import vllm_row
from ingest.sources.base import Reading
from ingest.sources.serving_details import ListsRequests
from ingest.sources.serving_dialect import dialect_of_document
from ingest.sources.serving_iterations import with_cold_marked
from ingest.sources.serving_row import readings


class BenchServingRaw(ListsRequests):
    """`backend` names the protocol that the client spoke: servers of other engines answer to it, so it names none."""

    key = "bench-serving-raw"
    label = "InferenceX benchmark_serving.py"
    version = 2
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return dialect_of_document(document) == "raw"

    def read(self, document: Document) -> Iterator[Reading]:
        return with_cold_marked(
            readings(
                document.parsed.records,
                lambda row: vllm_row.read(row, dialect="inferencex-benchmark-serving", names_engine=False),
            )
        )
