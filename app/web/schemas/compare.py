"""A comparison of series."""

from pydantic import Field

from app.web.schemas.curves import Axis, Group
from app.web.schemas.rows import Model
from app.web.schemas.study import Corner


class ComparedSeries(Model):
    key: str
    label: str
    origin: str
    values: dict[str, str | None]
    points: int
    frontier: list[Corner]
    range: list[float] | None = Field(description="Least and most x of its frontier: outside nothing is told.")
    definitions: list[str] = Field(description="How its points define interactivity, where an axis is one.")


class Repeats(Model):
    n: int
    low: float
    high: float
    mean: list[float] | None = Field(description="From five repeats on: bootstrap interval of their mean, 95 %.")


class ComparedValue(Model):
    key: str
    value: float | None
    how: str = Field(
        description="measured, interpolated, derived (from the interpolated throughput at one price or power), unknown."
    )
    ratio: float | None = Field(description="To the base at the same x.")
    why: str | None = Field(description="Why there is no value or no ratio.")


class ComparedCell(Model):
    series: str
    state: str = Field(description="measured, interpolated or outside.")
    points: list[str] = Field(description="The point that was measured there, or the two that it lies between.")
    way: float | None = Field(description="How far from the first of the two points to the second, 0 to 1.")
    range: list[float] | None = Field(description="Least and most x of the frontier.")
    values: list[ComparedValue] = Field(description="In the order of `columns`: y first.")
    interval: list[float] | None = Field(description="Of y over repeats.")
    repeats: list[Repeats | None] = Field(description="Of each of `points`; null where it was measured once.")
    difference: str | None = Field(
        description="To the base: noise (intervals of repeats overlap), same (less than single runs can tell), apart."
    )


class Reading(Model):
    x: float
    chosen: bool = Field(description="True where the query names no `at`.")
    cells: list[ComparedCell]


class ComparedArea(Model):
    series: str
    common: list[float] | None = Field(description="The stretch of x that it has in common with the base.")
    area: float | None
    mean: float | None = Field(description="The area over the width of the stretch: its mean height.")
    base_area: float | None
    ratio: float | None
    whole: float | None = Field(description="Its area over the stretch that all series cover.")
    why: str | None


class ComparedAreas(Model):
    common: list[float] | None = Field(description="The stretch that all series cover.")
    rows: list[ComparedArea]


class ServiceLevel(Axis):
    bound: str = Field(description="at most, where lower is better; at least, where higher is.")
    value: float


class ServiceCounts(Model):
    meeting: int
    failing: int
    unknown: int = Field(description="Points that do not report one of the metrics: not failing.")


class Missing(Model):
    key: str
    count: int


class ServiceMiss(Model):
    key: str
    value: float
    by: float = Field(description="How far beyond the bound, relative to it.")


class ServicePoint(Model):
    id: str
    config_id: str
    series: str
    concurrency: float | None
    offload: str
    x: float
    y: float
    values: dict[str, float | None]
    misses: list[ServiceMiss]


class ServiceClass(Model):
    label: str
    values: dict[str, str | None]
    counts: ServiceCounts
    best: ServicePoint | None = Field(description="Of the points that meet every level, the one with the best y.")
    nearest: ServicePoint | None = Field(description="Where none meets them: the one that misses least.")


class Service(Model):
    levels: list[ServiceLevel]
    meeting: list[str]
    counts: ServiceCounts
    missing: list[Missing]
    classes: list[ServiceClass]


class MatchedCell(Model):
    id: str
    value: float
    count: int = Field(description="Points of the series at this concurrency, of which this one has the best y.")
    ratio: float | None
    interval: Repeats | None
    difference: str | None
    why: str | None


class MatchedRow(Model):
    series: str
    cells: list[MatchedCell | None]


class Matched(Model):
    concurrencies: list[float]
    rows: list[MatchedRow]
    without_concurrency: int
    left_out: int = Field(description="Concurrencies beyond the 200 that most series have.")


class Comparison(Model):
    snapshot: str
    title: str
    group: Group
    x: Axis
    y: Axis
    prices: str
    notes: list[str]
    method: list[str] = Field(description="How the numbers are made.")
    base: str | None = Field(description="The series that ratios are against.")
    series: list[ComparedSeries]
    hidden: list[str] = Field(description="Series that `hide` keeps out.")
    columns: list[Axis]
    readings: list[Reading]
    area: ComparedAreas
    service: Service | None
    matched: Matched
