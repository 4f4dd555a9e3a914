"""Which numbers differ between two snapshots and by how much, which points came and which went."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS, Metric
from app.catalog.origins import ORIGINS
from app.catalog.prices import PriceTable
from app.question import HIDDEN_BY_REAL, REAL
from app.store.changed import MetricMoves, Move
from app.store.read import Row, Snapshot
from app.store.select import Selection
from app.view import View

Kind = Literal["changed", "added", "retired"]
KINDS: tuple[Kind, ...] = ("changed", "added", "retired")

_WORDS: tuple[str, ...] = tuple(
    dict.fromkeys(
        (
            *(dimension.column for dimension in DIMENSIONS if dimension.column not in METRICS),
            "config_id",
            "run_time",
            "offload_label",
            "interactivity_def",
            "flags",
            "reader",
        )
    )
)
"""What a point says beside its metrics, as far as a change of it is told."""


@dataclass(frozen=True, slots=True)
class Number:
    """A metric with two values. `change` is relative to the former, None where there is none or it is zero."""

    metric: Metric
    before: float | None
    after: float | None

    @property
    def change(self) -> float | None:
        if self.before is None or self.after is None or self.before == 0:
            return None
        return (self.after - self.before) / abs(self.before)

    @property
    def better(self) -> bool | None:
        """Whether the later value is the better one; None where neither side of the metric is."""
        if self.before is None or self.after is None or self.metric.better == "none":
            return None
        return (self.after > self.before) == (self.metric.better == "higher")


@dataclass(frozen=True, slots=True)
class Word:
    """Something a point says beside its metrics, before and after."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An address that changed. An added one has no `before`, a retired one no `after`."""

    id: str
    kind: Kind
    before: Row | None
    after: Row | None
    numbers: tuple[Number, ...]
    words: tuple[Word, ...]

    @property
    def row(self) -> Row:
        """The point as it is now, or as it was last."""
        row = self.after or self.before
        assert row is not None
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """All that lies between two snapshots, and some of it in full. `demo` counts demo points that were left aside."""

    earlier: Snapshot
    later: Snapshot
    selection: Selection
    counts: Mapping[Kind, int]
    metrics: tuple[MetricMoves, ...]
    demo: int

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def prices(self) -> PriceTable:
        return self.selection.prices

    def entries(self, start: int, limit: int) -> tuple[Entry, ...]:
        """Some of the addresses in full: the changed ones, then the added, then the retired."""
        chosen = self.later.moves(self.earlier, self.selection, limit, start)
        before = _rows(self.earlier, [move.before for move in chosen], self.prices)
        after = _rows(self.later, [move.after for move in chosen], self.prices)
        return tuple(
            _entry(
                move,
                before[move.before] if move.before is not None else None,
                after[move.after] if move.after is not None else None,
            )
            for move in chosen
        )


def changes(earlier: Snapshot, later: Snapshot, view: View) -> Changes:
    """What changed on the way, as far as the filters of a view hold it before or after.

    As on every page, demo data is left aside where there is any other and the view does not ask for it.
    """
    prices = later.prices.resolve(view.price)
    asked = Selection(filters=view.filter, offload=view.offload, newest=False, prices=prices)
    counts = later.move_counts(earlier, asked)
    demo = 0
    if "origin" not in view.filter and REAL & {*earlier.origins(), *later.origins()}:
        real = tuple(origin.key for origin in ORIGINS if origin.key != HIDDEN_BY_REAL)
        asked = replace(asked, filters={**view.filter, "origin": real})
        every, counts = sum(counts), later.move_counts(earlier, asked)
        demo = every - sum(counts)
    return Changes(
        earlier=earlier,
        later=later,
        selection=asked,
        counts=dict(zip(KINDS, counts, strict=True)),
        metrics=tuple(later.metric_moves(earlier, asked)) if counts[0] else (),
        demo=demo,
    )


def kind_of(move: Move) -> Kind:
    if move.before is None:
        return "added"
    return "retired" if move.after is None else "changed"


def _rows(snapshot: Snapshot, numbers: Sequence[int | None], prices: PriceTable) -> dict[int, Row]:
    wanted = [number for number in numbers if number is not None]
    found = snapshot.rows(Selection(newest=False, prices=prices), rows=wanted) if wanted else []
    return {row["row"]: row for row in found}


def _entry(move: Move, before: Row | None, after: Row | None) -> Entry:
    numbers: tuple[Number, ...] = ()
    words: tuple[Word, ...] = ()
    if before is not None and after is not None:
        numbers = tuple(
            Number(metric, before[metric.key], after[metric.key])
            for metric in METRICS
            if before[metric.key] != after[metric.key]
        )
        words = tuple(Word(name, before[name], after[name]) for name in _WORDS if before[name] != after[name])
    return Entry(id=move.id, kind=kind_of(move), before=before, after=after, numbers=numbers, words=words)
