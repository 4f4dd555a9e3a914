"""What happened during the run of a point."""

from pydantic import Field

from app.web.schemas.curves import PlotlyFigure
from app.web.schemas.rows import Free, Model

Numbers = list[float | None]


class RunFiles(Model):
    requests: str | None = Field(description="Parquet file of the requests one by one, named by its content.")
    timeline: str | None


class RunRequests(Model):
    requests: int
    measured: int = Field(description="Successful ones that are no part of the warm-up: what figures are about.")
    warmup: int
    cooldown: int
    failed: int
    errors: dict[str, int]
    conversations: int
    sub_agents: int = Field(description="Requests that sub-agents sent.")
    workers: int
    start_s: float | None
    end_s: float | None
    warmup_end_s: float | None


class RunDistribution(Model):
    count: int
    mean: float
    least: float
    most: float
    p50: float
    p90: float
    p99: float
    edges: list[float] = Field(description="Edges of the bins: one more than counts.")
    counts: list[int]
    zeros: int = Field(description="Values of zero, which no log bin holds.")


class RunPace(Model):
    start_s: list[float]
    requests: list[int]
    ttft_p50: Numbers
    ttft_p90: Numbers
    pace_p50: Numbers = Field(description="Interactivity, tok/s/user.")
    pace_p90: Numbers
    cached: Numbers = Field(description="Share of prompt tokens from a cache, as the server answered each request.")


class RunLoad(Model):
    start_s: list[float]
    measured: list[float]
    warmup: list[float]


class RunServer(Model):
    width_s: float
    start_s: list[float]
    columns: dict[str, Numbers]
    tokens: dict[str, Numbers] = Field(description="Prompt tokens by the medium that served them.")


class Bar(Model):
    lane: int
    start_s: float
    end_s: float
    first_token_s: float | None
    requests: int
    turns: list[int | None] = Field(description="The first and the last turn in the bar.")
    sub_agent: bool
    warmup: bool
    failed: int


class Conversations(Model):
    shown: int
    of: int
    chosen: str = Field(description="all, largest (those with the most requests) or middle (a stretch of the run).")
    requests: int
    names: list[str]
    bars: list[Bar]


class RunFigure(Model):
    figure: PlotlyFigure
    meta: Free


class RunSeries(Model):
    snapshot: str
    id: str
    files: RunFiles
    keep: list[str] = Field(description="What to keep of the next run, so that more can be told.")
    problem: str | None
    span_s: list[float] | None
    width_s: float | None
    requests: RunRequests | None
    distributions: dict[str, RunDistribution] | None
    pace: RunPace | None
    warmup: RunPace | None
    load: RunLoad | None
    server: RunServer | None
    conversations: Conversations | None
    figures: dict[str, RunFigure]
