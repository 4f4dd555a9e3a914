"""Facts that only the names of files and folders give: the last source, flagged, and never for the format.

A name speaks where nothing else does. The nearest one wins: the file's own, then its folder's, and so on up to the
folder that was given. A name that contradicts the record is that of another run, and says nothing at all.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from typing import Any

from app.catalog.models import family_of
from app.catalog.offload import Offload
from app.catalog.point import Layout, Point, Role
from app.catalog.vocabulary import is_other
from app.catalog.workloads import fixed_sizes, fixed_workload
from ingest.document import Document
from ingest.kin import BACKENDS
from ingest.name_words import DEGREES, names_of, offload_named, said_in

FROM_NAME = "from_name"
BACKEND_OF_SWEEP = "backend_of_sweep"
NAMED = "from_names"
"""Under this name a point's facts tell which of its fields only names gave."""
BY_SWEEP = "from_names_of_sweep"
"""And which of those the names of other runs of its sweep gave."""

_WORDS = ("chip", "precision", "concurrency", "model", "engine", "spec")
_ROLE = (*DEGREES, "workers", "dp_attention")
_CLOSE = 0.05
"""How far lengths may miss those of the name: 1000 tokens are often called 1k."""

__all__ = ["FROM_NAME", "NAMED", "named_facts", "offload_named"]


def named_facts(
    point: Point, document: Document, given: Container[str] = (), kin: Mapping[str, Any] | None = None
) -> Point:
    """The point with what its names say, and neither its record nor what is `given` for it does.

    `kin` is what the names of the other runs of its sweep agree on.
    """
    said = [(name, found) for name in names_of(document.name, document.folders) if (found := said_in(name))]
    if not said and not kin:
        return point
    against = {name: why for name, found in said if (why := next(_contradictions(point, found), None)) is not None}
    if against:
        warnings = tuple(f"the name {name!r} says {why}: nothing was taken from it" for name, why in against.items())
        point = replace(point, warnings=tuple(dict.fromkeys((*point.warnings, *warnings))))
    words: dict[str, Any] = {}
    for found in (*(found for name, found in said if name not in against), kin or {}):
        words = {**found, **words}
    named = _filled(point, words, given)
    own = {name for _, found in said for name in found}
    by_sweep = [name for name in kin or {} if name not in own and name in named.facts.get(NAMED, ())]
    return replace(named, facts={**named.facts, BY_SWEEP: by_sweep}) if by_sweep else named


def _filled(point: Point, words: Mapping[str, Any], given: Container[str]) -> Point:
    flags: tuple[str, ...] = ()
    changes: dict[str, Any] = {
        name: words[name] for name in _WORDS if name in words and name not in given and getattr(point, name) is None
    }
    # Off without evidence is a format's default for a silent record, and a name outweighs a default.
    if "offload" in words and point.offload.evidence is None and "offload_mode" not in given:
        changes["offload"] = _of_engine(words["offload"], changes.get("engine", point.engine))
        if (meant := words.get(BACKENDS, {}).get(changes["offload"].backend_raw)) is not None:
            flags = (BACKEND_OF_SWEEP,) if meant != changes["offload"].backend else ()
            changes["offload"] = replace(changes["offload"], backend=meant)
    facts: dict[str, Any] = {}
    if "sizes" in words and point.workload is None and "workload" not in given:
        isl, osl = words["sizes"]
        changes["workload"] = fixed_workload(isl, osl)
        facts = {"isl": isl, "osl": osl}
    layout = _layout(point, words, given)
    if layout != point.layout:
        changes["layout"] = layout
    if not changes:
        return point
    facts = {**point.facts, **facts, NAMED: sorted({*changes, *point.facts.get(NAMED, ())})}
    return replace(point, **changes, facts=facts, flags=tuple(dict.fromkeys((*point.flags, FROM_NAME, *flags))))


def _of_engine(offload: Offload, engine: str | None) -> Offload:
    """The offload of a name, whose word for the backend may mean another one under another engine."""
    raw = offload.backend_raw
    return offload if raw is None else offload_named((f"offload{raw}",), engine) or offload


def _layout(point: Point, words: Mapping[str, Any], given: Container[str]) -> Layout:
    """Degrees that nothing else gives, each for itself. Those of roles are not told by names."""
    layout = point.layout
    apart = words.get("disaggregated")
    if layout.disaggregated is None and apart is not None and "disaggregated" not in given:
        layout = replace(layout, disaggregated=apart)
    if layout.disaggregated or layout.prefill or layout.decode:
        return layout
    whole = layout.whole or Role()
    told = {name: words[name] for name in _ROLE if name in words and name not in given and getattr(whole, name) is None}
    if "workers" in told and point.chip_count:
        del told["workers"]
    return replace(layout, whole=replace(whole, **told)) if told else layout


def _contradictions(point: Point, said: Mapping[str, Any]) -> Iterator[str]:
    """Where a name and the record exclude each other, in words."""
    for name in ("chip", "precision", "engine", "spec"):
        own, other = getattr(point, name), said.get(name)
        if other is not None and own is not None and not is_other(own) and own != other:
            yield f"{name} {other} where the record says {own}"
    model, named = point.model, said.get("model")
    if named is not None and model is not None and not is_other(model) and family_of(model) != family_of(named):
        yield f"model {named} where the record says {model}"
    load = said.get("concurrency")
    if load is not None and point.concurrency not in (None, load) and "load_measured" not in point.flags:
        yield f"concurrency {load:g} where the record says {point.concurrency:g}"
    whole, tp = point.layout.whole, said.get("tp")
    if tp is not None and whole and whole.tp not in (None, tp) and not point.layout.disaggregated:
        yield f"tensor parallelism {tp} where the record says {whole.tp}"
    sizes, own_sizes = said.get("sizes"), fixed_sizes(point.workload)
    if sizes and own_sizes and any(abs(a - b) > _CLOSE * b for a, b in zip(sizes, own_sizes, strict=True)):
        yield f"{sizes[0]} and {sizes[1]} tokens where the record says {own_sizes[0]} and {own_sizes[1]}"
    offload: Offload | None = said.get("offload")
    if offload and point.offload.evidence and point.offload.mode not in ("unknown", offload.mode):
        yield f"offload {offload.mode} where the record says {point.offload.mode}"
