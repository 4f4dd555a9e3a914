"""The frontier against the plainest possible definition of it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.frontier import frontier, frontiers

coarse = st.one_of(
    st.integers(-4, 4).map(float), st.floats(-1e6, 1e6), st.sampled_from([math.nan, math.inf, -math.inf])
)
points = st.lists(st.tuples(coarse, coarse), max_size=40)
better = st.sampled_from(["higher", "lower"])


def brute_force(xy: list[tuple[float, float]], x_better: str, y_better: str) -> list[bool]:
    """A point stays when it is finite and no finite point is as good on both axes and better on one."""

    def as_good(a: float, b: float, direction: str) -> bool:
        return a >= b if direction == "higher" else a <= b

    finite = [point for point in xy if all(map(math.isfinite, point))]
    return [
        all(map(math.isfinite, point))
        and not any(
            other != point and as_good(other[0], point[0], x_better) and as_good(other[1], point[1], y_better)
            for other in finite
        )
        for point in xy
    ]


def found(xy: list[tuple[float, float]], x_better: str = "higher", y_better: str = "higher") -> list[bool]:
    x, y = (np.array(axis, dtype=float) for axis in (zip(*xy, strict=True) if xy else ((), ())))
    return list(frontier(x, y, x_better, y_better))


@given(points, better, better)
def test_the_frontier_is_what_nothing_beats(xy: list[tuple[float, float]], x_better: str, y_better: str) -> None:
    assert found(xy, x_better, y_better) == brute_force(xy, x_better, y_better)


@pytest.mark.parametrize("seed", range(6))
def test_thinning_before_the_sort_changes_nothing(seed: int) -> None:
    random = np.random.default_rng(seed)
    scale = 60 if seed % 2 else 10**6  # many ties, and none
    xy = [(float(x), float(y)) for x, y in random.integers(0, scale, size=(2500, 2))]
    assert found(xy) == brute_force(xy, "higher", "higher")


@given(points, st.randoms(use_true_random=False))
def test_the_order_of_points_changes_nothing(xy: list[tuple[float, float]], random: object) -> None:
    order = list(range(len(xy)))
    random.shuffle(order)  # type: ignore[attr-defined]  # hypothesis hands a random.Random
    shuffled = found([xy[i] for i in order])
    assert [shuffled[order.index(i)] for i in range(len(xy))] == found(xy)


@given(st.lists(st.tuples(coarse, coarse, st.integers(0, 3)), max_size=60))
def test_each_series_has_a_frontier_of_its_own(rows: list[tuple[float, float, int]]) -> None:
    x, y = np.array([r[0] for r in rows], dtype=float), np.array([r[1] for r in rows], dtype=float)
    code = np.array([r[2] for r in rows], dtype=np.int64)
    together = frontiers(x, y, code, "higher", "lower")
    for series in range(4):
        alone = frontier(x[code == series], y[code == series], "higher", "lower")
        assert list(together[code == series]) == list(alone)


@pytest.mark.parametrize(
    ("xy", "expected"),
    [
        ([(10, 100), (10, 50)], [True, False]),  # equal on one axis: only the better stays
        ([(10, 100), (5, 100)], [True, False]),
        ([(10, 100), (10, 100)], [True, True]),  # exact duplicates both keep their labels
        ([(math.nan, 100), (5, 50)], [False, True]),
        ([(5, 50), (6, None or math.nan)], [True, False]),
        ([(1, 1)], [True]),
        ([], []),
    ],
)
def test_ties_duplicates_and_missing_values(xy: list[tuple[float, float]], expected: list[bool]) -> None:
    assert found(xy) == expected
