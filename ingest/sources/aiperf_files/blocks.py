"""AIPerf's metric blocks, `{"unit": "ms", "avg": 12.5, "p90": 30.1}`, in Halo's units.

The declared unit is believed, and nothing else: a block in a unit nobody knows is left out by name.
"""

from collections.abc import Mapping

from app.catalog.metrics import STATISTICS
from app.catalog.point import Json
from ingest.sources.fields import Fields

TIMES = {
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("us", "µs", "μs", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "minute", "minutes"), 60.0),
}
_PER = {"s": 1.0, "sec": 1.0, "second": 1.0, "ms": 1000.0, "min": 1 / 60, "minute": 1 / 60}
RATES = {
    f"{what}/{time}{whose}": factor
    for what in ("token", "tokens", "tok", "request", "requests", "req")
    for time, factor in _PER.items()
    for whose in ("", "/user")
}
COUNTS = dict.fromkeys(("token", "tokens", "request", "requests", "count", "blocks"), 1.0)
FRACTIONS = {**dict.fromkeys(("%", "percent"), 0.01), **dict.fromkeys(("ratio", "fraction"), 1.0)}
POWERS = {"w": 1.0, "watt": 1.0, "watts": 1.0, "kw": 1e3}

_STATISTIC = {"mean": "avg"}


class Blocks:
    """The metric blocks of one summary. Notes about what could not be read go to the record's own."""

    def __init__(self, blocks: Fields) -> None:
        self._blocks = blocks

    def __contains__(self, key: str) -> bool:
        return isinstance(self._blocks.row.get(key), dict)

    def value(self, key: str, units: Mapping[str, float], statistic: str = "avg") -> float | None:
        """One statistic of a metric, by its declared unit; None where it is not there."""
        if key not in self:
            return None
        block = self._blocks.inner(key)
        factor = self._factor(key, block, units)
        number = None if factor is None else block.number(statistic)
        return None if number is None or factor is None else number * factor

    def seconds(self, key: str) -> Fields:
        """A latency at Halo's statistics, in seconds; those it lacks are absent."""
        if key not in self:
            return Fields({})
        block = self._blocks.inner(key)
        factor = self._factor(key, block, TIMES)
        if factor is None:
            return Fields({})
        found = {name: block.number(_STATISTIC.get(name, name)) for name in STATISTICS}
        held = {name: number * factor for name, number in found.items() if number is not None}
        return Fields(held, self._blocks, key)

    def raw(self, key: str) -> Fields:
        """The block as it stands."""
        return self._blocks.inner(key) if key in self else Fields({})

    def _factor(self, key: str, block: Fields, units: Mapping[str, float]) -> float | None:
        unit = block.text("unit")
        factor = units.get((unit or "").lower())
        if factor is None:
            self._blocks.note(key, f"is in {unit!r}, a unit that is not known here: left out")
        return factor


def blocks_of(record: Fields) -> Blocks:
    """The blocks of a summary: at its top, or under `records` as the first releases wrote them."""
    inner = record.row.get("records")
    if isinstance(inner, dict):
        return Blocks(record.inner("records"))
    if isinstance(inner, list):
        return Blocks(Fields({tag: item for item in inner if (tag := _tag(item))}, record, "records"))
    return Blocks(record)


def is_block(value: Json) -> bool:
    return isinstance(value, dict) and "unit" in value


def _tag(item: Json) -> str | None:
    tag = item.get("tag") if isinstance(item, dict) else None
    return tag if isinstance(tag, str) else None
