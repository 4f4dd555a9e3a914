"""The comparison as a page and as JSON: what it prints, where its numbers lead, and colors that can be read."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import orjson
import pytest
from starlette.testclient import TestClient

from app.catalog.metrics import METRICS
from app.figures.pareto import figure
from app.figures.svg import first_frame
from app.question import ask
from app.store.read import Store
from app.view import parse_query
from app.web.compare.heat import KEYS, heat
from app.web.schemas.compare import Comparison
from tests.conftest import ROOT
from tests.points import kv, point, stored
from tests.served import client, odd_store

B200, H200 = "b200.vllm.fp4.none", "h200.vllm.fp8.none"
H200_FACTS = {"chip": "h200", "precision": "fp8"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    stored(
        folder,
        point(64, x=20.0, y=1000.0, metrics={"ttft_p90_s": 3.0}),
        point(32, x=40.0, y=800.0, metrics={"ttft_p90_s": 1.5}, offload=kv()),
        point(8, x=80.0, y=200.0, metrics={"ttft_p90_s": 0.5}),
        point(64, x=10.0, y=900.0, metrics={"ttft_p90_s": 9.0}, **H200_FACTS),
        point(32, x=30.0, y=600.0, **H200_FACTS),
        point(8, x=50.0, y=300.0, metrics={"ttft_p90_s": 1.1}, **H200_FACTS),
    )
    return folder


@pytest.fixture(scope="module")
def site(folder: Path) -> TestClient:
    return client(folder)


def test_page_and_api_answer_the_same_document(site: TestClient, golden: Callable[[str, str], None]) -> None:
    query = f"at=30&at=70&base={H200}&slo=ttft_p90_s:1"
    answer = site.get(f"/api/v1/compare?{query}")
    assert answer.content == site.get(f"/compare.json?{query}").content
    Comparison.model_validate_json(answer.content, strict=True)
    document = {**answer.json(), "snapshot": "…"}
    golden("compare.json", orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n")


def test_every_number_of_the_page_leads_to_its_points(site: TestClient) -> None:
    query = f"at=30&base={H200}&slo=ttft_p90_s:1"
    page = site.get(f"/compare?{query}").text
    document = site.get(f"/api/v1/compare?{query}").json()
    told = {point for cell in document["readings"][0]["cells"] for point in cell["points"]}
    told |= {cell["id"] for row in document["matched"]["rows"] for cell in row["cells"] if cell}
    told |= {(one["best"] or one["nearest"])["id"] for one in document["service"]["classes"]}
    assert len(told) == 6
    assert told <= set(re.findall(r'href="/points/(\w+)"', page))


def test_outside_its_range_a_series_says_its_range_and_no_number(site: TestClient) -> None:
    page = site.get("/compare?at=70").text
    row = re.search(r'<tr class="out">.*?</tr>', page, re.DOTALL)
    assert row is not None
    assert "outside: its frontier has 10.0 to 50.0" in row[0]
    assert '<td class="num"' not in row[0]


def test_a_cost_axis_says_why_readings_lie_beside_its_line(site: TestClient) -> None:
    words = "is read through the throughput between two points"
    assert words in site.get("/compare?y=cost_per_mtotal_tok_usd&at=30").text
    assert words not in site.get("/compare?at=30").text


def test_a_service_level_from_the_form_becomes_a_short_address(site: TestClient) -> None:
    answer = site.get("/compare?slo=ttft_p90_s:1&level=interactivity_p50&bound=40", follow_redirects=False)
    assert answer.status_code == 303
    assert parse_qs(urlsplit(answer.headers["location"]).query) == {
        "slo": ["interactivity_p50:40", "ttft_p90_s:1"],
    }
    page = site.get("/compare?level=speed&bound=40")
    assert page.status_code == 200
    assert "service level needs a metric and a number" in page.text


def test_links_of_chart_and_comparison_carry_the_whole_view(site: TestClient) -> None:
    query = f"chip=b200&chip=h200&at=30&at=40&base={H200}&slo=ttft_p90_s%3A1"
    compare = site.get(f"/compare?{query}").text.replace("&amp;", "&")
    assert f'href="/?{query}"' in compare
    chart = site.get(f"/?{query}").text.replace("&amp;", "&")
    assert f'href="/compare?{query}"' in chart


@pytest.mark.parametrize("query", ["base=nope", "at=soon", "slo=ttft_p90_s"])
def test_what_cannot_be_read_is_told_by_the_page_and_refused_by_the_api(site: TestClient, query: str) -> None:
    name = query.partition("=")[0]
    page = site.get(f"/compare?{query}")
    assert page.status_code == 200
    assert "That part of the link was left aside" in page.text
    answer = site.get(f"/api/v1/compare?{query}")
    assert answer.status_code == 400
    assert answer.json()["parameter"] == name


def test_figure_and_first_frame_hold_readings_region_and_points_that_meet_all(folder: Path) -> None:
    view, problems = parse_query("at=30&slo=interactivity_p50:35&slo=ttft_p90_s:1.2")
    assert problems == []
    made = figure(ask(view, Store(folder).snapshot()))
    region, reading = made.layout["shapes"]
    assert (region["name"], region["x0"]) == ("region", 35)
    assert region["x1"] > 1000
    assert (reading["name"], reading["x0"], reading["x1"]) == ("reading", 30, 30)
    met = [at for trace in made.data if trace["meta"]["role"] == "meets" for at in trace["x"]]
    assert sorted(met) == [50, 80]
    frame = first_frame(made, view)
    assert frame.count('class="region"') == 1
    assert frame.count('<line class="reading"') == 1
    assert frame.count('href="#m-meets"') == 2


FAMILIES = list({metric.family: metric.key for metric in METRICS if metric.axis}.values())


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(odd_store(tmp_path_factory.mktemp("odd")))


@pytest.mark.parametrize("axis", ["x", "y"])
def test_any_metric_may_be_an_axis_of_a_comparison(odd: TestClient, axis: str) -> None:
    for key in FAMILIES:
        for more in ("", "&at=-1&at=0&at=1e308&log=x&log=y&runs=all&color=run"):
            answer = odd.get(f"/api/v1/compare?{axis}={key}{more}")
            assert answer.status_code == 200, (key, answer.text)
            Comparison.model_validate_json(answer.content, strict=True)
    assert odd.get(f"/compare?{axis}={key}&at=-1&at=1e308&slo={key}:0").status_code == 200


def test_levels_that_no_number_can_meet_are_said_and_break_nothing(odd: TestClient) -> None:
    for bound in ("1e308", "-1e308", "0", "-0.0"):
        query = f"slo=ttft_mean_s:{bound}&slo=total_tput_per_chip:{bound}"
        service = odd.get(f"/api/v1/compare?{query}").json()["service"]
        assert sum(service["counts"].values()) > 0
        assert odd.get(f"/compare?{query}").status_code == 200
        assert odd.get(f"/?{query}").status_code == 200


def test_a_figure_without_bounds_is_what_it_was(folder: Path) -> None:
    made = figure(ask(parse_query("")[0], Store(folder).snapshot()))
    assert "shapes" not in made.layout
    assert not any(trace["meta"]["role"] == "meets" for trace in made.data)


@pytest.mark.parametrize(
    ("ratio", "better", "css"),
    [
        (1.0, "higher", "h-even"),
        (1.02, "lower", "h-even"),
        (1.1, "higher", "h-better1"),
        (1.1, "lower", "h-worse1"),
        (0.5, "lower", "h-better3"),
        (0.7, "higher", "h-worse2"),
        (3.0, "none", ""),
    ],
)
def test_heat_follows_the_better_side(ratio: float, better: str, css: str) -> None:
    assert heat(ratio, better).css == css


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("css", [css for css, _ in KEYS])
def test_text_on_heat_can_be_read_in_both_themes(css: str) -> None:
    sheet = (ROOT / "static" / "css" / "compare.css").read_text(encoding="utf-8")
    rule = re.search(
        rf"\.{css} {{ background: light-dark\((.*?), (.*?)\); color: light-dark\((.*?), (.*?)\); }}", sheet
    )
    assert rule is not None
    light_ground, dark_ground, light_ink, dark_ink = rule.groups()
    assert contrast(light_ground, light_ink) >= 4.5
    assert contrast(dark_ground, dark_ink) >= 4.5
