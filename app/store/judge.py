"""What each arrival is to the store: new, known already, or the successor of something stored. Writes nothing."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import duckdb

from app.catalog.point import address
from app.store.rows import TELLER, Arrival, Keys, Rejection, identity_of, keys_of, row_of

Verdict = Literal["new", "duplicate", "superseded"]

_OVER = "over "
"""In place of a run, before the address of the stored point that one laid apart would supersede."""


@dataclass(slots=True)
class Change:
    """What a call does to the store, before anything is written."""

    seq: int
    next_row: int
    verdicts: list[Verdict] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)
    places: list[tuple[int, str, str]] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    identities: set[str] = field(default_factory=set)
    apart: bool = False
    """Whether its rows are laid over those of the store: they close none, and are ranked among themselves."""

    @property
    def ranked_from(self) -> int:
        """The first row whose standing it may change."""
        return min((row["row"] for row in self.rows), default=self.next_row) if self.apart else 0

    @property
    def empty(self) -> bool:
        return not (self.rows or self.closed or self.places or self.rejections)


@dataclass(frozen=True, slots=True)
class _Live:
    """A live row, as far as arrivals are compared with it."""

    row: int
    id: str
    run: str
    identity: str
    keys: Keys
    reader: str


class _Rows:
    """The live rows that a call can meet, kept in step with what it adds and closes."""

    def __init__(self, rows: Iterable[_Live]) -> None:
        self.by_id: dict[str, _Live] = {}
        self.by_content: dict[str, list[_Live]] = defaultdict(list)
        self.taken: set[str] = set()
        """Every address that was met, those of closed rows too."""
        for row in rows:
            self.add(row)

    def add(self, row: _Live) -> None:
        self.by_id[row.id] = row
        self.taken.add(row.id)
        self.by_content[row.keys.content].append(row)

    def close(self, row: _Live) -> None:
        del self.by_id[row.id]
        self.by_content[row.keys.content].remove(row)


def judge(
    old: duckdb.DuckDBPyConnection | None,
    arrivals: Sequence[Arrival],
    rejections: Sequence[Rejection],
    *,
    apart: bool = False,
) -> Change:
    """Decides what each arrival is, in order.

    With `apart` what supersedes a row stands beside it, at an address of its own; the verdicts are the same.
    """
    keys = [keys_of(arrival) for arrival in arrivals]
    identities = [identity_of(arrival) for arrival in arrivals]
    counts: dict[tuple[str, str], int] = defaultdict(int)
    numbers: list[int] = []
    for arrival, identity in zip(arrivals, identities, strict=True):
        numbers.append(counts[arrival.run, identity])
        counts[arrival.run, identity] += 1
    addresses = [
        arrival.address or address(identity, arrival.run, n)
        for arrival, identity, n in zip(arrivals, identities, numbers, strict=True)
    ]

    live = _Rows(_lookup(old, [key.content for key in keys], addresses))
    known_places = _known(old, "places", "row, place, spot", "place", {arrival.place for arrival in arrivals})
    seq, next_row = _counters(old)
    change = Change(seq=seq, next_row=next_row, apart=apart)

    for arrival, key, identity, n, own_address in zip(arrivals, keys, identities, numbers, addresses, strict=True):
        twin = _duplicate(live, key) or _told_otherwise(live, arrival)
        if twin is not None:
            change.verdicts.append("duplicate")
            _add_place(change, known_places, twin.row, arrival)
            continue
        former = _former(live, arrival, key, own_address, first_new=next_row)
        if former is None:
            point_id, place = _free_address(live, identity, arrival.run, n, own_address)
        else:
            live.close(former)
            point_id, place = (address(identity, f"{_OVER}{former.id}", n) if apart else former.id), n
            if not apart:
                change.closed.append(former.row)
                change.identities.add(former.identity)
        row = change.next_row
        change.next_row += 1
        change.rows.append(
            row_of(arrival, row=row, address=point_id, n=place, identity_key=identity, keys=key, seq=seq)
        )
        change.identities.add(identity)
        live.add(_Live(row, point_id, arrival.run, identity, key, arrival.reader))
        _add_place(change, known_places, row, arrival)
        change.verdicts.append("superseded" if former is not None else "new")

    known = _known(old, "rejections", "path, spot, reason", "path", {rejection.path for rejection in rejections})
    for rejection in rejections:
        signature = (rejection.path, rejection.where, rejection.reason)
        if signature not in known:
            known.add(signature)
            change.rejections.append(rejection)
    return change


def _told_otherwise(live: _Rows, arrival: Arrival) -> _Live | None:
    """The live row of a point that another Halo tells of, where it was read itself or a third one told of it first.

    What is told is less than the record behind it, so it never takes the place of that.
    """
    row = live.by_id.get(arrival.address) if arrival.address is not None else None
    return row if row is not None and row.reader.partition(TELLER)[2] != arrival.reader.partition(TELLER)[2] else None


def _duplicate(live: _Rows, key: Keys) -> _Live | None:
    """The live row of the same record, told the same, that knows every companion this one comes with."""
    return next(
        (
            row
            for row in live.by_content.get(key.content, ())
            if row.keys.told == key.told and set(key.companions) <= set(row.keys.companions)
        ),
        None,
    )


def _former(live: _Rows, arrival: Arrival, key: Keys, own_address: str, *, first_new: int) -> _Live | None:
    """The stored row that this arrival takes the place of, and whose address it keeps.

    The same record, now with other companions; or told other things, or read by another reader, in the
    same run; else the row at the same address. Rows that this very call added are never replaced.
    """
    same = [row for row in live.by_content.get(key.content, ()) if row.row < first_new]
    completed = [row for row in same if row.keys.told == key.told]
    retold = [row for row in same if row.run == arrival.run]
    at_address = live.by_id.get(own_address)
    if at_address is not None and at_address.row >= first_new:
        at_address = None
    return next(iter([*completed, *retold]), at_address)


def _free_address(live: _Rows, identity: str, run: str, n: int, own_address: str) -> tuple[str, int]:
    """The address of a new row; the next free place where a row that changed its identity kept this one."""
    while own_address in live.taken:
        n += 1
        own_address = address(identity, run, n)
    return own_address, n


def _add_place(change: Change, known: set[tuple[Any, ...]], row: int, arrival: Arrival) -> None:
    signature = (row, arrival.place, arrival.where)
    if signature not in known:
        known.add(signature)
        change.places.append((row, arrival.place, arrival.where))


def _lookup(old: duckdb.DuckDBPyConnection | None, contents: Sequence[str], addresses: Sequence[str]) -> list[_Live]:
    """Live rows that hold one of the records or stand at one of the addresses, oldest first."""
    if old is None or not contents:
        return []
    found = old.execute(
        """SELECT row, id, run, identity, content_key, told_key, companion_keys, reader FROM points
            WHERE until IS NULL
                AND (content_key IN (SELECT unnest(?::VARCHAR[])) OR id IN (SELECT unnest(?::VARCHAR[])))
            ORDER BY row""",
        [list(dict.fromkeys(contents)), list(dict.fromkeys(addresses))],
    ).fetchall()
    return [
        _Live(row, point_id, run, identity, Keys(content, told, tuple(companions or ())), reader)
        for row, point_id, run, identity, content, told, companions, reader in found
    ]


def _known(
    old: duckdb.DuckDBPyConnection | None, table: str, columns: str, by: str, values: Iterable[str]
) -> set[tuple[Any, ...]]:
    wanted = sorted(values)
    if old is None or not wanted:
        return set()
    sql = f"SELECT {columns} FROM {table} WHERE {by} IN (SELECT unnest(?::VARCHAR[]))"
    return set(old.execute(sql, [wanted]).fetchall())


def _counters(old: duckdb.DuckDBPyConnection | None) -> tuple[int, int]:
    """The next snapshot's place in the history, and the next row number."""
    if old is None:
        return 1, 1
    seq = old.execute("SELECT coalesce(max(seq), 0) FROM snapshots").fetchone()
    row = old.execute("SELECT coalesce(max(row), 0) FROM points").fetchone()
    return (seq[0] if seq else 0) + 1, (row[0] if row else 0) + 1
