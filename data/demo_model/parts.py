"""The parts that the demo's serving model is built from: models, links, engines, workloads.

Chips come from Halo's catalog. Model sizes and KV bytes per token follow from published architectures; the
efficiencies are assumptions of this model, chosen so that its curves look like real ones. None of it is measured.
"""

from dataclasses import dataclass

GB = 1e9


@dataclass(frozen=True, kw_only=True)
class Model:
    """A mixture of experts. Parameters in billions; `kv_bytes` per token at FP8, one copy, as running pools need it."""

    key: str
    total_b: float
    active_b: float
    dense_b: float
    experts: int
    experts_per_token: int
    layers: int
    kv_bytes: float
    kv_heads: int
    """1 when every rank keeps a copy of the KV state (MLA), unless attention is data parallel."""
    attention_flops: float
    """FLOPs per new token and token of context."""
    attention_window: int | None = None
    """Tokens that sparse attention looks at; None when it looks at all of them."""
    table_gb: float = 0.0
    """A parameter table (Engram) beside the weights."""


MODELS = {
    model.key: model
    for model in (
        Model(
            key="kimik2.5",
            total_b=1040,
            active_b=32,
            dense_b=12,
            experts=384,
            experts_per_token=8,
            layers=61,
            kv_bytes=35_136,
            kv_heads=1,
            attention_flops=2.5e6,
        ),
        Model(
            key="dsv4",
            total_b=1600,
            active_b=49,
            dense_b=16,
            experts=384,
            experts_per_token=6,
            layers=61,
            kv_bytes=22_000,
            kv_heads=1,
            attention_flops=2.5e6,
            attention_window=4096,
        ),
        Model(
            key="glm5.2",
            total_b=744,
            active_b=40,
            dense_b=14,
            experts=256,
            experts_per_token=8,
            layers=78,
            kv_bytes=47_700,
            kv_heads=1,
            attention_flops=2.6e6,
            attention_window=4096,
        ),
        Model(
            key="minimaxm2.5",
            total_b=230,
            active_b=10,
            dense_b=4,
            experts=256,
            experts_per_token=8,
            layers=62,
            kv_bytes=126_976,
            kv_heads=8,
            attention_flops=1.5e6,
        ),
        Model(
            key="dsv41flash",
            total_b=291,
            active_b=13,
            dense_b=5,
            experts=256,
            experts_per_token=6,
            layers=43,
            kv_bytes=12_000,
            kv_heads=1,
            attention_flops=1.2e6,
            attention_window=4096,
            table_gb=202.8,
        ),
        Model(
            key="dsr1",
            total_b=671,
            active_b=37,
            dense_b=14,
            experts=256,
            experts_per_token=8,
            layers=61,
            kv_bytes=35_136,
            kv_heads=1,
            attention_flops=2.5e6,
        ),
        Model(
            key="gptoss120b",
            total_b=117,
            active_b=5.1,
            dense_b=2,
            experts=128,
            experts_per_token=4,
            layers=36,
            kv_bytes=18_432,
            kv_heads=8,
            attention_flops=0.4e6,
        ),
    )
}

WEIGHT_BYTES = {"fp4": 0.57, "fp8": 1.03}
"""Bytes per parameter, scales included."""


@dataclass(frozen=True, kw_only=True)
class Host:
    """GB/s that each chip of a server gets in one direction, by the memory at the other end."""

    gb_s: dict[str, float]


PCIE5 = Host(gb_s={"host_dram": 52, "local_nvme": 11, "remote_flash": 1.5})
PCIE5_OLD_DRIVES = Host(gb_s={"host_dram": 52, "local_nvme": 6.5, "remote_flash": 1.5})
C2C = Host(gb_s={"host_dram": 170, "local_nvme": 11, "remote_flash": 1.5})
HOSTS = {"h200": PCIE5_OLD_DRIVES, "b200": PCIE5, "b300": PCIE5, "gb300": C2C, "mi355x": PCIE5}

SOFTWARE = {"h200": 1.0, "b200": 1.0, "b300": 1.0, "gb300": 1.0, "mi355x": 1.22}
"""How much longer the same work takes for kernels that are less tuned."""


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Seconds that a decode step and a prefill cost beside the chip's work, and the factor on the chip's work."""

    step_s: float
    prefill_s: float
    factor: float


ENGINES = {
    "vllm": Engine(step_s=0.0036, prefill_s=0.045, factor=1.0),
    "sglang": Engine(step_s=0.0031, prefill_s=0.040, factor=0.97),
    "trt": Engine(step_s=0.0024, prefill_s=0.050, factor=0.90),
    "atom": Engine(step_s=0.0029, prefill_s=0.045, factor=0.88),
}


@dataclass(frozen=True, kw_only=True)
class Workload:
    """Tokens of a request; for agents also the share of it that an endless cache could serve, and their pauses."""

    key: str
    isl: int
    osl: int
    ceiling: float = 0.0
    common: float = 0.0
    """Share of the prompt that all sessions have in common, so that it never leaves HBM."""
    pause_s: float = 0.0
    spread: float = 0.25
    """How much requests differ from each other: sigma of the logarithm."""

    @property
    def agentic(self) -> bool:
        return self.ceiling > 0


WORKLOADS = {
    "1k/1k": Workload(key="1k/1k", isl=1024, osl=1024),
    "8k/1k": Workload(key="8k/1k", isl=8192, osl=1024),
    "agentic:demo-traces": Workload(
        key="agentic:demo-traces", isl=84_000, osl=620, ceiling=0.955, common=0.035, pause_s=2.5, spread=0.8
    ),
}
