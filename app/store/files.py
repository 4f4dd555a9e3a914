"""Which database file is live, and how a new one takes its place.

DuckDB keeps one open database per path within a process, so a file that is overwritten goes on
answering with its old rows. Each snapshot therefore gets a name of its own, and `CURRENT` names the
live one; it is replaced in one step, so a crash at any instant leaves the former snapshot served.
"""

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb

POINTER = "CURRENT"
LOCK = "publish.lock"
SNAPSHOTS = "snap-*.duckdb"
SETTINGS = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
"""DuckDB must never look for extensions on the network."""

KEEP = 2
"""Snapshot files kept: the live one, and the one that readers may be about to leave."""


class StoreError(Exception):
    """The store cannot be used; the message says why and what to do."""


class StoreBusy(StoreError):
    """Another process is publishing."""


def pointer_text(folder: Path) -> str | None:
    """Name of the live snapshot file, or None where nothing was published yet. Raises StoreError.

    Where the pointer was lost, or a crash came before the first was written, the newest snapshot is live:
    a file gets its name when it is whole, and a store that took itself for empty would sweep it away.
    """
    try:
        name = (folder / POINTER).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        name = ""
    except (NotADirectoryError, UnicodeDecodeError) as error:
        what = "not a folder" if isinstance(error, NotADirectoryError) else f"damaged: its {POINTER} is not text"
        raise StoreError(f"the store {folder.name} is {what}") from error
    return name or max((path.name for path in folder.glob(SNAPSHOTS)), default=None)


def live_file(folder: Path) -> Path | None:
    name = pointer_text(folder)
    return folder / name if name else None


def point_at(folder: Path, name: str) -> None:
    """Makes `name` the live snapshot, durably and in one step."""
    staged = folder / f"{POINTER}.tmp"
    with staged.open("w", encoding="utf-8") as handle:
        handle.write(name + "\n")
        handle.flush()
        os.fsync(handle.fileno())
    staged.replace(folder / POINTER)
    sync_folder(folder)


def sync_file(path: Path) -> None:
    with path.open("rb") as handle:
        os.fsync(handle.fileno())


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep(folder: Path) -> None:
    """Removes what a crash left, and snapshot files whose rows the live one holds too."""
    live = pointer_text(folder)
    for leftover in (*folder.glob("*.tmp"), *folder.glob("*.tmp.wal"), *folder.glob("arrivals-*.parquet")):
        leftover.unlink(missing_ok=True)
    snapshots = sorted(folder.glob(SNAPSHOTS), key=lambda path: path.name)
    if live is not None:
        for path in [path for path in snapshots if path.name < live][: -(KEEP - 1) or None]:
            path.unlink(missing_ok=True)
        for path in (path for path in snapshots if path.name > live):
            path.unlink(missing_ok=True)


def connect(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    try:
        return duckdb.connect(str(path), read_only=read_only, config=dict(SETTINGS))
    except duckdb.Error as error:
        said = str(error).splitlines()[0].replace(str(path), path.name)
        raise StoreError(f"{path.name} cannot be opened: {said}") from error


@contextlib.contextmanager
def publisher(folder: Path, *, wait: bool, on_wait: Callable[[str], None] | None) -> Iterator[None]:
    """Holds the publishing lock. Waits for another holder after naming it, or raises StoreBusy."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a+", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.seek(0)
            holder = handle.read().strip() or "another process"
            if not wait:
                raise StoreBusy(f"{holder} is publishing to this store; try again when it is done") from None
            if on_wait is not None:
                on_wait(f"{holder} is publishing to this store; waiting for it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        handle.seek(0)
        handle.truncate()
        handle.write(f"process {os.getpid()}")
        handle.flush()
        yield
