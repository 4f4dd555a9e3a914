"""How the study's sentences print numbers: signed changes, ranges of concurrency, lists."""

from collections.abc import Iterable, Sequence
from itertools import groupby

MINUS = "−"


def change_text(change: float) -> str:
    """`+76 %`, `−3.2 %`: a relative change, with a decimal where it is small; from tenfold on as a multiple."""
    if change >= 9:
        return f"{change + 1:,.0f}×"
    size = abs(change) * 100
    text = f"{size:.0f}" if size >= 10 else f"{size:.1f}"
    if not text.strip("0."):
        return "0 %"
    return f"{'+' if change > 0 else MINUS}{text} %"


def share_text(share: float) -> str:
    """`95 %`; a part too small to show is not called zero."""
    if 0 < share < 0.005:
        return "<1 %"
    return f"{share * 100:.0f} %"


def seconds_text(seconds: float) -> str:
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.2g} s"


def times_text(ratio: float) -> str:
    return f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.1f}×" if ratio >= 1 else f"{ratio:.2f}×"


def count_text(value: float) -> str:
    """`2.5M tokens` without the word: a count to three digits."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def levels_text(levels: Iterable[float], among: Iterable[float] = ()) -> str:
    """`16`, `16 and 24`, `1 to 8 and 40`: of neighbours among all that were measured, three and more by their ends."""
    wanted = set(levels)
    parts: list[str] = []
    for held, neighbours in groupby(sorted({*among, *wanted}), key=wanted.__contains__):
        run = [f"{level:g}" for level in neighbours]
        if held:
            parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else run
    return listed(parts)


def span_text(changes: Iterable[float]) -> str:
    """`+12 %` or `+12 % to +191 %`."""
    found = sorted(changes)
    low, high = change_text(found[0]), change_text(found[-1])
    return low if low == high else f"{low} to {high}"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
