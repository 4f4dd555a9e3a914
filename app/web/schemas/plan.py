"""A plan: inputs, numbers with their formulas, tiers, links, measured anchors."""

from pydantic import Field

from app.web.schemas.rows import Free, Model


class PlanInput(Model):
    name: str
    label: str
    unit: str
    value: float | str | None
    origin: str = Field(description="yours, point, catalog, derived, estimated, assumed, example or unknown.")
    said: str = Field(description="Where the value comes from, in words.")


class PlanGeometry(Model):
    kind: str
    formula: str
    format: str
    source: str
    date: str
    checked: str = Field(description="The measurement that agrees with the arithmetic.")
    note: str


class PlanNumber(Model):
    key: str
    label: str
    value: float | None
    unit: str
    formula: str
    worked: str = Field(description="The formula with this plan's numbers.")
    missing: str = Field(description="What has to be known for it.")


class PlanTier(Model):
    medium: str
    label: str
    tokens: float | None = Field(description="Of this tier alone.")
    said: str
    conversations: dict[str, int | None] = Field(description="Resumable, this tier and faster ones, by write policy.")
    lifetime_s: dict[str, float | None] = Field(description="Until newly written tokens push one out, by write policy.")
    outlives: str
    at_least: bool = Field(description="The HBM pool is not known and does not count.")
    usd_per_hour: float | None


class PlanLink(Model):
    key: str
    label: str
    link: str
    count: int
    chosen: bool
    gb_s: float
    us_per_token: float
    reload_s: float
    break_even_tokens: float | None = Field(description="null: recomputing is faster at every length.")
    benefit: float | None
    flop_per_byte: float | None


class PlanAnchor(Model):
    letter: str
    system: str
    tokens: int
    recompute_us: list[float]
    reload_us: list[float] | None
    reload_s: float | None
    note: str
    source: str
    recompute_s: float
    reload_seconds: float
    times: float


class PlanFigure(Model):
    figure: Free
    meta: Free


class Plan(Model):
    snapshot: str
    query: str = Field(description="The shortest query that gives this plan.")
    point: str | None
    inputs: list[PlanInput]
    geometry: PlanGeometry | None
    regime: str | None = Field(description="idle, sweet spot, thrash, link-bound; null without an HBM pool.")
    verdict: str
    pool_size: str = Field(description="How big a pool keeps every conversation resumable, or what is missing for it.")
    short_prompts: str
    needs: list[str]
    results: list[PlanNumber]
    tiers: list[PlanTier]
    links: list[PlanLink]
    anchors: list[PlanAnchor]
    elsewhere: str
    sources: dict[str, str]
    figure: PlanFigure
