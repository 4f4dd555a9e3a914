"""`vllm bench sweep`: the runs of one combination, the list and the table that sum them up, and its failures.

A run stands in up to three files. The list of a combination takes over the runs beside it and the table above.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from app.catalog.point import Json, Point
from ingest.document import Document
from ingest.jsontext import Row
from ingest.sources import vllm_row
from ingest.sources.base import Reading, Refused
from ingest.sources.fields import Fields
from ingest.sources.serving_details import ListsRequests
from ingest.sources.serving_dialect import dialect_of_document
from ingest.sources.serving_row import readings
from ingest.sources.vllm_bench import folder_of

_COLUMNS = frozenset(("run_number", "num_prompts", "completed", "duration", "model_id"))
_FAILURE = frozenset(("error_type", "error", "serve_overrides"))
_MISSING = ("", "nan", "None")


class VllmSweep(ListsRequests):
    """Rows of `vllm bench serve` with the swept parameters among their keys. The sweep clears caches between runs."""

    key = "vllm-sweep"
    label = "vLLM bench sweep"
    version = 2
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        if dialect_of_document(document) == "sweep":
            return True
        return _failure(document) is not None or _has_table(document)

    def read(self, document: Document) -> Iterator[Reading]:
        failure = _failure(document)
        if failure is not None:
            yield Refused("file", _why(failure))
            return
        if not _has_table(document):
            yield from readings(document.parsed.records, _point)
            return
        try:
            records = _table(document)
        except csv.Error as error:
            yield Refused("file", f"its table cannot be read: {error}; give the summary.json files below it instead")
            return
        yield from readings(records, _point)
        if _is_cut(document):
            cut = f"row {len(records) + 1}"
            yield Refused(cut, "the file is cut off here: its last row does not end, so its figures are in doubt")

    def absorbs(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """The runs that a list sums up, which lie beside it, and the table one folder above it."""
        rows = document.parsed.value
        if not isinstance(rows, list):
            return ()
        here = folder_of(document)
        runs = {f"run={row['run_number']}.json" for row in rows if isinstance(row, dict) and "run_number" in row}
        return [
            other
            for other in others
            if (folder_of(other) == here and other.name in (*runs, "warmup.json"))
            or (folder_of(other) == here.parent and other.name == "summary.csv")
        ]

    def absorb(self, part: Document, point: Point) -> Point:
        """Nothing is added: a part holds the same measurements in another file."""
        return point


def _point(row: Fields) -> Point:
    point = vllm_row.read(row, dialect="vllm-bench-sweep")
    number = row.integer("run_number")
    return point if point.iteration is not None else replace(point, iteration=number)


def _failure(document: Document) -> dict[str, Json] | None:
    if b'"error_type"' not in document.data[:4096]:
        return None
    value = document.parsed.value
    return value if isinstance(value, dict) and value.keys() >= _FAILURE else None


def _why(failure: dict[str, Json]) -> str:
    """A run that failed, with the error that the sweep noted."""
    number = failure.get("run_number")
    what = f"run {number} of the sweep failed" if number is not None else "the server of this combination failed"
    error = " ".join(str(failure.get("error")).split())
    shown = error if len(error) <= 200 else f"{error[:197]}..."
    return f"{what}: {failure.get('error_type')}: {shown}; there is no result to read"


def _has_table(document: Document) -> bool:
    first = document.data[:65536].split(b"\n", 1)[0]
    if b"run_number" not in first or first.lstrip()[:1] in (b"{", b"["):
        return False
    try:
        return set(next(csv.reader([first.decode("utf-8", "replace").strip()]), ())) >= _COLUMNS
    except csv.Error:
        return False


def _table(document: Document) -> list[Row]:
    """The table's rows as the runs had them; the first column only counts them. Empty cells were not there."""
    # A cell holds the texts of all answers where requests were saved one by one.
    csv.field_size_limit(max(csv.field_size_limit(), len(document.data)))
    text = document.text
    whole = text[: text.rfind("\n") + 1] if _is_cut(document) else text
    rows = []
    for number, cells in enumerate(csv.DictReader(io.StringIO(whole, newline="")), start=1):
        kept = {key: value for key, value in cells.items() if key and isinstance(value, str) and value not in _MISSING}
        rows.append(Row(f"row {number}", kept))
    return rows


def _is_cut(document: Document) -> bool:
    """Whether the last row lacks its end, which the writer of these tables always writes."""
    return not document.data.endswith((b"\n", b"\r"))
