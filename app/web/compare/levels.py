"""Service levels of a view in words, each with the address that drops it."""

from collections.abc import Callable
from dataclasses import dataclass

from app.compare.service import levels_of
from app.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChip:
    text: str
    without: str


def level_chips(view: View, address: Callable[..., str]) -> tuple[LevelChip, ...]:
    """`address` makes the address of a page from a view and what changes in it."""
    return tuple(
        LevelChip(
            text=level.text,
            without=address(view, slo=tuple(bound for bound in view.slo if bound[0] != level.metric.key)),
        )
        for level in levels_of(view)
    )
