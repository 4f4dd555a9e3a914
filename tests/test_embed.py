"""The framed chart, what links unfold to, and oEmbed: absolute addresses of the host that asked, and of no other."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from app.web.main import create_app
from tests.served import demo_store

HOME = "http://halo.example:8000"
GROUP = "model=kimik2.5&workload=agentic:demo-traces"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_store(tmp_path_factory.mktemp("demo"))


@pytest.fixture
def served(folder: Path) -> TestClient:
    return TestClient(create_app(folder), base_url=HOME)


def told(page: str) -> dict[str, str]:
    found = re.findall(r'<meta (?:property|name)="((?:og|twitter):[\w:]+)" content="([^"]*)">', page)
    return {name: value.replace("&amp;", "&") for name, value in found}


@pytest.mark.parametrize("page", ["/", "/embed", "/offload", "/compare", "point", "config"])
def test_every_page_unfolds_to_title_numbers_and_its_own_picture(served: TestClient, page: str) -> None:
    row = served.get(f"/api/v1/points?{GROUP}&offload=kv&limit=1").json()["rows"][0]
    address = {"point": f"/points/{row['id']}", "config": f"/configs/{row['config_id']}"}.get(
        page, f"{page}?{GROUP}&log=x"
    )
    card = told(served.get(address).text)
    assert card["og:title"]
    assert re.search(r"\d", card["og:description"])
    assert card["og:url"].startswith(HOME + address.partition("?")[0])
    image = card.get("og:image")
    if image is None:
        assert card["twitter:card"] == "summary"
        return
    assert card["twitter:card"] == "summary_large_image"
    parts = urlsplit(image)
    assert f"{parts.scheme}://{parts.netloc}" == HOME
    query = parse_qs(parts.query)
    assert (query["width"], query["height"]) == (["1200"], ["630"])
    assert query["model"] == ["kimik2.5"]
    if page in ("/", "/embed", "/offload", "/compare"):
        assert query["log"] == ["x"]
    if page == "point":
        assert query["point"] == [row["id"]]


def test_an_answer_made_for_one_host_is_never_sent_to_another(
    served: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for host in ("first.example", "second.example:81", "first.example"):
        page = served.get("/", headers={"host": host}).text
        assert told(page)["og:url"] == f"http://{host}/"
        assert page.count("first.example") == 0 or host == "first.example"
    for host in ("evil.example:80@x", "a b", "", "-", "x" * 300):
        assert told(served.get("/", headers={"host": host}).text) == {}
    monkeypatch.setenv("HALO_URL", "https://bench.example/")
    assert (
        told(served.get("/?log=y", headers={"host": "first.example"}).text)["og:url"] == "https://bench.example/?log=y"
    )


def test_a_halo_below_a_path_is_known_by_it(served: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALO_URL", "https://Bench.example/halo/")
    at_home = served.get("/oembed", params={"url": f"https://bench.example/halo/?{GROUP}"})
    assert 'src="https://Bench.example/halo/embed?' in at_home.json()["html"]
    for elsewhere in ("https://bench.example/", "https://bench.example/halos/", "https://other.example/halo/"):
        assert served.get("/oembed", params={"url": elsewhere}).status_code == 404
    monkeypatch.setenv("HALO_URL", "bench.example")
    assert told(served.get("/", headers={"host": "first.example"}).text)["og:url"] == "http://first.example/"


def test_the_embedded_page_is_the_chart_alone_in_the_theme_asked_for(served: TestClient) -> None:
    page = served.get(f"/embed?{GROUP}&log=x&theme=dark").text
    assert 'data-theme="dark"' in page
    assert 'id="figure"' in page
    assert f'href="/?{GROUP.replace(":", "%3A").replace("&", "&amp;")}&amp;log=x" target="_blank"' in page
    for gone in ("<nav", "<aside", "<table", 'id="fbody"'):
        assert gone not in page
    assert "data-theme" not in served.get("/embed?theme=sepia").text


@pytest.mark.parametrize(
    ("told_so", "expected"),
    [
        ("", "'self'"),
        ("https://wiki.example 'self'", "https://wiki.example 'self'"),
        ("*", "*"),
        ("'none'", "'none'"),
        ("https://*.example:8443", "https://*.example:8443"),
        ("https://wiki.example; script-src *", "'self'"),
        ("nonsense", "'self'"),
    ],
)
def test_who_may_frame_the_chart_is_the_operators_to_say(
    folder: Path, monkeypatch: pytest.MonkeyPatch, told_so: str, expected: str
) -> None:
    monkeypatch.setenv("HALO_EMBED_ANCESTORS", told_so)
    running = TestClient(create_app(folder))
    policies = {
        address: dict(
            part.split(" ", 1) for part in running.get(address).headers["content-security-policy"].split("; ")
        )
        for address in ("/embed", "/", "/embed/x")
    }
    assert policies["/embed"]["frame-ancestors"] == expected
    assert policies["/embed"]["script-src"] == "'self'"
    assert policies["/"]["frame-ancestors"] == policies["/embed/x"]["frame-ancestors"] == "'self'"


def test_oembed_hands_out_the_frame_of_a_view_of_ours_only(served: TestClient) -> None:
    page = served.get(f"/?{GROUP}&log=x").text
    discovery = re.search(r'type="application/json\+oembed" href="([^"]+)"', page)
    assert discovery is not None
    address = discovery[1].replace("&amp;", "&")
    document = served.get(address).json()
    assert (document["version"], document["type"]) == ("1.0", "rich")
    source = re.search(r'src="([^"]+)"', document["html"])
    assert source is not None
    assert served.get(source[1].replace("&amp;", "&")).status_code == 200
    assert "log=x" in source[1]
    small = served.get(f"{address}&maxwidth=300&maxheight=100").json()
    assert (small["width"], small["height"]) == (300, 200)

    def status(**query: str) -> int:
        answer = served.get("/oembed", params=query)
        assert answer.status_code == 200 or answer.headers["content-type"] == "application/problem+json"
        return answer.status_code

    assert status(url=f"{HOME}/points/p1") == 200
    assert status(url="http://elsewhere.example/") == 404
    for path in ("/points/../../etc", "/points/", "/points/p1/x", "/configs/%2e%2e/x", "/points/.."):
        assert status(url=f"{HOME}{path}") == 404, path
    assert status(url=f"{HOME}/data") == 404
    assert status(url=f"{HOME}@elsewhere.example/") == 404
    assert status(url=f"{HOME}/", format="xml") == 501
    assert status(url=f"{HOME}/", maxwidth="wide") == 400
    assert status() == 400
