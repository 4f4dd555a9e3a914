"""Doubts that only the points around a point can raise. They are worked out when a page is made and never stored."""

from collections.abc import Sequence
from statistics import median

from app.catalog.metrics import CACHED_SHARE, METRICS, TOTAL_TPUT_PER_CHIP, ttft
from app.details.row import Row

FALL = 0.05
"""How much shorter the wait of a heavier load may be before one wonders; less is noise."""
SPREAD = 0.2
"""How far repeats may lie apart, over their median."""
_ENOUGH = 3
_TIMES = tuple(metric.key for metric in METRICS if metric.group in ("Latency", "Interactivity"))
_WAITS = (ttft("p50"), ttft("mean"))


def doubts_of(row: Row, config: Sequence[Row], repeats: Sequence[Row], recipe: Sequence[Row]) -> list[str]:
    """Flags that follow from the same config at other loads, from repeats, and from the recipe at the same load."""
    found = {
        "ttft_falls_with_load": _waits_longer_than_heavier(row, config),
        "noisy_repeats": _is_noisy(repeats),
        "timings_equal": any(_same_times(row, other) for other in recipe if other["id"] != row["id"]),
    }
    return [flag for flag, holds in found.items() if holds]


def _waits_longer_than_heavier(row: Row, config: Sequence[Row]) -> bool:
    here = row["concurrency"]
    heavier = [other for other in config if here is not None and (other["concurrency"] or 0) > here]
    if not heavier:
        return False
    nearest = min(heavier, key=lambda other: other["concurrency"])
    wait = next((key for key in _WAITS if row[key] is not None and nearest[key] is not None), None)
    return wait is not None and bool(nearest[wait] < row[wait] * (1 - FALL))


def _is_noisy(repeats: Sequence[Row]) -> bool:
    """Whether warm repeats differ widely in throughput. Two of them are a pair, not a spread."""
    key = TOTAL_TPUT_PER_CHIP
    values = [other[key] for other in repeats if other[key] is not None and not other["cold"]]
    return len(values) >= _ENOUGH and max(values) - min(values) > SPREAD * median(values)


def _same_times(row: Row, other: Row) -> bool:
    """Whether another hit rate left every time as it was, to the last digit: one of the two was not measured."""
    rates = row[CACHED_SHARE], other[CACHED_SHARE]
    if None in rates or abs(rates[0] - rates[1]) <= SPREAD / 10:
        return False
    both = [key for key in _TIMES if row[key] is not None and other[key] is not None]
    return len(both) >= _ENOUGH and all(row[key] == other[key] for key in both)
