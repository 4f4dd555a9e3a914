"""Sending results to a Halo: who may, how much, what is kept, and that nothing of many senders is lost."""

import io
import json
import os
import socket
import stat
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from starlette.testclient import TestClient

from app.store import pace, tokens
from app.store.files import StoreError
from app.web.laid import laid, sweep
from app.web.openapi_posts import Verdict
from app.web.received import CUT
from ingest.sent import sent_name
from tests.rows import agentic, fixed
from tests.running import halo, serving
from tests.served import client

INGEST = "/api/v1/ingest"
Answer = httpx2.Response


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "db"


@pytest.fixture
def token(folder: Path) -> str:
    return tokens.add(folder, "ci")


@pytest.fixture
def served(folder: Path) -> TestClient:
    return client(folder)


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def part(name: str, content: object) -> tuple[str, tuple[str, bytes]]:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return "file", (name, data)


def test_without_any_token_it_is_off_and_says_how_to_switch_it_on(served: TestClient) -> None:
    answer = served.post(INGEST, files=[part("a.json", [fixed(8)])], headers=bearer("whatever"))
    assert answer.status_code == 403
    assert answer.headers["content-type"] == "application/problem+json"
    assert "halo token add" in answer.json()["detail"]


@pytest.mark.parametrize("header", [{}, bearer("wrong"), {"authorization": "Basic Y2k6eA=="}, bearer("")])
def test_a_wrong_token_is_told_what_is_expected(served: TestClient, token: str, header: dict[str, str]) -> None:
    answer = served.post(INGEST, files=[part("a.json", [fixed(8)])], headers=header)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert served.get("/api/v1/snapshots").json()["count"] == 0


def test_the_verdict_is_that_of_the_command_line(served: TestClient, folder: Path, token: str, tmp_path: Path) -> None:
    (tmp_path / "agg.json").write_text(json.dumps([fixed(8), agentic(4, "lmcache"), {"hw": "h100"}]))
    printed = json.loads(halo("ingest", "agg.json", "--db", tmp_path / "other", "--json", cwd=tmp_path).stdout)
    answer = served.post(INGEST, files=[part("agg.json", (tmp_path / "agg.json").read_bytes())], headers=bearer(token))
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    Verdict.model_validate_json(answer.content, strict=True)
    assert {**answer.json(), "snapshot": None} == {**printed, "snapshot": None}


def test_the_sender_is_kept_and_no_temporary_path_is(served: TestClient, token: str) -> None:
    files = [part("runs/agg.json", [fixed(8)]), part("broken.json", b"{")]
    served.post(INGEST, files=files, headers=bearer(token))
    row = served.get("/api/v1/points").json()["rows"][0]
    said = served.get(f"/api/v1/points/{row['id']}").json()["provenance"]
    assert said["sent_by"] == ["ci"]
    assert said["places"] == [{"place": "upload:ci/runs/agg.json", "where": "row 1"}]
    assert [each["path"] for each in served.get("/api/v1/rejections").json()["rejections"]] == ["upload:ci/broken.json"]
    page = served.get("/data").text
    assert "Sent here" in page
    assert tempfile.gettempdir() + "/" not in page + json.dumps(said)
    assert token not in page


def test_the_run_may_be_named_else_each_file_is_one(served: TestClient, token: str) -> None:
    files = [part("a/agg.json", [fixed(8)]), part("b/agg.json", [fixed(8, median_tpot=0.03)])]
    served.post(INGEST, files=files, headers=bearer(token))
    runs = {row["run"] for row in served.get("/api/v1/points", params={"runs": "all"}).json()["rows"]}
    assert len(runs) == 2
    again = served.post(INGEST, files=files, headers=bearer(token)).json()
    assert again["totals"]["duplicates"] == 2
    served.post(INGEST, files=[part("a.json", [fixed(16)])], data={"run": "nightly-7"}, headers=bearer(token))
    named = served.get("/api/v1/points", params={"run": "nightly-7"}).json()
    assert named["count"] == 1


def test_what_files_do_not_say_may_be_sent_with_them(served: TestClient, token: str) -> None:
    row = fixed(8, precision=None)
    files = [part("runs/halo.toml", b'precision = "fp4"\n'), part("runs/deep/agg.json", [row])]
    verdict = served.post(INGEST, files=files, data={"set": ["chip=b200", "chip_count=16"]}, headers=bearer(token))
    assert verdict.json()["totals"]["new"] == 1
    found = served.get("/api/v1/points").json()["rows"][0]
    assert (found["chip"], found["chip_count"], found["precision"]) == ("b200", 16, "fp4")


def test_a_zip_is_opened_and_a_bomb_is_not(served: TestClient, token: str) -> None:
    packed, bomb = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("sub/agg.json", json.dumps([fixed(8)]))
        archive.writestr("../out.json", json.dumps([fixed(4)]))
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.json", b"0" * (64 << 20))
    files = [part("good.zip", packed.getvalue()), part("bomb.zip", bomb.getvalue())]
    verdict = served.post(INGEST, files=files, headers=bearer(token)).json()
    reasons = [refused["reason"] for file in verdict["files"] for refused in file["refused"]]
    assert verdict["totals"]["new"] == 1
    assert any("leads out of the archive" in reason for reason in reasons)
    assert any("times its size" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/agg.json", "etc/agg.json"),
        ("/abs/agg.json", "abs/agg.json"),
        ("..", "unnamed"),
    ],
)
def test_a_name_that_leads_elsewhere_leads_nowhere(served: TestClient, token: str, name: str, kept: str) -> None:
    verdict = served.post(INGEST, files=[part(name, [fixed(8)])], headers=bearer(token)).json()
    assert verdict["files"][0]["path"] == kept
    assert sent_name("C:\\runs\\a\0b.json") == "C:/runs/a�b.json"


@pytest.mark.parametrize(
    ("data", "parameter", "words"),
    [
        ({"set": ["chp=x"]}, "set", "did you mean chip"),
        ({"run": ["a", "b"]}, "run", "given twice"),
        ({"run": ["x" * 200]}, "run", "120"),
        ({"snapshot": ["1"]}, "snapshot", "there is no field"),
    ],
)
def test_a_field_that_means_nothing_is_named(
    served: TestClient, token: str, data: dict[str, list[str]], parameter: str, words: str
) -> None:
    answer = served.post(INGEST, files=[part("a.json", [fixed(8)])], data=data, headers=bearer(token))
    assert answer.status_code == 400
    assert answer.json()["parameter"] == parameter
    assert words in answer.json()["detail"]


def test_what_is_no_form_or_holds_no_file_is_refused(served: TestClient, token: str) -> None:
    assert served.post(INGEST, content=b"[]", headers=bearer(token)).status_code == 415
    assert served.post(INGEST, data={"run": "x"}, files={}, headers=bearer(token)).status_code == 415
    kind = {"content-type": "multipart/form-data; boundary=b"}
    for body in (b"no form at all", b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n", b"--b--\r\n"):
        assert served.post(INGEST, content=body, headers={**bearer(token), **kind}).status_code == 400
    assert served.post(INGEST, content=b"", headers={**bearer(token), "content-type": "multipart/form-data"}).is_error
    for name in ("run", "preview"):
        answer = served.post(f"{INGEST}?{name}=x", files=[part("a", b"[]")], headers=bearer(token))
        assert (answer.status_code, answer.json()["parameter"]) == (400, name)


@pytest.mark.parametrize("cut", [2, 5, 40, 300])
@pytest.mark.parametrize("address", [INGEST, "/api/v1/preview"])
def test_a_form_without_its_last_boundary_was_cut_and_nothing_of_it_is_stored(
    served: TestClient, token: str, address: str, cut: int
) -> None:
    parts = [part("a.json", [fixed(8)]), part("b.json", [fixed(16)])]
    request = served.build_request("POST", address, files=parts, headers=bearer(token))
    whole = request.read()
    kind = {"content-type": request.headers["content-type"], **bearer(token)}
    answer = served.post(address, content=whole.removesuffix(b"\r\n")[:-cut], headers=kind)
    assert answer.status_code == 400
    assert answer.json()["detail"] == CUT
    assert served.get("/api/v1/snapshots").json()["count"] == 0
    assert served.post(address, content=whole.removesuffix(b"\r\n"), headers=kind).status_code == 200


def test_other_methods_are_told_the_right_one(served: TestClient, token: str) -> None:
    for answer in (served.get(INGEST), served.put(INGEST), served.delete(INGEST)):
        assert answer.status_code == 405
        assert answer.headers["allow"] == "POST"
        assert "POST" in answer.json()["detail"]
    assert served.post("/api/v1/points").status_code == 405


def test_too_much_is_refused_by_what_it_says_and_by_what_comes(
    served: TestClient, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALO_UPLOAD_MIB", "1")
    large = part("a.json", b" " * (1 << 20))
    stated = served.post(INGEST, files=[large], headers=bearer(token))
    assert stated.status_code == 413
    assert "1 MiB" in stated.json()["detail"]
    body = httpx2.Request("POST", "http://x", files=[large])
    kind = {"content-type": body.headers["content-type"]}
    unstated = served.post(INGEST, content=iter([body.read()]), headers={**bearer(token), **kind})
    assert unstated.status_code == 413
    assert served.get("/api/v1/snapshots").json()["count"] == 0


def test_a_token_that_sends_too_often_waits_and_others_do_not(
    served: TestClient, folder: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALO_UPLOADS_A_MINUTE", "2")
    other = tokens.add(folder, "ann")
    said = [served.post(INGEST, files=[part("a.json", [fixed(8)])], headers=bearer(token)) for _ in range(3)]
    assert [answer.status_code for answer in said] == [200, 200, 429]
    assert 1 <= int(said[2].headers["retry-after"]) <= pace.WINDOW_S
    assert served.post(INGEST, files=[part("a.json", [fixed(8)])], headers=bearer(other)).status_code == 200


def test_a_clock_that_was_set_back_locks_nobody_out(folder: Path) -> None:
    folder.mkdir()
    (folder / "uploads.json").write_text(json.dumps({"ci": [9e12, 9e12]}))
    assert pace.admitted(folder, "ci", 1) == 0
    assert pace.admitted(folder, "ci", 1) > 0
    (folder / "uploads.json").write_bytes(b'{"ci": [')
    assert pace.admitted(folder, "ci", 1) == 0


def test_no_token_is_kept_and_the_file_is_its_owners(folder: Path) -> None:
    made = halo("token", "add", "ci", "--db", folder)
    token = made.stdout.strip()
    kept = folder / "tokens.json"
    assert token not in kept.read_text()
    assert token not in made.stderr
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert tokens.sender(token, tokens.tokens_of(folder, {})) == "ci"
    assert halo("token", "add", "ci", "--db", folder).returncode == 2
    assert halo("token", "add", "a b", "--db", folder).returncode == 2
    assert halo("token", "list", "--db", folder).stdout.startswith("ci\tsince ")
    assert halo("token", "remove", "ci", "--db", folder).returncode == 0
    assert halo("token", "remove", "ci", "--db", folder).returncode == 2
    assert tokens.tokens_of(folder, {}) == []


def test_tokens_may_stand_in_the_environment_plain_or_hashed(folder: Path) -> None:
    plain, hidden = "x" * 30, "y" * 30
    known = tokens.tokens_of(folder, {"HALO_TOKENS": f"ci={plain}, ann=sha256:{tokens.hashed(hidden)}"})
    assert [tokens.sender(each, known) for each in (plain, hidden, "z" * 30, "")] == ["ci", "ann", None, None]
    for wrong in ("ci=short", "ci", f"a b={plain}", f"={plain}"):
        with pytest.raises(StoreError, match="HALO_TOKENS"):
            tokens.tokens_of(folder, {"HALO_TOKENS": wrong})


def test_a_file_of_tokens_that_others_may_write_is_not_believed(folder: Path, token: str, served: TestClient) -> None:
    (folder / "tokens.json").chmod(0o666)
    answer = served.post(INGEST, files=[part("a.json", [fixed(8)])], headers=bearer(token))
    assert answer.status_code == 503
    assert "chmod 600" in answer.json()["detail"]


def test_of_eight_uploads_at_once_to_two_workers_none_is_lost(folder: Path, token: str) -> None:
    def send(number: int) -> Answer:
        files = [part(f"agg-{number}.json", [fixed(number, median_tpot=0.02 + number / 1000), agentic(number)])]
        return httpx2.post(address + INGEST, files=files, data={"run": f"r{number}"}, headers=bearer(token), timeout=60)

    with serving(folder, workers=2) as address, ThreadPoolExecutor(8) as many:
        answers = list(many.map(send, range(1, 9)))
        assert [answer.status_code for answer in answers] == [200] * 8
        assert [answer.json()["totals"]["new"] for answer in answers] == [2] * 8
        found = httpx2.get(f"{address}/api/v1/points", params={"runs": "all"}).json()
        assert found["count"] == 16
        assert {row["run"] for row in found["rows"]} == {f"r{number}" for number in range(1, 9)}
        snapshots = {answer.json()["snapshot"] for answer in answers}
        assert len(snapshots) == 8
        assert {each["id"] for each in httpx2.get(f"{address}/api/v1/snapshots").json()["snapshots"]} == snapshots


def test_a_sender_that_hangs_up_leaves_nothing_and_holds_up_nobody(folder: Path, token: str, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with serving(folder, TMPDIR=str(scratch)) as address:
        where = urlsplit(address)
        head = f"POST {INGEST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: 900000\r\n"
        begun = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n[' + b" " * 1000
        slow = [socket.create_connection((where.hostname or "", where.port or 0)) for _ in range(8)]
        for each in slow:
            each.sendall(f"{head}Content-Type: multipart/form-data; boundary=b\r\n\r\n".encode() + begun)
        answer = httpx2.post(address + INGEST, files=[part("b.json", [fixed(8)])], headers=bearer(token), timeout=30)
        assert answer.json()["totals"]["new"] == 1
        for each in slow:
            each.close()
        assert httpx2.get(f"{address}/api/v1/points").json()["count"] == 1
    assert os.listdir(scratch) == []  # noqa: PTH208
    assert {path.name for path in folder.iterdir() if path.suffix in (".tmp", ".next", ".parquet")} == set()


def test_what_a_killed_server_left_goes_with_the_next_upload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left, young = tmp_path / "halo-upload-left", tmp_path / "halo-upload-young"
    for folder in (left, young):
        (folder / "files").mkdir(parents=True)
    with laid("halo-upload-") as mine:
        for folder in (left, mine.parent):
            os.utime(folder, (0, 0))
        sweep("halo-upload-")
        assert mine.is_dir()
        assert (left.exists(), young.exists()) == (False, True)
    assert not mine.exists()
