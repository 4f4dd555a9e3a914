"""What an InferenceX row says of its recipe: model, chips and their count by role, engine, parallelism.

Chips: the row's own count first; disaggregated rows add prefill and decode; else tp * pp * pcp per worker.
Expert and decode-context parallelism share devices, so ep and dcp never multiply.
"""

from dataclasses import dataclass, field, replace

from app.catalog.chips import CHIPS
from app.catalog.engines import Framework, split_framework, version_of_image
from app.catalog.models import MODELS
from app.catalog.point import Json, Layout, Role
from app.catalog.precisions import PRECISIONS
from app.catalog.speculation import SPECULATIONS
from ingest.sources.fields import Fields
from ingest.sources.memory import Memory

_SPELLINGS = {
    "chip": "hw",
    "model": "model",
    "model_prefix": "infmax_model_prefix",
    "engine": "framework",
    "precision": "precision",
    "spec": "spec_decoding",
}
_FACTS = ("image", "recipe_fingerprint", "kv_p2p_transfer", "router", "result_schema_version")

_ROLES = ("hw", "tp", "pp", "pcp_size", "dcp_size", "ep", "dp_attention", "num_workers")
_READ = (
    *_SPELLINGS.values(),
    *_FACTS,
    *(f"{prefix}{name}" for prefix in ("", "prefill_", "decode_") for name in _ROLES),
    *("num_gpus", "num_aggregate_gpu", "num_prefill_gpu", "num_decode_gpu", "disagg", "is_multinode"),
)
"""Every key that a recipe is made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The part of a point that does not depend on what was measured."""

    model: str | None
    chip: str | None
    layout: Layout
    chip_count: int | None
    framework: Framework
    engine_version: str | None
    precision: str | None
    spec: str | None
    facts: dict[str, Json] = field(default_factory=dict)
    spellings: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    @property
    def disaggregated(self) -> bool:
        return self.layout.disaggregated is True


_RECIPES: Memory[Recipe] = Memory(_READ)


def recipe_of(row: Fields) -> Recipe:
    """The recipe of a row."""
    return _RECIPES.of(row, _recipe)


def _recipe(row: Fields) -> Recipe:
    framework = split_framework(row.text("framework"))
    chip = CHIPS.key_of(row.text("hw"))
    disaggregated = row.boolean("disagg")
    if disaggregated is None:
        disaggregated = framework.disaggregated_default
    layout = _layout(row, chip, disaggregated)
    model, flags = _model_of(row)
    spec = row.row.get("spec_decoding")
    return Recipe(
        model=model,
        chip=chip,
        layout=layout,
        chip_count=_count(row, layout, chip),
        framework=framework,
        engine_version=version_of_image(row.text("image")),
        precision=PRECISIONS.key_of(row.text("precision")),
        spec=SPECULATIONS.key_of(spec) if isinstance(spec, str) else None,
        facts={name: row.row[name] for name in _FACTS if row.row.get(name) not in (None, "")},
        spellings={name: text for name, key in _SPELLINGS.items() if (text := row.text(key)) is not None},
        flags=flags,
    )


def _count(row: Fields, layout: Layout, chip: str | None) -> int | None:
    """Chips of the whole deployment."""
    if stated := _positive(row, "num_gpus") or _positive(row, "num_aggregate_gpu"):
        return stated
    if layout.prefill and layout.decode:
        prefill, decode = layout.prefill.chips, layout.decode.chips
        return prefill + decode if prefill and decode else None
    if layout.disaggregated or layout.whole is None:
        return None
    # In an aggregated deployment both counts, where given, are of the same chips: they never add up.
    one_pool = max(_positive(row, "num_prefill_gpu") or 0, _positive(row, "num_decode_gpu") or 0)
    return one_pool or _by_parallelism(layout.whole, chip)


def _by_parallelism(role: Role, chip: str | None) -> int | None:
    """tp * pp * pcp of every worker, in chips: a program may see several devices on one."""
    if not role.tp:
        return None
    devices = term.devices if (term := CHIPS.get(chip)) else 1
    return (role.workers or 1) * role.tp * (role.pp or 1) * (role.pcp or 1) // devices or None


def _layout(row: Fields, chip: str | None, disaggregated: bool | None) -> Layout:
    multinode = row.boolean("is_multinode")
    if disaggregated and has_roles(row):
        roles = []
        for prefix, count in (("prefill_", "num_prefill_gpu"), ("decode_", "num_decode_gpu")):
            role = _role(row, prefix, chip)
            roles.append(replace(role, chips=_positive(row, count) or _by_parallelism(role, role.chip)))
        return Layout(prefill=roles[0], decode=roles[1], disaggregated=True, multinode=multinode)
    # Aggregated multinode rows describe their one pool in the prefill fields and set decode to zero.
    whole = _role(row, "prefill_" if "prefill_tp" in row else "", chip)
    return Layout(whole=whole, disaggregated=disaggregated, multinode=multinode)


def has_roles(row: Fields) -> bool:
    """Whether the row describes prefill and decode apart."""
    return "prefill_tp" in row or "num_prefill_gpu" in row


def _role(row: Fields, prefix: str, chip: str | None) -> Role:
    """Rows older than pp, dcp_size and pcp_size ran without that parallelism, so an absent one is 1."""
    return Role(
        chip=CHIPS.key_of(row.text(f"{prefix}hw")) or chip if prefix else chip,
        workers=_positive(row, f"{prefix}num_workers") if prefix else None,
        tp=_positive(row, f"{prefix}tp"),
        pp=_positive(row, f"{prefix}pp") or 1,
        pcp=_positive(row, f"{prefix}pcp_size") or 1,
        dcp=_positive(row, f"{prefix}dcp_size") or 1,
        ep=_positive(row, f"{prefix}ep"),
        dp_attention=row.boolean(f"{prefix}dp_attention"),
    )


def _model_of(row: Fields) -> tuple[str | None, tuple[str, ...]]:
    """The short key of the benchmark's own matrix where the catalog knows it, else what the address or path names."""
    prefix, address = MODELS.key_of(row.text("infmax_model_prefix")), MODELS.key_of(row.text("model"))
    flags = ("model_disputed",) if prefix in MODELS and address in MODELS and prefix != address else ()
    return (prefix if prefix in MODELS or address is None else address), flags


def _positive(row: Fields, key: str) -> int | None:
    """A count, or None when it is absent or zero, which is how these rows write a role that is not there."""
    value = row.integer(key)
    return value if value and value > 0 else None
