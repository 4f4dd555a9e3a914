"""What happened during a run, request by request and slice by slice: immutable Parquet beside the snapshots.

A file holds one kind of one point and is named by its content. It is staged while results are read and takes its
place under the publishing lock, before the snapshot that names it, so that a crash leaves nothing half.
"""

import fcntl
import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, Literal, NamedTuple, TypeVar

import duckdb
import orjson
import polars as pl

from app.catalog.offload import TIERS
from app.store import files

FOLDER = "series"
FACT = "series"
"""The fact of a point that names its files, by kind."""
_STAGED = "staged-"
_LOCK = "lock"
_BATCH = 20_000
_ROW_GROUP = 100_000
_MOST = 2**62
"""Whole numbers beyond this are no counts and no times."""

Kind = Literal["requests", "timeline"]
_Frame = TypeVar("_Frame", pl.DataFrame, pl.LazyFrame)


class Request(NamedTuple):
    """One request. Instants are nanoseconds of one clock, latencies seconds; None where not recorded."""

    start_ns: int | None
    end_ns: int | None
    ttft_s: float | None
    itl_s: float | None
    e2el_s: float | None
    isl: int | None
    osl: int | None
    cached: int | None
    """Tokens of the prompt that a cache served, as the server answered."""
    conversation: str | None
    turn: int | None
    depth: int | None
    """0 for the agent itself, 1 and up for its sub-agents."""
    phase: str | None
    """`warmup`, `profiling`, `cooldown`, or None where the record tells no phases apart."""
    ok: bool
    error: str | None
    worker: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A stretch of time: gauges as means over it, tokens and requests as counts in it."""

    start_ns: int
    end_ns: int
    kv_usage: float | None = None
    running: float | None = None
    waiting: float | None = None
    in_flight: float | None = None
    """Requests under way as the client saw them."""
    requests: float | None = None
    ttft_50_s: float | None = None
    ttft_90_s: float | None = None
    itl_50_s: float | None = None
    itl_90_s: float | None = None
    prompt_tokens: float | None = None
    computed_tokens: float | None = None
    tiers: Mapping[str, float] = field(default_factory=dict)
    """Prompt tokens that each medium served, by its key."""


def tier_column(medium: str) -> str:
    return f"from_{medium}"


_PLAIN = [name for name in Slice.__slots__ if name not in ("start_ns", "end_ns", "tiers")]
_WHEN: dict[str, pl.DataType] = {"start_ns": pl.Int64(), "end_ns": pl.Int64()}
_KINDS: dict[str, pl.DataType] = {
    **dict.fromkeys(("isl", "osl", "cached", "turn", "depth"), pl.Int64()),
    **dict.fromkeys(("conversation", "phase", "error", "worker"), pl.String()),
    "ok": pl.Boolean(),
}
_SCHEMA: dict[Kind, dict[str, pl.DataType]] = {
    "requests": {name: (_WHEN | _KINDS).get(name, pl.Float64()) for name in Request._fields},
    "timeline": {**_WHEN, **dict.fromkeys([*_PLAIN, *(tier_column(tier.key) for tier in TIERS)], pl.Float64())},
}


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was staged: its name, and the instant that its seconds count from."""

    name: str
    zero_ns: int


class Staging:
    """Files of one call to ingest, out of everybody's sight. What was not published is gone with it."""

    def __init__(self, folder: Path) -> None:
        self._series = folder / FOLDER
        self._here: Path | None = None
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> "Staging":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._here is not None and self._lock is not None:
            shutil.rmtree(self._here, ignore_errors=True)
            self._lock.close()

    def requests(self, rows: Iterable[Request]) -> Written | None:
        """Writes requests in the order in which they come; None where there are none."""
        return self._write("requests", (_counted(row) for row in rows), None)

    def timeline(self, slices: Iterable[Slice], zero_ns: int | None) -> Written | None:
        """Writes slices of time. `zero_ns` is that of the requests they belong to, where there are any."""
        return self._write("timeline", (_flat(slice) for slice in slices), zero_ns)

    def settle(self, names: Iterable[str]) -> None:
        """Puts staged files in their place. To be called under the publishing lock, before they are pointed at."""
        if self._here is None:
            return
        for name in names:
            staged, place = self._here / name, self._series / name
            if staged.exists():
                files.sync_file(staged)
                staged.replace(place)
        files.sync_folder(self._series)

    def _write(self, kind: Kind, rows: Iterator[tuple[object, ...]], zero_ns: int | None) -> Written | None:
        """A few rows are written at once. Of many, a batch at a time goes to a part, and the parts into one file."""
        frame = _frame(kind, rows)
        if frame.is_empty():
            return None
        first, parts = _least(frame), list[Path]()
        if frame.height == _BATCH:
            while not frame.is_empty():
                first = min((at for at in (first, _least(frame)) if at is not None), default=None)
                parts.append(self._folder() / f"{kind}-{len(parts):05d}.part")
                frame.write_parquet(parts[-1])
                frame = _frame(kind, rows)
        zero = zero_ns if zero_ns is not None else first or 0
        whole = self._folder() / f"{kind}.whole"
        if parts:
            _shown(pl.scan_parquet(parts), kind, zero).sink_parquet(
                whole, row_group_size=_ROW_GROUP, maintain_order=True
            )
        else:
            _shown(frame, kind, zero).write_parquet(whole, row_group_size=_ROW_GROUP)
        for part in parts:
            part.unlink()
        name = f"{_digest(whole)}.parquet"
        whole.replace(self._folder() / name)
        return Written(name, zero)

    def _folder(self) -> Path:
        """A folder of this process alone, marked as used for as long as it lives."""
        if self._here is None:
            self._series.mkdir(parents=True, exist_ok=True)
            self._here = Path(tempfile.mkdtemp(prefix=_STAGED, dir=self._series))
            # It appears under its name only when it is held, so that a collection cannot take it for a leftover.
            self._lock = (self._here / "lock.new").open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            (self._here / "lock.new").rename(self._here / _LOCK)
        return self._here


def _frame(kind: Kind, rows: Iterator[tuple[object, ...]]) -> pl.DataFrame:
    """The next rows, a batch at most."""
    return pl.DataFrame(list(islice(rows, _BATCH)), schema=_SCHEMA[kind], orient="row")


def _least(frame: pl.DataFrame) -> int | None:
    least = frame["start_ns"].min()
    return least if isinstance(least, int) else None


def _shown(frame: _Frame, kind: Kind, zero: int) -> _Frame:
    """With seconds from the first request on rather than instants."""
    return frame.select(
        ((pl.col("start_ns") - zero) / 1e9).alias("start_s"),
        ((pl.col("end_ns") - zero) / 1e9).alias("end_s"),
        *(name for name in _SCHEMA[kind] if name not in _WHEN),
    )


def _counted(row: Request) -> tuple[object, ...]:
    return tuple(None if type(value) is int and abs(value) > _MOST else value for value in row)


def _flat(slice: Slice) -> tuple[object, ...]:
    return (
        slice.start_ns,
        slice.end_ns,
        *(getattr(slice, name) for name in _PLAIN),
        *(slice.tiers.get(tier.key) for tier in TIERS),
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def series_of(facts: Mapping[str, object]) -> dict[str, str]:
    """The names of a point's files by kind, from its facts."""
    named = facts.get(FACT)
    return {str(kind): str(name) for kind, name in named.items()} if isinstance(named, dict) else {}


@dataclass(frozen=True, slots=True)
class Collected:
    """What a collection dropped and kept, in files, and the bytes that it freed."""

    dropped: int
    kept: int
    freed: int


def collect(folder: Path) -> Collected:
    """Removes series that no snapshot refers to, and what a crash left behind. Raises StoreError."""
    if not (folder / FOLDER).is_dir():
        return Collected(0, 0, 0)
    with files.publisher(folder, wait=True, on_wait=None):
        used = _used(folder)
        dropped = kept = freed = 0
        for path in sorted((folder / FOLDER).iterdir()):
            if path.is_dir() and path.name.startswith(_STAGED):
                freed += _clear(path)
            elif path.suffix == ".parquet" and path.name in used:
                kept += 1
            elif path.suffix == ".parquet":
                freed += path.stat().st_size
                path.unlink()
                dropped += 1
    return Collected(dropped, kept, freed)


def _used(folder: Path) -> set[str]:
    """Names in the snapshot files. The live one holds the rows of every snapshot; others may still be read."""
    used: set[str] = set()
    for path in folder.glob("snap-*.duckdb"):
        connection = files.connect(path, read_only=True)
        try:
            found = connection.execute("SELECT detail FROM points WHERE contains(detail, ?)", [f'"{FACT}"'])
            while rows := found.fetchmany(1000):
                for (detail,) in rows:
                    used.update(series_of(orjson.loads(detail).get("facts") or {}).values())
        except duckdb.Error as error:
            raise files.StoreError(f"{path.name} cannot be read: {str(error).splitlines()[0]}") from error
        finally:
            connection.close()
    return used


def _clear(staged: Path) -> int:
    """Removes a folder that no process uses any more; how many bytes it held."""
    if not (staged / _LOCK).exists():
        return 0
    with (staged / _LOCK).open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 0
        size = sum(path.stat().st_size for path in staged.iterdir())
        shutil.rmtree(staged, ignore_errors=True)
    return size
