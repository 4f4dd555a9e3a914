"""A figure that follows from others: its value in words, and how it comes about."""

from dataclasses import dataclass

from app.web.blocks.numbers import byte_text, number, significant


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """`formula` shows the numbers that went in; `verdict` is a word for it and `tone` its color, good, warn or none."""

    label: str
    term: str
    text: str | None
    formula: str
    note: str = ""
    verdict: str = ""
    tone: str = ""


def rate_text(bytes_per_s: float) -> str:
    return f"{byte_text(bytes_per_s)}/s"


def tokens_text(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return f"{significant(value / size, 3)} {letter} tokens"
    return f"{number(value, 0)} tokens"


def times_text(value: float) -> str:
    """`1.5×`; small ones keep two digits that matter."""
    return f"{number(value, 0)}×" if value >= 100 else f"{significant(value, 2 if value < 10 else 3)}×"
