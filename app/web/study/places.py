"""Addresses of the offload page: a view, and which arm and series its pickers show."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from app.view import Pair, View

PATH = "/offload"
OWN = ("arm", "a", "b")
"""Parameters of this page beside those of a view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    view: View
    own: tuple[Pair, ...]

    def href(self, own: dict[str, str] | None = None, **changes: Any) -> str:
        """This page with those parts of the view, or of its own parameters, changed."""
        kept = {**dict(self.own), **(own or {})}
        pairs = [*replace(self.view, **changes).pairs(), *((name, value) for name, value in kept.items() if value)]
        return f"{PATH}?{urlencode(pairs)}" if pairs else PATH

    def pairs(self, *without: str) -> tuple[Pair, ...]:
        """All parameters but those that a form sets by itself."""
        return tuple(pair for pair in (*self.view.pairs(), *self.own) if pair[0] not in without)
