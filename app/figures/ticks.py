"""Where an axis is marked and what the marks say: one rule for the first frame here and for static/js/ticks.js."""

import math
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 5.0, 10.0)
_DECADES_WITH_TWO_AND_FIVE = 4.0
_LEAST = 1e-300
"""Steps below it have no power of ten that a number can hold."""
_FINEST = 1e-12
"""A window narrower than that part of its numbers has no marks to tell apart."""
_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark at `place`, in axis coordinates (the exponent on a log axis), with its text."""

    place: float
    text: str


def ticks(low: float, high: float, *, log: bool, count: int, share: bool = False) -> list[Tick]:
    """About `count` marks from `low` to `high`; on a log axis these are exponents of ten."""
    if not log:
        return [Tick(value, tick_text(value, share=share)) for value in _linear(low, high, count)]
    values = _logarithmic(low, high, count)
    return [Tick(math.log10(value), tick_text(value, share=share)) for value in values]


def tick_text(value: float, *, share: bool = False) -> str:
    """`1.5k`, `20`, `35%`: four significant digits at most."""
    if share:
        return _plain(value * 100) + "%"
    for size, prefix in _PREFIXES:
        if abs(value) >= size:
            return _plain(value / size) + prefix
    return _plain(value)


def _plain(value: float) -> str:
    return f"{value:.4g}".replace("-", "\u2212")


def _linear(low: float, high: float, count: int) -> list[float]:
    rough = high / count - low / count
    if not _LEAST < rough < math.inf or max(abs(low), abs(high)) > rough / _FINEST:
        return [low]
    step = _nice(rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [place * step for place in range(first, last + 1)]


def _logarithmic(low: float, high: float, count: int) -> list[float]:
    if high - low < 0.7:
        return [value for value in _linear(power(low), power(high), count) if value > 0]
    factors = (1, 2, 5) if high - low <= _DECADES_WITH_TWO_AND_FIVE else (1,)
    decades = range(math.floor(low), math.ceil(high) + 1)
    values = [factor * power(exponent) for exponent in decades for factor in factors]
    return [
        value
        for value in values
        if 0 < value < math.inf and power(low) * (1 - 1e-9) <= value <= power(high) * (1 + 1e-9)
    ]


def power(exponent: float) -> float:
    """Ten to that power; infinite where no number is that large."""
    try:
        return math.pow(10.0, exponent)
    except OverflowError:
        return math.inf


def _nice(rough: float) -> float:
    base = 10.0 ** math.floor(math.log10(rough))
    return next(step * base for step in _STEPS if step * base >= rough * (1 - 1e-9))
