"""Facts that only the names of files and folders give: the last source, flagged, and never for the format.

A name speaks where the record is silent. The nearest one wins: the file's own, then its folder's, and so on up.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from app.catalog.chips import CHIPS
from app.catalog.offload import BACKENDS, TIERS, Offload, kv_tiers, resolve_backend
from app.catalog.point import Point, Role
from app.catalog.precisions import PRECISIONS
from app.catalog.workloads import fixed_workload
from ingest.document import Document

FROM_NAME = "from_name"
NAMED = "from_names"
"""Under this name a point's facts tell which of its fields only names gave."""
_WORD_ENDS = r"(?=[_.~!/ ]|$)"
_KV_NONE = re.compile(rf"(?:^|[_/ -])kvnone{_WORD_ENDS}")
_KV_DRAM = re.compile(rf"(?:^|[_/ -])kvdram-(?P<what>[a-z][a-z0-9-]*){_WORD_ENDS}")
_OFFLOADED = re.compile(rf"(?:^|[_/ -])offload[-_]?(?P<what>[a-z][a-z0-9-]*){_WORD_ENDS}")
_SIZES = (
    re.compile(r"(?:^|[_/ -])isl[_-]?(?P<isl>\d+k?)[_-]osl[_-]?(?P<osl>\d+k?)(?=[_.~!/ -]|$)"),
    re.compile(r"(?:^|[_/ -])(?P<isl>\d+k)(?P<osl>\d+k)(?=[_.~!/ -]|$)"),
)
_OFF = ("none", "off", "no")
_BETWEEN = re.compile(r"[_./~! -]+")
_CONCURRENCY = re.compile(r"(?:^|[_./ -])(?:conc|concurrency|users)[_=-]?([1-9]\d{0,5})(?=[_./~! -]|$)")
_PARALLEL = ("tp", "pp", "ep")
_ROLES = re.compile(r"prefill|decode|disagg[_-]?true|(?:^|[_-])\d+p\d*[_-]?\d+d")
"""Names of deployments with roles: there, one parallelism is not that of the whole."""


def named_facts(point: Point, document: Document, given: Container[str] = ()) -> Point:
    """The point with what its names say, and neither its record nor what is `given` for it does."""
    wanted = tuple(name for name, missing in _missing(point) if missing and name not in given)
    if not wanted:
        return point
    names = tuple(name.lower() for name in (document.name, *reversed(document.folders)))
    changes: dict[str, Any] = {}
    # Off without evidence is a format's default for a silent record, and a name outweighs a default.
    if "offload_mode" in wanted and (offload := offload_named(names, point.engine)) is not None:
        changes["offload"] = offload
    if "workload" in wanted and (sizes := sizes_named(names)) is not None:
        isl, osl = sizes
        changes["workload"] = fixed_workload(isl, osl)
        changes["facts"] = {"isl": isl, "osl": osl}
    words = words_named(names)
    changes.update(
        {name: words[name] for name in ("chip", "precision", "concurrency") if name in wanted and name in words}
    )
    if "tp" in wanted and (role := {name: words[name] for name in _PARALLEL if name in words}):
        changes["layout"] = replace(point.layout, whole=replace(point.layout.whole or Role(), **role))
    if not changes:
        return point
    facts = {**point.facts, **changes.pop("facts", {}), NAMED: sorted(changes)}
    return replace(point, **changes, facts=facts, flags=(*point.flags, FROM_NAME))


def _missing(point: Point) -> Iterator[tuple[str, bool]]:
    """What a name may say, and whether the record leaves it open."""
    layout = point.layout
    yield "offload_mode", point.offload.evidence is None
    yield "workload", point.workload is None
    yield "chip", point.chip is None
    yield "precision", point.precision is None
    yield "concurrency", point.concurrency is None
    stated = any(role and role.tp for role in (layout.whole, layout.prefill, layout.decode))
    yield "tp", not (stated or layout.disaggregated or point.chip_count)


@lru_cache(maxsize=4096)
def words_named(names: tuple[str, ...]) -> Mapping[str, Any]:
    """Chip, precision, concurrency and parallelism, each out of the nearest name that says it once and plainly."""
    found: dict[str, Any] = {}
    for name in names:
        for key, values in _said(name).items():
            if len(values) == 1:
                found.setdefault(key, *values)
    return found


def _said(name: str) -> dict[str, set[Any]]:
    """All that one name says. What it says twice and differently, it does not say."""
    parts = [part for part in _BETWEEN.split(name) if part]
    words = [*parts, *("-".join(pair) for pair in pairwise(parts))]
    said: dict[str, set[Any]] = {
        key: {term.key for word in words if (term := terms.resolve(word)) is not None}
        for key, terms in (("chip", CHIPS), ("precision", PRECISIONS))
    }
    said["concurrency"] = {float(number) for number in _CONCURRENCY.findall(name)}
    if not _ROLES.search(name):
        for key in _PARALLEL:
            said[key] = {
                int(n) for n in re.findall(rf"(?:^|[_./ -]){key}[_=-]?(\d{{1,3}})(?=[_./~! -]|$)", name) if int(n)
            }
    return said


def offload_named(names: Iterable[str], engine: str | None) -> Offload | None:
    """The offload that names such as `..._offloadssd_...` or `..._kvdram-hicache` speak of."""
    for name in names:
        if _KV_NONE.search(name):
            return Offload(mode="off", evidence="name")
        if match := (_KV_DRAM.search(name) or _OFFLOADED.search(name)):
            what = match["what"]
            if what in _OFF:
                return Offload(mode="off", evidence="name")
            medium = "host_dram" if match.re is _KV_DRAM else None
            if offload := _on(what, medium, engine):
                return offload
    return None


def _on(what: str, medium: str | None, engine: str | None) -> Offload | None:
    """Offload to a medium or through a backend of that name; None for a word that is neither."""
    if what == "on":
        return Offload(mode="on", kinds=("kv",), use="prefix_reuse", evidence="name")
    if (tier := TIERS.resolve(what)) is not None:
        return Offload(mode="on", kinds=("kv",), use="prefix_reuse", tiers=kv_tiers(None, [tier.key]), evidence="name")
    backend = BACKENDS.get(resolve_backend(what, engine))
    if backend is None:
        return None
    return Offload(
        mode="on",
        kinds=(backend.kind,),
        use=backend.use or None,
        backend=backend.key,
        backend_raw=what,
        tiers=kv_tiers(backend.key, [medium] if medium else ()),
        evidence="name",
    )


def sizes_named(names: Iterable[str]) -> tuple[int, int] | None:
    """Input and output tokens out of `_1k8k_` or `isl1024_osl1024`."""
    for name in names:
        for pattern in _SIZES:
            if match := pattern.search(name):
                return _tokens(match["isl"]), _tokens(match["osl"])
    return None


def _tokens(text: str) -> int:
    return int(text[:-1]) * 1024 if text.endswith("k") else int(text)
