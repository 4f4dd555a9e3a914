"""Files that complete others: found wherever they lie, put in once, and never the cause of a second point."""

import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import duckdb
import pytest

from app.catalog.point import Point
from app.store.files import live_file
from ingest.document import Document
from ingest.pipeline import ingest
from ingest.report import FileReport, Report
from ingest.sources import SOURCES
from ingest.sources.base import Found, Reading
from ingest.sources.companions import Others, beside, folder_of, nearest
from tests.rows import fixed, write

AUDIT = {
    "power_valid": True,
    "reasons": [],
    "observed_gpu_count": 8,
    "benchmark_window": {"completed": 80, "start_time_unix": 1781100000.0},
}


def audit(folder: Path, name: str = "run_conc8.json", **changes: Any) -> Path:
    return write(folder / f"power_validation_{name}", {**AUDIT, "benchmark_result": name, **changes})


def by_name(report: Report) -> dict[str, FileReport]:
    return {Path(file.path).name: file for file in report.files}


def live(store: Path) -> list[dict[str, Any]]:
    """Live rows with their details."""
    path = live_file(store)
    assert path is not None
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute("SELECT id, run_time, detail FROM points WHERE until IS NULL ORDER BY row").fetchall()
    return [{"id": point, "run_time": moment, **json.loads(detail)} for point, moment, detail in rows]


def counts(report: Report) -> tuple[int, int, int]:
    totals = report.totals()
    return totals["new"], totals["duplicates"], totals["superseded"]


def test_a_companion_that_comes_later_supersedes_its_point_at_the_same_address(tmp_path: Path) -> None:
    write(tmp_path / "in" / "agg_run_conc8.json", fixed(8))
    assert counts(ingest([tmp_path / "in"], tmp_path / "db")) == (1, 0, 0)
    (before,) = live(tmp_path / "db")
    audit(tmp_path / "in")
    assert counts(ingest([tmp_path / "in"], tmp_path / "db")) == (0, 0, 1)
    (after,) = live(tmp_path / "db")
    assert after["id"] == before["id"]
    assert (before["run_time"], after["run_time"]) == (None, "2026-06-10T14:00:00+00:00")
    assert after["facts"]["companions"]["inferencex-power"]["completed"] == 80
    assert counts(ingest([tmp_path / "in"], tmp_path / "db")) == (0, 1, 0)


def test_a_changed_companion_supersedes_and_a_missing_one_does_not(tmp_path: Path) -> None:
    result = write(tmp_path / "in" / "agg_run_conc8.json", fixed(8))
    audit(tmp_path / "in")
    ingest([tmp_path / "in"], tmp_path / "db")
    audit(tmp_path / "in", power_valid=False)
    assert counts(ingest([tmp_path / "in"], tmp_path / "db")) == (0, 0, 1)
    assert counts(ingest([result], tmp_path / "db")) == (0, 1, 0)
    assert live(tmp_path / "db")[0]["facts"]["companions"]["inferencex-power"]["valid"] is False


def test_a_record_that_lies_twice_in_the_files_stays_one_point(tmp_path: Path) -> None:
    write(tmp_path / "in" / "agg_bmk.json", [fixed(8), fixed(16)])
    write(tmp_path / "in" / "agg_run_conc8.json", fixed(8))
    audit(tmp_path / "in")
    assert counts(ingest([tmp_path / "in"], tmp_path / "db")) == (2, 1, 0)
    assert ["companions" in row["facts"] for row in live(tmp_path / "db")] == [True, False]


def test_a_folder_that_lies_there_twice_gives_each_point_its_companion_once(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        write(tmp_path / "in" / folder / "agg_run_conc8.json", fixed(8))
        audit(tmp_path / "in" / folder)
    report = ingest([tmp_path / "in"], tmp_path / "db")
    assert counts(report) == (1, 1, 0)
    assert [file.of for file in report.files if file.role == "companion"] == [
        f"{tmp_path}/in/{folder}/agg_run_conc8.json" for folder in ("a", "b")
    ]
    (row,) = live(tmp_path / "db")
    assert len([name for name in row["supplied"] if name.startswith("companion:")]) == 1


def test_a_companion_in_an_archive_is_opened_again_after_the_archive_was_closed(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        archive.writestr("power_validation_run_conc8.json", json.dumps({**AUDIT, "benchmark_result": "run_conc8.json"}))
        archive.writestr("results/agg_run_conc8.json", json.dumps(fixed(8)))
    report = by_name(ingest([tmp_path / "run.zip"], tmp_path / "db"))
    assert report["run.zip!power_validation_run_conc8.json"].of == f"{tmp_path}/run.zip!results/agg_run_conc8.json"
    assert live(tmp_path / "db")[0]["run_time"] == "2026-06-10T14:00:00+00:00"


def test_secrets_in_a_companion_do_not_reach_the_store(tmp_path: Path) -> None:
    secret = "q7RtYp2LxWv9"
    write(tmp_path / "in" / "agg_run_conc8.json", fixed(8))
    audit(tmp_path / "in", device_issues={"api_key": secret})
    ingest([tmp_path / "in"], tmp_path / "db")
    stored = live_file(tmp_path / "db")
    assert stored is not None
    assert secret.encode() not in stored.read_bytes()


class Notes:
    """A companion for everything in its folder, which stumbles over points at concurrency 13."""

    key, label, version = "notes", "Notes", 1
    role: Literal["companion"] = "companion"

    def claims(self, document: Document) -> bool:
        return document.data.startswith(b"note:")

    def completes(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        return nearest(document, others)

    def complete(self, document: Document, point: Point) -> Point:
        if point.concurrency == 13:
            raise ValueError("unlucky")
        return replace(point, facts={**point.facts, "note": document.text.removeprefix("note:").strip()})


class Reports:
    """Results in two forms of one report: the JSON takes its text twin over."""

    key, label, version = "reports", "Reports", 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return b"report" in document.data

    def read(self, document: Document) -> Iterator[Reading]:
        if document.data.startswith(b"{"):
            yield Found("file", Point(dialect="reports", raw=document.parsed.value))
        else:
            yield Found("file", Point(dialect="reports", raw=document.text))

    def absorbs(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        stem = document.name.partition(".")[0]
        return [other for other in beside(document, others) if other.name == f"{stem}.txt"]

    def absorb(self, part: Document, point: Point) -> Point:
        return replace(point, facts={**point.facts, "twin": part.text})


def test_one_companion_may_complete_many_results_and_one_that_fails_completes_none(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a" / "1.json", fixed(8))
    write(tmp_path / "in" / "a" / "2.json", fixed(16))
    write(tmp_path / "in" / "b" / "3.json", [fixed(4), fixed(13)])
    (tmp_path / "in" / "a" / "note.txt").write_text("note: first")
    (tmp_path / "in" / "b" / "note2.txt").write_text("note: second")
    report = by_name(ingest([tmp_path / "in"], tmp_path / "db", sources=[*SOURCES[:2], Notes()]))
    assert report["note.txt"].of == f"{tmp_path}/in/a/1.json"
    assert report["note.txt"].warnings == ["completes 1 other file too"]
    assert report["note2.txt"].role == "refused"
    assert "Notes failed on it (ValueError: unlucky)" in report["note2.txt"].refused[0][1]
    assert [row["facts"].get("note") for row in live(tmp_path / "db")] == ["first", "first", None, None]


def test_a_part_is_taken_over_and_counts_no_point_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "in" / "run.json", {"report": 1})
    (tmp_path / "in" / "run.txt").write_text("report 1")
    (tmp_path / "in" / "lone.txt").write_text("report 2")
    report = ingest([tmp_path / "in"], tmp_path / "db", sources=[Reports()])
    files = by_name(report)
    assert counts(report) == (2, 0, 0)
    assert (files["run.txt"].role, files["run.txt"].of) == ("companion", f"{tmp_path}/in/run.json")
    assert files["lone.txt"].role == "results"
    assert [row["facts"].get("twin") for row in live(tmp_path / "db")] == [None, "report 1"]
    (tmp_path / "in" / "run.txt").write_text("report one")
    assert counts(ingest([tmp_path / "in"], tmp_path / "db", sources=[Reports()])) == (0, 1, 1)


def at(resolved: str) -> Document:
    return Document(resolved, resolved, resolved.rpartition("/")[2].rpartition("!")[2], (), b"")


@pytest.mark.parametrize(
    ("place", "folder"),
    [
        ("/d/a.json", "/d"),
        ("/a.json", ""),
        ("/d/x.zip!a.json", "/d/x.zip!"),
        ("/d/x.zip!runs/a.json", "/d/x.zip!runs"),
        ("/d/x.zip!y.zip!a.json", "/d/x.zip!y.zip!"),
    ],
)
def test_the_folder_of_a_file_ends_at_its_archive(place: str, folder: str) -> None:
    assert folder_of(at(place)) == folder


def test_the_nearest_results_are_those_beside_else_below_else_above() -> None:
    others = Others([at("/d/top.json"), at("/d/a/one.json"), at("/d/a/b/two.json"), at("/d/z.zip!in/three.json")])

    def found(place: str) -> list[str]:
        return [document.name for document in nearest(at(place), others)]

    assert found("/d/a/x.txt") == ["one.json"]
    assert found("/d/a/b/c/d/x.txt") == ["two.json"]
    assert found("/d/z.zip!x.txt") == ["three.json"]
    assert found("/d/z.zip!other/x.txt") == ["top.json"]
    assert found("/x.txt") == ["top.json", "one.json", "two.json", "three.json"]
    assert found("/elsewhere/x.txt") == []
