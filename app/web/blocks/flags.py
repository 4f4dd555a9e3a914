"""Flags in words: what is the matter, how grave it is, and what to make of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog.flags import flag_of

_ORDER = ("contradiction", "doubt", "note")


@dataclass(frozen=True, slots=True)
class FlagLine:
    key: str
    label: str
    text: str
    severity: str


def flag_lines(keys: Sequence[str]) -> tuple[FlagLine, ...]:
    """The gravest first."""
    found = [flag_of(key) for key in dict.fromkeys(keys)]
    found.sort(key=lambda flag: _ORDER.index(flag.severity))
    return tuple(
        FlagLine(flag.key, f"{flag.label[:1].upper()}{flag.label[1:]}", flag.text, flag.severity) for flag in found
    )
