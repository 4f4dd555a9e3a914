"""Answers made once: tags, encodings, HEAD, invalidation, stampedes, and the bound on memory."""

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import brotli
import httpx2
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from app.web.compress import ENCODINGS, choose
from app.web.fast import Fast, canonical
from app.web.pointer import Pointer
from tests.points import point, stored
from tests.served import client

UNPACK = {
    "br": brotli.decompress,
    "zstd": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    "gzip": gzip.decompress,
    "identity": bytes,
}
ADDRESSES = ("/", "/data", "/glossary", "/api/v1/points", "/api/v1/points.csv", "/api/v1/figures/pareto", "/api/docs")


@pytest.fixture
def served(tmp_path: Path) -> TestClient:
    stored(tmp_path, point(8), point(16, y=1200.0, x=30.0))
    return client(tmp_path)


def raw(served: TestClient, address: str, encoding: str, **headers: str) -> httpx2.Response:
    """An answer with its body as it came over the wire in `.extensions["wire"]`."""
    with served.stream("GET", address, headers={"accept-encoding": encoding, **headers}) as answer:
        answer.extensions["wire"] = b"".join(answer.iter_raw())
    return answer


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_encoding_decodes_to_the_same_bytes(served: TestClient, address: str) -> None:
    plain = raw(served, address, "identity")
    assert "content-encoding" not in plain.headers
    tags = {plain.headers["etag"]}
    for encoding in ENCODINGS:
        answer = raw(served, address, encoding)
        assert answer.headers["content-encoding"] == encoding
        assert answer.headers["vary"] == "Accept-Encoding"
        assert int(answer.headers["content-length"]) == len(answer.extensions["wire"]) < len(plain.extensions["wire"])
        assert UNPACK[encoding](answer.extensions["wire"]) == plain.extensions["wire"]
        tags.add(answer.headers["etag"])
    assert len(tags) == 1 + len(ENCODINGS)


@pytest.mark.parametrize(
    ("accepted", "chosen"),
    [
        ("", "identity"),
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("gzip;q=1.0, br;q=0.5", "gzip"),
        ("br;q=0, gzip;q=0.1", "gzip"),
        ("zstd;q=0.9, gzip;q=0.9", "zstd"),
        ("*", "br"),
        ("br;q=0, *;q=0.5", "zstd"),
        ("identity;q=1, gzip;q=0.5", "identity"),
        ("gzip;q=nonsense", "identity"),
        ("BR", "br"),
        ("deflate", "identity"),
    ],
)
def test_the_client_weighs_encodings(accepted: str, chosen: str) -> None:
    assert choose(accepted) == chosen


@given(st.text(max_size=40))
def test_no_accept_encoding_breaks_anything(accepted: str) -> None:
    assert choose(accepted) in (*ENCODINGS, "identity")


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_known_tag_is_answered_with_304_and_no_body(served: TestClient, address: str) -> None:
    first = served.get(address)
    tag = first.headers["etag"]
    for tags in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = served.get(address, headers={"if-none-match": tags})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
        assert "content-security-policy" in again.headers
    assert served.get(address, headers={"if-none-match": '"other"'}).status_code == 200


@pytest.mark.parametrize("address", [*ADDRESSES, "/healthz", "/api/openapi.json", "/nowhere", "/api/v1/points?limit=0"])
def test_head_has_the_headers_of_get_and_no_body(served: TestClient, address: str) -> None:
    get, head = served.get(address), served.head(address)
    assert (head.status_code, head.content) == (get.status_code, b"")
    assert dict(head.headers) == dict(get.headers)


def test_a_publish_changes_answers_at_once_and_a_named_snapshot_not_at_all(tmp_path: Path) -> None:
    stored(tmp_path, point(8))
    served = client(tmp_path)
    before = served.get("/api/v1/points")
    fixed = f"/api/v1/points?snapshot={before.json()['snapshot']}"
    old = served.get(fixed).content
    stored(tmp_path, point(32), run="run-b")
    after = served.get("/api/v1/points", headers={"if-none-match": before.headers["etag"]})
    assert after.status_code == 200
    assert after.json()["count"] == 2
    assert served.get(fixed).content == old


def test_live_addresses_are_asked_again_and_fixed_ones_are_kept(served: TestClient) -> None:
    live = served.get("/api/v1/frontier")
    assert live.headers["cache-control"] == "no-cache"
    fixed = served.get("/api/v1/frontier", params={"snapshot": live.json()["snapshot"]})
    assert "immutable" in fixed.headers["cache-control"]
    page = served.get("/", params={"snapshot": live.json()["snapshot"]})
    assert page.headers["cache-control"] == "no-cache"


def test_errors_are_not_kept(served: TestClient, tmp_path: Path) -> None:
    assert served.get("/api/v1/points/p000000000000").status_code == 404
    assert "etag" not in served.get("/api/v1/points/p000000000000").headers


@pytest.mark.parametrize("one", ["/api/v1/points?chip=b200&limit=1", "/api/v1/points?limit=1&chip=b200"])
def test_links_that_mean_the_same_share_an_answer(served: TestClient, one: str) -> None:
    assert served.get(one).headers["etag"] == served.get("/api/v1/points?chip=b200&limit=1").headers["etag"]
    assert canonical(b"limit=1&chip=b200") == canonical(b"chip=b200&limit=1")


def test_values_of_one_parameter_keep_their_order() -> None:
    assert canonical(b"point=b&x=1&point=a") == "point=b&point=a&x=1"


class Kitchen:
    """An application that counts how often it is asked, and takes its time."""

    def __init__(self, size: int = 1000, status: int = 200) -> None:
        self.asked = 0
        self.status = status
        self.size = size

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked += 1
        await asyncio.sleep(0.02)
        if self.status == 0:
            raise RuntimeError("burnt")
        headers = [(b"content-type", b"text/plain")]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        half = b"x" * (self.size // 2)
        await send({"type": "http.response.body", "body": half, "more_body": True})
        await send({"type": "http.response.body", "body": half})


def ask(fast: Fast, *addresses: str) -> list[httpx2.Response | BaseException]:
    async def together() -> list[httpx2.Response | BaseException]:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=fast), base_url="http://halo") as asking:
            return await asyncio.gather(*(asking.get(address) for address in addresses), return_exceptions=True)

    # In a thread of its own: Playwright keeps a loop running in this one once a browser test has come before.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(together())).result()


def test_a_stampede_is_answered_by_one_building() -> None:
    kitchen = Kitchen()
    answers = ask(Fast(kitchen, lambda: "snap", lambda path: True), *["/a"] * 50)
    assert {answer.text for answer in answers if isinstance(answer, httpx2.Response)} == {"x" * 1000}
    assert (len(answers), kitchen.asked) == (50, 1)


def test_those_who_wait_for_a_failure_get_their_own_and_later_ones_try_anew() -> None:
    kitchen = Kitchen(status=503)
    fast = Fast(kitchen, lambda: "snap", lambda path: True)
    assert [answer.status_code for answer in ask(fast, "/a", "/a") if isinstance(answer, httpx2.Response)] == [503, 503]
    kitchen.status = 0
    assert [type(answer) for answer in ask(fast, "/a", "/a")] == [RuntimeError, RuntimeError]
    kitchen.status = 200
    assert [answer.status_code for answer in ask(fast, "/a", "/a") if isinstance(answer, httpx2.Response)] == [200, 200]
    assert kitchen.asked == 5


def test_another_pointer_is_another_answer() -> None:
    kitchen, live = Kitchen(), ["one"]
    fast = Fast(kitchen, lambda: live[0], lambda path: True)
    ask(fast, "/a")
    ask(fast, "/a")
    assert kitchen.asked == 1
    live[0] = "two"
    ask(fast, "/a")
    assert kitchen.asked == 2


def test_memory_is_bounded_and_what_is_used_stays() -> None:
    kitchen = Kitchen(size=1000)
    fast = Fast(kitchen, lambda: "snap", lambda path: True, limit=10_000)
    for number in range(20):
        ask(fast, "/often", f"/{number}")
    asked = kitchen.asked
    ask(fast, "/often", "/19")
    assert kitchen.asked == asked
    ask(fast, "/0")
    assert kitchen.asked == asked + 1


def test_an_answer_too_large_to_keep_goes_out_whole() -> None:
    kitchen = Kitchen(size=40 * 2**20)
    fast = Fast(kitchen, lambda: "snap", lambda path: True)
    for turn in (1, 2):
        (answer,) = ask(fast, "/large")
        assert isinstance(answer, httpx2.Response)
        assert len(answer.content) == kitchen.size
        assert kitchen.asked == turn


def test_addresses_that_are_not_cached_are_always_asked() -> None:
    kitchen = Kitchen()
    fast = Fast(kitchen, lambda: "snap", lambda path: False)
    ask(fast, "/a")
    ask(fast, "/a")
    assert kitchen.asked == 2


def test_the_pointer_is_read_when_it_changes(tmp_path: Path) -> None:
    pointer = Pointer(tmp_path)
    assert pointer() is None
    first = stored(tmp_path, point(8)).snapshot
    assert first is not None
    assert pointer() == pointer() == f"snap-{first}.duckdb"
    second = stored(tmp_path, point(16)).snapshot
    assert pointer() == f"snap-{second}.duckdb"
