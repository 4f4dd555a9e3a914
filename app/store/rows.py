"""Between a Point and its row in the store: flattening on the way in, JSON texts for what no filter needs."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from app.catalog.metrics import METRICS
from app.catalog.point import Json, Layout, Point, config_id, identity, recipe_id
from app.catalog.workloads import AGENTIC


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A point on its way in: which run it belongs to, where it was read, by which reader, with what supplied for it."""

    point: Point
    run: str
    run_label: str
    place: str
    where: str
    source: str
    reader: str
    supplied: Mapping[str, str]
    address: str | None = None
    """The id that another Halo knows the point by, which it keeps here; None for records that are read themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """Something refused: the file, the spot in it, and a sentence why."""

    path: str
    where: str
    reason: str
    source: str | None = None


TELLER = "@"
"""In the name of a reader, before the Halo that told of the point: `halo-rows/1@halo.example`."""

COMPANION = "companion:"
"""Start of the names under which `supplied` holds digests of the files that completed a point."""


SAID_IN = "said-in:"
"""Start of the names under which `supplied` holds the sidecar that a value came from. It decides nothing."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What decides whether two arrivals are one: the record itself, what was told about it, what completed it."""

    content: str
    told: str
    companions: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        return f"{self.content}.{self.told}.{'.'.join(self.companions)}"


def keys_of(arrival: Arrival) -> Keys:
    """The keys of an arrival. Records that are equal as JSON have equal content, whatever the order of their keys."""
    told = {name: text for name, text in arrival.supplied.items() if not name.startswith((COMPANION, SAID_IN))}
    companions = (f"{name}={text}" for name, text in arrival.supplied.items() if name.startswith(COMPANION))
    return Keys(_hash(arrival.point.raw, 24), _hash([told, arrival.reader], 12), tuple(sorted(companions)))


def _hash(value: Json, length: int) -> str:
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=str)
    return hashlib.sha256(text).hexdigest()[:length]


def identity_of(arrival: Arrival) -> str:
    """The point's identity, kept apart by origin: a prediction is no repeat of a measurement."""
    return f"{identity(arrival.point)}.{arrival.point.origin}"


def instant(text: str | None) -> datetime | None:
    """A time as UTC for sorting, or None. A time without a zone sorts as if it were UTC; it is shown as it came."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def richness(point: Point) -> int:
    """How much a record says: of two dialects of one run, the richer is shown."""
    return len(point.metrics) + len(point.cache.counters) + len(point.facts)


def _one(layout: Layout, name: str) -> int | None:
    """A parallelism that all chips share; None where prefill and decode differ."""
    roles = [role for role in (layout.whole, layout.prefill, layout.decode) if role is not None]
    values = {getattr(role, name) for role in roles if getattr(role, name)}
    return values.pop() if len(values) == 1 else None


def dataset_of(workload: str | None) -> str | None:
    """The trace data set behind an agentic workload."""
    kind, _, name = (workload or "").partition(":")
    return name if kind == AGENTIC and name else None


def detail_of(point: Point, arrival: Arrival) -> dict[str, Json]:
    """All of a point that no filter needs, as one JSON object; `dump` writes dataclasses as they are."""
    return {
        "offload": point.offload,
        "cache": point.cache,
        "layout": point.layout,
        "facts": point.facts,
        "spellings": point.spellings,
        "needs": list(point.needs),
        "warnings": list(point.warnings),
        "supplied": dict(arrival.supplied),
        "format": arrival.source,
    }


def dump(value: Json) -> str:
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str).decode()


def row_of(
    arrival: Arrival, *, row: int, address: str, n: int, identity_key: str, keys: Keys, seq: int
) -> dict[str, Any]:
    """The stored row of a new point."""
    point = arrival.point
    layout = point.layout
    prefill, decode = layout.prefill, layout.decode
    values: dict[str, Any] = {
        "row": row,
        "id": address,
        "since": seq,
        "until": None,
        "newest_rank": 1,
        "extra_flags": [],
        "standing_since": seq,
        "identity": identity_key,
        "config_id": config_id(point),
        "recipe_id": recipe_id(point),
        "n": n,
        "content_key": keys.content,
        "told_key": keys.told,
        "companion_keys": list(keys.companions),
        "reader": arrival.reader,
        "richness": richness(point),
        "run": arrival.run,
        "run_label": arrival.run_label,
        "run_time": point.run_time,
        "run_instant": instant(point.run_time),
        "iteration": point.iteration,
        "cold": point.cold,
        "source": point.dialect,
        "origin": point.origin,
        "model": point.model,
        "workload": point.workload,
        "chip": point.chip,
        "chip_count": point.chip_count,
        "prefill_chip": prefill.chip if prefill else None,
        "decode_chip": decode.chip if decode else None,
        "prefill_chips": prefill.chips if prefill else None,
        "decode_chips": decode.chips if decode else None,
        "engine": point.engine,
        "orchestrator": point.orchestrator,
        "engine_version": point.engine_version,
        "precision": point.precision,
        "spec": point.spec,
        "layout": layout.label or None,
        "tp": _one(layout, "tp"),
        "ep": _one(layout, "ep"),
        "dataset": dataset_of(point.workload),
        "disaggregated": layout.disaggregated,
        "offload_mode": point.offload.mode,
        "offload_kind": point.offload.kind,
        "offload_use": point.offload.use,
        "offload_tiers": list(point.offload.media),
        "offload_backend": point.offload.backend,
        "offload_label": point.offload.label,
        "interactivity_def": point.interactivity_def,
        "flags": list(dict.fromkeys((*point.flags, *point.cache.flags))),
        "detail": dump(detail_of(point, arrival)),
        "raw": dump(point.raw),
    }
    metrics = {**point.metrics, "concurrency": point.concurrency}
    for metric in METRICS:
        value = metrics.get(metric.key)
        # What is not finite is no number: it would sort first and cannot be told as JSON.
        values[metric.key] = value if value is not None and math.isfinite(value) else None
    return values
