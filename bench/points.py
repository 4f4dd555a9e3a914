"""A store of any size: points made by rule, published by the store, and beyond 100,000 copied within the database."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.catalog.metrics import TOTAL_TPUT, TOTAL_TPUT_PER_CHIP, TTFT_MEAN_S, derive, ttft
from app.catalog.offload import Offload, kv_tiers
from app.catalog.point import Cache, Layout, Point, Role, TierShare
from app.store import files
from app.store.publish import publish
from app.store.rows import Arrival
from app.store.schema import POINT_COLUMNS
from bench.measure import timed
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT_PER_CHIP
from ingest.tiers import share_metrics

WORKLOAD = "agentic:bench"
MODEL = "dsr1"
_CHIPS = ("b200", "h100", "h200", "mi355x")
_ENGINES = ("vllm", "sglang")
_PUBLISHED = 100_000
"""So many points are published as points; larger stores repeat them with other numbers, inside the database."""


@dataclass(frozen=True, slots=True)
class Made:
    """A store, how many points it holds, and how long their publication took: of the first 100,000 at most."""

    folder: Path
    points: int
    published: int
    publish_s: float


def points(count: int, seed: int = 1) -> Iterator[Point]:
    """Points of one model on one workload: 16 series, half of the points with KV offload."""
    rnd = random.Random(seed)
    for number in range(count):
        chip = _CHIPS[number % len(_CHIPS)]
        engine = _ENGINES[number // len(_CHIPS) % len(_ENGINES)]
        precision = ("fp4", "fp8")[number // 8 % 2]
        yield _point(rnd, number, chip, engine, precision, offloaded=number // 16 % 2 == 1)


def _point(rnd: random.Random, number: int, chip: str, engine: str, precision: str, *, offloaded: bool) -> Point:
    pace = 8 + 180 * rnd.random()
    total = 9000 / (1 + pace / 45) * (0.55 + 0.45 * rnd.random())
    metrics = {
        TPUT_PER_CHIP["total"]: total,
        TPUT_PER_CHIP["output"]: total * 0.02,
        TPUT_PER_CHIP["input"]: total * 0.98,
    }
    metrics[TOTAL_TPUT] = metrics[TOTAL_TPUT_PER_CHIP] * 8
    for statistic, slow in (("mean", 1.0), ("p50", 0.95), ("p90", 1.3), ("p99", 2.0)):
        metrics[INTERACTIVITY[statistic]] = pace / slow
        metrics[LATENCY["itl"][statistic]] = slow / pace
        metrics[ttft(statistic)] = slow * (0.2 + rnd.random())
    metrics[TTFT_MEAN_S] = ttft_mean = 0.2 + rnd.random()
    hbm = 0.4 + 0.3 * rnd.random()
    dram = 0.2 * rnd.random() if offloaded else 0.0
    cache = Cache(
        prompt_tokens=1_000_000,
        tiers=tuple(
            TierShare(medium=medium, tokens=int(share * 1e6), share=share, provenance="engine counter")
            for medium, share in (("hbm", hbm), ("host_dram", dram))
            if share
        ),
        cached_share=hbm + dram,
        computed_share=1 - hbm - dram,
    )
    metrics |= share_metrics(cache)
    kv = Offload(
        mode="on",
        kinds=("kv",),
        use="prefix_reuse",
        backend="lmcache",
        backend_raw="lmcache",
        tiers=kv_tiers("lmcache", ["host_dram"]),
        evidence="field",
    )
    return Point(
        model=MODEL,
        chip=chip,
        chip_count=8,
        layout=Layout(whole=Role(chip=chip, chips=8, tp=8, ep=8), disaggregated=False, multinode=False),
        engine=engine,
        orchestrator="none",
        engine_version=f"0.{10 + number // 32 % 5}.1",
        precision=precision,
        spec="none",
        offload=kv if offloaded else Offload(mode="off", evidence="field"),
        workload=WORKLOAD,
        concurrency=float(number // 160 + 1),
        run_time="2026-10-01T12:00:00Z",
        dialect="bench",
        metrics=derive(metrics),
        interactivity_def="1/itl",
        cache=cache,
        raw={"number": number, "pace": pace, "total": total, "ttft": ttft_mean},
    )


def store_of(folder: Path, count: int) -> Made:
    """A store of `count` points in `folder`."""
    first = min(count, _PUBLISHED)
    arrivals = [
        Arrival(
            point=point,
            run=f"run-{number % 4}",
            run_label=f"run {number % 4}",
            place="bench.json",
            where=f"row {number + 1}",
            source="bench",
            reader="bench/1",
            supplied={},
        )
        for number, point in enumerate(points(first))
    ]
    spent, _ = timed(lambda: publish(folder, arrivals))
    if count > first:
        _multiply(folder, math.ceil(count / first))
    return Made(folder, count, first, spent)


def _multiply(folder: Path, times: int) -> None:
    """Repeats every row with an address of its own and other numbers. Nobody is served from this file yet."""
    live = files.live_file(folder)
    if live is None:
        raise RuntimeError("nothing was published")
    moved = {
        "row": "row + copy * (SELECT max(row) FROM points)",
        "id": "id || copy",
        "identity": "identity || copy",
        "raw_key": "raw_key || copy",
    }
    moved |= {
        column.name: f'"{column.name}" * (0.7 + 0.3 * abs(hash(row * 31 + copy) % 1000003) / 1000003)'
        for column in POINT_COLUMNS
        if column.type == "DOUBLE" and column.name != "concurrency"
    }
    taken = ", ".join(f'{moved[c.name]} AS "{c.name}"' if c.name in moved else f'"{c.name}"' for c in POINT_COLUMNS)
    connection = files.connect(live, read_only=False)
    try:
        connection.execute(f"INSERT INTO points SELECT {taken} FROM points, (SELECT unnest(range(1, {times})) AS copy)")
        connection.execute("CHECKPOINT")
    finally:
        connection.close()
