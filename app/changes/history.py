"""What each series reached, run after run, at one level of service; where that fell by more than runs scatter.

Two runs are told apart only where both measured one service: at a reading that both enclose, or, where each run's
best is read, at the loads that both hold. The best of a run that went to concurrency 64 says nothing against the
best of one that stopped at 16; a service level does not change that, since what meets it is still one of the loads.
"""

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from app.changes.matched import RECIPE, recipe
from app.compare.service import levels_of
from app.curve import Corner, read_at, sign, spot, undominated
from app.noise import SAME
from app.question import Question
from app.series import Chart, Series, chart
from app.store.changed import Run

How = Literal["measured", "interpolated", "none"]

MOST = 20_000
"""Points that a history reads: the newest of the view."""

DRAWN = 2000
"""Readings over all series: as many marks as a figure holds. Of more, the newest runs stay."""

STEPS = 3
"""Steps between runs of one version from which their scatter is known."""

WIDTH = 2.0
"""How many times the typical step a change must be to count as more than scatter."""

OTHER_DEFINITION = "the two runs define interactivity apart"
OTHER_LOADS = "the two runs measured different loads"

_TOLD = ("row", "id", "identity", "run", "engine_version", "offload_kind", "interactivity_def")
Fact = Mapping[str, Any]
Loads = Mapping[tuple[Any, ...], float]
"""The best value that meets the view's levels, of each config and concurrency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a series reached in a run. `points` are those it rests on; `why` says why there is no value.

    `since` is the place of the newest run before that measured the same service and `change` what happened since, at
    `alike` loads that both hold, None where a reading is compared; without one `unlike` says why. `is_fall` says
    that it is worse by more than the series scatters, `version_from` what the engine's version was in the run before,
    where it changed.
    """

    place: int
    versions: tuple[str, ...]
    value: float | None
    how: How
    points: tuple[str, ...]
    halo: bool
    why: str = ""
    definitions: tuple[str, ...] = ()
    """How its points define interactivity, where an axis is one."""
    loads: Loads | None = None
    since: int | None = None
    alike: int | None = None
    unlike: str = ""
    change: float | None = None
    is_fall: bool = False
    version_from: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A series over runs. `scatter` is the typical step between runs of one version, None where few are known."""

    series: Series
    hollow: bool
    readings: tuple[Reading, ...]
    scatter: float | None
    limit: float
    """Change for the worse beyond which a step is a fall."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """`runs` from the oldest to the newest; `placed` says which of them have no date and stand by order of ingest."""

    question: Question
    runs: tuple[Run, ...]
    undated: frozenset[int]
    tracks: tuple[Track, ...]
    notes: tuple[str, ...]

    @property
    def falls(self) -> tuple[tuple[Track, Reading], ...]:
        """The newest first."""
        found = [(track, reading) for track in self.tracks for reading in track.readings if reading.is_fall]
        return tuple(sorted(found, key=lambda item: -item[1].place))


def history(question: Question) -> History:
    """Every run of the view's series: the best y that meets its service levels, or y at its first reading line."""
    whole = replace(question, selection=replace(question.selection, newest=False))
    placed = chart(whole)
    shown = [series for series in placed.series if series.key not in question.view.hide]
    every = in_order(question.snapshot.runs(whole.selection))
    runs = every[-(DRAWN // max(1, len(shown)) or 1) :]
    number = {run.run: place for place, run in enumerate(runs)}
    newest = placed.row[-MOST:]
    wanted = [int(row) for row in newest]
    metrics = [key for key in (*(key for key, _ in question.view.slo), question.y.follows) if key]
    told = question.snapshot.facts(wanted, (*_TOLD, *RECIPE, *metrics), whole.selection)
    facts = dict(zip(range(len(placed.row) - len(wanted), len(placed.row)), told, strict=True))
    tracks = [_track(placed, series, facts, number) for series in shown]
    notes = list(question.notes)
    if len(runs) < len(every):
        notes.append(f"The newest {len(runs):,} of {len(every):,} runs: hide series or narrow the view to have more.")
    if len(wanted) < len(placed.row):
        notes.append(
            f"Read from the newest {len(wanted):,} of {len(placed.row):,} points: narrow the view to have all."
        )
    return History(
        question=question,
        runs=tuple(runs),
        undated=frozenset(place for place, run in enumerate(runs) if run.instant is None),
        tracks=tuple(track for track in tracks if track.readings),
        notes=tuple(notes),
    )


def in_order(runs: Sequence[Run]) -> list[Run]:
    """From the oldest run to the newest; one without a date follows the newest dated one that was there before it."""

    def key(run: Run) -> tuple[datetime, bool, int, str]:
        if run.instant is not None:
            return run.instant, False, run.since, run.run
        before = [other.instant for other in runs if other.instant is not None and other.since <= run.since]
        return max(before, default=datetime.min), True, run.since, run.run

    return sorted(runs, key=key)


def level_words(question: Question) -> str:
    """What is read of each run: `at interactivity 40`, `where TTFT p90 ≤ 2 s`, or the best."""
    view = question.view
    if view.slo:
        return f"the best where {' and '.join(level.text for level in levels_of(view))}"
    if view.at:
        return f"at {question.x.label} {view.at[0]:g} {question.x.unit}".rstrip()
    return "the best of each run"


def _track(placed: Chart, series: Series, facts: Mapping[int, Fact], number: Mapping[str, int]) -> Track:
    of_run: dict[int, list[int]] = defaultdict(list)
    for position in series.members.tolist():
        if position in facts and facts[position]["run"] in number:
            of_run[number[facts[position]["run"]]].append(position)
    readings = [_reading(placed, place, of_run[place], facts) for place in sorted(of_run)]
    compared = _compared(readings, placed.question.y.better)
    scatter, limit = _scatter(compared)
    hollow = bool(len(series.members)) and bool(placed.hollow[series.members[0]])
    return Track(
        series=series,
        hollow=hollow,
        readings=tuple(replace(one, is_fall=_worse(one, placed.question.y.better) > limit) for one in compared),
        scatter=scatter,
        limit=limit,
    )


def _reading(placed: Chart, place: int, members: Sequence[int], facts: Mapping[int, Fact]) -> Reading:
    question = placed.question
    versions = tuple(sorted({version for at in members if (version := facts[at]["engine_version"])}))
    levels = levels_of(question.view)
    able = [at for at in members if all(level.met_by(facts[at]) for level in levels)]
    uses_interactivity = any(metric.group == "Interactivity" for metric in (question.x, question.y))
    words = {facts[at]["interactivity_def"] or "not said" for at in able} if uses_interactivity else set()
    empty = Reading(
        place=place,
        versions=versions,
        value=None,
        how="none",
        points=(),
        halo=False,
        definitions=tuple(sorted(words)),
    )
    if question.y.better == "none":
        return replace(empty, why=f"{question.y.label} has no better side")
    if not able:
        return replace(empty, why="no point meets the level")
    corners = [
        Corner(
            id=facts[at]["id"],
            x=float(placed.x[at]),
            y=float(placed.y[at]),
            halo=bool(placed.has_halo[at]),
            lead=facts[at][question.y.follows] if question.y.follows else None,
        )
        for at in able
    ]
    if question.view.slo or not question.view.at:
        up = sign(question.y)
        best = max(corners, key=lambda corner: (up * corner.y, not corner.halo, corner.id))
        loads: dict[tuple[Any, ...], float] = {}
        for at, corner in zip(able, corners, strict=True):
            load = _load(facts[at])
            loads[load] = max(loads.get(load, corner.y), corner.y, key=lambda value: up * value)
        return replace(empty, value=best.y, how="measured", points=(best.id,), halo=best.halo, loads=loads)
    if not placed.has_frontier:
        return replace(empty, why=f"{question.x.label} has no better side, so there is no frontier to read")
    found = spot(undominated(corners, question.x, question.y), question.view.at[0])
    if found is None:
        return replace(empty, why="outside the range that was measured")
    if found.measured:
        return replace(empty, value=found.left.y, how="measured", points=(found.left.id,), halo=found.left.halo)
    value = read_at(found, question.y)
    return replace(empty, value=value, how="interpolated", points=(found.left.id, found.right.id))


def _load(fact: Fact) -> tuple[Any, ...]:
    """What two runs share that measured one config under one load; without a concurrency only a repeat is alike."""
    return recipe(fact) if fact["concurrency"] is not None else (fact["identity"],)


def _compared(readings: Sequence[Reading], better: str) -> list[Reading]:
    """The readings with what changed since the newest one before that measured the same service."""
    found: list[Reading] = []
    holds: dict[tuple[Any, ...], Reading] = {}
    """The newest reading so far of each load."""
    former: Reading | None = None
    for reading in readings:
        told = reading
        if reading.value is not None and former is not None:
            told = _since(reading, former, holds, better)
            upgraded = former.versions != reading.versions
            told = replace(told, version_from=former.versions if upgraded else None)
        if reading.value is not None:
            former = told
            holds.update(dict.fromkeys(reading.loads or (), reading))
        found.append(told)
    return found


def _since(reading: Reading, former: Reading, holds: Mapping[tuple[Any, ...], Reading], better: str) -> Reading:
    if reading.loads is None or former.loads is None:
        if reading.definitions != former.definitions:
            return replace(reading, unlike=OTHER_DEFINITION)
        return replace(reading, since=former.place, change=_change(former.value, reading.value))
    rivals = [holds[load] for load in reading.loads if load in holds]
    if not rivals:
        return replace(reading, unlike=OTHER_LOADS)
    other = max(rivals, key=lambda rival: rival.place)
    if reading.definitions != other.definitions:
        return replace(reading, unlike=OTHER_DEFINITION)
    before = other.loads or {}
    both = reading.loads.keys() & before.keys()
    best = max if better == "higher" else min
    change = _change(best(before[load] for load in both), best(reading.loads[load] for load in both))
    return replace(reading, since=other.place, alike=len(both), change=change)


def _change(before: float | None, now: float | None) -> float | None:
    return None if before is None or now is None or before == 0 else (now - before) / abs(before)


def _worse(reading: Reading, better: str) -> float:
    return 0.0 if reading.change is None else -reading.change if better == "higher" else reading.change


def _scatter(readings: Sequence[Reading]) -> tuple[float | None, float]:
    """The median step between runs of one version that were compared, and the change that counts as more than that."""
    of_place = {reading.place: reading for reading in readings}
    steps = [
        abs(reading.change)
        for reading in readings
        if reading.change is not None
        and reading.since is not None
        and of_place[reading.since].versions == reading.versions
    ]
    if len(steps) < STEPS:
        return None, SAME
    middle = statistics.median(steps)
    return middle, WIDTH * middle
