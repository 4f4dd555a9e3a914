"""How a snapshot is asked: cursors, the rows that stood at its time, and the SQL of a selection."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from app.catalog.attributions import attribution_text
from app.catalog.metrics import METRICS
from app.catalog.prices import OF_HALO, Prices
from app.store.doubts import Doubts, doubts_in, fresh_sql
from app.store.schema import POINT_COLUMNS
from app.store.select import PRICE_CTE, PRICED, Selection, is_priced, metric_sql, price_values

Row = dict[str, Any]

_TEXTS = frozenset({"detail", "raw"})
_BOOKKEEPING = frozenset({"until", "standing_since"})
"""Columns that later publishes change: no answer may hold them, so that a snapshot keeps its bytes."""

WHOLE = tuple(column.name for column in POINT_COLUMNS if column.name not in _BOOKKEEPING)
FLAT = tuple(name for name in WHOLE if name not in _TEXTS)
"""The columns of a row in lists: those of a whole point without its long texts."""

_AT = """(SELECT p.* REPLACE (
        CASE WHEN p.standing_since <= {seq} THEN p.newest_rank ELSE s.newest_rank END AS newest_rank,
        CASE WHEN p.standing_since <= {seq} THEN p.extra_flags ELSE s.extra_flags END AS extra_flags)
    FROM points AS p LEFT JOIN standings AS s
        ON s.row = p.row AND s.since <= {seq} AND s.until > {seq} AND p.standing_since > {seq}
    WHERE p.since <= {seq} AND (p.until IS NULL OR p.until > {seq}))"""


@dataclass(frozen=True, slots=True)
class Beside:
    """What a preview knows of the store that it lies beside: its folder, and where the rows that it lacks begin."""

    folder: Path
    fresh_from: int


class Asking:
    """One state of the store. Cheap to hold; every question opens a cursor of its own, so threads may share it."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        snapshot_id: str,
        seq: int,
        *,
        live: bool,
        folder: Path,
        prices: Prices = OF_HALO,
        beside: Beside | None = None,
    ) -> None:
        self._connection = connection
        self._folder = folder
        self._beside = beside
        self.fresh_from = beside.fresh_from if beside is not None else None
        """The first row of a preview; None in a store. Rows from here on are stored nowhere."""
        self._doubts: Doubts | None = None
        self._lock = threading.Lock()
        self.id = snapshot_id
        self.seq = seq
        self.live = live
        self.prices = prices
        self._table = "(SELECT * FROM points WHERE until IS NULL)" if live else _AT.format(seq=seq)

    def shares(self, other: "Asking") -> bool:
        """Whether both are answered from one open file."""
        return self._connection is other._connection

    def fresh_rows(self) -> list[int]:
        """Rows of this state that are a preview's, ascending; none in a store."""
        if self.fresh_from is None:
            return []
        found = self._ask(f"SELECT row FROM {self._table} AS q WHERE row >= ? ORDER BY row", [self.fresh_from])
        return [row for (row,) in found]

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        cursor = self._connection.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    def _ask(self, sql: str, bound: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._cursor() as cursor:
            return cursor.execute(sql, list(bound)).fetchall()

    def _query(
        self, selection: Selection, columns: str, tail: str, keys: Sequence[str] = ()
    ) -> tuple[str, list[object]]:
        """SQL and bound values for `columns` of the selected rows; `keys` are the metrics it needs."""
        where, bound = selection.where()
        source = self._table
        if selection.newest:
            source = self._newest(selection)
        values: list[object] = []
        prefix = ""
        if is_priced(keys):
            prefix, source = f"WITH {PRICE_CTE} ", PRICED.format(table=source)
            values += price_values(selection.prices)
        if selection.newest and _splits_repeats(selection):
            values += bound
        return f"{prefix}SELECT {columns} FROM {source} AS q WHERE {where} {tail}", [*values, *bound]

    def _newest(self, selection: Selection) -> str:
        """One row per config, workload and concurrency: of the whole store, or of the runs that a filter asks for."""
        if not _splits_repeats(selection):
            return f"(SELECT * FROM {self._table} AS w WHERE newest_rank = 1)"
        where, _ = selection.where()
        return (
            f"(SELECT * FROM {self._table} AS w WHERE {where} "
            f"QUALIFY newest_rank = min(newest_rank) OVER (PARTITION BY identity, {fresh_sql(self.fresh_from)}))"
        )

    def _flat(self, sql: str, bound: Sequence[object]) -> list[Row]:
        with self._cursor() as cursor:
            cursor.execute(sql, list(bound))
            names = [item[0] for item in cursor.description or ()]
            rows = [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]
        for row, doubts in zip(rows, self.doubts().of([row["row"] for row in rows]), strict=True):
            row["attribution"] = attribution_text(row.get("source"))
            row["flags"] = flags_joined(row["flags"], row["extra_flags"], doubts)
        return rows

    def doubts(self) -> Doubts:
        """What the neighbours of points raise about them. Worked out once, when it is first asked for."""
        with self._lock:
            if self._doubts is None:
                with self._cursor() as cursor:
                    self._doubts = doubts_in(cursor, self._table, self.fresh_from)
            return self._doubts


def _splits_repeats(selection: Selection) -> bool:
    """Whether a filter can hide the newest of some repeats while keeping an older one."""
    return any(selection.filters.get(key) for key in ("run", "source", "engine_version"))


def flat_sql(names: Sequence[str]) -> str:
    """Those columns, with every metric as its expression."""
    plain = [f'"{name}"' for name in names if name not in METRICS]
    return ", ".join(plain + [f'{metric_sql(metric.key)} AS "{metric.key}"' for metric in METRICS])


def flags_joined(*flags: Sequence[str] | None) -> list[str]:
    """A row's own flags, those of its standing, and the doubts that its neighbours raise, in one list."""
    return list(dict.fromkeys(flag for some in flags for flag in some or ()))
