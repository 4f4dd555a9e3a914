"""Rows of a snapshot written to a file by the database itself, and which of their columns say anything."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.catalog.metrics import METRICS
from app.store.asking import Asking
from app.store.listed import ordered
from app.store.schema import POINT_COLUMNS
from app.store.select import Selection, metric_sql

_ALL_FLAGS = "list_concat(coalesce(flags, []), coalesce(extra_flags, []))"
"""Flags of the row and those that its neighbours give it: `flags` of a flat row."""

_LISTS = frozenset(column.name for column in POINT_COLUMNS if column.type.endswith("[]"))
_ROW_GROUP = 10_240


class Written(Asking):
    """Rows on their way out, without passing through Python."""

    def write_parquet(
        self,
        path: Path,
        selection: Selection,
        columns: Sequence[str],
        words: Mapping[str, str],
        *,
        order: str = "row",
        descending: bool = False,
        limit: int | None = None,
    ) -> None:
        """Those columns of `rows` as a Parquet file at `path`, with words beside them in its footer."""
        tail = ordered(order, descending=descending) + (f" LIMIT {int(limit)}" if limit is not None else "")
        listed = ", ".join(_named(name) for name in columns)
        sql, bound = self._query(selection, listed, tail, _metrics(columns))
        told = ", ".join(f"{_quoted(key)}: {_quoted(value)}" for key, value in words.items())
        with self._cursor() as cursor:
            cursor.execute(
                f"COPY ({sql}) TO {_quoted(str(path))} "
                f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROW_GROUP}, KV_METADATA {{{told}}})",
                bound,
            )

    def filled(self, selection: Selection, columns: Sequence[str]) -> list[str]:
        """Those of the columns in which some selected row says something."""
        sql, bound = self._query(selection, ", ".join(map(_filling, columns)), "", _metrics(columns))
        return [name for name, count in zip(columns, self._ask(sql, bound)[0], strict=True) if count]


def _metrics(columns: Sequence[str]) -> list[str]:
    return [name for name in columns if name in METRICS]


def _named(name: str) -> str:
    if name == "flags":
        return f"{_ALL_FLAGS} AS flags"
    return f'{metric_sql(name)} AS "{name}"' if name in METRICS else f'"{name}"'


def _filling(name: str) -> str:
    """An expression above zero where some row has a value."""
    if name in _LISTS:
        return f"coalesce(max(len({_ALL_FLAGS if name == 'flags' else name})), 0)"
    return f"count({metric_sql(name)})" if name in METRICS else f'count("{name}")'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
