"""Comparisons of real result files against numbers worked out here, from the API's flat rows and with numpy alone."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from starlette.testclient import TestClient

from tests.served import client

Document = dict[str, Any]
Row = dict[str, Any]
Floats = NDArray[np.float64]

VIEWS = {
    "agentic": "model=minimaxm2.5&workload=agentic",
    "agentic, cost against the slow tail": "model=minimaxm2.5&workload=agentic&y=cost_per_mtotal_tok_usd",
    "single turn": "model=dsr1&workload=1k/1k",
    "single turn, latency": "model=dsr1&workload=8k/1k&x=ttft_p50_s&y=output_tput_per_chip",
}
HIGHER = {"interactivity_p50": True, "interactivity_p90": True, "ttft_p50_s": False, "cost_per_mtotal_tok_usd": False}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> TestClient:
    from ingest.pipeline import ingest

    names = ("inferencex_agg_agentic_v3_regenerated", "inferencex_api_rows")
    sources = [shared_data / name for name in names if (shared_data / name).is_dir()]
    if len(sources) < 2:
        pytest.skip("these result files are not in ../shared/data")
    folder = tmp_path_factory.mktemp("real")
    ingest(sources, folder)
    return client(folder)


def rows_of(served: TestClient, query: str) -> list[Row]:
    found: list[Row] = served.get(f"/api/v1/points?limit=10000&{query}").json()["rows"]
    return found


def lines_of(rows: list[Row], x: str, y: str) -> dict[str, list[Row]]:
    """The frontier of each series, by definition: what no other point of it equals or beats on both axes."""
    series: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row[x] is not None and row[y] is not None:
            key = ".".join(row[name] or "unknown" for name in ("chip", "engine", "precision", "spec"))
            series[key].append(row)
    right, up = (1 if HIGHER.get(name, True) else -1 for name in (x, y))
    lines = {}
    for key, members in series.items():
        best: dict[tuple[float, float], Row] = {}
        for one in members:
            at = (right * one[x], up * one[y])
            beaten = any(
                right * other[x] >= at[0] and up * other[y] >= at[1] and (right * other[x], up * other[y]) != at
                for other in members
            )
            if not beaten:
                best.setdefault((one[x], one[y]), one)
        lines[key] = sorted(best.values(), key=lambda row: float(row[x]))
    return lines


def along(line: list[Row], x: str, y: str, at: Floats) -> Floats:
    """A metric along a line; cost through throughput and price per chip."""
    xs = [row[x] for row in line]
    if y != "cost_per_mtotal_tok_usd":
        return np.interp(at, xs, [row[y] for row in line])
    tput = [row["total_tput_per_chip"] for row in line]
    price = [row[y] * row["total_tput_per_chip"] for row in line]
    return np.interp(at, xs, price) / np.interp(at, xs, tput)


@pytest.fixture(params=VIEWS.values(), ids=VIEWS.keys())
def view(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def case(served: TestClient, view: str) -> tuple[Document, dict[str, list[Row]], str, str]:
    document: Document = served.get(f"/api/v1/compare?{view}").json()
    x, y = document["x"]["key"], document["y"]["key"]
    lines = lines_of(rows_of(served, view), x, y)
    if sum(len(line) > 1 for line in lines.values()) < 2:
        pytest.skip("these result files hold too little of this view")
    return document, lines, x, y


Case = tuple[Document, dict[str, list[Row]], str, str]


def test_every_frontier_is_that_of_the_definition(case: Case) -> None:
    document, lines, x, y = case
    for series in document["series"]:
        own = [(corner["x"], corner["y"]) for corner in series["frontier"]]
        assert own == [(row[x], row[y]) for row in lines[series["key"]]]


def test_readings_equal_an_independent_interpolation(served: TestClient, view: str, case: Case) -> None:
    _, lines, x, y = case
    ends = [value for line in lines.values() for value in (line[0][x], line[-1][x])]
    wanted = np.linspace(min(ends) * 0.9, max(ends) * 1.1, 7).tolist()
    wanted.append(next(line[len(line) // 2][x] for line in lines.values() if len(line) > 2))
    query = "".join(f"&at={value!r}" for value in wanted)
    document = served.get(f"/api/v1/compare?{view}{query}").json()
    states = set()
    for reading in document["readings"]:
        at = reading["x"]
        base = next(cell for cell in reading["cells"] if cell["series"] == document["base"])["values"]
        for cell in reading["cells"]:
            line = lines[cell["series"]]
            xs = [row[x] for row in line]
            states.add(cell["state"])
            told = {item["key"]: item for item in cell["values"]}
            if not xs[0] <= at <= xs[-1]:
                assert cell["state"] == "outside"
                assert all(item["value"] is None and item["ratio"] is None for item in told.values())
                assert cell["points"] == []
                continue
            near = sorted({max(v for v in xs if v <= at), min(v for v in xs if v >= at)})
            by_id = {row["id"]: row[x] for row in line}
            assert [by_id[point] for point in cell["points"]] == near
            assert cell["state"] == ("measured" if len(near) == 1 else "interpolated")
            for key in (y, "total_tput_per_chip", "cost_per_mtotal_tok_usd"):
                if key in told and all(row[key] is not None for row in line):
                    expected = float(along(line, x, key, np.array([at]))[0])
                    assert told[key]["value"] == pytest.approx(expected, rel=1e-9)
            for item, other in zip(cell["values"], base, strict=True):
                if item["ratio"] is not None:
                    assert item["ratio"] == pytest.approx(item["value"] / other["value"])
    assert states == {"measured", "interpolated", "outside"}


def test_cost_and_tokens_per_dollar_are_inverse_in_every_cell(case: Case) -> None:
    document, *_ = case
    pairs = 0
    for reading in document["readings"]:
        for cell in reading["cells"]:
            told = {item["key"]: item["value"] for item in cell["values"]}
            cost, per_usd = told.get("cost_per_mtotal_tok_usd"), told.get("total_tokens_per_usd")
            if cost and per_usd:
                pairs += 1
                assert cost * per_usd == pytest.approx(1e6)
    assert pairs or document["y"]["key"] == "output_tput_per_chip"


def test_areas_equal_a_fine_sum_over_the_stated_range(case: Case) -> None:
    document, lines, x, y = case
    base = lines[document["base"]]
    told = 0
    for row in document["area"]["rows"]:
        line = lines[row["series"]]
        low, high = max(line[0][x], base[0][x]), min(line[-1][x], base[-1][x])
        if not low < high:
            assert (row["area"], row["ratio"]) == (None, None)
            assert row["why"]
            continue
        assert row["common"] == [low, high]
        xs = np.unique(np.r_[np.linspace(low, high, 20_001), [r[x] for r in (*line, *base) if low < r[x] < high]])
        own, other = (float(np.trapezoid(along(one, x, y, xs), xs)) for one in (line, base))
        assert row["area"] == pytest.approx(own, rel=1e-6)
        assert row["ratio"] == pytest.approx(own / other, rel=1e-6)
        told += 1
    assert told > 1


def test_service_levels_count_every_point_once_and_give_the_best(served: TestClient, view: str, case: Case) -> None:
    _, _, x, y = case
    rows = [row for row in rows_of(served, view) if row[x] is not None and row[y] is not None]
    middle = float(np.median([row[x] for row in rows]))
    waits = [key for key in ("ttft_mean_s", "ttft_p50_s", "e2el_p50_s") if key != x]
    wait = max(waits, key=lambda key: sum(row[key] is not None for row in rows))
    known = [row[wait] for row in rows if row[wait] is not None]
    bounds = {x: middle, wait: float(np.quantile(known, 0.7))}
    query = "".join(f"&slo={key}:{value!r}" for key, value in bounds.items())
    service = served.get(f"/api/v1/compare?{view}{query}").json()["service"]

    def holds(row: Row) -> bool | None:
        if any(row[key] is None for key in bounds):
            return None
        return all(row[key] >= bound if HIGHER.get(key, False) else row[key] <= bound for key, bound in bounds.items())

    met = sorted(row["id"] for row in rows if holds(row))
    assert service["meeting"] == met
    assert service["counts"] == {
        "meeting": len(met),
        "failing": sum(holds(row) is False for row in rows),
        "unknown": sum(holds(row) is None for row in rows),
    }
    assert 0 < len(met) < len(rows)
    for one in service["classes"]:
        own = [row for row in rows if (row["chip"], row["engine"]) == (one["values"]["chip"], one["values"]["engine"])]
        able = [row[y] for row in own if holds(row)]
        if able:
            assert one["best"]["y"] == (max(able) if HIGHER.get(y, True) else min(able))
        else:
            assert one["best"] is None


def test_equal_loads_give_the_best_point_and_its_ratio(served: TestClient, view: str, case: Case) -> None:
    document, _, x, y = case
    best: dict[tuple[str, float], float] = {}
    choose = max if HIGHER.get(y, True) else min
    for row in rows_of(served, view):
        if row[x] is None or row[y] is None or row["concurrency"] is None:
            continue
        key = ".".join(row[name] or "unknown" for name in ("chip", "engine", "precision", "spec"))
        at = (key, row["concurrency"])
        best[at] = choose(best.get(at, row[y]), row[y])
    matched = document["matched"]
    assert matched["concurrencies"] == sorted({level for _, level in best})
    for row in matched["rows"]:
        for level, cell in zip(matched["concurrencies"], row["cells"], strict=True):
            assert (cell and cell["value"]) == best.get((row["series"], level))
            base = best.get((document["base"], level))
            if cell and base:
                assert cell["ratio"] == pytest.approx(cell["value"] / base)


def test_intervals_hold_the_values_of_all_repeats(served: TestClient, view: str, case: Case) -> None:
    document, _, _, y = case
    every = {row["id"]: row for row in rows_of(served, f"{view}&runs=all")}
    same: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    for row in every.values():
        twin = "same_run" in row["flags"] and row["newest_rank"] > 1
        if row[y] is not None and not twin:
            same[(row["config_id"], row["workload"], row["concurrency"], bool(row["cold"]))].append(row[y])
    checked = 0
    for line in document["matched"]["rows"]:
        for cell in filter(None, line["cells"]):
            row = every[cell["id"]]
            values = same[(row["config_id"], row["workload"], row["concurrency"], bool(row["cold"]))]
            interval = cell["interval"]
            if len(values) < 2:
                assert interval is None
                continue
            checked += 1
            assert (interval["n"], interval["low"], interval["high"]) == (len(values), min(values), max(values))
            assert (interval["mean"] is not None) == (len(values) >= 5)
    assert checked or "agentic" in view
