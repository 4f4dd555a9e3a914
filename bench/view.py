"""A view computed fresh at 2,000 to 1,000,000 points, against one scan of its columns and a numpy frontier."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from app.figures.pareto import figure_of
from app.question import Question, ask
from app.series import chart
from app.store import files
from app.store.read import Store
from app.view import View
from bench.measure import Ratio, best
from bench.points import Made, store_of

SIZES = ((2_000, 50.0), (100_000, None), (1_000_000, 300.0))
"""Points, and the milliseconds in which their view should be there."""


def run() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory(prefix="halo-bench-") as scratch:
        for count, wanted in SIZES:
            yield from _at(store_of(Path(scratch) / str(count), count), wanted)


def _at(made: Made, wanted: float | None) -> Iterator[Ratio]:
    def fresh() -> bytes:
        """What a reader waits for when nobody asked before: a snapshot newly opened, one view of it, as bytes."""
        snapshot = Store(made.folder).snapshot()
        return orjson.dumps(figure_of(chart(ask(View(), snapshot))).document())

    snapshot = Store(made.folder).snapshot()

    def another() -> bytes:
        """Another view of a snapshot that is open."""
        return orjson.dumps(figure_of(chart(ask(View(), snapshot))).document())

    question = ask(View(), snapshot)
    placed = chart(question)
    if len(placed.row) != made.points:
        raise RuntimeError(f"{len(placed.row)} points placed of {made.points}")
    floor_s = _floor(made, question)
    name = f"view, {made.points:,} points"
    parts = {
        "ask": best(lambda: ask(View(), snapshot)),
        "chart": best(lambda: chart(question)),
        "figure": best(lambda: figure_of(placed)),
    }
    split = ", ".join(f"{part} {seconds * 1e3:.0f} ms" for part, seconds in parts.items())
    view_s = best(another)
    yield Ratio(
        name=f"{name}, against its floor",
        value=view_s * 1e3,
        limit=floor_s * 1e3,
        unit="ms",
        limit_name="one scan of the columns, a frontier of presorted arrays",
        note=split,
    )
    if wanted is not None:
        yield Ratio(name=name, value=view_s * 1e3, limit=wanted, unit="ms", limit_name="the wish", wanted=1)
    yield Ratio(
        name=f"{name}, snapshot opened anew",
        value=best(fresh) * 1e3,
        limit=floor_s * 1e3,
        unit="ms",
        limit_name="the same floor, on a connection that is open",
    )
    if made.points == made.published:
        yield _publication(made)


def _floor(made: Made, question: Question) -> float:
    """Seconds of one scan of what a chart is made of, and of the frontier of arrays that are sorted already."""
    live = files.live_file(made.folder)
    if live is None:
        raise RuntimeError("nothing was published")
    with files.connect(live, read_only=True) as connection:
        sql = f"""SELECT row, "{question.x.key}" AS x, "{question.y.key}" AS y,
                chip, engine, precision, spec, offload_kind
            FROM points WHERE until IS NULL AND newest_rank = 1"""
        arrays = """SELECT row, "{x}" AS x, "{y}" AS y FROM points WHERE until IS NULL AND newest_rank = 1
            ORDER BY hash(chip, engine, precision, spec), "{x}" DESC, "{y}" DESC"""
        ready = connection.execute(arrays.format(x=question.x.key, y=question.y.key)).fetchnumpy()
        scan = best(lambda: connection.execute(_coded(sql)).fetchnumpy())
    y: NDArray[np.float64] = np.asarray(ready["y"], dtype=np.float64)
    return scan + best(lambda: y >= np.maximum.accumulate(y))


def _coded(sql: str) -> str:
    """Words leave the database as numbers, as fast as it can give them."""
    words = "hash(chip, engine, precision, spec) AS series"
    return f"SELECT row, x, y, {words}, offload_kind = 'kv' AS halo FROM ({sql})"


def _publication(made: Made) -> Ratio:
    """Each publish writes the store anew: known cost, held against a copy of the file it ends in."""
    live = files.live_file(made.folder)
    data = live.read_bytes() if live else b""
    copy = made.folder / "copy.tmp"

    def copied() -> None:
        copy.write_bytes(data)
        files.sync_file(copy)

    copy_s = best(copied, times=3)
    copy.unlink()
    return Ratio(
        name=f"publish of {made.published:,} new points",
        value=made.publish_s,
        limit=copy_s,
        unit="s",
        limit_name=f"writing the {len(data) / 1e6:.0f} MB of the finished file once, with fsync",
        note=f"{made.published / made.publish_s:,.0f} points/s",
    )
