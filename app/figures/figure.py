"""What a figure is: plain Plotly data and layout, and what the page needs to know beside it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Plain = dict[str, Any]
"""A piece of Plotly JSON: its shape is Plotly's."""

DIGITS = 7
"""Significant digits of figure numbers. Frontiers are computed before rounding."""


_EXACT = (1e-9, 1e12)
"""Sizes between which numbers are rounded many at a time."""


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
    return int(short) if short.is_integer() and abs(short) < 2**53 else short


def rounded_all(values: Iterable[float | None], digits: int = DIGITS) -> list[float | int | None]:
    """Many numbers, as `rounded` would have each."""
    given = np.array([math.nan if value is None else value for value in values], dtype=np.float64)
    size = np.abs(given)
    if not np.all((size >= _EXACT[0]) & (size <= _EXACT[1]) | (size == 0)):
        return [rounded(value, digits) for value in given.tolist()]
    # Both factors are whole powers of ten that a float holds exactly, so that one division rounds once.
    up = digits - 1 - np.floor(np.log10(np.where(size == 0, 1.0, size)))
    factor, divisor = 10.0 ** np.maximum(up, 0), 10.0 ** np.maximum(-up, 0)
    short = np.rint(given * factor / divisor) * divisor / factor
    return [int(value) if value.is_integer() else value for value in short.tolist()]


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
