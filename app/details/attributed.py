"""Who is to be named wherever the points of a question are shown."""

from dataclasses import replace

from app.catalog.attributions import Attribution, attributions_of
from app.question import Question
from app.store.select import Selection


def attributions(question: Question, *, every_run: bool = False) -> tuple[Attribution, ...]:
    """Those whose data the answer holds; `every_run` where it holds repeats that the view leaves out."""
    selection: Selection = replace(question.selection, newest=False) if every_run else question.selection
    wanted = selection.filters.get("source")
    found = question.snapshot.counts(selection, "source")
    return attributions_of(source for source in found if not wanted or source in wanted)
