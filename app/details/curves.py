"""The series of a view with their frontiers, as numbers that a script can use: never rounded, never thinned."""

from typing import Any

import numpy as np

from app.catalog.metrics import Metric
from app.catalog.oklch import Color
from app.details.row import Document
from app.question import GROUP
from app.series import Chart, Series

_TOLD = (
    "id",
    "config_id",
    "concurrency",
    "offload_mode",
    "offload_kind",
    "offload_label",
    "interactivity_def",
    "run",
    "flags",
)


def frontier_document(placed: Chart) -> Document:
    """Every series with its points from low x to high. `all=0` leaves the dominated ones out."""
    question = placed.question
    wanted = np.arange(len(placed.row)) if question.view.all else np.flatnonzero(placed.frontier)
    told = question.snapshot.pick([int(row) for row in placed.row[wanted]], _TOLD, question.selection)
    position = np.full(len(placed.row), -1, dtype=np.int64)
    position[wanted] = np.arange(len(wanted))
    chosen = {"model": question.models, "workload": question.workloads, "origin": question.origins}
    return {
        "snapshot": question.snapshot.id,
        "x": question.x.key,
        "y": question.y.key,
        "axes": {"x": _axis(question.x), "y": _axis(question.y)},
        "group": {key: list(chosen[key]) for key in GROUP},
        "color": list(question.group_by),
        "prices": question.prices.name_version,
        "notes": list(question.notes),
        "count": placed.total,
        "has_frontier": placed.has_frontier,
        "series": [_series(placed, series, position, told) for series in placed.series],
        "left_out": [{"reason": item.reason, "count": item.count} for item in placed.left_out],
    }


def _axis(metric: Metric) -> Document:
    return {"key": metric.key, "label": metric.label, "unit": metric.unit, "better": metric.better}


def _color(color: Color) -> Document:
    return {"light": color.light, "dark": color.dark}


def _series(placed: Chart, series: Series, position: Any, told: dict[str, list[Any]]) -> Document:
    members = series.members[position[series.members] >= 0]
    members = members[np.lexsort((placed.row[members], placed.y[members], placed.x[members]))]
    places = position[members].tolist()
    return {
        "key": series.key,
        "label": series.label,
        "color": _color(series.color),
        "origin": series.origin,
        "values": dict(series.values),
        "points": [
            {
                "id": told["id"][place],
                "x": x,
                "y": y,
                "frontier": optimal and placed.has_frontier,
                **{name: told[name][place] for name in _TOLD[1:]},
            }
            for place, x, y, optimal in zip(
                places,
                placed.x[members].tolist(),
                placed.y[members].tolist(),
                placed.frontier[members].tolist(),
                strict=True,
            )
        ],
    }
