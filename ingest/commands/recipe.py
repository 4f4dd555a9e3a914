"""What commands say of a recipe besides offload: model, engine and version, parallelism, numbers, speculation."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from app.catalog.engines import version_of_image
from app.catalog.models import MODELS, model_name
from app.catalog.point import Json, Point, Role
from app.catalog.precisions import PRECISIONS
from app.catalog.speculation import NONE, SPECULATIONS
from ingest.commands.command import Command
from ingest.commands.offload import is_transfer, part_of

T = TypeVar("T")

_TP = ("tensor-parallel-size", "tp-size", "tp")
_PP = ("pipeline-parallel-size", "pp-size", "pp")
_DP = ("data-parallel-size", "dp-size", "dp")
_EP = ("expert-parallel-size", "ep-size", "ep")
_PCP = ("prefill-context-parallel-size", "pcp")
_DCP = ("decode-context-parallel-size", "dcp")
_CONCURRENCY = ("concurrency", "max-concurrency")
_CACHING = ("enable-prefix-caching", "enable-block-reuse")
_NO_CACHING = ("no-enable-prefix-caching", "disable-radix-cache")
_FACTS = {
    "kv_cache_dtype": ("kv-cache-dtype",),
    "block_size": ("block-size", "page-size"),
    "max_num_seqs": ("max-num-seqs", "max-running-requests", "max-batch-size"),
    "max_model_len": ("max-model-len", "context-length", "max-seq-len"),
    "memory_share": ("gpu-memory-utilization", "mem-fraction-static", "kv-cache-free-gpu-memory-fraction"),
    "hicache_ratio": ("hicache-ratio",),
    "hicache_mem_layout": ("hicache-mem-layout",),
    "hicache_prefetch": ("hicache-storage-prefetch-policy",),
}
_NUMBERS = re.compile(r"(?:^|[-_.])(nvfp4|mxfp4|fp4|fp8|int4|int8|awq|gptq|bf16|w4a16)(?=$|[-_.])", re.IGNORECASE)
_UNTOLD = ("config", "extra-llm-api-options", "extra-llm-api-config", "config-file")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a point may lack. None where the commands do not tell, or tell two different things."""

    model: str | None = None
    engine: str | None = None
    engine_version: str | None = None
    precision: str | None = None
    spec: str | None = None
    concurrency: float | None = None
    role: Role | None = None
    prefill: Role | None = None
    decode: Role | None = None
    disaggregated: bool | None = None
    facts: Mapping[str, Json] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def recipe_of(commands: Sequence[Command]) -> Recipe:
    """The recipe of commands that run together."""
    engines = [command for command in commands if command.kind == "serve"]
    benches = [command for command in commands if command.kind == "bench"]
    apart = any(map(is_transfer, engines))
    spelling = _one(engines, _model) or _one(benches, _model)
    numbers = _one(engines, _precision)
    facts: dict[str, Json] = {name: _one(engines, _value(names)) for name, names in _FACTS.items()}
    facts["image"] = _one(engines, lambda engine: engine.image)
    off = any(map(_caching_off, engines))
    facts["prefix_caching"] = False if off else _one(engines, lambda engine: engine.switch(*_CACHING))
    return Recipe(
        model=MODELS.key_of(spelling),
        engine=_one(engines, lambda engine: engine.engine),
        engine_version=_one(engines, lambda engine: version_of_image(engine.image)),
        precision=PRECISIONS.key_of(numbers),
        spec=_one(engines, _speculation),
        concurrency=_one(benches, lambda bench: bench.number(*_CONCURRENCY)),
        # Where prefill and decode are commands of their own, one of them is not the whole.
        role=None if apart else _one(engines, _role),
        prefill=_one((engine for engine in engines if part_of(engine) == "prefill"), _role),
        decode=_one((engine for engine in engines if part_of(engine) == "decode"), _role),
        disaggregated=True if apart else None,
        facts={name: value for name, value in facts.items() if value is not None},
        spellings={name: text for name, text in (("model", spelling), ("precision", numbers)) if text is not None},
        flags=("prefix_caching_off",) if off else (),
    )


def completed(point: Point, recipe: Recipe) -> Point:
    """The point with what the recipe says and its record does not."""
    words = ("model", "engine", "engine_version", "precision", "spec", "concurrency")
    changes: dict[str, Any] = {
        name: getattr(recipe, name)
        for name in words
        if getattr(point, name) is None and getattr(recipe, name) is not None
    }
    layout = point.layout
    disaggregated = recipe.disaggregated if layout.disaggregated is None else layout.disaggregated
    whole = layout.whole
    if recipe.role and not disaggregated and not (layout.prefill or layout.decode):
        whole = _filled(whole or Role(), recipe.role)
    prefill, decode = layout.prefill, layout.decode
    if disaggregated and recipe.prefill:
        prefill = _filled(prefill or Role(), recipe.prefill)
    if disaggregated and recipe.decode:
        decode = _filled(decode or Role(), recipe.decode)
    spellings = {name: text for name, text in recipe.spellings.items() if name in changes}
    return replace(
        point,
        **changes,
        layout=replace(layout, whole=whole, prefill=prefill, decode=decode, disaggregated=disaggregated),
        facts={**recipe.facts, **point.facts},
        spellings={**spellings, **point.spellings},
        flags=tuple(dict.fromkeys((*point.flags, *recipe.flags))),
    )


def _filled(role: Role, told: Role) -> Role:
    """Degrees that are not known yet. A role whose tensor parallelism differs is another one."""
    if role.tp is not None and told.tp is not None and role.tp != told.tp:
        return role
    names = ("tp", "pp", "pcp", "dcp", "ep", "workers", "dp_attention")
    return replace(role, **{name: getattr(told, name) for name in names if getattr(role, name) is None})


def _one(commands: Iterable[Command], read: Callable[[Command], T | None]) -> T | None:
    """What all commands that say it agree on."""
    said = [value for command in commands if (value := read(command)) is not None]
    return said[0] if said and all(value == said[0] for value in said) else None


def _value(names: tuple[str, ...]) -> Callable[[Command], str | None]:
    return lambda command: command.text(*names)


def _model(command: Command) -> str | None:
    name = command.model or command.text("model", "model-path", "model-name", "m")
    return None if name is None or name.startswith("$") else name


def _role(engine: Command) -> Role | None:
    """Degrees of one worker. With attention spread by data, SGLang's count lies within its tensor parallelism."""
    dp_attention = engine.switch("enable-dp-attention", "enable-attention-dp")
    tp, pp, dp, ep = (engine.integer(*names) for names in (_TP, _PP, _DP, _EP))
    inside = engine.engine == "sglang" and dp_attention is True
    workers = None if inside or dp == 1 else dp
    if engine.switch("enable-expert-parallel") and ep is None:
        ep = (tp or 1) * (workers or 1)
    role = Role(
        tp=tp,
        pp=pp,
        pcp=engine.integer(*_PCP),
        dcp=engine.integer(*_DCP),
        ep=ep,
        workers=workers,
        dp_attention=dp_attention,
    )
    return None if role == Role() else role


def _precision(engine: Command) -> str | None:
    """The numbers of the weights: as they are quantized at start, else as the checkpoint's name has them."""
    asked = engine.text("quantization", "quant")
    if asked is not None and PRECISIONS.resolve(asked) is not None:
        return asked
    found = _NUMBERS.findall(model_name(_model(engine) or ""))
    return found[-1] if found and len({PRECISIONS.key_of(word) for word in found}) == 1 else None


def _speculation(engine: Command) -> str | None:
    config = engine.block("speculative-config")
    method = config.get("method") if config else engine.text("speculative-algorithm", "spec-decoding")
    if config and method is None and (config.get("model") or config.get("speculative-model")):
        method = "draft_model"
    if isinstance(method, str) and method:
        return SPECULATIONS.key_of(method.lower())
    named = any(name.startswith("specul") for name in engine.args)
    hidden = any(name in engine.args for name in _UNTOLD)
    plain = engine.engine in ("vllm", "sglang") and engine.whole
    return NONE if plain and not (named or hidden) else None


def _caching_off(engine: Command) -> bool:
    config = engine.block("kv-cache-config") or {}
    return (
        bool(engine.switch(*_NO_CACHING))
        or engine.switch(*_CACHING) is False
        or config.get("enable_block_reuse") is False
    )
