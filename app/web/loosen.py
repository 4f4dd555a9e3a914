"""What to say of a view without points: which one filter, if it went, would bring how many back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS
from app.question import Question, ask
from app.view import View
from app.web import links

_PACES = ("Interactivity", "Latency", "Load")
"""Groups of metrics that one puts along x; the others go up."""
_OFFERED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class WayOut:
    """A change that helps, in words, the link that makes it, and how many points that gives."""

    label: str
    href: str
    count: int


def ways_out(question: Question) -> tuple[WayOut, ...]:
    """Single filters to drop, the most fruitful first; everything dropped where no single one helps."""
    snapshot = question.snapshot
    found = []
    for label, view in _looser(question.view):
        count = snapshot.count(ask(view, snapshot).selection)
        if count:
            found.append(WayOut(label=f"Drop {label}", href=links.page(view), count=count))
    if found:
        return tuple(sorted(found, key=lambda way: -way.count))
    bare = View(x=question.view.x, y=question.view.y, snapshot=question.view.snapshot)
    count = snapshot.count(ask(bare, snapshot).selection)
    return (WayOut(label="Drop all filters", href=links.page(bare), count=count),) if count else ()


def _looser(view: View) -> Iterator[tuple[str, View]]:
    for key, values in view.filters:
        dimension = DIMENSIONS[key]
        words = ", ".join(dimension.label_of(value) for value in values)
        yield f"{dimension.label.lower()} {words}", replace(view, filters=links.filters_with(view, key, ()))
    if view.offload:
        yield f"offload {', '.join(view.offload)}", replace(view, offload=())


def other_axes(question: Question, known: Mapping[str, int]) -> tuple[WayOut, ...]:
    """Pairs of metrics that points of the view do have, for a view in which none has both of those asked for."""
    there = [metric for metric in METRICS if metric.axis and known.get(metric.key)]
    xs = sorted((m for m in there if m.group in _PACES), key=lambda m: (m.key != question.x.key, -known[m.key]))
    ys = sorted((m for m in there if m.group not in _PACES), key=lambda m: (m.key != question.y.key, -known[m.key]))
    found = []
    for y, x in product(ys[:_OFFERED], xs[:_OFFERED]):
        view = replace(question.view, x=x.key, y=y.key, xr=None, yr=None)
        columns = question.snapshot.columns(question.selection, x.key, y.key, ("origin",))
        count = int((np.isfinite(columns.x) & np.isfinite(columns.y)).sum())
        if count:
            found.append(WayOut(label=f"{y.label} against {x.label}", href=links.page(view), count=count))
    return tuple(sorted(found, key=lambda way: -way.count)[:_OFFERED])
