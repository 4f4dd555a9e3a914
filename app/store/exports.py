"""Flat rows as Parquet and Arrow files, with words about the file and the unit of each column inside.

Both hold a page of rows in memory at a time: Arrow is made batch by batch, Parquet by the database
itself into a file beside, which is read out and dropped.
"""

import base64
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from app.store.arrow import Told, Words, schema_message
from app.store.read import Snapshot
from app.store.schema import POINT_COLUMNS
from app.store.select import Selection

_CHUNK = 1 << 18
_TYPES = {column.name: column.type for column in POINT_COLUMNS}


def told(columns: Sequence[str], words: Mapping[str, Words]) -> tuple[Told, ...]:
    """Columns of flat rows with their types, and words about each."""
    return tuple(Told(name, _TYPES[name], words.get(name, {})) for name in columns)


def numbers() -> set[str]:
    """Columns that hold numbers."""
    return {name for name, kind in _TYPES.items() if kind in ("BIGINT", "INTEGER", "DOUBLE")}


def parquet_file(
    snapshot: Snapshot,
    selection: Selection,
    columns: Sequence[Told],
    words: Words,
    *,
    order: str = "row",
    descending: bool = False,
    limit: int | None = None,
) -> Iterator[bytes]:
    """A Parquet file of the selected rows, in pieces. pyarrow reads the units from its fields, anyone from `words`."""
    schema = base64.b64encode(schema_message(columns, words, large=False)).decode()
    with tempfile.TemporaryDirectory(prefix="halo-") as folder:
        path = Path(folder) / "rows.parquet"
        names = [column.name for column in columns]
        snapshot.write_parquet(
            path,
            selection,
            names,
            {"ARROW:schema": schema, **words},
            order=order,
            descending=descending,
            limit=limit,
        )
        with path.open("rb") as file:
            while piece := file.read(_CHUNK):
                yield piece
