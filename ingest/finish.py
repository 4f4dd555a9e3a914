"""The last step of every point, whichever source it came from: what was supplied, and what follows from it all."""

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from app.catalog.metrics import INPUT_TPUT_PER_PREFILL_CHIP, OUTPUT_TPUT_PER_DECODE_CHIP, derive
from app.catalog.offload import Offload
from app.catalog.point import Layout, Point, Role
from app.catalog.vocabulary import is_other, raw_of
from ingest.plausible import DISPUTED, MOST_CHIPS, disputed, plausible
from ingest.settling import settled
from ingest.sources.measures import TOKEN_KINDS, TPUT, TPUT_PER_CHIP
from ingest.supplied import NOTHING, TIMEZONE, Supplied
from ingest.table.offload import offload_of
from ingest.tiers import share_metrics
from ingest.weighing import contradictions

NEEDS: Final = ("model", "chip", "chip_count", "engine", "precision", "workload", "concurrency")
"""Fields that a view misses where nothing gives them."""

_WORDS = ("model", "chip", "engine", "orchestrator", "precision", "spec", "workload")
_PLAIN = (
    *("model", "chip", "engine", "orchestrator", "engine_version", "precision", "spec", "workload"),
    *("concurrency", "origin", "run_time", "iteration", "cold"),
)
_NO_ZONE = "zone_unknown"
_DATE = len("2026-01-01")
_FACTS = ("image", "dataset", "isl", "osl")


def finish(point: Point, supplied: Supplied = NOTHING) -> Point:
    """The point with what was supplied for it, its derived metrics, and the list of what it still needs."""
    point = plausible(point)
    changes: dict[str, Any] = {}
    if supplied:
        changes = _changes(point, supplied)
    layout: Layout = changes.get("layout", point.layout)
    cache = settled(point.cache, changes.get("offload", point.offload), layout)
    point = point if cache is point.cache else replace(point, cache=cache)
    count = _chip_count(point, supplied, layout)
    metrics = _metrics(point, supplied, layout, count)
    values = {name: changes.get(name, getattr(point, name)) for name in _WORDS}
    needs = [
        name
        for name in NEEDS
        if (count if name == "chip_count" else values[name] if name in values else _value(point, changes, name)) is None
    ]
    moment = changes.get("run_time", point.run_time)
    flags = tuple(flag for flag in point.flags if flag != _NO_ZONE)
    if DISPUTED not in flags and disputed(metrics, count):
        flags = (*flags, DISPUTED)
    offload = changes.get("offload", point.offload)
    facts = changes.get("facts", point.facts)
    found = contradictions(values["model"], offload, layout, cache, facts, metrics)
    flags = tuple(dict.fromkeys((*flags, *found)))
    unknown = [f"unknown {name} {raw_of(word)!r}" for name, word in values.items() if word and is_other(word)]
    return replace(
        point,
        **changes,
        chip_count=count,
        metrics=metrics,
        flags=(*flags, _NO_ZONE) if moment and _is_naive(moment) else flags,
        needs=tuple(dict.fromkeys((*point.needs, *needs))) if point.needs else tuple(needs),
        warnings=tuple(dict.fromkeys((*point.warnings, *unknown))) if unknown else point.warnings,
    )


def _value(point: Point, changes: Mapping[str, Any], name: str) -> Any:
    return changes.get(name, getattr(point, name))


def _changes(point: Point, supplied: Supplied) -> dict[str, Any]:
    """The fields that what was supplied sets, and only those."""
    values = supplied.values
    changes: dict[str, Any] = {name: values[name] for name in _PLAIN if name in values}
    if layout := supplied.about("Layout"):
        changes["layout"] = _layout(point.layout, layout)
    if offload := {**supplied.about("Offload"), **supplied.about("Tier sizes"), **supplied.about("Parameter table")}:
        changes["offload"] = _offload(point, offload, supplied)
    if facts := {name: values[name] for name in _FACTS if name in values}:
        changes["facts"] = {**point.facts, **facts}
    moment = changes.get("run_time", point.run_time)
    if TIMEZONE in values and moment and (zoned := _zoned(moment, values[TIMEZONE])):
        changes["run_time"] = zoned
    return changes


def _zoned(text: str, zone: Any) -> str | None:
    """A time without a zone, put into one; None for what has a zone already or is no time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=zone).isoformat() if moment.tzinfo is None else None


@lru_cache(maxsize=4096)
def _is_naive(text: str) -> bool:
    """Whether it is a time of day, of which nobody says in which zone."""
    try:
        return len(text) > _DATE and datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return False


def _layout(layout: Layout, values: Mapping[str, Any]) -> Layout:
    roles = {
        name: _role(getattr(layout, name), start, values)
        for name, start in (("whole", ""), ("prefill", "prefill_"), ("decode", "decode_"))
    }
    prefill, decode = roles["prefill"], roles["decode"]
    apart = True if prefill and decode and prefill.chips and decode.chips else None
    return Layout(
        **roles,
        disaggregated=values.get("disaggregated", layout.disaggregated if layout.disaggregated is not None else apart),
        multinode=values.get("multinode", layout.multinode),
    )


def _role(role: Role | None, start: str, values: Mapping[str, Any]) -> Role | None:
    stated = {field.name: values[f"{start}{field.name}"] for field in fields(Role) if f"{start}{field.name}" in values}
    return replace(role or Role(), **stated) if stated else role


def _offload(point: Point, values: dict[str, Any], supplied: Supplied) -> Offload:
    """The offload as supplied; what is only said in addition, such as a version, is added to what the file says."""
    known = point.offload
    if known.mode == "off" and known.evidence is not None and not supplied.turns_offload_on:
        return known
    if not supplied.decides_offload and known.mode == "on":
        tiers = tuple(
            replace(
                tier,
                capacity_tokens=values.get(f"{tier.medium}_capacity_tokens", tier.capacity_tokens),
                capacity_bytes=values.get(f"{tier.medium}_capacity_bytes", tier.capacity_bytes),
                scope=values.get(f"{tier.medium}_capacity_scope", tier.scope),
            )
            for tier in known.tiers
        )
        own = {field.name: values[field.name] for field in fields(Offload) if field.name in values}
        return replace(known, tiers=tiers, backend_version=values.get("offload_version", known.backend_version), **own)
    return offload_of({"offload_evidence": "supplied", "engine": point.engine, **values}, None)


def _chip_count(point: Point, supplied: Supplied, layout: Layout) -> int | None:
    """The count that was supplied or stated, else that of both roles, else tp * pp * pcp of each worker."""
    stated = supplied.values.get("chip_count", point.chip_count)
    if stated is not None:
        return int(stated)
    if layout.prefill and layout.decode and layout.prefill.chips and layout.decode.chips:
        return layout.prefill.chips + layout.decode.chips
    whole = layout.whole
    if layout.disaggregated or whole is None or whole.tp is None:
        return None
    product = math.prod(count or 1 for count in (whole.tp, whole.pp, whole.pcp, whole.workers))
    return product if product <= MOST_CHIPS else None


def _metrics(point: Point, supplied: Supplied, layout: Layout, count: int | None) -> dict[str, float]:
    """Measured, shared and derived metrics. Per-chip figures are divided anew where another count was supplied."""
    metrics = {**point.metrics, **share_metrics(point.cache)}
    for kind in TOKEN_KINDS:
        system, per_chip = TPUT[kind], TPUT_PER_CHIP[kind]
        if system not in metrics and per_chip in metrics and point.chip_count:
            metrics[system] = metrics[per_chip] * point.chip_count
        if system in metrics and count and (per_chip not in metrics or count != point.chip_count):
            metrics[per_chip] = metrics[system] / count
    _role_metric(metrics, OUTPUT_TPUT_PER_DECODE_CHIP, "output", layout.decode, "decode_chips" in supplied.values)
    _role_metric(metrics, INPUT_TPUT_PER_PREFILL_CHIP, "input", layout.prefill, "prefill_chips" in supplied.values)
    return {key: value for key, value in derive(metrics).items() if math.isfinite(value)}


def _role_metric(metrics: dict[str, float], key: str, kind: str, role: Role | None, anew: bool) -> None:
    system = metrics.get(TPUT[kind])
    if system is not None and role is not None and role.chips and (anew or key not in metrics):
        metrics[key] = system / role.chips
