"""What is known of the course of a run: its requests, the load and the server over time, its conversations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Column = list[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The requests of a run by what became of them. `seconds` from the first start to the last end."""

    requests: int
    measured: int
    warmup: int
    cooldown: int
    """Requests that began after the measured part of the run, in formats that measure a part."""
    failed: int
    errors: Mapping[str, int]
    conversations: int
    sub_agents: int
    """Requests that sub-agents sent."""
    workers: int
    start_s: float | None
    end_s: float | None
    warmup_end_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """A quantity over the measured requests, in bins of equal width on a log scale."""

    count: int
    mean: float
    least: float
    most: float
    p50: float
    p90: float
    p99: float
    edges: list[float]
    counts: list[int]
    zeros: int
    """Values that no log scale holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Requests by the stretch of time in which they were sent: count, and percentiles of TTFT and interactivity."""

    start_s: list[float]
    requests: list[int]
    ttft_p50: Column
    ttft_p90: Column
    pace_p50: Column
    pace_p90: Column
    cached: Column
    """Share of the prompt tokens that the server answered to have had in a cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Requests under way, as a mean over each stretch of time."""

    start_s: list[float]
    measured: list[float]
    warmup: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What the server or the slices told over time; a column that was not recorded is all None."""

    width_s: float
    start_s: list[float]
    columns: Mapping[str, Column]
    tokens: Mapping[str, Column]
    """Prompt tokens by medium."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Requests of one conversation side by side: one, or so many that began at about the same time."""

    lane: int
    start_s: float
    end_s: float
    first_token_s: float | None
    """When the first token came, where the bar is one request."""
    requests: int
    turns: tuple[int | None, int | None]
    sub_agent: bool
    warmup: bool
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """Conversations in order of their start; `of` is how many there are.

    `chosen` says which they are: all of them, those with the most requests, or, where each is short beside the run,
    those that began one after the other in its middle.
    """

    names: list[str]
    of: int
    chosen: Literal["all", "largest", "middle"]
    requests: int
    """Requests in the lanes."""
    bars: list[Bar]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """All of it. Where no requests were recorded, what only they tell is None or empty; so with the server."""

    span: tuple[float, float] | None
    """Seconds of the first and the last thing recorded; zero is the first request."""
    width_s: float
    """Stretches of time are so long."""
    totals: Totals | None = None
    distributions: Mapping[str, Distribution] = field(default_factory=dict)
    pace: Pace | None = None
    warmup: Pace | None = None
    load: Load | None = None
    lanes: Lanes | None = None
    server: Server | None = None
