"""Tokens per dollar against interactivity with the parameter table in host memory and in flash. Notches, no halos."""

from app.catalog.metrics import INTERACTIVITY_P90, METRICS, TOTAL_TOKENS_PER_USD
from app.catalog.offload import TIERS
from app.curve import Corner
from app.figures import marks
from app.figures.figure import Figure, Plain
from app.figures.study.board import X_MARKS, Y_MARKS, dots, figure, metric_axis, notches, trace, value_text
from app.question import basis_words
from app.study.parameter import Comparison
from app.study.study import Study


def figure_of(study: Study) -> Figure:
    found = [item for item in study.parameter.comparisons if not item.why]
    x = found[0].x if found else METRICS[INTERACTIVITY_P90]
    y = METRICS[TOTAL_TOKENS_PER_USD]
    found = [item for item in found if item.x is x]
    data: list[Plain] = []
    for item in found:
        data += _side(item, item.fast_line, fast=True) + _side(item, item.slow_line, fast=False)
    corners = [corner for item in found for corner in (*item.fast_line, *item.slow_line)]
    prices = basis_words(study.question.prices, {item.recipe.origin for item in found})
    return figure(
        study,
        title="Parameter offload: host memory against flash",
        data=data,
        x=metric_axis(x, prices, [corner.x for corner in corners], count=X_MARKS),
        y=metric_axis(y, prices, [corner.y for corner in corners], count=Y_MARKS),
        colors=[item.recipe.color for item in found],
        summary=f"{y.label} against {x.label}: {len(found)} pairs of tables in host memory and in flash",
    )


def _side(item: Comparison, line: tuple[Corner, ...], *, fast: bool) -> list[Plain]:
    color = item.recipe.color.light
    arm = item.fast if fast else item.slow
    medium = TIERS.label(arm.parameter.get("medium")) or arm.short
    name = f"{medium}, {item.recipe.origin}"
    xs, ys = [corner.x for corner in line], [corner.y for corner in line]
    style: Plain = {"color": color, "width": marks.LINE_WIDTH, **({} if fast else {"dash": "4px,3px"})}
    data: list[Plain] = []
    if len(line) > 1:
        data.append(trace("line", name, xs, ys, mode="lines", line=style, hoverinfo="skip"))
        data[-1]["showlegend"] = True
    metric = METRICS[TOTAL_TOKENS_PER_USD]
    places = [
        (corner.id, corner.x, corner.y, f"{name} · {value_text(metric, corner.y)} at {value_text(item.x, corner.x)}")
        for corner in line
    ]
    data += dots(name, places, item.recipe.symbol, color, hollow=not fast, halo=arm.has_kv, legend=len(line) == 1)
    return data + notches(name, places, color)
