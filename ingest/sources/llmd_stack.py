"""The stack that an llm-d benchmark report describes: engines by role, their chips, and how they were launched."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.catalog.chips import CHIPS
from app.catalog.engines import Framework, split_framework, version_of_image
from app.catalog.models import MODELS
from app.catalog.offload import Offload
from app.catalog.point import Json, Layout, Role
from app.catalog.precisions import PRECISIONS
from app.catalog.vocabulary import is_other
from ingest.sources.fields import Fields
from ingest.sources.llmd_launch import dtype_of, engine_of_launch, offload_of_launch

_ROLES = ("prefill", "decode")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One component that runs the model: `replicas` pods of `chips` chips each."""

    role: str
    tool: str | None
    version: str | None
    model: str | None
    chip: str | None
    chips: int | None
    replicas: int
    parallelism: Fields
    precision: str | None = None
    args: Mapping[str, Json] = field(default_factory=dict)
    envars: Mapping[str, Json] = field(default_factory=dict)

    @property
    def all_chips(self) -> int | None:
        return self.chips * self.replicas if self.chips else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """What the engines together say of the recipe."""

    model: str | None = None
    chip: str | None = None
    chip_count: int | None = None
    layout: Layout = field(default_factory=Layout)
    framework: Framework = field(default_factory=Framework)
    version: str | None = None
    precision: str | None = None
    offload: Offload = Offload()
    facts: Mapping[str, Json] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def stack_of(engines: Sequence[Engine]) -> Stack:
    """The recipe behind a list of engines; an empty one where the report describes none."""
    if not engines:
        return Stack()
    by_role = {role: [engine for engine in engines if engine.role == role] for role in _ROLES}
    disaggregated = bool(by_role["prefill"] and by_role["decode"])
    layout = Layout(
        whole=None if disaggregated else _role(engines),
        prefill=_role(by_role["prefill"]) if disaggregated else None,
        decode=_role(by_role["decode"]) if disaggregated else None,
        disaggregated=disaggregated,
    )
    chips = [engine.all_chips for engine in engines]
    last = engines[-1]
    framework = _framework(last)
    precisions = [engine.precision or dtype_of(engine.args) for engine in reversed(engines)]
    precision = next(filter(None, precisions), None)
    words = {"model": last.model, "chip": last.chip, "engine": last.tool, "precision": precision}
    launch = [
        {"role": engine.role, "args": dict(engine.args), "envars": dict(engine.envars)}
        for engine in engines
        if engine.args
    ]
    offloads = [offload_of_launch(engine.args, engine.envars) for engine in engines]
    return Stack(
        model=MODELS.key_of(last.model),
        chip=CHIPS.key_of(last.chip),
        chip_count=sum(filter(None, chips)) if all(chips) else None,
        layout=layout,
        framework=framework,
        version=_version(last, framework),
        precision=PRECISIONS.key_of(precision),
        offload=next((offload for mode in ("on", "off") for offload in offloads if offload.mode == mode), Offload()),
        facts={"launch": launch, **({"image": last.version} if last.version and "/" in last.version else {})},
        spellings={name: text for name, text in words.items() if text},
        flags=("chip_count_disputed",) if any(map(_disputed, engines)) else (),
    )


def role_of(word: str | None) -> str:
    """`prefill` and `decode` as they are; `replica`, `aggregate` and silence are the whole of the work."""
    role = (word or "").strip().lower()
    return role if role in _ROLES else "whole"


def _role(engines: Sequence[Engine]) -> Role:
    first = engines[0]
    counts = [engine.all_chips for engine in engines]
    return Role(
        chip=CHIPS.key_of(first.chip),
        chips=sum(filter(None, counts)) if all(counts) else None,
        workers=sum(engine.replicas for engine in engines),
        tp=_positive(first.parallelism, "tp"),
        pp=_positive(first.parallelism, "pp"),
        ep=_positive(first.parallelism, "ep"),
    )


def _positive(parallelism: Fields, name: str) -> int | None:
    value = parallelism.integer(name)
    return value if value and value > 0 else None


def _disputed(engine: Engine) -> bool:
    """Whether one pod is said to have fewer chips than its parallelism spreads over."""
    local = engine.parallelism
    degrees = [_positive(local, name) for name in ("tp", "pp")] + [_positive(local, "dp_local")]
    product = 1
    for degree in degrees:
        product *= degree or 1
    return engine.chips is not None and product > engine.chips


def _framework(engine: Engine) -> Framework:
    """The engine by its name; behind the name of an orchestrator, by what it was launched with."""
    said = split_framework(engine.tool)
    if said.engine and not is_other(said.engine):
        return said
    launched = engine_of_launch(engine.args, engine.envars)
    return Framework(launched or said.engine, said.orchestrator) if launched or said.orchestrator else said


def _version(engine: Engine, framework: Framework) -> str | None:
    """A bare version is the engine's own; that of an image only where the image is the engine's."""
    version = engine.version
    if version is None or "/" not in version:
        return version if framework.engine else None
    return None if framework.orchestrator and framework.orchestrator != "none" else version_of_image(version)
