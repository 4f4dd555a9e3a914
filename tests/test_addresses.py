"""Any view survives address, page, address: what the page links to parses back to the view, with one thing changed."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.catalog.metrics import METRICS, TOTAL_TPUT_PER_CHIP, ttft
from app.view import View, parse_query
from tests.served import client, odd_store

LINK = re.compile(r"<a\b([^>]*)>")
HREF = re.compile(r'\bhref="([^"]*)"')


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(odd_store(tmp_path_factory.mktemp("odd")))


axes = st.sampled_from([metric.key for metric in METRICS if metric.axis])
numbers = st.floats(min_value=-1e6, max_value=1e6).map(lambda value: round(value, 3))
windows = st.tuples(numbers, numbers).filter(lambda pair: pair[0] < pair[1])
series = st.sampled_from(["b200.vllm.fp4.none", "b200.vllm.fp4.none~predicted", "any series", "a&b=c#d"])


@st.composite
def views(draw: st.DrawFn) -> View:
    """Views of what the odd store holds, with every kind of state that a page has."""
    filters: dict[str, tuple[str, ...]] = {}
    for key, values in (
        ("model", ["dsr1", "unknown"]),
        ("workload", ["1k/1k", "agentic:traces"]),
        ("chip", ["b200", "unknown"]),
        ("engine_version", ["a//b", "run #7", "what?", "100%", "a&b=c", "+plus"]),
        ("run", ["sweep", "again", "run two words", "run 性能テスト"]),
    ):
        if draw(st.booleans()):
            filters[key] = tuple(sorted(draw(st.sets(st.sampled_from(values), min_size=1, max_size=2))))
    return parse_query(
        View(
            filters=tuple(filters.items()),
            offload=draw(st.sampled_from([(), ("on",), ("off", "kv")])),
            x=draw(st.none() | axes),
            y=draw(st.none() | axes),
            color=draw(st.sampled_from([None, "run", "engine_version", "offload"])),
            runs=draw(st.sampled_from(["newest", "all"])),
            all=draw(st.booleans()),
            log=draw(st.sampled_from([(), ("x",), ("y",), ("x", "y")])),
            xr=draw(st.none() | windows),
            yr=draw(st.none() | windows),
            hide=tuple(sorted(draw(st.sets(series, max_size=2)))),
            point=tuple(draw(st.lists(st.sampled_from(["p0", "p1", "p2"]), max_size=2, unique=True))),
            at=tuple(sorted(draw(st.sets(numbers, max_size=2)))),
            slo=draw(st.sampled_from([(), ((ttft("p90"), 2.0),)])),
            price=draw(st.sampled_from([None, "rent@2026-09"])),
            sort=draw(st.none() | axes | axes.map(lambda key: f"-{key}")),
            rows=draw(st.sampled_from([None, "all"])),
        ).query()
    )[0]


def links_of(page: str) -> list[tuple[str, str]]:
    """The attributes and the address of every link that stays on the dashboard."""
    found = []
    for attributes in LINK.findall(page):
        href = HREF.search(attributes)
        address = unescape(href[1]) if href else ""
        if address == "/" or address.startswith("/?"):
            found.append((attributes, address))
    return found


def differing(one: View, other: View) -> set[str]:
    return {name for name in View.__dataclass_fields__ if getattr(one, name) != getattr(other, name)}


MAY_CHANGE: Mapping[str, set[str]] = {
    "data-hide": {"hide"},
    "data-all": {"all"},
    "data-log": {"log", "xr", "yr"},
    "data-reset": {"xr", "yr"},
}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(views())
def test_a_page_links_to_its_own_view_with_one_thing_changed(served: TestClient, view: View) -> None:
    answer = served.get(f"/?{view.query()}")
    assert answer.status_code == 200
    assert "was left aside" not in answer.text
    links = links_of(answer.text)
    held = [address for attributes, address in links if "keeps showing this state" in attributes]
    kept, problems = parse_query(urlsplit(held[0]).query)
    assert problems == []
    # The page fills in model, workload and snapshot; all the rest is what was asked.
    assert differing(kept, view) <= {"filters", "snapshot"}
    assert {**kept.filter, **view.filter} == kept.filter
    for attributes, address in links:
        target, problems = parse_query(urlsplit(address).query)
        assert problems == []
        assert target.query() == urlsplit(address).query
        for mark, may in MAY_CHANGE.items():
            if re.search(rf"\b{mark}\b", attributes) and (mark != "data-reset" or "hidden" not in attributes):
                assert differing(target, view) <= may, (attributes, address)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(views())
def test_other_pages_and_the_api_take_the_same_view(served: TestClient, view: View) -> None:
    for path in ("/offload", "/history", "/api/v1/frontier", "/api/v1/points", "/api/v1/history"):
        answer = served.get(f"{path}?{view.query()}")
        assert answer.status_code == 200, (path, view.query(), answer.text[:300])
    found: dict[str, Any] = served.get(f"/api/v1/frontier?{view.query()}").json()
    assert found["y"] == (view.y or TOTAL_TPUT_PER_CHIP)
