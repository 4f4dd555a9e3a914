"""What repeats say of a number, and whether a difference is more than they scatter."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

Bounds = tuple[float, float]
Told = Literal["noise", "same", "apart"]

SAME = 0.03
"""Relative change below which two single runs are called the same: nobody has measured the noise between them."""

ENOUGH = 5
"""Repeats from which on an interval of their mean is drawn from them."""
CONFIDENCE = 0.95
DRAWS = 10_000
SEED = 20260701
"""Fixed, so that one snapshot gives one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Least and most over `n` repeats, and with five or more the bootstrap interval of their mean at 95 %."""

    n: int
    low: float
    high: float
    mean: Bounds | None = None

    @property
    def bounds(self) -> Bounds:
        """What differences are judged by: the interval of the mean where there is one."""
        return self.mean or (self.low, self.high)


def interval_of(values: Sequence[float]) -> Interval | None:
    """None where there is but one value."""
    if len(values) < 2:
        return None
    return Interval(
        n=len(values),
        low=min(values),
        high=max(values),
        mean=bootstrap(values) if len(values) >= ENOUGH else None,
    )


def bootstrap(values: Sequence[float]) -> Bounds:
    """The interval that holds the mean in 95 of 100 draws of as many values, each put back."""
    # Sorted, since the order in which runs were read must change nothing.
    return _bootstrap(tuple(sorted(values)))


@lru_cache(maxsize=4096)
def _bootstrap(values: tuple[float, ...]) -> Bounds:
    drawn = np.random.default_rng(SEED).choice(np.array(values), (DRAWS, len(values)))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn.mean(axis=1), (tail, 1 - tail))
    return float(low), float(high)


def overlap(one: Bounds, other: Bounds) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def told(moved: float, values: Bounds, one: Bounds | None, other: Bounds | None, *, same: float = SAME) -> Told:
    """How far apart two values are: within the scatter of repeats, less than single runs can tell, or apart.

    `moved` is their difference in the measure of `same`; `one` and `other` are their intervals, None for single runs.
    """
    if one or other:
        return "noise" if overlap(one or (values[0],) * 2, other or (values[1],) * 2) else "apart"
    return "same" if abs(moved) < same else "apart"
