"""Every quantity Halo can chart: key, unit, direction of better, definition, and how it comes about.

The table columns, axis menus, axis titles, frontier directions, number formats, API checks and
glossary are all read off METRICS. Sources fill the metrics marked as measured; `derive` works out
those that follow from others; the store works out those that depend on a price table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.catalog.vocabulary import Term, Vocabulary

Better = Literal["higher", "lower", "none"]
Made = Literal["measured", "derived", "priced"]

STATISTICS = ("mean", "p50", "p75", "p90", "p95", "p99")
"""Statistics that latency and interactivity are kept at, in the order menus show them."""


@dataclass(frozen=True, kw_only=True)
class Metric(Term):
    """A quantity. `family` and `statistic` group the variants of one quantity in menus."""

    unit: str
    better: Better
    family: str
    group: str
    statistic: str | None = None
    made: Made = "measured"
    digits: int = 1
    formula: str = ""
    per_chip: bool = False
    axis: bool = True
    follows: str = ""
    """The throughput per chip that it is proportional to while price and power per chip stay as they are."""
    inverse: bool = False
    """Proportional to one over that throughput instead."""

    @property
    def direction(self) -> str:
        return {"higher": "higher is better", "lower": "lower is better", "none": ""}[self.better]

    @property
    def is_share(self) -> bool:
        """Shares are stored as fractions and printed as percentages."""
        return self.unit == "%"


_TOKENS = {
    "total": "input tokens, cached ones included, plus output tokens",
    "output": "output tokens",
    "input": "input tokens, cached ones included",
}


def _throughput() -> list[Metric]:
    per_chip = [
        Metric(
            key=f"{kind}_tput_per_chip",
            label=f"{kind.capitalize()} throughput per chip",
            unit="tok/s/chip",
            better="higher",
            family=f"{kind}_tput_per_chip",
            group="Throughput per chip",
            per_chip=True,
            text=f"{words.capitalize()}, per second, divided by all chips of the deployment: prefill and decode alike.",
            formula=f"{kind}_tput / chip_count",
        )
        for kind, words in _TOKENS.items()
    ]
    system = [
        Metric(
            key=f"{kind}_tput",
            label=f"{kind.capitalize()} throughput, whole system",
            unit="tok/s",
            better="higher",
            family=f"{kind}_tput",
            group="Throughput of the whole system",
            digits=0,
            text=f"{words.capitalize()}, per second, over the whole deployment.",
        )
        for kind, words in _TOKENS.items()
    ]
    return [
        *per_chip,
        Metric(
            key="computed_tput_per_chip",
            label="Computed throughput per chip",
            unit="tok/s/chip",
            better="higher",
            family="computed_tput_per_chip",
            group="Throughput per chip",
            made="derived",
            per_chip=True,
            text="Prompt tokens that no cache served, plus output tokens, per second and chip: the work really done.",
            formula="input_tput_per_chip * computed_share + output_tput_per_chip",
        ),
        Metric(
            key="output_tput_per_decode_chip",
            label="Output throughput per decode chip",
            unit="tok/s/decode chip",
            better="higher",
            family="output_tput_per_decode_chip",
            group="Throughput per chip of one role",
            per_chip=True,
            text="Output tokens per second divided by the decode chips alone. Not comparable with all-chip figures.",
            formula="output_tput / decode_chips",
        ),
        Metric(
            key="input_tput_per_prefill_chip",
            label="Input throughput per prefill chip",
            unit="tok/s/prefill chip",
            better="higher",
            family="input_tput_per_prefill_chip",
            group="Throughput per chip of one role",
            per_chip=True,
            text="Input tokens per second divided by the prefill chips alone. Not comparable with all-chip figures.",
            formula="input_tput / prefill_chips",
        ),
        *system,
    ]


def _interactivity() -> list[Metric]:
    metrics = []
    for statistic in STATISTICS:
        latency = "mean" if statistic == "mean" else statistic
        metrics.append(
            Metric(
                key=f"interactivity_{statistic}",
                label=f"Interactivity {statistic}",
                unit="tok/s/user",
                better="higher",
                family="interactivity",
                group="Interactivity",
                statistic=statistic,
                text=f"How fast one user sees tokens arrive: 1 / {latency} time per output token. "
                "At a percentile it is the slow tail, since it inverts the latency at that same percentile.",
                formula=f"1 / tpot_{statistic}_s, or 1 / itl_{statistic}_s for agentic work",
            )
        )
    for statistic in STATISTICS:
        metrics.append(
            Metric(
                key=f"e2e_interactivity_{statistic}",
                label=f"End-to-end interactivity {statistic}",
                unit="tok/s/user",
                better="higher",
                family="e2e_interactivity",
                group="Interactivity",
                statistic=statistic,
                text="Output tokens divided by the whole time of the request, waiting for the first token included.",
                formula=f"1 / {statistic} of (e2el / output tokens)",
            )
        )
    return metrics


_LATENCIES = {
    "ttft": ("Time to first token", "TTFT", 2, "From sending the request to its first output token."),
    "tpot": (
        "Time per output token",
        "TPOT",
        4,
        "(End-to-end latency - TTFT) / (output tokens - 1), per request: the pace after the first token.",
    ),
    "itl": (
        "Inter-token latency",
        "ITL",
        4,
        "Time between output tokens: per request in agentic files, per streamed chunk in others, which differs.",
    ),
    "e2el": ("End-to-end latency", "E2EL", 2, "From sending the request to its last output token."),
}


def _latency() -> list[Metric]:
    return [
        Metric(
            key=f"{quantity}_{statistic}_s",
            label=f"{short} {statistic}",
            aliases=(f"{name} {statistic}",),
            unit="s",
            better="lower",
            family=quantity,
            group="Latency",
            statistic=statistic,
            digits=digits,
            text=f"{name}. {text}",
        )
        for quantity, (name, short, digits, text) in _LATENCIES.items()
        for statistic in STATISTICS
    ]


def _money_and_power() -> list[Metric]:
    metrics = []
    for kind, words in _TOKENS.items():
        metrics += [
            Metric(
                key=f"{kind}_tokens_per_usd",
                label=f"{kind.capitalize()} tokens per $",
                unit="tok/$",
                better="higher",
                family=f"{kind}_tokens_per_usd",
                group="Money",
                made="priced",
                digits=0,
                text=f"{words.capitalize()}, per dollar of chip time at the chosen price table.",
                formula=f"{kind}_tput_per_chip * 3600 / usd_per_chip_hour",
                follows=f"{kind}_tput_per_chip",
            ),
            Metric(
                key=f"cost_per_m{kind}_tok_usd",
                label=f"Cost per million {kind} tokens",
                unit="$/M tok",
                better="lower",
                family=f"cost_per_m{kind}_tok_usd",
                group="Money",
                made="priced",
                digits=3,
                text=f"Dollars of chip time per million {words}, at the chosen price table.",
                formula=f"usd_per_chip_hour / ({kind}_tput_per_chip * 3600 / 1e6)",
                follows=f"{kind}_tput_per_chip",
                inverse=True,
            ),
            Metric(
                key=f"{kind}_tput_per_mw",
                label=f"{kind.capitalize()} throughput per MW",
                unit="tok/s/MW",
                better="higher",
                family=f"{kind}_tput_per_mw",
                group="Power",
                made="priced",
                digits=0,
                text=f"{words.capitalize()}, per second and megawatt of provisioned power: "
                "the chip with its share of host and network, from the power table.",
                formula=f"{kind}_tput_per_chip * 1000 / kw_per_chip",
                follows=f"{kind}_tput_per_chip",
            ),
            Metric(
                key=f"joules_per_{kind}_token",
                label=f"Joules per {kind} token",
                unit="J/tok",
                better="lower",
                family=f"joules_per_{kind}_token",
                group="Power",
                digits=3,
                text=f"Measured energy of the GPU boards alone over the run, divided by its {words}. Not wall power.",
                follows=f"{kind}_tput_per_chip",
                inverse=True,
            ),
        ]
    metrics.append(
        Metric(
            key="power_per_chip_w",
            label="Measured power per chip",
            unit="W/chip",
            better="none",
            family="power_per_chip_w",
            group="Power",
            digits=0,
            text="Mean power of one GPU board over the run, as its own sensor reports it.",
        )
    )
    return metrics


_SHARES = {
    "hbm": ("HBM share", "higher", "Share of all prompt tokens that the chip's own KV cache served."),
    "dram": ("DRAM share", "higher", "Share of all prompt tokens that host memory served."),
    "nvme": ("NVMe share", "higher", "Share of all prompt tokens that flash in the server served."),
    "remote": (
        "Remote share",
        "higher",
        "Share of all prompt tokens served from beyond the server: remote memory, remote flash, object stores, CXL.",
    ),
    "external": (
        "External share",
        "higher",
        "Share of all prompt tokens that a connector served without the record saying from which memory.",
    ),
    "unattributed": (
        "Unattributed share",
        "higher",
        "Share of all prompt tokens that some cache served, the tier unknown. Combined rates stand here.",
    ),
    "cached": (
        "Cached share",
        "higher",
        "Sum of the known tier shares: prompt tokens that did not have to be computed.",
    ),
    "computed": ("Recomputed share", "lower", "Share of all prompt tokens that no cache served."),
    "ceiling": (
        "Ceiling share",
        "none",
        "Share an infinite cache could have served on this trace. Only comparable within one data set.",
    ),
}


def _shares() -> list[Metric]:
    return [
        Metric(
            key=f"{key}_share",
            label=label,
            unit="%",
            better=better,  # type: ignore[arg-type]  # literals above
            family=f"{key}_share",
            group="Cache",
            text=text,
        )
        for key, (label, better, text) in _SHARES.items()
    ]


def _load() -> list[Metric]:
    return [
        Metric(
            key="concurrency",
            label="Concurrency",
            unit="users",
            better="none",
            family="concurrency",
            group="Load",
            digits=0,
            text="Requests kept in flight; in agentic work, users. Sub-agents can exceed it and waits undercut it.",
        ),
        Metric(
            key="input_tokens_mean",
            label="Input tokens per request, mean",
            unit="tok",
            better="none",
            family="input_tokens",
            group="Load",
            digits=0,
            text="Mean prompt length the server saw, cached tokens included.",
        ),
        Metric(
            key="output_tokens_mean",
            label="Output tokens per request, mean",
            unit="tok",
            better="none",
            family="output_tokens",
            group="Load",
            digits=0,
            text="Mean number of tokens the server produced.",
        ),
        Metric(
            key="duration_s",
            label="Duration",
            unit="s",
            better="none",
            family="duration",
            group="Load",
            digits=0,
            axis=False,
            text="Length of the measured window.",
        ),
        Metric(
            key="requests_ok",
            label="Successful requests",
            unit="requests",
            better="none",
            family="requests_ok",
            group="Load",
            digits=0,
            axis=False,
            text="Measured requests that finished without an error; warm-up left out.",
        ),
        Metric(
            key="requests_failed",
            label="Failed requests",
            unit="requests",
            better="none",
            family="requests_failed",
            group="Load",
            digits=0,
            axis=False,
            text="Measured requests that ended in an error.",
        ),
        Metric(
            key="hbm_pool_tokens",
            label="HBM KV pool",
            unit="tok",
            better="none",
            family="hbm_pool_tokens",
            group="Cache",
            digits=0,
            text="Tokens of attention state the chips' memory holds, over the whole deployment.",
        ),
        Metric(
            key="hbm_usage_max",
            label="HBM KV pool in use, peak",
            unit="%",
            better="none",
            family="hbm_usage_max",
            group="Cache",
            text="Highest fraction of the HBM KV pool in use during the run.",
        ),
    ]


METRICS: Vocabulary[Metric] = Vocabulary(
    "metric",
    [*_throughput(), *_interactivity(), *_latency(), *_money_and_power(), *_shares(), *_load()],
)


def derive(values: Mapping[str, float | None]) -> dict[str, float]:
    """The metrics that follow from the measured ones, added to them; what cannot be worked out stays absent.

    Per-chip figures are the source's to give, since only it knows which chips a file divided by.
    """
    known = {key: value for key, value in values.items() if value is not None}
    inputs = known.get("input_tput_per_chip")
    outputs = known.get("output_tput_per_chip")
    computed = known.get("computed_share")
    if inputs is not None and outputs is not None and computed is not None and computed <= 1:
        known["computed_tput_per_chip"] = inputs * computed + outputs
    return known


TOTAL_TPUT = "total_tput"
OUTPUT_TPUT = "output_tput"
INPUT_TPUT = "input_tput"
TOTAL_TPUT_PER_CHIP = "total_tput_per_chip"
OUTPUT_TPUT_PER_CHIP = "output_tput_per_chip"
TTFT_MEAN_S = "ttft_mean_s"
TPOT_MEAN_S = "tpot_mean_s"
ITL_MEAN_S = "itl_mean_s"
ITL_P50_S = "itl_p50_s"
HBM_POOL_TOKENS = "hbm_pool_tokens"
INTERACTIVITY_P50 = "interactivity_p50"
INTERACTIVITY_P90 = "interactivity_p90"
CACHED_SHARE = "cached_share"
COMPUTED_SHARE = "computed_share"
CEILING_SHARE = "ceiling_share"
POWER_PER_CHIP_W = "power_per_chip_w"
HBM_USAGE_MAX = "hbm_usage_max"
OUTPUT_TPUT_PER_DECODE_CHIP = "output_tput_per_decode_chip"
INPUT_TPUT_PER_PREFILL_CHIP = "input_tput_per_prefill_chip"
INPUT_TOKENS_MEAN = "input_tokens_mean"
OUTPUT_TOKENS_MEAN = "output_tokens_mean"
DURATION_S = "duration_s"
REQUESTS_OK = "requests_ok"
REQUESTS_FAILED = "requests_failed"
CONCURRENCY = "concurrency"
TOTAL_TOKENS_PER_USD = "total_tokens_per_usd"
JOULES_PER_OUTPUT_TOKEN = "joules_per_output_token"


def ttft(statistic: str) -> str:
    """The key of a time to first token."""
    return f"ttft_{statistic}_s"
