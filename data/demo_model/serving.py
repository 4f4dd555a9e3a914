"""A small serving model: decode by bandwidth, prefill by arithmetic, a KV pool with tiers below it, queues.

One deployment serves N users, each of whom sends a prompt, reads the answer, pauses (agents only) and sends
the next. The model looks for the decode batch B at which the users' times add up:

    step(B)   = weights touched / bandwidth + KV state read / bandwidth + arithmetic + links + engine
    pace      = step / tokens accepted per step / (1 - time that prefill takes away)
    rate X    = B / (osl * step + B * prefill)          requests per second, so that B = X * osl * pace
    N         = X * (pause + TTFT) + B                  Little's law

What was computed before and still lies in a tier need not be computed again. A tier of capacity C keeps the
share fit(C / working set) of what could be reused, where the working set is users * context. A tier that
repeats HBM (write-through) adds to it only beyond HBM's own size; one that holds what HBM drops adds all of
its size. Reloading takes the link's time. So offload idles while HBM holds everything, pays once it does not,
and is lost work again when its tier is too small as well or its link is full.
"""

import math
from dataclasses import dataclass, field

from app.catalog.chips import CHIPS, Chip
from data.demo_model.parts import ENGINES, GB, HOSTS, SOFTWARE, WEIGHT_BYTES, Engine, Host, Model, Workload

_MEMORY_USED = 0.90
_BANDWIDTH_REACHED = 0.72
_STEP_ARITHMETIC_REACHED = 0.45
_PREFILL_ARITHMETIC_REACHED = 0.30
_LINK_HOP_S = {1: 0.0, 2: 12e-6, 4: 16e-6, 8: 22e-6}
_ROLE_TRANSFER_S = 0.08
_READ_PROMPT_S = 4e-6
_DRAFTS, _ACCEPTED = 2, 1.95
_REUSE_HALF, _REUSE_STEEPNESS = 0.78, 5.0
_BUSY_AT_MOST = 0.94
_WRITE_COST = 0.012
_THRASH_COST = 0.10
_ENGRAM_ROWS, _ENGRAM_ROW_S, _ENGRAM_TRIP_S = 48, 0.24e-6, 0.0030


@dataclass(frozen=True, kw_only=True)
class Tiers:
    """What lies below HBM: GB per chip by medium, fastest first. `repeats` when it holds copies of what HBM holds."""

    gb: dict[str, float] = field(default_factory=dict)
    repeats: bool = True


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """A recipe with its offload. `prefill_chips` above zero gives prefill chips of its own."""

    model: Model
    chip: str
    chips: int
    engine: str
    precision: str
    tp: int
    dp_attention: bool = False
    mtp: bool = False
    prefill_chips: int = 0
    tiers: Tiers = Tiers()
    table: str = "hbm"
    """Where the model's parameter table lies: hbm, host_dram or local_nvme."""

    @property
    def all_chips(self) -> int:
        return self.chips + self.prefill_chips

    @property
    def cache_chips(self) -> int:
        """The chips whose memory keeps prompts for reuse: those that do prefill."""
        return self.prefill_chips or self.chips

    @property
    def copies(self) -> float:
        """Copies of one token's KV state over the chips."""
        if self.dp_attention:
            return 1.0
        return self.tp / min(self.tp, self.model.kv_heads)

    @property
    def spec(self) -> Chip:
        return CHIPS[self.chip]

    @property
    def software(self) -> Engine:
        return ENGINES[self.engine]

    @property
    def host(self) -> Host:
        return HOSTS[self.chip]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one measurement would show."""

    users: int
    requests_s: float
    ttft_s: float
    pace_s: float
    prefill_busy: float
    shares: dict[str, float] = field(default_factory=dict)
    pool_tokens: int = 0


def hbm_tokens(d: Deployment, chips: int) -> int:
    """Tokens of KV state that the HBM of so many chips holds beside the weights, copies counted once."""
    assert d.spec.memory is not None
    weights = d.model.total_b * GB * WEIGHT_BYTES[d.precision]
    table = d.model.table_gb * GB if d.table == "hbm" else 0.0
    free = chips * d.spec.memory.usable_gb * GB * _MEMORY_USED - weights - table
    return max(0, int(free / (d.model.kv_bytes * d.copies)))


def tier_bytes(d: Deployment) -> dict[str, int]:
    """Bytes set aside in each tier below HBM, over the whole deployment."""
    return {medium: int(gb * GB) * d.cache_chips for medium, gb in d.tiers.gb.items()}


def tier_tokens(d: Deployment) -> dict[str, int]:
    """Tokens that each tier below HBM holds, copies counted once."""
    return {medium: int(size / (d.model.kv_bytes * d.copies)) for medium, size in tier_bytes(d).items()}


def fit(capacity: float, working_set: float) -> float:
    """Share of the reusable tokens that a least-recently-used cache of this size still holds. Falls off a cliff."""
    if working_set <= 0:
        return 1.0
    return 1 / (1 + math.pow(_REUSE_HALF * working_set / max(capacity, 1.0), _REUSE_STEEPNESS))


def shares(d: Deployment, w: Workload, users: int) -> dict[str, float]:
    """Share of the prompt tokens that each tier serves."""
    if not w.agentic:
        return {}
    working_set = users * w.isl * 1.1
    reach = hbm_tokens(d, d.cache_chips)
    reusable = w.ceiling - w.common
    found = {"hbm": w.common + reusable * fit(reach, working_set)}
    for medium, tokens in tier_tokens(d).items():
        before = reach
        reach = max(reach, tokens) if d.tiers.repeats else reach + tokens
        found[medium] = reusable * (fit(reach, working_set) - fit(before, working_set))
    return found


def step_s(d: Deployment, w: Workload, batch: float) -> float:
    """Seconds of one decode step over a batch."""
    assert d.spec.memory is not None
    assert d.spec.memory.tb_s is not None
    bandwidth = d.spec.memory.tb_s * 1e12 * _BANDWIDTH_REACHED
    rows = batch * (1 + _DRAFTS * d.mtp)
    touched = 1 - math.pow(1 - d.model.experts_per_token / d.model.experts, rows)
    weights = (d.model.dense_b + (d.model.total_b - d.model.dense_b) * touched) * GB * WEIGHT_BYTES[d.precision]
    context = w.isl + w.osl / 2
    seen = context if d.model.attention_window is None else d.model.attention_window + 0.04 * context
    state = batch * seen * d.model.kv_bytes * d.copies / d.chips
    arithmetic = rows * 2 * d.model.active_b * GB / (d.chips * _flops(d) * _STEP_ARITHMETIC_REACHED)
    links = d.model.layers * 2 * _LINK_HOP_S[min(d.tp, 8)]
    work = weights / (d.chips * bandwidth) + state / bandwidth + arithmetic + links
    step = work * SOFTWARE[d.chip] * d.software.factor + d.software.step_s
    return step + _table_s(d, rows)


def prefill_s(d: Deployment, w: Workload, new_tokens: float) -> float:
    """Seconds in which one request's new tokens are computed by the chips that do prefill."""
    chips = d.prefill_chips or d.chips
    seen = w.isl if d.model.attention_window is None else d.model.attention_window + 0.05 * w.isl
    flops = new_tokens * (2 * d.model.active_b * GB + d.model.attention_flops * seen)
    work = flops / (chips * _flops(d) * _PREFILL_ARITHMETIC_REACHED)
    work = work * SOFTWARE[d.chip] * d.software.factor + d.software.prefill_s
    return work + _table_s(d, new_tokens)


def _flops(d: Deployment) -> float:
    rates = d.spec.rates
    # KV state and attention stay in FP8, so FP4 weights do not double the whole.
    fp8 = rates.fp8 or 0.0
    return (1.35 * fp8 if d.precision == "fp4" and rates.fp4 else fp8) * 1e12


def _table_s(d: Deployment, tokens: float) -> float:
    """Seconds that the parameter table adds. Host memory is read ahead; a mapped file costs a trip and a gather."""
    if d.model.table_gb == 0 or d.table != "local_nvme":
        return 0.0
    return _ENGRAM_TRIP_S + tokens * _ENGRAM_ROWS * _ENGRAM_ROW_S


def reload_s(d: Deployment, w: Workload, served: dict[str, float]) -> dict[str, float]:
    """Seconds that each link needs for one request's reload. Every chip loads its copy or part over its own links."""
    per_chip = d.model.kv_bytes * d.copies / d.cache_chips
    return {
        medium: share * w.isl * per_chip / (d.host.gb_s[medium] * GB)
        for medium, share in served.items()
        if medium in d.host.gb_s and share > 0
    }


def serve(d: Deployment, w: Workload, users: int) -> Outcome:
    """The steady state with this many users."""
    served = shares(d, w, users)
    new_tokens = w.isl * (1 - sum(served.values()))
    overhead = _overhead(d, w, users)
    compute = prefill_s(d, w, new_tokens) * overhead
    links = reload_s(d, w, served)
    accepted = _ACCEPTED if d.mtp else 1.0
    pool = hbm_tokens(d, d.chips)
    most_batch = min(float(users), max(1.0, 0.95 * pool / (w.isl + w.osl)))
    most_rate = min((_BUSY_AT_MOST / seconds for seconds in links.values()), default=math.inf)
    if d.prefill_chips:
        most_rate = min(most_rate, _BUSY_AT_MOST / compute)

    def at(batch: float) -> tuple[float, float, float]:
        """Rate, pace and time to first token at this batch."""
        step = step_s(d, w, batch) * overhead / accepted
        stolen = 0.0 if d.prefill_chips else compute
        rate = batch / (w.osl * step + batch * stolen)
        busy = rate * compute
        waited = compute * busy / max(1 - busy, 0.02) * (0.5 + w.spread)
        loaded = sum(s * (1 + 0.5 * rate * s / max(1 - rate * s, 0.02)) for s in links.values())
        moved = _ROLE_TRANSFER_S if d.prefill_chips else 0.0
        return (
            rate,
            step / max(1 - rate * stolen, 0.02),
            _READ_PROMPT_S * w.isl + compute * 1.15 + waited + loaded + moved,
        )

    low, high = 1e-4, most_batch
    for _ in range(60):
        middle = (low + high) / 2
        rate, _pace, ttft = at(middle)
        too_many = rate > most_rate or rate * (w.pause_s + ttft) + middle > users
        low, high = (low, middle) if too_many else (middle, high)
    rate, pace, ttft = at(low)
    # Users that the batch or a link has no room for wait before their first token.
    ttft = max(ttft, (users - low) / rate - w.pause_s)
    return Outcome(
        users=users,
        requests_s=rate,
        ttft_s=ttft,
        pace_s=pace,
        prefill_busy=min(0.98, rate * compute),
        shares=served,
        pool_tokens=pool + (hbm_tokens(d, d.prefill_chips) if d.prefill_chips else 0),
    )


def _overhead(d: Deployment, w: Workload, users: int) -> float:
    """What writing to a tier costs: little, and more when what was written is lost before it is read."""
    if not d.tiers.gb:
        return 1.0
    reach = max([hbm_tokens(d, d.cache_chips), *tier_tokens(d).values()])
    return 1 + _WRITE_COST + _THRASH_COST * (1 - fit(reach, users * w.isl * 1.1))
