"""What a row of a Halo table says of offload. Columns that contradict each other are refused, never guessed around."""

from collections.abc import Mapping
from typing import Any

from app.catalog.offload import BACKENDS, KINDS, TIERS, Mode, Offload, Tier, kv_tiers, resolve_backend
from ingest.table.cells import Misread

_PARAMETER = "parameter_"
_STATED = "field"
_OWN = ("access_path", "gds", "page_cache")
"""Words of an offload that a parameter table has under its own name too."""


def offload_of(values: Mapping[str, Any], hbm_tokens: float | None) -> Offload:
    """The offload of a row. Raises Misread where its columns contradict each other."""
    media = values.get("offload_tiers", ())
    below = tuple(medium for medium in media if medium != "hbm")
    raw = values.get("offload_backend")
    backend = resolve_backend(raw, values.get("engine"))
    table = {name.removeprefix(_PARAMETER): value for name, value in values.items() if name.startswith(_PARAMETER)}
    mode, kinds = _decided(values, backend, below, table)
    evidence = None if mode == "unknown" else values.get("offload_evidence", _STATED)
    if mode != "on":
        return Offload(mode=mode, evidence=evidence, parameter=table)
    known = BACKENDS.get(backend)
    alone = kinds == ("parameter",)
    use = None if alone else values.get("offload_use") or (known.use if known and known.use else "prefix_reuse")
    return Offload(
        mode=mode,
        kinds=kinds,
        use=use,
        backend=backend,
        backend_raw=raw,
        backend_version=values.get("offload_version"),
        tiers=_parameter_tiers(media, table) if alone else _kv_tiers(values, backend, below, hbm_tokens),
        evidence=evidence,
        write_policy=values.get("write_policy"),
        **{name: values.get(name) or (table.get(name) if alone else None) for name in _OWN},
        parameter=table,
    )


def _decided(
    values: Mapping[str, Any], backend: str | None, below: tuple[str, ...], table: Mapping[str, Any]
) -> tuple[Mode, tuple[str, ...]]:
    """Mode and kinds, from the columns that state them, else from those that imply them."""
    kinds: tuple[str, ...] = values.get("offload_kind", ())
    mode: Mode | None = values.get("offload_mode")
    if mode is not None and mode != "on":
        stated = (("offload_kind", kinds), ("offload_backend", backend), ("offload_tiers", below))
        against = [name for name, said in stated if said]
        if against:
            raise Misread(f"offload_mode is {mode}, but {' and '.join(against)} say otherwise: empty them, or write on")
        return mode, ()
    parked = table.get("medium") not in (None, "hbm")
    if mode is None and not (kinds or backend or below or parked):
        return "unknown", ()
    return "on", kinds or _implied_kinds(backend, below, parked)


def _implied_kinds(backend: str | None, below: tuple[str, ...], parked: bool) -> tuple[str, ...]:
    known = BACKENDS.get(backend)
    implied = {known.kind} if known else {"kv"} if backend or (below and not parked) else set()
    if parked:
        implied.add("parameter")
    if not implied:
        words = ", ".join(kind.key for kind in KINDS)
        raise Misread(f"offload_mode is on, but not of what: fill offload_kind with {words} or both joined by a +")
    return tuple(kind.key for kind in KINDS if kind.key in implied)


def _kv_tiers(
    values: Mapping[str, Any], backend: str | None, below: tuple[str, ...], hbm_tokens: float | None
) -> tuple[Tier, ...]:
    """HBM and the stated media, those that no vocabulary knows last; else the media the backend is known for."""
    known = [medium for medium in below if medium in TIERS]
    tiers = kv_tiers(backend, known, hbm_tokens=None if hbm_tokens is None else int(hbm_tokens))
    others = tuple(Tier(medium=medium) for medium in below if medium not in TIERS)
    return tuple(
        Tier(
            medium=tier.medium,
            capacity_tokens=values.get(f"{tier.medium}_capacity_tokens", tier.capacity_tokens),
            capacity_bytes=values.get(f"{tier.medium}_capacity_bytes"),
            scope=values.get(f"{tier.medium}_capacity_scope"),
        )
        for tier in (*tiers, *others)
    )


def _parameter_tiers(media: tuple[str, ...], table: Mapping[str, Any]) -> tuple[Tier, ...]:
    """Where the table lies."""
    size = table.get("table_bytes")
    named = media or tuple(filter(None, [table.get("medium")]))
    return tuple(Tier(medium=medium, capacity_bytes=size if len(named) == 1 else None) for medium in named)
