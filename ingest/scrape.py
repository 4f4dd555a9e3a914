"""What a server's own metrics were over a measured window, whoever collected them.

Names are taken without the `_total` that Prometheus counters end in, since some collectors strip it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.catalog.metrics import HBM_POOL_TOKENS, HBM_USAGE_MAX


@dataclass(frozen=True, slots=True)
class Series:
    """One series: `total` is what a counter grew by, `mean` and `peak` describe a gauge; a histogram has its sum."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    endpoint: str = ""
    total: float | None = None
    mean: float | None = None
    peak: float | None = None
    least: float | None = None


@dataclass(frozen=True)
class Scrape:
    """All series of one window."""

    series: tuple[Series, ...]
    _by_name: dict[str, list[Series]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name: dict[str, list[Series]] = {}
        for one in self.series:
            by_name.setdefault(one.name.removesuffix("_total"), []).append(one)
        object.__setattr__(self, "_by_name", by_name)

    def named(self, name: str) -> list[Series]:
        return self._by_name.get(name, [])

    def names(self, *prefixes: str) -> list[str]:
        return sorted(name for name in self._by_name if name.startswith(prefixes))

    def total(self, name: str, **labels: str) -> float | None:
        """What a counter grew by, over all endpoints and workers; None where it is missing or ran backwards."""
        found = [
            one.total
            for one in self.named(name)
            if one.total is not None and all(one.labels.get(key) == value for key, value in labels.items())
        ]
        return sum(found) if found and min(found) >= 0 else None

    def by_label(self, name: str, label: str) -> dict[str, float]:
        """A counter's growth for each value of a label, zeros included."""
        values = dict.fromkeys(one.labels[label] for one in self.named(name) if label in one.labels)
        totals = {value: self.total(name, **{label: value}) for value in values}
        return {value: total for value, total in totals.items() if total is not None}

    def peak(self, name: str) -> float | None:
        return max((one.peak for one in self.named(name) if one.peak is not None), default=None)

    def mean(self, name: str) -> float | None:
        """The mean of a gauge over all workers."""
        found = [one.mean for one in self.named(name) if one.mean is not None]
        return sum(found) / len(found) if found else None

    def summed(self, *names: str) -> float | None:
        """A gauge that counts, over all workers: under the first of the names that is there."""
        for name in names:
            if found := [one.mean for one in self.named(name) if one.mean is not None]:
                return sum(found)
        return None

    @property
    def began_anew(self) -> bool:
        """Whether a process restarted: then no counter covers the whole window."""
        return any(
            one.least is not None and one.peak is not None and one.peak - one.least > 1
            for one in self.named("process_start_time_seconds")
        )

    @property
    def fell(self) -> bool:
        """Whether a counter ran backwards, as it does when its process restarts."""
        return any(one.total is not None and one.total < 0 for one in self.series)


def pool_metrics(scrape: Scrape) -> dict[str, float]:
    """Size and highest use of the chips' KV pool, over all workers."""
    found: dict[str, float] = {}
    if tokens := _pool_tokens(scrape):
        found[HBM_POOL_TOKENS] = tokens
    used = next((peak for name in USAGE if (peak := scrape.peak(name)) is not None), None)
    if used is not None and 0 <= used <= 1:
        found[HBM_USAGE_MAX] = used
    return found


USAGE = ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage", "trtllm_kv_cache_utilization")
"""Gauges of how much of the chips' KV pool is in use."""
RUNNING = ("vllm:num_requests_running", "sglang:num_running_reqs", "trtllm_num_requests_running")
WAITING = ("vllm:num_requests_waiting", "sglang:num_queue_reqs", "trtllm_num_requests_waiting")


def _pool_tokens(scrape: Scrape) -> float | None:
    blocks = [
        (one.labels.get("num_gpu_blocks", ""), one.labels.get("block_size", ""))
        for one in scrape.named("vllm:cache_config_info")
    ]
    if blocks and all(count.isdigit() and size.isdigit() for count, size in blocks):
        return float(sum(int(count) * int(size) for count, size in blocks))
    most, size = _summed_peak(scrape, "trtllm_kv_cache_max_blocks"), scrape.peak("trtllm_kv_cache_tokens_per_block")
    if most and size:
        return most * size
    return _summed_peak(scrape, "sglang:max_total_num_tokens")


def _summed_peak(scrape: Scrape, name: str) -> float | None:
    """A size summed over workers; the ranks of one worker report the same pool."""
    pools = {
        (one.endpoint, one.labels.get("dp_rank", ""), one.labels.get("engine", "")): one.peak
        for one in scrape.named(name)
        if one.peak is not None
    }
    return sum(pools.values()) if pools else None


def config_info(scrape: Scrape) -> dict[str, str]:
    """vLLM's cache config as its first worker states it."""
    found = scrape.named("vllm:cache_config_info")
    return dict(found[0].labels) if found else {}
