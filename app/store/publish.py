"""Writing: what a call adds, supersedes or has already, and the new snapshot that holds it.

A snapshot file is written under a temporary name, closed, renamed and only then pointed at. Nothing
that is served is ever changed.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from app.catalog.metrics import TOTAL_TPUT, TTFT_MEAN_S
from app.catalog.point import digest
from app.store import files
from app.store.judge import Change, Verdict, judge
from app.store.rows import Arrival, Rejection
from app.store.schema import TABLES, create_sql
from app.store.series import Staging, series_of
from app.store.standing import Repeat, Standing, standings

_POLARS: dict[str, Any] = {
    "BIGINT": pl.Int64,
    "INTEGER": pl.Int32,
    "VARCHAR": pl.String,
    "DOUBLE": pl.Float64,
    "BOOLEAN": pl.Boolean,
    "TIMESTAMP": pl.Datetime("us"),
    "VARCHAR[]": pl.List(pl.String),
}


@dataclass(frozen=True, slots=True)
class Published:
    """What became of a call: the snapshot that now answers, and a verdict for each arrival in order."""

    snapshot: str | None
    verdicts: list[Verdict]


def publish(
    folder: Path,
    arrivals: Sequence[Arrival],
    rejections: Sequence[Rejection] = (),
    *,
    wait: bool = True,
    on_wait: Callable[[str], None] | None = None,
    dry_run: bool = False,
    staged: Staging | None = None,
    apart: bool = False,
) -> Published:
    """Adds what arrived and publishes a snapshot, unless all of it is known already. `staged` are their series.

    `apart` lays it over what is stored, which stays as it is: nothing is superseded or ranked anew.

    A record equal to a live one is a duplicate and adds its place; one at a known address with other
    content supersedes it; the rest is new. Raises StoreBusy or StoreError.
    """
    if dry_run:
        return _dry_run(folder, arrivals, rejections)
    with files.publisher(folder, wait=wait, on_wait=on_wait):
        files.sweep(folder)
        with _reading(folder) as old:
            change = judge(old, arrivals, rejections, apart=apart)
        if change.empty:
            return Published(_live_id(folder), change.verdicts)
        if staged is not None:
            staged.settle(_series(arrivals, change.verdicts))
        return Published(_write(folder, change), change.verdicts)


def _series(arrivals: Sequence[Arrival], verdicts: Sequence[Verdict]) -> set[str]:
    """Series files of the points that come in."""
    return {
        name
        for arrival, verdict in zip(arrivals, verdicts, strict=True)
        if verdict != "duplicate"
        for name in series_of(arrival.point.facts).values()
    }


def retire(folder: Path, origin: str) -> int:
    """Takes the points of an origin out of the live snapshot; earlier ones keep them. Returns how many left."""
    with files.publisher(folder, wait=True, on_wait=None):
        files.sweep(folder)
        with _reading(folder) as old:
            change = judge(old, (), ())
            if old is not None:
                rows = old.execute(
                    "SELECT row, identity FROM points WHERE until IS NULL AND origin = ? ORDER BY row", [origin]
                ).fetchall()
                change.closed = [row for row, _ in rows]
                change.identities = {identity for _, identity in rows}
        if change.closed:
            _write(folder, change)
        return len(change.closed)


def _dry_run(folder: Path, arrivals: Sequence[Arrival], rejections: Sequence[Rejection]) -> Published:
    with _reading(folder) as old:
        change = judge(old, arrivals, rejections)
    return Published(_live_id(folder), change.verdicts)


class _reading:  # reads as a statement: `with _reading(folder) as old`
    """The live database read-only, or None where nothing was published yet."""

    def __init__(self, folder: Path) -> None:
        self._path = files.live_file(folder)
        self._connection: duckdb.DuckDBPyConnection | None = None

    def __enter__(self) -> duckdb.DuckDBPyConnection | None:
        if self._path is not None:
            self._connection = files.connect(self._path, read_only=True)
        return self._connection

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()


def _live_id(folder: Path) -> str | None:
    name = files.pointer_text(folder)
    return name.removeprefix("snap-").removesuffix(".duckdb") if name else None


def _snapshot_id(folder: Path, change: Change) -> str:
    """Names the snapshot by its place in the history and by what it holds."""
    content = digest(
        [
            _live_id(folder),
            [(row["id"], row["content_key"], row["told_key"], row["companion_keys"]) for row in change.rows],
            change.closed,
            change.places,
            [(r.path, r.where, r.reason) for r in change.rejections],
        ],
        8,
    )
    return f"{change.seq:06d}-{content}"


def _write(folder: Path, change: Change) -> str:
    """Writes and publishes the snapshot. Raises StoreError where the disk does not take it, and tidies up."""
    snapshot = _snapshot_id(folder, change)
    name = f"snap-{snapshot}.duckdb"
    staged = folder / f"{name}.tmp"
    try:
        _fill(folder, staged, snapshot, change)
        files.sync_file(staged)
        staged.replace(folder / name)
        files.point_at(folder, name)
    except (duckdb.IOException, duckdb.FatalException, OSError) as error:
        files.sweep(folder)
        said = str(error).splitlines()[0].replace(str(folder), folder.name)
        raise files.StoreError(f"the new snapshot could not be written, so the former one stays: {said}") from error
    files.sweep(folder)
    return snapshot


def _fill(folder: Path, staged: Path, snapshot: str, change: Change) -> None:
    former = files.live_file(folder)
    connection = files.connect(staged, read_only=False)
    try:
        for table in TABLES:
            connection.execute(create_sql(table))
        if former is not None:
            _copy(connection, former)
        _insert(connection, folder, change)
        _close_rows(connection, change)
        _restand(connection, change)
        _record(connection, snapshot, change)
        connection.execute("CHECKPOINT")
    finally:
        connection.close()


def _copy(connection: duckdb.DuckDBPyConnection, former: Path) -> None:
    """Carries the former snapshot over. By name, so that a store made before a metric existed still opens."""
    connection.execute(f"ATTACH '{str(former).replace(chr(39), chr(39) * 2)}' AS former (READ_ONLY)")
    for table, columns in TABLES.items():
        have = {
            name
            for (name,) in connection.execute(
                "SELECT column_name FROM duckdb_columns() WHERE database_name = 'former' AND table_name = ?", [table]
            ).fetchall()
        }
        shared = ", ".join(f'"{column.name}"' for column in columns if column.name in have)
        if shared:
            connection.execute(f"INSERT INTO {table} ({shared}) SELECT {shared} FROM former.{table}")
    connection.execute("DETACH former")


def _insert(connection: duckdb.DuckDBPyConnection, folder: Path, change: Change) -> None:
    seq = change.seq
    _bulk(connection, folder, "points", change.rows)
    _bulk(
        connection,
        folder,
        "places",
        [{"row": row, "place": place, "spot": spot, "since": seq} for row, place, spot in change.places],
    )
    _bulk(
        connection,
        folder,
        "rejections",
        [
            {"path": r.path, "spot": r.where, "reason": r.reason, "source": r.source, "since": seq}
            for r in change.rejections
        ],
    )


def _bulk(connection: duckdb.DuckDBPyConnection, folder: Path, table: str, rows: list[dict[str, Any]]) -> None:
    """Adds many rows at once, through Parquet: row by row is a hundred times slower."""
    if not rows:
        return
    schema = {column.name: _POLARS[column.type] for column in TABLES[table]}
    parcel = folder / f"arrivals-{table}.parquet"
    pl.DataFrame(rows, schema=schema, orient="row").write_parquet(parcel, compression="uncompressed")
    connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM read_parquet(?)", [str(parcel)])
    parcel.unlink()


def _close_rows(connection: duckdb.DuckDBPyConnection, change: Change) -> None:
    if change.closed:
        connection.execute(
            "UPDATE points SET until = ? WHERE row IN (SELECT unnest(?::BIGINT[])) AND until IS NULL",
            [change.seq, change.closed],
        )


def _restand(connection: duckdb.DuckDBPyConnection, change: Change) -> None:
    """Ranks the repeats of every identity the change touched; earlier standings go to `standings`."""
    cursor = connection.execute(
        f"""SELECT identity, row, source, since, run_instant, cold, richness, "{TOTAL_TPUT}", "{TTFT_MEAN_S}",
                   newest_rank, extra_flags, standing_since
            FROM points
            WHERE until IS NULL AND row >= ? AND identity IN (
                SELECT identity FROM points WHERE until IS NULL AND row >= ? GROUP BY identity
                HAVING count(*) > 1 OR bool_or(newest_rank <> 1 OR len(extra_flags) > 0)
            ) AND identity IN (SELECT unnest(?::VARCHAR[]))
            ORDER BY row""",
        [change.ranked_from, change.ranked_from, sorted(change.identities)],
    )
    groups: dict[str, list[tuple[Repeat, Standing, int]]] = defaultdict(list)
    for identity, row, source, since, moment, cold, rich, total, ttft, rank, flags, stood in cursor.fetchall():
        repeat = Repeat(
            row=row, source=source, since=since, instant=moment, cold=bool(cold), richness=rich, total=total, ttft=ttft
        )
        groups[identity].append((repeat, Standing(rank, tuple(flags or ())), stood))
    changed: list[tuple[int, Standing, Standing, int]] = []
    for members in groups.values():
        fresh = standings([repeat for repeat, _, _ in members])
        changed += [
            (repeat.row, fresh[repeat.row], stand, stood)
            for repeat, stand, stood in members
            if fresh[repeat.row] != stand
        ]
    former = [(row, stood, stand) for row, _, stand, stood in changed if stood < change.seq]
    connection.execute(
        "INSERT INTO standings SELECT unnest(?::BIGINT[]), unnest(?::INTEGER[]), ?, unnest(?::INTEGER[]), "
        "unnest(?::VARCHAR[][])",
        [
            [row for row, _, _ in former],
            [stood for _, stood, _ in former],
            change.seq,
            [stand.newest_rank for _, _, stand in former],
            [list(stand.extra_flags) for _, _, stand in former],
        ],
    )
    connection.execute(
        """UPDATE points SET newest_rank = fresh.rank, extra_flags = fresh.flags, standing_since = ?
            FROM (SELECT unnest(?::BIGINT[]) AS row, unnest(?::INTEGER[]) AS rank, unnest(?::VARCHAR[][]) AS flags)
                AS fresh
            WHERE points.row = fresh.row""",
        [
            change.seq,
            [row for row, _, _, _ in changed],
            [standing.newest_rank for _, standing, _, _ in changed],
            [list(standing.extra_flags) for _, standing, _, _ in changed],
        ],
    )


def _record(connection: duckdb.DuckDBPyConnection, snapshot: str, change: Change) -> None:
    live = connection.execute("SELECT count(*) FROM points WHERE until IS NULL").fetchone()
    superseded = 0 if change.apart else change.verdicts.count("superseded")
    connection.execute(
        "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            change.seq,
            snapshot,
            len(change.rows) - superseded,
            superseded,
            len(change.closed) - superseded,
            len(change.rejections),
            live[0] if live else 0,
        ],
    )
