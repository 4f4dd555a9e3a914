"""The chart as the server draws it: same marks, same places and same words on the axes as in the browser."""

import itertools
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from app.catalog.engines import ENGINES, UNKNOWN_SYMBOL
from app.figures import marks
from app.figures.pareto import figure_of
from app.figures.sprite import sprite
from app.figures.svg import first_frame, seen_by
from app.figures.ticks import tick_text, ticks
from app.question import ask
from app.series import SYMBOLS, chart
from app.store.read import Store
from app.view import View, parse_query
from tests.points import kv, point, stored

USE = re.compile(r'<use href="#([\w-]+)" x="([\d.]+)%" y="([\d.]+)%"/>')


def frame(folder: Path, query: str = "") -> str:
    view, _ = parse_query(query)
    question = ask(view, Store(folder).snapshot())
    return first_frame(figure_of(chart(question)), view)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stored(
        tmp_path,
        point(1, x=100, y=100),
        point(2, x=50, y=200, offload=kv()),
        point(4, x=25, y=150, offload=kv()),
        point(8, x=0, y=50, engine="sglang", precision="fp8"),
    )
    return tmp_path


def test_every_offload_point_is_ringed_on_the_frontier_and_off_it(folder: Path) -> None:
    rings = [use for use in USE.findall(frame(folder)) if use[0] == "m-ring"]
    dots = {use[1:] for use in USE.findall(frame(folder)) if use[0] not in ("m-ring", "m-notch")}
    assert len(rings) == 2
    assert len(dots) == 4
    assert {use[1:] for use in rings} <= dots


def test_hidden_series_dominated_points_and_zoom_are_applied(folder: Path) -> None:
    assert len(USE.findall(frame(folder, "all=0"))) == 4
    assert len(USE.findall(frame(folder, "hide=b200.sglang.fp8.none"))) == 5
    assert len(USE.findall(frame(folder, "xr=40,120&yr=0,300"))) == 3
    assert [use[0] for use in USE.findall(frame(folder, "hide=b200.vllm.fp4.none"))] == ["m-square-o"]


def test_places_are_percentages_of_the_plot(folder: Path) -> None:
    at = {use[0]: use[1:] for use in USE.findall(frame(folder, "xr=0,200&yr=0,400&all=0")) if use[0] == "m-ring"}
    assert at == {"m-ring": ("25.00", "50.00")}
    log = {use[0]: use[1:] for use in USE.findall(frame(folder, "log=x&xr=5,500&yr=0,400&all=0")) if use[0] == "m-ring"}
    assert log == {"m-ring": ("50.00", "50.00")}


def test_a_log_axis_shows_no_zero(folder: Path) -> None:
    assert "m-square-o" in frame(folder)
    assert "m-square-o" not in frame(folder, "log=x")


def test_the_frame_and_the_sprite_are_well_formed_and_know_the_same_names(folder: Path) -> None:
    drawn = ElementTree.fromstring(frame(folder, "log=y"))
    known = {node.get("id") for node in ElementTree.fromstring(sprite()).iter() if node.get("id")}
    assert {use.get("href", "").removeprefix("#") for use in drawn.iter("use")} <= known
    for symbol in {*SYMBOLS, UNKNOWN_SYMBOL, *(engine.symbol for engine in ENGINES), *marks.SIZE}:
        assert {f"m-{symbol}", f"m-{symbol}-o", f"m-{symbol}-s", f"m-{symbol}-o-s"} <= known


def test_a_single_point_and_no_point_make_a_frame(tmp_path: Path) -> None:
    stored(tmp_path, point(1, x=0, y=0))
    assert len(USE.findall(frame(tmp_path))) == 1
    assert USE.findall(frame(tmp_path, "log=x&log=y")) == []


def test_axis_marks_are_those_of_the_browser() -> None:
    # The same vectors as tests/js/marks.test.js.
    def texts(low: float, high: float, *, log: bool, count: int, share: bool = False) -> list[str]:
        return [tick.text for tick in ticks(low, high, log=log, count=count, share=share)]

    assert texts(0, 158, log=False, count=8) == ["0", "20", "40", "60", "80", "100", "120", "140"]
    assert texts(1.5, 4.2, log=True, count=8) == ["50", "100", "200", "500", "1k", "2k", "5k", "10k"]
    assert texts(2, 2.3, log=True, count=5) == ["100", "120", "140", "160", "180"]
    assert texts(0, 1.06, log=False, count=7, share=True) == ["0%", "20%", "40%", "60%", "80%", "100%"]
    assert [tick_text(-1500), tick_text(2.5e6), tick_text(0.1 + 0.2)] == ["\u22121.5k", "2.5M", "0.3"]


def test_marks_of_the_same_points_stand_side_by_side_and_are_drawn_by_depth(folder: Path) -> None:
    figure = figure_of(chart(ask(parse_query("")[0], Store(folder).snapshot())))
    traces = [(trace["meta"], trace["ids"]) for trace in figure.data if "ids" in trace]
    for (ring, ringed), (dot, dots) in itertools.pairwise(traces):
        if ring["role"] == "ring":
            assert (dot["role"], dot["series"], dot["standing"]) == ("dot", ring["series"], ring["standing"])
            assert dots[-len(ringed) :] == ringed
    assert "ring" in [meta["role"] for meta, _ in traces]

    over = [(trace["meta"]["role"], trace["meta"]["standing"]) for trace in seen_by(figure, View())]
    layers = [("line", "frontier"), ("ring", "dominated"), ("dot", "dominated"), ("dot", "frontier")]
    firsts = [over.index(layer) for layer in layers]
    assert firsts == sorted(firsts)
    assert over.index(("dot", "frontier")) > max(at for at, layer in enumerate(over) if layer == ("dot", "dominated"))
