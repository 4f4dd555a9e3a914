"""Sentences of the dashboard: what was chosen, what is drawn, what was left out and why, what the marks mean."""

from dataclasses import dataclass

from app.figures.figure import Figure
from app.figures.pareto import HALO_WORDS, NOTCH_WORDS
from app.question import Question
from app.series import Chart
from app.web import links
from app.web.blocks.numbers import number


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A sentence under the plot, and where it is explained."""

    text: str
    href: str = ""


def demo_note(question: Question) -> list[str]:
    if not question.demo_hidden:
        return []
    return ["The demo data is hidden, since the store holds real results: tick synthetic under Origin to see it."]


def remarks(placed: Chart, figure: Figure) -> tuple[Remark, ...]:
    """How many points are drawn, how many of them with a halo, and from how many runs."""
    view = placed.question.view
    count, all_placed, halos = figure.meta["drawn"], figure.meta["placed"], figure.meta["drawn_with_halo"]
    if not count:
        return ()
    of_all = f" of {number(all_placed, 0)}" if count < all_placed else ""
    found = [Remark(text=f"{number(count, 0)}{of_all} drawn, {number(halos, 0)} of them with KV-cache offload")]
    if of_all:
        found.append(Remark(text="narrow the view to see every point; the exports have them all"))
    runs = len(figure.meta["cards"]["words"]["run"]["words"])
    if runs > 1:
        by_run = links.page(view, color="run", hide=()) if view.color != "run" else ""
        found.append(Remark(text=f"{number(runs, 0)} runs", href=by_run))
    return tuple(found)


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
        return (
            f"{number(placed.total, 0)} points match, and none of them has both of these metrics: choose another axis."
        )
    return ""


def keys(placed: Chart) -> tuple[tuple[str, str], ...]:
    """The special marks of this chart in words, the halo always and first."""
    keys = [("halo", HALO_WORDS.replace(":", " ="))]
    if placed.has_notch.any():
        keys.append(("notch", NOTCH_WORDS.replace(":", " =")))
    if placed.hollow.any() and not placed.hollow.all():
        keys.append(("hollow", "hollow = 8-bit or wider"))
    if placed.has_frontier and not placed.frontier.all():
        keys.append(("faint", "faint = dominated"))
    return tuple(keys)
