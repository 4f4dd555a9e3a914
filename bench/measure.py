"""A measurement, the limit it is held against, and the line that says whether the wish was met."""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """`value` against `limit`, both in `unit`; `wanted` is the ratio hoped for, from which side `side` says.

    `limit_name` says what the limit is. Without a wish the line only reports.
    """

    name: str
    value: float
    limit: float
    unit: str
    limit_name: str
    wanted: float | None = None
    side: Literal["at most", "at least"] = "at most"
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.value / self.limit

    @property
    def met(self) -> bool | None:
        if self.wanted is None:
            return None
        return self.ratio <= self.wanted if self.side == "at most" else self.ratio >= self.wanted

    def line(self) -> str:
        verdict = {True: "met", False: "MISSED", None: "known cost"}[self.met]
        wish = f"wanted {self.side} {short(self.wanted)}" if self.wanted is not None else "no target"
        measured = f"{short(self.value)} of {short(self.limit)} {self.unit}"
        tail = f"  ({self.note})" if self.note else ""
        return (
            f"{self.name:<46} {measured:<24} {short(self.ratio):>7}  {wish:<20} {verdict:<10} "
            f"limit: {self.limit_name}{tail}"
        )


def short(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value == 0:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of one call, and what it returned."""
    gc.collect()
    start = time.perf_counter()
    answer = work()
    return time.perf_counter() - start, answer


def best(work: Callable[[], object], *, times: int = 7, budget: float = 8.0) -> float:
    """The shortest of several calls in seconds, which other work on the machine disturbs least."""
    found: list[float] = []
    begun = time.perf_counter()
    while len(found) < times and (not found or time.perf_counter() - begun < budget):
        found.append(timed(work)[0])
    return min(found)


class NotHere(Exception):
    """A bench cannot run on this machine; the message says what is missing."""
