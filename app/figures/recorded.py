"""The figures of one run, from what happened during it. A new one takes a function and a line here."""

from collections.abc import Callable
from functools import partial

from app.figures import over_time, timeline
from app.figures.distribution import KINDS, distribution
from app.figures.figure import Figure
from app.store.happened import Happened

OF_RUN: dict[str, Callable[[Happened], Figure | None]] = {
    "kv_usage": over_time.usage,
    "under_way": over_time.under_way,
    "token_sources": over_time.sources,
    "ttft_over_time": over_time.first_token,
    "interactivity_over_time": over_time.interactivity,
    **{f"{quantity}_distribution": partial(distribution, quantity=quantity) for quantity in KINDS},
    "conversations": timeline.timeline,
}
"""Every figure of a run by its name, in the order of the page. None where nothing was recorded for it."""


def figures_of(run: Happened) -> dict[str, Figure]:
    drawn = {name: draw(run) for name, draw in OF_RUN.items()}
    return {name: figure for name, figure in drawn.items() if figure is not None}
