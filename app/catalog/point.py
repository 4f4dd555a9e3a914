"""The point: one measured or predicted result, as every part of Halo passes it around."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from app.catalog.offload import Offload

Json = Any
"""A value read from or bound for JSON: the border with files whose shape is not ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """Chips that do one job: all of it, prefill or decode. Counts of parallelism are per worker."""

    chip: str | None = None
    chips: int | None = None
    workers: int | None = None
    tp: int | None = None
    pp: int | None = None
    pcp: int | None = None
    dcp: int | None = None
    ep: int | None = None
    dp_attention: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the chips are arranged. `prefill` and `decode` are given when roles have chips of their own."""

    whole: Role | None = None
    prefill: Role | None = None
    decode: Role | None = None
    disaggregated: bool | None = None
    multinode: bool | None = None

    @property
    def label(self) -> str:
        """`TP8`, `TP8 EP8 DPA`, or `2P+4D · TP8/TP4` by chips of each role."""
        if self.prefill and self.decode and (self.decode.chips or self.decode.tp):
            words = f"{_words(self.prefill)}/{_words(self.decode)}"
            counts = f"{self.prefill.chips or '?'}P+{self.decode.chips or '?'}D"
            return f"{counts} · {words}" if words != "/" else counts
        role = self.whole or self.prefill
        return _words(role) if role else ""


def _words(role: Role) -> str:
    parts = [f"TP{role.tp}"] if role.tp else []
    parts += [
        f"{name.upper()}{value}"
        for name, value in (("pp", role.pp), ("pcp", role.pcp), ("dcp", role.dcp), ("ep", role.ep))
        if value is not None and value > 1
    ]
    if role.dp_attention:
        parts.append("DPA")
    return " ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class TierShare:
    """What one tier served. `share` is of all prompt tokens unless `denominator` says otherwise."""

    medium: str
    share: float | None = None
    tokens: int | None = None
    denominator: str = "share_of_prompt"
    provenance: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherRate:
    """A hit rate with a denominator of its own, kept under its name and never charted as a share."""

    name: str
    value: float
    denominator: str
    provenance: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """Where the prompt tokens came from. Raw counts are kept; shares follow from them."""

    prompt_tokens: int | None = None
    tiers: tuple[TierShare, ...] = ()
    computed_share: float | None = None
    cached_share: float | None = None
    ceiling_share: float | None = None
    other_rates: tuple[OtherRate, ...] = ()
    counters: dict[str, float] = field(default_factory=dict)
    """Raw counters as the engine named them."""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One config at one concurrency on one workload in one run.

    Words are catalog keys (or `other:<raw>`), latencies are seconds, shares are fractions, throughput is
    tokens per second. None means the record does not say. `spellings` keeps the words as the file had them.
    """

    model: str | None = None
    chip: str | None = None
    chip_count: int | None = None
    layout: Layout = Layout()
    engine: str | None = None
    orchestrator: str | None = None
    engine_version: str | None = None
    precision: str | None = None
    spec: str | None = None
    offload: Offload = Offload()
    workload: str | None = None
    concurrency: float | None = None
    variant: str | None = None
    """What else the record states that no field here has a place for and that makes it another config: `arcc=on`."""

    origin: str = "measured"
    run: str | None = None
    """The run id that the file itself states; the pipeline supplies one where it is None."""
    run_label: str | None = None
    """What pages call the run where that is not its id."""
    run_time: str | None = None
    """ISO 8601. Without an offset the zone is unknown, and stays so."""
    iteration: int | None = None
    cold: bool = False

    dialect: str
    """The dialect of the source that wrote the record, such as `inferencex-agentic-v3`."""
    metrics: dict[str, float] = field(default_factory=dict)
    interactivity_def: str | None = None
    """`1/tpot` or `1/itl`: what interactivity was computed from."""
    cache: Cache = Cache()
    facts: dict[str, Json] = field(default_factory=dict)
    """Further facts for the point page: image, router, data set, request accounts, isl, osl ..."""
    spellings: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Fields that nothing supplied and that a view misses."""
    warnings: tuple[str, ...] = ()
    raw: Json = None
    """The record as it came, secrets redacted."""


def digest(value: Json, length: int = 12) -> str:
    """A short name for a JSON value, equal whatever the order of its keys."""
    return hashlib.sha256(_encoded(value)).hexdigest()[:length]


def digest_of_list(values: Iterable[Json], length: int = 12) -> str:
    """The same name for a list, of which one item at a time is written out: it may be far longer than a record."""
    found = hashlib.sha256(b"[")
    for place, value in enumerate(values):
        found.update(b"," if place else b"")
        found.update(_encoded(value))
    found.update(b"]")
    return found.hexdigest()[:length]


def _encoded(value: Json) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return text.encode("utf-8", "surrogatepass")


def version_family(version: str | None) -> str | None:
    """`0.14.1.dev3` -> `0.14`: versions that share major and minor numbers run one recipe."""
    if version is None:
        return None
    parts = version.lstrip("v").split(".")
    return ".".join(parts[:2])


@lru_cache(maxsize=4096)
def _layout_facts(layout: Layout) -> dict[str, Json]:
    """Sweeps hold few layouts, and each point asks for its own several times. Not to be changed."""
    return asdict(layout)


def recipe_of(point: Point) -> dict[str, Json]:
    """What makes two points runs of one recipe; points that differ in offload alone share it."""
    return {
        "model": point.model,
        "chip": point.chip,
        "chip_count": point.chip_count,
        "layout": _layout_facts(point.layout),
        "engine": point.engine,
        "orchestrator": point.orchestrator,
        "engine_version": version_family(point.engine_version),
        "precision": point.precision,
        "spec": point.spec,
    }


def config_of(point: Point) -> dict[str, Json]:
    """A recipe with its offload (kind, use, tiers and backend) and what else the record sets apart."""
    offload = point.offload
    return {
        **recipe_of(point),
        "offload": {
            "mode": offload.mode,
            "kinds": sorted(offload.kinds),
            "use": offload.use,
            "tiers": list(offload.media),
            "backend": offload.backend,
        },
        **({"variant": point.variant} if point.variant else {}),
    }


def recipe_id(point: Point) -> str:
    return "r" + digest(recipe_of(point), 10)


def config_id(point: Point) -> str:
    return "c" + digest(config_of(point), 10)


def identity(point: Point) -> str:
    """Config, workload and concurrency: two points with one identity are repeats of each other."""
    return digest([config_of(point), point.workload, point.concurrency], 16)


def address(identity_key: str, run: str, n: int) -> str:
    """The point's id in links: names identity, run and place, not the numbers, so corrections keep it."""
    return "p" + digest([identity_key, run, n], 12)
