"""LMCache's tiers: of its own server, shared by a node, or of each process that it runs in."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.catalog.offload import TIERS, Offload, Tier
from app.catalog.point import Json
from ingest.commands.command import Command, number_of, truth_of
from ingest.connectors import with_tiers
from ingest.tiers import medium_of

GB = 10**9
IN_PROCESS, SERVER = "lmcache", "lmcache-mp"
_UNDER_ATOM = "atom-lmcache"
_HOST, _FLASH, _EXTERNAL = "host_dram", "local_nvme", "external"
_SCHEMES = {
    **dict.fromkeys(
        ("redis", "rediss", "valkey", "resp", "infinistore", "lm", "mooncakestore", "mooncake"), "remote_dram"
    ),
    **dict.fromkeys(("s3", "gs", "gcs", "azure", "az"), "object"),
}
_NETWORKED = re.compile(r"weka|vast|3fs|nfs|lustre|gpfs|ceph|fsx")
_DRIVE = re.compile(r"nvme|ssd|raid|local|scratch")


def lmcache(offload: Offload, engine: Command, servers: Sequence[Command]) -> Offload:
    """The offload with LMCache's tiers, where the engine's variables or the server's arguments state them."""
    if offload.backend == SERVER:
        return with_tiers(offload, (tier for server in servers for tier in _of_server(server)))
    if offload.backend not in (IN_PROCESS, _UNDER_ATOM):
        return offload
    sized = with_tiers(offload, _of_process(engine))
    if engine.variable("LMCACHE_GDS_PATH") is None:
        return sized
    # What is configured may still fall back to plain reads.
    return replace(sized, gds="requested_unverified", access_path="gds_cufile")


def _of_server(server: Command) -> Iterator[Tier]:
    if (size := server.number("l1-size-gb")) is not None and size > 0:
        yield Tier(medium=_HOST, capacity_bytes=round(size * GB), scope="per_node", native_label="L1")
        adapters = server.value("l2-adapter", "l2-adapters")
        if adapters is not None:
            yield from (Tier(medium=medium, native_label="L2") for medium in _adapters(adapters))


def _adapters(value: Json) -> Iterator[str]:
    """The media of the storage behind the server; external where its type does not tell."""
    try:
        said = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        said = value
    for adapter in said if isinstance(said, list) else [said]:
        word = str(adapter.get("type", "") if isinstance(adapter, dict) else adapter)
        medium = _SCHEMES.get(word.lower(), medium_of(word))
        yield medium if medium in TIERS and medium != "unattributed" else _EXTERNAL


def _of_process(engine: Command) -> Iterator[Tier]:
    """A disk is always read through host memory; only GPUDirect goes without."""
    cpu = truth_of(engine.variable("LMCACHE_LOCAL_CPU"))
    size = number_of(engine.variable("LMCACHE_MAX_LOCAL_CPU_SIZE"))
    disk, gds = engine.variable("LMCACHE_LOCAL_DISK"), engine.variable("LMCACHE_GDS_PATH")
    remote = engine.variable("LMCACHE_REMOTE_URL")
    has_disk = disk is not None and truth_of(disk) is not False and disk.lower() not in ("none", "null")
    if cpu or has_disk or (cpu is None and size):
        yield _of_each(_HOST, size)
    if has_disk:
        yield _of_each(_FLASH, number_of(engine.variable("LMCACHE_MAX_LOCAL_DISK_SIZE")))
    if gds is not None:
        yield Tier(medium=_storage(gds), native_label="gds")
    if remote is not None:
        yield Tier(medium=_SCHEMES.get(remote.partition(":")[0].lower(), _EXTERNAL), native_label="remote")


def _of_each(medium: str, gb: float | None) -> Tier:
    size = round(gb * GB) if gb is not None and gb > 0 else None
    return Tier(medium=medium, capacity_bytes=size, scope="per_process" if size else None, native_label="local")


def _storage(path: str) -> str:
    """What lies behind a path, as far as its name tells."""
    if _NETWORKED.search(path.lower()):
        return "remote_flash"
    return _FLASH if _DRIVE.search(path.lower()) else _EXTERNAL
