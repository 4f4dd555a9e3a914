"""Several processes read what one would have read, and a process that dies costs one file."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from app.catalog.point import Point
from ingest.document import Document
from ingest.found import Entry, Problem, found
from ingest.shelf import Shelf
from ingest.sources import SOURCES
from ingest.sources.base import Companion, Found, Reading, Source
from ingest.taking import Taken
from ingest.workers import read_all
from tests.conftest import ROOT
from tests.rows import agentic, fixed, write

FILES = 150


def told(taken: list[Taken]) -> list[object]:
    return [
        (each.file.document(), each.source, each.flaws, each.warnings, each.refused, each.results, each.sidecar)
        for each in taken
    ]


def read(folder: Path, sources: tuple[Source | Companion, ...], workers: int) -> tuple[list[Taken], list[str]]:
    heard: list[str] = []

    def done(entry: Entry | Problem) -> None:
        heard.append(entry.place)

    with Shelf() as shelf:
        return read_all(found([folder]), sources, shelf.folder, done, patience=0, workers=workers), heard


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(FILES):
        write(tmp_path / "in" / f"{number:03d}.json", [fixed(number + 1), agentic(number + 1)])
    (tmp_path / "in" / "cut.json").write_text(json.dumps([fixed(1)])[:-1])
    (tmp_path / "in" / "halo.toml").write_text('timezone = "Europe/Berlin"\n')
    (tmp_path / "in" / "empty.json").write_bytes(b"")
    return tmp_path / "in"


def test_two_processes_read_what_one_reads_in_the_same_order(folder: Path) -> None:
    one, heard_by_one = read(folder, SOURCES, workers=1)
    two, heard_by_two = read(folder, SOURCES, workers=2)
    assert told(two) == told(one)
    assert len(one) == FILES + 3
    assert sorted(heard_by_two) == heard_by_one


class Deadly:
    """Takes any text; the word for it ends the process, as a fault in a library would."""

    key, label, version = "deadly", "Deadly", 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return True

    def read(self, document: Document) -> Iterator[Reading]:
        if document.text == "die":
            os._exit(9)
        yield Found("file", Point(dialect="deadly", raw=document.text))


class Clinging(Deadly):
    """Gives points that cannot be handed from one process to another."""

    key, label, version = "clinging", "Clinging", 1

    def read(self, document: Document) -> Iterator[Reading]:
        yield Found("file", Point(dialect="clinging", raw=document.text, facts={"lambda": lambda: 1}))


def test_a_process_that_dies_costs_the_file_it_was_reading(tmp_path: Path) -> None:
    for number in range(FILES):
        (tmp_path / f"{number:03d}.txt").write_text("die" if number in (7, 140) else f"fine {number}")
    taken, heard = read(tmp_path, (Deadly(),), workers=2)
    lost = [each for each in taken if each.file.role == "refused"]
    assert [Path(each.place).name for each in lost] == ["007.txt", "140.txt"]
    assert all("ended without a word" in each.file.refused[0][1] for each in lost)
    assert [each.results[0].point.raw for each in taken if each.results] == [
        f"fine {number}" for number in range(FILES) if number not in (7, 140)
    ]
    assert len(heard) == len(set(heard)) == FILES


def test_what_cannot_be_handed_over_is_read_here(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(str(number))
    taken, _ = read(tmp_path, (Clinging(),), workers=2)
    assert [each.results[0].point.raw for each in taken] == ["0", "1", "2"]


def test_other_processes_join_only_what_would_take_long(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.workers.ProcessPoolExecutor", None)
    with Shelf() as shelf:
        assert len(read_all(found([folder]), SOURCES, shelf.folder, lambda _: None, workers=2)) == FILES + 3
    monkeypatch.undo()
    heard: list[str] = []
    with Shelf() as shelf:
        taken = read_all(
            found([folder]), SOURCES, shelf.folder, lambda entry: heard.append(entry.place), patience=1e-4, workers=2
        )
    assert [each.place for each in taken] == sorted(heard)


def test_a_script_without_a_guard_runs_once(folder: Path, tmp_path: Path) -> None:
    """A new process looks for what the caller's script defines by running it, unless it cannot find the script."""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom pathlib import Path\n"
        "from ingest.found import found\nfrom ingest.shelf import Shelf\nfrom ingest.sources import SOURCES\n"
        "from ingest.workers import read_all\n"
        "print('begun', flush=True)\n"
        "with Shelf() as shelf:\n"
        "    files = found([Path(sys.argv[1])])\n"
        "    taken = read_all(files, SOURCES, shelf.folder, lambda _: None, patience=0, workers=2)\n"
        "print(len(taken), Path(__file__).name)\n"
    )
    ran = subprocess.run(
        [sys.executable, str(script), str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert ran.stdout.split() == ["begun", str(FILES + 3), "script.py"]
    assert ran.stderr == ""
