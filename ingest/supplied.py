"""What the user says about results whose files do not, in the words of the Halo table.

`--set key=value` and the sidecars of `sidecar.py` both come here: `supplied_from` is the one place that
checks values, `over` the one that lays one set of them over another.
"""

import contextlib
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.catalog.dimensions import DIMENSIONS
from app.catalog.engines import NO_ORCHESTRATOR, split_framework
from app.catalog.vocabulary import is_other, raw_of
from app.catalog.workloads import AGENTIC, agentic_workload, fixed_workload
from ingest.table.cells import Misread, read_cell
from ingest.table.columns import COLUMNS
from ingest.table.groups import GROUPS, Column
from ingest.table.offload import offload_of

TIMEZONE = "timezone"
_GROUPS = ("Recipe", "Workload", "Layout", "Offload", "Tier sizes", "Parameter table")
_ALSO = ("concurrency", "origin", "run_time", "iteration", "cold")
_COLUMNS: dict[str, Column] = {
    **{column.name: column for group in _GROUPS for column in GROUPS[group]},
    **{name: COLUMNS[name] for name in _ALSO},
}
_CHOICES = (
    "One may set model, chip, chip_count, prefill_chips, decode_chips, engine, engine_version, precision, spec, "
    "workload, concurrency, tp, pp, ep, origin, run_time, timezone, offload_mode, offload_kind, offload_tiers, "
    "offload_backend, offload_version and the other recipe and offload columns of docs/halo_table.md"
)
_TOLD_BY_WORKLOAD = ("isl", "osl", "dataset")
_DECIDING = ("offload_mode", "offload_kind", "offload_tiers", "offload_backend")


class WrongCall(Exception):
    """The command was called with something it cannot mean. The message says what would be right."""


class Unsettable(ValueError):
    """A setting that means nothing; the message says why, `key` which one. Empty where several contradict."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(reason)
        self.key = key


@dataclass(frozen=True, slots=True)
class Supplied:
    """Checked values by name. `texts` is what the store keeps: equal for equal meanings.

    `places` names the sidecar that a value came from; what has none was said in the call itself.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.values)

    @property
    def decides_offload(self) -> bool:
        return any(name in self.values for name in _DECIDING)

    @property
    def turns_offload_on(self) -> bool:
        """Whether it may overrule a record that states no offload: by saying so, or in the call itself.

        A sidecar over a sweep tells how offload was set up, not that each of its runs used it.
        """
        deciding = [name for name in _DECIDING if name in self.values]
        return "offload_mode" in deciding or any(name not in self.places for name in deciding)

    def about(self, group: str) -> dict[str, Any]:
        """The values that belong to one group of the Halo table."""
        return {column.name: self.values[column.name] for column in GROUPS[group] if column.name in self.values}


NOTHING = Supplied()


def parse_sets(settings: Iterable[str]) -> Supplied:
    """`key=value` arguments as values. Raises WrongCall."""
    pairs: dict[str, str] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise WrongCall(f"--set {setting}: write key=value, as in --set chip_count=8")
        try:
            name = setting_name(key)
        except Unsettable as error:
            raise WrongCall(f"--set {key.strip()}: {error}") from None
        if name in pairs and pairs[name] != value.strip():
            raise WrongCall(f"--set {name} is given twice, as {pairs[name]} and as {value.strip()}")
        pairs[name] = value.strip()
    try:
        return supplied_from(pairs)
    except Unsettable as error:
        raise WrongCall(f"--set {error.key}: {error}" if error.key else f"--set: {error}") from None


def supplied_from(pairs: Mapping[str, str]) -> Supplied:
    """Checked values of a mapping of names to texts, from whichever place. Raises Unsettable."""
    values = {setting_name(key): setting(key, text) for key, text in pairs.items()}
    _complete(values, pairs)
    try:
        _contradicts(values)
    except Misread as error:
        raise Unsettable("", str(error)) from None
    return _supplied(values)


def setting_name(key: str) -> str:
    """The name that a key means. Raises Unsettable."""
    try:
        return _name(key)
    except Misread as error:
        raise Unsettable(key, str(error)) from None


def setting(key: str, text: str) -> Any:
    """The value that one setting gives. Raises Unsettable."""
    name = setting_name(key)
    try:
        return _read(name, text)
    except Misread as error:
        raise Unsettable(name, str(error)) from None


def over(near: Supplied, far: Supplied) -> Supplied:
    """Both together, key by key; where they say something of the same thing, the nearer one wins."""
    if not near or not far:
        return near or far
    stale = _TOLD_BY_WORKLOAD if "workload" in near.values else ()
    values = {**{name: value for name, value in far.values.items() if name not in stale}, **near.values}
    if "workload" not in near.values and (near.values.keys() & {"isl", "osl"}) and {"isl", "osl"} <= values.keys():
        values["workload"] = fixed_workload(values["isl"], values["osl"])
    if values.get("workload") == AGENTIC and "dataset" in values:
        values["workload"] = agentic_workload(values["dataset"])
    try:
        _contradicts(values)
    except Misread:
        offload = {column.name for group in ("Offload", "Tier sizes") for column in GROUPS[group]}
        values = {name: value for name, value in values.items() if name not in offload or name in near.values}
    places = {**{name: place for name, place in far.places.items() if name not in near.values}, **near.places}
    return replace(_supplied(values), places={name: place for name, place in places.items() if name in values})


def _supplied(values: Mapping[str, Any]) -> Supplied:
    texts = {name: _text(value) for name, value in sorted(values.items())}
    unknown = [f"unknown {_label(name)} {raw_of(value)!r}" for name, value in values.items() if _is_unknown(value)]
    return Supplied(values, texts, tuple(unknown))


def _contradicts(values: Mapping[str, Any]) -> None:
    """Raises Misread where what is said of offload cannot all be so."""
    if any(name in values for name in _DECIDING):
        offload_of(values, None)


def _name(key: str) -> str:
    """The name that a key means: itself, `offload.kind`, or another spelling of a dimension."""
    name = key.strip().lower().replace("-", "_").replace(".", "_")
    if name in _COLUMNS or name == TIMEZONE:
        return name
    if (short := name.removeprefix("offload_")) != name and short in _COLUMNS:
        return short
    dimension = DIMENSIONS.resolve(name)
    if dimension is not None and dimension.column in _COLUMNS:
        return dimension.column
    close = difflib.get_close_matches(name, [*_COLUMNS, TIMEZONE], n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    raise Misread(f"there is nothing of that name to set{hint}. {_CHOICES}")


def _read(name: str, text: str) -> Any:
    if name == TIMEZONE:
        return _zone(text)
    value = read_cell(_COLUMNS[name], text, [])
    if value is None:
        raise Misread(f"{text} is no value; leave the setting out instead")
    if _COLUMNS[name].reads == "count" and value == 0 and name != "iteration":
        raise Misread("0 is no count; leave the setting out where it is not known")
    if name == "run_time":
        try:
            datetime.fromisoformat(text)
        except ValueError:
            raise Misread(f"{text!r} is no time: write ISO 8601, as in 2026-11-03T14:05:00+01:00") from None
    return value


def _zone(text: str) -> tzinfo:
    """A zone by name, or a fixed offset such as +01:00."""
    with contextlib.suppress(ValueError):
        if (offset := datetime.fromisoformat(f"2000-01-01T00:00:00{text}").tzinfo) is not None:
            return offset
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Misread(f"{text!r} is no time zone: write Europe/Berlin, UTC or +01:00") from None


def _complete(values: dict[str, Any], pairs: Mapping[str, str]) -> None:
    """What one setting says of another that was not given."""
    if "engine" in values:
        framework = split_framework(next(text for key, text in pairs.items() if _name(key) == "engine"))
        if framework.orchestrator not in (None, NO_ORCHESTRATOR):
            values.setdefault("orchestrator", framework.orchestrator)
    if "workload" not in values and (workload := fixed_workload(values.get("isl"), values.get("osl"))):
        values["workload"] = workload
    if values.get("workload") == AGENTIC and "dataset" in values:
        values["workload"] = agentic_workload(values["dataset"])
    if "chip_count" not in values and "prefill_chips" in values and "decode_chips" in values:
        values["chip_count"] = values["prefill_chips"] + values["decode_chips"]


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ">".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_unknown(value: Any) -> bool:
    return isinstance(value, str) and is_other(value)


def _label(name: str) -> str:
    return name.replace("_", " ")
