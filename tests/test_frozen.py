"""A frozen link answers the same bytes for good: whatever is added, corrected, removed or refused afterwards."""

import random
from pathlib import Path
from urllib.parse import urlencode

import pytest

from app.catalog.point import Cache
from app.store.publish import publish, retire
from app.store.read import Store
from app.store.rows import Arrival, Rejection
from app.web.exports.routes import MEDIA
from tests.points import CHIP, arrival, kv, point, shares
from tests.served import client

LOADS = (4, 8, 16, 32)
PUBLISHES = 50


def table(turn: int, dice: random.Random) -> list[Arrival]:
    """What a small results file may hold: known points unchanged, corrected or told more, and new ones."""
    run = f"run-{dice.randrange(6)}"
    arrivals = []
    for load in dice.sample(LOADS, dice.randint(1, len(LOADS))):
        offload = kv() if dice.random() < 0.5 else None
        made = point(
            load,
            x=60.0 - load + dice.randrange(3),
            y=None if dice.random() < 0.1 else 500.0 + 20 * load + dice.randrange(200),
            offload=offload,
            cache=shares(hbm=300, host_dram=dice.randrange(1, 5) * 100) if offload else Cache(),
            metrics={"ttft_p50_s": 0.2 + dice.random()},
            workload=dice.choice(("1k/1k", "8k/1k")),
            chip=dice.choice(("b200", "h200")),
            origin=dice.choice(("measured", "measured", "measured", "predicted", "synthetic")),
            engine_version=dice.choice(("0.14.1", "0.15.0")),
            run_time=dice.choice((None, f"2026-0{dice.randrange(1, 9)}-11T00:00:00Z")),
        )
        supplied = {"note": str(turn)} if dice.random() < 0.2 else {}
        arrivals.append(arrival(made, run=run, place=f"{run}/{load}.json", supplied=supplied))
    return arrivals


def ingest(folder: Path, turn: int, dice: random.Random) -> None:
    if turn % 10 == 9:
        retire(folder, dice.choice(("synthetic", "predicted")))
        return
    refused = [Rejection(path=f"bad-{turn}.json", where="row 1", reason="no throughput", source="by-hand")]
    publish(folder, table(turn, dice), refused if dice.random() < 0.3 else [])


def addresses(folder: Path) -> list[str]:
    """What a reader may have copied while this snapshot was the newest."""
    snapshot = Store(folder).snapshot()
    held = urlencode({"snapshot": snapshot.id})
    rows = client(folder).get(f"/api/v1/points?runs=all&{held}").json()["rows"]
    first, last = rows[0], rows[-1]
    return [
        f"/api/v1/points?runs=all&{held}",
        f"/api/v1/points?sort=-ttft_p50_s&limit=3&{held}",
        *(f"/api/v1/points.{kind}?{held}" for kind in MEDIA),
        f"/api/v1/report?{held}",
        f"/api/v1/frontier?chip=b200&{held}",
        f"/api/v1/frontier?{held}",
        f"/api/v1/figures/pareto?all=0&log=y&{held}",
        f"/api/v1/figures/offload_pairs?{held}",
        f"/api/v1/offload?{held}",
        f"/api/v1/compare?at=40&{held}",
        f"/api/v1/history?{held}",
        f"/api/v1/history?at=40&chip=b200&{held}",
        f"/api/v1/snapshots?{held}",
        f"/api/v1/rejections?{held}",
        f"/api/v1/changes?{held}",
        f"/api/v1/changes?{urlencode({'from': 'empty', 'to': snapshot.id})}",
        f"/api/v1/plan?point={last['id']}&{held}",
        *(f"/api/v1/points/{row['id']}?{held}" for row in (first, last)),
        *(f"/points/{row['id']}.json?{held}" for row in (first, last)),
        f"/api/v1/points/{first['id']}/series?{held}",
        f"/configs/{first['config_id']}.json?price=hyp&{held}",
    ]


@pytest.mark.parametrize("seed", [5, 11])
def test_frozen_links_answer_the_same_bytes_after_fifty_ingests(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    kept: dict[str, bytes] = {}
    for turn in range(PUBLISHES):
        ingest(tmp_path, turn, dice)
        if turn in (0, 7, 21, 39):
            served = client(tmp_path)
            for address in addresses(tmp_path):
                answer = served.get(address)
                assert answer.status_code == 200, (address, answer.text)
                kept[address] = answer.content
    assert len(Store(tmp_path).snapshot().snapshots()) > PUBLISHES / 2
    served = client(tmp_path)
    changed = [address for address, before in kept.items() if served.get(address).content != before]
    assert changed == []


def test_a_page_of_an_earlier_snapshot_says_so_and_leads_to_the_newest(tmp_path: Path) -> None:
    publish(tmp_path, [arrival(point(8, run_time="2026-02-03T10:00:00Z"))])
    held = Store(tmp_path).snapshot().id
    publish(tmp_path, [arrival(point(16), run="run-b")])
    newest = Store(tmp_path).snapshot().id
    served = client(tmp_path)
    point_id = served.get("/api/v1/points").json()["rows"][0]["id"]
    config_id = served.get("/api/v1/points").json()["rows"][0]["config_id"]
    for path in (
        "/",
        "/offload",
        "/compare",
        "/history",
        "/data",
        f"/points/{point_id}",
        f"/configs/{config_id}",
        f"/plan?point={point_id}",
    ):
        mark = "&" if "?" in path else "?"
        old = served.get(f"{path}{mark}snapshot={held}").text
        assert f"As of snapshot <code>{held}</code>, newest run of 2026-02-03; newer data exists." in old, path
        assert f'<a class="link" href="{path}"' in old, path
        assert f"/data/changes?from={held}&amp;to={newest}" in old
        narrow = served.get(f"{path}{mark}chip={CHIP}&y=total_tput&snapshot={held}").text
        assert f'/data/changes?from={held}&amp;to={newest}&amp;chip={CHIP}"' in narrow
        for page in (served.get(path).text, served.get(f"{path}{mark}snapshot={newest}").text):
            assert "newer data exists" not in page
            assert "Copy frozen link" in page
    assert "Copy frozen link" not in served.get("/glossary").text
    assert "Copy frozen link" not in served.get("/plan").text


def test_changes_tell_what_was_added_corrected_and_removed(tmp_path: Path) -> None:
    publish(tmp_path, [arrival(point(8, y=1000.0)), arrival(point(16), run="run-b", place="b.json")])
    publish(tmp_path, [arrival(point(32, origin="predicted"), run="run-c", place="c.json")])
    middle = Store(tmp_path).snapshot().id
    publish(
        tmp_path, [arrival(point(8, y=1100.0, engine_version=None)), arrival(point(64), run="run-d", place="d.json")]
    )
    retire(tmp_path, "predicted")
    served = client(tmp_path)
    found = served.get("/api/v1/changes", params={"from": middle}).json()
    assert found["counts"] == {"changed": 1, "added": 1, "retired": 1}
    changed, added, retired = found["changes"]
    assert [entry["kind"] for entry in found["changes"]] == ["changed", "added", "retired"]
    number = next(item for item in changed["numbers"] if item["metric"] == "total_tput_per_chip")
    assert (number["before"], number["after"], number["better"]) == (1000.0, 1100.0, True)
    assert number["change"] == pytest.approx(0.1)
    assert (added["point"]["concurrency"], retired["point"]["origin"]) == (64.0, "predicted")
    moved = {item["metric"]: item for item in found["metrics"]}
    assert moved["total_tput_per_chip"]["points"] == moved["total_tput_per_chip"]["up"] == 1
    one = served.get("/api/v1/changes", params={"from": middle, "limit": 1}).json()
    walked = list(one["changes"])
    while one["next"]:
        one = served.get("/api/v1/changes", params={"from": middle, "limit": 1, "cursor": one["next"]}).json()
        walked += one["changes"]
    assert walked == found["changes"]
    assert served.get("/api/v1/changes", params={"from": middle, "origin": "predicted"}).json()["count"] == 1
    page = served.get("/data/changes", params={"from": middle}).text
    assert "1,000.0 → 1,100.0 tok/s/chip" in page
    assert served.get("/data/changes.json", params={"from": middle}).json()["count"] == 3


def test_ends_that_are_not_there_are_named(tmp_path: Path) -> None:
    for n in range(3):
        publish(tmp_path, [arrival(point(8 + n), run=f"run-{n}")])
    first, _, last = Store(tmp_path).snapshot().names().values()
    served = client(tmp_path)
    missing = served.get("/api/v1/changes?from=nope")
    assert (missing.status_code, missing.json()["parameter"]) == (404, "from")
    turned = served.get(f"/api/v1/changes?from={last}&to={first}")
    assert (turned.status_code, turned.json()["parameter"]) == (400, "from")
    assert served.get("/api/v1/changes?cursor=nope").status_code == 400
    page = served.get(f"/data/changes?from={last}&to={first}&cursor=x")
    assert page.status_code == 200
    assert "it is newer than" in page.text
    assert "no such snapshot" in served.get("/data/changes?to=nope").text
    assert served.get(f"/api/v1/changes?from=empty&to={last}").json()["counts"]["added"] == 3
    assert served.get("/api/v1/points?snapshot=empty").json()["count"] == 0


def test_refusals_and_snapshots_come_page_by_page_and_demo_data_is_counted_apart(tmp_path: Path) -> None:
    publish(tmp_path, [arrival(point(load, origin="synthetic"), place=f"{load}.json") for load in LOADS])
    publish(
        tmp_path,
        [arrival(point(8), run="real")],
        [Rejection(path=f"{n}.json", where="file", reason="no throughput") for n in range(5)],
    )
    served = client(tmp_path)
    first = served.get("/api/v1/rejections?limit=3").json()
    second = served.get(f"/api/v1/rejections?limit=3&cursor={first['next']}").json()
    assert (first["count"], len(first["rejections"]), len(second["rejections"]), second["next"]) == (5, 3, 2, None)
    assert len({entry["path"] for entry in first["rejections"] + second["rejections"]}) == 5
    newest, oldest = served.get("/api/v1/snapshots").json()["snapshots"]
    assert newest["demo"] == {"points": 4, "new": 0, "superseded": 0, "removed": 0}
    assert oldest["demo"] == {"points": 4, "new": 4, "superseded": 0, "removed": 0}
    changes = served.get("/api/v1/changes?from=empty").json()
    assert (changes["counts"]["added"], changes["demo_left_aside"]) == (1, 4)
    for n in range(55):
        publish(tmp_path, [arrival(point(8, y=1.0 + n), run="real")])
    page = client(tmp_path).get("/data").text
    assert "Older snapshots" in page
    names = list(Store(tmp_path).snapshot().names().values())
    older = client(tmp_path).get(f"/data?before={names[7]}").text
    assert names[0] in older
    assert names[-2] not in older
