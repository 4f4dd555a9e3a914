"""Live points that state the same as points on their way in, at the same model, load and offload."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.catalog.metrics import CONCURRENCY, TOTAL_TPUT
from app.catalog.origins import DEFAULT_ORIGIN
from app.store import files


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to look for: the throughput is tokens/s."""

    model: str
    concurrency: float | None
    offload_mode: str
    total_tput: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """A live point like the one asked for at place `at`. `figures` are those asked for, None where it lacks one."""

    at: int
    chip: str | None
    workload: str | None
    place: str
    figures: tuple[float | None, ...]


def alike(folder: Path, wanted: Sequence[Wanted], figures: Sequence[str], *, within: float) -> list[Alike]:
    """Measured live points whose throughput is `within` that fraction of one wanted, in row order. No writing."""
    path = files.live_file(folder) if wanted and folder.is_dir() else None
    if path is None:
        return []
    columns = ", ".join(f'p."{key}"' for key in figures)
    connection = files.connect(path, read_only=True)
    try:
        rows = connection.execute(
            f"""SELECT w.at, p.chip, p.workload, (SELECT min(place) FROM places WHERE row = p.row), {columns}
            FROM (SELECT unnest(?::INTEGER[]) AS at, unnest(?::VARCHAR[]) AS model, unnest(?::DOUBLE[]) AS load,
                    unnest(?::VARCHAR[]) AS mode, unnest(?::DOUBLE[]) AS total) AS w
            JOIN points AS p ON p.model = w.model AND p.offload_mode = w.mode
            WHERE p.until IS NULL AND p.origin = '{DEFAULT_ORIGIN}' AND p."{CONCURRENCY}" IS NOT DISTINCT FROM w.load
                AND abs(p."{TOTAL_TPUT}" - w.total) <= ? * w.total
            ORDER BY w.at, p.row""",
            [
                list(range(len(wanted))),
                [one.model for one in wanted],
                [one.concurrency for one in wanted],
                [one.offload_mode for one in wanted],
                [one.total_tput for one in wanted],
                within,
            ],
        ).fetchall()
    finally:
        connection.close()
    return [
        Alike(at=at, chip=chip, workload=workload, place=place, figures=tuple(values))
        for at, chip, workload, place, *values in rows
    ]
