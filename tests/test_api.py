"""The JSON API over real stores: the contract's shapes, filters against brute force, paging, exports, links."""

import csv
import io
import json
import math
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS
from app.details.words import filter_word
from app.web.exports.stamp import STAMP
from tests.points import point, stored
from tests.served import ODD_NAMES, client, demo_store, odd_store

Row = dict[str, Any]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(demo_store(tmp_path_factory.mktemp("demo")))


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(odd_store(tmp_path_factory.mktemp("odd")))


def rows(served: TestClient, **query: Any) -> list[Row]:
    """Every matching row, walked page by page."""
    found, cursor = [], None
    while True:
        answer = served.get("/api/v1/points", params={**query, **({"cursor": cursor} if cursor else {})})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["rows"]
        cursor = page["next"]
        if cursor is None:
            assert page["count"] == len(found)
            return found


def test_a_row_is_flat_and_has_every_dimension_and_metric(demo: TestClient) -> None:
    row = demo.get("/api/v1/points", params={"limit": 1}).json()["rows"][0]
    first = ["id", "config_id", "recipe_id", "run", "source", "origin"]
    offload = ["offload_mode", "offload_kind", "offload_tiers", "offload_backend", "offload_label"]
    assert list(row)[:6] == first
    assert {dimension.column for dimension in DIMENSIONS} <= set(row)
    assert {metric.key for metric in METRICS} <= set(row)
    assert set(offload) | {"flags"} <= set(row)
    assert not any(isinstance(value, dict) for value in row.values())


@pytest.mark.parametrize("limit", [1, 7, 100, 10_000])
def test_cursors_walk_over_all_rows_once(demo: TestClient, limit: int) -> None:
    query = {"runs": "all", "chip": "h200"} if limit == 1 else {"runs": "all"}
    walked = [row["id"] for row in rows(demo, limit=limit, **query)]
    assert walked == [row["id"] for row in rows(demo, **query)]
    assert len(walked) == len(set(walked)) > 0


@pytest.mark.parametrize("sort", ["-total_tput_per_chip", "ttft_p50_s", "chip", "-concurrency"])
def test_sorted_rows_are_walked_once_too_and_missing_values_come_last(odd: TestClient, sort: str) -> None:
    walked = rows(odd, limit=3, sort=sort, runs="all")
    assert len({row["id"] for row in walked}) == len(walked) == len(rows(odd, runs="all"))
    values = [row[sort.removeprefix("-")] for row in walked]
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=sort.startswith("-"))
    assert values == known + [None] * (len(values) - len(known))


def test_rows_sort_on_numbers_not_on_their_text(odd: TestClient) -> None:
    found = [row["total_tput_per_chip"] for row in rows(odd, sort="total_tput_per_chip", run="sweep")]
    assert [value for value in found if value in (114.0, 181.0, 1785.0)] == [114.0, 181.0, 1785.0]


def test_pages_fit_together_while_files_come_in(tmp_path: Path) -> None:
    stored(tmp_path, *(point(2**n, y=100.0 + n) for n in range(6)))
    served = client(tmp_path)
    first = served.get("/api/v1/points", params={"limit": 4}).json()
    stored(tmp_path, *(point(2**n, y=100.0 + n) for n in range(6)), point(999), run="run-b")
    second = served.get("/api/v1/points", params={"limit": 4, "cursor": first["next"]}).json()
    assert (second["snapshot"], second["count"], second["next"]) == (first["snapshot"], 6, None)
    assert len({row["id"] for row in first["rows"] + second["rows"]}) == 6
    assert served.get("/api/v1/points").json()["snapshot"] != first["snapshot"]


@pytest.mark.parametrize("key", [dimension.key for dimension in DIMENSIONS if dimension.link])
def test_a_filter_gives_what_going_through_all_rows_gives(demo: TestClient, odd: TestClient, key: str) -> None:
    column = DIMENSIONS[key].column
    for served in (demo, odd):
        every = rows(served, runs="all")
        values = {value for row in every for value in (row[column] if isinstance(row[column], list) else [row[column]])}
        for value in sorted(values, key=str):
            asked = "unknown" if value is None else filter_word(value)
            expected = {
                row["id"] for row in every if value in (row[column] if isinstance(row[column], list) else [row[column]])
            }
            got = {row["id"] for row in rows(served, runs="all", **{key: asked})}
            assert got == expected, (key, value)


@pytest.mark.parametrize(
    ("word", "keeps"),
    [
        ("on", lambda row: row["offload_mode"] == "on"),
        ("off", lambda row: row["offload_mode"] == "off"),
        ("unknown", lambda row: row["offload_mode"] == "unknown"),
        ("kv", lambda row: "kv" in (row["offload_kind"] or "")),
        ("parameter", lambda row: "parameter" in (row["offload_kind"] or "")),
    ],
)
def test_offload_filters_read_the_one_decision(demo: TestClient, word: str, keeps: Any) -> None:
    every = rows(demo)
    assert [row["id"] for row in rows(demo, offload=word)] == [row["id"] for row in every if keeps(row)]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_strange_names_come_through_links_unharmed(odd: TestClient, name: str) -> None:
    found = rows(odd, engine_version=name)
    assert [row["engine_version"] for row in found] == [name]
    assert [row["run"] for row in rows(odd, run=f"run {name}")] == [f"run {name}"]
    page = odd.get("/?" + urlencode({"engine_version": name}))
    assert page.status_code == 200
    assert odd.get(f"/api/v1/points/{found[0]['id']}").json()["engine_version"] == name


def test_numbers_that_are_not_finite_break_nothing_and_never_come_out(odd: TestClient) -> None:
    for address in ("/api/v1/points", "/api/v1/frontier", "/api/v1/figures/pareto", "/api/v1/points.csv", "/"):
        text = odd.get(address).text
        assert ":NaN" not in text
        assert "Infinity" not in text
    broken = next(row for row in rows(odd, run="sweep") if row["concurrency"] == 16)
    assert broken["total_tput_per_chip"] is None
    assert odd.get(f"/api/v1/points/{broken['id']}").status_code == 200


def test_the_frontier_counts_what_it_leaves_out(odd: TestClient) -> None:
    answer = odd.get("/api/v1/frontier", params={"model": "dsr1", "workload": "1k/1k"}).json()
    drawn = sum(len(series["points"]) for series in answer["series"])
    assert drawn + sum(item["count"] for item in answer["left_out"]) == answer["count"]
    assert sum(item["count"] for item in answer["left_out"]) == 2


def test_all_0_leaves_exactly_the_dominated_points_out(demo: TestClient) -> None:
    whole = demo.get("/api/v1/frontier").json()
    best = demo.get("/api/v1/frontier", params={"all": "0"}).json()
    assert [item["key"] for item in whole["series"]] == [item["key"] for item in best["series"]]
    assert sum(len(item["points"]) for item in best["series"]) < sum(len(item["points"]) for item in whole["series"])
    for one, other in zip(whole["series"], best["series"], strict=True):
        assert [p for p in one["points"] if p["frontier"]] == other["points"]


def test_the_frontier_is_computed_and_told_without_rounding(odd: TestClient) -> None:
    answer = odd.get("/api/v1/frontier", params={"model": "dsr1", "workload": "1k/1k"}).json()
    by_id = {row["id"]: row for row in rows(odd)}
    for series in answer["series"]:
        for spot in series["points"]:
            row = by_id[spot["id"]]
            assert (spot["x"], spot["y"]) == (row[answer["x"]], row[answer["y"]])
            assert (spot["offload_kind"], spot["offload_label"]) == (row["offload_kind"], row["offload_label"])


def test_without_a_model_the_frontier_says_which_it_took(demo: TestClient) -> None:
    answer = demo.get("/api/v1/frontier").json()
    assert answer["notes"]
    assert (len(answer["group"]["model"]), len(answer["group"]["workload"])) == (1, 1)
    assert {row["model"] for row in rows(demo)} > set(answer["group"]["model"])


@pytest.mark.parametrize("name", ["pareto", "curve"])
def test_a_figure_names_its_snapshot_and_what_it_left_out(demo: TestClient, name: str) -> None:
    answer = demo.get(f"/api/v1/figures/{name}").json()
    assert set(answer) == {"figure", "meta"}
    assert set(answer["figure"]) == {"data", "layout"}
    assert answer["meta"]["snapshot"] == demo.get("/healthz").json()["snapshot"]
    assert answer["meta"]["left_out"] == demo.get("/api/v1/frontier").json()["left_out"]


def test_an_earlier_snapshot_answers_with_the_same_bytes(tmp_path: Path) -> None:
    stored(tmp_path, point(8), point(16, y=1200.0))
    served = client(tmp_path)
    snapshot = served.get("/healthz").json()["snapshot"]
    one = served.get("/api/v1/points").json()["rows"][0]["id"]
    addresses = (
        "points",
        "points.csv",
        "points.parquet",
        "points.arrow",
        "frontier",
        "figures/pareto",
        "snapshots",
        "rejections",
        f"points/{one}",
    )
    before = {name: served.get(f"/api/v1/{name}", params={"snapshot": snapshot}).content for name in addresses}
    stored(tmp_path, point(8, y=905.0), point(32))
    stored(tmp_path, point(8, y=907.0), run="run-b")
    assert served.get("/healthz").json()["snapshot"] != snapshot
    after = {name: client(tmp_path).get(f"/api/v1/{name}", params={"snapshot": snapshot}).content for name in addresses}
    assert after == before


def test_csv_has_the_rows_of_the_api_with_numbers_as_numbers(odd: TestClient) -> None:
    answer = odd.get("/api/v1/points.csv", params={"runs": "all"})
    assert answer.headers["content-type"].startswith("text/csv")
    table = list(csv.DictReader(io.StringIO(answer.text)))
    every = rows(odd, runs="all")
    assert list(table[0]) == [*every[0], *STAMP]
    assert len(table) == len(every)
    for line, row in zip(table, every, strict=True):
        for metric in METRICS:
            value = row[metric.key]
            assert line[metric.key] == ("" if value is None else repr(value))
        assert line["offload_tiers"] == ">".join(row["offload_tiers"])


def test_csv_holds_no_text_that_a_spreadsheet_would_run(odd: TestClient) -> None:
    texts = [cell for line in csv.reader(io.StringIO(odd.get("/api/v1/points.csv").text)) for cell in line]
    assert "'+plus" in texts
    for text in texts:
        if text.startswith(("=", "+", "-", "@", "\t")):
            assert math.isfinite(float(text))


def test_csv_stops_at_the_limit(demo: TestClient) -> None:
    frozen = {"snapshot": demo.get("/healthz").json()["snapshot"]}
    whole = demo.get("/api/v1/points.csv", params=frozen).text.splitlines()
    assert demo.get("/api/v1/points.csv", params={**frozen, "limit": 3}).text.splitlines() == whole[:4]


def test_snapshots_and_rejections_tell_the_history(odd: TestClient) -> None:
    history = odd.get("/api/v1/snapshots").json()
    assert history["snapshots"][0]["id"] == history["snapshot"]
    assert [entry["seq"] for entry in history["snapshots"]] == list(range(history["count"], 0, -1))
    refused = odd.get("/api/v1/rejections").json()["rejections"]
    assert [(item["path"], item["where"], item["reason"]) for item in refused] == [
        ("broken.json", "row 3", "no throughput")
    ]


def test_vocabulary_holds_every_word_that_rows_use(demo: TestClient) -> None:
    words = demo.get("/api/v1/vocabulary").json()
    assert [item["key"] for item in words["metrics"]] == [metric.key for metric in METRICS]
    known = {item["key"] for item in words["chips"]}
    assert {row["chip"] for row in rows(demo) if row["chip"] and not row["chip"].startswith("other:")} <= known
    flags = {item["key"] for item in words["flags"]}
    assert {flag for row in rows(demo) for flag in row["flags"]} <= flags


def test_an_empty_store_answers_everything_with_nothing(tmp_path: Path) -> None:
    served = client(tmp_path)
    assert served.get("/api/v1/points").json() == {"snapshot": "empty", "count": 0, "rows": [], "next": None}
    assert served.get("/api/v1/frontier").json()["series"] == []
    for address in ("/", "/data", "/api/docs", "/api/openapi.json", "/api/v1/figures/pareto", "/api/v1/points.csv"):
        assert served.get(address).status_code == 200, address
    stored(tmp_path, point(8))
    assert served.get("/api/v1/points").json()["count"] == 1


def offload_of(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("offload_mode", "offload_kind", "offload_backend", "offload_label"))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_page_api_export_figure_and_frontier_agree_on_offload(
    demo: TestClient, odd: TestClient, data: st.DataObject
) -> None:
    served = data.draw(st.sampled_from([demo, odd]))
    row = data.draw(st.sampled_from(rows(served)))
    whole = served.get(f"/api/v1/points/{row['id']}").json()
    assert offload_of(whole) == offload_of(row)
    offload = whole["offload"]
    kinds = "+".join(kind for kind in ("kv", "parameter") if kind in offload["kinds"]) or None
    assert (offload["mode"], kinds, offload["backend"]["key"], offload["label"]) == offload_of(row)
    assert [tier["medium"] for tier in offload["tiers"]] == row["offload_tiers"]
    assert (row["offload_mode"] == "on") == bool(offload["kinds"])

    table = csv.DictReader(io.StringIO(served.get("/api/v1/points.csv").text))
    line = next(line for line in table if line["id"] == row["id"])
    assert (line["offload_mode"], line["offload_kind"] or None, line["offload_label"]) == (
        row["offload_mode"],
        kinds,
        row["offload_label"],
    )

    view = {"model": row["model"] or "unknown", "workload": row["workload"] or "unknown", "origin": row["origin"]}
    told = served.get("/api/v1/frontier", params=view).json()
    spots = [spot for series in told["series"] for spot in series["points"] if spot["id"] == row["id"]]
    assert [spot["offload_kind"] for spot in spots] in ([kinds], [])
    figure = served.get("/api/v1/figures/pareto", params=view).json()["figure"]
    rings = [trace for trace in figure["data"] if trace["meta"]["role"] == "ring" and row["id"] in trace["ids"]]
    assert len(rings) == (1 if spots and "kv" in offload["kinds"] else 0)
    assert row["offload_label"].split(" · ")[0] in served.get(f"/points/{row['id']}").text


def test_page_addresses_with_json_are_the_same_content(demo: TestClient) -> None:
    row = rows(demo, limit=1000)[0]
    for kind, key in (("points", row["id"]), ("configs", row["config_id"])):
        assert demo.get(f"/{kind}/{key}.json").content == demo.get(f"/api/v1/{kind}/{key}").content
        assert demo.get(f"/{kind}/{key}").headers["content-type"].startswith("text/html")


def test_every_answer_is_strict_json(odd: TestClient) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for row in rows(odd, runs="all"):
        json.loads(odd.get(f"/api/v1/points/{row['id']}").text, parse_constant=refuse)


def test_a_store_made_before_a_metric_existed_answers_with_it_missing(tmp_path: Path) -> None:
    published = stored(tmp_path, point(8))
    with duckdb.connect(str(tmp_path / f"snap-{published.snapshot}.duckdb")) as file:
        file.execute("ALTER TABLE points DROP COLUMN ttft_mean_s")
    served = client(tmp_path)
    (row,) = rows(served)
    assert (row["ttft_mean_s"], row["total_tput_per_chip"]) == (None, 900.0)
    assert served.get(f"/api/v1/points/{row['id']}").status_code == 200
    assert served.get("/").status_code == 200
