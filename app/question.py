"""A view put to a snapshot: defaults filled in, the comparable group chosen, and said what was chosen."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.catalog.dimensions import DIMENSIONS, SERIES_DIMENSIONS
from app.catalog.metrics import INTERACTIVITY_P50, INTERACTIVITY_P90, METRICS, TOTAL_TPUT_PER_CHIP, Metric
from app.catalog.prices import PriceTable
from app.catalog.workloads import workload_kind
from app.store.read import Group, Snapshot
from app.store.select import UNKNOWN, Selection
from app.view import FILTERS, View

GROUP = ("model", "workload", "origin")
"""What a frontier never crosses."""

HIDDEN_BY_REAL = "synthetic"
REAL = frozenset({"measured", "predicted"})
STATED = "published"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of a snapshot, with nothing left open.

    `selection` holds the filters with the chosen group; `everything` those without it, for exports that
    give every match. `notes` are sentences about what was chosen for the reader.
    """

    view: View
    snapshot: Snapshot
    selection: Selection
    everything: Selection
    x: Metric
    y: Metric
    group_by: tuple[str, ...]
    models: tuple[str, ...]
    workloads: tuple[str, ...]
    groups: tuple[Group, ...]
    notes: tuple[str, ...]
    prices: PriceTable
    demo_hidden: bool

    @property
    def title(self) -> str:
        """The comparable group in words: `Kimi-K2.5 · agentic: cc-traces · measured`."""
        parts = [
            ", ".join(DIMENSIONS[key].label_of(value) for value in values)
            for key, values in (("model", self.models), ("workload", self.workloads), ("origin", self.origins))
            if values
        ]
        return " · ".join(parts)

    @property
    def price_words(self) -> str:
        """What stands by a priced axis: the table, or that the figures are as their reports state them."""
        return basis_words(self.prices, self.origins)

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(sorted({group.origin for group in self.groups}, key=DIMENSIONS["origin"].order))


def basis_words(prices: PriceTable, origins: Iterable[str]) -> str:
    """`rent@2026-09`. Figures typed from reports carry their own prices, which no table of ours changes."""
    return "prices as published" if set(origins) == {STATED} else prices.name_version


def ask(view: View, snapshot: Snapshot, *, paired: bool = False) -> Question:
    """The view with its defaults: origins, the newest model and workload that have data, and the axes.

    `paired` prefers the newest group in which some recipe ran with offload and without it at one load.
    """
    filters = dict(view.filters)
    origins = snapshot.origins()
    demo_hidden = "origin" not in filters and HIDDEN_BY_REAL in origins and bool(REAL & set(origins))
    if demo_hidden:
        filters["origin"] = tuple(origin for origin in origins if origin != HIDDEN_BY_REAL)
    prices = snapshot.prices.resolve(view.price)
    everything = Selection(filters=filters, offload=view.offload, newest=view.runs == "newest", prices=prices)

    x_choices = (view.x,) if view.x else (INTERACTIVITY_P50, INTERACTIVITY_P90)
    found = snapshot.newest_groups(everything, x_choices, view.y or TOTAL_TPUT_PER_CHIP)
    best = snapshot.paired_groups(everything) if paired else None
    chosen, notes = _choose(view, found, best)
    grouped = {**filters}
    for key, value in chosen.items():
        grouped[key] = (value if value is not None else UNKNOWN,)
    selection = replace(everything, filters=grouped)
    groups = [group for group in found if all(getattr(group, key) == value for key, value in chosen.items())]
    workloads = tuple(dict.fromkeys(group.workload or UNKNOWN for group in groups))
    agentic = bool(workloads) and all(workload_kind(workload) == "agentic" for workload in workloads)
    x = METRICS[view.x or (INTERACTIVITY_P90 if agentic else INTERACTIVITY_P50)]
    return Question(
        view=view,
        snapshot=snapshot,
        selection=selection,
        everything=everything,
        x=x,
        y=METRICS[view.y or TOTAL_TPUT_PER_CHIP],
        group_by=(view.color,) if view.color else SERIES_DIMENSIONS,
        models=tuple(dict.fromkeys(group.model or UNKNOWN for group in groups)),
        workloads=workloads,
        groups=tuple(groups),
        notes=tuple(notes),
        prices=prices,
        demo_hidden=demo_hidden,
    )


def _choose(
    view: View, groups: list[Group], paired: set[tuple[str | None, str | None, str]] | None = None
) -> tuple[dict[str, str | None], list[str]]:
    """Model and workload for a view that leaves them open: those of the newest group with points to draw."""
    open_keys = [key for key in ("model", "workload") if key not in view.filter]
    if not open_keys or not groups:
        return {}, []
    drawable = [group for group in groups if group.drawable] or groups
    both = [group for group in drawable if (group.model, group.workload, group.origin) in (paired or ())]
    newest = (both or drawable)[0]
    chosen = {key: getattr(newest, key) for key in open_keys}
    words = " on ".join(DIMENSIONS[key].label_of(value) for key, value in chosen.items())
    data = "results with and without offload" if both else "data"
    return chosen, [f"Showing {words}: the newest with {data}, since the link names no {' and no '.join(open_keys)}."]


def settled(question: Question) -> View:
    """The view with the model and workload that were chosen for it: what a link needs to mean the same tomorrow."""
    view = question.view
    filters = question.selection.filters
    chosen = {key: tuple(filters[key]) for key in ("model", "workload") if key in filters}
    listed = {key: chosen.get(key) or view.filter.get(key) for key in FILTERS}
    return replace(view, filters=tuple((key, values) for key, values in listed.items() if values))
