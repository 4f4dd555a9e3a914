"""The offload of a point in depth: pools, misses, traffic, flash."""

from pydantic import Field, create_model

from app.catalog.metrics import TTFT_MEAN_S, ttft
from app.web.schemas.rows import Model


class TokenBytes(Model):
    value: float = Field(description="Bytes of one full copy of a token's attention state.")
    format: str
    format_label: str
    format_stated: bool = Field(description="False where the record does not name it and BF16 is assumed.")
    copies: float = Field(description="Copies held where nothing keeps a single one: one a rank with latent attention.")
    ranks: int
    attention: str
    formula: str
    source: str
    hybrid: bool


class Pool(Model):
    medium: str
    label: str | None
    native_label: str | None
    tokens: float | None
    tokens_estimated: bool = Field(description="Worked out from bytes, the record stating no tokens.")
    bytes: int | None
    scope: str | None
    scope_label: str | None
    copies: float | None


class PoolRatio(Model):
    medium: str
    label: str | None
    ratio: float = Field(description="This pool and those between it and HBM, over HBM's, in tokens.")
    estimated: bool


class Policy(Model):
    key: str
    label: str
    text: str
    inclusion: str = Field(description="inclusive, exclusive or mixed.")


class Gain(Model):
    inclusive: float = Field(description="max(1, r)")
    exclusive: float = Field(description="1 + r")
    here: float | None


class WorkingSet(Model):
    tokens: float = Field(description="Concurrency x mean prompt.")
    sessions: float
    context: float
    over_hbm: float | None
    kept: float | None
    over_kept: float | None


class Pools(Model):
    hbm_tokens: float | None
    tiers: list[Pool]
    ratios: list[PoolRatio]
    ratio: float | None
    band: list[float]
    policy: Policy | None
    gain: Gain | None
    working_set: WorkingSet | None
    bytes_per_token: TokenBytes | None


class Miss(Model):
    key: str
    label: str
    share: float
    formula: str
    text: str


class Prediction(Model):
    name: str
    value: float
    denominator: str
    delivered: float | None
    delivered_denominator: str


class Misses(Model):
    ceiling: float | None
    cached: float | None
    achieved: float | None = Field(description="cached / ceiling")
    above_ceiling: bool
    parts: list[Miss] = Field(
        description="Shares of all prompt tokens that add up to 1; empty where `reason` says why."
    )
    prediction: Prediction | None
    reason: str


class Flow(Model):
    way: str
    medium: str
    label: str | None
    bytes: float | None
    operations: float | None
    tokens: float | None
    seconds: float | None
    bytes_per_operation: float | None
    bytes_per_s_busy: float | None = Field(description="Over the seconds that transfers took.")
    bytes_per_s_mean: float | None = Field(description="Over the whole measured window.")
    counters: list[str]
    notes: list[str]


class Wait(Model):
    key: str
    label: str
    seconds: float
    times: float | None
    counters: list[str]


class CrossCheck(Model):
    state: str = Field(description="agrees, disagrees or unknown.")
    loaded_bytes: float | None
    tokens: float | None
    counted: float | None = Field(description="Loaded bytes a token.")
    expected: float | None = Field(description="Bytes a token by the model's geometry.")
    copies: float | None
    formula: str


class Required(Model):
    medium: str
    label: str | None
    prompt_tput: float
    share: float
    bytes_per_s: float = Field(description="Prompt tokens a second x share x bytes a token x copies.")
    once_bytes_per_s: float = Field(description="The same, of one copy.")
    link: str | None
    link_label: str | None
    links: int | None
    link_bytes_per_s: float | None
    load_of_link: float | None
    source: str | None


class Write(Model):
    medium: str | None
    flash: bool
    basis: str
    bytes_per_s: float
    bytes_per_day: float | None
    drives: int | None
    drive_bytes: float | None
    drive_writes_per_day: float | None
    rated_drive_writes_per_day: float | None


class Traffic(Model):
    flows: list[Flow]
    waits: list[Wait]
    loaded_bytes: float | None
    stored_bytes: float | None
    write_amplification: float | None
    cross_check: CrossCheck
    required: list[Required]
    write: Write | None
    bytes_per_token: TokenBytes | None


class FlashTier(Model):
    medium: str
    label: str | None
    text: str
    share: float | None
    tokens: int | None
    bytes: int | None


class State(Model):
    key: str
    reported: bool
    label: str
    text: str


class Device(Model):
    model: str | None
    drives: int | None
    capacity_bytes: float | None
    read_bps: float | None
    write_bps: float | None
    dwpd: float | None
    interface: str | None
    raid: str | None


class _Iteration(Model):
    id: str
    here: bool
    run: str
    iteration: int | None
    cold: bool | None


Iteration: type[Model] = create_model(
    "Iteration",
    __base__=_Iteration,
    **dict.fromkeys((ttft("p50"), TTFT_MEAN_S), (float | None, ...)),  # type: ignore[call-overload]  # fields by key
)


class Nvme(Model):
    kinds: list[str]
    evidence_for_kv: bool = Field(description="False for parameter offload, which says nothing of KV offload to flash.")
    tiers: list[FlashTier]
    access_path: State
    gds: State
    page_cache: State
    staged_through: str | None
    device: Device | None
    iterations: list[Iteration]  # type: ignore[valid-type]  # made from the catalog's keys
    needed: list[str] = Field(description="What a record would have to say besides.")
