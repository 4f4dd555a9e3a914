"""A real server over a store of the demo tables, and pages that put up with no error and no stranger."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import urlopen

import orjson
import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page

from app.web.main import create_app
from ingest.pipeline import ingest
from tests.conftest import ROOT

DEMO = ROOT / "data" / "demo"
DESKTOP = {"width": 1360, "height": 860}


@dataclass(frozen=True)
class Site:
    """A running dashboard: its address, and its answers as JSON."""

    address: str

    def __call__(self, path: str = "/") -> str:
        return self.address + path

    def json(self, path: str) -> Any:
        with urlopen(self(path)) as answer:
            return orjson.loads(answer.read())

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Every row of an API view."""
        return cast("list[dict[str, Any]]", self.json(f"/api/v1/points?limit=10000&{query}")["rows"])


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("store")
    ingest([DEMO], folder)
    with served(folder) as running:
        yield running


@pytest.fixture
def context(browser: Browser, site: Site) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport=DESKTOP, color_scheme="light", reduced_motion="reduce")  # type: ignore[arg-type]
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext, site: Site) -> Iterator[Page]:
    """Fails its test on an error in the console and on a request to any other host."""
    watched = Watched(context.new_page(), site)
    yield watched.page
    watched.check()


class Watched:
    """A page whose troubles are collected."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page = page
        self._troubles: list[str] = []
        host = urlsplit(site.address).netloc
        page.on("console", lambda message: self._note(f"console: {message.text}", message.type == "error"))
        page.on("pageerror", lambda error: self._note(f"error: {error}", True))
        page.on("request", lambda request: self._note(f"request to {request.url}", _is_foreign(request.url, host)))

    def _note(self, text: str, bad: bool) -> None:
        if bad:
            self._troubles.append(text)

    def check(self) -> None:
        assert self._troubles == []


def _is_foreign(address: str, host: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme not in ("data", "blob") and parts.netloc != host


class served:
    """A context in which the store in a folder is served, by uvicorn on a free port."""

    def __init__(self, folder: Path) -> None:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        config = uvicorn.Config(create_app(folder), log_level="warning", lifespan="off", ws="none")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def __enter__(self) -> Site:
        self._socket.listen()
        self._thread.start()
        return Site(f"http://127.0.0.1:{self._socket.getsockname()[1]}")

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=10)
        self._socket.close()
