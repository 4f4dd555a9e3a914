"""The chart in a frame on a page of another origin: drawn where it may be, refused where it may not."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import BrowserContext, expect

from ingest.pipeline import ingest
from tests.browser.conftest import DEMO, served

GROUP = "model=kimik2.5&workload=agentic:demo-traces"


class Stranger:
    """A page of another origin with one frame in it."""

    def __init__(self) -> None:
        self.source = ""
        stranger = self

        class Page(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = f'<!doctype html><iframe src="{stranger.source}" width="900" height="560"></iframe>'.encode()
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    made = Stranger()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.mark.parametrize("allowed", [True, False])
def test_another_page_may_frame_the_chart_only_if_it_is_named(
    context: BrowserContext, stranger: Stranger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: bool
) -> None:
    ingest([DEMO], tmp_path)
    if allowed:
        monkeypatch.setenv("HALO_EMBED_ANCESTORS", f"'self' {stranger.address}")
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    with served(tmp_path) as site:
        stranger.source = site(f"/embed?{GROUP}&at=25&theme=dark")
        page.goto(stranger.address)
        frame = page.frame_locator("iframe")
        if not allowed:
            page.wait_for_function("() => true")
            expect(frame.locator("#stage")).to_have_count(0)
            assert any("frame-ancestors" in text for text in troubles)
            return
        expect(frame.locator("#stage[data-drawn]")).to_be_attached(timeout=30_000)
        assert frame.locator("#chart .points path").count() > 20
        dashed = frame.locator("#chart .points path").evaluate_all(
            "(paths) => paths.filter((one) => getComputedStyle(one).strokeDasharray !== 'none').length"
        )
        assert dashed > 10
        assert frame.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor") == "rgb(17, 20, 23)"
        expect(frame.locator(".rule .flag")).to_have_text(["25"])
        assert frame.locator(".rule .cross").count() > 0
        expect(frame.locator("a", has_text="Open in Halo")).to_have_attribute("target", "_blank")
        assert troubles == []
