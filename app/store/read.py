"""The questions that pages and the API ask of one snapshot. Same question, same answer, same order."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import orjson
from numpy.typing import NDArray

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS
from app.catalog.point import Json
from app.catalog.prices import DEFAULT_PRICES, PriceTable
from app.store import files
from app.store.recorded import Recorded
from app.store.schema import POINT_COLUMNS, TABLES, create_sql
from app.store.select import OFFLOAD_WORDS, PRICE_CTE, PRICED, Selection, is_priced, metric_sql, price_values
from app.store.series import series_of

Row = dict[str, Any]

EMPTY = "empty"
"""The id of the snapshot of a store in which nothing was published yet."""

_TEXTS = frozenset({"detail", "raw"})
_BOOKKEEPING = frozenset({"until", "standing_since"})
"""Columns that later publishes change: no answer may hold them, so that a snapshot keeps its bytes."""

_WHOLE = tuple(column.name for column in POINT_COLUMNS if column.name not in _BOOKKEEPING)
_FLAT = tuple(name for name in _WHOLE if name not in _TEXTS)

_AT = """(SELECT p.* REPLACE (
        CASE WHEN p.standing_since <= {seq} THEN p.newest_rank ELSE s.newest_rank END AS newest_rank,
        CASE WHEN p.standing_since <= {seq} THEN p.extra_flags ELSE s.extra_flags END AS extra_flags)
    FROM points AS p LEFT JOIN standings AS s
        ON s.row = p.row AND s.since <= {seq} AND s.until > {seq} AND p.standing_since > {seq}
    WHERE p.since <= {seq} AND (p.until IS NULL OR p.until > {seq}))"""


class SnapshotNotFound(files.StoreError):
    """The store never published a snapshot of that name."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Parallel arrays of the rows that a chart is about: missing values are NaN."""

    row: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    group: NDArray[np.int64]
    has_halo: NDArray[np.bool_]
    has_notch: NDArray[np.bool_]
    groups: list[tuple[Any, ...]]
    """The value of each grouping column, by group number."""


@dataclass(frozen=True, slots=True)
class Group:
    """What may share a chart: one model on one workload, of one origin. How many points, and how many can be drawn."""

    model: str | None
    workload: str | None
    origin: str
    points: int
    drawable: int


class Snapshot:
    """One state of the store. Cheap to hold; every question opens a cursor of its own, so threads may share it."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, snapshot_id: str, seq: int, *, live: bool, folder: Path
    ) -> None:
        self._connection = connection
        self._folder = folder
        self.id = snapshot_id
        self.seq = seq
        self.live = live
        self._table = "(SELECT * FROM points WHERE until IS NULL)" if live else _AT.format(seq=seq)

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
            "QUALIFY newest_rank = min(newest_rank) OVER (PARTITION BY identity))"
        )

    def rows(
        self,
        selection: Selection,
        *,
        order: str = "row",
        descending: bool = False,
        limit: int | None = None,
        after: int | None = None,
        offset: int = 0,
        rows: Sequence[int] | None = None,
    ) -> list[Row]:
        """Flat rows with every metric, in a fixed order: by `order` (a metric, dimension or `row`), then by row.

        `after` continues behind a row number when ordered by row, `offset` in any order; `rows` picks row numbers.
        """
        keys = [metric.key for metric in METRICS]
        extra: list[object] = []
        tail = ""
        if after is not None:
            tail += " AND row > ?"
            extra.append(after)
        if rows is not None:
            tail += " AND row IN (SELECT unnest(?::BIGINT[]))"
            extra.append(list(rows))
        tail += f" ORDER BY {_order_sql(order)} {'DESC' if descending else 'ASC'} NULLS LAST, row"
        if limit is not None:
            tail += f" LIMIT {int(limit)}"
        if offset:
            tail += f" OFFSET {int(offset)}"
        sql, bound = self._query(selection, _flat_sql(_FLAT), tail, keys)
        return self._flat(sql, [*bound, *extra])

    def _flat(self, sql: str, bound: Sequence[object]) -> list[Row]:
        with self._cursor() as cursor:
            cursor.execute(sql, list(bound))
            names = [item[0] for item in cursor.description or ()]
            return [_flags_joined(dict(zip(names, values, strict=True))) for values in cursor.fetchall()]

    def count(self, selection: Selection) -> int:
        sql, bound = self._query(selection, "count(*)", "")
        return int(self._ask(sql, bound)[0][0])

    def columns(self, selection: Selection, x: str, y: str, group_by: Sequence[str]) -> Columns:
        """The arrays a chart needs: two metrics, a group number, and whether the point carries a halo."""
        listed = ", ".join(f'"{DIMENSIONS[key].column}"' for key in group_by)
        listing = ", ".join(f'"{DIMENSIONS[key].column}" NULLS LAST' for key in group_by)
        sql, bound = self._query(
            selection,
            f"{listed}, row, {metric_sql(x)} AS x_, {metric_sql(y)} AS y_, "
            "coalesce(offload_kind IN ('kv', 'kv+parameter'), false) AS halo_, "
            "coalesce(offload_kind IN ('parameter', 'kv+parameter'), false) AS notch_",
            "",
            [x, y],
        )
        with self._cursor() as cursor:
            # Rows find their group by a hash of its words: a join on the words takes five times as long.
            groups = cursor.execute(
                f"SELECT DISTINCT {listed}, hash({listed}) AS code_ FROM ({sql}) ORDER BY {listing}", bound
            ).fetchall()
            found = cursor.execute(
                f"SELECT row, x_, y_, halo_, notch_, hash({listed}) AS code_ FROM ({sql})", bound
            ).fetchnumpy()
        row = np.asarray(found["row"], dtype=np.int64)
        is_sorted = bool(np.all(row[1:] > row[:-1]))
        order = np.arange(len(row)) if is_sorted else np.argsort(row, kind="stable")
        codes = np.array([group[-1] for group in groups], dtype=np.uint64)
        by_code = np.argsort(codes)
        group = by_code[np.searchsorted(codes[by_code], np.asarray(found["code_"], dtype=np.uint64))]
        return Columns(
            row=row[order],
            x=_floats(found["x_"])[order],
            y=_floats(found["y_"])[order],
            group=group[order],
            has_halo=np.asarray(found["halo_"], dtype=bool)[order],
            has_notch=np.asarray(found["notch_"], dtype=bool)[order],
            groups=[group[:-1] for group in groups],
        )

    def pick(self, rows: Sequence[int], columns: Sequence[str], selection: Selection) -> dict[str, list[Any]]:
        """Some columns of some rows, as lists in row order: what a chart's cards show."""
        wanted = [key for key in columns if key in METRICS]
        names = ", ".join(f'{metric_sql(key)} AS "{key}"' if key in METRICS else f'"{key}"' for key in columns)
        every = Selection(newest=False, prices=selection.prices)
        sql, bound = self._query(every, names, "AND row IN (SELECT unnest(?::BIGINT[])) ORDER BY row", wanted)
        found = self._ask(sql, [*bound, list(rows)])
        return {name: [values[i] for values in found] for i, name in enumerate(columns)}

    def counts(self, selection: Selection, key: str) -> dict[str | None, int]:
        """How many points each value of a dimension would give, its own filter left out."""
        dimension = DIMENSIONS[key]
        loose = Selection(
            filters={name: values for name, values in selection.filters.items() if name != key},
            offload=selection.offload if key != "offload" else (),
            newest=selection.newest,
            prices=selection.prices,
        )
        column = f'"{dimension.column}"'
        value = f"unnest({column})" if dimension.many else column
        sql, bound = self._query(loose, f"{value} AS v, row", "")
        found = self._ask(f"SELECT v::VARCHAR, count(*) FROM ({sql}) GROUP BY v ORDER BY v NULLS LAST", bound)
        return {value: int(count) for value, count in found}

    def counts_of(self, selection: Selection, keys: Sequence[str]) -> dict[str, dict[str | None, int]]:
        """`counts` of several dimensions, in one question where none of them has a filter of its own."""
        free = [key for key in keys if not selection.filters.get(key)]
        found: dict[str, dict[str | None, int]] = {key: {} for key in keys}
        found |= {key: self.counts(selection, key) for key in keys if key not in free}
        if not free:
            return found
        sql, bound = self._query(selection, ", ".join(f'"{DIMENSIONS[key].column}"' for key in free), "")
        each = " UNION ALL ".join(
            f"SELECT {i}, v::VARCHAR, count(*) FROM {_values('m', key)} GROUP BY v" for i, key in enumerate(free)
        )
        listed = self._ask(f"WITH m AS MATERIALIZED ({sql}) SELECT * FROM ({each}) ORDER BY ALL NULLS LAST", bound)
        for i, value, count in listed:
            found[free[i]][value] = int(count)
        return found

    def known(self, selection: Selection) -> dict[str, int]:
        """How many of the selected points have each metric."""
        keys = [metric.key for metric in METRICS]
        sql, bound = self._query(selection, ", ".join(f"count({metric_sql(key)})" for key in keys), "", keys)
        return dict(zip(keys, (int(n) for n in self._ask(sql, bound)[0]), strict=True))

    def offload_counts(self, selection: Selection) -> dict[str, int]:
        """How many points each offload word would give, the offload filter left out."""
        loose = Selection(filters=selection.filters, newest=selection.newest, prices=selection.prices)
        columns = ", ".join(f"count(*) FILTER (WHERE {sql})" for sql in OFFLOAD_WORDS.values())
        sql, bound = self._query(loose, columns, "")
        return dict(zip(OFFLOAD_WORDS, (int(n) for n in self._ask(sql, bound)[0]), strict=True))

    def newest_groups(self, selection: Selection, x: Sequence[str], y: str) -> list[Group]:
        """Every group that holds matching points, the newest first; figures from reports come last.

        `drawable` counts the points that have `y` and one of the metrics `x`.
        """
        some_x = " OR ".join(f"{metric_sql(key)} IS NOT NULL" for key in x)
        columns = f"model, workload, origin, run_instant, since, {metric_sql(y)} IS NOT NULL AND ({some_x}) AS placed"
        sql, bound = self._query(selection, columns, "", [*x, y])
        found = self._ask(
            f"""SELECT model, workload, origin, count(*), count(*) FILTER (WHERE placed) FROM ({sql}) AS m
                GROUP BY model, workload, origin
                ORDER BY origin = 'published', max(run_instant) DESC NULLS LAST, max(since) DESC, count(*) DESC,
                         model, workload, origin""",
            bound,
        )
        return [
            Group(model, workload, origin, int(count), int(drawable))
            for model, workload, origin, count, drawable in found
        ]

    def paired_groups(self, selection: Selection) -> set[tuple[str | None, str | None, str]]:
        """(model, workload, origin) of the groups in which a recipe ran with KV offload and without at one load."""
        columns = "model, workload, origin, recipe_id, concurrency, offload_mode, offload_kind"
        sql, bound = self._query(selection, columns, "")
        return set(
            self._ask(
                f"""SELECT DISTINCT model, workload, origin FROM (
                        SELECT model, workload, origin FROM ({sql}) AS m
                        GROUP BY model, workload, origin, recipe_id, concurrency
                        HAVING bool_or(offload_mode = 'off') AND bool_or({OFFLOAD_WORDS["kv"]}))""",
                bound,
            )
        )

    def origins(self) -> list[str]:
        """Origins of the points that are live."""
        return [origin for (origin,) in self._ask(f"SELECT DISTINCT origin FROM {self._table} AS w ORDER BY origin")]

    def point(self, point_id: str, prices: PriceTable = DEFAULT_PRICES) -> Row | None:
        """One point whole: its flat row, `detail` and `raw` parsed, and every place it was read from."""
        keys = [metric.key for metric in METRICS]
        columns = _flat_sql(_WHOLE)
        selection = Selection(newest=False, prices=prices)
        sql, bound = self._query(selection, columns, "AND id = ?", keys)
        found = self._flat(sql, [*bound, point_id])
        if not found:
            return None
        row = found[0]
        row["detail"], row["raw"] = orjson.loads(row["detail"]), orjson.loads(row["raw"])
        row["places"] = self._ask(
            "SELECT place, spot FROM places WHERE row = ? AND since <= ? ORDER BY since, place, spot",
            [row["row"], self.seq],
        )
        return row

    def recorded(self, facts: Json) -> Recorded:
        """What happened during the run of a point, as far as its facts name files about it."""
        return Recorded(self._folder, series_of(facts), self._cursor)

    def history(self, point_id: str) -> list[Row]:
        """Earlier contents of an address, newest first."""
        found = self._ask(
            "SELECT row, since, until FROM points WHERE id = ? AND since <= ? ORDER BY since DESC", [point_id, self.seq]
        )
        return [
            {"row": row, "since": since, "until": until if until and until <= self.seq else None}
            for row, since, until in found
        ]

    def siblings(self, *, newest: bool = False, prices: PriceTable = DEFAULT_PRICES, **equal: object) -> list[Row]:
        """Flat rows that equal the given columns, by concurrency and row: a config's points, a recipe's, a run's."""
        names = {column.name for column in POINT_COLUMNS}
        for name in equal:
            if name not in names:
                raise ValueError(f"points have no column {name!r}")
        tail = "".join(f' AND "{name}" IS NOT DISTINCT FROM ?' for name in equal)
        keys = [metric.key for metric in METRICS]
        tail += " ORDER BY concurrency NULLS LAST, row"
        sql, bound = self._query(Selection(newest=newest, prices=prices), _flat_sql(_FLAT), tail, keys)
        return self._flat(sql, [*bound, *equal.values()])

    def snapshots(self) -> list[Row]:
        """The history up to this snapshot, newest first."""
        names = [column.name for column in TABLES["snapshots"]]
        found = self._ask("SELECT * FROM snapshots WHERE seq <= ? ORDER BY seq DESC", [self.seq])
        return [dict(zip(names, values, strict=True)) for values in found]

    def rejections(self, limit: int | None = None) -> list[Row]:
        """Everything refused up to this snapshot, newest first."""
        tail = f" LIMIT {int(limit)}" if limit is not None else ""
        found = self._ask(
            "SELECT path, spot, reason, source, since FROM rejections WHERE since <= ? "
            f"ORDER BY since DESC, path, spot, reason{tail}",
            [self.seq],
        )
        return [dict(zip(("path", "where", "reason", "source", "since"), values, strict=True)) for values in found]

    def sources(self) -> list[Row]:
        """(source, origin, points, on, off, unknown) of what is live."""
        found = self._ask(
            f"""SELECT source, origin, count(*), count(*) FILTER (WHERE offload_mode = 'on'),
                       count(*) FILTER (WHERE offload_mode = 'off'), count(*) FILTER (WHERE offload_mode = 'unknown')
                FROM {self._table} AS w GROUP BY source, origin ORDER BY source, origin"""
        )
        return [
            dict(zip(("source", "origin", "points", "on", "off", "unknown"), values, strict=True)) for values in found
        ]


class Store:
    """The store of a folder: hands out the live snapshot, following the pointer, or an earlier one by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._name: str | None = ""
        self._snapshot: Snapshot | None = None

    def live_name(self) -> str | None:
        """The pointer's text: what changes exactly when a snapshot is published."""
        return files.pointer_text(self.folder)

    def snapshot(self, snapshot_id: str | None = None) -> Snapshot:
        """The live snapshot, or the one named. Raises SnapshotNotFound."""
        live = self._live()
        if snapshot_id is None or snapshot_id == live.id:
            return live
        for entry in live.snapshots():
            if entry["id"] == snapshot_id:
                return Snapshot(live._connection, snapshot_id, entry["seq"], live=False, folder=self.folder)
        raise SnapshotNotFound(f"this store has no snapshot {snapshot_id!r}; /data lists those it has")

    def _live(self) -> Snapshot:
        name = self.live_name()
        snapshot = self._snapshot
        if snapshot is not None and name == self._name:
            return snapshot
        with self._lock:
            name = self.live_name()
            if self._snapshot is None or name != self._name:
                self._snapshot = self._open(name)
                self._name = name
            return self._snapshot

    def _open(self, name: str | None) -> Snapshot:
        if name is None:
            connection = duckdb.connect(config=dict(files.SETTINGS))
            for table in TABLES:
                connection.execute(create_sql(table))
            return Snapshot(connection, EMPTY, 0, live=True, folder=self.folder)
        connection = _completed(files.connect(self.folder / name, read_only=True), self.folder / name)
        found = connection.execute("SELECT id, seq FROM snapshots ORDER BY seq DESC LIMIT 1").fetchone()
        if found is None:
            raise files.StoreError(f"{name} records no snapshot; restore it from a copy or ingest the files anew")
        return Snapshot(connection, found[0], found[1], live=True, folder=self.folder)


def _completed(connection: duckdb.DuckDBPyConnection, path: Path) -> duckdb.DuckDBPyConnection:
    """The connection; where a newer catalog knows more columns than the file, views in which those are missing."""
    have: dict[str, set[str]] = {table: set() for table in TABLES}
    for table, column in connection.execute("SELECT table_name, column_name FROM duckdb_columns()").fetchall():
        have.get(table, set()).add(column)
    if all(column.name in have[table] for table, columns in TABLES.items() for column in columns):
        return connection
    connection.close()
    views = duckdb.connect(config=dict(files.SETTINGS))
    views.execute(f"ATTACH '{str(path).replace(chr(39), chr(39) * 2)}' AS stored (READ_ONLY)")
    for table, columns in TABLES.items():
        listed = ", ".join(
            f'"{column.name}"' if column.name in have[table] else f'NULL::{column.type} AS "{column.name}"'
            for column in columns
        )
        views.execute(f"CREATE VIEW {table} AS SELECT {listed} FROM stored.{table}")
    return views


def _splits_repeats(selection: Selection) -> bool:
    """Whether a filter can hide the newest of some repeats while keeping an older one."""
    return any(selection.filters.get(key) for key in ("run", "source", "engine_version"))


def _values(table: str, key: str) -> str:
    """One row for each value of a dimension in a table, as `v`."""
    column = f'"{DIMENSIONS[key].column}"'
    return f"(SELECT {f'unnest({column})' if DIMENSIONS[key].many else column} AS v FROM {table})"


def _flat_sql(names: Sequence[str]) -> str:
    """Those columns, with every metric as its expression."""
    plain = [f'"{name}"' for name in names if name not in METRICS]
    return ", ".join(plain + [f'{metric_sql(metric.key)} AS "{metric.key}"' for metric in METRICS])


def _order_sql(key: str) -> str:
    if key in METRICS:
        return metric_sql(key)
    if key in DIMENSIONS:
        return f'"{DIMENSIONS[key].column}"'
    if key in _FLAT:
        return f'"{key}"'
    raise ValueError(f"rows cannot be ordered by {key!r}")


def _flags_joined(row: Row) -> Row:
    row["flags"] = [*(row.get("flags") or ()), *(row.get("extra_flags") or ())]
    return row


def _floats(values: Any) -> NDArray[np.float64]:
    """DuckDB marks missing values with a mask; here they become NaN."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(values.filled(np.nan), dtype=np.float64)
    return np.asarray(values, dtype=np.float64)


def parse_detail(text: str) -> Json:
    return orjson.loads(text)
