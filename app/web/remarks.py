"""Sentences of the dashboard: what was chosen, what is drawn, what was left out and why, what the marks mean."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.catalog.dimensions import UNKNOWN
from app.catalog.origins import ORIGINS
from app.details.attributed import attributions
from app.figures.figure import Figure
from app.figures.pareto import HALO_WORDS, MEETS_WORDS, NOTCH_WORDS
from app.question import Question
from app.series import Chart
from app.web import links
from app.web.blocks.numbers import number


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A sentence under the plot, and where it is explained."""

    text: str
    href: str = ""
    title: str = ""


def badge_of(origin: str) -> str:
    """A word on numbers that nobody measured here, unless the title says it already."""
    term = ORIGINS.get(origin)
    return term.badge if term is not None and term.badge != term.label.lower() else ""


def demo_note(question: Question, *, has_filters: bool = True) -> list[str]:
    """That demo points are hidden, and how to see them where the page has filters."""
    if not question.demo_hidden:
        return []
    if not has_filters:
        return ["The demo data is left out, since the store holds real results."]
    return ["The demo data is hidden, since the store holds real results: tick synthetic under Origin to see it."]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """How much of the view stands on the chart as the link has it; `of` where marks were thinned."""

    points: int
    halos: int
    of: int | None
    not_positive: int


def drawn_now(placed: Chart, shown: NDArray[np.intp]) -> Drawn:
    view = placed.question.view
    seen = np.zeros(len(placed.row), dtype=bool)
    seen[shown] = True
    for series in placed.series:
        if series.key in view.hide:
            seen[series.members] = False
    if not view.all:
        seen &= placed.frontier
    lost = np.zeros(len(placed.row), dtype=bool)
    for axis, values in (("x", placed.x), ("y", placed.y)):
        if axis in view.log:
            lost |= values <= 0
    return Drawn(
        points=int((seen & ~lost).sum()),
        halos=int((seen & ~lost & placed.has_halo).sum()),
        of=len(placed.row) if len(shown) < len(placed.row) else None,
        not_positive=int((seen & lost).sum()),
    )


def remarks(placed: Chart, figure: Figure) -> tuple[Remark, ...]:
    """What else there is to know of the drawn points."""
    view = placed.question.view
    found = []
    if figure.meta["drawn"] < figure.meta["placed"]:
        found.append(Remark(text="narrow the view to see every point; the exports have them all"))
    if len(placed.row) and (untold := _chips_untold(placed)):
        found.append(Remark(text=untold))
    others = _other_repeats(placed)
    if others:
        # Not "older": files without a date rank by their names.
        words = f"{number(others, 0)} other repeat{'s' if others > 1 else ''} not shown"
        found.append(Remark(text=words, href=links.page(view, runs="all"), title="Show every repeat"))
    runs = len(figure.meta["cards"]["words"]["run"]["words"])
    if runs > 1:
        by_run = links.page(view, color="run", hide=()) if view.color != "run" else ""
        found.append(Remark(text=f"{number(runs, 0)} runs", href=by_run, title="Color by run"))
    found += [Remark(text=f"{each.text}, {each.href}") for each in attributions(placed.question)]
    return tuple(found)


def _other_repeats(placed: Chart) -> int:
    """Points of the same configs and loads that stand behind those shown."""
    question = placed.question
    if not question.selection.newest:
        return 0
    return question.snapshot.count(replace(question.selection, newest=False)) - placed.total


def left_out(placed: Chart) -> tuple[Remark, ...]:
    x, y = placed.question.x, placed.question.y
    return tuple(
        Remark(
            text=f"{number(item.count, 0)} of {number(placed.total, 0)} left out: {item.reason}",
            href=f"/glossary/{(x if item.reason == f'no {x.label}' else y).key}",
        )
        for item in placed.left_out
    )


def nothing(placed: Chart) -> str:
    if placed.total == 0:
        return "No point matches all of these filters."
    if len(placed.row) == 0:
        lead = (
            "The one point that matches does not have"
            if placed.total == 1
            else f"None of the {number(placed.total, 0)} points that match has"
        )
        untold = f" {told}." if (told := _chips_untold(placed)) else ""
        return f"{lead} both of these metrics.{untold} There are points for other ones:"
    return ""


def _chips_untold(placed: Chart) -> str:
    """How many points a per-chip axis misses since nothing says on how many chips they ran, and the way to mend it."""
    question = placed.question
    if not (question.x.per_chip or question.y.per_chip) or not placed.left_out:
        return ""
    filters = {**question.selection.filters, "chip_count": (UNKNOWN,)}
    count = question.snapshot.count(replace(question.selection, filters=filters))
    if not count:
        return ""
    who = "One does" if count == 1 else f"{number(count, 0)} do"
    return f"{who} not say on how many chips: ingest again with --set chip=… --set chip_count=…"


def keys(placed: Chart) -> tuple[tuple[str, str], ...]:
    """The special marks of this chart in words, the halo always and first."""
    keys = [("halo", HALO_WORDS.replace(":", " ="))]
    if placed.has_notch.any():
        keys.append(("notch", NOTCH_WORDS.replace(":", " =")))
    if placed.question.view.slo:
        keys.append(("meets", MEETS_WORDS.replace(":", " =")))
    if placed.hollow.any() and not placed.hollow.all():
        keys.append(("hollow", "hollow = 8-bit or wider"))
    if placed.has_frontier and not placed.frontier.all():
        keys.append(("faint", "faint = dominated"))
    return tuple(keys)
