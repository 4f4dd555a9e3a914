"""The dashboard: one view of one snapshot as a page, with its figure inside so that the chart needs no second trip."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import HTMLResponse

from app.figures.pareto import figure_of
from app.figures.svg import first_frame
from app.question import Question, ask
from app.series import chart, drawn
from app.store.read import Snapshot
from app.view import Problem, View
from app.web import links
from app.web.blocks.figures import inline
from app.web.card import card, chart_sentence, title_of
from app.web.compare.levels import LevelChip, level_chips
from app.web.controls import Controls, controls
from app.web.deps import Loose, loosely
from app.web.legend import AxisPart, Entry, axis_part, entry_of
from app.web.loosen import WayOut, other_axes, ways_out
from app.web.remarks import Drawn, Remark, badge_of, demo_note, drawn_now, keys, left_out, nothing, remarks
from app.web.table import Table, table
from app.web.templates import render

router = APIRouter()


@router.get("/", response_class=HTMLResponse, include_in_schema=False)
def home(asked: Annotated[Loose, Depends(loosely)]) -> HTMLResponse:
    return HTMLResponse(page(asked))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """Everything that templates/home.html prints."""

    question: Question
    view: View
    title: tuple[str, ...]
    sentence: str
    """The chart in a sentence with its numbers."""
    badges: tuple[str, ...]
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    controls: Controls
    legend: tuple[Entry, ...]
    x: AxisPart
    y: AxisPart
    drawn: Drawn
    figure_json: str
    frame: str
    remarks: tuple[Remark, ...]
    left_out: tuple[Remark, ...]
    keys: tuple[tuple[str, str], ...]
    definitions: tuple[str, ...]
    table: Table | None
    nothing: str
    ways: tuple[WayOut, ...]
    is_empty: bool
    exports: str
    report: str
    hidden_pairs: tuple[tuple[str, str], ...]
    dominated_href: str
    reset_href: str
    clear_href: str
    """The same group without filters, hidden series, pins and zoom."""
    is_filtered: bool
    """Whether the view leaves out points of its group."""
    pinned_href: str
    settled: str
    here: str
    """The address of this page, without its query."""
    carried: tuple[tuple[str, str], ...]
    """Parameters that a form for one more reading takes along."""
    chosen_at: str
    """Readings that the page chose because the reader set none: only the comparison does."""
    levels: tuple[LevelChip, ...]
    compare_href: str
    history_href: str
    suffix: str
    is_empty_store: bool


def page(asked: Loose) -> str:
    """The whole page as HTML."""
    made = dashboard(asked.view, asked.problems, asked.snapshot)
    told = card(
        asked, title_of(made.question), made.sentence, links.settled(made.question), figure="pareto", embeds=True
    )
    return render("home.html", page=made, snapshot=asked.snapshot.id, as_of=asked.as_of, card=told, current="dashboard")


def dashboard(view: View, problems: Sequence[Problem], snapshot: Snapshot) -> Dashboard:
    question = ask(view, snapshot)
    placed = chart(question)
    figure = figure_of(placed)
    shown = drawn(placed)
    is_empty = len(placed.row) == 0
    known = snapshot.known(question.selection)
    return Dashboard(
        question=question,
        view=view,
        title=tuple(part for part in question.title.split(" · ") if part),
        sentence=chart_sentence(placed),
        badges=tuple(badge for key in question.origins if (badge := badge_of(key))),
        notes=(*question.notes, *demo_note(question)),
        problems=tuple(problem.detail for problem in problems),
        controls=controls(question, known),
        legend=tuple(entry_of(placed, place, series, view) for place, series in enumerate(figure.meta["series"])),
        x=axis_part(question, "x", question.x),
        y=axis_part(question, "y", question.y),
        drawn=drawn_now(placed, shown),
        figure_json=inline(figure.document()),
        frame="" if is_empty else first_frame(figure, view, links.suffix(view)),
        remarks=remarks(placed, figure),
        left_out=left_out(placed),
        keys=keys(placed),
        definitions=tuple(figure.meta["definitions"]),
        table=None if is_empty else table(placed, shown),
        nothing=nothing(placed),
        ways=ways_out(question) if placed.total == 0 else other_axes(question, known) if is_empty else (),
        is_empty=is_empty,
        exports=links.rows_query(question),
        report=links.settled(question).query(),
        hidden_pairs=_hidden_pairs(view),
        dominated_href=links.page(view, all=not view.all),
        reset_href=links.page(view, xr=None, yr=None) if view.xr or view.yr else "",
        clear_href=links.page(_cleared(view)),
        is_filtered=bool(view.offload) or any(key not in _GROUP for key, _ in view.filters),
        pinned_href=links.page(links.settled(question), snapshot=snapshot.id),
        settled=links.group_query(question),
        here=links.HOME,
        carried=tuple(view.pairs()),
        chosen_at="",
        levels=level_chips(view, links.page),
        compare_href=links.compare(view),
        history_href=links.history(view),
        suffix=links.suffix(view),
        is_empty_store=not snapshot.origins(),
    )


_GROUP = ("model", "workload")
"""Filters that choose what is compared rather than leave some of it out."""


def _cleared(view: View) -> View:
    kept = tuple((key, values) for key, values in view.filters if key in _GROUP)
    return View(filters=kept, x=view.x, y=view.y, color=view.color, log=view.log, snapshot=view.snapshot)


def _hidden_pairs(view: View) -> tuple[tuple[str, str], ...]:
    """Parts of the view that no control of the form carries, for readers without JavaScript."""
    carried = ("hide", "log", "all", "sort", "rows", "snapshot", "preview", "at", "base", "slo")
    return tuple((name, value) for name, value in view.pairs() if name in carried)
