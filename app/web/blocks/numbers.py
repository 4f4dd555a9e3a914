"""Numbers as pages print them: thousands apart, a real minus sign, one scale a column."""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass

from app.catalog.point import Json

MINUS = "−"


@dataclass(frozen=True, slots=True)
class Scaled:
    """A scale that a whole column shares: what to divide by, the unit's letter, and digits."""

    divisor: float = 1.0
    letter: str = ""
    digits: int = 0

    def text(self, value: float) -> str:
        """The number on this scale. What is there but too small to show says so: only a zero reads as zero."""
        shown = number(value / self.divisor, self.digits)
        if value and not float(f"{value / self.divisor:.{self.digits}f}"):
            return f"<{10**-self.digits:.{self.digits}f}"
        return shown


def count_scale(values: Iterable[float | None]) -> Scaled:
    """The scale at which the largest of these counts reads well."""
    top = max((abs(value) for value in values if value is not None), default=0.0)
    for divisor, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if top >= divisor:
            scale = 1e3 if letter == "k" else divisor
            return Scaled(scale, letter, 1 if top / scale >= 10 else 2)
    return Scaled()


def number(value: float, digits: int = 1) -> str:
    """`10,296` or `−3.5`; never a negative zero."""
    text = f"{value:,.{digits}f}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def points(share: float) -> str:
    """A fraction in percent with one decimal, without the sign; a part too small to show is not called zero."""
    if share and abs(share) < 0.0005:
        return "<0.1" if share > 0 else f"{MINUS}<0.1"
    return number(100 * share)


def percent(share: float) -> str:
    """`36.8 %`."""
    return f"{points(share)} %"


def significant(value: float, digits: int = 4) -> str:
    """A number with so many digits that matter, thousands apart."""
    if not math.isfinite(value) or value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return number(value, places)


def byte_text(value: float) -> str:
    """`273 GB`: decimal units, as result files state them."""
    for size, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if abs(value) >= size:
            return f"{significant(value / size, 3)} {unit}"
    return f"{number(value, 0)} B"


def large_text(value: float) -> tuple[str, str]:
    """`12.8` and `M`: a number for a tile, with the letter of its scale."""
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return significant(value / size, 3), letter
    return number(value, 0), ""


def compact(value: Json) -> str:
    """A fact that has no form of its own: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
