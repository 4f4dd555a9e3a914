"""Assistants at /mcp: the SDK's own client, over real HTTP, gets what the API answers and no more than it asked for."""

import asyncio
import importlib.util
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import urlopen

import httpx2
import orjson
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from app.catalog.metrics import INTERACTIVITY_P50, METRICS, TOTAL_TPUT_PER_CHIP
from app.details.row import COLUMNS
from app.store.prices import FILE
from app.view import PARAMETERS
from app.web.assist import answers, layer
from app.web.assist.tools import TOOLS, input_schema
from app.web.errors import BROKEN, PROBLEM
from app.web.origin import HALO_URL
from tests.browser.conftest import Site, served
from tests.points import CHIP, kv, point, stored
from tests.served import client, demo_store

Document = dict[str, Any]
T = TypeVar("T")

KV = "kv"
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
HELLO = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Site]:
    with served(folder) as running:
        yield running


@pytest.fixture(params=["auto", "legacy"])
def mode(request: pytest.FixtureRequest) -> str:
    """How a client opens: by the present protocol, or by the handshake that older ones know."""
    return str(request.param)


def asked(site: Site, question: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    async def whole() -> T | MCPError:
        async with Client(site("/mcp"), mode=mode) as opened:
            try:
                return await question(opened)
            except MCPError as error:
                return error

    # A thread of its own, since a browser of other tests may hold this one's event loop.
    with ThreadPoolExecutor(1) as thread:
        outcome = thread.submit(lambda: asyncio.run(whole())).result()
    if isinstance(outcome, MCPError):
        raise outcome
    return outcome


def told(site: Site, tool: str, /, **arguments: Any) -> CallToolResult:
    return asked(site, lambda opened: opened.call_tool(tool, arguments))


def found(site: Site, tool: str, /, **arguments: Any) -> Document:
    """The structured answer of a call that went well, which the client has checked against the tool's schema."""
    answer = told(site, tool, **arguments)
    assert not answer.is_error, answer.content
    document: Document = answer.structured_content
    return document


def refused(site: Site, tool: str, /, **arguments: Any) -> str:
    answer = told(site, tool, **arguments)
    assert answer.is_error
    return text_of(answer)


def text_of(answer: CallToolResult) -> str:
    (block,) = answer.content
    return str(getattr(block, "text", ""))


def without(document: Document, *keys: str) -> Document:
    return {key: value for key, value in document.items() if key not in keys}


def test_an_assistant_is_told_what_halo_is_and_which_tools_there_are(site: Site, mode: str) -> None:
    async def opening(opened: Client) -> tuple[str, str, list[Any]]:
        return opened.server_info.name, opened.instructions or "", (await opened.list_tools()).tools

    name, instructions, tools = asked(site, opening, mode)
    assert name == "halo"
    assert "null means not reported" in instructions
    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    for tool in tools:
        assert tool.title
        assert tool.description
        assert tool.annotations.read_only_hint
        assert not tool.annotations.destructive_hint
        assert all(told.get("description") for told in tool.input_schema["properties"].values())
    assert sum(len(tool.model_dump_json(exclude_none=True)) for tool in tools) < 60_000


def test_a_price_table_of_the_stores_own_holds_in_answers_and_links(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=1000.0))
    table = f'[[table]]\nname = "ours"\nversion = "2026-11"\nusd_per_chip_hour = {{ {CHIP} = 3.6 }}\n'
    (tmp_path / FILE).write_text(table)
    cost = "cost_per_mtotal_tok_usd"
    with served(tmp_path) as site:
        answer = found(site, "points", columns=[cost], price="ours@2026-11")
        assert answer["rows"][0][cost] == pytest.approx(1.0)
        assert all("price=ours%402026-11" in answer["links"][name] for name in ("page", "json", "page_frozen"))
        assert "ours@2026-10" in refused(site, "points", price="ours@2026-10")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_parameter_of_a_tool_is_one_of_the_api(tool: Any) -> None:
    assert set(tool.usual) <= set(tool.parts)
    ours = {"id", "parts", "columns", "limit", "cursor", *PARAMETERS, "arm", "a", "b"}
    assert set(input_schema(tool)["properties"]) <= ours


@pytest.mark.parametrize(
    ("tool", "arguments", "address"),
    [
        ("points", {"columns": ["all"], "limit": 7}, "/api/v1/points?limit=7"),
        (
            "points",
            {"columns": ["all"], "limit": 9, "offload": [KV], "sort": f"-{TOTAL_TPUT_PER_CHIP}"},
            f"/api/v1/points?limit=9&offload=kv&sort=-{TOTAL_TPUT_PER_CHIP}",
        ),
        ("frontier", {"limit": 500, "all": "1"}, "/api/v1/frontier"),
        ("frontier", {"limit": 500}, "/api/v1/frontier?all=0"),
        (
            "frontier",
            {"limit": 500, "x": INTERACTIVITY_P50, "offload": [KV, "off"], "color": "chip"},
            f"/api/v1/frontier?all=0&x={INTERACTIVITY_P50}&offload=kv&offload=off&color=chip",
        ),
    ],
)
def test_a_tool_answers_what_the_api_answers(site: Site, tool: str, arguments: Document, address: str) -> None:
    document, api = found(site, tool, **arguments), site.json(address)
    assert {key: document[key] for key in api} == api
    assert set(document) - set(api) <= {"links", "cut", "next"}


def test_older_clients_get_the_same(site: Site) -> None:
    answer = asked(site, lambda opened: opened.call_tool("frontier", {"limit": 500}), "legacy")
    assert without(answer.structured_content, "links", "cut", "next") == site.json("/api/v1/frontier?all=0")


def test_parts_are_those_of_the_api(site: Site) -> None:
    row = site.rows("offload=kv")[0]
    for tool, address, own in (
        ("vocabulary", "/api/v1/vocabulary", {}),
        ("point", f"/api/v1/points/{row['id']}", {"id": row["id"]}),
        ("compare", "/api/v1/compare", {"limit": 200}),
        ("offload_study", "/api/v1/offload", {"limit": 200}),
    ):
        known = next(one for one in TOOLS if one.name == tool)
        whole = site.json(address)
        assert set(known.parts) <= set(whole)
        for part in known.parts:
            document = found(site, tool, parts=[part], **own)
            assert document["other_parts"] == [name for name in known.parts if name != part]
            assert {key: document[key] for key in whole if key not in document["other_parts"]} == {
                key: value for key, value in whole.items() if key not in known.parts or key == part
            }


def test_rows_hold_the_columns_that_are_named(site: Site) -> None:
    brief = found(site, "points", limit=2, x=INTERACTIVITY_P50)["rows"]
    named = found(site, "points", limit=2, columns=["run_label", TOTAL_TPUT_PER_CHIP])["rows"]
    api = site.json("/api/v1/points?limit=2")["rows"]
    assert [list(row) for row in named] == [["id", "run_label", TOTAL_TPUT_PER_CHIP]] * 2
    for row, of_brief, of_named in zip(api, brief, named, strict=True):
        assert of_brief.items() <= row.items()
        assert of_named.items() <= row.items()
        assert INTERACTIVITY_P50 in of_brief
        assert len(of_brief) < len(COLUMNS) / 4


@pytest.mark.parametrize(
    ("tool", "arguments", "items"),
    [
        ("points", {"limit": 50}, lambda page: [row["id"] for row in page["rows"]]),
        ("frontier", {"limit": 5}, lambda page: [one["id"] for series in page["series"] for one in series["points"]]),
        (
            "compare",
            {"limit": 3},
            lambda page: [f"{one['x']} {cell['series']}" for one in page["readings"] for cell in one["cells"]],
        ),
        (
            "offload_study",
            {"limit": 3, "parts": ["pairs", "pressure"]},
            lambda page: [one["on"] for one in page["pairs"]] + [one["id"] for one in page["pressure"]["points"]],
        ),
    ],
)
def test_pages_together_hold_everything_once(
    site: Site, tool: str, arguments: Document, items: Callable[[Document], list[str]]
) -> None:
    pages = [found(site, tool, **arguments)]
    while pages[-1]["next"]:
        pages.append(found(site, tool, **arguments, cursor=pages[-1]["next"]))
    whole = {**arguments, "limit": 500 if tool == "frontier" else 200}
    at_once = found(site, tool, **whole)
    assert len(pages) > 2
    gathered = [item for page in pages for item in items(page)]
    if at_once["next"] is None:
        assert sorted(gathered) == sorted(items(at_once))
    assert all(len(items(page)) <= 2 * arguments["limit"] for page in pages)


def test_a_page_stays_in_the_snapshot_of_the_first(tmp_path: Path) -> None:
    stored(tmp_path, *(point(2**power, offload=kv(), y=900.0 - power) for power in range(6)), run="one")
    with served(tmp_path) as running:
        first = found(running, "frontier", limit=2, all="1")
        stored(tmp_path, point(128, y=1.0), run="two")
        second = found(running, "frontier", limit=2, all="1", cursor=first["next"])
        assert second["snapshot"] == first["snapshot"] != found(running, "frontier")["snapshot"]
        assert second["count"] == 6


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("points", {"model": ["kimi"]}, "model=kimi: unknown model; known are"),
        ("points", {"offload": ["on", "sideways"]}, "offload=sideways: expected one of on, off"),
        ("frontier", {"x": "interactivty_p50"}, f"Near it: {INTERACTIVITY_P50}"),
        ("frontier", {"xr": "80,10"}, "two numbers are expected, the lower one first"),
        ("frontier", {"y": ["a", "b"]}, "y: one value is expected, not a list"),
        ("frontier", {"x": {"metric": "speed"}}, "x: a text or a number is expected"),
        ("points", {"chips": ["b200"]}, "there is no argument 'chips': there are chip"),
        ("points", {"limit": 0}, "limit=0: a whole number from 1 to 200"),
        ("points", {"limit": "many"}, "limit=many"),
        ("points", {"columns": ["ttft"]}, "columns=ttft: there are"),
        ("points", {"cursor": "nowhere"}, "cursor: not one of ours"),
        ("frontier", {"cursor": "nowhere"}, "cursor: not one of ours"),
        ("point", {}, "the tool `points` lists rows"),
        ("point", {"id": "p?x=1&y"}, "has no point 'p?x=1&y'"),
        ("point", {"id": "../vocabulary"}, "there is nothing at this address"),
        ("point", {"id": "none", "parts": ["raw"]}, "has no point 'none'"),
        ("compare", {"base": "none"}, "base=none"),
        ("compare", {"slo": "fast"}, "slo=fast"),
        ("offload_study", {"arm": "none"}, "arm=none: no config of this view"),
        ("offload_study", {"parts": ["verdict"]}, "parts=verdict: there are verdicts"),
        ("points", {"snapshot": "000009-00000000"}, "000009-00000000"),
        ("frontier", {"at": "NaN"}, "at=NaN: a number is expected"),
    ],
)
def test_what_cannot_be_read_is_answered_with_what_would_be_right(
    site: Site, tool: str, arguments: Document, sentence: str
) -> None:
    assert sentence in refused(site, tool, **arguments)


def test_several_mistakes_are_told_at_once(site: Site) -> None:
    text = refused(site, "points", model=["kimi"], chip=["h1000"])
    assert "model=kimi" in text
    assert "chip=h1000" in text


def test_a_tool_that_there_is_not_is_an_error_of_the_protocol(site: Site, mode: str) -> None:
    with pytest.raises(MCPError, match="there is no tool 'delete'; there are vocabulary, points"):
        asked(site, lambda opened: opened.call_tool("delete", {}), mode)


def test_what_fails_within_is_told_as_such_and_nothing_of_it(
    site: Site, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.web.assist import server

    async def broken(*_: object) -> None:
        raise KeyError("source")

    monkeypatch.setattr(server, "answered", broken)
    with pytest.raises(MCPError) as told_of:
        asked(site, lambda opened: opened.call_tool("points", {}), mode)
    assert told_of.value.code == -32603
    assert "source" not in told_of.value.message
    assert BROKEN in told_of.value.message


def test_links_lead_to_the_same_answer(site: Site) -> None:
    document = found(site, "frontier", limit=500, offload=[KV], log=["y"], at=30)
    links = document["links"]
    for name in ("page", "page_frozen", "json", "json_frozen"):
        assert links[name].startswith(site.address)
    assert "log=y" in links["page"]
    assert f"snapshot={document['snapshot']}" in links["page_frozen"]
    for name in ("json", "json_frozen"):
        # A settled link names the group, so there is nothing to note.
        assert read(links[name])["series"] == document["series"]
    for name in ("page", "page_frozen"):
        with urlopen(links[name]) as answer:
            assert answer.status == 200


def read(address: str) -> Document:
    with urlopen(address) as answer:
        document: Document = orjson.loads(answer.read())
    return document


def test_links_name_the_address_that_readers_know(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HALO_URL, "https://bench.example/halo/")
    with served(folder) as running:
        links = found(running, "vocabulary")["links"]
        assert links["page"] == "https://bench.example/halo/glossary"
        headers = {**HEADERS, "host": "bench.example", "origin": "https://bench.example"}
        assert httpx2.post(running("/mcp"), content=HELLO, headers=headers).status_code == 200


def test_the_text_alone_says_what_was_found(site: Site) -> None:
    answer = told(site, "points", limit=3, offload=[KV])
    text = text_of(answer)
    for row in answer.structured_content["rows"]:
        assert row["id"] in text
    assert answer.structured_content["links"]["page_frozen"] in text
    assert text_of(told(site, "vocabulary")).count(METRICS[TOTAL_TPUT_PER_CHIP].key) == 1
    verdicts = told(site, "offload_study")
    assert verdicts.structured_content["verdicts"][0]["text"] in text_of(verdicts)
    assert len(text_of(told(site, "frontier", limit=500, all="1"))) < 6_000


def test_an_answer_beyond_the_bound_says_how_to_ask_for_less(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "LARGEST", 20_000)
    text = refused(site, "points", limit=50, columns=["all"])
    assert "fewer columns or a smaller limit" in text
    assert site("/api/v1/points") in text
    assert len(found(site, "points", limit=5)["rows"]) == 5


@pytest.mark.parametrize(
    ("headers", "status", "sentence"),
    [
        ({"host": "evil.example"}, 421, "HALO_URL=http://evil.example"),
        ({"host": "127.0.0.1.evil.example:80"}, 421, "callers on this machine"),
        ({"host": "127.0.0.1:8320@evil.example"}, 421, "callers on this machine"),
        ({"host": "localhost:80/evil.example"}, 421, "HALO_URL=http://halo.example"),
        ({"host": "localhost:70000"}, 421, "callers on this machine"),
        ({"host": "[::1]:8000"}, 200, ""),
        ({"origin": "http://localhost:80@evil.example"}, 403, "no page of another site"),
        ({"origin": "http://evil.example"}, 403, "no page of another site"),
        ({"origin": "null"}, 403, "null"),
        ({"origin": "http://localhost:3000"}, 200, ""),
        ({"host": "localhost"}, 200, ""),
    ],
)
def test_only_this_machine_is_answered(site: Site, headers: dict[str, str], status: int, sentence: str) -> None:
    answer = httpx2.post(site("/mcp"), content=HELLO, headers={**HEADERS, **headers})
    assert answer.status_code == status
    if status != 200:
        assert answer.headers["content-type"] == PROBLEM
        assert sentence in answer.json()["detail"]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_other_methods_are_told_what_the_address_is_for(site: Site, method: str) -> None:
    answer = httpx2.request(method, site("/mcp"))
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"
    assert "/api/docs" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "status"), [(b"{", 400), (b"[]", 400), (b"x" * (2**16 + 1), 413)], ids=["cut", "list", "long"]
)
def test_damaged_requests_are_refused(site: Site, body: bytes, status: int) -> None:
    assert httpx2.post(site("/mcp"), content=body, headers=HEADERS).status_code == status


def test_without_the_library_the_address_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer, "find_spec", lambda name: None)
    answer = client(folder).post("/mcp", content=HELLO, headers={**HEADERS, "host": "localhost"})
    assert answer.status_code == 501
    assert answer.headers["content-type"] == PROBLEM
    assert "pip install '.[mcp]'" in answer.json()["detail"]


def test_nobody_waits_for_the_library_but_the_first_assistant() -> None:
    assert importlib.util.find_spec("mcp")
    code = "import sys, app.cli, app.web.main; sys.exit('mcp' in sys.modules or 'mcp_types' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
