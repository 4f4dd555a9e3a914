"""InferenceX's token-position study: a row like that of `benchmark_serving.py`, with latency in seconds."""

from collections.abc import Iterator
from typing import Literal

from ingest.document import Document
from ingest.sources import vllm_row
from ingest.sources.base import Reading
from ingest.sources.serving_dialect import dialect_of_document
from ingest.sources.serving_row import Spelling, readings

_SECONDS = Spelling(suffix="", seconds=1.0)


class TokenPosition:
    """It states input and output throughput and no total. Engine and parallelism stand in the file's name alone."""

    key = "token-position"
    label = "InferenceX token position"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return dialect_of_document(document) == "token_position"

    def read(self, document: Document) -> Iterator[Reading]:
        yield from readings(
            document.parsed.records,
            lambda row: vllm_row.read(row, dialect="inferencex-token-position", spelling=_SECONDS, names_engine=False),
        )
