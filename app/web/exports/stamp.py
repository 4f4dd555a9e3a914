"""What a file says of itself: which view of which snapshot it holds, and when it was made."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from app.view import View

SNAPSHOT, VIEW, MADE = "halo_snapshot", "halo_view", "halo_made"
STAMP = (SNAPSHOT, VIEW, MADE)
"""Columns that text formats end with: they have no other place that every reader leaves alone."""


@dataclass(frozen=True, slots=True)
class Stamp:
    snapshot: str
    view: str
    """The query that shows these points on any page."""
    made: str | None
    """When, in UTC. None where the link named the snapshot: such an answer is the same bytes for ever."""

    @property
    def words(self) -> dict[str, str]:
        """For formats that keep words beside their columns."""
        found = {"halo.snapshot": self.snapshot, "halo.view": self.view, "halo.made": self.made}
        return {key: value for key, value in found.items() if value is not None}

    @property
    def cells(self) -> dict[str, str | None]:
        """The values of the last columns."""
        return dict(zip(STAMP, (self.snapshot, self.view, self.made), strict=True))


def stamp_of(view: View, snapshot: str) -> Stamp:
    """The stamp of a file that is made now."""
    made = None if view.snapshot else now()
    return Stamp(snapshot, replace(view, snapshot=None).query(), made)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
