"""Runs that two files tell under two workloads: their figures are the same, and nothing else says so.

A chart would show them as two curves. Which workload is meant only a person knows, so the report asks.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from app.catalog.metrics import DURATION_S
from app.catalog.point import Point
from app.store.rows import Arrival
from ingest.report import FileReport
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT

_TOTAL = TPUT["total"]
_CLOSE = 1e-4
"""Formats round to five digits or more; runs of one load differ far more."""
_WITNESSES = (DURATION_S, LATENCY["ttft"]["p50"], LATENCY["ttft"]["mean"], INTERACTIVITY["p50"], INTERACTIVITY["mean"])
_LEAST_WITNESSES = 2


def tell_of_twins(arrivals: Sequence[Arrival], owners: Sequence[FileReport]) -> None:
    """Warns in the report of each file whose points have the figures of others under another workload."""
    counts: Counter[tuple[int, str, str]] = Counter()
    first_seen: dict[tuple[int, str, str], tuple[FileReport, str]] = {}
    for one, other in _pairs(arrivals):
        report = owners[other]
        key = (id(report), str(arrivals[one].point.workload), str(arrivals[other].point.workload))
        counts[key] += 1
        first_seen.setdefault(key, (report, owners[one].path))
    for key, count in counts.items():
        report, path = first_seen[key]
        _, theirs, own = key
        report.warn(
            [
                f"{count} of its points ha{'s' if count == 1 else 've'} the figures of another file under another "
                f"workload, {own!r} here and {theirs!r} there (in {path}): if they are the same runs, "
                f"workload={theirs!r} makes them one"
            ]
        )


def _pairs(arrivals: Sequence[Arrival]) -> Iterator[tuple[int, int]]:
    """Arrivals of equal model, load and figures, and of different workloads; each with the first that is like it."""
    alike: dict[tuple[object, ...], list[tuple[float, int]]] = defaultdict(list)
    for at, arrival in enumerate(arrivals):
        point = arrival.point
        total = point.metrics.get(_TOTAL)
        if total and point.model and point.workload and point.origin == "measured":
            alike[point.model, point.concurrency, point.offload.mode].append((total, at))
    for group in alike.values():
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
    both = [(one.metrics[key], other.metrics[key]) for key in _WITNESSES if key in one.metrics and key in other.metrics]
    agree = sum(abs(a - b) <= 10 * _CLOSE * abs(a) for a, b in both)
    return agree == len(both) >= _LEAST_WITNESSES
