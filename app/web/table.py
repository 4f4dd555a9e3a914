"""The table under the chart: the rows that are drawn, in columns that know something, sorted by the server."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.catalog.dimensions import DIMENSIONS, WORKLOAD
from app.catalog.flags import flag_words
from app.catalog.metrics import CACHED_SHARE, CONCURRENCY, METRICS, Metric, ttft
from app.catalog.oklch import Color
from app.catalog.speculation import NONE
from app.question import Question
from app.series import Chart, Series
from app.store.read import Row
from app.web import links
from app.web.blocks.metrics import metric_text
from app.web.cells import Cell, Segment, bar_of, bar_words, leaves_rest, share_cells, shares_of, unreported

PAGE = 100
SENT_ALONG = 300
"""Rows behind the first ones or a hidden series that are sent along, so that hiding and showing need no request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A column's head. `sorted` is ascending, descending or empty; `href` sorts by it."""

    label: str
    unit: str = ""
    number: bool = False
    href: str = ""
    sorted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The point's own mark, as the chart draws it."""

    shape: str
    color: Color
    halo: bool
    notch: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    id: str
    series: str
    standing: str
    hidden: bool
    mark: Mark
    name: str
    flags: int
    doubts: str
    cells: tuple[Cell, ...]
    bar: tuple[Segment, ...]
    bar_words: str
    rest: bool
    layout: str
    run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    heads: tuple[Head, ...]
    lines: tuple[Line, ...]
    shown: int
    total: int
    limit: int
    all_href: str
    has_bar: bool


def table(placed: Chart, shown: NDArray[np.intp]) -> Table:
    """The first rows of those drawn, best first unless the view sorts; all of them when the view asks."""
    question, view = placed.question, placed.question.view
    hidden = _hidden(placed, shown)
    total = int((~hidden).sum())
    limit = len(shown) if view.rows == "all" else PAGE
    is_whole = len(shown) <= limit + SENT_ALONG
    key, descending = _order(question)
    found = question.snapshot.rows(
        replace(question.selection, newest=False),
        order=key,
        descending=descending,
        limit=None if is_whole else limit + min(SENT_ALONG, int(hidden.sum())),
        rows=[int(row) for row in placed.row[shown]],
    )
    place_of = {int(row): int(place) for row, place in zip(placed.row[shown], shown, strict=True)}
    series_of = {int(place): series for series in placed.series for place in series.members}
    is_hidden = {int(place) for place, gone in zip(shown, hidden, strict=True) if gone}
    rows, seen = [], 0
    for row in found:
        place = place_of[row["row"]]
        is_beyond = seen >= limit and place not in is_hidden
        if is_beyond and not is_whole:
            break
        if is_beyond:
            is_hidden.add(place)
        seen += place not in is_hidden
        rows.append((row, place))
    columns = _columns(question, [row for row, _ in rows])
    shares = shares_of([row for row, _ in rows])
    has_bar = bool(shares)
    return Table(
        heads=_heads(question, columns, shares, has_bar, key, descending),
        lines=tuple(
            _line(placed, row, place, series_of[place], columns, shares, place in is_hidden) for row, place in rows
        ),
        shown=seen,
        total=total,
        limit=limit,
        all_href="" if view.rows == "all" else links.page(view, rows="all"),
        has_bar=has_bar,
    )


def _hidden(placed: Chart, shown: NDArray[np.intp]) -> NDArray[np.bool_]:
    view = placed.question.view
    hidden = np.zeros(len(placed.row), dtype=bool)
    for series in placed.series:
        if series.key in view.hide:
            hidden[series.members] = True
    if not view.all:
        hidden |= ~placed.frontier
    return hidden[shown]


def _order(question: Question) -> tuple[str, bool]:
    sort = question.view.sort
    if sort is None:
        return question.y.key, question.y.better != "lower"
    return sort.removeprefix("-"), sort.startswith("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """A plain column: of a metric, or of words."""

    key: str
    label: str
    metric: Metric | None = None


def _columns(question: Question, rows: Sequence[Row]) -> tuple[_Column, ...]:
    words = ["engine", "precision"]
    words += [key for key in ("model", WORKLOAD) if len(question.models if key == "model" else question.workloads) > 1]
    words += ["spec"] if any(row["spec"] not in (None, NONE) for row in rows) else []
    words += ["origin"] if len(question.origins) > 1 else []
    own = (question.y.key, question.x.key)
    latency = [ttft(statistic) for statistic in (question.x.statistic, "p90", "p50", "mean") if statistic]
    waits = [key for key in latency if key not in own and any(row[key] is not None for row in rows)][:1]
    numbers = [CONCURRENCY, *own, *waits]
    # Numbers first: a phone shows a few columns only.
    return (
        *(_Column(key=key, label=METRICS[key].label, metric=METRICS[key]) for key in dict.fromkeys(numbers)),
        *(_Column(key=key, label=DIMENSIONS[key].label) for key in words),
        _Column(key="offload", label="Offload"),
    )


def _heads(
    question: Question, columns: Sequence[_Column], shares: Sequence[str], has_bar: bool, key: str, descending: bool
) -> tuple[Head, ...]:
    def head(name: str, label: str, unit: str = "", *, number: bool = False) -> Head:
        here = name == key
        down = not descending if here else name in METRICS and METRICS[name].better != "lower"
        return Head(
            label=label,
            unit=unit,
            number=number,
            href=links.page(question.view, sort=f"-{name}" if down else name),
            sorted=("descending" if descending else "ascending") if here else "",
        )

    heads = [head("chip", "Chip")]
    for column in columns:
        metric = column.metric
        heads.append(head(column.key, column.label, metric.unit if metric else "", number=metric is not None))
    heads += [head(share, METRICS[share].label.removesuffix(" share"), "%", number=True) for share in shares]
    if has_bar:
        heads.append(head(CACHED_SHARE, "Tiers"))
    heads += [head("layout", "Layout"), head("run", "Run")]
    return tuple(heads)


def _line(
    placed: Chart,
    row: Row,
    place: int,
    series: Series,
    columns: Sequence[_Column],
    shares: Sequence[str],
    hidden: bool,
) -> Line:
    chip, count = DIMENSIONS["chip"].label_of(row["chip"]), row["chip_count"]
    bar = bar_of(row)
    return Line(
        id=row["id"],
        series=series.key,
        standing="frontier" if placed.frontier[place] else "dominated",
        hidden=hidden,
        mark=Mark(
            shape=f"m-{series.symbol}{'-o' if placed.hollow[place] else ''}",
            color=series.color,
            halo=bool(placed.has_halo[place]),
            notch=bool(placed.has_notch[place]),
        ),
        name=(chip if row["chip"] is not None else "Chip not reported") + (f" × {count}" if count else ""),
        flags=len(row["flags"]),
        doubts=flag_words(row["flags"]),
        cells=(*(_cell(row, column) for column in columns), *share_cells(row, shares)),
        bar=bar,
        bar_words=bar_words(row),
        rest=leaves_rest(row),
        layout=row["layout"] or "",
        run=row["run_label"] or row["run"],
    )


def _cell(row: Row, column: _Column) -> Cell:
    if column.metric is not None:
        text = metric_text(column.metric, row[column.key])
        return Cell(text=text, number=True) if text is not None else unreported(number=True)
    if column.key == "offload":
        return Cell(text=row["offload_label"], state="reported" if row["offload_mode"] == "on" else "quiet")
    value = row[column.key]
    return Cell(text=DIMENSIONS[column.key].label_of(value)) if value is not None else unreported()
