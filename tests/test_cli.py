"""The command as users run it: exit codes, one JSON object, sentences instead of tracebacks."""

import fcntl
import io
import json
import os
import pty
import socket
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from rich.console import Console

from ingest.report import FileReport, Report
from ingest.verdicts import show
from tests.rows import agentic, fixed, write

HALO = [sys.executable, "-m", "app.cli"]
ROOT = Path(__file__).parents[1]


def halo(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    plain = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1", **environment}
    command = [*HALO, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "in" / "agg_bmk.json", [fixed(8), agentic(4, "lmcache"), agentic(8)])
    (tmp_path / "in" / "empty.json").write_bytes(b"")
    return tmp_path


def test_json_is_one_object_and_nothing_else(folder: Path) -> None:
    done = halo("ingest", folder / "in", "--db", folder / "db", "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert report["totals"]["new"] == 3
    assert report["totals"]["offload"] == {"on": 1, "off": 2, "unknown": 0}


def test_strict_fails_on_a_refusal_and_only_then(folder: Path) -> None:
    assert halo("ingest", folder / "in", "--db", folder / "db", "--strict").returncode == 1
    assert halo("ingest", folder / "in" / "agg_bmk.json", "--db", folder / "db", "--strict").returncode == 0


def test_people_get_a_verdict_a_file(folder: Path) -> None:
    done = halo("ingest", folder / "in", "--db", folder / "db")
    assert done.returncode == 0
    assert "agg_bmk.json" in done.stdout
    assert "the file is empty (0 bytes)" in done.stdout
    assert "2 files: 3 new, 0 known already, 1 refused. Offload on 1, off 2, not reported 0. Snapshot" in done.stdout
    assert "nothing was written" in halo("ingest", folder / "in", "--db", folder / "db", "--dry-run").stdout


def test_run_folders_of_one_parent_are_one_line_unless_names_are_asked_for(tmp_path: Path) -> None:
    for load in (1, 2, 4, 8, 16):
        write(tmp_path / "in" / "sweep" / f"run_conc{load}" / "agg_bmk.json", [fixed(load)])
    write(tmp_path / "in" / "other" / "agg_bmk.json", [agentic(8)])
    call = ("ingest", tmp_path / "in", "--db", tmp_path / "db", "--dry-run")
    short = halo(*call).stdout
    assert "sweep/* (5 folders)" in short
    assert "other/agg_bmk.json" in short
    assert "conc16" not in short
    assert "sweep/run_conc16/agg_bmk.json" in halo(*call, "-v").stdout


def test_a_long_name_keeps_its_end_on_a_terminal(tmp_path: Path) -> None:
    file = FileReport(path=f"{'a' * 90}_conc16.json", source="aiperf")
    file.verdicts["new"] = 1
    console = Console(width=80, force_terminal=True, record=True, file=io.StringIO())
    show(Report(snapshot=None, files=[file]), console)
    text = console.export_text()
    [line] = [line for line in text.splitlines() if "aiperf" in line]
    assert "…" in line
    assert "_conc16.json" in line


def test_the_version_is_said() -> None:
    done = halo("--version")
    assert (done.returncode, done.stdout) == (0, f"halo {version('halo-dashboard')}\n")


@pytest.mark.parametrize("command", ["demo", "serve"])
def test_a_port_that_is_taken_is_said_before_anything_else(command: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = halo(command, "--port", port, "--db", tmp_path / "db")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"halo: port {port} of 127.0.0.1 is taken: stop what listens there, or name another with --port\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_store_may_be_named_by_the_environment(folder: Path) -> None:
    assert halo("ingest", folder / "in", HALO_DB=str(folder / "elsewhere")).returncode == 0
    assert (folder / "elsewhere" / "CURRENT").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.json"], "nowhere.json does not exist"),
        (["in", "--set", "chp=x"], "did you mean chip"),
        (["in", "--set", "chip"], "write key=value"),
        ([], "Missing argument"),
        (["in", "--colour"], "No such option"),
        (["in", "--db", "/dev/null/x"], "/dev/null/x"),
    ],
)
def test_a_wrong_call_is_told_in_a_sentence(folder: Path, arguments: list[str], words: str) -> None:
    paths = [str(folder / part) if part in ("in", "nowhere.json") else part for part in arguments]
    db = [] if "--db" in arguments else ["--db", str(folder / "db")]
    done = halo("ingest", *paths, *db)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "db").exists()


def test_a_terminal_sees_progress_and_a_pipe_does_not(folder: Path) -> None:
    parent, child = pty.openpty()
    command = [*HALO, "ingest", str(folder / "in"), "--db", str(folder / "db")]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=child, env=dict(os.environ, TERM="xterm")
    ) as run:
        os.close(child)
        seen = b""
        while True:
            try:
                chunk = os.read(parent, 4096)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
        run.communicate(timeout=60)
    os.close(parent)
    assert b"files" in seen
    assert halo("ingest", folder / "in", "--db", folder / "db").stderr == ""


def test_a_second_ingest_says_who_holds_the_store_and_waits(folder: Path) -> None:
    (folder / "db").mkdir()
    with (folder / "db" / "publish.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("process 4242")
        lock.flush()
        command = [*HALO, "ingest", str(folder / "in"), "--db", str(folder / "db"), "--json"]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waiting:
            assert waiting.stderr is not None
            assert "process 4242 is publishing" in waiting.stderr.readline()
            time.sleep(0.2)
            assert waiting.poll() is None
            fcntl.flock(lock, fcntl.LOCK_UN)
            output, _ = waiting.communicate(timeout=60)
    assert json.loads(output)["totals"]["new"] == 3


def test_init_starts_a_sidecar_that_the_next_ingest_tells_of(tmp_path: Path) -> None:
    write(tmp_path / "h100_runs" / "a.json", fixed(8, hw=""))
    done = halo("init", tmp_path / "h100_runs")
    assert done.returncode == 0
    assert "filled in from names, to be checked: chip" in done.stdout
    assert "said chip of 1 file" in halo("ingest", tmp_path / "h100_runs", "--db", tmp_path / "db").stdout
    again = halo("init", tmp_path / "h100_runs")
    assert again.returncode == 2
    assert "is there already" in again.stderr
    assert halo("init", tmp_path / "nowhere").returncode == 2


def test_template_prints_a_table_that_can_be_ingested(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(halo("template", "--example").stdout, encoding="utf-8")
    assert halo("ingest", tmp_path / "mine.csv", "--db", tmp_path / "db", "--strict").returncode == 0
    assert len(halo("template", "--all").stdout) > len(halo("template").stdout)
