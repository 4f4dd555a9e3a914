"""Rows as a Markdown table that GitHub draws: every row, and each column in which some row says something."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from app.details.row import COLUMNS, headed
from app.report.gfm import cell, line
from app.store.read import Row
from app.web.exports.csvtext import JOINS
from app.web.exports.stamp import Stamp


def markdown_text(read: Callable[[], Iterable[list[Row]]], numbers: set[str], stamp: Stamp) -> Iterator[bytes]:
    """Where the rows come from, the header with units, and the rows. They are read twice: first for what they know."""
    filled = {name for rows in read() for row in rows for name in COLUMNS if row[name] not in (None, [])}
    columns = [name for name in COLUMNS if name in filled]
    made = f", made {stamp.made}" if stamp.made else ""
    yield f"Halo points of snapshot `{stamp.snapshot}`{made}, view `{stamp.view or 'everything'}`\n\n".encode()
    yield line([cell(headed(name)) for name in columns]).encode()
    yield ("|" + "|".join("---:" if name in numbers else "---" for name in columns) + "|\n").encode()
    for rows in read():
        yield "".join(line([cell(_text(name, row[name])) for name in columns]) for row in rows).encode()


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return JOINS[name].join(value)
    return str(value)
