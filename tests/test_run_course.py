"""What happened during a run: aggregates against numbers worked out by hand, figures, page and API."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from plotly import graph_objects
from starlette.testclient import TestClient

from app.figures.distribution import KINDS
from app.figures.plain import frame
from app.figures.recorded import OF_RUN, figures_of
from app.store.bins import width_for
from app.store.happened import Happened
from app.store.read import Store
from app.store.recorded import LANES, QUANTITIES, Recorded, SeriesLost
from app.store.select import Selection
from app.store.series import FOLDER, Slice, Staging, series_of
from app.web.schemas.series import RunSeries
from ingest.pipeline import ingest
from tests.aiperf_runs import SECOND, ZERO, agents, over_time, request, write_run
from tests.served import client, demo_store


def recorded(db: Path) -> Recorded:
    snapshot = Store(db).snapshot()
    row = snapshot.point(snapshot.rows(Selection())[0]["id"])
    assert row is not None
    return snapshot.recorded(row["detail"]["facts"])


def read(tmp_path: Path, *records: dict[str, object], **more: object) -> Happened:
    ingest([write_run(tmp_path / "run", *records, **more)], tmp_path / "db")
    return recorded(tmp_path / "db").happened()


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    ingest([write_run(folder / "run", *agents(), server=over_time())], folder / "db")
    return folder / "db"


@pytest.fixture(scope="module")
def run(db: Path) -> Happened:
    return recorded(db).happened()


@pytest.fixture(scope="module")
def asked(db: Path) -> Iterator[tuple[TestClient, str]]:
    with client(db) as found:
        yield found, found.get("/api/v1/points").json()["rows"][0]["id"]


def test_requests_are_told_by_what_became_of_them(run: Happened) -> None:
    totals = run.totals
    assert totals is not None
    assert (totals.requests, totals.measured, totals.warmup, totals.failed) == (28, 24, 3, 1)
    assert (totals.conversations, totals.sub_agents, totals.workers) == (3, 3, 2)
    assert totals.errors == {"ServerDisconnectedError": 1}
    assert run.span == (0.0, pytest.approx(25.4))
    assert totals.warmup_end_s == pytest.approx(3.4)


def test_distributions_are_of_measured_requests_and_hold_each_once(run: Happened) -> None:
    assert set(run.distributions) == set(QUANTITIES) == set(KINDS)
    for quantity, found in run.distributions.items():
        assert found.count == 24
        assert sum(found.counts) + found.zeros == 24, quantity
        assert found.edges[0] <= found.least * 1.0001
        assert found.edges[-1] >= found.most
        assert len(found.edges) == len(found.counts) + 1
    # Warm-up requests had 51 tokens and the failed one none: the least is that of a sub-agent.
    assert (run.distributions["osl"].least, run.distributions["osl"].most) == (21, 121)


def test_the_slow_tail_of_interactivity_is_its_p90(tmp_path: Path) -> None:
    latencies = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11]
    many = [
        request(n, start=float(n), seconds=0.5 + 100 * itl, conversation=f"c{n}") for n, itl in enumerate(latencies)
    ]
    run = read(tmp_path, *many)
    pace = run.distributions["pace"]
    assert (pace.p50, pace.p90) == (pytest.approx(1 / 0.06), pytest.approx(1 / 0.1))
    assert pace.most == pytest.approx(100)


def test_small_whole_numbers_leave_no_bin_empty_for_lack_of_a_number_in_it(tmp_path: Path) -> None:
    run = read(tmp_path, *[request(n, start=n / 10, osl=1 + n % 60) for n in range(1200)])
    assert 0 not in run.distributions["osl"].counts


def test_values_of_zero_are_counted_beside_the_bins(tmp_path: Path) -> None:
    run = read(tmp_path, *[request(n, start=float(n), ttft=0.0 if n < 3 else 0.5) for n in range(8)])
    assert (run.distributions["ttft"].zeros, sum(run.distributions["ttft"].counts)) == (3, 5)
    nothing = read(tmp_path / "b", *[request(n, start=float(n), ttft=0.0) for n in range(4)])
    assert (nothing.distributions["ttft"].zeros, nothing.distributions["ttft"].counts) == (4, [])
    assert "ttft_distribution" not in figures_of(nothing)


def test_load_is_the_mean_number_of_open_requests_the_warm_up_apart(tmp_path: Path) -> None:
    width = width_for(20.0)
    records = [
        request(0, start=0.0, seconds=10.0, phase="warmup"),
        request(1, start=5.0, seconds=10.0, turn=1),
        request(2, start=10.0, seconds=10.0, conversation="b"),
    ]
    run = read(tmp_path, *records)
    assert run.load is not None
    assert sum(run.load.measured) * width == pytest.approx(20.0)
    assert sum(run.load.warmup) * width == pytest.approx(10.0)
    assert max(run.load.measured) == pytest.approx(2.0)
    assert run.warmup is not None
    assert run.pace is not None
    assert (run.warmup.requests, sum(run.pace.requests)) == ([1], 2)


def test_the_hit_share_over_time_is_that_of_tokens(tmp_path: Path) -> None:
    answers = [(1000, 100), (3000, 2900)]
    run = read(tmp_path, *[request(n, start=0.0, isl=isl, cached=had) for n, (isl, had) in enumerate(answers)])
    assert run.pace is not None
    assert run.pace.cached == [pytest.approx(0.75)]
    assert "answered" in figures_of(run)["token_sources"].data[0]["name"]


def test_the_server_over_time_keeps_shares_by_medium(run: Happened) -> None:
    server = run.server
    assert server is not None
    assert set(server.tokens) == {"hbm", "external"}
    known = [n for n, prompt in enumerate(server.columns["prompt_tokens"]) if prompt]
    first, last = known[0], known[-1]
    assert server.tokens["hbm"][first] == pytest.approx(600)
    assert (server.tokens["external"][last] or 0) > (server.tokens["hbm"][last] or 0)


def test_slices_are_weighed_by_their_length(tmp_path: Path) -> None:
    with Staging(tmp_path) as staging:
        ends = ((0, 1, 0.2), (1, 4, 0.6), (90, 91, 0.5))
        slices = [Slice(start_ns=a * SECOND, end_ns=b * SECOND, kv_usage=usage) for a, b, usage in ends]
        written = staging.timeline(slices, 0)
        assert written is not None
        staging.settle([written.name])
    found = Recorded(tmp_path, {"timeline": written.name}, Store(tmp_path).snapshot()._cursor).server(10.0)
    assert found.start_s == [0.0, 90.0]
    assert found.columns["kv_usage"] == [pytest.approx((0.2 + 3 * 0.6) / 4), pytest.approx(0.5)]
    assert found.columns["running"] == [None, None]


def test_bars_tell_first_tokens_turns_sub_agents_and_failures(run: Happened) -> None:
    lanes = run.lanes
    assert lanes is not None
    assert (lanes.names, lanes.of, lanes.chosen, lanes.requests) == (["talk-0", "talk-1", "talk-2"], 3, "all", 28)
    assert sum(bar.requests for bar in lanes.bars) == 28
    assert [bar.lane for bar in lanes.bars if bar.failed] == [0]
    assert sorted(bar.lane for bar in lanes.bars if bar.sub_agent) == [0, 1, 2]
    second = next(bar for bar in lanes.bars if bar.turns == (1, 1))
    assert (second.start_s, second.first_token_s) == (3.0, pytest.approx(3.25))


def test_of_many_conversations_the_largest_are_drawn_and_said_to_be(tmp_path: Path) -> None:
    sizes = [1 + n % 7 for n in range(100)]
    many = [
        request(n, start=turn * 10.0, seconds=5.0, conversation=f"c{n}", turn=turn)
        for n, size in enumerate(sizes)
        for turn in range(size)
    ]
    run = read(tmp_path, *many)
    assert run.lanes is not None
    assert (len(run.lanes.names), run.lanes.of, run.lanes.chosen) == (LANES, 100, "largest")
    assert min(sizes[int(name[1:])] for name in run.lanes.names) == 6
    assert "24 of 100 conversations: those with the most requests" in figures_of(run)["conversations"].meta["note"]


def test_of_many_short_conversations_some_from_the_middle_fill_the_axis(tmp_path: Path) -> None:
    run = read(tmp_path, *[request(n, start=n * 3.0, conversation=f"c{n:03}") for n in range(200)])
    assert run.lanes is not None
    assert run.lanes.chosen == "middle"
    assert run.lanes.names == [f"c{n:03}" for n in range(100, 124)]
    low, high = figures_of(run)["conversations"].layout["xaxis"]["range"]
    assert (low, high) == (pytest.approx(300, abs=2), pytest.approx(371, abs=2))


def test_a_hundred_thousand_requests_give_a_bounded_answer(tmp_path: Path) -> None:
    from app.store.series import Request

    row = Request(*[None] * 12, True, None, None)._replace(ttft_s=0.2, itl_s=0.01, e2el_s=1.0, isl=1000, osl=80)
    many = (
        row._replace(
            start_ns=ZERO + n * SECOND // 50,
            end_ns=ZERO + n * SECOND // 50 + SECOND,
            conversation=f"talk-{n % 5000}{'::sa:1' if n % 3 == 0 else ''}",
            turn=n // 5000,
            depth=int(n % 3 == 0),
        )
        for n in range(100_000)
    )
    with Staging(tmp_path) as staging:
        written = staging.requests(many)
        assert written is not None
        staging.settle([written.name])
    run = Recorded(tmp_path, {"requests": written.name}, Store(tmp_path).snapshot()._cursor).happened()
    assert run.totals is not None
    assert run.lanes is not None
    assert (run.totals.requests, run.lanes.of, len(run.lanes.names)) == (100_000, 5000, LANES)
    drawn = {name: frame(figure, name) for name, figure in figures_of(run).items()}
    assert sum(map(len, drawn.values())) < 400_000


@pytest.mark.parametrize(("span", "width"), [(0.4, 0.05), (45.0, 1.0), (1800.0, 30.0), (5360.0, 120.0), (1e6, 18000.0)])
def test_stretches_of_time_are_round(span: float, width: float) -> None:
    assert width_for(span) == width


def test_every_figure_is_plotly_and_is_drawn_by_the_server(run: Happened) -> None:
    drawn = figures_of(run)
    assert set(drawn) == set(OF_RUN)
    for name, figure in drawn.items():
        graph_objects.Figure({"data": figure.data, "layout": figure.layout})
        svg = frame(figure, name)
        assert f'aria-label="{figure.meta["summary"].split("<")[0][:20]}' in svg
        assert "NaN" not in svg
        assert "inf" not in svg


def test_figures_of_a_run(run: Happened, golden: Callable[[str, str], None]) -> None:
    told = {
        name: {"title": f.meta["title"], "note": f.meta["note"], "data": f.data} for name, f in figures_of(run).items()
    }
    kept = {
        name: {
            **figure,
            "data": [{key: trace[key] for key in ("name", "x", "y", "line")} for trace in figure["data"]],
        }
        for name, figure in told.items()
    }
    text = orjson.dumps(kept, option=orjson.OPT_INDENT_2).decode()
    golden("run_figures.json", re.sub(r"\n\s{8,}([-\d.null]+,?)(?=\n)", r" \1", text) + "\n")


def test_what_no_memory_is_proved_for_is_hatched_in_the_stack_and_in_its_first_frame(run: Happened) -> None:
    figure = figures_of(run)["token_sources"]
    hatched = {trace["name"]: trace["fillpattern"]["shape"] for trace in figure.data if "fillpattern" in trace}
    assert hatched == {"External": "/"}
    drawn = frame(figure, "sources")
    assert drawn.count("<pattern") == drawn.count("<clipPath") == 1


def test_the_stack_of_sources_is_closed_and_adds_up(run: Happened) -> None:
    figure = figures_of(run)["token_sources"]
    top = figure.data[-1]
    assert [trace["name"] for trace in figure.data] == ["HBM", "External", "Recomputed"]
    assert max(y for y in top["y"] if y is not None) == pytest.approx(1.0, abs=1e-3)
    assert None not in top["x"], "slices of two seconds leave no gap"


def test_without_requests_the_slices_tell_what_they_can(tmp_path: Path) -> None:
    blocks = {
        "time_to_first_token": {"unit": "ms", "avg": 250.0, "p50": 200.0, "p90": 400.0},
        "inter_token_latency": {"unit": "ms", "avg": 20.0, "p50": 20.0, "p90": 50.0},
        "effective_concurrency": {"unit": "requests", "avg": 2.5},
    }
    listed = [{"start_ns": ZERO + n * SECOND, "end_ns": ZERO + (n + 1) * SECOND, **blocks} for n in range(4)]
    run = read(tmp_path, slices={"timeslices": listed})
    drawn = figures_of(run)
    assert set(drawn) == {"under_way", "ttft_over_time", "interactivity_over_time"}
    assert [trace["y"][0] for trace in drawn["interactivity_over_time"].data] == [50, 20]
    assert "slices" in drawn["ttft_over_time"].meta["note"]


def test_real_slices_of_both_forms_are_drawn(shared_data: Path, tmp_path: Path) -> None:
    for number, path in enumerate(sorted((shared_data / "aiperf_timeslices").iterdir())):
        run = write_run(tmp_path / str(number))
        (run / f"profile_export_aiperf_timeslices{path.suffix}").write_bytes(path.read_bytes())
        ingest([run], tmp_path / f"db{number}")
        drawn = figures_of(recorded(tmp_path / f"db{number}").happened())
        assert {"under_way", "ttft_over_time", "interactivity_over_time"} <= set(drawn)


def test_real_server_metrics_give_the_pool_and_the_queue(shared_data: Path, tmp_path: Path) -> None:
    (path,) = (shared_data / "aiperf_server_metrics").glob("*.json")
    run = write_run(tmp_path / "run", benchmark_id=json.loads(path.read_bytes()).get("benchmark_id"))
    (run / "server_metrics_export.json").write_bytes(path.read_bytes())
    ingest([run], tmp_path / "db")
    server = recorded(tmp_path / "db").happened().server
    assert server is not None
    assert max(value for value in server.columns["kv_usage"] if value is not None) == pytest.approx(0.0179, abs=1e-4)
    assert any(value is not None for value in server.columns["running"])


def test_real_runs_are_told_as_their_summaries_tell_them(shared_data: Path, tmp_path: Path) -> None:
    ingest([shared_data / "aiperf_runs"], tmp_path)
    snapshot = Store(tmp_path).snapshot()
    compared = 0
    for row in snapshot.rows(Selection(newest=False)):
        point = snapshot.point(row["id"])
        assert point is not None
        if not series_of(point["detail"]["facts"]):
            continue
        run = snapshot.recorded(point["detail"]["facts"]).happened()
        assert run.totals is not None
        assert run.totals.measured == point["requests_ok"]
        for quantity, key in (("ttft", "ttft_p50_s"), ("ttft", "ttft_p90_s"), ("pace", "interactivity_p90")):
            value = getattr(run.distributions[quantity], "p50" if "p50" in key else "p90")
            assert value == pytest.approx(point[key], rel=1e-6)
        compared += 1
    assert compared == 7


def test_the_api_tells_a_run_in_the_documented_shape(asked: tuple[TestClient, str]) -> None:
    site, point_id = asked
    answer = site.get(f"/api/v1/points/{point_id}/series")
    RunSeries.model_validate_json(answer.content, strict=True)
    document = answer.json()
    assert document["requests"]["measured"] == 24
    assert set(document["figures"]) == set(OF_RUN)
    assert document["keep"] == []
    assert site.get(f"/points/{point_id}/series.json").json() == document
    assert site.get(f"/api/v1/points/{point_id}/series?x=1").status_code == 400
    assert site.get("/api/v1/points/p000000000000/series").status_code == 404


def test_a_point_without_a_recorded_run_says_what_to_keep(tmp_path: Path) -> None:
    with client(demo_store(tmp_path)) as site:
        point_id = site.get("/api/v1/points?limit=1").json()["rows"][0]["id"]
        document = site.get(f"/api/v1/points/{point_id}/series").json()
        assert (document["requests"], document["figures"]) == (None, {})
        assert [line.split()[0] for line in document["keep"]] == ["Halo", "Keep", "Keep"]
        page = site.get(f"/points/{point_id}").text
        assert "profile_export.jsonl" in page
        assert "server_metrics_export.json" in page


def test_the_page_prints_every_figure_with_its_legend(asked: tuple[TestClient, str]) -> None:
    site, point_id = asked
    page = site.get(f"/points/{point_id}").text
    for name in OF_RUN:
        assert f'data-figure="{name}"' in page
    assert "24 measured requests · 3 of the warm-up (shaded) · 1 failed (ServerDisconnectedError 1)" in page
    assert "Every conversation" in page
    assert "To see more" not in page


def test_a_page_keeps_its_bytes(db: Path) -> None:
    texts = set()
    for _ in range(3):
        with client(db) as site:
            point_id = site.get("/api/v1/points").json()["rows"][0]["id"]
            texts.add(site.get(f"/api/v1/points/{point_id}/series").content)
    assert len(texts) == 1


def test_a_lost_file_is_told_and_costs_only_its_section(tmp_path: Path) -> None:
    ingest([write_run(tmp_path / "run", *agents())], tmp_path / "db")
    (path,) = (tmp_path / "db" / FOLDER).iterdir()
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(SeriesLost, match="cannot be read"):
        recorded(tmp_path / "db").totals()
    path.unlink()
    with client(tmp_path / "db") as site:
        point_id = site.get("/api/v1/points").json()["rows"][0]["id"]
        document = site.get(f"/api/v1/points/{point_id}/series").json()
        assert path.name in document["problem"]
        assert document["requests"] is None
        page = site.get(f"/points/{point_id}")
        assert page.status_code == 200
        assert "cannot be read" in page.text


def test_a_hostile_conversation_name_is_text(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>' OR 1=1 --"
    ingest([write_run(tmp_path / "run", request(0, start=0.0, conversation=name))], tmp_path / "db")
    with client(tmp_path / "db") as site:
        point_id = site.get("/api/v1/points").json()["rows"][0]["id"]
        assert site.get(f"/api/v1/points/{point_id}/series").json()["conversations"]["names"] == [name]
        assert "<script>alert" not in site.get(f"/points/{point_id}").text


def test_records_without_times_are_told_without_time(tmp_path: Path) -> None:
    timeless = [request(n, start=0.0) for n in range(3)]
    for record in timeless:
        del record["metadata"]["request_start_ns"], record["metadata"]["request_end_ns"]
    run = read(tmp_path, *timeless)
    assert run.span is None
    assert {name for name in figures_of(run) if not name.endswith("_distribution")} == set()
    assert figures_of(replace(run, distributions={})) == {}
