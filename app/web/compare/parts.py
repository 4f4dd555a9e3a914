"""The tables of the comparison as text: readings, areas, equal loads."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog.metrics import Metric
from app.compare.area import Area
from app.compare.compare import Comparison
from app.compare.lines import Line
from app.compare.matched import Load
from app.compare.readings import Cell, Value
from app.curve import Corner
from app.noise import Interval, Told
from app.web.blocks.metrics import metric_text
from app.web.blocks.numbers import significant
from app.web.compare.heat import NONE, Heat, heat
from app.web.table import Mark

Link = tuple[str, str]
"""The id of a point and what a link to it says."""

TOLD = {"noise": "within noise", "same": "no more than noise may be", "apart": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A printed value with its ratio to the base; without a value, `why`. `told` is said where a ratio means little."""

    text: str | None
    ratio: str = ""
    heat: Heat = NONE
    why: str = ""
    how: str = ""
    told: str = ""
    interval: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLine:
    label: str
    mark: Mark
    is_base: bool
    state: str
    links: tuple[Link, ...]
    range: str
    numbers: tuple[Number, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadGroup:
    """One reading: its x, the address without it, and a line a series."""

    text: str
    without: str
    lines: tuple[ReadLine, ...]


def read_lines(found: Comparison, x: float, columns: Sequence[Metric]) -> tuple[ReadLine, ...]:
    return tuple(_read_line(found, cell, columns) for cell in found.at(x))


def _read_line(found: Comparison, cell: Cell, columns: Sequence[Metric]) -> ReadLine:
    return ReadLine(
        label=cell.line.label,
        mark=mark_of(found, cell.line),
        is_base=_is_base(found, cell.line),
        state=cell.state,
        links=tuple((corner.id, str(metric_text(found.question.x, corner.x))) for corner in _corners(cell)),
        range=range_text(cell.line, found.question.x),
        numbers=tuple(_number(found, cell, cell.of(metric)) for metric in columns),
    )


def _corners(cell: Cell) -> list[Corner]:
    return [corner for corner in cell.line.corners if corner.id in cell.points]


def _number(found: Comparison, cell: Cell, value: Value) -> Number:
    is_y = value.metric == found.columns[0]
    ratio = value.ratio if not _is_base(found, cell.line) else None
    return Number(
        text=metric_text(value.metric, value.value),
        ratio=ratio_text(ratio),
        heat=heat(ratio, value.metric.better) if ratio is not None else NONE,
        why=value.why,
        how=value.how if cell.state == "interpolated" else "",
        told=TOLD[cell.told] if is_y and cell.told else "",
        interval=_bounds(value.metric, cell) if is_y and cell.bounds else "",
    )


def _bounds(metric: Metric, cell: Cell) -> str:
    low, high = (metric_text(metric, value) for value in cell.bounds or ())
    counts = " and ".join(str(interval.n if interval else 1) for interval in cell.intervals)
    mean = "mean " if any(interval and interval.mean for interval in cell.intervals) else ""
    return f"{mean}{low} to {high} over {counts} runs"


def _is_base(found: Comparison, line: Line) -> bool:
    return found.base is not None and found.base.key == line.key


def mark_of(found: Comparison, line: Line) -> Mark:
    hollow = bool(found.chart.hollow[line.series.members].all())
    return Mark(
        shape=f"m-{line.series.symbol}{'-o' if hollow else ''}", color=line.series.color, halo=False, notch=False
    )


def ratio_text(ratio: float | None) -> str:
    return "" if ratio is None else f"{significant(ratio, 3)}×"


def range_text(line: Line, x: Metric) -> str:
    if line.span is None:
        return "no frontier"
    low, high = (metric_text(x, value) for value in line.span)
    return str(low) if low == high else f"{low} to {high}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaLine:
    label: str
    mark: Mark
    is_base: bool
    range: str
    common: str
    mean: str | None
    base_mean: str | None
    ratio: Number
    whole: str | None


def area_lines(found: Comparison) -> tuple[AreaLine, ...]:
    return tuple(_area_line(found, area) for area in found.areas.rows)


def _area_line(found: Comparison, area: Area) -> AreaLine:
    x, y = found.question.x, found.question.y
    common = found.areas.common
    own = _is_base(found, area.line)
    width = area.common[1] - area.common[0] if area.common else 0.0
    return AreaLine(
        label=area.line.label,
        mark=mark_of(found, area.line),
        is_base=own,
        range=range_text(area.line, x),
        common=span_text(area.common, x),
        mean=metric_text(y, area.mean),
        base_mean=metric_text(y, area.base / width) if area.base is not None and width and not own else None,
        ratio=Number(
            text=ratio_text(area.ratio) if area.ratio is not None and not own else None,
            heat=heat(area.ratio, y.better) if area.ratio is not None and not own else NONE,
            why="" if own else area.why,
        ),
        whole=metric_text(y, area.whole / (common[1] - common[0])) if area.whole is not None and common else None,
    )


def span_text(span: tuple[float, float] | None, x: Metric) -> str:
    return f"{metric_text(x, span[0])} to {metric_text(x, span[1])}" if span else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedLine:
    label: str
    mark: Mark
    is_base: bool
    numbers: tuple[Number | None, ...]


def matched_lines(found: Comparison) -> tuple[MatchedLine, ...]:
    return tuple(
        MatchedLine(
            label=line.label,
            mark=mark_of(found, line),
            is_base=_is_base(found, line),
            numbers=tuple(_load(found, load) if load else None for load in loads),
        )
        for line, loads in found.matched.rows
    )


def _load(found: Comparison, load: Load) -> Number:
    y = found.question.y
    ratio = load.ratio if not _is_base(found, load.line) else None
    return Number(
        text=metric_text(y, load.value),
        ratio=ratio_text(ratio),
        heat=heat(ratio, y.better) if ratio is not None else NONE,
        why=load.why,
        told=_told(load.told),
        interval=_interval(y, load.interval),
        link=load.id,
    )


def _told(told: Told | None) -> str:
    return TOLD[told] if told else ""


def _interval(metric: Metric, interval: Interval | None) -> str:
    if interval is None:
        return ""
    low, high = (metric_text(metric, value) for value in (interval.low, interval.high))
    text = f"{low} to {high} over {interval.n} runs"
    if interval.mean:
        ends = " to ".join(str(metric_text(metric, value)) for value in interval.mean)
        text += f"; mean {ends} at 95 %"
    return text
