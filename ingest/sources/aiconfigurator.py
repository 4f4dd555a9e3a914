"""aiconfigurator's tables of predicted configs: nobody ran them, and they never share a frontier with what was run.

`tokens/s/gpu` is output over all chips; latencies are milliseconds, of which the model knows one value each. Columns
of disaggregated configs carry (p) for prefill and (d) for decode.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Literal

from app.catalog.point import Point
from ingest.document import Document
from ingest.sources.aiconfigurator_row import point_of
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.companions import beside
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Unusable

_PREDICTED = "tokens/s/gpu"
_MEASURED = "silicon_ttft_ms"
_HEAD = 8192
_NO_THROUGHPUT = (
    "reference latencies that aiconfigurator was checked against: measured, but without any throughput, so there is "
    "nothing to draw. The runs they were taken from can be read as InferenceX results"
)


class AIConfigurator:
    """`pareto.csv` and `best_config_topn.csv`, which repeats the best rows of the other."""

    key = "aiconfigurator"
    label = "aiconfigurator prediction"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        columns = _header(document)
        return _MEASURED in columns or (_PREDICTED in columns and ("tp" in columns or "(p)tp" in columns))

    def read(self, document: Document) -> Iterator[Reading]:
        if _MEASURED in _header(document):
            yield Refused("file", _NO_THROUGHPUT)
            return
        line = 1
        try:
            for line, row in _rows(document):
                yield _reading(f"line {line}", row)
        except csv.Error as error:
            yield Refused(f"after line {line}", f"it is no table from here on: {error}")

    def absorbs(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """Tables of the same folder all of whose rows this one has too."""
        own = _marks(self.read(document))
        parts = []
        for other in beside(document, others):
            if other.resolved != document.resolved and self.claims(other):
                marks = _marks(self.read(other))
                if (marks and marks < own) or (marks == own and other.resolved > document.resolved):
                    parts.append(other)
        return parts

    def absorb(self, part: Document, point: Point) -> Point:
        """A shorter table adds nothing to a row."""
        return point


def _reading(where: str, row: dict[str, str | None]) -> Reading:
    try:
        return Found(where, point_of(Fields(row)))
    except Unusable as unusable:
        return Refused(where, str(unusable))


def _header(document: Document) -> list[str]:
    head = document.data[:_HEAD].lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    if b"tokens/s/gpu" not in head and b"silicon_ttft_ms" not in head:
        return []
    try:
        return [name.strip() for name in next(csv.reader([head.decode("utf-8", "replace")]), [])]
    except csv.Error:
        return []


def _rows(document: Document) -> Iterator[tuple[int, dict[str, str | None]]]:
    lines = csv.reader(io.StringIO(document.text, newline=""))
    names = [name.strip() for name in next(lines, [])]
    for cells in lines:
        if any(cell.strip() for cell in cells):
            # An index without a name is pandas' own.
            row = {name: cell.strip() or None for name, cell in zip(names, cells, strict=False) if name}
            yield lines.line_num, row


def _marks(readings: Iterator[Reading]) -> set[tuple[object, ...]]:
    points = [reading.point for reading in readings if isinstance(reading, Found)]
    return {
        (point.layout, point.chip, point.engine, point.concurrency, *sorted(point.metrics.items())) for point in points
    }
