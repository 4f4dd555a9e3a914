"""What stands around the chart: the series with the links that hide and solo them, and what goes with an axis."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.catalog.metrics import Metric
from app.question import Question
from app.series import Chart
from app.view import View
from app.web import links
from app.web.table import Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A series in the legend: what hides it, what shows it alone."""

    key: str
    label: str
    mark: Mark
    points: int
    note: str
    hidden: bool
    toggle: str
    solo: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisPart:
    """What stands by an axis picker: unit, direction, price table, the scale switch, and the way back from a zoom."""

    metric: Metric
    prices: str
    log: bool
    linear_href: str
    log_href: str


def entry_of(placed: Chart, position: int, meta: Mapping[str, Any], view: View) -> Entry:
    series = placed.series[position]
    others = tuple(sorted(other.key for other in placed.series if other.key != series.key))
    hidden = series.key in view.hide
    alone = not hidden and set(others) <= set(view.hide)
    halo, best = meta["with_halo"], meta["on_frontier"]
    return Entry(
        key=series.key,
        label=series.label,
        mark=Mark(
            shape=f"m-{series.symbol}{'-o' if meta['hollow'] else ''}", color=series.color, halo=False, notch=False
        ),
        points=len(series.members),
        note=f"{len(series.members)} points, {best} Pareto optimal, {halo} with KV-cache offload",
        hidden=hidden,
        toggle=links.page(
            view, hide=tuple(sorted({*view.hide} - {series.key} if hidden else {*view.hide, series.key}))
        ),
        solo=links.page(view, hide=() if alone else others),
    )


def axis_part(question: Question, name: str, metric: Metric) -> AxisPart:
    view = question.view
    rest = tuple(axis for axis in view.log if axis != name)
    return AxisPart(
        metric=metric,
        prices=question.price_words if metric.made == "priced" else "",
        log=name in view.log,
        linear_href=links.page(view, log=rest),
        log_href=links.page(view, log=tuple(axis for axis in ("x", "y") if axis == name or axis in view.log)),
    )
