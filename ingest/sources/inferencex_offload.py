"""What an InferenceX row says of KV offload, in every spelling the format has had.

Precedence: `offload_mode`, then `kv_offloading`, then the older `offloading`; a later one that disagrees is
a flag. A backend alone proves nothing, since it is named even where offload is off. Agentic rows that say
nothing stay unknown, so that a file name may still tell; fixed-sequence rows that say nothing are off,
because that benchmark has no offload at all and upstream reads the absent field so.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.catalog.offload import BACKENDS, TIERS, Mode, Offload, Tier, kv_tiers, resolve_backend
from ingest.sources.fields import Fields
from ingest.sources.memory import Memory

_GB = 10**9
SERVER_GB = 3000  # AgentX rules, InferenceX 843c6254, 2026-08-21: host memory allowed per server
"""`allocated_cpu_dram_gb` is decimal."""
_MODES = ("offload_mode", "kv_offloading", "offloading")
_READ = (*_MODES, "kv_offload_backend", "kv_offload_backend_version", "allocated_cpu_dram_gb")
_NONE = frozenset(("none", "off", "false", "no", "0"))
_ON = frozenset(("on", "true", "yes", "1"))
_AMBIGUOUS_BACKENDS = frozenset(("native", "native-offload"))
_HOST = "host_dram"


@dataclass(frozen=True, slots=True)
class Stated:
    """A row's offload, the medium its record proves behind a connector, and what does not fit together."""

    offload: Offload
    connector: str | None
    flags: tuple[str, ...] = ()


_OFFLOADS: Memory[Stated] = Memory(_READ)


def offload_of(
    row: Fields,
    runtime: str | None,
    *,
    disaggregated: bool,
    unstated: Mode,
    hbm_tokens: int | None = None,
) -> Stated:
    """Decides mode, media and backend once. `runtime` is the engine, without which `native` says nothing."""

    def work(row: Fields) -> Stated:
        return _stated(row, runtime, disaggregated, unstated, hbm_tokens)

    return _OFFLOADS.of(row, work, runtime, disaggregated, unstated, hbm_tokens)


def _stated(row: Fields, runtime: str | None, disaggregated: bool, unstated: Mode, hbm_tokens: int | None) -> Stated:
    claims = [_claim(row.row.get(key)) for key in _MODES]
    modes = [claim.mode for claim in claims if claim.mode]
    flags = ["mode_contradiction"] if len(set(modes)) > 1 else []
    raw, version = _backend(row)
    raw = raw or next((claim.backend for claim in claims if claim.backend), None)
    backend = resolve_backend(raw, runtime)
    if not modes or modes[0] == "off":
        if modes and backend:
            flags.append("backend_while_off")
        mode: Mode = "off" if modes else unstated
        return Stated(Offload(mode=mode, evidence="field" if modes else None), None, tuple(flags))
    if backend is None:
        flags.append("backend_missing")
    host_gb = row.number("allocated_cpu_dram_gb")
    if host_gb is not None and host_gb > SERVER_GB:
        flags.append("over_budget")
    media = next((claim.media for claim in claims if claim.media), ())
    known = BACKENDS.get(backend)
    offload = Offload(
        mode="on",
        kinds=("kv",),
        use=known.use if known and known.use else "prefix_reuse",
        backend=backend,
        backend_raw=raw,
        backend_version=version,
        tiers=_sized(kv_tiers(backend, media, hbm_tokens=hbm_tokens), host_gb),
        evidence="field",
    )
    return Stated(offload, _connector(media, disaggregated), tuple(flags))


@dataclass(frozen=True, slots=True)
class _Claim:
    mode: Mode | None = None
    media: tuple[str, ...] = ()
    backend: str | None = None


def _claim(value: object) -> _Claim:
    """What one field says: `dram`, `["dram", "nvme"]`, `dram+nvme`, `on`, `lmcache`, `none`."""
    if value is None:
        return _Claim()
    if isinstance(value, bool):
        return _Claim("on" if value else "off")
    words = _words(value if isinstance(value, list) else [value])
    if not words:
        return _Claim()
    if all(word in _NONE for word in words):
        return _Claim("off")
    media, backend = [], None
    for word in words:
        if word in _ON or word in _NONE:
            continue
        if term := TIERS.resolve(word):
            media.append(term.key)
        elif backend is None and (BACKENDS.resolve(word) or word in _AMBIGUOUS_BACKENDS):
            backend = word
        else:
            media.append("external")
    return _Claim("on", tuple(dict.fromkeys(media)), backend)


def _words(values: Iterable[object]) -> list[str]:
    return [word for value in values for word in re.split(r"[+,;\s]+", str(value).strip().lower()) if word]


def _backend(row: Fields) -> tuple[str | None, str | None]:
    """Name and version: text in older rows, with the version in a key of its own in rows taken from the API."""
    value = row.row.get("kv_offload_backend")
    if isinstance(value, dict):
        inner = row.inner("kv_offload_backend")
        return inner.text("name"), inner.text("version")
    return row.text("kv_offload_backend"), row.text("kv_offload_backend_version")


def _connector(media: tuple[str, ...], disaggregated: bool) -> str | None:
    """Host memory, when the record names it as the only medium and no prefill peer feeds the same counter.

    Media that the record names but that the counter cannot tell apart leave it external.
    """
    if disaggregated or (media and media != (_HOST,)):
        return "external"
    return _HOST if media else None


def _sized(tiers: tuple[Tier, ...], host_gb: float | None) -> tuple[Tier, ...]:
    if not host_gb or host_gb <= 0:
        return tiers
    size = round(host_gb * _GB)
    return tuple(
        replace(tier, capacity_bytes=size, scope="per_node") if tier.medium == _HOST else tier for tier in tiers
    )
