"""The twin of a point: the same recipe, workload and concurrency with other offload, and what that changed."""

from collections.abc import Sequence

from app.catalog.metrics import METRICS, Metric
from app.details.row import Document, Row, api_row

_GROUPS = ("Throughput per chip", "Interactivity", "Latency", "Cache", "Money", "Power")
_STATISTICS = (None, "p50", "p90")

MAIN: tuple[Metric, ...] = tuple(
    metric
    for metric in METRICS
    if metric.group in _GROUPS and metric.statistic in _STATISTICS and metric.better != "none"
)
"""Metrics that two points are compared by."""


def twins_of(row: Row, recipe: Sequence[Row]) -> list[Document]:
    """One twin a config, the likeliest comparison first: of the same run, then the opposite mode, then the newest.

    `recipe` holds the points of the recipe at this concurrency. `chosen` says why this point of its config.
    """
    candidates: dict[str, list[Row]] = {}
    for other in recipe:
        if other["config_id"] != row["config_id"]:
            candidates.setdefault(other["config_id"], []).append(other)
    found = []
    for others in candidates.values():
        best = min(others, key=lambda other: _distance(row, other))
        found.append((_distance(row, best), best, len(others)))
    found.sort(key=lambda item: item[0])
    return [
        {**api_row(twin), "chosen": _chosen(row, twin, count), "differences": differences(row, twin)}
        for _, twin, count in found
    ]


def differences(row: Row, twin: Row) -> list[Document]:
    """Each main metric here and there. `change` is relative to the twin, in shares the plain difference."""
    return [
        {
            "key": metric.key,
            "label": metric.label,
            "unit": metric.unit,
            "digits": metric.digits,
            "better": metric.better,
            "here": here,
            "twin": there,
            "change": _change(metric, here, there),
        }
        for metric in MAIN
        if (here := row[metric.key]) is not None and (there := twin[metric.key]) is not None
    ]


def _change(metric: Metric, here: float, there: float) -> float | None:
    if metric.is_share:
        return here - there
    return here / there - 1 if there else None


def _distance(row: Row, other: Row) -> tuple[bool, bool, int, str]:
    opposite = {row["offload_mode"], other["offload_mode"]} == {"on", "off"}
    return other["run"] != row["run"], not opposite, other["newest_rank"], other["id"]


def _chosen(row: Row, twin: Row, count: int) -> str:
    if twin["run"] == row["run"]:
        return "from the same run"
    return "the only one there is" if count == 1 else f"the newest of {count}: none is from the same run"
