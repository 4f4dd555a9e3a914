"""What every answer carries, and what no address can be talked into."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.web.assets import files
from app.web.templates import fingerprint, static
from tests.points import point, stored
from tests.served import client

ADDRESSES = (
    "/",
    "/data",
    "/glossary",
    "/healthz",
    "/api/docs",
    "/api/openapi.json",
    "/api/v1/points",
    "/api/v1/points.csv",
    "/api/v1/nothing",
    "/api/v1/points?x=no",
    "/points/none",
    "/points/none.json",
    "/nowhere",
    "/static/none/none.js",
    static("css/site.css"),
)


@pytest.fixture
def served(tmp_path: Path) -> TestClient:
    stored(tmp_path, point(8))
    return client(tmp_path)


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_security_headers_are_on_every_answer(served: TestClient, address: str, method: str) -> None:
    headers = served.request(method, address).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'self'"
    assert policy["base-uri"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert {"referrer-policy", "permissions-policy", "cross-origin-opener-policy"} <= set(headers)
    assert "set-cookie" not in headers
    assert headers["content-type"]


@pytest.mark.parametrize("address", ["/", "/data", "/glossary", "/api/docs", "/nowhere"])
def test_no_page_holds_an_inline_script_or_an_outside_address(served: TestClient, address: str) -> None:
    page = served.get(address).text
    for tag in page.split("<script")[1:]:
        opening = tag.split(">", 1)[0]
        assert "src=" in opening or "application/json" in opening
    for attribute in ('src="http', "src='http", 'src="//', " onclick=", " onload=", "javascript:", "@import"):
        assert attribute not in page


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80@x", "", "127.0.0.1:8000"])
@pytest.mark.parametrize(
    "address", ["/", "//evil.example/", "/data/", "/api/v1/points/", "/%2f%2fevil.example", "/\\evil"]
)
def test_no_host_header_or_path_redirects_anywhere(served: TestClient, address: str, host: str) -> None:
    answer = served.get(f"http://testserver{address}", headers={"host": host}, follow_redirects=False)
    assert answer.status_code in (200, 404)
    assert "location" not in answer.headers
    # What a link unfolds to names the host that was asked; nothing that a reader follows does.
    page = re.sub(r'<(?:meta|link rel="alternate")[^>]*>', "", answer.text)
    assert "evil.example" not in page.replace("//evil.example/", "").replace("/%2f%2fevil.example", "")


@pytest.mark.parametrize(
    "path",
    ["../app/cli.py", "..%2fapp%2fcli.py", "css/../../pyproject.toml", "%2e%2e/pyproject.toml", "/etc/passwd", ".", ""],
)
def test_no_file_outside_static_is_served(served: TestClient, path: str) -> None:
    answer = served.get(f"/static/{fingerprint()}/{path}")
    assert answer.status_code == 404
    assert "halo-dashboard" not in answer.text


def test_static_files_are_kept_for_ever_under_their_fingerprint_only(served: TestClient) -> None:
    now = served.get(static("css/site.css"))
    assert now.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert now.headers["content-type"] == "text/css; charset=utf-8"
    before = served.get("/static/0123456789ab/css/site.css")
    assert (before.status_code, before.headers["cache-control"]) == (200, "no-cache")
    assert before.content == now.content
    assert served.get(static("css/site.css"), headers={"if-none-match": now.headers["etag"]}).status_code == 304


def test_the_prebuilt_twins_of_a_file_are_what_is_sent(served: TestClient) -> None:
    name = next(name for name, path in files().items() if path.with_name(path.name + ".br").is_file())
    for encoding, suffix in (("br", ".br"), ("gzip", ".gz")):
        with served.stream("GET", static(name), headers={"accept-encoding": encoding}) as answer:
            wire = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == encoding
        assert wire == files()[name].with_name(files()[name].name + suffix).read_bytes()
    assert not [name for name in files() if name.endswith((".br", ".gz"))]
