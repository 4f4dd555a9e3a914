"""A progress bar for a terminal, and nothing anywhere else."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import rich.progress
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from ingest.pipeline import Progress


class Bar:
    """Shows bytes read, files done, and what is going on."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = rich.progress.Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TextColumn("{task.fields[files]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("looking for files", total=None, files="")
        self._count = self._all = 0

    @contextlib.contextmanager
    def running(self) -> Iterator["Bar"]:
        with self._bar:
            yield self

    def begin(self, files: int, size: int) -> None:
        self._all = files
        # A byte more than there are: what happens to files once they are read is time that passes, too.
        self._bar.update(self._task, description="reading", total=size + 1, files=f"0 of {files} files")

    def at(self, place: str) -> None:
        self._bar.update(self._task, description=f"reading {place.rpartition('/')[2][:40]}")

    def done(self, size: int) -> None:
        self._count += 1
        self._bar.update(self._task, advance=size, files=f"{self._count} of {self._all} files")

    def publishing(self) -> None:
        self._bar.update(self._task, description="publishing")

    def waiting(self, text: str) -> None:
        self._bar.update(self._task, description=text)


class Quiet:
    """Says only what keeps everybody waiting."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def begin(self, files: int, size: int) -> None: ...
    def at(self, place: str) -> None: ...
    def done(self, size: int) -> None: ...
    def publishing(self) -> None: ...

    def waiting(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False)


@contextlib.contextmanager
def progress_on(console: Console, *, bar: bool) -> Iterator["Progress"]:
    """A running bar where a person watches and wants one."""
    if bar and console.is_terminal:
        with Bar(console).running() as running:
            yield running
    else:
        yield Quiet(console)
