"""A point and a config whole."""

from typing import Any

from pydantic import Field, create_model

from app.web.schemas.deep import Misses, Nvme, Pools, Traffic
from app.web.schemas.parts import Cache, Dimension, Flag, Layout, Metric, Offload, Provenance
from app.web.schemas.rows import Free, Model, Row


class Standing(Model):
    x: str
    y: str
    query: str = Field(description="The dashboard view that shows the point on its curve.")
    series: str | None
    label: str | None
    points: int
    drawn: bool
    frontier: bool | None
    rank: int | None = Field(description="1 + the points of the series that are at least as good on both axes.")
    reason: str | None


class Difference(Model):
    key: str
    label: str
    unit: str
    digits: int
    better: str
    here: float
    twin: float
    change: float | None = Field(description="Relative to the twin; of shares the plain difference.")


class Twin(Row):
    chosen: str = Field(description="Why this point of its config stands for it.")
    differences: list[Difference]


class Step(Model):
    id: str
    concurrency: float | None


class Neighbours(Model):
    before: Row | None
    after: Row | None
    all: list[Step]


class Former(Model):
    since: str | None
    until: str | None


class _Point(Row):
    snapshot: str
    title: str
    offload: Offload
    cache: Cache
    pools: Pools | None = Field(description="How much each memory holds; null without KV offload or a known pool.")
    misses: Misses
    traffic: Traffic | None = Field(description="Null without KV offload.")
    nvme: Nvme | None = Field(description="Null where no tier lies on flash.")
    dimensions: list[Dimension]
    metrics: list[Metric]
    facts: Free
    provenance: Provenance
    prices: str
    standing: Standing
    twins: list[Twin]
    neighbours: Neighbours
    repeats: list[Row]
    history: list[Former]
    raw: Any = Field(description="The record as it came, secrets redacted.")


# In the whole point these two are told by role and with their texts.
Point: type[Model] = create_model("Point", __base__=_Point, layout=(Layout, ...), flags=(list[Flag], ...))


class Load(Model):
    workload: str | None
    label: str
    origin: str
    query: str
    points: list[Row]
    repeats: list[Row]


class ConfigTwin(Model):
    id: str
    offload_label: str
    offload_mode: str
    offload_kind: str | None
    shared: int = Field(description="Load levels that both have.")
    points: list[Row]


class Run(Model):
    run: str
    label: str
    time: str | None
    source: str
    origin: str
    points: list[str]


class Config(Model):
    snapshot: str
    id: str
    recipe_id: str
    title: str
    offload_label: str
    offload: Offload
    layout: Layout
    dimensions: list[Dimension]
    engine_versions: list[str]
    workloads: list[Load]
    twins: list[ConfigTwin]
    runs: list[Run]
    prices: str
