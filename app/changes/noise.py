"""How far repeats of one measurement lie apart: what a change must exceed to be told from chance."""

from collections.abc import Sequence

from app.noise import Bounds
from app.store.read import Row
from app.store.standing import SAME_RUN

REPEATS = 5
"""Newest repeats that count: older ones were measured on another day's machine."""


def repeats_of(shown: Row, others: Sequence[Row]) -> list[Row]:
    """The newest rows that repeat `shown`, itself first: same identity and engine version, warm, no dialect twins."""
    alike = [
        row
        for row in others
        if row["row"] != shown["row"]
        and row["identity"] == shown["identity"]
        and row["engine_version"] == shown["engine_version"]
        and not row["cold"]
        and SAME_RUN not in row["flags"]
    ]
    return [shown, *sorted(alike, key=lambda row: row["newest_rank"])][:REPEATS]


def range_of(rows: Sequence[Row], key: str) -> Bounds | None:
    """Least and most that repeats state; None where fewer than two state anything."""
    found = [row[key] for row in rows if row[key] is not None]
    return (min(found), max(found)) if len(found) > 1 else None
