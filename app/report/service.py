"""Service levels of a report in Markdown: the best config of each chip and engine, else the nearest miss."""

from app.catalog.metrics import Metric
from app.compare.service import Class, Level
from app.report.document import Report
from app.report.gfm import cell, table
from app.report.links import point_link
from app.report.text import config_text, miss_text, value_text


def service(found: Report, base: str) -> list[str]:
    """The table with its heading; nothing where the view has no service level."""
    told = found.comparison.service
    if told is None:
        return []
    axes = _axes(found, told.levels)
    metrics = [*axes, *(level.metric for level in told.levels)]
    heads = [
        *("Chip and engine", "Meet all", "Best that meets all, else nearest miss", "Concurrency"),
        *(f"{metric.label} ({metric.unit})" for metric in metrics),
    ]
    rows = [_row(found, one, axes, told.levels, base) for one in told.classes]
    unknown = f"{told.unknown:,} points report too little to tell. " if told.unknown else ""
    return [
        "### Service levels\n",
        f"{cell(' and '.join(level.text for level in told.levels))}. {unknown}Dominated points count.\n",
        table(heads, [False, True, False, *(True for _ in (0, *metrics))], rows),
    ]


def _axes(found: Report, levels: tuple[Level, ...]) -> list[Metric]:
    """The axes, y first, that no level is on."""
    bound = [level.metric for level in levels]
    return [metric for metric in (found.question.y, found.question.x) if metric not in bound]


def _row(found: Report, one: Class, axes: list[Metric], levels: tuple[Level, ...], base: str) -> list[str]:
    counts = f"{one.meeting:,} of {one.meeting + one.failing + one.unknown:,}"
    told = one.best or one.nearest
    if told is None:
        return [cell(one.label), counts, "unknown", *("–" for _ in (0, *axes, *levels))]
    config = cell(config_text(told) or "the point")
    if base:
        config = f"[{config}]({point_link(told.id, found.question.snapshot.id, base)})"
    load = told.fact["concurrency"]
    return [
        cell(one.label),
        counts,
        f"{'meets' if one.best else 'misses'}: {config}",
        f"{load:g}" if load is not None else "–",
        *(value_text(metric, told.fact[metric.key]) for metric in axes),
        *(
            f"{value_text(level.metric, told.fact[level.metric.key])}{f' ({miss})' if miss else ''}"
            for level in levels
            for miss in (miss_text(told, level),)
        ),
    ]
