"""The comparison of a report in words: one table for each way of comparing, as rows of texts."""

from dataclasses import dataclass

from app.catalog.metrics import Metric
from app.catalog.oklch import Color
from app.compare.compare import Comparison
from app.compare.matched import Load
from app.compare.readings import Cell
from app.report.text import ratio_text, value_text
from app.web.blocks.metrics import metric_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A cell: its text or None, and a word on how it was come by."""

    text: str | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    label: str
    color: Color
    cells: tuple[Said, ...]
    outside: str = ""
    """Why there is no cell at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The series at one x: a row for each, a column for each metric."""

    x: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    base: str
    columns: tuple[Metric, ...]
    readings: tuple[Reading, ...]
    areas: tuple[Row, ...]
    levels: tuple[str, ...]
    matched: tuple[Row, ...]
    notes: tuple[str, ...]


def compared(found: Comparison) -> Compared:
    x, y = found.question.x, found.question.y
    return Compared(
        base=found.base.label if found.base else "",
        columns=found.columns,
        readings=tuple(
            Reading(
                x=value_text(x, at),
                rows=tuple(_row(cell) for cell in found.at(at)),
            )
            for at in found.readings
        ),
        areas=tuple(
            Row(
                label=area.line.label,
                color=area.line.series.color,
                cells=(
                    Said(text=_span(x, area.common), note=area.why),
                    Said(text=metric_text(y, area.mean) if area.mean is not None else None),
                    Said(text=ratio_text(area.ratio)),
                ),
            )
            for area in found.areas.rows
        ),
        levels=tuple(f"{level:g}" for level in found.matched.levels),
        matched=tuple(
            Row(
                label=line.label,
                color=line.series.color,
                cells=tuple(_load(y, load) for load in loads),
            )
            for line, loads in found.matched.rows
        ),
        notes=found.notes,
    )


def _row(cell: Cell) -> Row:
    why = next((value.why for value in cell.values if value.why), "") if cell.state == "outside" else ""
    cells = tuple(
        Said(
            text=metric_text(value.metric, value.value),
            note=" · ".join(filter(None, (value.why if value.value is None else value.how, ratio_text(value.ratio)))),
        )
        for value in cell.values
    )
    return Row(label=cell.line.label, color=cell.line.series.color, cells=cells, outside=why)


def _load(y: Metric, load: Load | None) -> Said:
    return Said(text=metric_text(y, load.value), note=ratio_text(load.ratio) or "") if load else Said(text=None)


def _span(metric: Metric, span: tuple[float, float] | None) -> str | None:
    return f"{value_text(metric, span[0])} to {value_text(metric, span[1])}" if span else None
