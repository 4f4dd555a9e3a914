"""Files read by several processes at once. Their order, and what is said of them, is as if one had read them all.

A process that dies, of memory or in a library, costs the file it was reading: what was in its hands is read
again, one file at a time, until the culprit is found.
"""

import gc
import multiprocessing
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path

from ingest.completing import Sources
from ingest.documents import opened
from ingest.found import Entry, Problem
from ingest.taking import Taken, take

MOST = 8
"""Processes at most: more of them wait for the one that collects."""
PATIENCE = 1.5
"""Seconds that one process reads alone: most calls are done by then, and others take a second to start."""
_WORTH_IT = 4
"""Others are started for what will take this many times as long again."""
_PER_FILE = 4 << 10
"""Bytes that could be read in the time it takes to open a file."""
_CHUNK = 1 << 20
_FILES = 64
_LARGE = 64 << 20
"""A file of this size is read by the calling process, so that no two such are in memory at once."""
_DIED = (
    "the process that read it ended without a word, as it does when memory runs out: read it on its own, or split it"
)

Found = Entry | Problem
_Future = Future[list[list[Taken]]]
_MARKS = ("__spec__", "__file__")
"""By these a new process finds the script that its caller runs."""
_sources: Sources = ()
_shelf = Path()


class NoWorkers(Exception):
    """Processes cannot be started here; one process can do all of it."""


def read_all(
    entries: Sequence[Found],
    sources: Sources,
    shelf: Path,
    done: Callable[[Found], None],
    *,
    patience: float = PATIENCE,
    workers: int | None = None,
) -> list[Taken]:
    """Everything that the entries hold, in their order. `done` hears of each entry that was read.

    One process begins. Others join when `patience` seconds have shown that much is left to do.
    """
    count = _cores() if workers is None else workers
    taken: list[Taken] = []
    pace = _Pace(entries, patience)
    for at, entry in enumerate(entries):
        if count > 1 and pace.is_long(at):
            try:
                return taken + _Reading(entries[at:], sources, shelf, done, count).all()
            except NoWorkers:
                count = 1
        taken += _read(entry, sources, shelf)
        done(entry)
    return taken


class _Pace:
    """Tells from the time that files took how long the others will take."""

    def __init__(self, entries: Sequence[Found], patience: float) -> None:
        self._sizes = [_size(entry) + _PER_FILE for entry in entries]
        self._patience = patience
        self._begun = time.monotonic()
        self._read = 0
        self._total = sum(self._sizes)

    def is_long(self, at: int) -> bool:
        """Whether several processes are worth starting before entry number `at`."""
        elapsed = time.monotonic() - self._begun
        if elapsed < self._patience or not at:
            self._read += self._sizes[at]
            return not self._patience
        read, self._read = self._read, self._read + self._sizes[at]
        return elapsed * (self._total - read) / read > _WORTH_IT * self._patience


def _cores() -> int:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(count, MOST)


def _size(entry: Found) -> int:
    return 0 if isinstance(entry, Problem) else entry.size


def _read(entry: Found, sources: Sources, shelf: Path) -> list[Taken]:
    return [take(part, sources, shelf) for part in opened(entry)]


def _start(sources: Sources, shelf: Path) -> None:
    """Runs first in each process."""
    global _sources, _shelf
    _sources, _shelf = sources, shelf
    gc.disable()  # as in the process that collects


def _ready() -> bool:
    return True


def _read_there(entries: Sequence[Found]) -> list[list[Taken]]:
    """Runs in each process, for each of its chunks."""
    return [_read(entry, _sources, _shelf) for entry in entries]


@contextmanager
def _unmarked_main() -> Iterator[None]:
    """Processes that start in here do not run the caller's script once more, as they do to find what it defines.

    Nothing that is handed to them is from there, and a script without a guard would begin all over in each.
    """
    main = sys.modules["__main__"]
    kept = {name: getattr(main, name) for name in _MARKS if hasattr(main, name)}
    try:
        for name in kept:
            setattr(main, name, None)
        yield
    finally:
        for name, value in kept.items():
            setattr(main, name, value)


class _Reading:
    """One call's files on their way through the processes."""

    def __init__(
        self, entries: Sequence[Found], sources: Sources, shelf: Path, done: Callable[[Found], None], count: int
    ) -> None:
        self._entries, self._sources, self._shelf, self._done, self._count = entries, sources, shelf, done, count
        self._taken: dict[int, list[Taken]] = {}

    def all(self) -> list[Taken]:
        large = deque(at for at, entry in enumerate(self._entries) if _size(entry) >= _LARGE)
        waiting = deque(self._chunks(set(large)))
        while waiting:
            self._alone(self._until_one_dies(waiting, large))
        for at in large:
            self._here(at)
        return [taken for at in range(len(self._entries)) for taken in self._taken[at]]

    def _chunks(self, apart: set[int]) -> Iterator[list[int]]:
        """Entries side by side, enough of them to be worth handing over."""
        chunk: list[int] = []
        size = 0
        for at, entry in enumerate(self._entries):
            if at in apart:
                continue
            chunk.append(at)
            size += _size(entry)
            if size >= _CHUNK or len(chunk) >= _FILES:
                yield chunk
                chunk, size = [], 0
        if chunk:
            yield chunk

    def _pool(self, count: int) -> ProcessPoolExecutor:
        pool = ProcessPoolExecutor(
            count, multiprocessing.get_context("spawn"), initializer=_start, initargs=(self._sources, self._shelf)
        )
        try:
            with _unmarked_main():
                ready = pool.submit(_ready)
            ready.result()
        except Exception:
            pool.shutdown(wait=False, cancel_futures=True)
            raise NoWorkers from None
        return pool

    def _hand(self, pool: ProcessPoolExecutor, chunk: list[int]) -> _Future:
        with _unmarked_main():  # the pool starts another process where none is idle
            return pool.submit(_read_there, self._of(chunk))

    def _until_one_dies(self, waiting: deque[list[int]], large: deque[int]) -> list[int]:
        """Hands out chunks until all are read; else returns the entries that were in the hands of the dead."""
        flying: dict[_Future, list[int]] = {}
        with self._pool(self._count) as pool:
            try:
                while waiting or flying:
                    while waiting and len(flying) <= self._count:
                        flying[self._hand(pool, waiting[0])] = waiting[0]
                        waiting.popleft()
                    if large:
                        self._here(large.popleft())
                    for future in wait(flying, return_when=FIRST_COMPLETED).done:
                        self._collect(future, flying[future])
                        del flying[future]
            except BrokenProcessPool:
                for future, chunk in flying.items():
                    if future.done() and not isinstance(future.exception(), BrokenProcessPool):
                        self._collect(future, chunk)
        return [at for chunk in flying.values() for at in chunk if at not in self._taken]

    def _alone(self, suspects: Sequence[int]) -> None:
        """Entries one at a time in a process of their own, a new one whenever it dies."""
        left = deque(suspects)
        while left:
            with self._pool(1) as pool:
                try:
                    while left:
                        self._collect(self._hand(pool, [left[0]]), [left[0]])
                        left.popleft()
                except BrokenProcessPool:
                    at = left.popleft()
                    self._keep(at, [take(Problem(self._entries[at].place, _DIED), self._sources, self._shelf)])

    def _collect(self, future: _Future, chunk: list[int]) -> None:
        try:
            read = future.result()
        except BrokenProcessPool:
            raise
        except Exception:  # what one process cannot hand to another is read by this one
            for at in chunk:
                self._here(at)
        else:
            for at, taken in zip(chunk, read, strict=True):
                self._keep(at, taken)

    def _here(self, at: int) -> None:
        self._keep(at, _read(self._entries[at], self._sources, self._shelf))

    def _of(self, chunk: list[int]) -> list[Found]:
        return [self._entries[at] for at in chunk]

    def _keep(self, at: int, taken: list[Taken]) -> None:
        self._taken[at] = taken
        self._done(self._entries[at])
