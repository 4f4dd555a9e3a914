"""The page of a view's history: the figure, what fell and by how much, and every run with what it reached."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

from app.catalog.attributions import Attribution
from app.catalog.metrics import METRICS
from app.catalog.oklch import Color
from app.changes.history import History, Reading, Track, history, level_words
from app.details.attributed import attributions
from app.figures.history import date_text, figure_of
from app.question import ask
from app.store.changed import Run
from app.store.read import EMPTY, Snapshot
from app.view import Pair, Problem, View, number_text
from app.web import links
from app.web.blocks.figures import FigurePart, figure_part
from app.web.blocks.filters import filter_chips, offload_chip
from app.web.blocks.metrics import metric_text
from app.web.blocks.numbers import percent
from app.web.changes_page import signed
from app.web.compare.levels import LevelChip, level_chips
from app.web.controls import Choice, Option, model_choice, workload_choice
from app.web.remarks import badge_of, demo_note

ROWS = 100
"""Runs that the table lists, the newest; the JSON has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a series reached in a run; `points` are links to what it rests on.

    `since` says what a change is relative to where that is not plainly the run before, `unlike` why there is none.
    """

    text: str
    why: str
    change: str
    since: str
    unlike: str
    tone: str
    versions: str
    how: str
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    label: str
    date: str
    dated: bool
    href: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """A change for the worse beyond what runs scatter, with the ways to look into it."""

    color: Color
    series: str
    change: str
    to: str
    loads: str
    point: str
    run: str
    former: str
    versions: str
    scatter: str
    runs_href: str
    changes_href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPage:
    title: tuple[str, ...]
    badges: tuple[str, ...]
    level: str
    metric: str
    unit: str
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    attributions: tuple[Attribution, ...]
    chart: str
    json: str
    model: Choice
    workload: Choice
    y: Choice
    at: str
    at_label: str
    levels: tuple[LevelChip, ...]
    hidden: tuple[Pair, ...]
    filters: tuple[tuple[str, str], ...]
    figure: FigurePart | None
    keys: tuple[tuple[str, Color], ...]
    falls: tuple[Fall, ...]
    lines: tuple[RunLine, ...]
    more: int
    undated: int
    is_empty_store: bool


def history_page(view: View, problems: Sequence[Problem], snapshot: Snapshot, suffix: str) -> HistoryPage:
    question = ask(view, snapshot)
    found = history(question)
    first = max(0, len(found.runs) - ROWS)
    address = partial(links.history, view)
    return HistoryPage(
        title=tuple(part for part in question.title.split(" · ") if part),
        badges=tuple(badge for key in question.origins if (badge := badge_of(key))),
        level=level_words(question),
        metric=question.y.label,
        unit=question.y.unit,
        notes=(*found.notes, *demo_note(question)),
        problems=tuple(problem.detail for problem in problems),
        chart=links.page(view),
        json=links.history(view).replace(links.HISTORY, f"{links.HISTORY}.json", 1),
        model=model_choice(question),
        workload=workload_choice(question),
        y=_metrics(found),
        at=number_text(view.at[0]) if view.at else "",
        at_label=f"{question.x.label}, {question.x.unit}".rstrip(", "),
        levels=level_chips(view, links.history),
        hidden=tuple(pair for pair in view.pairs() if pair[0] not in ("model", "workload", "y", "at")),
        filters=(*filter_chips(view, address), *offload_chip(view, address)),
        figure=figure_part("history", figure_of(found), suffix)
        if any(r.value is not None for t in found.tracks for r in t.readings)
        else None,
        keys=tuple((track.series.label, track.series.color) for track in found.tracks),
        falls=tuple(_fall(track, reading, found, view) for track, reading in found.falls),
        lines=tuple(_line(place, found, view) for place in reversed(range(first, len(found.runs)))),
        more=first,
        undated=len(found.undated),
        attributions=attributions(question, every_run=True),
        is_empty_store=not snapshot.origins(),
    )


def _has_value(track: Track) -> bool:
    return any(reading.value is not None for reading in track.readings)


def _metrics(found: History) -> Choice:
    """The metrics of this view that can get worse."""
    known = found.question.snapshot.known(found.question.selection)
    chosen = found.question.y.key
    return Choice(
        name="y",
        label="Metric",
        options=tuple(
            Option(value=metric.key, label=metric.label, ticked=metric.key == chosen)
            for metric in METRICS
            if metric.axis and (metric.key == chosen or (metric.better != "none" and known[metric.key]))
        ),
    )


def _line(place: int, found: History, view: View) -> RunLine:
    run = found.runs[place]
    return RunLine(
        label=run.label,
        date=date_text(run),
        dated=place not in found.undated,
        href=_of_runs(view, run),
        cells=tuple(_cell(track, place, found) for track in found.tracks),
    )


def _of_runs(view: View, *runs: Run) -> str:
    """The chart of some runs."""
    names = tuple(sorted(run.run for run in runs))
    color = "run" if len(runs) > 1 else view.color
    return links.with_filter(view, "run", names, color=color, hide=(), xr=None, yr=None)


def _cell(track: Track, place: int, found: History) -> Cell | None:
    reading = next((reading for reading in track.readings if reading.place == place), None)
    if reading is None:
        return None
    y = found.question.y
    return Cell(
        text=metric_text(y, reading.value) or "",
        why=reading.why,
        change=signed(reading.change),
        since=_since(track, reading, found),
        unlike=reading.unlike,
        tone="bad" if reading.is_fall else "",
        versions=", ".join(reading.versions) if reading.version_from is not None else "",
        how="interpolated" if reading.how == "interpolated" else "",
        points=reading.points,
    )


def _fall(track: Track, reading: Reading, found: History, view: View) -> Fall:
    y = found.question.y
    former = next(other for other in track.readings if other.place == reading.since)
    run, before = found.runs[reading.place], found.runs[former.place]
    is_upgrade = former.versions != reading.versions
    names = found.question.snapshot.names()
    ends = {"from": names.get(min(before.since, run.since) - 1, EMPTY), "to": names[max(before.since, run.since)]}
    scatter = (
        f"its runs of one version lie {percent(track.scatter)} apart"
        if track.scatter is not None
        else f"too few runs of one version to know their scatter, so {percent(track.limit)} counts"
    )
    return Fall(
        color=track.series.color,
        series=track.series.label,
        change=signed(reading.change),
        to=f"{metric_text(y, reading.value)} {y.unit}".rstrip(),
        loads=_loads(reading),
        point=reading.points[0],
        run=f"{run.label}, {date_text(run)}",
        former=f"{before.label}, {date_text(before)}",
        versions=f"{_versions(former.versions)} to {_versions(reading.versions)}" if is_upgrade else "",
        scatter=scatter,
        runs_href=_of_runs(view, before, run),
        changes_href=f"/data/changes?{urlencode(ends)}",
    )


def _since(track: Track, reading: Reading, found: History) -> str:
    """Names the run that a change is relative to, where another one with a value stands between."""
    if reading.since is None or reading.change is None:
        return ""
    between = (other for other in track.readings if reading.since < other.place < reading.place)
    return f"since {found.runs[reading.since].label}" if any(other.value is not None for other in between) else ""


def _loads(reading: Reading) -> str:
    """Which loads a change is read over; empty where it is read at one level of x."""
    if reading.alike is None:
        return ""
    return f"at the {reading.alike:,} loads that both hold" if reading.alike > 1 else "at the one load that both hold"


def _versions(versions: Sequence[str]) -> str:
    return ", ".join(versions) or "not reported"
