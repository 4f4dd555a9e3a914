"""Megabytes a second that `ingest` reads, against parsing the same bytes with the fastest parser that can read them.

Reading (open, recognise, parse, check, make points) and publishing (judge, write the snapshot) are told apart, since
the second is paid for rows, not for bytes.
"""

import json
import math
import random
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
RUNS, RUN_REQUESTS = 200, 500
RECORDS = 100_000
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

        yield from _of(f"{RUNS} AIPerf directories", _runs(folder / "runs"), RUNS, _lines, "open + orjson by lines")
        records = folder / "records"
        records.mkdir()
        (records / "profile_export.jsonl").write_bytes(b"".join(_records(RECORDS)))
        yield from _of(f"a file of {RECORDS:,} requests", records, 1, _lines, "orjson by lines")


def _lines(data: bytes) -> None:
    """Every line of records, or the object of a summary."""
    for line in data.split(b"\n") if b'"request_start_ns"' in data[:4096] else [data]:
        if line.strip():
            orjson.loads(line)


def _runs(folder: Path) -> Path:
    """Directories as AIPerf leaves them: a summary, and the requests it sums up."""
    for number in range(RUNS):
        run = folder / f"run_conc{number % 10 + 1}_{number:03d}"
        run.mkdir(parents=True)
        lines = list(_records(RUN_REQUESTS, seed=number))
        (run / "profile_export.jsonl").write_bytes(b"".join(lines))
        (run / "profile_export_aiperf.json").write_bytes(orjson.dumps(_summary(number)))
    return folder


def _summary(number: int) -> dict[str, Any]:
    def block(unit: str, mean: float) -> dict[str, Any]:
        shape = {"p50": 0.9, "p75": 1.1, "p90": 1.4, "p95": 1.7, "p99": 2.2}
        return {"unit": unit, "avg": mean, **{name: mean * factor for name, factor in shape.items()}}

    rate = 1000.0 + number
    return {
        "schema_version": "1.1",
        "aiperf_version": "0.8.0",
        "input_config": {"endpoint": {"model_names": ["deepseek-ai/DeepSeek-R1-0528"]}, "loadgen": {"concurrency": 8}},
        "request_count": {"unit": "requests", "avg": RUN_REQUESTS},
        "total_token_throughput": {"unit": "tokens/sec", "avg": 2 * rate},
        "output_token_throughput": {"unit": "tokens/sec", "avg": rate},
        "benchmark_duration": {"unit": "sec", "avg": 60.0},
        "time_to_first_token": block("ms", 250.0),
        "inter_token_latency": block("ms", 20.0),
        "request_latency": block("ms", 2300.0),
        "was_cancelled": False,
    }


def _records(count: int, seed: int = 1) -> Iterator[bytes]:
    rnd = random.Random(seed)
    for number in range(count):
        start = 1_790_000_000_000_000_000 + number * 10_000_000
        seconds, tokens = 1 + 2 * rnd.random(), rnd.randint(20, 400)
        values = {
            "time_to_first_token": (250 * rnd.random() + 50, "ms"),
            "inter_token_latency": (20 * rnd.random() + 5, "ms"),
            "request_latency": (1000 * seconds, "ms"),
            "input_sequence_length": (rnd.randint(100, 9000), "tokens"),
            "output_sequence_length": (tokens, "tokens"),
        }
        record = {
            "metadata": {
                "session_num": number,
                "conversation_id": f"talk-{number // 8}",
                "turn_index": number % 8,
                "request_start_ns": start,
                "request_end_ns": start + round(seconds * 1e9),
                "worker_id": f"worker_{number % 4}",
                "benchmark_phase": "profiling",
                "was_cancelled": False,
            },
            "metrics": {name: {"value": value, "unit": unit} for name, (value, unit) in values.items()},
            "error": None,
        }
        yield orjson.dumps(record) + b"\n"


def _of(name: str, folder: Path, count: int, parse: Callable[[bytes], Any], parser: str) -> Iterator[Ratio]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
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
    reading = clock.read - clock.begun
    yield Ratio(
        name=f"ingest, {name}: reading",
        value=size / reading,
        limit=limit,
        unit="MB/s",
        limit_name=f"{parser}, {size:.0f} MB",
        wanted=WANTED,
        side="at least",
        note=f"{len(paths) / reading:,.0f} files/s, {count / reading:,.0f} rows/s",
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
