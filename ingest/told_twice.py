"""Runs that are told twice under different words: their figures are the same, and nothing else says so.

A chart would show them as two curves. Which words are meant only a person knows, so the report asks: of files
that come in together, and of those that the store has already.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.catalog.metrics import DURATION_S
from app.catalog.origins import DEFAULT_ORIGIN
from app.catalog.point import Point
from app.store.alike import Alike, Wanted, alike
from app.store.rows import Arrival
from ingest.report import FileReport
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT

_TOTAL = TPUT["total"]
_CLOSE = 1e-4
"""Formats round to five digits or more; runs of one load differ far more."""
_WITNESSES = (DURATION_S, LATENCY["ttft"]["p50"], LATENCY["ttft"]["mean"], INTERACTIVITY["p50"], INTERACTIVITY["mean"])
_LEAST_WITNESSES = 2


@dataclass(frozen=True, slots=True)
class Twin:
    """A run told before, and what it was told under."""

    chip: str | None
    workload: str
    path: str
    stored: bool = False


@dataclass(slots=True)
class _Told:
    """Points of one difference: how many, and where both sides lie."""

    count: int = 0
    reports: dict[int, FileReport] = field(default_factory=dict)
    theirs: set[str] = field(default_factory=set)


def tell_of_twins(arrivals: Sequence[Arrival], owners: Sequence[FileReport]) -> None:
    """Warns of files whose points have the figures of others of the same call under another workload."""
    _tell(
        (arrivals[other].point, owners[other], _twin(arrivals[one].point, owners[one].path))
        for one, other in _pairs(arrivals)
    )


def tell_of_stored_twins(
    arrivals: Sequence[Arrival], owners: Sequence[FileReport], stored: Sequence[Twin | None], new: Sequence[bool]
) -> None:
    """Warns of files whose points are `new` to the store and have the figures of points that it holds."""
    _tell(
        (arrival.point, owner, twin)
        for arrival, owner, twin, is_new in zip(arrivals, owners, stored, new, strict=True)
        if twin is not None and is_new
    )


def stored_twins(folder: Path, arrivals: Sequence[Arrival]) -> list[Twin | None]:
    """For each arrival the first live point of the store that has its figures and another workload, or no chip."""
    asked = [at for at, arrival in enumerate(arrivals) if _can_be_told_twice(arrival.point)]
    points = [arrivals[at].point for at in asked]
    wanted = [
        Wanted(
            model=str(point.model),
            concurrency=point.concurrency,
            offload_mode=point.offload.mode,
            total_tput=point.metrics[_TOTAL],
        )
        for point in points
    ]
    found: list[Twin | None] = [None] * len(arrivals)
    for one in alike(folder, wanted, _WITNESSES, within=_CLOSE):
        at = asked[one.at]
        if found[at] is None and one.workload and _same_figures(points[one.at], one) and _differs(points[one.at], one):
            found[at] = Twin(one.chip, one.workload, one.place, stored=True)
    return found


def _twin(point: Point, path: str) -> Twin:
    return Twin(point.chip, str(point.workload), path)


def _can_be_told_twice(point: Point) -> bool:
    return bool(point.metrics.get(_TOTAL) and point.model and point.workload and point.origin == DEFAULT_ORIGIN)


def _same_figures(point: Point, other: Alike) -> bool:
    both = zip(_WITNESSES, other.figures, strict=True)
    return _agree([(point.metrics[key], value) for key, value in both if key in point.metrics and value is not None])


def _differs(point: Point, other: Alike) -> bool:
    if point.chip and other.chip and point.chip != other.chip:
        return False
    return point.workload != other.workload or point.chip != other.chip


def _tell(found: Iterator[tuple[Point, FileReport, Twin]]) -> None:
    """One sentence for each pair of words, in the report of every file that it is about."""
    told: dict[tuple[str, str, bool], _Told] = defaultdict(_Told)
    for point, report, twin in found:
        own, theirs = str(point.workload), twin.workload
        if own == theirs:
            own, theirs = (f"chip={point.chip}" if point.chip else ""), (f"chip={twin.chip}" if twin.chip else "")
        else:
            own, theirs = f"workload={own}", f"workload={theirs}"
        group = told[own, theirs, twin.stored]
        group.count += 1
        group.reports[id(report)] = report
        group.theirs.add(twin.path)
    for (own, theirs, is_stored), group in told.items():
        sentence = _sentence(own, theirs, group, stored=is_stored)
        for report in group.reports.values():
            report.warn([sentence])


def _sentence(own: str, theirs: str, group: _Told, *, stored: bool) -> str:
    whose = "points already stored" if stored else "others"
    count = f"{group.count} point{'' if group.count == 1 else 's'} ha{'s' if group.count == 1 else 've'}"
    said = own.partition("=")[2] or "none"
    if theirs:
        return (
            f"{count} the figures of {whose} ({_place(group.theirs)}) under another {theirs.partition('=')[0]}, "
            f"here {said}. If they are the same runs, --set '{theirs}' makes them one"
        )
    return (
        f"{count} the figures of {whose} that name no chip ({_place(group.theirs)}). "
        f"If they are the same runs, ingest those again with --set {own}"
    )


def _place(paths: set[str]) -> str:
    """The one file, or the folder that all lie in."""
    if len(paths) == 1:
        return next(iter(paths))
    folders = {path.partition("!")[0] for path in paths}
    if len({path.startswith("/") for path in folders}) > 1:
        return f"{len(paths)} files"
    return os.path.commonpath(folders) or f"{len(paths)} files"


def _pairs(arrivals: Sequence[Arrival]) -> Iterator[tuple[int, int]]:
    """Arrivals of equal model, load and figures, and of different workloads; each with the first that is like it."""
    groups: dict[tuple[object, ...], list[tuple[float, int]]] = defaultdict(list)
    for at, arrival in enumerate(arrivals):
        point = arrival.point
        if _can_be_told_twice(point):
            groups[point.model, point.concurrency, point.offload.mode].append((point.metrics[_TOTAL], at))
    for group in groups.values():
        group.sort()
        for place, (total, at) in enumerate(group):
            for before, other in reversed(group[:place]):
                if total - before > _CLOSE * total:
                    break
                first, second = sorted((at, other))
                if _same_run(arrivals[first].point, arrivals[second].point):
                    yield first, second
                    break


def _same_run(one: Point, other: Point) -> bool:
    if one.workload == other.workload or (one.chip and other.chip and one.chip != other.chip):
        return False
    return _agree(
        [(one.metrics[key], other.metrics[key]) for key in _WITNESSES if key in one.metrics and key in other.metrics]
    )


def _agree(both: Sequence[tuple[float, float]]) -> bool:
    agree = sum(abs(a - b) <= 10 * _CLOSE * abs(a) for a, b in both)
    return agree == len(both) >= _LEAST_WITNESSES
