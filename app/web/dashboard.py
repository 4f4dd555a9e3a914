"""The dashboard: one view of one snapshot as a page, with its figure inside so that the chart needs no second trip."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from app.catalog.metrics import Metric
from app.figures.figure import Figure
from app.figures.pareto import HALO_WORDS, NOTCH_WORDS, figure_of
from app.figures.svg import first_frame
from app.question import Question, ask
from app.series import Chart, chart, drawn
from app.store.read import EMPTY, Snapshot
from app.view import Problem, View
from app.web import links
from app.web.blocks.numbers import number
from app.web.controls import Controls, controls
from app.web.loosen import WayOut, ways_out
from app.web.table import Mark, Table, table
from app.web.templates import render


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
    """What stands by an axis picker: unit, direction, the scale switch, and the way back from a zoom."""

    metric: Metric
    log: bool
    linear_href: str
    log_href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A sentence under the plot, and where it is explained."""

    text: str
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """Everything that templates/home.html prints."""

    question: Question
    view: View
    title: tuple[str, ...]
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    controls: Controls
    legend: tuple[Entry, ...]
    x: AxisPart
    y: AxisPart
    drawn: int
    figure_json: str
    frame: str
    remarks: tuple[Remark, ...]
    left_out: tuple[Remark, ...]
    keys: tuple[tuple[str, str], ...]
    definitions: tuple[str, ...]
    table: Table | None
    nothing: str
    ways: tuple[WayOut, ...]
    exports: str
    hidden_pairs: tuple[tuple[str, str], ...]
    dominated_href: str
    reset_href: str
    clear_href: str
    pinned_href: str
    newest_href: str
    is_empty_store: bool


def page(view: View, problems: Sequence[Problem], snapshot: Snapshot) -> str:
    """The whole page as HTML."""
    return render("home.html", page=dashboard(view, problems, snapshot), snapshot=snapshot.id, current="dashboard")


def dashboard(view: View, problems: Sequence[Problem], snapshot: Snapshot) -> Dashboard:
    question = ask(view, snapshot)
    placed = chart(question)
    figure = figure_of(placed)
    shown = drawn(placed)
    is_empty = len(placed.row) == 0
    return Dashboard(
        question=question,
        view=view,
        title=tuple(question.title.split(" · ")),
        notes=(*question.notes, *_demo_note(question)),
        problems=tuple(problem.detail for problem in problems),
        controls=controls(question, snapshot.known(question.selection)),
        legend=tuple(_entry(placed, number, series, view) for number, series in enumerate(figure.meta["series"])),
        x=_axis(view, "x", question.x),
        y=_axis(view, "y", question.y),
        drawn=len(shown),
        figure_json=_embedded(figure),
        frame="" if is_empty else first_frame(figure, view),
        remarks=_remarks(placed, figure),
        left_out=_left_out(placed),
        keys=_keys(placed),
        definitions=tuple(figure.meta["definitions"]),
        table=None if is_empty else table(placed, shown),
        nothing=_nothing(placed),
        ways=ways_out(question) if placed.total == 0 else (),
        exports=links.rows_query(question),
        hidden_pairs=_hidden_pairs(view),
        dominated_href=links.page(view, all=not view.all),
        reset_href=links.page(view, xr=None, yr=None) if view.xr or view.yr else "",
        clear_href=links.page(View(x=view.x, y=view.y, color=view.color, log=view.log, snapshot=view.snapshot)),
        pinned_href=links.page(view, snapshot=snapshot.id),
        newest_href=links.page(view, snapshot=None) if view.snapshot else "",
        is_empty_store=snapshot.id == EMPTY or not snapshot.origins(),
    )


def _embedded(figure: Figure) -> str:
    """The figure as JSON that may stand inside a script element."""
    return orjson.dumps(figure.document()).decode().replace("<", "\\u003c")


def _entry(placed: Chart, position: int, meta: dict[str, object], view: View) -> Entry:
    series = placed.series[position]
    others = tuple(sorted(other.key for other in placed.series if other.key != series.key))
    hidden = series.key in view.hide
    alone = not hidden and set(others) <= set(view.hide)
    halo, best = int(str(meta["with_halo"])), int(str(meta["on_frontier"]))
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


def _axis(view: View, name: str, metric: Metric) -> AxisPart:
    rest = tuple(axis for axis in view.log if axis != name)
    return AxisPart(
        metric=metric,
        log=name in view.log,
        linear_href=links.page(view, log=rest),
        log_href=links.page(view, log=tuple(axis for axis in ("x", "y") if axis == name or axis in view.log)),
    )


def _demo_note(question: Question) -> list[str]:
    if not question.demo_hidden:
        return []
    return ["The demo data is hidden, since the store holds real results: tick synthetic under Origin to see it."]


def _remarks(placed: Chart, figure: Figure) -> tuple[Remark, ...]:
    """How many points are drawn, how many of them with a halo, and from how many runs."""
    meta = figure.meta
    count, halos = meta["drawn"], meta["drawn_with_halo"]
    if not count:
        return ()
    text = f"{number(count, 0)} drawn" if count == meta["placed"] else f"{number(count, 0)} of {number(meta['placed'], 0)} drawn"
    remarks = [Remark(text=f"{text}, {number(halos, 0)} of them with KV-cache offload")]
    if count < meta["placed"]:
        remarks.append(Remark(text="narrow the view to see every point; the table and the exports have them all"))
    runs = len(meta["cards"]["words"]["run"]["words"])
    if runs > 1:
        remarks.append(
            Remark(text=f"{number(runs, 0)} runs", href="" if placed.question.view.color == "run" else links.page(placed.question.view, color="run", hide=()))
        )
    return tuple(remarks)


def _left_out(placed: Chart) -> tuple[Remark, ...]:
    x, y = placed.question.x, placed.question.y
    return tuple(
        Remark(
            text=f"{number(item.count, 0)} of {number(placed.total, 0)} left out: {item.reason}",
            href=f"/glossary/{(x if item.reason == f'no {x.label}' else y).key}",
        )
        for item in placed.left_out
    )


def _nothing(placed: Chart) -> str:
    if placed.total == 0:
        return "No point matches all of these filters."
    if len(placed.row) == 0:
        return f"{number(placed.total, 0)} points match, and none of them has both of these metrics: choose another axis."
    return ""


def _keys(placed: Chart) -> tuple[tuple[str, str], ...]:
    """The special marks of this chart in words, the halo always and first."""
    keys = [("halo", HALO_WORDS.replace(":", " ="))]
    if placed.has_notch.any():
        keys.append(("notch", NOTCH_WORDS.replace(":", " =")))
    if placed.hollow.any() and not placed.hollow.all():
        keys.append(("hollow", "hollow = 8-bit or wider"))
    if placed.has_frontier and not placed.frontier.all():
        keys.append(("faint", "faint = dominated"))
    return tuple(keys)


def _hidden_pairs(view: View) -> tuple[tuple[str, str], ...]:
    """Parts of the view that no control of the form carries, for readers without JavaScript."""
    carried = ("hide", "log", "all", "sort", "rows", "snapshot", "at")
    return tuple((name, value) for name, value in view.pairs() if name in carried)
