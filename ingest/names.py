"""Facts that only the names of files and folders give: the last source, flagged, and never for the format.

A name speaks where the record is silent. The nearest one wins: the file's own, then its folder's, and so on up.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from app.catalog.offload import BACKENDS, TIERS, Offload, kv_tiers, resolve_backend
from app.catalog.point import Point
from app.catalog.workloads import fixed_workload
from ingest.document import Document

FROM_NAME = "from_name"
_WORD_ENDS = r"(?=[_.~!/ ]|$)"
_KV_NONE = re.compile(rf"(?:^|[_/ -])kvnone{_WORD_ENDS}")
_KV_DRAM = re.compile(rf"(?:^|[_/ -])kvdram-(?P<what>[a-z][a-z0-9-]*){_WORD_ENDS}")
_OFFLOADED = re.compile(rf"(?:^|[_/ -])offload[-_]?(?P<what>[a-z][a-z0-9-]*){_WORD_ENDS}")
_SIZES = (
    re.compile(r"(?:^|[_/ -])isl[_-]?(?P<isl>\d+k?)[_-]osl[_-]?(?P<osl>\d+k?)(?=[_.~!/ -]|$)"),
    re.compile(r"(?:^|[_/ -])(?P<isl>\d+k)(?P<osl>\d+k)(?=[_.~!/ -]|$)"),
)
_OFF = ("none", "off", "no")


def named_facts(point: Point, document: Document) -> Point:
    """The point with what its names say and its record does not."""
    # Off without evidence is a format's default for a silent record, and a name outweighs a default.
    wants_offload = point.offload.evidence is None
    wants_workload = point.workload is None
    if not wants_offload and not wants_workload:
        return point
    names = [name.lower() for name in (document.name, *reversed(document.folders))]
    changes: dict[str, object] = {}
    if wants_offload and (offload := offload_named(names, point.engine)) is not None:
        changes["offload"] = offload
    if wants_workload and (sizes := sizes_named(names)) is not None:
        isl, osl = sizes
        changes["workload"] = fixed_workload(isl, osl)
        changes["facts"] = {**point.facts, "isl": isl, "osl": osl}
    if not changes:
        return point
    return replace(point, **changes, flags=(*point.flags, FROM_NAME))  # type: ignore[arg-type]  # fields of Point


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
