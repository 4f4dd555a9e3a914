"""Reports: one document of a view, the same in every form, and a shape that old readers go on reading."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from starlette.testclient import TestClient

from app.web.schemas.report import Report, report_schema
from tests.conftest import GOLDEN, ROOT
from tests.served import client, demo_store, odd_store

Document = dict[str, Any]
VIEWS = (
    "",
    "all=0&log=y",
    "x=ttft_p90_s&y=output_tput_per_chip",
    "x=concurrency",
    "color=run&runs=all",
    "offload=kv&at=20&at=40",
    "model=dsr1&workload=1k/1k&slo=ttft_mean_s:1",
)


@pytest.fixture(scope="module", params=[demo_store, odd_store], ids=["demo", "odd"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(request.param(tmp_path_factory.mktemp("store")))


def report(served: TestClient, query: str = "") -> Document:
    answer = served.get(f"/api/v1/report?{query}")
    assert answer.status_code == 200, answer.text
    found: Document = answer.json()
    return found


def test_the_schema_in_the_docs_is_the_one_that_answers_are_checked_against(request: pytest.FixtureRequest) -> None:
    path = ROOT / "docs" / "report.schema.json"
    text = json.dumps(report_schema(), indent=1, ensure_ascii=False) + "\n"
    if request.config.getoption("regold"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "make regold writes it; a change of type needs a new version"


@pytest.mark.parametrize("query", VIEWS)
def test_a_reader_of_version_1_reads_what_is_answered_today(served: TestClient, query: str) -> None:
    # Set aside when version 1 began. It must never be made anew: it stands for readers that are out there.
    reader = json.loads((GOLDEN / "report_v1.schema.json").read_text(encoding="utf-8"))
    found = report(served, query)
    jsonschema.Draft202012Validator(reader).validate(found)
    jsonschema.Draft202012Validator(report_schema()).validate(found)
    Report.model_validate_json(json.dumps(found), strict=True)


def test_the_old_reader_would_notice_a_key_that_goes_or_changes(served: TestClient) -> None:
    reader = jsonschema.Draft202012Validator(json.loads((GOLDEN / "report_v1.schema.json").read_text(encoding="utf-8")))
    found = report(served)
    assert reader.is_valid({**found, "news": 1, "series": [{**one, "news": 1} for one in found["series"]]})
    for key in reader.schema["required"]:
        assert not reader.is_valid({name: value for name, value in found.items() if name != key}), key
    for series in found["series"]:
        for point in series["points"]:
            assert not reader.is_valid({**found, "series": [{**series, "points": [{**point, "x": str(point["x"])}]}]})


def test_a_report_agrees_with_the_answers_it_joins(served: TestClient) -> None:
    found = report(served, "at=20&at=40")
    query = found["view"]
    curves = served.get(f"/api/v1/frontier?{query}").json()
    assert [{key: value for key, value in one.items() if key != "readings"} for one in found["series"]] == curves[
        "series"
    ]
    assert (found["left_out"], found["axes"], found["group"]) == (curves["left_out"], curves["axes"], curves["group"])
    assert found["compare"]["readings"] == served.get(f"/api/v1/compare?{query}").json()["readings"]
    pairs = served.get(f"/api/v1/offload?{query}").json()["pairs"]
    assert found["offload"]["pairs"] == pairs
    for series in found["series"]:
        assert [reading["x"] for reading in series["readings"]] == [20, 40]
        assert all(reading["series"] == series["key"] for reading in series["readings"])


def test_a_report_counts_and_names_what_it_is_made_of(served: TestClient) -> None:
    found = report(served)
    counts = found["counts"]
    assert sum(len(series["points"]) for series in found["series"]) == counts["placed"]
    assert counts["placed"] + sum(item["count"] for item in found["left_out"]) == counts["points"]
    assert sum(run["points"] for run in found["runs"]) == counts["placed"]
    points = [point for series in found["series"] for point in series["points"]]
    assert counts["on_frontier"] == sum(point["frontier"] for point in points)
    told = {flag["key"]: flag["points"] for flag in found["flags"]}
    assert told == {key: [p["id"] for p in points if key in p["flags"]] for key in told}
    assert set(told) == {key for point in points for key in point["flags"]}
    assert all(flag["text"] for flag in found["flags"])


def test_links_lead_to_the_view_live_and_frozen(served: TestClient) -> None:
    found = report(served, "all=0")
    assert "snapshot" not in found["links"]["live"]
    for name, link in found["links"].items():
        assert served.get(link).status_code == 200, name
        assert name == "live" or f"snapshot={found['snapshot']}" in link
    assert served.get(found["links"]["report"]).json()["series"] == found["series"]


def test_an_api_report_carries_no_clock_and_a_frozen_one_stays(tmp_path: Path) -> None:
    from tests.points import point, stored

    stored(tmp_path, point(8), point(16, x=30.0, y=1200.0))
    snapshot = client(tmp_path).get("/healthz").json()["snapshot"]
    address = f"/api/v1/report?snapshot={snapshot}"
    before = client(tmp_path).get(address)
    assert before.json()["made"] is None
    stored(tmp_path, point(8, y=905.0), point(32))
    stored(tmp_path, point(8, y=907.0), run="run-b")
    assert client(tmp_path).get(address).content == before.content
