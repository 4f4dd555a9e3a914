"""What other dashboards and loaders were reported to fail on, where no test of a format covers it."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from app.catalog.chips import CHIPS
from app.details.curves import frontier_document
from app.question import ask
from app.report.document import report
from app.report.links import links_of
from app.report.markdown import markdown
from app.series import chart
from app.store.read import Store
from app.store.rows import instant
from app.view import parse_query
from app.web import links
from ingest.jsontext import parse
from ingest.pipeline import gather, ingest
from ingest.report import FileReport
from ingest.sources.measures import INTERACTIVITY, TPUT
from tests.conftest import ROOT
from tests.points import point, stored
from tests.served import client

SAMPLES = ROOT / "tests" / "samples"
RUN: dict[str, Any] = json.loads((SAMPLES / "vllm_bench" / "with_metadata.json").read_text())


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def files(*paths: Path) -> dict[str, FileReport]:
    return {Path(file.path).name: file for file in gather(paths).files}


def test_numbers_that_stand_as_inf_and_nan_in_text_are_missing_and_the_others_are_read(tmp_path: Path) -> None:
    sweep = [
        {**RUN, "run_number": 1, "p99_tpot_ms": "inf", "p99_ttft_ms": "-inf", "request_rate": "inf"},
        {**RUN, "run_number": 2, "p99_tpot_ms": "nan", "median_tpot_ms": str(RUN["median_tpot_ms"])},
    ]
    first, second = (arrival.point for arrival in gather([write(tmp_path / "summary.json", sweep)]).arrivals)
    for read in (first, second):
        assert INTERACTIVITY["p99"] not in read.metrics
        assert read.metrics[INTERACTIVITY["p50"]] == 1000 / RUN["median_tpot_ms"]
        assert "nonfinite_read_as_missing" in read.flags
    assert "request_rate" not in first.facts


def test_a_number_that_turns_up_late_as_a_fraction_is_not_rounded() -> None:
    lines = "\n".join(json.dumps({"n": value}) for value in [*range(1, 301), 117.5])
    rows = parse(lines.encode()).rows
    assert rows is not None
    assert rows[-1].value == {"n": 117.5}
    assert len(rows) == 301


def test_a_column_that_is_first_seen_late_is_not_dropped() -> None:
    lines = "\n".join(json.dumps({"n": value, **({"error": "late"} if value > 200 else {})}) for value in range(300))
    rows = parse(lines.encode()).rows
    assert rows is not None
    assert sum("error" in row.value for row in rows) == 99


def test_renamed_and_missing_server_metrics_cost_nothing_but_themselves(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes((SAMPLES / "aiperf" / "run.json").read_bytes())
    server = json.loads((SAMPLES / "aiperf_server" / "server_metrics_export.json").read_text())
    server["metrics"] = {f"renamed_{name}": block for name, block in server["metrics"].items()}
    write(tmp_path / "server_metrics_export.json", server)
    gathered = gather([tmp_path])
    (arrival,) = gathered.arrivals
    assert arrival.point.cache.tiers == ()
    assert arrival.point.metrics[TPUT["total"]] > 0
    assert [file.refused for file in gathered.files] == [[], []]
    server["metrics"] = {}
    write(tmp_path / "server_metrics_export.json", server)
    assert len(gather([tmp_path]).arrivals) == 1


def test_a_result_that_was_cut_while_it_was_saved_is_refused_and_its_neighbours_are_not(tmp_path: Path) -> None:
    text = json.dumps(RUN)
    write(tmp_path / "whole.json", text)
    write(tmp_path / "cut.json", text[: len(text) // 2])
    write(tmp_path / "empty.json", "")
    found = files(tmp_path)
    assert not found["whole.json"].refused
    assert "0 bytes" in found["empty.json"].refused[0][1]
    ((_, reason),) = found["cut.json"].refused
    assert "cut" in reason


def test_a_folder_without_results_says_what_was_there(tmp_path: Path) -> None:
    write(tmp_path / "deep" / "down" / "notes.txt", "nothing measured")
    write(tmp_path / "deep" / "config.json", {"alpha": 1, "beta": 2})
    found = files(tmp_path)
    assert "text that begins 'nothing measured'" in found["notes.txt"].refused[0][1]
    assert "the keys alpha, beta" in found["config.json"].refused[0][1]


def test_results_in_nested_folders_are_found_and_equal_names_stay_two_runs(tmp_path: Path) -> None:
    write(tmp_path / "a" / "tp8" / "result.json", RUN)
    write(tmp_path / "b" / "tp8" / "result.json", {**RUN, "duration": RUN["duration"] * 2})
    arrivals = gather([tmp_path]).arrivals
    assert [arrival.run_label for arrival in arrivals] == ["a/tp8", "b/tp8"]
    assert len({arrival.run for arrival in arrivals}) == 2


def test_workloads_never_share_a_frontier(tmp_path: Path) -> None:
    """A run of short prompts would beat every run of long ones."""
    stored(
        tmp_path,
        point(8, x=50.0, y=900.0, workload="1k/1k"),
        point(8, x=20.0, y=100.0, workload="8k/1k"),
        point(8, x=20.0, y=100.0, workload="8k/1k", origin="predicted"),
    )
    view, problems = parse_query("workload=1k/1k&workload=8k/1k&origin=measured&origin=predicted&all=1")
    assert not problems
    series = frontier_document(chart(ask(view, Store(tmp_path).snapshot())))["series"]
    assert [item["frontier"] for each in series for item in each["points"]] == [True] * 3


def test_a_time_near_midnight_is_the_same_moment_in_every_zone() -> None:
    assert instant("2026-09-04T00:10:00+02:00") == instant("2026-09-03T22:10:00Z")
    assert instant("2026-09-03T23:59:59+00:00") != instant("2026-09-03T23:59:59-01:00")


def test_ingesting_one_file_alone_or_in_its_folder_gives_the_same_figures(tmp_path: Path) -> None:
    path = write(tmp_path / "results" / "one.json", RUN)
    alone, within = (ingest([given], tmp_path / f"db{n}") for n, given in enumerate((path, path.parent)))
    assert alone.totals() == within.totals()


def test_86_the_state_is_in_the_address_a_point_has_a_link_and_markdown_leads_to_both(tmp_path: Path) -> None:
    stored(tmp_path, point(8), point(16, x=40.0, y=800.0))
    served, snapshot = client(tmp_path), Store(tmp_path).snapshot().id
    row = served.get("/api/v1/points?runs=all").json()["rows"][0]
    page = served.get(f"/?log=y&all=0&point={row['id']}").text
    assert f'href="/points/{row["id"]}' in page
    assert served.get(f"/points/{row['id']}").status_code == 200
    question = ask(parse_query(f"log=y&all=0&point={row['id']}")[0], Store(tmp_path).snapshot())
    text = markdown(report(question), made="2026-11-29", base="https://halo.example")
    for link in ("live view", "as of this snapshot"):
        (address,) = re.findall(rf"\[{link}\]\(([^)]+)\)", text)
        query = parse_qs(urlsplit(address).query)
        assert (query["log"], query["all"], query["point"]) == (["y"], ["0"], [row["id"]])
        assert query.get("snapshot", []) == ([snapshot] if link != "live view" else [])


def test_87_filters_and_hidden_series_are_in_the_link_and_a_link_stays_short(tmp_path: Path) -> None:
    chips = list(CHIPS)[:8]
    stored(tmp_path, *(point(8, chip=chip.key, x=20.0 + n, y=900.0 - n) for n, chip in enumerate(chips)))
    snapshot = Store(tmp_path).snapshot()
    whole = chart(ask(parse_query("")[0], snapshot))
    hidden = [series.key for series in whole.series][:7]
    assert len(hidden) == 7
    asked = {
        "chip": [chip.key for chip in chips],
        "hide": hidden,
        "log": ["x", "y"],
        "xr": ["1,90"],
        "at": ["21", "25"],
    }
    view, problems = parse_query(urlencode(asked, doseq=True))
    assert not problems
    link = links_of(ask(view, snapshot))["frozen"]
    kept = parse_qs(urlsplit(link).query)
    assert {name: sorted(values) for name, values in kept.items() if name in asked} == {
        name: sorted(values) for name, values in asked.items()
    }
    assert len(link) < 700
    assert len(links.page(parse_query("")[0])) == 1
    answer = client(tmp_path).get("/api/v1/points", params={"run": [f"run-{n}" for n in range(2_000)]})
    assert answer.status_code == 400
    assert "characters" in answer.json()["detail"]
