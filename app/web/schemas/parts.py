"""Parts of a whole point: offload, cache, layout, flags, metrics, provenance."""

from pydantic import Field

from app.web.schemas.rows import Free, Model


class Backend(Model):
    key: str | None
    label: str | None
    version: str | None
    raw: str | None


class OffloadTier(Model):
    medium: str
    label: str | None
    capacity_tokens: int | None
    capacity_bytes: int | None
    scope: str | None
    scope_label: str | None
    native_label: str | None


class OffloadLabels(Model):
    kinds: list[str | None]
    use: str | None
    evidence: str | None
    gds: str | None
    page_cache: str | None
    access_path: str | None
    write_policy: str | None


class Offload(Model):
    mode: str
    kinds: list[str]
    use: str | None
    label: str
    backend: Backend
    tiers: list[OffloadTier]
    evidence: str | None
    gds: str | None
    page_cache: str | None
    access_path: str | None
    write_policy: str | None
    parameter: Free
    labels: OffloadLabels


class Flag(Model):
    key: str
    label: str
    severity: str
    text: str


class CacheTier(Model):
    medium: str
    label: str | None
    share: float | None
    tokens: int | None
    denominator: str
    provenance: str


class Rate(Model):
    name: str
    value: float
    denominator: str
    provenance: str


class Cache(Model):
    prompt_tokens: int | None
    tiers: list[CacheTier] = Field(description="No tier: not reported. A share of 0: measured, and nothing was served.")
    computed_share: float | None
    cached_share: float | None
    ceiling_share: float | None
    other_rates: list[Rate] = Field(description="Hit rates over another denominator, under their own names.")
    counters: dict[str, float]
    flags: list[Flag]


class Role(Model):
    chip: str | None
    chip_label: str | None
    chips: int | None
    workers: int | None
    tp: int | None
    pp: int | None
    pcp: int | None
    dcp: int | None
    ep: int | None
    dp_attention: bool | None


class Layout(Model):
    label: str | None
    whole: Role | None
    prefill: Role | None
    decode: Role | None
    disaggregated: bool | None
    multinode: bool | None


class Dimension(Model):
    key: str
    label: str
    value: str | int | float | bool | list[str] | None
    text: str | list[str]


class Metric(Model):
    key: str
    value: float | None
    unit: str
    label: str
    digits: int
    better: str
    group: str
    made: str
    definition: str
    formula: str


class Place(Model):
    place: str
    where: str


class Provenance(Model):
    places: list[Place]
    sent_by: list[str]
    source: str
    format: str
    reader: str
    run: str
    run_label: str
    run_time: str | None
    zone_known: bool | None
    iteration: int | None
    cold: bool
    image: str | None
    n: int
    identity: str
    supplied: dict[str, str]
    spellings: dict[str, str]
    needs: list[str]
    warnings: list[str]
    since: str | None
