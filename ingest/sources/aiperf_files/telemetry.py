"""GPU telemetry that AIPerf collected: which boards took part, each counted once, and what power they drew."""

from dataclasses import dataclass, field

from app.catalog.chips import CHIPS
from app.catalog.metrics import POWER_PER_CHIP_W
from app.catalog.point import Json
from ingest.sources.aiperf_files.blocks import POWERS, Blocks
from ingest.sources.fields import Fields

FLAG = "chips_from_telemetry"


@dataclass(frozen=True, slots=True)
class Telemetry:
    """The boards of a run, as far as their sensors reported them."""

    chip: str | None = None
    chip_count: int | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    facts: dict[str, Json] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def telemetry(data: Fields) -> Telemetry:
    """Reads `telemetry_data`. One board may answer under several addresses, so boards are told by their UUID.

    Boards that stood idle, as the other half of a server does, are named among the facts and not counted.
    """
    boards: dict[str, Fields] = {}
    endpoints = data.inner("endpoints")
    for address in endpoints.row:
        gpus = endpoints.inner(address).inner("gpus")
        for name in gpus.row:
            gpu = gpus.inner(name)
            boards.setdefault(gpu.text("gpu_uuid") or f"{address} {name}", gpu)
    if not boards:
        return Telemetry()
    busy = [gpu for gpu in boards.values() if _busy(gpu)]
    names = sorted({said for gpu in busy if (said := gpu.text("gpu_name"))})
    chips = {CHIPS.key_of(name) for name in names}
    watts = [power for gpu in busy if (power := _watts(gpu)) is not None]
    return Telemetry(
        chip=chips.pop() if len(chips) == 1 else None,
        chip_count=len(busy) or None,
        metrics={POWER_PER_CHIP_W: sum(watts) / len(watts)} if watts and len(watts) == len(busy) else {},
        facts={"boards": len(boards), "busy_boards": len(busy), "board_names": names},
        flags=(FLAG,) if busy else (),
    )


def _busy(gpu: Fields) -> bool:
    """Whether a board worked during the run. One whose load is not reported is taken to have."""
    load = gpu.inner("metrics").inner("gpu_utilization")
    peak = load.number("max") if "max" in load else load.number("avg")
    return peak is None or peak > 0


def _watts(gpu: Fields) -> float | None:
    return Blocks(gpu.inner("metrics")).value("gpu_power_usage", POWERS)
