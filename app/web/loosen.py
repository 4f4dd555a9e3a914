"""What to say of a view without points: which one filter, if it went, would bring how many back."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.catalog.dimensions import DIMENSIONS
from app.question import Question, ask
from app.view import View
from app.web import links


@dataclass(frozen=True, slots=True, kw_only=True)
class WayOut:
    """A filter that stands in the way, the link without it, and how many points that gives."""

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
            found.append(WayOut(label=label, href=links.page(view), count=count))
    if found:
        return tuple(sorted(found, key=lambda way: -way.count))
    bare = View(x=question.view.x, y=question.view.y, snapshot=question.view.snapshot)
    count = snapshot.count(ask(bare, snapshot).selection)
    return (WayOut(label="all filters", href=links.page(bare), count=count),) if count else ()


def _looser(view: View) -> Iterator[tuple[str, View]]:
    for key, values in view.filters:
        dimension = DIMENSIONS[key]
        words = ", ".join(dimension.label_of(value) for value in values)
        yield f"{dimension.label.lower()} {words}", replace(view, filters=links.filters_with(view, key, ()))
    if view.offload:
        yield f"offload {', '.join(view.offload)}", replace(view, offload=())
