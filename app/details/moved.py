"""What offload moved, read off the counters that a point keeps: one flow a direction and memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.catalog.offload import TIERS
from app.catalog.transfers import CONNECTOR, WAITS, Way, counter_of


@dataclass(slots=True, kw_only=True)
class Flow:
    """Sums of one direction and memory. `names` are the counters behind them, `notes` what they include."""

    way: Way
    medium: str
    bytes: float | None = None
    seconds: float | None = None
    operations: float | None = None
    tokens: float | None = None
    names: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """Time beside the transfers: seconds, and how many times."""

    key: str
    label: str
    seconds: float
    times: float | None
    names: tuple[str, ...]


def flows_of(counters: Mapping[str, float], below: Sequence[str]) -> tuple[Flow, ...]:
    """Loads before stores, fastest memory first. What a counter does not place belongs to the only tier there is."""
    found: dict[tuple[Way, str], Flow] = {}
    for name, value in counters.items():
        counter = counter_of(name)
        if counter is None or value < 0:
            continue
        medium = below[0] if counter.medium == CONNECTOR and len(below) == 1 else counter.medium
        flow = found.setdefault((counter.way, medium), Flow(way=counter.way, medium=medium))
        setattr(flow, counter.quantity, (getattr(flow, counter.quantity) or 0.0) + value)
        flow.names.append(name)
        if counter.note and counter.note not in flow.notes:
            flow.notes.append(counter.note)
    return tuple(sorted(found.values(), key=lambda flow: (flow.way, TIERS.order(flow.medium))))


def waits_of(counters: Mapping[str, float]) -> tuple[Waited, ...]:
    found = []
    for wait in WAITS:
        name = next((name for name in wait.names if name in counters), None)
        if name is not None:
            count = next((name for name in wait.count if name in counters), None)
            found.append(
                Waited(
                    key=wait.key,
                    label=wait.label,
                    seconds=counters[name],
                    times=counters[count] if count else None,
                    names=(name, *([count] if count else ())),
                )
            )
    return tuple(found)
