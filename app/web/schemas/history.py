"""What each series of a view reached, run after run."""

from pydantic import Field

from app.web.schemas.rows import Free, Model


class HistoryBound(Model):
    metric: str
    value: float


class HistoryLevel(Model):
    text: str
    at: float | None = Field(description="Where the frontier of each run is read on x.")
    slo: list[HistoryBound]


class HistoryRun(Model):
    run: str
    label: str
    time: str | None
    dated: bool = Field(description="False: it stands by order of ingest.")
    versions: list[str]
    since: str | None = Field(description="The snapshot that first held some of it.")


class HistoryReading(Model):
    run: str
    value: float | None
    how: str = Field(description="measured, interpolated or none.")
    why: str | None = Field(description="Why there is no value.")
    points: list[str]
    versions: list[str]
    version_changed: bool
    since: str | None = Field(description="The newest run before that measured the same service.")
    loads: int | None = Field(
        description="Configs and concurrencies of both, over which `change` tells their bests; null at a reading."
    )
    unlike: str | None = Field(description="Why there is nothing to compare with.")
    change: float | None = Field(description="Relative to the run `since`.")
    is_fall: bool = Field(description="Worse by more than `limit`.")


class HistorySeries(Model):
    key: str
    label: str
    scatter: float | None = Field(description="Median step between runs of one version; null with fewer than three.")
    limit: float
    readings: list[HistoryReading]


class HistoryFall(Model):
    series: str
    run: str
    since: str | None
    change: float | None
    limit: float
    version_changed: bool
    points: list[str]


class History(Model):
    snapshot: str
    title: str
    x: str
    y: str
    unit: str
    level: HistoryLevel
    notes: list[str]
    runs: list[HistoryRun]
    series: list[HistorySeries]
    falls: list[HistoryFall]
    figure: Free
