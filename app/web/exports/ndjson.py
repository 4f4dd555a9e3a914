"""Rows as JSON lines, each as the API lists it, with the stamp at its end.

The stamp stands in every line since nothing else survives every reader: a first line of another shape
becomes a row of nulls in one reader and an error in the next, and a line cut off by `head` or `grep`
would have lost where it came from.
"""

from collections.abc import Iterable, Iterator

import orjson

from app.details.row import api_row
from app.store.read import Row
from app.web.exports.stamp import Stamp


def ndjson_text(pages: Iterable[list[Row]], stamp: Stamp) -> Iterator[bytes]:
    for rows in pages:
        yield b"".join(orjson.dumps({**api_row(row), **stamp.cells}, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
