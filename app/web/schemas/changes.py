"""What changed between two snapshots."""

from pydantic import Field

from app.web.schemas.rows import Free, Model


class ChangeCounts(Model):
    changed: int = Field(description="Addresses that hold something else now.")
    added: int
    retired: int


class MetricChange(Model):
    metric: str
    label: str
    unit: str
    points: int = Field(description="Points that state another value, or one where there was none, or none now.")
    up: int
    down: int
    median_change: float | None = Field(description="Relative, of the points that have a value on both sides.")


class NumberChange(Model):
    metric: str
    unit: str
    before: float | None
    after: float | None
    change: float | None = Field(description="Relative to `before`; null where one side is missing or `before` is 0.")
    better: bool | None


class WordChange(Model):
    name: str
    before: Free | list[str] | str | float | bool | None
    after: Free | list[str] | str | float | bool | None


class Change(Model):
    id: str
    kind: str = Field(description="changed, added or retired.")
    point: dict[str, str | float | None] = Field(description="The point as it is now, or as it was last.")
    numbers: list[NumberChange]
    words: list[WordChange]


class Changes(Model):
    snapshot: str
    from_: str = Field(alias="from")
    to: str
    prices: str
    counts: ChangeCounts
    demo_left_aside: int = Field(description="Changes of demo points, which `origin=synthetic` lists.")
    metrics: list[MetricChange]
    count: int
    changes: list[Change]
    next: str | None
