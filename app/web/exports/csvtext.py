"""Rows as CSV: one header line, numbers as numbers, lists joined, nothing that a spreadsheet would run."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from app.details.row import COLUMNS, headed
from app.store.read import Row
from app.web.exports.stamp import STAMP, Stamp

JOINS = {"offload_tiers": ">", "flags": ";"}
"""What joins the items of a list: tiers as Halo tables take them, from the fastest down."""

_RUNS = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet take a text for a formula; such a text gets a ' before it."""


def csv_text(pages: Iterable[list[Row]], stamp: Stamp, *, units: bool = False) -> Iterator[bytes]:
    """The header, then each page of rows. What is not known is an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*(headed(name) if units else name for name in COLUMNS), *STAMP])
    yield _taken(buffer)
    told = [_cell(name, value) for name, value in stamp.cells.items()]
    for rows in pages:
        writer.writerows([*(_cell(name, row[name]) for name in COLUMNS), *told] for row in rows)
        yield _taken(buffer)


def _taken(buffer: io.StringIO) -> bytes:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text.encode()


def _cell(name: str, value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        value = JOINS[name].join(value)
    if isinstance(value, str) and value.startswith(_RUNS):
        return f"'{value}"
    return value
