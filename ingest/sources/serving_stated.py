"""What people add to a benchmark's row by hand: `--metadata` pairs and swept parameters, under whatever name.

A name that means a dimension fills it; everything else is kept as a fact. Nothing is guessed from a value alone.
"""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from app.catalog.chips import CHIPS
from app.catalog.engines import ENGINES, split_framework, version_of_image
from app.catalog.offload import BACKENDS, TIERS, Offload, kv_tiers, resolve_backend
from app.catalog.point import Json, Layout, Role
from app.catalog.precisions import PRECISIONS
from app.catalog.speculation import SPECULATIONS
from app.catalog.vocabulary import other
from ingest.sources.fields import Fields

_CHIP = ("chip", "gpu_type", "gpu_name", "gpu_model", "hardware", "hw", "accelerator", "gpu", "device")
_LOOSE = ("gpu", "device")
"""Names that are also used for a number or for `cuda`: they name a chip only where the catalog knows it."""
_COUNT = ("chip_count", "num_chips", "num_gpus", "num_gpu", "gpu_count", "gpus", "n_gpus", "n_gpu", "world_size")
_DEGREES = {
    "tp": ("tp", "tp_size", "tensor_parallel_size"),
    "pp": ("pp", "pp_size", "pipeline_parallel_size"),
    "ep": ("ep", "ep_size", "expert_parallel_size"),
    "workers": ("dp", "dp_size", "data_parallel_size"),
}
_PRECISION = ("precision", "quantization", "quant", "dtype")
_VERSION = ("engine_version", "vllm_version", "sglang_version")
_ENGINE = ("engine", "framework")
_SPEC = ("spec", "spec_decoding", "speculation")
_OFFLOAD = (
    *("kv_offloading", "kv_offload", "kv_offload_mode", "offload", "offload_mode", "offloading"),
    *("kvcache", "kv_cache", "kv_mode", "cache_type"),
)
_BACKEND = ("kv_offload_backend", "offload_backend", "kv_connector")
_INPUT = ("input_len", "isl", "random_input_len", "input_length")
_OUTPUT = ("output_len", "osl", "random_output_len", "output_length")
ITERATION = ("iteration", "iter", "repeat", "trial")

_OFF = frozenset(("none", "off", "no", "false", "disabled"))
_ON_CHIP = frozenset(("hbm", "gpu"))
_ON = frozenset(("on", "yes", "true", "enabled"))
_BELOW = frozenset(("host_dram", "local_nvme", "remote_dram", "remote_flash", "object", "cxl"))
_MULTIPLE = re.compile(r"^(\d+)\s*[x×*]\s*(?=\D)(.+)$|^(.+?)\s*[x×*]\s*(\d+)$", re.IGNORECASE)
_CLIENTS = re.compile(r"-(?:native|oai|chat|completions|embeddings?|pooling|audio|rerank)\b")
_PROTOCOLS = ("openai", "custom", "gserver", "truss", "infinity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What was said of the recipe and the load beside what was measured."""

    chip: str | None = None
    chip_count: int | None = None
    layout: Layout = field(default_factory=Layout)
    engine: str | None = None
    engine_version: str | None = None
    precision: str | None = None
    spec: str | None = None
    offload: Offload = Offload()
    isl: int | None = None
    osl: int | None = None
    iteration: int | None = None
    variant: str | None = None
    facts: Mapping[str, Json] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


_NO_SETUP = re.compile(
    r"note|comment|date|time|run|index|seed|host|job|label|name|uuid|_id$|^id$|conc|rate|prompts|type|chip|gpu|hardware|accelerator"
)
_SHORT = 32


def stated_of(row: Fields, own: Container[str], engine: str | None = None) -> Stated:
    """What the keys say that are not the tool's own. `engine` is the one that the tool itself names, if any."""
    added = {key: value for key, value in row.row.items() if key not in own and value not in (None, "")}
    said = Fields({plain(key): value for key, value in added.items()}, row, "")
    spellings: dict[str, str] = {}
    if (word := _first(said, _ENGINE)) is not None:
        engine = split_framework(word).engine
        spellings["engine"] = word
    chip, count = _chip(said, spellings)
    precision = _first(said, _PRECISION)
    spec = _first(said, _SPEC)
    offload = _offload(said, engine)
    if precision is not None:
        spellings["precision"] = precision
    return Stated(
        chip=chip,
        chip_count=_count(said, _COUNT) or count,
        layout=_layout(chip, {name: _count(said, names) for name, names in _DEGREES.items()}),
        engine=engine,
        engine_version=_first(said, _VERSION) or version_of_image(said.text("image")),
        precision=PRECISIONS.key_of(precision),
        spec=SPECULATIONS.key_of(spec),
        offload=offload,
        isl=_count(said, _INPUT),
        osl=_count(said, _OUTPUT),
        iteration=next((said.integer(name) for name in ITERATION if name in said), None),
        facts={"metadata": added} if added else {},
        variant=_variant(added),
        spellings=spellings,
        flags=("backend_missing",) if offload.mode == "on" and offload.backend is None else (),
    )


def _variant(added: Mapping[str, Json]) -> str | None:
    """The pairs that tell one setup from another, for want of a field: `arcc=on kvcache=gds-400g`.

    What counts runs, names them or comments on them is no setup, and what has a field is told there.
    """
    told = {plain(name) for names in (*_DEGREES.values(), _COUNT, _INPUT, _OUTPUT, ITERATION) for name in names}
    told |= {plain(name) for names in (_ENGINE, _PRECISION, _SPEC, _VERSION) for name in names}
    pairs = [
        f"{key}={value}"
        for key, value in sorted(added.items())
        if plain(key) not in told
        and not _NO_SETUP.search(key.lower())
        and isinstance(value, str | int | float)
        and len(str(value)) <= _SHORT
    ]
    return " ".join(pairs) or None


def engine_of(client: str | None) -> str | None:
    """The engine that a client's name for its server means; None for `openai`, which any engine answers to."""
    if client is None:
        return None
    name = _CLIENTS.sub("", client.strip().lower())
    if name.startswith(_PROTOCOLS):
        return None
    term = ENGINES.resolve(name)
    return term.key if term else other(name)


def plain(key: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", key.lower()).strip("_")


def _first(said: Fields, names: tuple[str, ...]) -> str | None:
    for name in names:
        value = said.row.get(name)
        if isinstance(value, str | int | float) and (text := str(value).strip()) and text.lower() != "auto":
            return text
    return None


def _count(said: Fields, names: tuple[str, ...]) -> int | None:
    """A whole number above zero, under the first of the names that holds one."""
    for name in names:
        text = str(said.row.get(name, "")).strip()
        if text.isdecimal() and int(text[:12]) > 0 and len(text) <= 12:
            return int(text)
    return None


def _layout(chip: str | None, degrees: Mapping[str, int | None]) -> Layout:
    """Data parallelism is as many workers: each has tp * pp chips of its own."""
    if not any(degrees.values()):
        return Layout()
    role = Role(chip=chip, tp=degrees["tp"], pp=degrees["pp"], ep=degrees["ep"], workers=degrees["workers"])
    return Layout(whole=role)


def _chip(said: Fields, spellings: dict[str, str]) -> tuple[str | None, int | None]:
    """A chip and, for words such as `8xH100`, how many of it."""
    for name in _CHIP:
        text = _first(said, (name,))
        if text is None:
            continue
        if text.isdecimal():
            if name == "gpu":
                return None, int(text[:6]) or None
            continue
        word, count = _split(text)
        if CHIPS.resolve(word) is not None or name not in _LOOSE:
            spellings["chip"] = text
            return CHIPS.key_of(word), count
    return None, None


def _split(text: str) -> tuple[str, int | None]:
    """`8xH200` and `H200 x8` as a chip and how many; a chip's own name may hold an x and a number as well."""
    if (match := _MULTIPLE.match(text)) is not None:
        before, after, front, behind = match.groups()
        word, count = (after, before) if before else (front, behind)
        if CHIPS.resolve(word) is not None and len(count) < 7:
            return word, int(count) or None
    return text, None


def _offload(said: Fields, engine: str | None) -> Offload:
    """The offload that words such as `cpu`, `disk-400g`, `lmcache` or `off` state; unknown where none does."""
    backend = resolve_backend(_first(said, _BACKEND), engine)
    for name in _OFFLOAD:
        text = _first(said, (name,))
        offload = None if text is None else offload_stated(text, engine, backend)
        if offload is not None:
            return offload
    return Offload()


def offload_stated(text: str, engine: str | None, backend: str | None = None) -> Offload | None:
    """The offload that a value means, or None for one that speaks of something else, such as a cache's data type."""
    words = [word for word in re.split(r"[^a-z0-9]+", text.lower()) if word]
    if not words or PRECISIONS.resolve(text) is not None:
        return None
    if words[0] in _OFF:
        return Offload(mode="off", evidence="field")
    media = [term.key for word in words if (term := TIERS.resolve(word)) is not None and term.key in _BELOW]
    named = next((key for word in words if (key := resolve_backend(word, engine)) in BACKENDS), None)
    backend = backend or named
    if not media and named is None and words[0] in _ON_CHIP:
        return Offload(mode="off", evidence="field")
    if not media and backend is None and words[0] not in _ON:
        return None
    known = BACKENDS.get(backend)
    return Offload(
        mode="on",
        kinds=(known.kind if known else "kv",),
        use=(known.use if known else "prefix_reuse") or None,
        backend=backend,
        backend_raw=text if backend else None,
        tiers=kv_tiers(backend, media) if media or backend else (),
        evidence="field",
    )
