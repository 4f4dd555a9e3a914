"""Concepts are complete, their views open on points that are there, and views with nothing to show are not offered."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient

from app.catalog.concepts import CONCEPTS, Concept
from app.catalog.dimensions import DIMENSIONS
from app.catalog.glossary import entry_of
from app.catalog.metrics import METRICS
from app.store.read import Store
from app.store.select import OFFLOAD_WORDS
from app.web.looks import shown
from app.web.main import create_app
from ingest.demo import demo_tables, published_tables
from ingest.pipeline import ingest

ALL = list(CONCEPTS.values())
ASKED = (
    *("agentx", "agentic", "kv-cache-offload", "nvme-offload", "cache-lifetime", "parameter-offload", "prefix-cache"),
    *("tier-share", "ceiling", "interactivity", "ttft", "tpot", "itl", "frontier", "disaggregation", "gpudirect"),
    *("page-cache", "write-policy", "transfer-batching", "working-set", "reload"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("concepts")
    ingest([*demo_tables(), *published_tables()], path)
    return path


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    with TestClient(create_app(folder)) as opened:
        yield opened


def test_the_terms_that_readers_ask_for_are_there() -> None:
    assert set(ASKED) <= set(CONCEPTS)


@pytest.mark.parametrize("concept", ALL, ids=lambda concept: concept.key)
def test_a_concept_is_complete(concept: Concept) -> None:
    entry = entry_of(concept.key)
    assert entry is not None
    assert entry.key == concept.key
    assert concept.also
    for text in (concept.plain, concept.precise, concept.matters, concept.reading, *concept.details):
        assert re.search(r"[.:!?]$", text), text
        assert "  " not in text
    assert len(concept.details) >= 3
    assert concept.looks
    assert concept.sources
    for source in concept.sources:
        assert source.title
        assert source.publisher
        assert re.fullmatch(r"(\d{4}(-\d\d){0,2})?", source.date)
        assert urlsplit(source.url).scheme == "https"


@pytest.mark.parametrize("concept", ALL, ids=lambda concept: concept.key)
def test_what_a_view_asks_for_exists(concept: Concept) -> None:
    for look in concept.looks:
        assert set(look.offload) <= set(OFFLOAD_WORDS)
        assert all(key in METRICS for key in (*look.needs, *filter(None, (look.x, look.y))))
        for key, values in look.filters.items():
            assert all(DIMENSIONS[key].resolve(value) == value for value in values)


@pytest.mark.parametrize("concept", ALL, ids=lambda concept: concept.key)
def test_every_view_opens_on_points_that_are_there(concept: Concept, client: TestClient, folder: Path) -> None:
    found = shown(concept, Store(folder).snapshot())
    assert {look.text for look in found} == {look.text for look in concept.looks}
    page = client.get(f"/glossary/{concept.key}")
    for look, told in zip(found, concept.looks, strict=True):
        assert look.href.replace("&", "&amp;") in page.text
        address = urlsplit(look.href)
        answer = client.get(look.href)
        assert answer.status_code == 200
        if told.page == "chart":
            document = client.get(f"/api/v1/frontier?{address.query}").json()
            assert sum(len(series["points"]) for series in document["series"]) == look.points > 0
            continue
        if told.anchor:
            assert f'id="{told.anchor}"' in answer.text, (look.href, told.anchor)
        if told.page == "offload":
            study = client.get(f"/api/v1/offload?{address.query}").json()
            assert study["parameter"]["tables"] if "parameter" in told.offload else study["pairs"]
            continue
        if told.page == "plan":
            assert client.get(f"/plan.json?{address.query}").status_code == 200
            continue
        row = client.get(f"{address.path}.json").json()
        assert all(row[key] is not None for key in told.needs)
        assert not told.offload or row["offload_mode"] == "on"


@pytest.mark.parametrize("concept", ALL, ids=lambda concept: concept.key)
def test_a_page_tells_in_the_order_a_reader_asks(concept: Concept, client: TestClient) -> None:
    page = client.get(f"/glossary/{concept.key}").text
    heads = re.findall(r'<h2 id="c-(\w+)">', page)
    assert heads == ["plain", "precise", "details", "matters", "reading", "see", "sources"]


def test_an_empty_store_offers_no_view(tmp_path: Path) -> None:
    assert [look for concept in ALL for look in shown(concept, Store(tmp_path).snapshot())] == []
    with TestClient(create_app(tmp_path)) as empty:
        assert "See it in real data" not in empty.get("/glossary/reload").text
