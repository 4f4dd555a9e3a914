"""Every refusal has one shape and says what would be right; nothing a query says brings the server down."""

import logging
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from app.view import PARAMETERS
from app.web.guard import Guard
from app.web.openapi import OPERATIONS
from tests.points import point, stored
from tests.served import client, odd_store


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(odd_store(tmp_path_factory.mktemp("odd")))


@pytest.mark.parametrize(
    ("query", "parameter", "hint"),
    [
        ("foo=1", "foo", "there are model, workload"),
        ("limit=0", "limit", "1 to 10000"),
        ("limit=10001", "limit", "1 to 10000"),
        ("limit=1e3", "limit", "whole number"),
        ("limit=-1", "limit", "whole number"),
        ("limit=٣", "limit", "whole number"),
        ("cursor=zzz", "cursor", "`next`"),
        ("cursor=W10", "cursor", "`next`"),
        ("x=speed", "x", "/glossary"),
        ("chip=b2000", "chip", "known are"),
        ("chip_count=many", "chip_count", "whole number"),
        ("origin=guessed", "origin", "measured"),
        ("offload=maybe", "offload", "on, off"),
        ("runs=latest", "runs", "newest, all"),
        ("all=2", "all", "0, 1"),
        ("log=z", "log", "x, y"),
        ("xr=5", "xr", "xr=10,80"),
        ("yr=9,1", "yr", "lower one first"),
        ("xr=nan,1", "xr", "lower one first"),
        ("at=inf", "at", "number"),
        ("price=free", "price", "@"),
        ("sort=speed", "sort", "metric or a dimension"),
        ("color=mood", "color", "expected one of"),
        ("x=concurrency&x=ttft_p50_s", "x", "given twice"),
    ],
)
def test_a_bad_parameter_is_named_with_what_would_be_right(
    served: TestClient, query: str, parameter: str, hint: str
) -> None:
    answer = served.get(f"/api/v1/points?{query}")
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["parameter"] == parameter
    assert hint in problem["detail"]
    assert {"type", "title", "status", "detail", "instance"} <= set(problem)
    assert (problem["status"], problem["instance"]) == (400, "/api/v1/points")


def test_all_parameters_at_fault_are_listed(served: TestClient) -> None:
    problem = served.get("/api/v1/points?foo=1&x=2&limit=5&offload=kv").json()
    assert [item["parameter"] for item in problem["problems"]] == ["foo", "x"]


def test_a_cursor_of_another_question_or_snapshot_is_refused(served: TestClient) -> None:
    cursor = served.get("/api/v1/points?limit=1").json()["next"]
    other = served.get("/api/v1/points", params={"cursor": cursor, "chip": "b200"})
    assert (other.status_code, other.json()["parameter"]) == (400, "cursor")
    first = served.get("/api/v1/snapshots").json()["snapshots"][-1]["id"]
    moved = served.get("/api/v1/points", params={"cursor": cursor, "snapshot": first})
    assert (moved.status_code, moved.json()["parameter"]) == (400, "cursor")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/api/v1/points/p000000000000", "no point"),
        ("/points/p000000000000.json", "no point"),
        ("/api/v1/configs/c0", "no config"),
        ("/configs/c0.json", "no config"),
        ("/api/v1/figures/pie", "there are pareto"),
        ("/api/v1/points?snapshot=000001-zzzzzzzz", "no snapshot"),
        ("/api/v1/nothing", "/api/docs"),
        ("/api/v2/points", "/api/docs"),
    ],
)
def test_what_is_not_there_is_said_as_a_problem(served: TestClient, address: str, words: str) -> None:
    answer = served.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert words in answer.json()["detail"]


def test_pages_that_are_not_there_are_pages(served: TestClient) -> None:
    for address in ("/nowhere", "/points/p0", "/configs/c0", "/?snapshot=000009-00000000"):
        answer = served.get(address)
        assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "<h1" in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_get_and_head_are_answered(served: TestClient, method: str) -> None:
    answer = served.request(method, "/api/v1/points")
    assert (answer.status_code, answer.headers["content-type"]) == (405, "application/problem+json")
    assert "GET" in answer.headers["allow"]


def test_pages_read_what_they_can_and_say_what_they_could_not(served: TestClient) -> None:
    answer = served.get("/?x=speed&chip=b200&utm_source=mail")
    assert answer.status_code == 200
    assert "x=speed" in answer.text


def test_a_store_that_cannot_be_read_is_said_and_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "snap-000001-00000000.duckdb").write_bytes(b"no database")
    (tmp_path / "CURRENT").write_text("snap-000001-00000000.duckdb\n")
    broken = client(tmp_path)
    for address in ("/healthz", "/api/v1/points", "/"):
        answer = broken.get(address)
        assert answer.status_code == 503
        assert "snap-000001-00000000.duckdb" in answer.text
        assert "Traceback" not in answer.text


def test_a_bug_is_logged_and_told_without_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    async def buggy(scope: Scope, receive: Receive, send: Send) -> None:
        raise ZeroDivisionError("secret inside")

    for address, kind in (("/api/v1/points", "application/problem+json"), ("/", "text/html; charset=utf-8")):
        with caplog.at_level(logging.ERROR):
            answer = TestClient(Guard(buggy)).get(address)
        assert (answer.status_code, answer.headers["content-type"]) == (500, kind)
        assert "secret inside" not in answer.text
        assert "secret inside" in caplog.text


VALUES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "",
            "unknown",
            "0",
            "1",
            "-1",
            "1e400",
            "nan",
            "x",
            "y",
            "other:",
            "other:x",
            "kv",
            "9" * 5000,
            "1,2",
            "a,b",
            "\0",
        ]
    ),
    st.integers().map(str),
    st.floats().map(str),
)
NAMES = st.one_of(st.sampled_from((*PARAMETERS, "limit", "cursor")), st.text(max_size=8))
PLACES = [operation.path.format(point_id="p0", config_id="c0", name="pareto") for operation in OPERATIONS]
PAGES = ["/", "/data", "/glossary", "/api/docs", "/api/openapi.json"]


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from([*PLACES, *PAGES]), pairs=st.lists(st.tuples(NAMES, VALUES), max_size=4))
@example(place="/api/v1/points", pairs=[("chip_count", "9" * 5000)])
@example(place="/api/v1/points", pairs=[("workload", "9" * 5000 + "/1k")])
@example(place="/api/v1/points", pairs=[("run", "\0")])
@example(place="/api/v1/figures/pareto", pairs=[("xr", "-5,1e308"), ("log", "x")])
@example(place="/", pairs=[("yr", "1e-320,1e308"), ("log", "y")])
def test_no_query_brings_the_server_down(served: TestClient, place: str, pairs: list[tuple[str, str]]) -> None:
    query = urlencode(pairs, errors="surrogatepass")
    assert served.get(f"{place}?{query}").status_code in (200, 400, 404)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\r\n\t"), max_size=30))
def test_no_address_brings_the_server_down(served: TestClient, text: str) -> None:
    for start in ("/", "/points/", "/configs/", "/glossary/", "/static/", "/api/v1/", "/api/v1/points/"):
        assert served.get(start + urlencode({"": text})[1:]).status_code in (200, 404)


@pytest.fixture(scope="module")
def extreme(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """Numbers at both ends of what a double holds."""
    folder = tmp_path_factory.mktemp("extreme")
    numbers = (1e308, 1e300, 1e-310, 5e-324)
    stored(folder, *(point(2**n, x=x, y=y) for n, (x, y) in enumerate(zip(numbers, reversed(numbers), strict=True))))
    return client(folder)


@pytest.mark.parametrize("query", ["", "log=x", "log=y", "log=x&log=y", "at=1", "xr=1,2", "xr=1e300,1e301&log=x"])
@pytest.mark.parametrize(
    "place", ["/", "/compare", "/history", "/offload", "/report.html", "/embed", "/api/v1/compare"]
)
def test_numbers_at_the_ends_of_what_can_be_held_are_drawn_or_left_out(
    extreme: TestClient, place: str, query: str
) -> None:
    assert extreme.get(f"{place}?{query}").status_code == 200


def test_an_address_that_cannot_be_read_is_no_page_here(served: TestClient) -> None:
    assert served.get("/oembed?" + urlencode({"url": "http://[::1"})).status_code == 404
    answer = served.post("/api/v1/preview", headers={"origin": "http://[::1"})
    assert answer.status_code == 403
