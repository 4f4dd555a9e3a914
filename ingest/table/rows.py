"""Rows of a CSV or Parquet file as text cells, each with the place it stands at."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

import polars as pl

from ingest.document import Document

PARQUET = b"PAR1"
_HEAD = 1 << 16
"""A header that does not end within this many bytes is not one of ours."""


@dataclass(frozen=True, slots=True)
class Row:
    """A record: its filled cells by column. `problem` is set instead when it does not fit the header."""

    where: str
    cells: dict[str, str] = field(default_factory=dict)
    problem: str | None = None


def header(document: Document) -> tuple[str, ...] | None:
    """Column names of a table, or None when the bytes are no table. Never raises."""
    if document.data[:4] == PARQUET:
        try:
            return tuple(_name(name) for name in pl.read_parquet_schema(io.BytesIO(document.data)))
        except (pl.exceptions.PolarsError, OSError):
            return None
    head = document.data[:_HEAD].decode("utf-8-sig", "replace")
    if head.lstrip()[:1] in ("{", "[", "<", ""):
        return None
    for line in head.splitlines():
        if line.strip() and not line.startswith("#"):
            try:
                names = next(csv.reader([line]))
            except csv.Error:
                return None
            return tuple(_name(name) for name in names) if len(names) > 1 else None
    return None


def rows(document: Document) -> Iterator[Row]:
    """The records below the header, in file order; those without a filled cell are left out."""
    return _parquet_rows(document.data) if document.data[:4] == PARQUET else _csv_rows(document.text)


def _name(name: str) -> str:
    return name.strip().lower()


def _csv_rows(text: str) -> Iterator[Row]:
    lines = _Lines(text)
    reader = csv.reader(lines, strict=True)
    names: list[str] = []
    number = 0
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield Row(f"line {lines.number}", problem=f"the quotes do not pair up ({error})")
            return
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        if not names:
            names = [_name(cell) for cell in cells]
            continue
        number += 1
        where = f"row {number} (line {lines.number})"
        if len(cells) != len(names):
            yield Row(where, problem=f"the row has {len(cells)} cells, but the header has {len(names)} columns")
        else:
            filled = {name: cell.strip() for name, cell in zip(names, cells, strict=True) if cell.strip()}
            yield Row(where, filled)


class _Lines:
    """The lines of a CSV without its comments, counting them all. A `#` inside a quoted cell is no comment."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="")
        self._quoted = False
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        while True:
            line = next(self._lines)
            self.number += 1
            if self._quoted or not line.startswith("#"):
                self._quoted ^= line.count('"') % 2 == 1
                return line


def _parquet_rows(data: bytes) -> Iterator[Row]:
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        yield Row("file", problem=f"it is cut short or damaged, and Parquet cannot be read in part ({error})")
        return
    names = [_name(name) for name in frame.columns]
    for number, values in enumerate(frame.iter_rows(), start=1):
        cells = {name: text for name, value in zip(names, values, strict=True) if (text := _text(value))}
        if cells:
            yield Row(f"row {number}", cells)


def _text(value: object) -> str:
    """The text a CSV would hold for a Parquet value, so that both are read alike."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float():
            return repr(value)
        case date():
            return value.isoformat()
        case list():
            return ">".join(str(part) for part in value)
        case _:
            return str(value).strip()
