"""Every metric of a point in its group, with unit and meaning; quantities kept at several statistics share a line."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.catalog.metrics import METRICS, STATISTICS, Metric
from app.web.blocks.numbers import number, points, significant

Values = Mapping[str, float | None]

_OPEN = ("Throughput per chip", "Interactivity", "Latency", "Cache")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricLine:
    """A quantity: its cells in the order of the group's columns, None where the record does not say."""

    label: str
    term: str
    unit: str
    text: str
    direction: str
    cells: tuple[str | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricGroup:
    name: str
    columns: tuple[str, ...]
    lines: tuple[MetricLine, ...]
    reported: int
    total: int

    @property
    def open(self) -> bool:
        """Whether the group is unfolded at first: what a reader of curves asks for, where there is any of it."""
        return self.reported > 0 and self.name in _OPEN


def metric_groups(values: Values) -> tuple[MetricGroup, ...]:
    groups: dict[str, list[Metric]] = {}
    for metric in METRICS:
        groups.setdefault(metric.group, []).append(metric)
    return tuple(_group(name, metrics, values) for name, metrics in groups.items())


def _group(name: str, metrics: list[Metric], values: Values) -> MetricGroup:
    families: dict[str, list[Metric]] = {}
    for metric in metrics:
        families.setdefault(metric.family, []).append(metric)
    by_statistic = all(metric.statistic for metric in metrics)
    columns = STATISTICS if by_statistic else ("value",)
    return MetricGroup(
        name=name,
        columns=columns,
        lines=tuple(_line(members, values, columns, by_statistic) for members in families.values()),
        reported=sum(values.get(metric.key) is not None for metric in metrics),
        total=len(metrics),
    )


def _line(members: list[Metric], values: Values, columns: tuple[str, ...], by_statistic: bool) -> MetricLine:
    first = next((metric for metric in members if metric.statistic == "p50"), members[0])
    cells = {metric.statistic or "value": metric_text(metric, values.get(metric.key)) for metric in members}
    return MetricLine(
        label=quantity(first),
        term=first.family,
        unit=first.unit,
        text=first.text,
        direction=first.direction,
        cells=tuple(cells.get(column) for column in columns) if by_statistic else tuple(cells.values()),
    )


def quantity(metric: Metric) -> str:
    """What a metric is called without its statistic."""
    return metric.label.removesuffix(f" {metric.statistic}") if metric.statistic else metric.label


def metric_text(metric: Metric, value: float | None) -> str | None:
    """A value in the metric's own unit. More digits where it would otherwise read as zero."""
    if value is None:
        return None
    if metric.is_share:
        return points(value)
    if value and abs(value) < 10**-metric.digits:
        return significant(value, 2)
    return number(value, metric.digits)
