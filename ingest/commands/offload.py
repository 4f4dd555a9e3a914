"""The offload that the commands of a deployment turn on, with its tiers, their sizes and what those count over."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from app.catalog.offload import BACKENDS, Offload, Tier, resolve_backend
from app.catalog.point import Json
from ingest.commands.command import Command, number_of, truth_of
from ingest.commands.lmcache import GB, IN_PROCESS, SERVER, lmcache
from ingest.connectors import offload_of_config, sized, transfers
from ingest.yamltext import YamlFlaw, documents

_GIB = 2**30
_HOST, _FLASH, _EXTERNAL = "host_dram", "local_nvme", "external"
_CONFIG = ("kv-transfer-config",)
_IO = {"kernel": "kernel_copy", "direct": "dma_copy"}
_STORAGE = {"file": _FLASH, "mooncake": "remote_dram", "hf3fs": "remote_flash", "3fs": "remote_flash"}
_POLICIES = ("write_through", "write_through_selective", "write_back")
_ELSEWHERE = ("config", "extra-llm-api-options", "extra-llm-api-config", "config-file")
"""Flags that name a file with more arguments, which is not at hand."""
_TELLING = ("vllm serve", "sglang serve", "trtllm-serve")
"""Servers that offload nothing unless an argument says so."""

Rule = Callable[[Command], Offload | None]


def offload_of(commands: Sequence[Command]) -> Offload | None:
    """The offload of commands that run together; None where they do not tell."""
    engines = [command for command in commands if command.kind == "serve"]
    caches = [command for command in commands if command.kind == "cache"]
    kv = next(
        (lmcache(found, engine, caches) for engine in engines for rule in _RULES if (found := rule(engine))), None
    )
    parameter = next((found for engine in engines if (found := _parameter(engine))), None)
    if kv and parameter:
        kinds = (*kv.kinds, *parameter.kinds)
        return replace(kv, kinds=kinds, parameter=parameter.parameter)
    if kv or parameter:
        return kv or parameter
    if engines and all(map(_says_nothing, engines)):
        return Offload(mode="off", evidence="recipe_flag")
    return None


def is_transfer(engine: Command) -> bool:
    """Whether a server is one half of a deployment that splits prefill from decode."""
    config = engine.block(*_CONFIG)
    mode = engine.text("disaggregation-mode")
    return (config is not None and transfers(config)) or mode in ("prefill", "decode")


_PARTS: Mapping[str, Literal["prefill", "decode"]] = {
    "prefill": "prefill",
    "decode": "decode",
    "kv_producer": "prefill",
    "kv_consumer": "decode",
}


def part_of(engine: Command) -> Literal["prefill", "decode"] | None:
    """The half that a server says to be; None where it is the whole, or `kv_both`, or does not say."""
    for name in ("prefill", "decode"):
        if engine.switch(f"is-{name}-worker"):
            return _PARTS[name]
    config = engine.block(*_CONFIG) or {}
    said = engine.text("disaggregation-mode") or (config.get("kv_role") if transfers(config) else None)
    return _PARTS.get(str(said))


def _says_nothing(engine: Command) -> bool:
    """Whether a whole command leaves no room for offload."""
    told = engine.program is not None and engine.program.name in _TELLING and engine.whole
    hidden = any(name in engine.args for name in (*_ELSEWHERE, *_CONFIG, "kv-cache-config"))
    unread = any(str(value).startswith("$") for name, value in engine.args.items() if "offload" in name)
    return told and not hidden and not unread and not engine.text("disaggregation-mode")


def _on(backend: str, tiers: Iterable[Tier], raw: str | None = None, **more: Any) -> Offload:
    return Offload(
        mode="on",
        kinds=("kv",),
        use=BACKENDS[backend].use,
        backend=backend,
        backend_raw=raw or backend,
        tiers=sized(backend, tiers),
        evidence="recipe_flag",
        **more,
    )


def _connector(engine: Command) -> Offload | None:
    config = engine.block(*_CONFIG)
    if config is None:
        return None
    found = offload_of_config(config)
    if found is not None and found.backend == "kvbm":
        return _kvbm(engine) or found
    return found


def _native(engine: Command) -> Offload | None:
    """vLLM's own flag for a size. The one for a backend selects among backends, and turns nothing on."""
    size = engine.number("kv-offloading-size")
    if size is None or size <= 0 or engine.value(*_CONFIG) is not None:
        return None
    raw = engine.text("kv-offloading-backend") or "native"
    backend = resolve_backend(raw, "vllm")
    if backend == IN_PROCESS:
        # The size is then that of LMCache's server, and its to state.
        return _on(SERVER, (), raw)
    if backend == "vllm-native" and truth_of(engine.variable("VLLM_USE_SIMPLE_KV_OFFLOAD")):
        backend = "vllm-simple"
    if backend not in BACKENDS:
        return None
    host = Tier(medium=_HOST, capacity_bytes=round(size * _GIB), scope="cluster")
    policy = "write_through" if backend == "vllm-native" else None
    return _on(backend or "", [host], raw, write_policy=policy)


def _hicache(engine: Command) -> Offload | None:
    """A size is of each rank; a ratio is that of host memory to HBM, whose size a command does not tell."""
    if not engine.switch("enable-hierarchical-cache"):
        return None
    size = engine.number("hicache-size")
    stated = size is not None and size > 0
    host = Tier(
        medium=_HOST,
        capacity_bytes=round(size * GB) if size is not None and stated else None,
        scope="per_rank" if stated else None,
        native_label="L2",
    )
    storage = engine.text("hicache-storage-backend")
    behind = (
        [] if storage in (None, "none") else [Tier(medium=_STORAGE.get(storage or "", _EXTERNAL), native_label="L3")]
    )
    policy = engine.text("hicache-write-policy")
    return _on(
        "hicache",
        [host, *behind],
        "hicache",
        write_policy=policy if policy in _POLICIES else None,
        access_path=_IO.get(engine.text("hicache-io-backend") or ""),
    )


def _hisparse(engine: Command) -> Offload | None:
    return _on("hisparse", [Tier(medium=_HOST)]) if engine.switch("enable-hisparse") else None


def _sglang_lmcache(engine: Command) -> Offload | None:
    return _on(IN_PROCESS, ()) if engine.switch("enable-lmcache") else None


def _kvbm(engine: Command) -> Offload | None:
    """Sizes of Dynamo's block manager. An engine that is started on its own does not use it without its connector."""
    asked = "kvbm" in f"{engine.value('connector')} {engine.block('kv-connector-config', *_CONFIG)}".lower()
    asked = asked or "dynamoconnector" in str(engine.block(*_CONFIG)).lower()
    if not asked and engine.program is not None and not engine.program.name.startswith("dynamo"):
        return None
    sizes = {
        _HOST: number_of(engine.variable("DYN_KVBM_CPU_CACHE_GB")),
        _FLASH: number_of(engine.variable("DYN_KVBM_DISK_CACHE_GB")),
    }
    labels = {_HOST: "G2", _FLASH: "G3"}
    tiers = [
        Tier(medium=medium, capacity_bytes=round(size * GB), native_label=labels[medium])
        for medium, size in sizes.items()
        if size is not None and size > 0
    ]
    return _on("kvbm", tiers) if tiers or asked else None


def _trtllm(engine: Command) -> Offload | None:
    """Sizes in bytes, of the config that a report or a flag spells out."""
    config = _cache_config(engine)
    if config is None:
        return None
    sizes = {_HOST: number_of(config.get("host_cache_size")), _FLASH: number_of(config.get("disk_cache_size"))}
    tiers = [
        Tier(medium=medium, capacity_bytes=int(size)) for medium, size in sizes.items() if size is not None and size > 0
    ]
    return _on("trtllm-native", tiers, "host_cache_size", write_policy="on_evict") if tiers else None


def _cache_config(engine: Command) -> Mapping[str, Json] | None:
    if (size := engine.value("host-cache-size")) is not None:
        return {"host_cache_size": size}
    value = engine.value("kv-cache-config")
    if isinstance(value, str):
        try:
            value = next(iter(documents(value.encode())), None)
        except YamlFlaw:
            return None
    return value if isinstance(value, dict) else None


def _parameter(engine: Command) -> Offload | None:
    """Weights in host memory: an n-gram table, per-layer embeddings, or a part of the layers."""
    table = _table(engine)
    if table is None:
        return None
    name = str(table["table"])
    return Offload(
        mode="on",
        kinds=("parameter",),
        backend=name if name in BACKENDS else None,
        backend_raw=name if name in BACKENDS else None,
        tiers=(Tier(medium=str(table["medium"]), capacity_bytes=table.get("table_bytes")),),
        evidence="recipe_flag",
        parameter=table,
    )


def _table(engine: Command) -> dict[str, Json] | None:
    config = engine.block("engram-config")
    if config is not None:
        disk = config.get("disk_offload_dir")
        if truth_of(config.get("cpu_offload", True)) is False and not disk:
            return None
        table: dict[str, Json] = {"table": "engram", "medium": _FLASH if disk else _HOST}
        return table if disk else {**table, "access_path": "uva_zero_copy"}
    if truth_of(engine.variable("SGLANG_ENABLE_DSV41_ENGRAM_HOST_TABLE")):
        return {"table": "engram", "medium": _HOST}
    if truth_of(engine.variable("VLLM_PLE_CPU_OFFLOAD")):
        return {"table": "ple", "medium": _HOST}
    size = engine.number("cpu-offload-gb")
    if size is not None and size > 0:
        return {"table": "other", "medium": _HOST, "table_bytes": round(size * _GIB)}
    return None


_RULES: tuple[Rule, ...] = (_connector, _native, _hicache, _hisparse, _sglang_lmcache, _trtllm, _kvbm)
