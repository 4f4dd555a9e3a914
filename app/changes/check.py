"""The points of a view now against a baseline: what got worse, what only seems so, and what is gone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose
from typing import Literal

from app.catalog.metrics import Metric
from app.changes.fronts import Front, fronts
from app.changes.matched import Successors, newest_of_recipes, shown
from app.changes.noise import range_of, repeats_of
from app.noise import Bounds, told
from app.question import Question
from app.series import chart
from app.store.read import Row, Snapshot
from app.store.select import Selection

_RUN = "run"
_LAST_DIGITS = 1e-9
"""A change that differs from the threshold by less is the threshold: 0.97 against 1 is 3 %, whatever doubles say."""

Verdict = Literal["regression", "noise", "better", "same", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One metric of one point, before and now. `change` is relative; None where a side is missing or it was zero.

    `noise` means: it changed for the worse beyond the threshold, and repeats overlap.
    """

    metric: Metric
    before_row: Row
    now_row: Row
    before: float | None
    now: float | None
    change: float | None
    before_range: Bounds | None
    now_range: Bounds | None
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A view against a baseline. `again` counts the points that were measured anew, `still` those that were not."""

    question: Question
    baseline: str
    metrics: tuple[Metric, ...]
    threshold: float
    strict: bool
    lines: tuple[Line, ...]
    vanished: tuple[Row, ...]
    again: int
    still: int
    added: int
    fronts: tuple[Front, ...]

    def count(self, verdict: Verdict) -> int:
        return sum(line.verdict == verdict for line in self.lines)

    @property
    def failed(self) -> bool:
        """Whether something got worse beyond threshold and noise; when strict, whether anything is in doubt."""
        if self.count("regression"):
            return True
        doubts = self.count("noise") or self.count("missing") or self.vanished or not self.again
        return self.strict and bool(doubts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What to compare with: an earlier snapshot, or a run of the snapshot that is asked."""

    snapshot: Snapshot | None = None
    run: str | None = None

    @property
    def name(self) -> str:
        return self.snapshot.id if self.snapshot else f"run {self.run}"


def check(
    question: Question, baseline: Baseline, metrics: Sequence[Metric], threshold: float, *, strict: bool = False
) -> Check:
    """Compares points of equal config, workload and concurrency; `threshold` is a fraction of the former value.

    A view of some runs says what is judged, not what against: the baseline is looked for among all.
    """
    every = replace(question.selection, newest=False)
    pool = question.snapshot.rows(every)
    if baseline.snapshot is not None:
        former, rest = baseline.snapshot.rows(of_any_run(every)), pool
    else:
        all_runs = question.snapshot.rows(of_any_run(every))
        former = [row for row in all_runs if baseline.run in (row["run"], row["run_label"])]
        known = {row["row"] for row in former}
        rest = [row for row in pool if row["row"] not in known]
    old_rows = {row["row"] for row in former}
    fresh = [row for row in rest if row["row"] not in old_rows]
    successors, before = Successors(rest), shown(former)
    newest = newest_of_recipes(before.values())
    pairs = [
        (row, successors.of(row, upgrades=row["identity"] in newest, later=baseline.run is not None))
        for row in before.values()
    ]
    measured = [(old, new) for old, new in pairs if new is not None and new["row"] != old["row"]]
    # A run that was not repeated took nothing away.
    whole = baseline.snapshot is not None and _RUN not in every.filters
    gone = [old for old, new in pairs if new is None] if whole else []
    followed = {new["identity"] for _, new in measured}
    return Check(
        question=question,
        baseline=baseline.name,
        metrics=tuple(metrics),
        threshold=threshold,
        strict=strict,
        lines=tuple(_line(metric, old, new, former, fresh, threshold) for metric in metrics for old, new in measured),
        vanished=tuple(gone),
        again=len(measured),
        still=len(before) - len(measured) - len(gone),
        added=sum(identity not in before and identity not in followed for identity in shown(fresh)),
        fronts=_fronts(question, baseline, former) if measured else (),
    )


def of_any_run(selection: Selection) -> Selection:
    """The selection without its choice of runs."""
    return replace(selection, filters={key: values for key, values in selection.filters.items() if key != _RUN})


def _line(metric: Metric, before: Row, now: Row, former: Sequence[Row], fresh: Sequence[Row], threshold: float) -> Line:
    old, new = before[metric.key], now[metric.key]
    ranges = [range_of(repeats_of(row, rows), metric.key) for row, rows in ((before, former), (now, fresh))]
    change = (new - old) / abs(old) if old is not None and new is not None and old != 0 else None
    return Line(
        metric=metric,
        before_row=before,
        now_row=now,
        before=old,
        now=new,
        change=change,
        before_range=ranges[0],
        now_range=ranges[1],
        verdict=_verdict(metric, old, new, change, ranges[0], ranges[1], threshold),
    )


def _verdict(
    metric: Metric,
    old: float | None,
    new: float | None,
    change: float | None,
    old_range: Bounds | None,
    new_range: Bounds | None,
    threshold: float,
) -> Verdict:
    if old is None or new is None or change is None:
        return "same" if old == new else "missing"
    gain = change if metric.better == "higher" else -change
    if isclose(abs(gain), threshold, rel_tol=_LAST_DIGITS) or abs(gain) <= threshold:
        return "same"
    if gain > 0:
        return "better"
    return "noise" if told(change, (old, new), old_range, new_range) == "noise" else "regression"


def _fronts(question: Question, baseline: Baseline, former: Sequence[Row]) -> tuple[Front, ...]:
    if baseline.snapshot is not None:
        before = replace(question, snapshot=baseline.snapshot, selection=of_any_run(question.selection))
        return fronts(chart(before), chart(question))
    runs = tuple(sorted({row["run"] for row in former}))
    filters: Mapping[str, Sequence[str]] = {**question.selection.filters, "run": runs}
    return fronts(chart(replace(question, selection=replace(question.selection, filters=filters))), chart(question))
