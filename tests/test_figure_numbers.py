"""Figure numbers: seven significant digits, or as many as a card prints, one by one or many at a time."""

import math

from hypothesis import given
from hypothesis import strategies as st

from app.figures.figure import printed, printed_all, rounded, rounded_all
from app.web.blocks.numbers import number, points

NUMBERS = st.one_of(
    st.none(),
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(min_value=1e-9, max_value=1e12),
    st.integers(min_value=-(10**12), max_value=10**12).map(float),
)


@given(st.lists(NUMBERS, max_size=30))
def test_many_numbers_are_rounded_as_each_alone(values: list[float | None]) -> None:
    assert rounded_all(values) == [rounded(value) for value in values]


@given(st.floats(min_value=1e-9, max_value=1e12))
def test_what_is_lost_is_behind_the_seventh_digit(value: float) -> None:
    (short,) = rounded_all([value])

    assert short is not None
    assert math.isclose(short, value, rel_tol=5.1e-7)


def test_whole_numbers_have_no_point_and_what_is_not_finite_is_missing() -> None:
    assert repr(rounded_all([40.0, 0.0, -2.0])) == "[40, 0, -2]"
    assert rounded_all([math.nan, math.inf, None, 1 / 3]) == [None, None, None, 0.3333333]


TIES = st.integers(min_value=-4000, max_value=4000).map(lambda number: number / 2000)


@given(st.lists(st.one_of(NUMBERS, TIES), max_size=30), st.integers(min_value=0, max_value=3), st.booleans())
def test_many_numbers_are_cut_as_each_alone(values: list[float | None], digits: int, share: bool) -> None:
    assert printed_all(values, digits, share=share) == [printed(value, digits, share=share) for value in values]


@given(st.one_of(TIES, st.floats(min_value=-1e9, max_value=1e9)), st.integers(min_value=0, max_value=3))
def test_a_number_that_is_cut_prints_as_it_would_whole(value: float, digits: int) -> None:
    (short,) = printed_all([value], digits, share=False)

    assert short is not None
    assert number(short, digits) == number(value, digits)


@given(st.one_of(TIES, st.floats(min_value=0, max_value=1.5)))
def test_a_share_that_is_cut_prints_as_it_would_whole(value: float) -> None:
    (short,) = printed_all([value], 1, share=True)

    assert short is not None
    assert points(short) == points(value)
