"""The vocabulary, the state of the store, and problems."""

from pydantic import Field

from app.web.schemas.rows import Free, Model


class Vocabulary(Model):
    metrics: list[Free]
    dimensions: list[Free]
    chips: list[Free]
    engines: list[Free]
    orchestrators: list[Free]
    models: list[Free]
    precisions: list[Free]
    speculations: list[Free]
    origins: list[Free]
    offload: dict[str, list[Free]]
    flags: list[Free]
    prices: list[Free]


class DemoCounts(Model):
    points: int
    new: int
    superseded: int
    removed: int


class Published(Model):
    seq: int
    id: str
    new: int
    superseded: int
    removed: int
    refused: int
    points: int
    demo: DemoCounts = Field(description="How many of these are demo data.")


class Snapshots(Model):
    snapshot: str
    count: int
    snapshots: list[Published]


class Refused(Model):
    path: str
    where: str
    reason: str
    source: str | None
    since: int


class Rejections(Model):
    snapshot: str
    count: int
    rejections: list[Refused]
    next: str | None


class Health(Model):
    status: str
    snapshot: str


class ParameterProblem(Model):
    parameter: str
    value: str
    detail: str


class Problem(Model):
    type: str
    title: str
    status: int
    detail: str = Field(description="What was wrong, and what would be right.")
    instance: str
    parameter: str | None = Field(None, description="The first parameter at fault.")
    problems: list[ParameterProblem] | None = None
