"""Series at equal load: the best point of each at each concurrency, and its ratio to the base."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from app.compare.lines import Fact, Line, Read
from app.compare.readings import apart
from app.noise import Interval, Told, told
from app.question import Question

MOST = 200
"""Most concurrencies that are compared: of more, those that most series have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """A series at a concurrency. `count` are its points there, of which the one with the best y is given."""

    line: Line
    concurrency: float
    id: str
    value: float
    count: int
    interval: Interval | None
    ratio: float | None = None
    told: Told | None = None
    why: str = ""
    """Why there is no ratio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    levels: tuple[float, ...]
    rows: tuple[tuple[Line, tuple[Load | None, ...]], ...]
    """Series by series, one place a level; None where it has no point there."""
    without: int
    """Points that do not say their concurrency."""
    left: int
    """Concurrencies beyond the most that are compared."""


def matched_of(question: Question, found: Read, base: Line | None) -> Matched:
    by = {line.key: _by_level(line) for line in found.lines}
    every = {level for own in by.values() for level in own}
    levels = levels_of_most(every, [set(own) for own in by.values()], MOST)
    kept = set(levels)
    loads = {
        line.key: {
            level: _load(question, line, level, facts, found) for level, facts in by[line.key].items() if level in kept
        }
        for line in found.lines
    }
    against = loads.get(base.key, {}) if base is not None else {}
    return Matched(
        levels=levels,
        left=len(every) - len(levels),
        rows=tuple(
            (line, tuple(_compared(loads[line.key].get(level), against.get(level)) for level in levels))
            for line in found.lines
        ),
        without=sum(fact["concurrency"] is None for line in found.lines for fact in line.facts),
    )


def levels_of_most(levels: Iterable[float], series: Sequence[Collection[float]], most: int) -> tuple[float, ...]:
    """So many of the levels, from low to high: of too many, those that most series have."""
    count = {level: sum(level in own for own in series) for level in levels}
    return tuple(sorted(sorted(count, key=lambda level: (-count[level], level))[:most]))


def _by_level(line: Line) -> dict[float, list[Fact]]:
    by: dict[float, list[Fact]] = {}
    for fact in line.facts:
        if fact["concurrency"] is not None:
            by.setdefault(fact["concurrency"], []).append(fact)
    return by


def _load(question: Question, line: Line, level: float, facts: Sequence[Fact], found: Read) -> Load:
    y = question.y
    up = {"higher": -1, "lower": 1, "none": 0}[y.better]
    best = min(facts, key=lambda fact: (up * fact[y.key], fact["id"]))
    return Load(
        line=line,
        concurrency=level,
        id=best["id"],
        value=best[y.key],
        count=len(facts),
        interval=found.interval(best["id"], y),
    )


def _compared(load: Load | None, base: Load | None) -> Load | None:
    if load is None:
        return None
    ratio, verdict, why = None, None, ""
    if base is None:
        why = f"the baseline has no point at concurrency {load.concurrency:g}"
    elif apart(load.line, base.line):
        why = "interactivity is defined apart from the baseline's"
    elif base.value == 0:
        why = "the baseline is zero"
    else:
        ratio = load.value / base.value
        if load.line.key != base.line.key:
            own, other = (side.interval.bounds if side.interval else None for side in (load, base))
            verdict = told(ratio - 1, (load.value, base.value), own, other)
    return replace(load, ratio=ratio, told=verdict, why=why)
