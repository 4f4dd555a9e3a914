"""Views of the store that show a concept: each is offered only where it has something to show."""

from collections.abc import Iterator
from dataclasses import dataclass

from app.catalog.concepts import Concept, Look
from app.catalog.concepts.base import Shows
from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import INTERACTIVITY_P50, INTERACTIVITY_P90, TOTAL_TPUT_PER_CHIP
from app.catalog.transfers import counter_of
from app.catalog.workloads import workload_kind
from app.question import ask
from app.series import chart
from app.store.read import Group, Snapshot
from app.store.select import UNKNOWN, Selection
from app.view import FILTERS, View

_ORIGINS = ("measured", "predicted", "published", "synthetic")
"""Real figures are shown before those that explain themselves alone."""
_TRIED, _READ = 40, 2
"""Groups, and points of each, that are looked into before a view counts as empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A link to a view of the store, with what it is of and how many points it holds."""

    text: str
    href: str
    of: str
    points: int


def shown(concept: Concept, snapshot: Snapshot) -> tuple[Shown, ...]:
    return tuple(found for look in concept.looks if (found := _shown(look, snapshot)) is not None)


def _shown(look: Look, snapshot: Snapshot) -> Shown | None:
    by_page = {"chart": _chart, "offload": _study, "point": _point, "plan": _point}
    return by_page[look.page](look, snapshot)


def _groups(look: Look, snapshot: Snapshot) -> Iterator[Group]:
    """Groups that the view may be of, real ones first and the fullest among them."""
    selection = Selection(filters=look.filters, offload=look.offload)
    x = (look.x,) if look.x else (INTERACTIVITY_P50, INTERACTIVITY_P90)
    found = [
        group
        for group in snapshot.newest_groups(selection, x, look.y or TOTAL_TPUT_PER_CHIP)
        if look.agentic is None or (workload_kind(group.workload) == "agentic") == look.agentic
    ]
    found.sort(key=lambda group: (_ORIGINS.index(group.origin), -group.drawable, -group.points))
    yield from found


def _chart(look: Look, snapshot: Snapshot) -> Shown | None:
    for group in [group for group in _groups(look, snapshot) if group.drawable][:_TRIED]:
        view = View(
            filters=_filters(look, group),
            offload=look.offload,
            x=look.x,
            y=look.y,
            color=look.color,
        )
        placed = chart(ask(view, snapshot))
        if len(placed.row) and _is_told(look, view, snapshot):
            return Shown(text=look.text, href=f"/?{view.query()}", of=_group_words(group), points=len(placed.row))
    return None


def _study(look: Look, snapshot: Snapshot) -> Shown | None:
    """The study of the first group in which a recipe ran with offload and without, where pairs are what it is about."""
    pairs = snapshot.paired_groups(Selection(filters=look.filters)) if "parameter" not in look.offload else None
    for group in list(_groups(look, snapshot))[:_TRIED]:
        view = View(filters=_filters(look, group))
        known = snapshot.known(ask(view, snapshot).selection) if look.needs else {}
        if (pairs is None or (group.model, group.workload, group.origin) in pairs) and all(map(known.get, look.needs)):
            href = f"/offload?{view.query()}{_anchor(look)}"
            return Shown(text=look.text, href=href, of=_group_words(group), points=group.points)
    return None


def _anchor(look: Look) -> str:
    return f"#{look.anchor}" if look.anchor else ""


def _is_told(look: Look, view: View, snapshot: Snapshot) -> bool:
    """Whether the view holds what it is to show: metrics that some point has, and both sides of a comparison."""
    selection = ask(view, snapshot).selection
    known = snapshot.known(selection)
    if not all(known[key] for key in look.needs):
        return False
    counts = snapshot.offload_counts(selection)
    if not all(counts[word] for word in look.offload):
        return False
    if look.color and len([value for value in snapshot.counts(selection, look.color) if value is not None]) < 2:
        return False
    many = [key for key, values in look.filters.items() if len(values) > 1 and look.color == key]
    return all(snapshot.counts(selection, key).get(value) for key in many for value in look.filters[key])


def _filters(look: Look, group: Group) -> tuple[tuple[str, tuple[str, ...]], ...]:
    own = {"model": group.model, "workload": group.workload, "origin": group.origin}
    wanted: dict[str, tuple[str, ...]] = {key: (value or UNKNOWN,) for key, value in own.items()}
    wanted |= {key: tuple(sorted(values)) for key, values in look.filters.items()}
    return tuple((key, wanted[key]) for key in FILTERS if key in wanted)


def _point(look: Look, snapshot: Snapshot) -> Shown | None:
    """The point with the heaviest load of the first group that has one with all that is needed."""
    for group in list(_groups(look, snapshot))[:_TRIED]:
        selection = Selection(filters=dict(_filters(look, group)), offload=look.offload)
        rows = snapshot.rows(selection, limit=200)
        told = [row for row in rows if all(row[key] is not None for key in look.needs)]
        told.sort(key=lambda row: (-(row["concurrency"] or 0), row["id"]))
        row = next((row for row in told[:_READ] if _tells(look.shows, row["id"], snapshot)), None)
        if row is not None:
            page = f"/plan?point={row['id']}" if look.page == "plan" else f"/points/{row['id']}"
            return Shown(text=look.text, href=f"{page}{_anchor(look)}", of=_group_words(group), points=1)
    return None


def _tells(shows: Shows, point_id: str, snapshot: Snapshot) -> bool:
    """Whether the record of a point tells what the view is about."""
    if not shows:
        return True
    whole = snapshot.point(point_id)
    detail = whole["detail"] if whole else {}
    if shows == "flows":
        return any(counter_of(name) for name in detail["cache"]["counters"])
    if shows == "ratio":
        return len([tier for tier in detail["offload"]["tiers"] if tier["capacity_tokens"]]) > 1
    return detail["offload"][shows] not in (None, UNKNOWN)


def _group_words(group: Group) -> str:
    """`Kimi-K2.5 · agentic: my-traces · measured`."""
    parts = (("model", group.model), ("workload", group.workload), ("origin", group.origin))
    return " · ".join(DIMENSIONS[key].label_of(value) for key, value in parts)
