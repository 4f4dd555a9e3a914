"""Rows of the InferenceX site's API: `/api/v1/benchmarks` and its history, as a list or as lists by model."""

from collections.abc import Iterator
from typing import Literal

from app.catalog.point import Json
from ingest.document import Document
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.inferencex_api_row import point_of_row
from ingest.sources.inferencex_row import Unusable

_KEYS = frozenset(("hardware", "framework", "spec_method", "metrics"))
_EVALUATION = "task"
_HEAD = 1 << 16
_NO_ROW = "it is not a row of the InferenceX API: hardware, framework, spec_method or metrics is missing"


class InferenceXApi:
    """Other answers of the API, such as evaluations and availability, hold no speed and are left alone."""

    key = "inferencex-api"
    label = "InferenceX API rows"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        if b'"spec_method"' not in document.data[:_HEAD] or b'"metrics"' not in document.data:
            return False
        return any(_is_row(value) for _, value in _rows(document))

    def read(self, document: Document) -> Iterator[Reading]:
        for where, value in _rows(document):
            if not _is_row(value):
                yield Refused(where, _NO_ROW)
                continue
            try:
                yield Found(where, point_of_row(value))
            except Unusable as unusable:
                yield Refused(where, str(unusable))


def _rows(document: Document) -> Iterator[tuple[str, Json]]:
    """Rows with their places; an answer for several models keeps a list under each one's name."""
    for where, value in document.parsed.records:
        if isinstance(value, dict) and "hardware" not in value:
            lists = {name: rows for name, rows in value.items() if isinstance(rows, list)}
            yield from ((f"{name}, row {n}", row) for name, rows in lists.items() for n, row in enumerate(rows, 1))
        else:
            yield where, value


def _is_row(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() >= _KEYS
        and isinstance(value["metrics"], dict)
        and _EVALUATION not in value
    )
