"""What others measured of reloading and recomputing: the check on every number that a plan computes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A measurement at one prompt length. Times are microseconds a token; two where a range was given.

    `reload_s` is given instead where a reload took one time whatever the length.
    """

    letter: str
    system: str
    tokens: int
    recompute_us: tuple[float, float]
    reload_us: tuple[float, float] | None = None
    reload_s: float | None = None
    note: str
    source: str

    @property
    def recompute(self) -> float:
        """Seconds for the whole prompt, in the middle of the range."""
        return self.tokens * sum(self.recompute_us) / 2 / 1e6

    @property
    def reload(self) -> float:
        if self.reload_s is not None:
            return self.reload_s
        low, high = self.reload_us or (0.0, 0.0)
        return self.tokens * (low + high) / 2 / 1e6

    @property
    def times(self) -> float:
        """How many times faster reloading was; below 1 it was slower."""
        return self.recompute / self.reload


ANCHORS: tuple[Anchor, ...] = (
    Anchor(
        letter="A",
        system="ATOM, host DRAM",
        tokens=32_000,
        recompute_us=(78, 78),
        reload_us=(10, 10),
        note="A reload from host memory, eight times as fast.",
        source="ROCm/ATOM #1318",
    ),
    Anchor(
        letter="B",
        system="H20, Qwen3-Coder-30B, host DRAM",
        tokens=64_000,
        recompute_us=(232, 232),
        reload_us=(4.2, 4.2),
        note="A chip with little compute beside a fast link.",
        source="gahow/agentic-kvc",
    ),
    Anchor(
        letter="C",
        system="llm-d, GLM-5.2, from a peer",
        tokens=8_650,
        recompute_us=(130, 147),
        reload_s=1.25,
        note="Flat near 1.25 s, so this length is where both are equal: shorter prompts are faster recomputed.",
        source="llm-d, stored copy of 2026-08",
    ),
    Anchor(
        letter="D",
        system="DeepSeek-R1 on 8 chips, 800G remote flash, GDS",
        tokens=100_000,
        recompute_us=(342, 342),
        reload_us=(10.6, 10.6),
        note="16 requests at once; the time of each includes the others.",
        source="panpan0000/gds-benchmark-nvidia 83111e3",
    ),
    Anchor(
        letter="E",
        system="4 DGX Spark, GLM-5.3, NVMe",
        tokens=100_000,
        recompute_us=(3_350, 3_350),
        reload_us=(30, 80),
        note="So little compute that even one drive wins by far.",
        source="tonyd2wild #5",
    ),
    Anchor(
        letter="F",
        system="Dynamo KVBM, H100, Llama-8B, NVMe",
        tokens=20_000,
        recompute_us=(45, 45),
        reload_us=(2_000, 2_000),
        note="0.06 GB/s came from the drive: reloading took 44 times as long.",
        source="ai-dynamo/dynamo #6101",
    ),
)

ELSEWHERE = (
    "EfficientAgent (arXiv 2609.33762) reports whole runs: with offload they took 1.08 to 1.87 times as long on H800, "
    "0.60 times on H20 and 0.91 times on RTX 3090. Peak FLOP per link byte there: 15.5 k, 2.3 k and 2.2 k."
)
