"""The undominated points of a series. Order of input changes nothing; exact duplicates all stay."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

BUCKETS = 512
"""Cells along x in which a series is thinned before it is sorted; only speed depends on it."""


def frontier(x: Floats, y: Floats, x_better: str, y_better: str) -> Mask:
    """Which points nothing beats. Of two points equal on one axis only the better stays.

    `x_better` and `y_better` are "higher" or "lower". Points with a value that is not finite are never on it.
    """
    return frontiers(x, y, np.zeros(len(x), dtype=np.int64), x_better, y_better)


def frontiers(x: Floats, y: Floats, series: NDArray[np.int64], x_better: str, y_better: str) -> Mask:
    """The frontier of each series at once; `series` numbers the series of each point from 0."""
    result = np.zeros(len(x), dtype=bool)
    usable = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if usable.size == 0:
        return result
    right = x[usable] if x_better == "higher" else -x[usable]
    up = y[usable] if y_better == "higher" else -y[usable]
    code = series[usable]
    keep = _candidates(right, up, code)
    usable, right, up, code = usable[keep], right[keep], up[keep], code[keep]

    order = np.lexsort((-up, -right, code))
    right, up, code = right[order], up[order], code[order]
    first_of_series = np.flatnonzero(np.r_[True, code[1:] != code[:-1]])
    first_of_x = np.flatnonzero(np.r_[True, (code[1:] != code[:-1]) | (right[1:] != right[:-1])])
    top = up[first_of_x]
    best_before = _running_best(top, np.searchsorted(first_of_x, first_of_series))
    beats = top > best_before
    column = np.repeat(np.arange(len(first_of_x)), np.diff(np.r_[first_of_x, len(up)]))
    result[usable[order]] = beats[column] & (up == top[column])
    return result


def _running_best(top: Floats, starts: NDArray[np.intp]) -> Floats:
    """For each column, the best value of the columns before it in its series; -inf for the first."""
    best = np.full(len(top), -np.inf)
    ends = np.r_[starts[1:], len(top)]
    for start, end in zip(starts, ends, strict=True):
        best[start + 1 : end] = np.maximum.accumulate(top[start : end - 1])
    return best


def _candidates(right: Floats, up: Floats, code: NDArray[np.int64]) -> NDArray[np.intp]:
    """Points that no cell further right beats outright: a superset of the frontier, far smaller than the whole."""
    if len(right) < 4 * BUCKETS:
        return np.arange(len(right))
    low, high = float(right.min()), float(right.max())
    if not np.isfinite(high - low) or high == low:
        return np.arange(len(right))
    cell = np.clip(((right - low) / (high - low) * (BUCKETS - 1)).astype(np.int64), 0, BUCKETS - 1)
    best = np.full((int(code.max()) + 1, BUCKETS + 1), -np.inf)
    np.maximum.at(best, (code, cell), up)
    beyond = np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]
    return np.flatnonzero(up > beyond[code, cell + 1])
