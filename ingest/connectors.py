"""What a `--kv-transfer-config` says of offload: backend, media and access path, out of its connectors."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.catalog.offload import BACKENDS, Offload, kv_tiers
from app.catalog.point import Json
from ingest.tiers import medium_of

_SIMPLE, _NATIVE, _TIERING = "vllm-simple", "vllm-native", "vllm-tiering"
_TIER_TYPES = {"obj": "object", "p2p": "remote_dram"}


@dataclass(frozen=True, slots=True)
class Connector:
    """One connector that parks attention state. Pure transfer connectors, such as NIXL's, are none."""

    backend: str
    media: tuple[str, ...]
    access_path: str | None = None


def offload_of_config(config: Mapping[str, Json]) -> Offload | None:
    """The offload that the config turns on; None when none of its connectors parks anything."""
    found = list(_connectors(config))
    if not found:
        return None
    media = [medium for connector in found for medium in connector.media]
    first = BACKENDS[found[0].backend]
    return Offload(
        mode="on",
        kinds=("kv",),
        use=first.use,
        backend=first.key,
        backend_raw=str(config.get("kv_connector")),
        tiers=kv_tiers(first.key, media),
        evidence="recipe_flag",
        access_path=next((connector.access_path for connector in found if connector.access_path), None),
    )


def _connectors(config: Mapping[str, Json]) -> Iterator[Connector]:
    """Every parking connector, those inside a MultiConnector too, in their order."""
    extra = config.get("kv_connector_extra_config") or {}
    extra = extra if isinstance(extra, dict) else {}
    for inner in extra.get("connectors") or config.get("connectors") or ():
        if isinstance(inner, dict):
            yield from _connectors(inner)
    term = BACKENDS.resolve(str(config.get("kv_connector") or ""))
    if term is None or term.kind != "kv":
        return
    if term.key == _SIMPLE:
        yield _simple(extra)
    elif term.key == _NATIVE:
        yield _native(extra)
    else:
        yield Connector(term.key, term.media)


def _simple(extra: Mapping[str, Json]) -> Connector:
    """The simple connector writes to a disk instead of host memory when it is told so."""
    if str(extra.get("kv_offload_backend", "")).strip().lower() == "disk":
        return Connector(_SIMPLE, ("local_nvme",), "o_direct")
    return Connector(_SIMPLE, ("host_dram",))


def _native(extra: Mapping[str, Json]) -> Connector:
    """Host memory, and what lies behind it when the spec is the tiered one."""
    tiers = extra.get("secondary_tiers")
    behind = [str(tier.get("type", "")) for tier in tiers if isinstance(tier, dict)] if isinstance(tiers, list) else []
    if not behind and str(extra.get("spec_name", "")).lower() != "tieringoffloadingspec":
        return Connector(_NATIVE, ("host_dram",))
    media = [_TIER_TYPES.get(word, medium_of(word)) for word in behind]
    known = [medium for medium in media if medium != "unattributed"]
    return Connector(_TIERING, ("host_dram", *(known or ("external",))))
