"""Counters of what offload moved, by the names that engines export: which way, which memory, and what is counted.

Names are seen in at least one version of each engine. A counter with a label has one entry for each of its values,
written behind the name as `name{label=value}`.
"""

from dataclasses import dataclass
from typing import Literal

from app.catalog.offload import TIERS

Way = Literal["load", "store"]
Quantity = Literal["bytes", "seconds", "operations", "tokens"]

CONNECTOR = "external"
"""The memory of a counter that does not tell what stands behind a connector; a point's only tier stands for it."""


@dataclass(frozen=True, slots=True)
class Counter:
    """One counter. Loads come towards the chip, stores leave it; `medium` is the memory at the far end."""

    way: Way
    quantity: Quantity
    medium: str
    note: str = ""


_QUEUED = "waiting in the queue included"
_WAYS: tuple[tuple[Way, str], ...] = (("load", "loaded"), ("store", "stored"))


def _own() -> dict[str, Counter]:
    """The columns of a Halo table: `host_dram_loaded_bytes`, `local_nvme_store_operations`."""
    found: dict[str, Counter] = {}
    for medium in TIERS:
        if medium.key in ("hbm", "unattributed"):
            continue
        for way, done in _WAYS:
            found[f"{medium.key}_{done}_bytes"] = Counter(way, "bytes", medium.key)
            found[f"{medium.key}_{way}_operations"] = Counter(way, "operations", medium.key)
            found[f"{medium.key}_{way}_seconds"] = Counter(way, "seconds", medium.key)
    return found


OWN: dict[str, Counter] = _own()

LABELLED: dict[str, str] = {
    "vllm:kv_offload_total_bytes": "transfer_type",
    "vllm:kv_offload_total_time": "transfer_type",
    "vllm:kv_offload_tiering_read_bytes": "tier",
    "vllm:kv_offload_tiering_read_time": "tier",
    "vllm:kv_offload_tiering_write_bytes": "tier",
    "vllm:kv_offload_tiering_write_time": "tier",
}
"""Counters that mean nothing without one of their labels."""


def labelled(name: str, label: str, value: str) -> str:
    return f"{name}{{{label}={value}}}"


def _vllm() -> dict[str, Counter]:
    found: dict[str, Counter] = {}
    for way, spelled in (("load", "cpu_to_gpu"), ("store", "gpu_to_cpu")):
        for quantity, tail in (("bytes", "bytes"), ("seconds", "time")):
            name = f"vllm:kv_offload_total_{tail}"
            found[labelled(name, LABELLED[name], spelled)] = Counter(way, quantity, "host_dram")  # type: ignore[arg-type]  # literals above
            found[f"vllm:kv_offload_{way}_{tail}"] = Counter(way, quantity, CONNECTOR)  # type: ignore[arg-type]
            found[f"{tail}_{spelled}"] = Counter(way, quantity, "host_dram")  # type: ignore[arg-type]
    return found


COUNTERS: dict[str, Counter] = {
    **OWN,
    **_vllm(),
    "sglang:load_back_tokens": Counter("load", "tokens", "host_dram"),
    "sglang:load_back_duration_seconds": Counter("load", "seconds", "host_dram"),
    "sglang:prefetched_tokens": Counter("load", "tokens", CONNECTOR, "from storage into host memory, read ahead"),
    "sglang:backuped_tokens": Counter("store", "tokens", CONNECTOR, "from host memory into storage"),
    "atom:lmcache_loaded_tokens": Counter("load", "tokens", "host_dram"),
    "atom:lmcache_saved_tokens": Counter("store", "tokens", "host_dram"),
    "atom:lmcache_load_requests": Counter("load", "operations", "host_dram"),
    "atom:lmcache_save_requests": Counter("store", "operations", "host_dram"),
    "lmcache:num_remote_read_bytes": Counter("load", "bytes", "remote_dram"),
    "lmcache:num_remote_write_bytes": Counter("store", "bytes", "remote_dram"),
    "lmcache:time_to_retrieve": Counter("load", "seconds", CONNECTOR, _QUEUED),
    "lmcache:time_to_store": Counter("store", "seconds", CONNECTOR, _QUEUED),
    "trtllm_kv_cache_onboard_bytes": Counter("load", "bytes", "host_dram"),
    "trtllm_kv_cache_offload_bytes": Counter("store", "bytes", "host_dram"),
    "trtllm_onboard_bytes": Counter("load", "bytes", "host_dram"),
    "trtllm_offload_bytes": Counter("store", "bytes", "host_dram"),
    "kvbm_onboard_blocks_h2d": Counter("load", "operations", "host_dram", "blocks"),
    "kvbm_onboard_blocks_d2d": Counter("load", "operations", "local_nvme", "blocks, from disk to chip"),
    "kvbm_offload_blocks_d2h": Counter("store", "operations", "host_dram", "blocks"),
    "kvbm_offload_blocks_h2d": Counter("store", "operations", "local_nvme", "blocks, from host memory to disk"),
    "kvbm_offload_blocks_d2d": Counter("store", "operations", "local_nvme", "blocks, from chip to disk"),
    "mooncake_ssd_read_bytes": Counter("load", "bytes", "local_nvme"),
    "mooncake_ssd_write_bytes": Counter("store", "bytes", "local_nvme"),
}


def counter_of(name: str) -> Counter | None:
    """What a counter as kept means; of a labelled one, its tier is resolved from the value."""
    known = COUNTERS.get(name.removesuffix("_total")) or COUNTERS.get(name.lower())
    if known is not None or not name.endswith("}"):
        return known
    base, _, value = name[:-1].partition("{")
    if LABELLED.get(base) != "tier":
        return None
    spelling = value.partition("=")[2].rpartition(":")[2]
    term = TIERS.resolve(spelling)
    medium = "host_dram" if spelling == "primary" else term.key if term else CONNECTOR
    return Counter("load" if "_read_" in base else "store", "bytes" if base.endswith("_bytes") else "seconds", medium)


@dataclass(frozen=True, slots=True)
class Wait:
    """A counter of time that offload costs beside the transfers."""

    key: str
    label: str
    names: tuple[str, ...]
    count: tuple[str, ...] = ()
    """Counters of how many times, for the time of one."""


WAITS: tuple[Wait, ...] = (
    Wait(
        "lookup",
        "Looking up",
        ("lmcache:time_to_lookup", "lookup_seconds"),
        ("lmcache:num_lookup_requests", "lookup_operations"),
    ),
    Wait("scheduling", "Scheduling", ("scheduling_seconds",), ("scheduling_operations",)),
)
"""Their plain names are columns of a Halo table."""
WAIT_COLUMNS: tuple[str, ...] = tuple(name for wait in WAITS for name in (*wait.names, *wait.count) if ":" not in name)
