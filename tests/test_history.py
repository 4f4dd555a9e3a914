"""A metric over runs: which run comes when, what is read of each, and what counts as a fall."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from plotly import graph_objects
from starlette.testclient import TestClient

from app.catalog.metrics import TOTAL_TPUT_PER_CHIP, ttft
from app.store.publish import publish
from ingest.pipeline import ingest
from tests.points import arrival, kv, point
from tests.served import client

RUNS = (
    ("first", 1.0, "0.14.1", "2026-01-03"),
    ("second", 1.01, "0.14.1", "2026-01-10"),
    ("third", 1.0, "0.14.1", "2026-01-17"),
    ("upgraded", 1.2, "0.15.0", "2026-02-01"),
    ("undated", 1.19, "0.15.0", None),
    ("fallen", 1.0, "0.15.0", "2026-02-08"),
)
LOADS = (4, 16, 64)


def nightly(folder: Path) -> Path:
    """Six runs of one sweep, ingested in this order."""
    for name, factor, version, day in RUNS:
        publish(
            folder,
            [
                arrival(
                    point(
                        load,
                        x=80.0 - load,
                        y=(400 + 40 * load) * factor,
                        offload=kv() if load == 64 else None,
                        engine_version=version,
                        run_time=f"{day}T02:00:00Z" if day else None,
                        metrics={ttft("p90"): 0.1 * load},
                    ),
                    run=name,
                    place=f"{name}/{load}.json",
                )
                for load in LOADS
            ],
        )
    return folder


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(nightly(tmp_path_factory.mktemp("store")))


def told(served: TestClient, query: str = "") -> dict[str, Any]:
    answer = served.get(f"/api/v1/history?{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def values(found: dict[str, Any]) -> list[float | None]:
    return [reading["value"] for reading in found["series"][0]["readings"]]


def test_runs_stand_by_their_date_and_undated_ones_by_order_of_ingest(served: TestClient) -> None:
    found = told(served)
    assert [run["run"] for run in found["runs"]] == [name for name, *_ in RUNS]
    assert [run["run"] for run in found["runs"] if not run["dated"]] == ["undated"]
    page = served.get("/history").text
    assert "1 run does not say when it began" in page


def test_the_best_of_each_run_is_read_where_nothing_else_is_asked(served: TestClient) -> None:
    assert values(told(served)) == [pytest.approx(2960 * factor) for _, factor, *_ in RUNS]


def test_a_reading_between_two_points_is_interpolated_and_one_beyond_them_is_none(served: TestClient) -> None:
    found = told(served, "at=70")
    first = found["series"][0]["readings"][0]
    # From (64, 1040) to (76, 560): halfway.
    assert (first["value"], first["how"], len(first["points"])) == (pytest.approx(800.0), "interpolated", 2)
    assert told(served, "at=76")["series"][0]["readings"][0]["how"] == "measured"
    assert "≈ 800.0</a>" in served.get("/history?at=70").text
    beyond = told(served, "at=90")["series"][0]["readings"][0]
    assert (beyond["value"], beyond["why"]) == (None, "outside the range that was measured")


def test_a_service_level_leaves_out_points_that_miss_it(served: TestClient) -> None:
    found = told(served, f"slo={ttft('p90')}:2")
    assert values(found)[0] == pytest.approx(1040.0)
    assert found["level"]["text"] == "the best where TTFT p90 ≤ 2 s"
    assert values(told(served, f"slo={ttft('p90')}:0.1"))[0] is None


def test_a_fall_beyond_the_scatter_of_runs_is_listed_and_an_upgrade_is_marked(served: TestClient) -> None:
    found = told(served)
    series = found["series"][0]
    # Steps between runs of one version: 1 %, 1 %, 0.8 % and the fall itself.
    assert series["scatter"] == pytest.approx(0.01, rel=0.02)
    assert [fall["run"] for fall in found["falls"]] == ["fallen"]
    assert found["falls"][0]["change"] == pytest.approx(1.0 / 1.19 - 1)
    changed = [reading["run"] for reading in series["readings"] if reading["version_changed"]]
    assert changed == ["upgraded"]
    page = served.get("/history").text
    assert "−16.0 %" in page
    assert "/data/changes?from=" in page
    assert "run=fallen&amp;run=undated" in page


def test_a_fall_is_where_the_metric_gets_worse(served: TestClient) -> None:
    found = told(served, f"y={ttft('p90')}&x=concurrency")
    assert found["falls"] == []
    assert values(found) == [pytest.approx(0.4)] * len(RUNS)


def test_the_figure_is_what_plotly_takes_and_rings_every_point_with_offload(
    served: TestClient, golden: Callable[[str, str], None]
) -> None:
    document = told(served)["figure"]
    graph_objects.Figure(document["figure"])
    roles = [trace["meta"]["role"] for trace in document["figure"]["data"]]
    assert roles == ["line", "ring", "dot"]
    assert len(document["figure"]["data"][1]["x"]) == len(RUNS)
    assert served.get("/api/v1/figures/history").json() == document
    text = json.dumps(document, indent=1)
    text = re.sub(r'"\d{6}-[0-9a-f]{8}"', '"snapshot"', text)
    golden("history.json", re.sub(r'"p[0-9a-f]{12}"', '"id"', text) + "\n")


def test_a_history_longer_than_a_figure_keeps_its_newest_runs_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.changes.history.DRAWN", 3)
    found = told(client(nightly(tmp_path)))
    assert [run["run"] for run in found["runs"]] == [name for name, *_ in RUNS][-3:]
    assert len(values(found)) == 3
    assert any(note.startswith("The newest 3 of 6 runs") for note in found["notes"])


def test_an_empty_store_has_an_empty_history(tmp_path: Path) -> None:
    served = client(tmp_path)
    assert told(served)["runs"] == []
    assert served.get("/history").status_code == 200
    assert TOTAL_TPUT_PER_CHIP in str(told(served))


def runs_of(folder: Path, *runs: tuple[str, str, dict[int, float]]) -> dict[str, Any]:
    """The only series of runs, each by name, day and what it reached at each concurrency."""
    for name, day, reached in runs:
        publish(
            folder,
            [
                arrival(
                    point(load, x=80.0 - load, y=y, run_time=f"{day}T02:00:00Z"), run=name, place=f"{name}/{load}.json"
                )
                for load, y in reached.items()
            ],
        )
    return told(client(folder))


def test_runs_at_different_loads_are_not_judged(tmp_path: Path) -> None:
    found = runs_of(tmp_path, ("low", "2026-01-03", {8: 900.0}), ("high", "2026-01-10", {4: 500.0, 16: 700.0}))
    reading = found["series"][0]["readings"][1]
    assert (reading["value"], reading["change"], reading["since"]) == (700.0, None, None)
    assert reading["unlike"] == "the two runs measured different loads"
    assert found["falls"] == []
    [line] = [trace for trace in found["figure"]["figure"]["data"] if trace["meta"]["role"] == "line"]
    assert line["y"] == [900.0, None, 700.0]
    assert "the two runs measured different loads" in client(tmp_path).get("/history").text


def test_a_run_is_compared_over_the_loads_that_it_shares_with_the_newest_one_before(tmp_path: Path) -> None:
    found = runs_of(
        tmp_path,
        ("wide", "2026-01-03", {8: 500.0, 16: 800.0, 64: 2000.0}),
        ("other", "2026-01-10", {32: 1500.0}),
        ("narrow", "2026-01-17", {8: 510.0, 16: 720.0}),
    )
    reading = found["series"][0]["readings"][2]
    # 720 against 800 at concurrency 16: neither against the 1500 between nor against the best of all, 2000.
    assert (reading["since"], reading["loads"], reading["change"]) == ("wide", 2, pytest.approx(-0.1))
    assert [(fall["run"], fall["since"]) for fall in found["falls"]] == [("narrow", "wide")]
    page = client(tmp_path).get("/history").text
    assert "at the 2 loads that both hold" in page
    assert "since wide" in page


def test_a_service_level_does_not_make_different_loads_alike(tmp_path: Path) -> None:
    runs_of(tmp_path, ("low", "2026-01-03", {8: 900.0}), ("high", "2026-01-10", {16: 700.0}))
    found = told(client(tmp_path), "slo=interactivity_p90:20")
    assert values(found) == [900.0, 700.0]
    assert found["falls"] == []


def test_published_runs_of_one_load_each_are_no_regression(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "inferencex_api_rows_synthetic"
    ingest([folder], tmp_path)
    found = told(client(tmp_path), "model=dsv4&workload=8k/1k&chip=b300")
    readings = found["series"][0]["readings"]
    assert [(reading["run"], reading["value"]) for reading in readings] == [
        ("2026-06-24", pytest.approx(11700.0)),
        ("2026-07-04", pytest.approx(9000.0)),
    ]
    assert readings[1]["unlike"] == "the two runs measured different loads"
    assert found["falls"] == []


def test_a_cost_between_two_points_is_the_one_that_the_comparison_tells(served: TestClient) -> None:
    query = "y=cost_per_mtotal_tok_usd&at=70&run=first"
    (cell,) = served.get(f"/api/v1/compare?{query}").json()["readings"][0]["cells"]
    (reading,) = told(served, query)["series"][0]["readings"]
    assert reading["how"] == "interpolated"
    assert reading["value"] == pytest.approx(cell["values"][0]["value"], rel=1e-12)


def test_runs_that_define_interactivity_apart_are_not_told_apart(tmp_path: Path) -> None:
    for name, definition, y in (("a", "1/tpot", 100.0), ("b", "1/itl", 50.0)):
        publish(tmp_path, [arrival(point(8, y=y, interactivity_def=definition), run=name, place=f"{name}.json")])
    found = told(client(tmp_path), "")
    assert [reading["unlike"] for reading in found["series"][0]["readings"]] == [
        None,
        "the two runs define interactivity apart",
    ]
    assert found["falls"] == []


def test_a_level_on_a_share_is_told_in_percent(served: TestClient) -> None:
    assert told(served, "slo=cached_share:0.9")["level"]["text"] == "the best where Cached share ≥ 90 %"
    assert "Cached share ≥ 90 %" in served.get("/history?slo=cached_share:0.9").text


def test_an_offload_filter_can_be_dropped(served: TestClient) -> None:
    assert "Drop the filter Offload kv" in served.get("/history?offload=kv").text
