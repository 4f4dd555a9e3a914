"""The series of a chart as a comparison takes them: their frontiers, and what is known of each point."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.catalog.metrics import METRICS, Metric
from app.curve import Corner, Span, span
from app.noise import Interval, interval_of
from app.question import Question
from app.series import Chart, Series
from app.store.standing import is_told_again

MOST = 10_000
"""Most points whose service levels and loads a comparison reads. It says so where a view holds more."""

Fact = Mapping[str, Any]
"""What is known of a point, by column."""

_TOLD = (
    "row",
    "id",
    "config_id",
    "identity",
    "origin",
    "concurrency",
    "model",
    "workload",
    "chip",
    "engine",
    "cold",
    "interactivity_def",
    "offload_label",
    "layout",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One series. `corners` is its frontier as the chart draws it, `facts` every point of it that was read."""

    series: Series
    corners: tuple[Corner, ...]
    facts: tuple[Fact, ...]
    definitions: tuple[str, ...]
    """How its points define interactivity, where an axis is one."""

    @property
    def key(self) -> str:
        return self.series.key

    @property
    def label(self) -> str:
        return self.series.label

    @property
    def span(self) -> Span | None:
        return span(self.corners)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What was read for a comparison. `known` holds points by id, `repeats` the others of their identity."""

    lines: tuple[Line, ...]
    hidden: tuple[str, ...]
    known: Mapping[str, Fact]
    repeats: Mapping[str, tuple[Fact, ...]]
    notes: tuple[str, ...]

    def value(self, point_id: str, metric: Metric) -> float | None:
        found: float | None = self.known[point_id][metric.key]
        return found

    def interval(self, point_id: str, metric: Metric) -> Interval | None:
        """Over the repeats of a point, itself among them; None where it was measured once."""
        found = [value for fact in self.repeats.get(point_id, ()) if (value := fact[metric.key]) is not None]
        return interval_of(found)


def columns_of(y: Metric) -> tuple[Metric, ...]:
    """What is compared beside y: the throughput of its kind per chip, and what that costs and draws."""
    own = next((METRICS[key] for key in (y.key, y.follows) if key and _leads(key)), None)
    lead = own or next(metric for metric in METRICS if _leads(metric.key))
    return tuple(dict.fromkeys((y, lead, *(metric for metric in METRICS if metric.follows == lead.key))))


def _leads(key: str) -> bool:
    return any(metric.follows == key for metric in METRICS)


def read(placed: Chart, columns: Sequence[Metric]) -> Read:
    """Series that the view hides take no part; dominated points do, since a bound may lie off the axes."""
    question = placed.question
    shown = [series for series in placed.series if series.key not in question.view.hide]
    wanted = _wanted(placed, shown)
    metrics = [
        question.x.key,
        question.y.key,
        *(metric.key for metric in columns),
        *(key for key, _ in question.view.slo),
    ]
    facts = question.snapshot.facts([int(row) for row in placed.row[wanted]], (*_TOLD, *metrics), question.selection)
    at = {int(position): fact for position, fact in zip(wanted, facts, strict=True)}
    known = {fact["id"]: fact for fact in facts}
    return Read(
        lines=tuple(_line(placed, series, at) for series in shown),
        hidden=tuple(series.key for series in placed.series if series.key in question.view.hide),
        known=known,
        repeats=_repeats(question, facts, metrics),
        notes=_limited(len(facts), sum(len(series.members) for series in shown)),
    )


def _limited(count: int, total: int) -> tuple[str, ...]:
    if count == total:
        return ()
    return (f"Service levels and loads are read from {count:,} of {total:,} points: narrow the view to have all.",)


def _wanted(placed: Chart, shown: Sequence[Series]) -> NDArray[np.intp]:
    """Positions to read, ascending: all, or the frontiers and as many others as there is room for."""
    members = np.sort(np.concatenate([np.zeros(0, dtype=np.intp), *(series.members for series in shown)]))
    if len(members) <= MOST:
        return members
    best = members[placed.frontier[members]]
    rest = members[~placed.frontier[members]]
    return np.sort(np.r_[best, rest[: max(0, MOST - len(best))]])


def _line(placed: Chart, series: Series, at: Mapping[int, Fact]) -> Line:
    uses_interactivity = any(metric.group == "Interactivity" for metric in (placed.question.x, placed.question.y))
    facts = [at[position] for position in series.members.tolist() if position in at]
    corners = placed.line(series).tolist() if placed.has_frontier else []
    follows = placed.question.y.follows
    words = {fact["interactivity_def"] or "not said" for fact in facts} if uses_interactivity else set()
    return Line(
        series=series,
        corners=tuple(
            Corner(
                id=at[position]["id"],
                x=float(placed.x[position]),
                y=float(placed.y[position]),
                halo=bool(placed.has_halo[position]),
                lead=at[position][follows] if follows else None,
            )
            for position in corners
        ),
        facts=tuple(facts),
        definitions=tuple(sorted(words)),
    )


def _repeats(question: Question, facts: Sequence[Fact], metrics: Sequence[str]) -> dict[str, tuple[Fact, ...]]:
    rows = question.snapshot.repeats([fact["row"] for fact in facts], metrics, question.selection)
    by: dict[tuple[Any, ...], list[Fact]] = {}
    for row in rows:
        if is_told_again(row):
            continue
        by.setdefault(_same(row), []).append(row)
    return {fact["id"]: tuple(by[_same(fact)]) for fact in facts if len(by.get(_same(fact), ())) > 1}


def _same(fact: Fact) -> tuple[Any, ...]:
    return fact["identity"], fact["origin"], bool(fact["cold"])
