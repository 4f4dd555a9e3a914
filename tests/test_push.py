"""`halo push` as a job runs it: against a real Halo, and against servers that are busy, gone or something else."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest

from app.store import tokens
from ingest.sending import packed, said_first
from ingest.waiting import LONGEST_S, TRIES, wait_s
from tests.rows import agentic, fixed, write
from tests.running import free_port, halo, serving

Turn = tuple[int, dict[str, str], bytes]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    write(folder / "deep" / "agg.json", [fixed(8, precision=None), agentic(4, "lmcache")])
    (folder / "halo.toml").write_text('precision = "fp4"\n')
    (folder / "empty.json").write_bytes(b"")
    return folder


@contextmanager
def answering(*turns: Turn) -> Iterator[tuple[str, list[bytes]]]:
    """A server that answers each request with the next turn, the last one for good, and keeps what was sent."""
    sent: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(self.rfile.read(int(self.headers.get("content-length", 0))))
            status, headers, body = turns[min(len(sent), len(turns)) - 1]
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", sent
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


VERDICT = json.dumps(
    {
        "snapshot": "000001-ab",
        "files": [],
        "totals": {"files": 0, "points": 0, "new": 0, "duplicates": 0, "superseded": 0, "refused": 0, "offload": {}},
    }
).encode()


def test_a_folder_arrives_with_its_paths_and_sidecars_and_twice_is_once(results: Path, tmp_path: Path) -> None:
    token = tokens.add(tmp_path / "db", "ci")
    with serving(tmp_path / "db") as address:
        done = halo("push", results, "--to", address, "--run", "nightly-7", "--set", "chip=b200", HALO_TOKEN=token)
        assert done.returncode == 0, done.stderr
        assert "2 new" in done.stdout or "2 files" in done.stdout
        assert "the file is empty (0 bytes)" in done.stdout
        assert token not in done.stdout + done.stderr
        rows = httpx2.get(f"{address}/api/v1/points", params={"runs": "all"}).json()["rows"]
        assert {(row["chip"], row["precision"], row["run"]) for row in rows} == {("b200", "fp4", "nightly-7")}
        said = httpx2.get(f"{address}/api/v1/points/{rows[0]['id']}").json()["provenance"]
        assert said["places"][0]["place"] == "upload:ci/in.zip!deep/agg.json"
        assert said["supplied"]["said-in:precision"] == "../halo.toml"
        (tmp_path / "token").write_text(f"{token}\n")
        again = halo("push", results, "--to", address, "--run", "nightly-7", "--set", "chip=b200", "--json", "--strict",
                     "--token-file", tmp_path / "token")  # fmt: skip
        assert again.returncode == 1
        assert json.loads(again.stdout)["totals"]["duplicates"] == 2
        wrong = halo("push", results, "--to", address, HALO_TOKEN="wrong-token")
        assert wrong.returncode == 2
        assert "401" in wrong.stderr
        assert "wrong-token" not in wrong.stderr


def test_a_file_takes_the_sidecar_above_it_along(results: Path) -> None:
    with packed([results / "deep" / "agg.json"]) as parts:
        assert [part.name for part in parts] == ["halo.toml", "deep/agg.json"]


def test_packing_twice_gives_the_same_bytes(results: Path) -> None:
    with packed([results]) as first, packed([results]) as second:
        assert first[0].path.read_bytes() == second[0].path.read_bytes()


def test_a_busy_server_is_asked_again_with_the_whole_body(results: Path) -> None:
    turns = [(429, {"retry-after": "1"}, b""), (503, {}, b"<html>"), (200, {}, VERDICT)]
    with answering(*turns) as (address, sent):
        done = halo("push", results, "--to", address, HALO_TOKEN="t0ken-of-mine")
    assert done.returncode == 0, done.stderr
    assert len({len(body) for body in sent}) == 1
    assert len(sent) == 3
    assert "429; trying again in 1 s" in done.stderr


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        ((400, {}, b'{"detail": "set chp: did you mean chip?"}'), "did you mean chip?"),
        ((302, {"location": "https://elsewhere.example/"}, b""), "https://elsewhere.example/"),
        ((200, {}, b"<html>hello</html>"), "no verdict"),
        ((200, {}, b"null"), "does not answer like a Halo"),
        ((200, {}, b"[1]"), "does not answer like a Halo"),
        ((200, {}, b'{"snapshot": 1, "files": [], "totals": {"offload": {}}}'), "(snapshot: "),
        ((200, {}, VERDICT.replace(b'"files": []', b'"files": [{"path": "a"}]')), "(files.0.source: "),
        ((200, {}, VERDICT.replace(b'"files": []', b'"files": {"a": 1}')), "(files: "),
        ((200, {}, VERDICT.replace(b'"offload": {}', b'"offload": [1]')), "(totals.offload: "),
        ((400, {}, b"[" * 100_000), "answered 400"),
        (
            (429, {"retry-after": "86400"}, b""),
            "in 1 try: it answered 429, and asks to wait 86400 s, longer than",
        ),
    ],
)
def test_what_does_not_help_is_not_tried_again(results: Path, turn: Turn, words: str) -> None:
    with answering(turn) as (address, sent):
        done = halo("push", results, "--to", address, HALO_TOKEN="t0ken-of-mine")
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert "t0ken-of-mine" not in done.stderr + done.stdout
    assert len(sent) == 1


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (["--to", "http://127.0.0.1:9"], {}, "HALO_TOKEN holds no token"),
        (["--to", "halo.example"], {"HALO_TOKEN": "t0ken"}, "an address is expected"),
        (["--to", "http://127.0.0.1:9?x=1"], {"HALO_TOKEN": "t0ken"}, "an address is expected"),
        (["--to", "http://[::1"], {"HALO_TOKEN": "t0ken"}, "an address is expected"),
        (["--to", "http://127.0.0.1:99999"], {"HALO_TOKEN": "t0ken"}, "an address is expected"),
        (["--to", "http://127.0.0.1:9", "--set", "chp=1"], {"HALO_TOKEN": "t0ken"}, "did you mean chip"),
        ([], {"HALO_TOKEN": "t0ken"}, "Missing option"),
    ],
)
def test_a_wrong_call_is_told(results: Path, arguments: list[str], environment: dict[str, str], words: str) -> None:
    done = halo("push", results, *arguments, **environment)
    assert done.returncode == 2
    assert words in done.stderr


def test_nobody_there_is_told_after_some_tries(results: Path) -> None:
    done = halo("push", results, "--to", f"http://127.0.0.1:{free_port()}", HALO_TOKEN="t0ken")
    assert done.returncode == 2
    assert f"in {TRIES} tries" in done.stderr


def test_waiting_grows_and_keeps_what_was_asked_for() -> None:
    waits = [wait_s(attempt) for attempt in range(TRIES)]
    assert waits == [0.5, 1, 2, 4, None]
    assert wait_s(0, {"retry-after": "7"}) == 7
    assert wait_s(0, {"retry-after": str(int(LONGEST_S) + 1)}) is None
    assert wait_s(0, {"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}) == 0.5
    assert wait_s(1, {"retry-after": "soon"}) == wait_s(1, {"retry-after": "²"}) == 1


def test_a_token_in_the_clear_is_warned_of() -> None:
    assert "without TLS" in said_first("http://halo.example:8000")
    assert said_first("https://halo.example") == said_first("http://127.0.0.1:8000") == ""
