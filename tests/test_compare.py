"""Comparisons of points made by hand: each number worked out here on paper."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.compare.compare import Comparison, compare
from app.compare.matched import levels_of_most
from app.compare.readings import round_values
from app.curve import Corner, area_of_quotient, common, spot
from app.details.compare import compare_document
from app.noise import bootstrap, interval_of, told
from app.question import ask
from app.store.read import Store
from app.view import parse_query
from tests.points import kv, point, stored

TPUT = "total_tput_per_chip"
COST = "cost_per_mtotal_tok_usd"
JOULES = "joules_per_total_token"
PER_USD = "total_tokens_per_usd"
B200, H200 = "b200.vllm.fp4.none", "h200.vllm.fp8.none"
H200_FACTS: dict[str, Any] = {"chip": "h200", "precision": "fp8"}


def compared(folder: Path, query: str = "") -> Comparison:
    view, problems = parse_query(query)
    assert problems == []
    return compare(ask(view, Store(folder).snapshot()))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two series: (20, 1000) (40, 800) (80, 200) with one dominated point, and (10, 900) (30, 600) (50, 300)."""
    folder = tmp_path_factory.mktemp("compared")
    stored(
        folder,
        point(64, x=20.0, y=1000.0, metrics={JOULES: 2.0, "ttft_p90_s": 3.0}),
        point(32, x=40.0, y=800.0, metrics={JOULES: 2.6, "ttft_p90_s": 1.5}),
        point(8, x=80.0, y=200.0, metrics={"ttft_p90_s": 0.5}),
        point(16, x=35.0, y=500.0, metrics={"ttft_p90_s": 0.7}, offload=kv()),
        point(64, x=10.0, y=900.0, metrics={"ttft_p90_s": 9.0}, **H200_FACTS),
        point(32, x=30.0, y=600.0, **H200_FACTS),
        point(8, x=50.0, y=300.0, metrics={"ttft_p90_s": 1.1}, **H200_FACTS),
    )
    return folder


def cell(found: Comparison, x: float, key: str) -> Any:
    return next(cell for cell in found.at(x) if cell.line.key == key)


def value(found: Comparison, x: float, key: str, metric: str) -> Any:
    return next(item for item in cell(found, x, key).values if item.metric.key == metric)


def test_a_reading_is_measured_interpolated_between_named_points_or_outside(store: Path) -> None:
    found = compared(store, "at=30&at=40&at=70")
    assert [(c.line.key, c.state, len(c.points)) for c in found.cells] == [
        (H200, "measured", 1),
        (B200, "interpolated", 2),
        (H200, "interpolated", 2),
        (B200, "measured", 1),
        (H200, "outside", 0),
        (B200, "interpolated", 2),
    ]
    assert value(found, 30, B200, TPUT).value == pytest.approx(900.0)
    assert value(found, 40, H200, TPUT).value == pytest.approx(450.0)
    assert value(found, 70, B200, TPUT).value == pytest.approx(350.0)
    outside = value(found, 70, H200, TPUT)
    assert (outside.value, outside.ratio) == (None, None)
    assert "outside" in outside.why


def test_the_points_of_a_reading_are_its_neighbours_on_the_frontier_alone(store: Path) -> None:
    found = compared(store, "at=36")
    corners = {corner.id: corner.x for corner in cell(found, 36, B200).line.corners}
    assert [corners[point_id] for point_id in cell(found, 36, B200).points] == [20.0, 40.0]
    assert cell(found, 36, B200).way == pytest.approx(0.8)


def test_columns_agree_with_the_interpolated_throughput(store: Path) -> None:
    found = compared(store, f"at=30&base={H200}")
    tput = value(found, 30, B200, TPUT)
    cost = value(found, 30, B200, COST)
    per_usd = value(found, 30, B200, PER_USD)
    price = found.question.prices.usd_per_chip_hour["b200"]
    assert cost.value == pytest.approx(price / (900 * 3600 / 1e6))
    assert per_usd.value == pytest.approx(1e6 / cost.value)
    assert (tput.how, cost.how, per_usd.how) == ("interpolated", "derived", "derived")
    assert tput.ratio == pytest.approx(900 / 600)
    assert per_usd.ratio == pytest.approx(1 / cost.ratio)


def test_measured_energy_is_told_only_between_two_points_that_measured_it(store: Path) -> None:
    found = compared(store, "at=30&at=60")
    energy = value(found, 30, B200, JOULES)
    assert energy.value == pytest.approx((1000 * 2.0 + 800 * 2.6) / 2 / 900)
    assert energy.how == "interpolated"
    assert value(found, 60, B200, JOULES).value is None
    assert "both" in value(found, 60, B200, JOULES).why


def test_the_same_reading_is_told_whichever_of_its_columns_is_the_axis(store: Path) -> None:
    by_tput, by_cost = compared(store, "at=30"), compared(store, f"at=30&y={COST}")
    for metric in (TPUT, COST, PER_USD):
        assert value(by_cost, 30, B200, metric).value == pytest.approx(value(by_tput, 30, B200, metric).value)


def test_areas_are_over_the_common_range_which_is_stated(store: Path) -> None:
    found = compared(store, f"base={H200}")
    area = {row.line.key: row for row in found.areas.rows}[B200]
    assert found.areas.common == area.common == (20.0, 50.0)
    own = 20 * (1000 + 800) / 2 + 10 * (800 + 650) / 2
    other = 30 * (750 + 300) / 2
    assert (area.area, area.base) == (pytest.approx(own), pytest.approx(other))
    assert area.ratio == pytest.approx(own / other)
    assert area.mean == pytest.approx(own / 30)


def test_the_area_under_a_cost_is_the_integral_of_what_readings_tell(store: Path) -> None:
    found = compared(store, f"y={COST}&base={H200}")
    area = {row.line.key: row for row in found.areas.rows}[B200]
    price = found.question.prices.usd_per_chip_hour["b200"]
    xs = np.linspace(20, 50, 30_001)
    tputs = np.interp(xs, [20, 40, 80], [1000, 800, 200])
    assert area.area == pytest.approx(float(np.trapezoid(price / (tputs * 3600 / 1e6), xs)), rel=1e-7)


def test_frontiers_without_a_common_range_have_no_ratio_and_say_why(tmp_path: Path) -> None:
    stored(
        tmp_path,
        point(8, x=10.0, y=900.0),
        point(4, x=20.0, y=800.0),
        point(8, x=30.0, y=900.0, **H200_FACTS),
        point(4, x=40.0, y=800.0, **H200_FACTS),
    )
    found = compared(tmp_path, f"base={B200}&at=15")
    row = next(row for row in found.areas.rows if row.line.key == H200)
    assert (row.ratio, row.area, row.common, found.areas.common) == (None, None, None, None)
    assert "10 to 20" in row.why
    assert "30 to 40" in row.why
    assert value(found, 15, B200, TPUT).ratio == 1


def test_service_levels_give_the_best_config_and_the_nearest_miss(store: Path) -> None:
    found = compared(store, "slo=ttft_p90_s:1&slo=interactivity_p50:30")
    assert found.service is not None
    by = {one.label: one for one in found.service.classes}
    blackwell, hopper = by["B200 · vLLM"], by["H200 · vLLM"]
    assert (blackwell.meeting, blackwell.failing, blackwell.unknown) == (2, 2, 0)
    assert blackwell.best is not None
    assert blackwell.best.fact["concurrency"] == 16, "a dominated point may be the best that meets a bound off the axes"
    assert (hopper.meeting, hopper.failing, hopper.unknown) == (0, 2, 1)
    assert hopper.best is None
    assert hopper.nearest is not None
    assert [(miss.level.metric.key, miss.value) for miss in hopper.nearest.misses] == [("ttft_p90_s", 1.1)]
    assert hopper.nearest.misses[0].by == pytest.approx(0.1)
    assert found.service.unknown == 1
    assert [(metric.key, count) for metric, count in found.service.missing] == [("ttft_p90_s", 1)]


def test_equal_loads_are_compared_by_their_best_points(store: Path) -> None:
    found = compared(store, f"base={H200}")
    rows = {line.key: loads for line, loads in found.matched.rows}
    assert found.matched.levels == (8, 16, 32, 64)
    assert [load and load.value for load in rows[B200]] == [200, 500, 800, 1000]
    assert [load and load.ratio for load in rows[B200]] == [
        pytest.approx(200 / 300),
        None,
        pytest.approx(800 / 600),
        pytest.approx(1000 / 900),
    ]
    assert "no point at concurrency 16" in rows[B200][1].why  # type: ignore[union-attr]


def test_of_too_many_loads_those_that_most_series_have_are_compared() -> None:
    assert levels_of_most([1, 2, 4, 8], [{1, 8}, {2, 8}, {2, 4}], 2) == (2, 8)
    assert levels_of_most([4, 1], [{4}, {1}], 9) == (1, 4)


def test_repeats_give_an_interval_and_overlapping_ones_are_noise(tmp_path: Path) -> None:
    for number, y in enumerate([800.0, 860.0, 780.0, 820.0, 840.0]):
        stored(tmp_path, point(8, x=40.0, y=y, run_time=f"2026-07-0{number + 1}T00:00:00Z"), run=f"run {number}")
    for number, y in enumerate([700.0, 830.0]):
        stored(tmp_path, point(8, x=40.0, y=y, **H200_FACTS), run=f"other {number}")
    found = compared(tmp_path, f"at=40&base={H200}")
    own = cell(found, 40, B200)
    (interval,) = own.intervals
    assert (interval.n, interval.low, interval.high) == (5, 780.0, 860.0)
    assert interval.mean is not None
    assert 780 < interval.mean[0] < 820 < interval.mean[1] < 860
    assert own.told == "noise"
    (other,) = cell(found, 40, H200).intervals
    assert (other.n, other.low, other.high, other.mean) == (2, 700.0, 830.0, None)


def test_single_runs_closer_than_noise_is_known_to_be_are_called_the_same(tmp_path: Path) -> None:
    stored(tmp_path, point(8, x=40.0, y=800.0), point(8, x=40.0, y=810.0, **H200_FACTS))
    found = compared(tmp_path, f"at=40&base={H200}")
    assert cell(found, 40, B200).told == "same"
    assert cell(found, 40, H200).told is None


def test_hidden_series_take_no_part(store: Path) -> None:
    found = compared(store, f"hide={H200}")
    assert [line.key for line in found.lines] == [B200]
    assert found.hidden == (H200,)


def test_a_base_that_is_no_series_is_told(store: Path) -> None:
    found = compared(store, "base=h100.vllm.fp8.none")
    assert [problem.parameter for problem in found.problems] == ["base"]
    assert B200 in found.problems[0].detail
    assert found.base is not None


def test_readings_are_chosen_within_the_common_range_and_that_is_told(store: Path) -> None:
    found = compared(store)
    assert found.chosen
    assert found.readings == (20.0, 30.0, 40.0, 50.0)
    assert any("round values within 20 to 50" in note for note in found.notes)
    assert compare_document(found)["readings"][0]["chosen"] is True


def test_an_empty_view_compares_nothing(store: Path) -> None:
    document = compare_document(compared(store, "chip=mi355x"))
    assert document["series"] == []
    assert document["readings"] == []
    assert document["base"] is None


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (20, 50, (20, 30, 40, 50)),
        (0.011, 0.019, (0.012, 0.014, 0.016, 0.018)),
        (3, 4000, (1000, 2000, 3000, 4000)),
    ],
)
def test_round_values_are_few_and_within(low: float, high: float, expected: tuple[float, ...]) -> None:
    found = round_values(low, high)
    assert found == expected


def test_a_reading_as_close_as_figures_are_rounded_is_that_point() -> None:
    line = [Corner(id="a", x=41.23456789, y=1.0, halo=False), Corner(id="b", x=50.0, y=0.5, halo=False)]
    found = spot(line, 41.23457)
    assert found is not None
    assert found.measured
    assert spot(line, 41.2345) is None


def test_a_common_stretch_needs_every_line_and_some_width() -> None:
    assert common([(1, 5), (3, 9)]) == (3, 5)
    assert common([(1, 3), (3, 9)]) is None
    assert common([(1, 3), None]) is None


@pytest.mark.parametrize("under", [(2.0, 5.0), (5.0, 2.0), (3.0, 3.0), (3.0, 3.0 + 1e-9)])
def test_the_area_of_a_quotient_equals_a_fine_sum(under: tuple[float, float]) -> None:
    way = np.linspace(0, 1, 200_001)
    heights = (1 + way * 3) / (under[0] + way * (under[1] - under[0]))
    assert area_of_quotient(7.0, (1.0, 4.0), under) == pytest.approx(7 * float(np.trapezoid(heights, way)), rel=1e-8)


def test_a_bootstrap_is_the_same_every_time_and_in_any_order() -> None:
    values = [3.0, 1.0, 2.0, 5.0, 4.0]
    assert bootstrap(values) == bootstrap(sorted(values))
    low, high = bootstrap(values)
    # The mean of five draws has the deviation of the values over the root of five.
    spread = float(np.std(values)) / math.sqrt(5)
    assert low == pytest.approx(3 - 1.96 * spread, abs=0.15)
    assert high == pytest.approx(3 + 1.96 * spread, abs=0.15)
    assert interval_of([1.0]) is None


def test_overlapping_intervals_are_noise_and_others_are_not() -> None:
    assert told(0.5, (10, 5), (4, 11), None) == "noise"
    assert told(0.5, (10, 5), (9, 11), None) == "apart"
    assert told(0.02, (10.2, 10), None, None) == "same"
    assert told(0.04, (10.4, 10), None, None) == "apart"
