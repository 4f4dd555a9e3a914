"""Megabytes a second that `ingest` reads, against parsing the same bytes with the fastest parser that can read them.

Reading (open, recognise, parse, check, make points) and publishing (judge, write the snapshot) are told apart, since
the second is paid for rows, not for bytes.
"""

import json
import math
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from bench.measure import Ratio, best
from bench.rows import rows, text
from ingest.pipeline import ingest

ROWS = 20_000
FILES = 5_000
_NAN = 2_000
WANTED = 0.5


@dataclass
class _Clock:
    """Notes when reading ended and publishing began."""

    begun: float = 0.0
    read: float = 0.0
    notes: list[str] = field(default_factory=list)

    def begin(self, files: int, size: int) -> None:
        self.begun = time.perf_counter()

    def at(self, place: str) -> None:
        pass

    def done(self, size: int) -> None:
        pass

    def publishing(self) -> None:
        self.read = time.perf_counter()

    def waiting(self, text: str) -> None:
        self.notes.append(text)


def run() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory(prefix="halo-bench-") as scratch:
        folder = Path(scratch)
        made = list(rows(ROWS))

        array = folder / "array" / "agg_bmk.json"
        array.parent.mkdir()
        array.write_bytes(text(made))
        yield from _of(f"one array of {ROWS:,} rows", array.parent, ROWS, orjson.loads, "orjson")

        many = folder / "many"
        many.mkdir()
        for number, row in enumerate(made[:FILES]):
            (many / f"agg_{number:05d}.json").write_bytes(text(row))
        yield from _of(f"a folder of {FILES:,} files", many, FILES, orjson.loads, "open + orjson")

        flawed = folder / "flawed" / "agg_bmk.json"
        flawed.parent.mkdir()
        for row in made[:_NAN]:
            row["std_note"] = math.nan
        flawed.write_bytes(text(made[:_NAN]))
        yield from _of(f"an array of {_NAN:,} rows with NaN", flawed.parent, _NAN, json.loads, "json of Python")


def _of(name: str, folder: Path, count: int, parse: Callable[[bytes], Any], parser: str) -> Iterator[Ratio]:
    paths = sorted(folder.iterdir())
    size = sum(path.stat().st_size for path in paths) / 1e6

    def parsed() -> None:
        for path in paths:
            parse(path.read_bytes())

    limit = size / best(parsed, times=3)
    clock = _Clock()
    report = ingest([folder], folder.parent / f"db-{folder.name}", progress=clock)
    ended = time.perf_counter()
    points = sum(file.points for file in report.files)
    if points != count:
        raise RuntimeError(f"{points} points out of {count} rows")
    yield Ratio(
        name=f"ingest, {name}: reading",
        value=size / (clock.read - clock.begun),
        limit=limit,
        unit="MB/s",
        limit_name=f"{parser}, {size:.0f} MB",
        wanted=WANTED,
        side="at least",
        note=f"{count / (clock.read - clock.begun):,.0f} rows/s",
    )
    yield Ratio(
        name=f"ingest, {name}: with publishing",
        value=size / (ended - clock.begun),
        limit=limit,
        unit="MB/s",
        limit_name=parser,
        side="at least",
        note=f"publishing {ended - clock.read:.1f} s, {count / (ended - clock.read):,.0f} rows/s",
    )
