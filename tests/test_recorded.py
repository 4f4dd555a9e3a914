"""Requests and time series on their way into the store: what is kept, under which name, and when it goes."""

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest
from typer.testing import CliRunner

from app.cli import app
from app.store import files
from app.store.read import Store
from app.store.select import Selection
from app.store.series import FOLDER, Collected, Request, Slice, Staging, collect, series_of, tier_column
from ingest.document import Document
from ingest.pipeline import gather, ingest
from ingest.sources.aiperf_files.slices import slices
from tests.aiperf_runs import SECOND, ZERO, agents, over_time, request, write_run
from tests.conftest import ROOT

HOLLOW = Request(*[None] * 12, True, None, None)


def stored(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / FOLDER).glob("*")) if (folder / FOLDER).exists() else []


def series(folder: Path, at: int = 0) -> dict[str, str]:
    snapshot = Store(folder).snapshot()
    row = snapshot.point(snapshot.rows(Selection(newest=False))[at]["id"])
    assert row is not None
    return series_of(row["detail"]["facts"])


def table(folder: Path, kind: str) -> pl.DataFrame:
    return pl.read_parquet(folder / FOLDER / series(folder)[kind])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "in" / "run", *agents(), server=over_time())


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "db"


def test_every_request_is_kept_with_what_the_record_says_of_it(run: Path, db: Path) -> None:
    ingest([run], db)
    found = table(db, "requests")
    assert found.height == 3 * 9 + 1
    first = found.row(1, named=True)
    assert (first["start_s"], first["end_s"], first["e2el_s"]) == (3.0, pytest.approx(5.1), pytest.approx(2.1))
    assert (first["ttft_s"], first["itl_s"]) == (pytest.approx(0.25), pytest.approx(1.85 / 60))
    assert (first["isl"], first["osl"], first["cached"], first["turn"], first["depth"]) == (3500, 61, 2000, 1, 0)
    assert (first["conversation"], first["phase"], first["ok"], first["worker"]) == (
        "talk-0",
        "profiling",
        True,
        "worker_1",
    )
    assert found.filter(pl.col("phase") == "warmup").height == 3
    assert found.filter(pl.col("depth") == 1)["conversation"].to_list() == [f"talk-{n}::sa:0" for n in range(3)]
    lost = found.row(-1, named=True)
    assert (lost["ok"], lost["error"], lost["ttft_s"]) == (False, "ServerDisconnectedError", None)


def test_the_server_over_time_is_kept_on_the_clock_of_the_requests(tmp_path: Path, db: Path) -> None:
    late = over_time()
    run = write_run(tmp_path / "run", request(0, start=-4.0), *agents(), server=late)
    ingest([run], db)
    found = table(db, "timeline")
    assert found["start_s"].to_list() == [4.0 + at for at in range(0, 24, 2)]
    last = found.row(-1, named=True)
    assert (last["kv_usage"], last["running"], last["waiting"]) == (
        pytest.approx(0.915),
        pytest.approx(5.667, abs=1e-3),
        pytest.approx(2.75),
    )
    assert last["prompt_tokens"] == 1000
    assert last[tier_column("external")] == pytest.approx(366.7, abs=1)
    assert last["computed_tokens"] == pytest.approx(308, abs=1)


def test_metrics_by_slice_of_time_are_read_from_json_and_from_the_table(tmp_path: Path, db: Path) -> None:
    blocks = {
        "time_to_first_token": {"unit": "ms", "avg": 250.0, "p50": 200.0, "p90": 400.0},
        "request_count": {"unit": "requests", "avg": 3},
        "effective_concurrency": {"unit": "requests", "avg": 2.5},
    }
    listed = [{"start_ns": ZERO + n * SECOND, "end_ns": ZERO + (n + 1) * SECOND, **blocks} for n in (0, 2)]
    run = write_run(tmp_path / "run", slices={"timeslices": [*listed, {"start_ns": 5, "end_ns": 5}]})
    ingest([run], db)
    found = table(db, "timeline")
    assert found["start_s"].to_list() == [0.0, 2.0]
    assert found["ttft_50_s"].to_list() == [0.2, 0.2]
    assert found["in_flight"].to_list() == [2.5, 2.5]
    assert set(series(db)) == {"timeline"}
    sample = (ROOT / "tests" / "samples" / "aiperf_artifacts" / "profile_export_aiperf_timeslices.csv").read_bytes()
    (first, *_) = slices(Document(place="t.csv", resolved="/t.csv", name="t.csv", folders=(), data=sample))
    assert first.end_ns > first.start_ns


def test_a_table_beside_its_json_adds_no_slice(tmp_path: Path, db: Path) -> None:
    blocks = {"request_count": {"unit": "requests", "avg": 3}}
    listed = [{"start_ns": ZERO, "end_ns": ZERO + SECOND, **blocks}]
    run = write_run(tmp_path / "run", slices={"timeslices": listed})
    rows = f"Timeslice,Start_NS,End_NS,Metric,Unit,Stat,Value\n0,{ZERO},{ZERO + SECOND},Request Count,requests,avg,3\n"
    (run / "profile_export_aiperf_timeslices.csv").write_text(rows)
    report = ingest([run], db)
    assert table(db, "timeline").height == 1
    assert [file.role for file in report.files].count("companion") == 2


def test_records_without_a_summary_keep_their_requests(run: Path, db: Path) -> None:
    (run / "profile_export_aiperf.json").unlink()
    ingest([run], db)
    assert table(db, "requests").height == 28


def test_a_dry_run_and_a_look_write_nothing(run: Path, db: Path) -> None:
    report = ingest([run], db, dry_run=True)
    assert report.document()["totals"]["new"] == 1
    gather([run])
    assert not db.exists()


def test_what_is_known_already_leaves_nothing_behind(run: Path, db: Path) -> None:
    ingest([run], db)
    kept = stored(db)
    assert len(kept) == 2
    assert ingest([run], db).document()["totals"]["duplicates"] == 1
    assert stored(db) == kept


def test_series_change_neither_the_record_nor_the_address(run: Path, db: Path, tmp_path: Path) -> None:
    def told(folder: Path) -> tuple[str, str]:
        row = Store(folder).snapshot().rows(Selection())[0]
        return row["id"], row["content_key"]

    ingest([run], db)
    (run / "profile_export.jsonl").unlink()
    ingest([run], tmp_path / "poor")
    assert told(db) == told(tmp_path / "poor")
    assert set(series(db)) == {"requests", "timeline"}
    assert set(series(tmp_path / "poor")) == {"timeline"}


def test_equal_requests_have_one_name_whatever_the_size_of_their_batches(tmp_path: Path) -> None:
    def rows(count: int) -> list[Request]:
        return [HOLLOW._replace(start_ns=ZERO + n, conversation=f"c{n % 7}", isl=n) for n in range(count)]

    with Staging(tmp_path) as one, Staging(tmp_path) as other:
        names = [staging.requests(iter(rows(45_000))) for staging in (one, other)]
        assert names[0] == names[1]
        assert names[0] is not None
        assert one.requests(iter(rows(45_001))) != names[0]
        assert one.requests(iter(())) is None
        one.settle([names[0].name])
    assert stored(tmp_path) == [names[0].name]
    found = pl.read_parquet(tmp_path / FOLDER / names[0].name)
    assert found["isl"].to_list() == list(range(45_000))


def test_a_number_that_no_column_holds_is_left_out(tmp_path: Path) -> None:
    with Staging(tmp_path) as staging:
        written = staging.requests([HOLLOW._replace(start_ns=1, isl=10**20), HOLLOW._replace(isl=5)])
        assert written is not None
        staging.settle([written.name])
    found = pl.read_parquet(tmp_path / FOLDER / written.name)
    assert found["isl"].to_list() == [None, 5]
    assert found["start_s"].to_list() == [0.0, None]


def test_a_crash_before_publishing_leaves_nothing_that_counts(tmp_path: Path) -> None:
    """The process is killed with its file staged; the next collection clears it away."""
    program = (
        "import os, sys; from pathlib import Path; from app.store.series import Slice, Staging\n"
        "with Staging(Path(sys.argv[1])) as staging:\n"
        "    staging.timeline([Slice(start_ns=0, end_ns=1, running=1.0)], None)\n"
        "    os._exit(9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, check=False)
    assert killed.returncode == 9
    (left,) = stored(tmp_path)
    assert left.startswith("staged-")
    assert collect(tmp_path).freed > 0
    assert stored(tmp_path) == []


def test_a_collection_spares_what_is_being_staged(tmp_path: Path) -> None:
    with Staging(tmp_path) as staging:
        written = staging.timeline([Slice(start_ns=0, end_ns=SECOND)], None)
        assert written is not None
        assert collect(tmp_path) == Collected(dropped=0, kept=0, freed=0)
        staging.settle([written.name])
        assert stored(tmp_path)[0] == written.name


def test_only_what_no_snapshot_refers_to_is_dropped(run: Path, db: Path) -> None:
    ingest([run], db)
    before = series(db)
    lines = (run / "profile_export.jsonl").read_text().splitlines(keepends=True)
    (run / "profile_export.jsonl").write_text("".join(lines[:-1]))
    ingest([run], db)
    assert series(db)["requests"] != before["requests"]
    assert series(db)["timeline"] == before["timeline"]
    stray = db / FOLDER / "0123456789abcdef.parquet"
    stray.write_bytes(b"stray")
    answer = CliRunner().invoke(app, ["gc", "--db", str(db)])
    assert answer.exit_code == 0
    assert answer.output.startswith("1 files with 0.0 MB were dropped")
    # The former requests are those of an earlier snapshot, which can still be asked.
    assert stored(db) == sorted({*before.values(), *series(db).values()})


def test_a_collection_of_an_empty_folder_and_beside_a_broken_snapshot(tmp_path: Path, run: Path, db: Path) -> None:
    assert collect(tmp_path / "none").dropped == 0
    ingest([run], db)
    (db / "snap-000000-broken.duckdb").write_bytes(b"no database")
    with pytest.raises(files.StoreError, match="snap-000000-broken"):
        collect(db)
    assert len(stored(db)) == 2


def test_what_no_column_holds_costs_itself(tmp_path: Path, db: Path) -> None:
    odd = request(0, start=0.0)
    odd["metadata"]["turn_index"] = 10**20
    odd["metadata"]["conversation_id"] = 7
    ingest([write_run(tmp_path / "run", odd)], db)
    assert table(db, "requests").row(0, named=True)["conversation"] == "7"
    assert table(db, "requests")["turn"].to_list() == [None]


def test_memory_stays_bounded_by_the_bytes_of_the_file(tmp_path: Path) -> None:
    """A file of 40 MB within 40 MB beyond its own size: nothing but compact columns is held of it."""
    line = json.dumps(request(1, start=1.0)) + "\n"
    run = tmp_path / "run"
    run.mkdir()
    size = 40_000_000
    (run / "profile_export.jsonl").write_text(line * (size // len(line)))
    program = (
        "import resource, sys; from pathlib import Path; from ingest.pipeline import ingest\n"
        "from tests.aiperf_runs import agents, over_time, write_run\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        "folder = Path(sys.argv[1])\n"
        "ingest([write_run(folder / 'small', *agents(), server=over_time())], folder / 'db')\n"
        "before = peak()\n"
        "ingest([folder / 'run'], folder / 'db')\n"
        "print(peak() - before)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert int(answer.stdout) < size + 40_000_000
    (name,) = (series(tmp_path / "db", at)["requests"] for at in (1,))
    rows = duckdb.execute("SELECT count(*) FROM read_parquet(?)", [str(tmp_path / "db" / FOLDER / name)]).fetchone()
    assert rows == (size // len(line),)


def test_real_runs_keep_every_request_that_they_recorded(shared_data: Path, tmp_path: Path) -> None:
    ingest([shared_data / "aiperf_runs"], tmp_path / "db")
    lines = [
        sum(1 for line in path.read_bytes().splitlines() if line.strip())
        for path in (shared_data / "aiperf_runs").rglob("profile_export.jsonl")
    ]
    kept = [pl.read_parquet(path).height for path in (tmp_path / "db" / FOLDER).glob("*.parquet")]
    assert sorted(kept) == sorted(lines)
