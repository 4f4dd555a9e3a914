"""Files dropped to be looked at: laid over the store with all that a page can do, and the store stays as it was."""

import csv
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.series import PREVIEW
from app.web import preview, previews
from app.web.previews import PreviewGone
from ingest.pipeline import ingest
from tests.aiperf_runs import agents, over_time, write_run
from tests.dropped import NAME, fresh_run
from tests.served import client, demo_store

GROUP = "model=kimik2.5&workload=agentic:demo-traces"
ADDRESS = "/api/v1/preview"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_store(tmp_path_factory.mktemp("demo"))


@pytest.fixture
def served(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv(previews.DIRECTORY, str(tmp_path))
    return client(folder)


def dropped(served: TestClient, text: str | None = None, *, view: str = "", name: str = NAME, **headers: str) -> Any:
    content = fresh_run() if text is None else text
    return served.post(
        ADDRESS,
        files={"file": (name, content)},
        data={"view": view},
        headers={key.replace("_", "-"): value for key, value in headers.items()},
    )


def bytes_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_fresh_run_lies_over_the_stored_curves_and_nothing_is_stored(served: TestClient, folder: Path) -> None:
    before = bytes_of(folder)
    found = dropped(served, view=f"?{GROUP}&log=x&snapshot=none").json()
    assert [(file["path"], file["role"], file["new"]) for file in found["files"]] == [(NAME, "results", 67)]
    assert found["totals"]["new"] == found["count"] == len(found["rows"]) == 67
    assert all("not_stored" in row["flags"] for row in found["rows"])
    key = found["preview"]
    assert f"preview={key}" in found["address"]
    assert "log=x" in found["address"]

    series = found["figure"]["meta"]["series"]
    fresh = [one for one in series if one["key"].startswith(f"{PREVIEW}.")]
    stored = [one for one in series if one not in fresh]
    assert [one["points"] for one in fresh] == [67]
    assert len(stored) == 6, "the demo stays in sight, since there is nothing else"
    rings = [trace for trace in found["figure"]["figure"]["data"] if trace["meta"]["role"] == "ring"]
    ringed = {point for trace in rings if trace["meta"]["series"] == fresh[0]["key"] for point in trace["ids"]}
    assert ringed == {row["id"] for row in found["rows"] if row["offload_kind"] == "kv" and _is_drawn(row)}
    assert fresh[0]["color"] not in [one["color"] for one in stored]
    assert any(one["on_frontier"] for one in fresh)

    page = served.get(found["address"]).text
    assert "Nothing is stored" in page
    point = found["rows"][0]["id"]
    assert f'href="/points/{point}?preview={key}"' in page
    for address in (f"/points/{point}", f"/configs/{found['rows'][0]['config_id']}"):
        assert served.get(address).status_code == 404
        assert "Nothing is stored" in served.get(f"{address}?preview={key}").text
        assert served.get(f"{address}.json?preview={key}").status_code == 200
    for address in (f"/offload?{GROUP}&", "/plan?", "/data?", "/glossary?"):
        assert "Nothing is stored" in served.get(f"{address}preview={key}").text
    group = f"{GROUP}&origin=measured&origin=synthetic"
    count = served.get(f"/api/v1/points?{group}&limit=1").json()["count"]
    both = served.get(f"/api/v1/points?{group}&limit=1&preview={key}").json()
    assert both["count"] == count + 67
    assert served.get(f"/api/v1/points?{group}&limit=1&preview={key}&cursor={both['next']}").status_code == 200
    assert served.get(f"/api/v1/frontier?{GROUP}&preview={key}").status_code == 200
    assert bytes_of(folder) == before


def _is_drawn(row: dict[str, Any]) -> bool:
    return row["interactivity_p90"] is not None and row["total_tput_per_chip"] is not None


@pytest.mark.parametrize("run", ["fresh", "later"])
def test_stored_curves_stay_as_they_are_under_what_would_supersede_or_repeat_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: str
) -> None:
    monkeypatch.setenv(previews.DIRECTORY, str(tmp_path))
    (tmp_path / NAME).write_text(fresh_run(), encoding="utf-8")
    (tmp_path / "older.csv").write_text(fresh_run(run="older", faster=1.1), encoding="utf-8")
    folder = tmp_path / "store"
    ingest([tmp_path / "older.csv"], folder)
    ingest([tmp_path / NAME], folder)
    served = client(folder)
    found = dropped(served, fresh_run(run=run, faster=2.0), view=f"?{GROUP}").json()
    verdict = "superseded" if run == "fresh" else "new"
    assert (found["totals"][verdict], found["count"]) == (67, 67)
    key = found["preview"]

    for query in (GROUP, f"{GROUP}&runs=all", f"{GROUP}&run=fresh&run={run}", f"{GROUP}&run=older&run={run}"):
        bare = served.get(f"/api/v1/frontier?{query}").json()
        over = served.get(f"/api/v1/frontier?{query}&preview={key}").json()
        stored, fresh = _apart(over["series"])
        assert stored == bare["series"], query
        assert [len(one["points"]) for one in fresh] == [67], query
        assert any(point["frontier"] for point in fresh[0]["points"])

    rows = {row["id"]: row for row in _points(served, "runs=all")}
    over = {row["id"]: row for row in _points(served, f"runs=all&preview={key}")}
    assert {point: over[point] for point in rows} == rows, "ranks and flags too"
    assert over.keys() - rows.keys() == {row["id"] for row in found["rows"]}
    assert {row["newest_rank"] for row in found["rows"]} == {1}
    said = f"{67} other repeats not shown"
    assert said in served.get(f"/?{GROUP}").text
    assert said in served.get(f"/?{GROUP}&preview={key}").text
    for row in (found["rows"][0], next(iter(rows.values()))):
        told = served.get(f"/api/v1/points/{row['id']}?preview={key}").json()
        assert told["total_tput_per_chip"] == row["total_tput_per_chip"]


def test_requests_of_stored_and_of_previewed_runs_are_read_from_inside_a_preview(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(previews.DIRECTORY, str(tmp_path))
    folder, fresh = tmp_path / "store", tmp_path / "fresh"
    ingest([write_run(tmp_path / "run", *agents(), server=over_time())], folder)
    write_run(fresh, *list(agents())[:3])
    served = client(folder)
    (stored,) = served.get("/api/v1/points").json()["rows"]
    bare = served.get(f"/api/v1/points/{stored['id']}/series").json()
    parts = [
        ("file", (path.relative_to(tmp_path).as_posix(), path.read_bytes()))
        for path in sorted(fresh.rglob("*"))
        if path.is_file()
    ]
    found = served.post(ADDRESS, files=parts).json()
    (row,) = found["rows"]
    key = found["preview"]
    over = served.get(f"/api/v1/points/{stored['id']}/series?preview={key}").json()
    assert {name: over[name] for name in ("requests", "server", "files")} == {
        name: bare[name] for name in ("requests", "server", "files")
    }
    assert over["requests"]["requests"] == len(list(agents()))
    own = served.get(f"/api/v1/points/{row['id']}/series?preview={key}").json()
    assert own["requests"]["requests"] == 3


def _apart(series: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Series of the store, and those of the preview."""
    fresh = [one for one in series if one["key"].startswith(f"{PREVIEW}.")]
    return [one for one in series if one not in fresh], fresh


def _points(served: TestClient, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = served.get(f"/api/v1/points?{GROUP}&{query}&limit=1000").json()["rows"]
    return found


def test_a_preview_lies_over_no_earlier_snapshot_and_says_so(served: TestClient) -> None:
    earlier = served.get("/api/v1/snapshots").json()["snapshots"][0]["id"]
    key = dropped(served).json()["preview"]
    own = served.get(f"/api/v1/points?limit=1&preview={key}").json()["snapshot"]
    for address in ("/api/v1/points", "/api/v1/report", "/api/v1/figures/pareto", "/plan.json"):
        answer = served.get(f"{address}?preview={key}&snapshot={earlier}")
        assert answer.status_code == 400, address
        assert "leave out snapshot or preview" in answer.json()["detail"]
        assert served.get(f"{address}?preview={key}&snapshot={own}").status_code == 200, address
    for address in ("/", "/offload", "/plan", "/data"):
        page = served.get(f"{address}?preview={key}&snapshot={earlier}")
        assert page.status_code == 200, address
        assert "shows no earlier one" in page.text, address


def test_what_the_store_has_already_makes_no_preview(served: TestClient) -> None:
    text = Path("data/demo/kimi_agentic.csv").read_text(encoding="utf-8")
    first = dropped(served, text, name="kimi_agentic.csv").json()
    assert first["totals"]["points"] == first["totals"]["duplicates"] + first["totals"]["new"]
    assert (first["preview"], first["totals"]["new"]) == (None, 0)
    page = served.get(first["address"])
    assert page.status_code == 200
    pins = re.findall(r"point=(p[0-9a-f]+)", first["address"])
    assert len(pins) == preview.PINS
    stored = served.get(f"/api/v1/frontier{first['address'].removeprefix('/')}").json()
    assert set(pins) <= {point["id"] for series in stored["series"] for point in series["points"]}
    nothing = dropped(served, "no result at all\n", name="notes.txt").json()
    assert (nothing["preview"], nothing["address"], nothing["rows"]) == (None, None, [])
    assert nothing["files"][0]["refused"]


def chipless() -> str:
    """A fresh run in whose table no column says the chip."""
    rows = list(csv.DictReader(io.StringIO(fresh_run())))
    text = io.StringIO()
    names = [name for name in rows[0] if name not in ("chip", "chip_count", "tp", "pp", "ep", "dp")]
    writer = csv.DictWriter(text, names, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def test_what_no_file_says_is_asked_for_and_may_be_said_beside_them(served: TestClient) -> None:
    files = {"file": (NAME, chipless())}
    bare = served.post(ADDRESS, files=files).json()
    asked = {ask["name"]: ask for ask in bare["asks"]}
    assert list(asked) == bare["files"][0]["needs"] == ["chip", "chip_count"]
    assert {"value": "b200", "label": "B200"} in asked["chip"]["options"]
    assert asked["chip_count"]["number"]
    assert all(row["chip"] is None and row["total_tput_per_chip"] is None for row in bare["rows"])

    said = served.post(ADDRESS, files=files, data={"set": ["chip=MI355X", "chip_count=8"], "run": "nightly"}).json()
    assert (said["asks"], said["files"][0]["needs"]) == ([], [])
    assert {(row["chip"], row["chip_count"]) for row in said["rows"]} == {("mi355x", 8)}
    assert all(row["total_tput_per_chip"] for row in said["rows"])
    run = served.post(ADDRESS, files={"file": (NAME, runless())}, data={"run": "nightly"}).json()
    assert {row["run"] for row in run["rows"]} == {"nightly"}


def runless() -> str:
    return fresh_run(run="")


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [("banana", "1", "banana"), ("set", "banana=1", "banana"), ("set", "chip", "key=value"), ("run", "x" * 200, "run")],
)
def test_a_field_that_means_nothing_is_refused_by_name(served: TestClient, field: str, value: str, word: str) -> None:
    answer = served.post(ADDRESS, files={"file": (NAME, fresh_run())}, data={field: value})
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
    assert answer.json()["parameter"] == field
    assert word in answer.json()["detail"]


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"origin": "http://testserver:81", "sec_fetch_site": "same-origin"},
    ],
)
def test_a_page_of_another_origin_is_refused(served: TestClient, headers: dict[str, str]) -> None:
    answer = dropped(served, **headers)
    assert (answer.status_code, answer.headers["content-type"]) == (403, "application/problem+json")


def test_this_dashboard_and_a_terminal_are_not(served: TestClient) -> None:
    own = dropped(served, "nothing", origin="http://testserver", sec_fetch_site="same-origin")
    assert own.status_code == 200


def test_what_is_no_form_or_too_large_is_refused_with_a_sentence(
    served: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert served.post(ADDRESS, json={}).status_code == 415
    assert served.post(ADDRESS, data={"view": ""}, files={}).status_code in (400, 415)
    cut = served.post(ADDRESS, content=b"--x\r\nnothing", headers={"content-type": "multipart/form-data; boundary=x"})
    assert cut.status_code == 400
    monkeypatch.setenv("HALO_PREVIEW_MIB", "1")
    answer = dropped(served, "x" * (1 << 20))
    assert answer.status_code == 413
    assert "HALO_PREVIEW_MIB" in answer.json()["detail"]

    def unstated() -> Any:
        yield b'--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
        for _ in range(20):
            yield b"x" * (1 << 17)

    head = {"content-type": "multipart/form-data; boundary=x"}
    assert served.post(ADDRESS, content=unstated(), headers=head).status_code == 413
    assert served.get(ADDRESS).status_code == 405


def test_hostile_files_cost_themselves_and_reach_nothing(served: TestClient, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.json", b"0" * (64 << 20))
        archive.writestr("../../escaped.json", b"{}")
        archive.writestr("good.csv", fresh_run())
    files = [
        ("file", ("bomb.zip", packed.getvalue())),
        ("file", ("../../../outside.json", b"{")),
        ("file", ("a/b.json", b"[")),
        ("file", ("a/b.json", b"[[")),
        ("file", ("a", b"{}")),
    ]
    found = served.post(ADDRESS, files=files).json()
    assert found["totals"]["new"] == 67
    assert not list(tmp_path.rglob("escaped.json"))
    assert not list(tmp_path.rglob("outside.json"))
    refused = {file["path"]: file["refused"] for file in found["files"] if file["refused"]}
    assert any("bomb.json" in path for path in refused)
    assert all(".." not in path.partition("!")[0] for path in refused)
    assert str(tmp_path) not in str(found)


def test_another_worker_finds_it_and_the_end_of_its_maker_takes_it_away(served: TestClient, folder: Path) -> None:
    key = dropped(served).json()["preview"]
    other = client(folder)
    assert other.get(f"/?preview={key}").status_code == 200
    served.app.routes.state.previews.close()  # type: ignore[attr-defined]
    gone = other.get(f"/?preview={key}")
    assert gone.status_code == 410
    assert "Drop the files on the dashboard again" in gone.text
    assert other.get(f"/api/v1/points?preview={key}").json()["status"] == 410


@pytest.mark.parametrize("key", ["none", "../../etc", "0123456789abcdef", "%2e%2e", "0123456789abcdef.making"])
def test_an_id_that_was_never_given_is_gone_and_leads_nowhere(served: TestClient, key: str) -> None:
    assert served.get(f"/?preview={key}").status_code == 410
    with pytest.raises(PreviewGone):
        served.app.routes.state.previews.store(key)  # type: ignore[attr-defined]


def test_the_oldest_makes_room_and_the_hour_ends(
    served: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(previews, "MOST", 1)
    first, second = (dropped(served).json()["preview"] for _ in range(2))
    assert served.get(f"/api/v1/frontier?preview={first}").status_code == 410
    assert served.get(f"/api/v1/frontier?preview={second}").status_code == 200
    monkeypatch.setattr(previews, "KEPT_S", 0)
    assert served.get(f"/api/v1/frontier?preview={second}").status_code == 410
    assert len(re.findall(second, str(list(tmp_path.iterdir())))) <= 1
