"""The offload study."""

from typing import Any

from pydantic import Field

from app.web.schemas.curves import Group
from app.web.schemas.rows import Model


class StudyArm(Model):
    recipe_id: str
    recipe: str
    series: str
    config_id: str
    offload: str


class StudyChange(Model):
    key: str
    label: str
    unit: str
    off: float | None
    on: float | None
    change: float | None = Field(description="Relative; of shares the difference.")
    off_range: list[float] | None = Field(description="Least and most over repeats; null where there is but one.")
    on_range: list[float] | None
    verdict: str = Field(description="better, worse, same, noise (repeats overlap) or unknown.")
    why: str | None = Field(description="Why it could not be compared.")


class StudyBest(StudyChange):
    off_point: str
    off_concurrency: float | None
    on_point: str
    on_concurrency: float | None


class StudyVerdict(StudyArm):
    question: str = Field(description="`pays`: did offload pay. `nvme`: would a tier on flash help.")
    answer: str = Field(description="yes, no, partly, nothing (nothing to gain) or unknown.")
    since: float | None = Field(description="The concurrency from which on every pair gains.")
    measured: bool = Field(description="False where the answer is judged from what limits, not from an arm with NVMe.")
    text: str
    points: list[str] = Field(description="Ids of the points that it rests on.")
    best: StudyBest | None = Field(
        description="The highest throughput with offload against the highest without, each at its own load."
    )


class StudyPair(StudyArm):
    base_config_id: str
    concurrency: float
    off: str
    on: str
    same_run: bool
    flop_per_link_byte: float | None = Field(
        description="Dense peak of a chip over its link to host memory: the higher, the sooner recomputing wins."
    )
    flop_per_link_byte_of: str | None = Field(description="Chip, format and link that it is of.")
    changes: list[StudyChange]


class NotCompared(StudyArm):
    id: str
    concurrency: float | None
    reason: str


class Corner(Model):
    id: str
    x: float
    y: float


class Owned(Model):
    low: float
    high: float
    beyond: bool = Field(description="Whether the frontier without offload has nothing there at all.")


class StudyGain(Model):
    series: str
    label: str
    area: float | None = Field(description="Area under the frontier with offload points over that without.")
    area_range: list[float] | None = Field(
        description="Least and most over the choice of repeats; null where no load was run more than once."
    )
    within_noise: bool = Field(description="Whether another choice among the repeats leaves no gain.")
    common: list[float] | None = Field(description="The stretch of x that both frontiers reach: the area is over it.")
    owned: list[Owned]
    with_offload: list[Corner]
    without: list[Corner]
    beaten_by: Corner | None = Field(description="A point without offload that all points with it lie behind.")
    why: str | None


class Regime(Model):
    key: str
    label: str
    text: str


class PressurePoint(Model):
    id: str
    config_id: str
    concurrency: float | None
    working_set_tokens: float | None = Field(description="Concurrency times the mean prompt.")
    hbm_tokens: float | None
    below_tokens: float | None
    below_estimate: str | None = Field(description="How those tokens follow from bytes; null where they are stated.")
    hbm_pressure: float | None = Field(description="Working set over the HBM pool.")
    tier_pressure: float | None = Field(description="What returns before its next use over what the tiers retain.")
    ratio: float | None = Field(description="Pool below HBM over HBM's, in tokens.")
    gain: float | None
    regime: str
    reason: str


class Pressures(Model):
    band: list[float]
    regimes: list[Regime]
    points: list[PressurePoint]


class Stretch(Model):
    regime: str
    answer: str
    concurrencies: list[float]
    text: str
    reason: str
    points: list[str]


class Step(Model):
    concurrency: float
    change: float
    dram: str
    nvme: str


class NvmeAnswer(Model):
    recipe_id: str
    recipe: str
    answer: str
    measured: bool
    text: str
    stretches: list[Stretch]
    steps: list[Step] = Field(description="Throughput with NVMe behind DRAM over DRAM alone, where both were measured.")


class Part(Model):
    key: str
    label: str
    share: float


class Stack(Model):
    id: str
    concurrency: float
    parts: list[Part]
    not_accounted_for: float
    ceiling: float | None


class StackLeftOut(Model):
    id: str
    concurrency: float | None
    reason: str


class WaterfallOf(StudyArm):
    denominator: str
    note: str | None = Field(description="Why one memory goes by two names, where some records prove which it was.")
    stacks: list[Stack]
    left_out: list[StackLeftOut]


class SidePoint(Model):
    id: str
    hbm_tokens: float | None
    working_set_tokens: float | None
    shares: dict[str, float]
    throughput_per_chip: float | None


class SideLevel(Model):
    concurrency: float
    a: SidePoint | None
    b: SidePoint | None


class SidesOf(Model):
    a: StudyArm
    b: StudyArm
    differ: list[str]
    levels: list[SideLevel]


class StudySeries(Model):
    key: str
    label: str


class ParameterTable(StudyArm):
    points: list[str]
    facts: dict[str, Any]
    missing: list[str]
    bytes_per_token: float | None
    row_bytes: float | None
    read_amplification: float | None = Field(description="Bytes of whole 4 KiB pages over the bytes of a row in them.")


class ParameterSide(Model):
    config_id: str
    offload: str
    frontier: list[Corner]


class ParameterRead(Model):
    x: float
    fast: float
    slow: float
    ratio: float
    fast_measured: bool = Field(description="False: read off the straight line between two points of its frontier.")
    slow_measured: bool


class ParameterComparison(Model):
    recipe_id: str
    recipe: str
    origin: str
    x: str
    y: str
    fast: ParameterSide
    slow: ParameterSide
    typed: bool = Field(description="One point a side, each at its own x: nothing is interpolated.")
    ratio: float | None
    reads: list[ParameterRead]
    why: str | None


class ParameterPart(Model):
    elsewhere: bool = Field(description="Whether it is of other models or workloads than the view's.")
    tables: list[ParameterTable]
    comparisons: list[ParameterComparison]


class Study(Model):
    snapshot: str
    title: str
    group: Group
    x: str
    y: str
    prices: str
    notes: list[str]
    verdicts: list[StudyVerdict]
    pairs: list[StudyPair]
    not_compared: list[NotCompared]
    gains: list[StudyGain]
    pressure: Pressures
    nvme: list[NvmeAnswer]
    waterfall: WaterfallOf | None
    arms: list[StudyArm] = Field(description="Configs that `arm` may name.")
    sides: SidesOf | None
    series: list[StudySeries] = Field(description="What `a` and `b` may name.")
    parameter: ParameterPart
