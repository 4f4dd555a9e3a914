"""The offload page, its JSON and its figures: verdicts that link, a table sorted here, figures anybody can draw."""

import re
from pathlib import Path
from xml.etree import ElementTree

import orjson
import plotly.io
import pytest
from starlette.testclient import TestClient

from app.catalog.metrics import METRICS
from app.catalog.offload import TIER_SHARES
from app.figures.plain import frame
from app.figures.sprite import sprite
from app.figures.study import OF_STUDY
from app.figures.study.waterfall import COLORS
from app.question import ask
from app.store.read import Store
from app.study.study import Study, study
from app.view import parse_query
from app.web.schemas.study import Study as Shape
from tests.conftest import ROOT
from tests.points import point, stored
from tests.served import client, demo_store, odd_store
from tests.test_study import HELD, arms, cache, dram, engram, made

KIMI = {"model": "kimik2.5", "origin": "synthetic"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(demo_store(tmp_path_factory.mktemp("demo")))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Off, DRAM and NVMe at four loads, and a parameter table in host memory and in flash."""
    nvme = made(64, 1400.0, offload=dram(9_000_000, "local_nvme"), cache=cache(hbm=50, host_dram=250, local_nvme=640))
    tables = [
        made(n, y, x=x, model="dsv41flash", offload=engram(medium))
        for medium, factor in (("host_dram", 1.0), ("local_nvme", 0.4))
        for n, x, y in ((1, 100.0 * factor**0.5, 1000.0 * factor), (2, 50.0, 2000.0 * factor))
    ]
    stored(tmp_path, *tables, run="tables")
    stored(tmp_path, *HELD, *arms((64, 500.0, 700.0, 50, 250, 20.0)), nvme, run="sweep")
    return tmp_path


def studied(folder: Path, query: str = "model=dsr1") -> Study:
    view, _ = parse_query(query)
    return study(ask(view, Store(folder).snapshot()))


@pytest.mark.parametrize("name", OF_STUDY)
def test_each_figure_is_what_it_was(name: str, folder: Path, golden: object) -> None:
    figure = OF_STUDY[name](studied(folder))
    document = {**figure.document(), "meta": {**figure.meta, "snapshot": "any"}}
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
    golden(f"{name}.json", re.sub(r'"(p[0-9a-f]{12}|c[0-9a-f]{10})"', '"id"', text) + "\n")  # type: ignore[operator]


@pytest.mark.parametrize("name", OF_STUDY)
def test_each_figure_is_plotly_json_and_a_well_formed_frame(name: str, folder: Path) -> None:
    figure = OF_STUDY[name](studied(folder))
    plotly.io.from_json(orjson.dumps(figure.document()["figure"]).decode())
    drawn = ElementTree.fromstring(frame(figure, name))
    assert drawn.get("aria-label") == figure.meta["summary"]
    known = {node.get("id") for node in ElementTree.fromstring(sprite()).iter() if node.get("id")}
    assert {use.get("href", "").removeprefix("#") for use in drawn.iter("use")} <= known
    assert figure.meta["points"] > 0


@pytest.mark.parametrize("name", OF_STUDY)
def test_each_figure_of_an_empty_store_is_empty_and_well_formed(name: str, tmp_path: Path) -> None:
    figure = OF_STUDY[name](studied(tmp_path, ""))
    ElementTree.fromstring(frame(figure, name))
    assert figure.meta["points"] == 0


def test_every_color_of_a_figure_has_a_dark_twin(folder: Path) -> None:
    for name, draw in OF_STUDY.items():
        figure = draw(studied(folder))
        colors = set(re.findall(r'"(#[0-9a-f]{6})"', orjson.dumps(figure.document()["figure"]).decode()))
        assert colors <= set(figure.meta["dark"]), name


def test_exactly_the_points_with_kv_offload_are_ringed(folder: Path) -> None:
    rows = {row["id"]: row for row in client(folder).get("/api/v1/points", params={"limit": 100}).json()["rows"]}
    for name, draw in OF_STUDY.items():
        figure = draw(studied(folder))
        ids = {role: set() for role in ("dot", "ring", "notch")}
        for trace in figure.data:
            if trace["meta"]["role"] in ids:
                ids[trace["meta"]["role"]] |= set(trace["ids"])
        assert ids["ring"] == {key for key in ids["dot"] if "kv" in (rows[key]["offload_kind"] or "")}, name
        assert ids["notch"] == {key for key in ids["dot"] if "parameter" in (rows[key]["offload_kind"] or "")}, name


def test_tier_colors_are_those_of_the_style_sheet() -> None:
    css = (ROOT / "static" / "css" / "site.css").read_text(encoding="utf-8")
    names = dict(zip(TIER_SHARES, ("hbm", "dram", "nvme", "remote", "hatch", "hatch"), strict=True))
    for key, name in {**names, "computed_share": "none"}.items():
        light, dark = COLORS[key]
        assert f"--t-{name}: light-dark({light}, {dark})" in css, name


def test_stacks_begin_where_the_one_below_ends(folder: Path) -> None:
    drawn = ElementTree.fromstring(frame(OF_STUDY["offload_waterfall"](studied(folder)), "w"))
    groups = [node for node in drawn.iter("g") if node.get("class") == "bar"]
    first, second = (next(group.iter("rect")) for group in groups[:2])
    bottom = float(second.get("y", "")[:-1]) + float(second.get("height", "")[:-1])
    assert bottom == pytest.approx(float(first.get("y", "")[:-1]), abs=0.02)


def test_the_json_has_the_shape_that_is_told(demo: TestClient, tmp_path: Path) -> None:
    for model in ("kimik2.5", "dsv4", "glm5.2", "dsr1", "dsv41flash"):
        answer = demo.get("/api/v1/offload", params={"model": model})
        Shape.model_validate_json(answer.content, strict=True)
    odd = client(odd_store(tmp_path))
    Shape.model_validate_json(odd.get("/api/v1/offload").content, strict=True)
    assert odd.get("/offload").status_code == 200


def test_every_number_of_the_json_links_to_points_that_exist(demo: TestClient) -> None:
    found = demo.get("/api/v1/offload", params=KIMI).json()
    ids = {row["id"] for row in demo.get("/api/v1/points", params={"limit": 10_000}).json()["rows"]}
    told = {point_id for verdict in found["verdicts"] for point_id in verdict["points"]}
    told |= {pair[side] for pair in found["pairs"] for side in ("off", "on")}
    told |= {item["id"] for item in found["pressure"]["points"]}
    told |= {stack["id"] for stack in found["waterfall"]["stacks"]}
    assert told
    assert told <= ids
    assert all(verdict["points"] for verdict in found["verdicts"] if verdict["question"] == "pays")


@pytest.mark.parametrize("name", ["arm", "a", "b"])
def test_a_name_that_the_view_does_not_have_is_refused_by_the_api_and_told_by_the_page(
    demo: TestClient, name: str
) -> None:
    answer = demo.get("/api/v1/offload", params={**KIMI, name: "nothing"})
    assert answer.status_code == 400
    assert answer.json()["parameter"] == name
    page = demo.get("/offload", params={**KIMI, name: "nothing"})
    assert page.status_code == 200
    assert "That part of the link was left aside" in page.text


def test_arm_and_series_of_the_link_are_shown(demo: TestClient) -> None:
    found = demo.get("/api/v1/offload", params=KIMI).json()
    arm, series = found["arms"][-1]["config_id"], [item["key"] for item in found["series"]]
    one = next(key for key in series if key.startswith("b200.vllm"))
    other = next(key for key in series if key.startswith("mi355x.vllm"))
    page = demo.get("/offload", params={**KIMI, "arm": arm, "a": other, "b": one}).text
    assert f'<option value="{arm}" selected>' in page
    told = demo.get("/api/v1/offload", params={**KIMI, "arm": arm, "a": other, "b": one}).json()
    assert told["waterfall"]["config_id"] == arm
    assert (told["sides"]["a"]["series"], told["sides"]["b"]["series"]) == (other, one)


def test_the_page_says_what_the_json_says(demo: TestClient) -> None:
    found = demo.get("/api/v1/offload", params=KIMI).json()
    page = demo.get("/offload", params=KIMI).text
    text = re.sub(r"\s+", " ", page)
    for verdict in found["verdicts"]:
        assert verdict["text"].replace("'", "&#39;") in text
    for pair in found["pairs"][:60]:
        assert f'/points/{pair["off"]}"' in page
        assert f'/points/{pair["on"]}"' in page


def test_pairs_are_sorted_by_the_server(demo: TestClient) -> None:
    def changes(query: str) -> list[float]:
        page = demo.get(f"/offload?model=kimik2.5&origin=synthetic&rows=all&{query}").text
        table = page.partition('<table class="pairs">')[2].partition("</table>")[0]
        rows = table.split("<tr>")[2:]
        found = [re.search(r'<td class="num chg[^>]*>([+−]?[\d.,]+) %', row) for row in rows]
        return [float(hit[1].replace("−", "-").replace(",", "")) for hit in found if hit]

    key = next(metric.key for metric in METRICS if metric.label == "Total throughput per chip")
    down, up = changes(f"sort=-{key}"), changes(f"sort={key}")
    assert len(down) == 96
    assert down == sorted(down, reverse=True)
    assert up == sorted(up)


def test_filters_of_the_dashboard_hold_and_can_be_dropped(demo: TestClient) -> None:
    page = demo.get("/offload", params={**KIMI, "chip": "mi355x"}).text
    assert "MI355X × 8 · ATOM" in page
    assert "B200 × 8" not in page.partition("Parameter offload</a></h2>")[0]
    assert 'aria-label="Drop the filter Chip MI355X"' in page
    assert 'name="chip" value="mi355x"' in page


def test_an_empty_study_says_what_to_measure(tmp_path: Path) -> None:
    stored(tmp_path, point(8))
    page = client(tmp_path).get("/offload").text
    assert "What to measure" in page
    assert "No point of this view used KV-cache offload" in page
    assert "No point of this store has it" in page


def test_an_empty_store_has_a_page(tmp_path: Path) -> None:
    assert client(tmp_path).get("/offload").status_code == 200


def test_what_was_not_compared_is_listed_with_its_reason(folder: Path) -> None:
    stored(folder, made(128, 900.0, offload=dram(), cache=cache(hbm=10, host_dram=20)), run="alone")
    page = client(folder).get("/offload?model=dsr1").text
    assert "no result without KV offload" in page.partition("Not compared, and why")[2]


def test_parameter_offload_says_what_it_does_not_show(demo: TestClient) -> None:
    page = demo.get("/offload", params={"model": "dsv41flash", "origin": "published"}).text
    for words in (
        "121 M",
        "52.0 M",
        "at 125",
        "<b>0.43</b>",
        "It is no evidence about KV-cache offload to NVMe",
        "15.5×",
    ):
        assert words in page, words
    assert "nothing is interpolated, only the ratio is computed here" in page


def test_the_page_is_in_the_navigation_and_cached(demo: TestClient) -> None:
    assert '<a href="/offload" aria-current="page">' in demo.get("/offload").text
    assert demo.get("/offload").headers["etag"]


def test_figures_of_the_study_are_served_by_name(demo: TestClient) -> None:
    for name in OF_STUDY:
        answer = demo.get(f"/api/v1/figures/{name}", params=KIMI)
        assert answer.status_code == 200
        assert set(answer.json()) == {"figure", "meta"}


def test_without_a_model_the_study_opens_on_a_group_that_can_be_paired(tmp_path: Path) -> None:
    stored(tmp_path, *HELD, run="pairs")
    stored(tmp_path, made(4, 900.0, model="glm5.1", offload=dram(9_000_000)), run="newer, and only with offload")
    view, _ = parse_query("")
    shot = Store(tmp_path).snapshot()
    assert ask(view, shot).models == ("glm5.1",)
    assert ask(view, shot, paired=True).models == ("dsr1",)
    site = client(tmp_path)
    document = site.get("/api/v1/offload").json()
    assert document["group"]["model"] == ["dsr1"]
    assert "with and without offload" in document["notes"][0]
    assert "dsr1" in site.get("/offload").text
