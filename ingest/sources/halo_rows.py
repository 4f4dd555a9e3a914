"""Rows of another Halo's `/api/v1/points`: points as they stand there, with a link to where they stand.

A row says less than the point behind it: parallelism by its label, tiers by their shares, no raw record.
What a row cannot say keeps configs apart by the other Halo's own config id. Ids of points are kept.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from math import isclose
from typing import Any, Literal
from urllib.parse import urlsplit

from app.catalog.dimensions import DIMENSIONS
from app.catalog.flags import FLAGS
from app.catalog.metrics import CACHED_SHARE, CEILING_SHARE, COMPUTED_SHARE, METRICS, STATISTICS
from app.catalog.offload import BACKENDS, KINDS, TIER_SHARES, TIERS, USES, Offload, Tier
from app.catalog.origins import PUBLISHED
from app.catalog.point import Cache, Json, Point, TierShare, config_id
from app.catalog.vocabulary import is_other, other
from ingest.document import Document
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.fields import Fields
from ingest.sources.halo_layout import layout_of
from ingest.sources.measures import INTERACTIVITY, LATENCY

REMOTE = "remote"
"""Under this name a point's facts hold where it stands: halo, id, config_id, link, snapshot."""

_ANSWER = frozenset(("snapshot", "count", "rows", "next"))
_NEEDED = ("id", "config_id", "run", "source", "origin", "offload_mode", "flags")
_VOLATILE = frozenset(("newest_rank", "attribution"))
"""What changes over there while the point stays: it is no part of the record."""
_WORDS = ("model", "chip", "engine", "orchestrator", "precision", "spec")
_PLAIN = (
    *_NEEDED,
    *_WORDS,
    *("recipe_id", "workload", "chip_count", "engine_version", "layout", "disaggregated", "concurrency"),
    *("offload_kind", "offload_tiers", "offload_backend", "offload_label"),
    *("interactivity_def", "run_label", "run_time", "iteration", "cold"),
)
_KNOWN = frozenset(_PLAIN) | _VOLATILE | {metric.key for metric in METRICS}
_HEAD = 1 << 16
_ROUNDED = 1e-3
"""A Halo works interactivity out of its latency to full precision; rows written by hand are rounded."""
_ID = re.compile(r"p[0-9a-f]{12}")
_MODES = ("on", "off", "unknown")


def remote_id(point: Point) -> str | None:
    """The id of a point that another Halo told of, which it keeps here; None for any other point."""
    told = point.facts.get(REMOTE)
    return str(told["id"]) if isinstance(told, dict) else None


def teller_of(point: Point) -> str:
    """Host of the Halo that told of a point; `a file` where rows were kept without their address, else empty."""
    told = point.facts.get(REMOTE)
    if not isinstance(told, dict):
        return ""
    return urlsplit(told.get("halo", "")).netloc or "a file"


class Unreadable(Exception):
    """A row that gives no point; the message says why."""


class HaloRows:
    """Pages of the API as they were answered, or as `halo pull` kept them with the address they came from."""

    key = "halo-rows"
    label = "Halo API rows"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        if b'"rows"' not in document.data[:_HEAD] or not document.may_hold('"offload_mode"', '"config_id"'):
            return False
        answer = _answer(document)
        return answer is not None and all(isinstance(row, dict) and "config_id" in row for row in answer["rows"][:1])

    def read(self, document: Document) -> Iterator[Reading]:
        answer = _answer(document) or {"rows": []}
        for number, row in enumerate(answer["rows"], start=1):
            where = f"row {number}"
            try:
                yield Found(where, _point(row, answer))
            except Unreadable as error:
                yield Refused(where, str(error))


def _answer(document: Document) -> dict[str, Json] | None:
    records = document.parsed.records
    value = records[0].value if len(records) == 1 and document.parsed.shape == "object" else None
    return value if isinstance(value, dict) and value.keys() >= _ANSWER and isinstance(value["rows"], list) else None


def _point(row: Json, answer: dict[str, Json]) -> Point:
    """The point of a row. Raises Unreadable."""
    if not isinstance(row, dict):
        raise Unreadable("it is no row: an object is expected")
    if missing := [name for name in _NEEDED if row.get(name) is None]:
        raise Unreadable(f"it is no row of a Halo that this one can read: {', '.join(missing)} is missing")
    if not _ID.fullmatch(str(row["id"])):
        raise Unreadable(f"its id {str(row['id'])[:40]!r} is none of a Halo's")
    said = Fields(row)
    warnings: list[str] = []
    if more := sorted(row.keys() - _KNOWN):
        warnings.append(f"the other Halo says {', '.join(map(repr, more))} too, which this one does not know")
    origin = _one_of("origin", row["origin"], [term.key for term in DIMENSIONS["origin"].vocabulary or ()])
    words: Any = {name: _word(name, said.text(name)) for name in _WORDS}
    point = Point(
        **words,
        chip_count=said.integer("chip_count"),
        engine_version=said.text("engine_version"),
        workload=said.text("workload"),
        concurrency=said.number("concurrency"),
        offload=_offload(row, warnings),
        origin=origin,
        run=str(row["run"]),
        run_label=said.text("run_label"),
        run_time=said.text("run_time"),
        iteration=said.integer("iteration"),
        cold=said.boolean("cold") is True,
        dialect=str(row["source"]),
        metrics=_metrics(said, origin),
        interactivity_def=said.text("interactivity_def"),
        cache=_cache(row, said),
        facts={REMOTE: _remote(row, answer)},
        flags=_flags(row["flags"], warnings),
        raw={name: value for name, value in row.items() if name not in _VOLATILE and _is_record(name, origin)},
    )
    if contradiction := _contradiction(point):
        raise Unreadable(contradiction)
    layout = layout_of(said.text("layout"), disaggregated=said.boolean("disaggregated"))
    if layout is None:
        warnings.append(f"the parallelism {row['layout']!r} is not one that this Halo knows")
    else:
        point = replace(point, layout=layout)
    if config_id(point) != row["config_id"]:
        point = replace(point, variant=f"config={row['config_id']}")
    return replace(point, warnings=tuple(dict.fromkeys((*warnings, *said.notes))))


def _contradiction(point: Point) -> str:
    """Which interactivity is not the inverse of its latency; empty where all are."""
    quantity = (point.interactivity_def or "").removeprefix("1/")
    for statistic in STATISTICS:
        value = point.metrics.get(INTERACTIVITY[statistic])
        latency = point.metrics.get(LATENCY[quantity][statistic]) if quantity in LATENCY else None
        if value is not None and latency and not isclose(value * latency, 1, rel_tol=_ROUNDED):
            return f"its {INTERACTIVITY[statistic]} is {value:g}, which is not 1 / {latency:g} s, its {quantity} there"
    return ""


def _is_record(name: str, origin: str) -> bool:
    """Prices are worked out anew wherever a point stands, unless a report stated them."""
    metric = METRICS.get(name)
    return metric is None or metric.made != "priced" or origin == PUBLISHED


def _word(name: str, text: str | None) -> str | None:
    """A key of ours, or the word as it came."""
    vocabulary = DIMENSIONS[name].vocabulary
    if text is None or vocabulary is None or text in vocabulary or is_other(text):
        return text
    return other(text)


def _one_of(name: str, value: Json, known: list[str] | tuple[str, ...]) -> str:
    if value not in known:
        raise Unreadable(f"its {name} is {value!r}, and this Halo knows {', '.join(known)}")
    return str(value)


def _metrics(said: Fields, origin: str) -> dict[str, float]:
    found = {metric.key: said.number(metric.key) for metric in METRICS if _is_record(metric.key, origin)}
    return {key: value for key, value in found.items() if value is not None and key != "concurrency"}


def _offload(row: dict[str, Json], warnings: list[str]) -> Offload:
    """What the row says of offload. Version and use stand in its label alone."""
    mode: Any = _one_of("offload_mode", row["offload_mode"], _MODES)
    kinds = tuple(str(row["offload_kind"]).split("+")) if row.get("offload_kind") else ()
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise Unreadable(
            f"its offload is of the kind {unknown[0]!r}, and this Halo knows {', '.join(k.key for k in KINDS)}"
        )
    media = []
    for medium in row.get("offload_tiers") or ():
        if medium not in TIERS:
            warnings.append(f"the tier {medium!r} is not known here, so it is called external")
        media.append(medium if medium in TIERS else "external")
    backend = row.get("offload_backend")
    if backend is not None and backend not in BACKENDS and not is_other(backend):
        backend = other(backend)
    plain = Offload(
        mode=mode,
        kinds=kinds,
        backend=backend,
        tiers=tuple(Tier(medium=medium) for medium in dict.fromkeys(media)),
        evidence="field" if mode != "unknown" else None,
    )
    return _labelled(plain, str(row.get("offload_label") or ""))


def _labelled(plain: Offload, label: str) -> Offload:
    """The offload with the use and the version that make it have this label."""
    if label == plain.label:
        known = BACKENDS.get(plain.backend)
        use = known.use if known else "prefix_reuse"
        return replace(plain, use="prefix_reuse") if use == "prefix_reuse" and "kv" in plain.kinds else plain
    parts = label.split(" · ")
    usual = "prefix_reuse" if "kv" in plain.kinds else None
    named_use = next((each.key for each in USES if each.label == parts[-1]), usual)
    named = BACKENDS.label(plain.backend) or ""
    version = next((part.removeprefix(f"{named} ") for part in parts if named and part.startswith(f"{named} ")), None)
    return replace(plain, use=named_use, backend_version=version)


def _cache(row: dict[str, Json], said: Fields) -> Cache:
    """Shares by medium where the row leaves no doubt which medium it was."""
    tiers = []
    for key in TIER_SHARES:
        share = said.number(key)
        media = [medium.key for medium in TIERS if medium.share_metric == key]
        used = [medium for medium in media if medium in (row.get("offload_tiers") or ())]
        medium = media[0] if len(media) == 1 else used[0] if len(used) == 1 else None
        if share is not None and medium is not None:
            tiers.append(TierShare(medium=medium, share=share, provenance="as the other Halo tells it"))
    return Cache(
        tiers=tuple(tiers),
        computed_share=said.number(COMPUTED_SHARE),
        cached_share=said.number(CACHED_SHARE),
        ceiling_share=said.number(CEILING_SHARE),
    )


def _flags(flags: Json, warnings: list[str]) -> tuple[str, ...]:
    if not isinstance(flags, list):
        raise Unreadable("its flags are no list")
    strange = [str(flag) for flag in flags if flag not in FLAGS]
    warnings += [f"the other Halo doubts it for a reason that this one does not know: {flag!r}" for flag in strange]
    return tuple(flag for flag in flags if flag in FLAGS)


def _remote(row: dict[str, Json], answer: dict[str, Json]) -> dict[str, Json]:
    """Where the point stands. Its snapshot is the one it was read in, which goes on answering."""
    halo = answer.get("halo")
    remote = {"id": row["id"], "config_id": row["config_id"], "snapshot": answer["snapshot"]}
    if isinstance(halo, str) and halo.startswith(("https://", "http://")):
        remote |= {"halo": halo, "link": f"{halo}/points/{row['id']}?snapshot={answer['snapshot']}"}
    return remote
