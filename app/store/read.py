"""The questions that pages and the API ask of one snapshot. Same question, same answer, same order.

`Snapshot` joins them: `listed` rows, what is `counted`, a point `whole`, the `past`, and what `changed` since.
"""

import threading
from pathlib import Path

import duckdb

from app.store import files
from app.store.asking import Beside, Row
from app.store.changed import Changed
from app.store.counted import Counted, Group
from app.store.listed import Columns, Listed
from app.store.past import Past
from app.store.prices import read_prices
from app.store.schema import TABLES, create_sql
from app.store.whole import Whole, parse_detail

__all__ = ["EMPTY", "Columns", "Group", "Row", "Snapshot", "SnapshotNotFound", "Store", "parse_detail"]

EMPTY = "empty"
"""The id of the snapshot of a store in which nothing was published yet."""

KEPT = 8
"""Earlier snapshots that are held ready."""


class SnapshotNotFound(files.StoreError):
    """The store never published a snapshot of that name."""


class Snapshot(Listed, Counted, Whole, Past, Changed):
    """One state of the store, to be asked anything."""


class Store:
    """The store of a folder: hands out the live snapshot, following the pointer, or an earlier one by name."""

    def __init__(self, folder: Path, beside: Path | None = None) -> None:
        """`beside` makes it a preview: the folder of the store that its last snapshot was laid over."""
        self.folder = folder
        self.prices = read_prices(beside or folder)
        self._beside = beside
        self._lock = threading.Lock()
        self._name: str | None = ""
        self._snapshot: Snapshot | None = None
        self._earlier: dict[str, Snapshot] = {}

    def live_name(self) -> str | None:
        """The pointer's text: what changes exactly when a snapshot is published."""
        return files.pointer_text(self.folder)

    def snapshot(self, snapshot_id: str | None = None) -> Snapshot:
        """The live snapshot, or the one named. Raises SnapshotNotFound."""
        live = self._live()
        if snapshot_id is None or snapshot_id == live.id:
            return live
        seq = 0 if snapshot_id == EMPTY else live.seq_of(snapshot_id)
        if seq is not None:
            return self._as_it_was(live, snapshot_id, seq)
        raise SnapshotNotFound(f"this store has no snapshot {snapshot_id!r}; /data lists those it has")

    def _as_it_was(self, live: Snapshot, snapshot_id: str, seq: int) -> Snapshot:
        """An earlier snapshot, the same one as long as it is asked for: what it worked out serves again."""
        with self._lock:
            kept = self._earlier.pop(snapshot_id, None)
            if kept is None or not kept.shares(live):
                kept = Snapshot(
                    live._connection,
                    snapshot_id,
                    seq,
                    live=False,
                    folder=self.folder,
                    prices=self.prices,
                    beside=live._beside,
                )
            self._earlier[snapshot_id] = kept
            while len(self._earlier) > KEPT:
                del self._earlier[next(iter(self._earlier))]
            return kept

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
            return Snapshot(connection, EMPTY, 0, live=True, folder=self.folder, prices=self.prices)
        connection = _completed(files.connect(self.folder / name, read_only=True), self.folder / name)
        found = connection.execute("SELECT id, seq FROM snapshots ORDER BY seq DESC LIMIT 1").fetchone()
        if found is None:
            raise files.StoreError(f"{name} records no snapshot; restore it from a copy or ingest the files anew")
        return Snapshot(
            connection,
            found[0],
            found[1],
            live=True,
            folder=self.folder,
            prices=self.prices,
            beside=self._laid_over(connection, found[1]),
        )

    def _laid_over(self, connection: duckdb.DuckDBPyConnection, seq: int) -> Beside | None:
        if self._beside is None:
            return None
        first = connection.execute("SELECT min(row) FROM points WHERE since = ?", [seq]).fetchone()
        return Beside(self._beside, first[0] if first and first[0] is not None else 2**62)


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
