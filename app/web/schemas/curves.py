"""Series with their frontiers, and figures."""

from pydantic import Field

from app.web.schemas.rows import Free, Model, Row


class Points(Model):
    snapshot: str
    count: int = Field(description="All that match, whatever the limit.")
    rows: list[Row]
    next: str | None = Field(description="The cursor of the next page; null on the last one.")


class Axis(Model):
    key: str
    label: str
    unit: str
    better: str


class Axes(Model):
    x: Axis
    y: Axis


class Color(Model):
    light: str
    dark: str


class CurvePoint(Model):
    id: str
    x: float
    y: float
    frontier: bool
    config_id: str
    concurrency: float | None
    offload_mode: str
    offload_kind: str | None
    offload_label: str
    interactivity_def: str | None
    run: str
    flags: list[str]


class Series(Model):
    key: str
    label: str
    color: Color
    origin: str
    values: dict[str, str | None]
    points: list[CurvePoint]


class LeftOut(Model):
    reason: str
    count: int


class Group(Model):
    model: list[str]
    workload: list[str]
    origin: list[str]


class Frontier(Model):
    snapshot: str
    x: str
    y: str
    axes: Axes
    group: Group = Field(description="What the series have in common: no frontier crosses it.")
    color: list[str]
    prices: str
    notes: list[str] = Field(description="What was chosen because the query left it open.")
    count: int
    has_frontier: bool = Field(description="False where one of the axes has no better side.")
    series: list[Series]
    left_out: list[LeftOut] = Field(description="Matches that lack an axis: counted, never drawn as zero.")


class PlotlyFigure(Model):
    data: list[Free]
    layout: Free


class Figure(Model):
    figure: PlotlyFigure = Field(description="Plotly JSON, for plotly.js 4.1 and plotly.py 7.")
    meta: Free = Field(description="Snapshot, axes, series in both themes, cards, and what was left out.")
