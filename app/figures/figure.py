"""What a figure is: plain Plotly data and layout, and what the page needs to know beside it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Plain = dict[str, Any]
"""A piece of Plotly JSON: its shape is Plotly's."""

DIGITS = 7
"""Significant digits of figure numbers. Frontiers are computed before rounding."""


_EXACT = (1e-9, 1e12)
"""Sizes between which numbers are rounded many at a time."""

_TIE = 1e-5
"""Nearer than this to a tie, a number is rounded by itself: what a product says of it may be off by its last bit."""

_LARGE = 2.0**30
"""Beyond, that bit may be more than the distance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    data: list[Plain]
    layout: Plain
    meta: Plain

    def document(self) -> Plain:
        """The form in which figures travel: `{"figure": {"data", "layout"}, "meta"}`."""
        return {"figure": {"data": self.data, "layout": self.layout}, "meta": self.meta}


def rounded(value: float | None, digits: int = DIGITS) -> float | int | None:
    """A number to figure precision; whole numbers without a decimal point; None for what is not finite."""
    if value is None or not math.isfinite(value):
        return None
    if value == 0:
        return 0
    short = round(value, digits - 1 - math.floor(math.log10(abs(value))))
    return _whole(short)


def rounded_all(values: Iterable[float | None], digits: int = DIGITS) -> list[float | int | None]:
    """Many numbers, as `rounded` would have each."""
    given = _numbers(values)
    known = ~np.isnan(given)
    size = np.where(known, np.abs(given), 0)
    if not np.all((size >= _EXACT[0]) & (size <= _EXACT[1]) | (size == 0)):
        return [rounded(value, digits) for value in given.tolist()]
    # Both factors are whole powers of ten that a float holds exactly, so that one division rounds once.
    up = digits - 1 - np.floor(np.log10(np.where(size == 0, 1.0, size)))
    factor, divisor = 10.0 ** np.maximum(up, 0), 10.0 ** np.maximum(-up, 0)
    short = np.rint(given * factor / divisor) * divisor / factor
    return [_whole(value) for value in short.tolist()]


def printed(value: float | None, digits: int, *, share: bool) -> float | int | None:
    """A number as far as a card prints it: `digits` behind the point, of percent where it is a share.

    What would print as zero keeps figure precision, and so does what is larger than anything measured.
    """
    places = digits + 2 if share else digits
    if value is None or not 10.0**-places <= abs(value) <= _EXACT[1]:
        return rounded(value)
    return _whole(round(round(value * 100, digits) / 100, places) if share else round(value, digits))


def printed_all(values: Iterable[float | None], digits: int, *, share: bool) -> list[float | int | None]:
    """Many numbers, as `printed` would have each."""
    given = _numbers(values)
    scale = 10.0 ** (digits + 2 if share else digits)
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = given * scale
        is_near_tie = np.abs(np.abs(scaled - np.trunc(scaled)) - 0.5) < _TIE
        alone = is_near_tie | (np.abs(scaled) < 1) | (np.abs(scaled) > _LARGE)
    found = [_whole(value) for value in (np.rint(scaled) / scale).tolist()]
    for at in np.flatnonzero(alone).tolist():
        found[at] = printed(float(given[at]), digits, share=share)
    return found


def _numbers(values: Iterable[float | None]) -> NDArray[np.float64]:
    """Missing ones as not-a-number."""
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def _whole(value: float) -> float | int | None:
    """Whole numbers without a decimal point; None for not-a-number."""
    if value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value if value == value else None


def coded(values: Sequence[str | None]) -> Plain:
    """A column of few distinct words, as the words and a number for each row."""
    words = sorted({value for value in values if value is not None})
    number = {word: position for position, word in enumerate(words)}
    return {"words": words, "codes": [None if value is None else number[value] for value in values]}


def linear_range(values: Sequence[float]) -> list[float]:
    """From zero to a little beyond the largest value."""
    top = max(values, default=1.0)
    return [0.0, top * 1.06] if top > 0 else [min(values) * 1.06 or -1.0, 1.0]


def log_range(values: Sequence[float]) -> list[float]:
    """Powers of ten around the positive values, as Plotly's log axes take them."""
    positive = [value for value in values if value > 0]
    if not positive:
        return [0.0, 1.0]
    low, high = math.log10(min(positive)), math.log10(max(positive))
    pad = max(0.04 * (high - low), 0.03)
    return [low - pad, high + pad]
