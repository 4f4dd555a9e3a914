"""`halo pull` against servers that answer as InferenceX and as another Halo do, and fail as real ones do."""

import gzip
import json
import math
import subprocess
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.details.row import COLUMNS
from app.store import files
from ingest import bodies
from ingest.pipeline import ingest
from ingest.pull import fetch
from ingest.pull.halo import address_of
from ingest.waiting import TRIES
from tests.publishing import Reply, Site, publishing
from tests.rows import fixed, write
from tests.running import free_port, halo, serving
from tests.served import client, demo_store, odd_store

MODEL = "DeepSeek-R1-0528"
ROWS = f"/api/v1/benchmarks model={MODEL}"
DAYS = "/api/v1/availability"
NOT_THE_SAME = ("config_id", "recipe_id", "newest_rank")
Row = dict[str, Any]


def served_row(conc: int = 8, day: str = "2026-09-03", run: int = 1, **changes: Any) -> Row:
    """A row as the API serves it, with figures made up."""
    row = {
        "id": str(1000 + conc),
        "hardware": "h200",
        "framework": "sglang",
        "model": "dsr1",
        "precision": "fp8",
        "spec_method": "none",
        "disagg": False,
        "is_multinode": False,
        "prefill_tp": 8,
        "prefill_ep": 1,
        "prefill_dp_attention": False,
        "prefill_num_workers": 0,
        "decode_tp": 8,
        "decode_ep": 1,
        "decode_dp_attention": False,
        "decode_num_workers": 0,
        "num_prefill_gpu": 8,
        "num_decode_gpu": 8,
        "benchmark_type": "single_turn",
        "isl": 1024,
        "osl": 1024,
        "conc": conc,
        "offload_mode": "off",
        "image": "sglang:v0.5.9",
        "metrics": {
            "tput_per_gpu": 100.0 + conc,
            "output_tput_per_gpu": 50.0 + conc / 2,
            "input_tput_per_gpu": 50.0 + conc / 2,
            "median_ttft": 0.2,
            "median_tpot": 0.02 + conc / 1000,
        },
        "workers": None,
        "date": day,
        "run_url": f"https://github.com/example/runs/actions/runs/{9000 + run}/attempts/1",
        **changes,
    }
    return {key: value for key, value in row.items() if value != "gone"}


def pull(site: Site | str, db: Path, *more: str) -> subprocess.CompletedProcess[str]:
    url = site if isinstance(site, str) else site.url
    return halo("pull", "inferencex", "--model", MODEL, "--url", url, "--db", db, "--delay", "0", *more)


def rows_of(db: Path) -> list[Row]:
    found: list[Row] = client(db).get("/api/v1/points", params={"runs": "all", "limit": 10_000}).json()["rows"]
    return found


def test_rows_come_in_once_and_the_second_time_nothing_is_new(tmp_path: Path) -> None:
    with publishing(**{ROWS: [Reply([served_row(8), served_row(16)])]}) as site:
        done = pull(site, tmp_path / "db", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["totals"]["new"] == 2
        again = pull(site, tmp_path / "db", "--json")
        assert json.loads(again.stdout)["files"] == []
        assert "nothing new at" in again.stderr
        assert site.asked[1][1]["if-none-match"]
        assert site.asked[0][1]["user-agent"].startswith("Halo/")
    rows = rows_of(tmp_path / "db")
    assert {row["chip_count"] for row in rows} == {8}
    assert {row["run"] for row in rows} == {"9001-1"}
    said = client(tmp_path / "db").get(f"/api/v1/points/{rows[0]['id']}").json()
    assert said["provenance"]["places"][0]["place"].endswith(f"/api/v1/benchmarks?model={MODEL}")
    assert str(tmp_path) not in json.dumps(said)


def test_whose_data_it_is_stands_wherever_its_points_are(tmp_path: Path) -> None:
    words = "InferenceX data, © 2026 SemiAnalysis LLC, Apache-2.0"
    write(tmp_path / "in" / "agg.json", [fixed(8, infmax_model_prefix="gptoss", model="openai/gpt-oss-120b")])
    ingest([tmp_path / "in"], tmp_path / "db")
    with publishing(**{ROWS: [Reply([served_row(8)])]}) as site:
        assert pull(site, tmp_path / "db").returncode == 0
    served = client(tmp_path / "db")
    theirs = next(row for row in rows_of(tmp_path / "db") if row["source"] == "inferencex-api")
    own = next(row for row in rows_of(tmp_path / "db") if row["source"] != "inferencex-api")
    assert theirs["attribution"].startswith(words)
    assert own["attribution"] is None
    assert served.get(f"/api/v1/points/{theirs['id']}").json()["attribution"].startswith(words)
    for page in (f"/points/{theirs['id']}", f"/configs/{theirs['config_id']}", "/?model=dsr1"):
        assert words in served.get(page).text, page
    for page in (f"/points/{own['id']}", f"/configs/{own['config_id']}", f"/?model={own['model']}"):
        assert words not in served.get(page).text, page


def test_a_first_day_brings_the_days_since_then_and_no_row_twice(tmp_path: Path) -> None:
    newest, middle = served_row(8, "2026-09-20", 3), served_row(8, "2026-09-03", 2)
    old = served_row(16, "2026-08-01", 1)
    days = [{"model": "dsr1", "date": day} for day in ("2026-08-01", "2026-09-03", "2026-09-20")]
    other = {"model": "llama70b", "date": "2026-09-10"}
    with publishing(
        **{
            ROWS: [newest, old],
            DAYS: [Reply([*days, other])],
            f"/api/v1/benchmarks date=2026-09-03 model={MODEL}": [middle, old][:1],
        }
    ) as site:
        site.answers[ROWS] = Reply([newest, old])
        site.answers[f"/api/v1/benchmarks date=2026-09-03 model={MODEL}"] = Reply([middle, old])
        done = pull(site, tmp_path / "db", "--since", "2026-09-01", "--json")
        assert json.loads(done.stdout)["totals"]["new"] == 2
        assert {row["run_time"] for row in rows_of(tmp_path / "db")} == {"2026-09-20", "2026-09-03"}
        before = len(site.asked)
        pull(site, tmp_path / "db", "--since", "2026-09-01")
        assert site.paths[before:] == [ROWS, DAYS]
        # An earlier first day wants rows that were left aside before.
        assert json.loads(pull(site, tmp_path / "db", "--json").stdout)["totals"]["new"] == 1


def test_what_broke_off_goes_on_from_there(tmp_path: Path) -> None:
    day = f"/api/v1/benchmarks date=2026-09-03 model={MODEL}"
    with publishing() as site:
        site.answers[ROWS] = Reply([served_row(8, "2026-09-20")])
        site.answers[DAYS] = Reply([{"model": "dsr1", "date": day} for day in ("2026-09-03", "2026-09-20")])
        site.answers[day] = Reply({"error": "Query failed"}, 500)
        broken = pull(site, tmp_path / "db", "--since", "2026-09-01")
        assert broken.returncode == 2
        assert "500: Query failed" in broken.stderr
        assert "goes on from there" in broken.stderr
        assert files.live_file(tmp_path / "db") is None
        site.answers[day] = Reply([served_row(8, "2026-09-03", 2)])
        done = pull(site, tmp_path / "db", "--since", "2026-09-01", "--json")
        assert json.loads(done.stdout)["totals"]["new"] == 2
        assert site.paths.count(ROWS) == 1
    assert list((tmp_path / "db" / "pulls").iterdir()) == []


@pytest.mark.parametrize(
    "failure",
    [
        Reply({"error": "slow down"}, 429, {"retry-after": "1"}),
        Reply(b"", 503),
        Reply(json.dumps([served_row(8)]).encode()[:300], length=5000),
        Reply(json.dumps([served_row(8)]).encode()[:300]),
    ],
    ids=["429", "503", "length", "cut"],
)
def test_what_passes_is_waited_for(tmp_path: Path, failure: Reply) -> None:
    with publishing(**{ROWS: [failure, Reply([served_row(8)])]}) as site:
        done = pull(site, tmp_path / "db", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["totals"]["new"] == 1
        assert "asking again in" in done.stderr


@pytest.mark.parametrize(
    ("reply", "words", "times"),
    [
        (Reply({"error": "slow down"}, 429, {"retry-after": "86400"}), "asks to wait 86400", 1),
        (Reply(json.dumps([served_row(8)]).encode()[:300], length=5000), "no whole answer", TRIES),
        (Reply(json.dumps([served_row(8)]).encode()[:300]), "damaged or cut short after 300 bytes", TRIES),
        (Reply(b"<!doctype html><title>hi</title>", headers={"content-type": "text/html"}), "a page (HTML)", 1),
        (Reply(b"", 302, {"location": "http://elsewhere.example/api"}), "another host, http://elsewhere.example", 1),
        (Reply(b"", 302, {"location": "/api/v1/benchmarks?model=DeepSeek-R1-0528"}), "more than 3 times", 4),
        (Reply({"data": [], "page": 1}), "an object with the keys data, page, where a list of rows is expected", 1),
        (Reply({"error": "unknown model"}, 400), "400: unknown model", 1),
    ],
    ids=["429", "length", "cut", "html", "host", "loop", "shape", "400"],
)
def test_what_does_not_pass_is_told_in_a_sentence(tmp_path: Path, reply: Reply, words: str, times: int) -> None:
    with publishing(**{ROWS: [reply]}) as site:
        done = pull(site, tmp_path / "db")
        assert len(site.asked) == times
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert files.live_file(tmp_path / "db") is None


def test_other_keys_are_named_and_rows_without_what_they_need_refused(tmp_path: Path) -> None:
    with publishing(**{ROWS: [Reply([served_row(8)])]}) as site:
        pull(site, tmp_path / "db")
        drifted = served_row(32, spec_method="gone", speculation="none")
        site.answers[ROWS] = Reply([served_row(8), served_row(16, new_key=1), drifted, "text"])
        done = pull(site, tmp_path / "db", "--json", "--strict")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert (report["totals"]["new"], report["totals"]["duplicates"], report["totals"]["refused"]) == (1, 1, 2)
    assert "1 rows lack 'spec_method'" in done.stderr
    assert "new_key, speculation" in done.stderr
    assert len(rows_of(tmp_path / "db")) == 2


def test_nobody_there_is_told(tmp_path: Path) -> None:
    done = pull(f"http://127.0.0.1:{free_port()}", tmp_path / "db")
    assert done.returncode == 2
    assert f"was asked {TRIES} times" in done.stderr
    assert "no address" in pull("nonsense", tmp_path / "db").stderr


def same_rows(here: list[Row], there: list[Row]) -> None:
    """Rows of a store that pulled equal those that were pulled, but for ids; prices to the last digit but one."""
    assert len(here) == len(there)
    for mine, theirs in zip(here, there, strict=True):
        for key in COLUMNS:
            if key not in NOT_THE_SAME:
                a, b = (sorted(row[key]) if key == "flags" else row[key] for row in (mine, theirs))
                assert a == b or (isinstance(a, float) and math.isclose(a, b, rel_tol=1e-12)), key


def pulled(from_: Path, into: Path, view: str = "") -> None:
    with serving(from_) as address:
        done = halo("pull", "halo", address, view, "--db", into, "--delay", "0")
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("made", [demo_store, odd_store], ids=["demo", "odd"])
def test_points_of_another_halo_keep_their_meaning(made: Any, tmp_path: Path) -> None:
    made(tmp_path / "a")
    pulled(tmp_path / "a", tmp_path / "b")
    same_rows(rows_of(tmp_path / "b"), rows_of(tmp_path / "a"))


def test_real_points_keep_their_meaning(shared_data: Path, tmp_path: Path) -> None:
    names = ("inferencex_agg_agentic_v3_real", "inferencex_api_rows_synthetic", "guidellm", "offload_compare_csv")
    ingest([shared_data / name for name in names if (shared_data / name).exists()], tmp_path / "a")
    there = rows_of(tmp_path / "a")
    assert {row["offload_mode"] for row in there} >= {"on", "off"}
    pulled(tmp_path / "a", tmp_path / "b")
    same_rows(rows_of(tmp_path / "b"), there)


def test_a_pulled_point_says_from_where_and_pulling_twice_is_once(tmp_path: Path) -> None:
    demo_store(tmp_path / "a")
    with serving(tmp_path / "a") as address:
        view = "model=kimik2.5&offload=kv"
        assert halo("pull", "halo", f"{address}/?x=ttft_p50_s", view, "--db", tmp_path / "b").returncode == 0
        again = halo("pull", "halo", address, view, "--db", tmp_path / "b", "--json")
        assert "nothing new at" in again.stderr
        there = client(tmp_path / "a").get("/api/v1/points", params={"model": "kimik2.5", "offload": "kv"}).json()
    here = rows_of(tmp_path / "b")
    assert len(here) > 0
    assert {row["offload_kind"] for row in here} == {"kv"}
    remote = client(tmp_path / "b").get(f"/api/v1/points/{here[0]['id']}").json()["facts"]["remote"]
    assert remote["halo"] == address
    assert remote["snapshot"] == there["snapshot"]
    assert client(tmp_path / "a").get(f"/points/{remote['id']}?snapshot={remote['snapshot']}").status_code == 200


def test_what_another_halo_tells_never_replaces_a_record_of_ones_own(tmp_path: Path) -> None:
    write(tmp_path / "in" / "agg.json", [fixed(8)])
    ingest([tmp_path / "in"], tmp_path / "a", run="r1")
    ingest([tmp_path / "in"], tmp_path / "b", run="r1")
    whole = whole_of(client(tmp_path / "b"))
    pulled(tmp_path / "a", tmp_path / "b")
    after = whole_of(client(tmp_path / "b"))
    assert after["raw"] == whole["raw"]
    assert after["id"] == whole["id"]


def whole_of(served: TestClient) -> Row:
    rows = served.get("/api/v1/points", params={"runs": "all"}).json()["rows"]
    assert len(rows) == 1
    found: Row = served.get(f"/api/v1/points/{rows[0]['id']}").json()
    return found


def test_pages_of_another_halo_go_on_after_a_failure(tmp_path: Path) -> None:
    row = rows_of(demo_store(tmp_path / "a"))[0]
    first, second = "/api/v1/points limit=1000 runs=all", "/api/v1/points cursor=abc limit=1000 runs=all"
    page = {"snapshot": "000001-ab", "count": 2, "rows": [row], "next": "abc"}
    with publishing() as site:
        site.answers = {first: page, second: Reply({"detail": "bang"}, 500)}
        assert halo("pull", "halo", site.url, "--db", tmp_path / "b", "--delay", "0").returncode == 2
        site.answers[second] = {**page, "rows": [{**row, "run": "other", "id": "p0123456789ab"}], "next": None}
        done = halo("pull", "halo", site.url, "--db", tmp_path / "b", "--delay", "0", "--json")
        assert json.loads(done.stdout)["totals"]["new"] == 2
        assert site.paths == [first, second, second]
        site.answers = {first: {**page, "snapshot": "000002-cd"}, second: Reply({"detail": "no such snapshot"}, 404)}
        gone = halo("pull", "halo", site.url, "--db", tmp_path / "b", "--delay", "0")
        assert "pull again to begin anew" in gone.stderr


def test_a_row_of_a_newer_halo_is_read_as_far_as_it_is_known(tmp_path: Path) -> None:
    row = rows_of(demo_store(tmp_path / "a"))[0]
    rows = [
        {**row, "chip": "b900", "new_column": 1, "flags": ["from_the_future"]},
        {**row, "origin": "dreamt"},
        {key: value for key, value in row.items() if key != "offload_mode"},
        {**row, "offload_kind": "kv+soul"},
    ]
    with publishing() as site:
        page = {"snapshot": "s", "count": 4, "rows": rows, "next": None}
        site.answers = {"/api/v1/points limit=1000 runs=all": page}
        report = json.loads(halo("pull", "halo", site.url, "--db", tmp_path / "b", "--json").stdout)
    reasons = " ".join(each["reason"] for each in report["files"][0]["refused"])
    assert report["totals"]["new"] == 1
    assert "'dreamt'" in reasons
    assert "offload_mode is missing" in reasons
    assert "'kv+soul'" in reasons or "'soul'" in reasons
    warnings = " ".join(report["files"][0]["warnings"])
    assert "'new_column'" in warnings
    assert "'from_the_future'" in warnings
    assert rows_of(tmp_path / "b")[0]["chip"] == "other:b900"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "names a next page that was asked for already"),
        ({"next": "more", "rows": []}, "gave no row, and yet names a next page"),
        ({"count": 1, "next": None}, "gave 2 rows so far, of 1 that it says there are"),
        ({"next": 7}, "names a next page by int"),
        ({"count": "2"}, "counts its rows by str"),
        ({"rows": None}, "no page of a Halo"),
    ],
)
def test_pages_that_would_never_end_are_left(tmp_path: Path, change: Row, words: str) -> None:
    row = rows_of(demo_store(tmp_path / "a"))[0]
    page = {"snapshot": "s", "count": 9, "rows": [row], "next": "abc"}
    with publishing() as site:
        site.answers["/api/v1/points limit=1000 runs=all"] = page
        site.answers["/api/v1/points cursor=abc limit=1000 runs=all"] = {**page, **change}
        done = halo("pull", "halo", site.url, "--db", tmp_path / "b", "--delay", "0")
        assert len(site.paths) == 2
    assert done.returncode == 2
    assert words in done.stderr
    assert files.live_file(tmp_path / "b") is None


def test_rows_that_were_promised_and_did_not_come_are_told(tmp_path: Path) -> None:
    row = rows_of(demo_store(tmp_path / "a"))[0]
    with publishing() as site:
        page = {"snapshot": "s", "count": 3, "rows": [row], "next": None}
        site.answers["/api/v1/points limit=1000 runs=all"] = page
        done = halo("pull", "halo", site.url, "--db", tmp_path / "b")
    assert "said that there are 3 rows, and gave 1" in done.stderr


def test_null_is_an_answer_and_a_wrong_one(tmp_path: Path) -> None:
    with publishing(**{ROWS: Reply(b"null"), "/api/v1/points limit=1000 runs=all": Reply(b"null")}) as site:
        done = pull(site, tmp_path / "db")
        assert (done.returncode, "answered with null" in done.stderr) == (2, True)
        other = halo("pull", "halo", site.url, "--db", tmp_path / "b")
        assert (other.returncode, "no page of a Halo" in other.stderr) == (2, True)
        site.answers[ROWS] = Reply(status=304)
        done = pull(site, tmp_path / "db")
        assert (done.returncode, "though it was not asked that" in done.stderr) == (2, True)


def test_where_everything_is_refused_nothing_is_published_and_ci_hears_of_it(tmp_path: Path) -> None:
    with publishing(**{ROWS: Reply(["text", 1])}) as site:
        for _ in range(2):
            done = pull(site, tmp_path / "db", "--json")
            assert done.returncode == 1
            assert json.loads(done.stdout)["totals"]["refused"] == 1
            assert "everything that came was refused" in done.stderr
            assert files.live_file(tmp_path / "db") is None


def test_a_body_ends_by_size_or_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = Reply(gzip.compress(b" " * (3 << 20)), headers={"content-encoding": "gzip"})
    damaged = Reply(gzip.compress(b"[]")[:-9] + b"wrong....", headers={"content-encoding": "gzip"})
    monkeypatch.setattr(fetch, "pause", lambda _: None)
    with publishing(**{"/bomb": bomb, "/slow": Reply([1]), "/damaged": damaged}) as site, fetch.Fetcher() as fetcher:
        monkeypatch.setattr(bodies, "LARGEST", 1 << 20)
        with pytest.raises(fetch.NotFetched, match="more than 1 MiB once unpacked"):
            fetcher.get(f"{site.url}/bomb")
        with pytest.raises(fetch.NotFetched, match="no whole answer"):
            fetcher.get(f"{site.url}/damaged")
        monkeypatch.setattr(bodies, "LONGEST_S", -1.0)
        with pytest.raises(fetch.NotFetched, match="had not ended its answer after -1 s"):
            fetcher.get(f"{site.url}/slow")


def test_an_address_or_a_link_names_the_same_rows() -> None:
    base, rows = address_of("https://halo.example/?model=dsr1&cursor=x", "")
    assert base == "https://halo.example"
    assert rows == "https://halo.example/api/v1/points?model=dsr1&runs=all&limit=1000"
    assert address_of("https://halo.example", "model=dsr1")[1] == rows


def test_a_row_whose_interactivity_is_not_that_of_its_latency_is_refused(tmp_path: Path) -> None:
    rows = json.loads((Path(__file__).parent / "samples" / "halo_rows" / "points.json").read_bytes())
    rows["rows"][0]["itl_p50_s"] = 2.5
    (tmp_path / "points.json").write_text(json.dumps(rows))
    (told,) = ingest([tmp_path / "points.json"], tmp_path / "db").document()["files"]
    reasons = [one["reason"] for one in told["refused"]]
    assert "its interactivity_p50 is 55.5556, which is not 1 / 2.5 s, its itl there" in reasons
    assert told["points"] == 4 - len(reasons)
