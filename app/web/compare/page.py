"""The comparison of a view as a page: the chart with its reading lines, and the tables under it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from app.catalog.attributions import Attribution
from app.catalog.metrics import METRICS, Metric
from app.compare.compare import Comparison, compare_chart
from app.compare.matched import levels_of_most
from app.details.attributed import attributions
from app.details.compare import METHOD
from app.figures.pareto import figure_of
from app.figures.svg import first_frame
from app.question import ask
from app.series import chart
from app.store.read import Snapshot
from app.view import Pair, Problem, View, finite, number_text
from app.web import links
from app.web.blocks.figures import inline
from app.web.blocks.filters import filter_chips, offload_chip
from app.web.compare.heat import KEYS
from app.web.compare.levels import LevelChip, level_chips
from app.web.compare.parts import (
    AreaLine,
    MatchedLine,
    ReadGroup,
    area_lines,
    matched_lines,
    read_lines,
    span_text,
)
from app.web.compare.service import ServiceLine, own_heads, service_lines
from app.web.controls import Choice, Option, model_choice, workload_choice
from app.web.legend import AxisPart, Entry, axis_part, entry_of
from app.web.remarks import badge_of, demo_note

OWN = ("level", "bound")
"""What the form for a service level sends: a metric and a value. The reader is led to the address with `slo`."""
_LOADS = 12
"""Most concurrencies that stand side by side; of more, those that most series have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePage:
    """Everything that templates/compare.html prints."""

    view: View
    title: tuple[str, ...]
    badges: tuple[str, ...]
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    attributions: tuple[Attribution, ...]
    method: tuple[str, ...]
    chart: str
    json: str
    here: str
    carried: tuple[Pair, ...]
    model: Choice
    workload: Choice
    base: Choice
    hidden_of_pick: tuple[Pair, ...]
    filters: tuple[tuple[str, str], ...]
    legend: tuple[Entry, ...]
    x: AxisPart
    y: AxisPart
    frame: str
    figure_json: str
    definitions: tuple[str, ...]
    is_empty: bool
    is_empty_store: bool
    nothing: str
    chosen: bool
    chosen_at: str
    """The readings that were chosen, for the browser to draw."""
    base_label: str
    columns: tuple[Metric, ...]
    prices: str
    """What the money and the provisioned power of the readings rest on."""
    unmeasured: tuple[Metric, ...]
    """Columns that no reading has a value for: named once under the table rather than left blank in it."""
    readings: tuple[ReadGroup, ...]
    areas: tuple[AreaLine, ...]
    common: str
    has_whole: bool
    levels: tuple[LevelChip, ...]
    level_heads: tuple[Metric, ...]
    own_heads: tuple[Metric, ...]
    level_choices: tuple[tuple[str, tuple[Metric, ...]], ...]
    service: tuple[ServiceLine, ...]
    unknown: str
    loads: tuple[float, ...]
    loads_left: int
    without_load: int
    matched: tuple[MatchedLine, ...]
    heat_keys: tuple[tuple[str, str], ...]


def shorter(view: View, own: Sequence[Pair]) -> tuple[str | None, tuple[Problem, ...]]:
    """The address that says what the form for a service level sent; None where it sent nothing that can be read."""
    given = dict(own)
    if not given.get("level") and not given.get("bound"):
        return ("", ()) if own else (None, ())
    key, number = given.get("level", ""), finite(given.get("bound", ""))
    metric = METRICS.get(key)
    if metric is None or metric.better == "none" or number is None:
        return None, (Problem("bound", given.get("bound", ""), "a service level needs a metric and a number"),)
    kept = tuple(bound for bound in view.slo if bound[0] != key)
    by = {**dict(kept), key: number}
    slo = tuple((one.key, by[one.key]) for one in METRICS if one.key in by)
    return links.compare(replace(view, slo=slo)), ()


def compare_page(view: View, problems: Sequence[Problem], snapshot: Snapshot) -> ComparePage:
    question = ask(view, snapshot)
    address = partial(links.compare, view)
    placed = chart(question)
    found = compare_chart(placed)
    figure = figure_of(placed)
    is_empty = len(placed.row) == 0
    known = tuple(metric for metric in found.columns if _is_known(found, metric))
    shown, left = _loads(found)
    place = {level: n for n, level in enumerate(found.matched.levels)}
    return ComparePage(
        view=view,
        title=tuple(part for part in question.title.split(" · ") if part),
        badges=tuple(badge for key in question.origins if (badge := badge_of(key))),
        notes=(*question.notes, *found.notes, *demo_note(question)),
        problems=(*(problem.detail for problem in problems), *(problem.detail for problem in found.problems)),
        attributions=attributions(question),
        method=METHOD,
        chart=links.page(view),
        json=f"/api/v1{links.compare(view)}",
        here=links.COMPARE,
        carried=tuple(view.pairs()),
        model=model_choice(question),
        workload=workload_choice(question),
        base=_base(found),
        hidden_of_pick=tuple(pair for pair in view.pairs() if pair[0] not in ("model", "workload", "base")),
        filters=(*filter_chips(view, address), *offload_chip(view, address)),
        legend=tuple(entry_of(placed, n, series, view) for n, series in enumerate(figure.meta["series"])),
        x=axis_part(question, "x", question.x),
        y=axis_part(question, "y", question.y),
        frame="" if is_empty else first_frame(figure, replace(view, at=found.readings)),
        figure_json=inline(figure.document()),
        definitions=tuple(figure.meta["definitions"]),
        is_empty=is_empty,
        is_empty_store=not snapshot.origins(),
        nothing="No point of this view has both of its axes." if placed.total else "No point matches this view.",
        chosen=found.chosen,
        chosen_at=",".join(map(number_text, found.readings)) if found.chosen else "",
        base_label=found.base.label if found.base else "",
        columns=known,
        prices=question.price_words if any(metric.made == "priced" for metric in known) else "",
        unmeasured=tuple(metric for metric in found.columns if metric not in known),
        readings=tuple(
            ReadGroup(
                text=number_text(x),
                without=links.compare(view, at=tuple(other for other in view.at if other != x)),
                lines=read_lines(found, x, known),
            )
            for x in found.readings
        ),
        areas=area_lines(found),
        common=span_text(found.areas.common, question.x),
        has_whole=found.areas.common is not None,
        levels=level_chips(view, links.compare),
        level_heads=tuple(level.metric for level in found.service.levels) if found.service else (),
        own_heads=own_heads(found, found.service.levels) if found.service else (),
        level_choices=_level_choices(),
        service=service_lines(found),
        unknown=_unknown(found),
        loads=shown,
        loads_left=left,
        without_load=found.matched.without,
        matched=tuple(
            replace(line, numbers=tuple(line.numbers[place[level]] for level in shown)) for line in matched_lines(found)
        ),
        heat_keys=KEYS,
    )


def _is_known(found: Comparison, metric: Metric) -> bool:
    return metric == found.columns[0] or any(cell.of(metric).value is not None for cell in found.cells)


def _base(found: Comparison) -> Choice:
    own = found.base.key if found.base else ""
    return Choice(
        name="base",
        label="Baseline",
        options=tuple(Option(value=line.key, label=line.label, ticked=line.key == own) for line in found.lines),
    )


def _level_choices() -> tuple[tuple[str, tuple[Metric, ...]], ...]:
    groups: dict[str, list[Metric]] = {}
    for metric in METRICS:
        if metric.axis and metric.better != "none":
            groups.setdefault(metric.group, []).append(metric)
    return tuple((name, tuple(members)) for name, members in groups.items())


def _unknown(found: Comparison) -> str:
    service = found.service
    if service is None or not service.missing:
        return ""
    parts = ", ".join(f"{metric.label} of {count}" for metric, count in service.missing)
    return f"Unknown, and so neither meeting nor failing: {service.unknown} points. Not reported: {parts}."


def _loads(found: Comparison) -> tuple[tuple[float, ...], int]:
    matched = found.matched
    own = [{level for level, load in zip(matched.levels, loads, strict=True) if load} for _, loads in matched.rows]
    levels = levels_of_most(matched.levels, own, _LOADS)
    return levels, len(matched.levels) - len(levels)
