"""How a row stands among its repeats: which is newest, and which flags only its neighbours can give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

SAME_RUN = "same_run"
"""Flag of two dialects of one run: both are kept, the richer is shown."""

ROUNDING = 2e-5
"""Relative difference within which two dialects state one number: one of them is rounded to five places."""


def is_told_again(row: Mapping[str, Any]) -> bool:
    """Whether a row is a second telling of a run that another row is shown for: it is no repeat of it."""
    return SAME_RUN in row["flags"] and row["newest_rank"] > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """The part of a row that decides its standing among the rows of its identity."""

    row: int
    source: str
    since: int
    instant: datetime | None
    cold: bool
    richness: int
    total: float | None
    ttft: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    newest_rank: int
    extra_flags: tuple[str, ...]


def standings(repeats: Sequence[Repeat]) -> dict[int, Standing]:
    """The standing of each row of one identity, by row number. Rank 1 is the one to show.

    Warm rows come before cold ones; then the latest time in the file; then the latest ingest. Rows of
    two dialects that state the same throughput and TTFT are one run: the poorer ranks right below.
    """
    order = sorted(
        repeats,
        key=lambda r: (not r.cold, r.instant is not None, r.instant or datetime.min, r.since, r.row),
        reverse=True,
    )
    ranked: list[Repeat] = []
    placed: set[int] = set()
    flagged: set[int] = set()
    has_dialects = len({repeat.source for repeat in order}) > 1
    for repeat in order:
        if repeat.row in placed:
            continue
        others = order if has_dialects else ()
        twins = [other for other in others if other.row not in placed and _same_run(repeat, other)]
        group = sorted([repeat, *twins], key=lambda r: (r.richness, r.since, r.row), reverse=True)
        if twins:
            flagged.update(r.row for r in group)
        ranked.extend(group)
        placed.update(r.row for r in group)
    return {
        repeat.row: Standing(rank, (SAME_RUN,) if repeat.row in flagged else ())
        for rank, repeat in enumerate(ranked, start=1)
    }


def _same_run(one: Repeat, other: Repeat) -> bool:
    return (
        one.row != other.row
        and one.source != other.source
        and _close(one.total, other.total)
        and _close(one.ttft, other.ttft)
    )


def _close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return False
    return abs(one - other) <= ROUNDING * max(abs(one), abs(other), 1e-9)
