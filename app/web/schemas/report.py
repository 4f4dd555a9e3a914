"""A report: the shape of version 1. Keys may be added; none goes or changes its type."""

from typing import Any, Literal

from pydantic import Field

from app.web.schemas.compare import ComparedCell, Comparison
from app.web.schemas.curves import Axes, Group, LeftOut, Series
from app.web.schemas.parts import Flag
from app.web.schemas.rows import Model
from app.web.schemas.study import Study


class ReportReading(ComparedCell):
    x: float


class ReportSeries(Series):
    readings: list[ReportReading] = Field(description="What its frontier says at each reading; none if it is hidden.")


class ReportPrices(Model):
    table: str = Field(description="As `price` takes it: name and version.")
    source: str
    date: str


class ReportCounts(Model):
    points: int = Field(description="All that match the view.")
    placed: int = Field(description="Those that have both axes.")
    on_frontier: int
    with_kv_offload: int
    with_parameter_offload: int


class ReportFlag(Flag):
    points: list[str] = Field(description="Ids of the listed points that it is about.")


class ReportAttribution(Model):
    """Who is to be named wherever the numbers are shown."""

    text: str
    href: str


class ReportRun(Model):
    run: str
    run_label: str
    run_time: str | None
    source: str
    origin: str
    points: int


class ReportLinks(Model):
    live: str = Field(description="The view on the page; it follows later results.")
    frozen: str = Field(description="The same in this snapshot, for ever.")
    offload: str
    compare: str
    report: str
    points: str
    figure: str


class Report(Model):
    version: Literal[1]
    snapshot: str
    made: str | None = Field(description="When the file was made, in UTC; null in answers of the API.")
    view: str = Field(description="The query, with the model and workload that it left open.")
    title: str
    group: Group
    axes: Axes
    prices: ReportPrices
    notes: list[str]
    counts: ReportCounts
    has_frontier: bool
    series: list[ReportSeries]
    left_out: list[LeftOut]
    compare: Comparison
    offload: Study
    flags: list[ReportFlag]
    attributions: list[ReportAttribution]
    runs: list[ReportRun]
    method: list[str]
    links: ReportLinks


def report_schema() -> dict[str, Any]:
    """The JSON schema that docs/report.schema.json holds. Readers are to let pass what they do not know."""
    schema = Report.model_json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "halo-report-1",
        **_open(schema),
    }


def _open(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _open(item) for key, item in value.items() if key != "additionalProperties" or item is not False}
    return [_open(item) for item in value] if isinstance(value, list) else value
