"""Addresses of other views: the same page with something changed, always the shortest query that says so."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from app.question import Question
from app.question import settled as settled
from app.view import Pair, View

HOME = "/"
COMPARE = "/compare"
HISTORY = "/history"


def page(view: View, **changes: Any) -> str:
    """The dashboard of the view with those parts changed."""
    query = replace(view, **changes).query()
    return f"{HOME}?{query}" if query else HOME


def compare(view: View, **changes: Any) -> str:
    """The comparison of the view with those parts changed."""
    query = replace(view, **changes).query()
    return f"{COMPARE}?{query}" if query else COMPARE


def history(view: View, **changes: Any) -> str:
    """The history of the view with those parts changed."""
    query = replace(view, **changes).query()
    return f"{HISTORY}?{query}" if query else HISTORY


def with_filter(view: View, key: str, values: tuple[str, ...], **changes: Any) -> str:
    """The dashboard with one filter replaced; without values the filter is gone."""
    return page(view, filters=filters_with(view, key, values), **changes)


def filters_with(view: View, key: str, values: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    kept = {**view.filter, key: values}
    return tuple((name, listed) for name, listed in kept.items() if listed)


def suffix(view: View) -> str:
    """What links to points and configs carry on, so that they stay in the prices and the state of the page."""
    kept = [(name, value) for name in ("price", "snapshot", "preview") if (value := getattr(view, name))]
    return f"?{urlencode(kept)}" if kept else ""


def rows_query(question: Question) -> str:
    """The parameters of exports: exactly the points of this page, its group spelled out."""
    view = question.view
    pairs: list[Pair] = [(key, value) for key, values in question.selection.filters.items() for value in values]
    pairs += [("offload", word) for word in view.offload]
    pairs += [("runs", view.runs)] if view.runs != "newest" else []
    pairs += [(name, value) for name in ("price", "snapshot", "preview") if (value := getattr(view, name)) is not None]
    return urlencode(pairs)


def group_query(question: Question) -> str:
    """The parameters that a copied link gains: the model and workload that the view left open."""
    return urlencode([pair for pair in settled(question).pairs() if pair not in question.view.pairs()])
