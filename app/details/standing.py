"""Where a point stands on its curve: on the frontier of its series, or beaten, and by how many."""

from dataclasses import replace

import numpy as np

from app.catalog.dimensions import SERIES_DIMENSIONS
from app.details.row import Document, Row
from app.details.words import filter_word
from app.question import GROUP, ask
from app.series import chart
from app.store.read import Snapshot
from app.store.select import UNKNOWN
from app.view import View


def series_view(row: Row, view: View) -> View:
    """The view of the one series that a point belongs to by default, with the axes of the reader's own view."""
    keys = dict.fromkeys((*GROUP, *SERIES_DIMENSIONS))
    own = tuple((key, (UNKNOWN if row[key] is None else filter_word(row[key]),)) for key in keys)
    return View(filters=own, x=view.x, y=view.y, price=view.price, snapshot=view.snapshot)


def standing_of(row: Row, snapshot: Snapshot, view: View) -> Document:
    """Its series, its numbers on both axes, and its rank: 1 + the points of the series that are better on both.

    `drawn` is false where the default chart shows a newer repeat, or where an axis is missing; `reason` says which.
    """
    chart_view = series_view(row, view)
    placed = chart(ask(chart_view, snapshot))
    x, y = placed.question.x, placed.question.y
    link = replace(
        chart_view, filters=tuple(pair for pair in chart_view.filters if pair[0] in GROUP), point=(row["id"],)
    )
    found = np.flatnonzero(placed.row == row["row"])
    document: Document = {
        "x": x.key,
        "y": y.key,
        "query": link.query(),
        "series": placed.series[0].key if placed.series else None,
        "label": placed.series[0].label if placed.series else None,
        "points": len(placed.row),
        "drawn": bool(len(found)),
        "frontier": None,
        "rank": None,
        "reason": None,
    }
    if not len(found):
        absent = [metric.label for metric in (x, y) if row[metric.key] is None]
        document["reason"] = f"no {' and no '.join(absent)}" if absent else "a newer repeat is shown in its place"
        return document
    if placed.has_frontier:
        at = found[0]
        sign = {"higher": 1.0, "lower": -1.0}
        right, up = placed.x * sign[x.better], placed.y * sign[y.better]
        beats = (right >= right[at]) & (up >= up[at]) & ((right > right[at]) | (up > up[at]))
        document |= {"frontier": bool(placed.frontier[at]), "rank": 1 + int(beats.sum())}
    return document
