"""Flat rows as a Parquet file, with words about the file and the unit of each column inside.

A page of rows is held at a time: each is written beside, and the database joins them, since it alone
lets us say both what the footer and what the fields hold.
"""

import base64
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from app.store.arrow import Told, Words, frame_of, schema_message
from app.store.files import SETTINGS
from app.store.schema import POINT_COLUMNS

_CHUNK = 1 << 18
_ROW_GROUP = 10_240
_TYPES = {"attribution": "VARCHAR", **{column.name: column.type for column in POINT_COLUMNS}}


def told(columns: Sequence[str], words: Mapping[str, Words]) -> tuple[Told, ...]:
    """Columns of flat rows with their types, and words about each."""
    return tuple(Told(name, _TYPES[name], words.get(name, {})) for name in columns)


def numbers() -> set[str]:
    """Columns that hold numbers."""
    return {name for name, kind in _TYPES.items() if kind in ("BIGINT", "INTEGER", "DOUBLE")}


def parquet_file(pages: Iterable[list[dict[str, Any]]], columns: Sequence[Told], words: Words) -> Iterator[bytes]:
    """The file in pieces. pyarrow shows the units of its fields, every reader `words`."""
    schema = base64.b64encode(schema_message(columns, words, large=False)).decode()
    with tempfile.TemporaryDirectory(prefix="halo-") as folder:
        parts: list[Path] = []
        for rows in pages:
            parts.append(Path(folder) / f"{len(parts)}.parquet")
            frame_of(rows, columns).write_parquet(parts[-1], compression="uncompressed", statistics=False)
        if not parts:
            parts.append(Path(folder) / "none.parquet")
            frame_of([], columns).write_parquet(parts[-1])
        whole = Path(folder) / "whole.parquet"
        _joined(parts, whole, {"ARROW:schema": schema, **words})
        with whole.open("rb") as file:
            while piece := file.read(_CHUNK):
                yield piece


def _joined(parts: Sequence[Path], whole: Path, words: Words) -> None:
    """The rows of the parts in one file, in their order."""
    told = ", ".join(f"{_quoted(key)}: {_quoted(value)}" for key, value in words.items())
    # Threads would cut row groups where they happen to meet, and a frozen link must answer the same bytes.
    with duckdb.connect(config={**SETTINGS, "threads": "1"}) as connection:
        connection.execute(
            f"COPY (FROM read_parquet(?)) TO {_quoted(str(whole))} "
            f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROW_GROUP}, KV_METADATA {{{told}}})",
            [[str(part) for part in parts]],
        )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
