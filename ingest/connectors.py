"""What a `--kv-transfer-config` says of offload: backend, media, sizes and access path, out of its connectors."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from app.catalog.offload import BACKENDS, Offload, Tier, kv_tiers
from app.catalog.point import Json
from ingest.tiers import medium_of

_SIMPLE, _NATIVE, _TIERING, _SHARED = "vllm-simple", "vllm-native", "vllm-tiering", "llmd-fs"
_TIER_TYPES = {"obj": "object", "p2p": "remote_dram"}
_HOST, _FLASH, _EXTERNAL = "host_dram", "local_nvme", "external"
_OTHER_NAMES = {"dynamoconnector": "kvbm"}
_TRANSFER = ("nixl", "p2pnccl", "mooncakeconnector", "moriio", "moriconnector", "decodebench")
"""Connectors that carry state from prefill to decode and park nothing."""

_SURE = frozenset((_NATIVE, _SIMPLE, "hicache", "trtllm-native"))
"""Backends that use host memory and nothing else, unless their own arguments say so."""
_PROVEN = ("field", "supplied")


@dataclass(frozen=True, slots=True)
class Connector:
    """One connector that parks attention state. Pure transfer connectors, such as NIXL's, are none."""

    backend: str
    tiers: tuple[Tier, ...]
    access_path: str | None = None
    write_policy: str | None = None


def offload_of_config(config: Mapping[str, Json]) -> Offload | None:
    """The offload that the config turns on; None when none of its connectors parks anything."""
    found = [parked for inner in _inside(config) if (parked := _parked(inner)) is not None]
    if not found:
        return None
    first = BACKENDS[found[0].backend]
    return Offload(
        mode="on",
        kinds=("kv",),
        use=first.use,
        backend=first.key,
        backend_raw=str(config.get("kv_connector")),
        tiers=sized(first.key, [tier for connector in found for tier in connector.tiers]),
        evidence="recipe_flag",
        access_path=next((connector.access_path for connector in found if connector.access_path), None),
        write_policy=found[0].write_policy if len(found) == 1 else None,
    )


def transfers(config: Mapping[str, Json]) -> bool:
    """Whether a connector of the config carries state from prefill to decode."""
    return any(_name(inner).startswith(_TRANSFER) for inner in _inside(config))


def sized(backend: str | None, stated: Iterable[Tier]) -> tuple[Tier, ...]:
    """HBM and the stated tiers, fastest first, each with what is known of it."""
    known: dict[str, Tier] = {}
    for tier in stated:
        if tier.medium not in known or known[tier.medium].capacity_bytes is None:
            known[tier.medium] = tier
    return tuple(known.get(tier.medium, tier) for tier in kv_tiers(backend, known))


def proven_connector(offload: Offload) -> str | None:
    """The one medium behind the connector, where the record or the recipe proves it; a name proves nothing.

    A recipe proves it where the backend knows no other medium, or where its arguments speak of that tier.
    """
    below = [tier for tier in offload.tiers if tier.medium != "hbm"]
    if len(below) != 1 or below[0].medium == _EXTERNAL:
        return None
    (tier,) = below
    spoken_of = offload.backend in _SURE or tier.native_label is not None or tier.capacity_bytes is not None
    if offload.evidence in _PROVEN or (offload.evidence == "recipe_flag" and spoken_of):
        return tier.medium
    return None


def _inside(config: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """Every connector, those inside a MultiConnector before it, in their order."""
    for inner in _extra(config).get("connectors") or config.get("connectors") or ():
        if isinstance(inner, dict):
            yield from _inside(inner)
    yield config


def _extra(config: Mapping[str, Json]) -> Mapping[str, Json]:
    extra = config.get("kv_connector_extra_config")
    return extra if isinstance(extra, dict) else {}


def _name(config: Mapping[str, Json]) -> str:
    return str(config.get("kv_connector") or "").strip().lower()


def _parked(config: Mapping[str, Json]) -> Connector | None:
    name, extra = _name(config), _extra(config)
    term = BACKENDS.get(_OTHER_NAMES.get(name)) or BACKENDS.resolve(name)
    if term is None or term.kind != "kv":
        return None
    if term.key == _SIMPLE:
        return _simple(extra)
    if term.key == _NATIVE:
        return _native(extra)
    flash = [_FLASH] if term.key == "mooncake" and _true(extra.get("enable_offload")) else []
    return Connector(term.key, tuple(Tier(medium=medium) for medium in (*term.media, *flash)))


def _simple(extra: Mapping[str, Json]) -> Connector:
    """The simple connector writes to a disk instead of host memory when it is told so."""
    policy = "lazy" if _true(extra.get("lazy_offload")) else None
    if str(extra.get("kv_offload_backend", "")).strip().lower() == "disk":
        disk = Tier(medium=_FLASH, capacity_bytes=_bytes(extra.get("disk_capacity_bytes")))
        return Connector(_SIMPLE, (disk,), "o_direct", policy)
    return Connector(_SIMPLE, (_host(extra),), None, policy)


def _native(extra: Mapping[str, Json]) -> Connector:
    """Host memory, and what lies behind it when the spec is the tiered one."""
    spec = str(extra.get("spec_name", "")).strip().lower()
    if (shared := BACKENDS.resolve(spec)) is not None and shared.key == _SHARED:
        return Connector(_SHARED, tuple(Tier(medium=medium) for medium in shared.media))
    tiers = extra.get("secondary_tiers")
    behind = [str(tier.get("type", "")) for tier in tiers if isinstance(tier, dict)] if isinstance(tiers, list) else []
    if not behind and spec != "tieringoffloadingspec":
        return Connector(_NATIVE, (_host(extra),), None, "write_through")
    media = [_TIER_TYPES.get(word, medium_of(word)) for word in behind]
    known = [medium for medium in media if medium != "unattributed"]
    return Connector(_TIERING, (_host(extra), *(Tier(medium=medium) for medium in (known or (_EXTERNAL,)))))


def _host(extra: Mapping[str, Json]) -> Tier:
    """Host memory with its size: that of all workers together, or of each."""
    if (each := _bytes(extra.get("cpu_bytes_to_use_per_rank"))) is not None:
        return Tier(medium=_HOST, capacity_bytes=each, scope="per_rank")
    whole = _bytes(extra.get("cpu_bytes_to_use"))
    return Tier(medium=_HOST, capacity_bytes=whole, scope="cluster" if whole else None)


def _bytes(value: Json) -> int | None:
    try:
        size = float(value)
    except (TypeError, ValueError):
        return None
    return int(size) if 0 < size < 10**18 else None


def _true(value: Json) -> bool:
    return str(value).strip().lower() in ("true", "1", "yes", "on")


def with_tiers(offload: Offload, stated: Iterable[Tier]) -> Offload:
    """The offload with the tiers that its own arguments or another process state, in place of the usual ones."""
    tiers = tuple(stated)
    return replace(offload, tiers=sized(offload.backend, tiers)) if tiers else offload
