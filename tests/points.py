"""Points made by hand, for tests that need a store."""

from pathlib import Path
from typing import Any

from app.catalog.offload import Offload, kv_tiers
from app.catalog.point import Cache, Layout, Point, Role, TierShare
from app.store.publish import Published, publish
from app.store.rows import Arrival, Rejection

MODEL = "dsr1"
CHIP = "b200"


def point(
    concurrency: float = 8,
    *,
    x: float | None = 40.0,
    y: float | None = 900.0,
    offload: Offload | None = None,
    cache: Cache | None = None,
    raw: Any = None,
    metrics: dict[str, float] | None = None,
    **changes: Any,
) -> Point:
    """A point at `x` tok/s/user and `y` tok/s/chip, at every percentile; other fields as given."""
    values: dict[str, float] = dict(metrics or {})
    if x is not None:
        values |= {f"interactivity_{s}": x for s in ("mean", "p50", "p90")}
    if y is not None:
        values |= {"total_tput_per_chip": y, "total_tput": y * 8, "ttft_mean_s": 0.5}
    fields: dict[str, Any] = {
        "model": MODEL,
        "chip": CHIP,
        "chip_count": 8,
        "layout": Layout(whole=Role(chip=CHIP, chips=8, tp=8), disaggregated=False, multinode=False),
        "engine": "vllm",
        "orchestrator": "none",
        "precision": "fp4",
        "spec": "none",
        "workload": "1k/1k",
        "dialect": "by-hand",
        "interactivity_def": "1/tpot",
        "metrics": values,
        "offload": offload or Offload(mode="off", evidence="field"),
        "cache": cache or Cache(),
        "concurrency": concurrency,
        **changes,
    }
    record = {"concurrency": concurrency, "x": x, "y": y, "offload": fields["offload"].label, "own": raw}
    record |= {name: value for name, value in changes.items() if isinstance(value, str | int | float | bool)}
    return Point(raw=record, **fields)


def kv(backend: str = "lmcache", version: str | None = "0.5.3", media: tuple[str, ...] = ("host_dram",)) -> Offload:
    return Offload(
        mode="on",
        kinds=("kv",),
        use="prefix_reuse",
        backend=backend,
        backend_raw=backend,
        backend_version=version,
        tiers=kv_tiers(backend, media),
        evidence="field",
    )


def shares(**tokens: int) -> Cache:
    """A cache observation over 1,000 prompt tokens, from the tokens each medium served."""
    tiers = tuple(
        TierShare(medium=medium, tokens=count, share=count / 1000, provenance="engine counter")
        for medium, count in tokens.items()
    )
    cached = sum(tokens.values()) / 1000
    return Cache(prompt_tokens=1000, tiers=tiers, cached_share=cached, computed_share=1 - cached)


def arrival(of: Point, *, run: str = "run-a", place: str = "a.json", where: str = "file", **changes: Any) -> Arrival:
    fields: dict[str, Any] = {
        "run": run,
        "run_label": run,
        "place": place,
        "where": where,
        "source": "by-hand",
        "reader": "by-hand/1",
        "supplied": {},
        **changes,
    }
    return Arrival(point=of, **fields)


def stored(folder: Path, *points: Point, run: str = "run-a", rejections: tuple[Rejection, ...] = ()) -> Published:
    return publish(folder, [arrival(p, run=run, where=f"row {i}") for i, p in enumerate(points, 1)], rejections)
