"""Service levels: which points meet every bound, the best of them by chip and engine, and by how much others miss."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS, Metric
from app.compare.lines import Fact, Line
from app.question import Question
from app.view import View

_CHIP_AND_ENGINE = ("chip", "engine")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A bound: at most `value` where lower is better, at least it where higher is."""

    metric: Metric
    value: float

    @property
    def at_most(self) -> bool:
        return self.metric.better == "lower"

    @property
    def text(self) -> str:
        """`TTFT p90 ≤ 2 s`."""
        value = self.value * 100 if self.metric.is_share else self.value
        return f"{self.metric.label} {'≤' if self.at_most else '≥'} {value:,.6g} {self.metric.unit}".rstrip()

    def met_by(self, fact: Fact) -> bool:
        """Whether a point is known to hold it."""
        value = fact[self.metric.key]
        return value is not None and self.holds(value)

    def holds(self, value: float) -> bool:
        return value <= self.value if self.at_most else value >= self.value

    def miss(self, value: float) -> float:
        """How far a value is beyond the bound, relative to it; 0 where it holds."""
        if self.holds(value):
            return 0.0
        return abs(value - self.value) / abs(self.value) if self.value else abs(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    level: Level
    value: float
    by: float
    """Relative to the bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A point, with what it misses: nothing where it meets every bound."""

    fact: Fact
    series: str
    misses: tuple[Miss, ...]

    @property
    def id(self) -> str:
        return str(self.fact["id"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """The points of one chip and engine. `best` meets every bound; without one, `nearest` misses least."""

    label: str
    values: Mapping[str, str | None]
    meeting: int
    failing: int
    unknown: int
    best: Candidate | None
    nearest: Candidate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """`meeting` are ids of all points that meet every bound; a point that lacks one of the metrics is unknown."""

    levels: tuple[Level, ...]
    classes: tuple[Class, ...]
    meeting: tuple[str, ...]
    failing: int
    unknown: int
    missing: tuple[tuple[Metric, int], ...]
    """Metrics that points do not report, and how many do not."""


def levels_of(view: View) -> tuple[Level, ...]:
    return tuple(Level(metric=METRICS[key], value=value) for key, value in view.slo)


def service_of(question: Question, lines: Sequence[Line]) -> Service | None:
    """None where the view sets no service level."""
    levels = levels_of(question.view)
    if not levels:
        return None
    groups: dict[tuple[str | None, ...], list[Candidate]] = {}
    unknown: dict[tuple[str | None, ...], int] = {}
    missing = dict.fromkeys((level.metric for level in levels), 0)
    by = ("model", "workload", "origin", *_CHIP_AND_ENGINE)
    for line in lines:
        for fact in line.facts:
            key = tuple(fact[name] for name in by)
            groups.setdefault(key, [])
            unknown.setdefault(key, 0)
            absent = [level.metric for level in levels if fact[level.metric.key] is None]
            for metric in absent:
                missing[metric] += 1
            if absent:
                unknown[key] += 1
            else:
                groups[key].append(Candidate(fact=fact, series=line.key, misses=_misses(fact, levels)))
    several = tuple(name for at, name in enumerate(by[:3]) if len({key[at] for key in groups}) > 1)
    classes = [
        _class(dict(zip(by, key, strict=True)), several, members, unknown[key], question)
        for key, members in groups.items()
    ]
    met = sorted(candidate.id for members in groups.values() for candidate in members if not candidate.misses)
    return Service(
        levels=levels,
        classes=tuple(sorted(classes, key=lambda one: _order(one, question))),
        meeting=tuple(met),
        failing=sum(one.failing for one in classes),
        unknown=sum(unknown.values()),
        missing=tuple((metric, count) for metric, count in missing.items() if count),
    )


def _misses(fact: Fact, levels: Sequence[Level]) -> tuple[Miss, ...]:
    return tuple(
        Miss(level=level, value=fact[level.metric.key], by=level.miss(fact[level.metric.key]))
        for level in levels
        if not level.holds(fact[level.metric.key])
    )


def _class(
    values: Mapping[str, str | None],
    several: Sequence[str],
    members: Sequence[Candidate],
    unknown: int,
    question: Question,
) -> Class:
    met = [candidate for candidate in members if not candidate.misses]
    missed = [candidate for candidate in members if candidate.misses]
    return Class(
        label=" · ".join(DIMENSIONS[key].label_of(values[key]) for key in (*several, *_CHIP_AND_ENGINE)),
        values=values,
        meeting=len(met),
        failing=len(missed),
        unknown=unknown,
        best=min(met, key=lambda one: (_down(one, question), one.id), default=None),
        nearest=min(missed, key=lambda one: (max(miss.by for miss in one.misses), _down(one, question), one.id))
        if missed and not met
        else None,
    )


def _down(candidate: Candidate, question: Question) -> float:
    """Smaller is better: y on its better side."""
    value: float = candidate.fact[question.y.key]
    return {"higher": -value, "lower": value, "none": 0.0}[question.y.better]


def _order(one: Class, question: Question) -> tuple[object, ...]:
    """Model, workload and origin apart; then those that meet the bounds, the best first; then the nearest miss."""
    group = tuple(DIMENSIONS[key].order(one.values[key]) for key in ("model", "workload", "origin"))
    if one.best is not None:
        return (*group, 0, _down(one.best, question), one.label)
    if one.nearest is not None:
        return (*group, 1, max(miss.by for miss in one.nearest.misses), one.label)
    return (*group, 2, 0.0, one.label)
