"""Figures to pictures: one warm Chromium in a thread of its own, driven by kaleido, an extra.

It is started by the first picture that is asked for, draws one at a time behind a bounded queue, is replaced when
it dies or hangs, and is closed with the process. Nothing here touches the event loop of the server.
"""

import asyncio
import atexit
import contextlib
import importlib.util
import logging
import os
import shutil
import signal
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from pathlib import Path
from typing import Any, Literal

from app.figures.figure import Plain
from app.web.errors import RequestError
from app.web.templates import STATIC

Kind = Literal["svg", "png"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = "HALO_CHROMIUM"
PLOTLY = STATIC / "vendor" / "plotly-basic" / "plotly-basic-4.1.1.min.js"

WAITING = 12
"""Pictures that may wait or be drawn; the next one is told to come again."""
PATIENCE_S = 20.0
"""For one picture, once it is its turn."""
START_S = 30.0
_CLOSE_S = 5.0

_log = logging.getLogger("halo.web")


class NoImages(RequestError):
    """This server draws no pictures; the sentence says what is to be installed."""

    def __init__(self, detail: str) -> None:
        super().__init__(501, detail)


class BusyImages(RequestError):
    def __init__(self) -> None:
        super().__init__(503, f"{WAITING} pictures are waiting to be drawn: ask again in a few seconds")


class FailedImage(RequestError):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(status, detail)


def chromium() -> str | None:
    """The browser to draw with: HALO_CHROMIUM, else the first on PATH."""
    return os.environ.get(CHROMIUM) or next(filter(None, map(shutil.which, BROWSERS)), None)


def missing() -> str | None:
    """Why no picture can be drawn here, as a sentence with the remedy; None where one can."""
    if importlib.util.find_spec("kaleido") is None:
        return "pictures need the extra `images`: pip install 'halo-dashboard[images]', and Chromium beside it"
    found = chromium()
    if found is None:
        return f"pictures need Chromium or Chrome: apt-get install chromium, or name a program in {CHROMIUM}"
    if not os.access(found, os.X_OK):
        return f"{CHROMIUM} names {Path(found).name}, which is not a program"
    return None


class Images:
    """The browser and its queue. One for a process; every method may be called from any thread."""

    def __init__(self, patience: float = PATIENCE_S, waiting: int = WAITING) -> None:
        self._patience = patience
        self._room = threading.BoundedSemaphore(waiting)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._turn: asyncio.Lock | None = None
        self._browser: Any = None

    def draw(self, figure: Plain, kind: Kind, scale: float = 1) -> bytes:
        """The figure as a file, at the size that its layout states. Raises NoImages, BusyImages, FailedImage."""
        if (reason := missing()) is not None:
            raise NoImages(reason)
        if not self._room.acquire(blocking=False):
            raise BusyImages
        try:
            drawing: Future[bytes] = asyncio.run_coroutine_threadsafe(self._drawn(figure, kind, scale), self._running())
            return drawing.result()
        finally:
            self._room.release()

    def pid(self) -> int | None:
        """The browser's process while there is one."""
        return None if self._browser is None else int(self._browser.subprocess.pid)

    def close(self) -> None:
        """Ends the browser and its thread; the next picture starts new ones."""
        with self._lock:
            loop, self._loop = self._loop, None
            thread = self._thread
        if loop is None or thread is None:
            return
        with contextlib.suppress(TookTooLong, RuntimeError):
            asyncio.run_coroutine_threadsafe(self._end(), loop).result(2 * _CLOSE_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSE_S)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop, self._turn = asyncio.new_event_loop(), asyncio.Lock()
                self._thread = threading.Thread(target=_run, args=(self._loop,), name="halo-images", daemon=True)
                self._thread.start()
                atexit.register(self.close)
            return self._loop

    async def _drawn(self, figure: Plain, kind: Kind, scale: float) -> bytes:
        """One picture at a time. A browser that fails is replaced once: it may have died while nobody asked."""
        assert self._turn is not None
        opts = {"format": kind, "scale": scale, **{side: figure["layout"][side] for side in ("width", "height")}}
        async with self._turn:
            for again in (True, False):
                limit = asyncio.timeout(self._patience)
                try:
                    browser = await self._started()
                    async with limit:
                        made: bytes = await browser.calc_fig(figure, opts)
                    return made
                except FailedImage:
                    raise
                except Exception as error:
                    await self._end()
                    if limit.expired():
                        detail = f"the picture was not drawn within {self._patience:g} seconds"
                        raise FailedImage(504, detail) from error
                    _log.warning("drawing a picture failed: %s: %s", type(error).__name__, error)
                    if not again:
                        raise FailedImage(500, "the browser that draws pictures failed; the log says how") from error
        raise FailedImage(500, "no picture was drawn")

    async def _started(self) -> Any:
        if self._browser is not None and self._browser.subprocess.poll() is None:
            return self._browser
        await self._end()
        # Chromium refuses its sandbox to root, and most containers refuse it to everybody.
        for sandbox in (True, False) if os.geteuid() != 0 else (False,):
            try:
                return await self._start(sandbox)
            except Exception as error:
                _log.warning("Chromium did not start%s: %s", " in its sandbox" if sandbox else "", error)
                await self._end()
        raise FailedImage(501, f"Chromium is there but does not start; name another one in {CHROMIUM}")

    async def _start(self, sandbox: bool) -> Any:
        from kaleido import Kaleido

        self._browser = browser = Kaleido(
            n=1,
            timeout=None,
            plotlyjs=PLOTLY,
            mathjax=False,
            path=chromium(),
            enable_sandbox=sandbox,
            enable_extensions=False,
            # Nothing leads out of this machine, whatever a browser would like to ask its maker.
            proxy_server="127.0.0.1:9",
        )
        async with asyncio.timeout(START_S):
            await browser.open()
        return browser

    async def _end(self) -> None:
        """Closes the browser; one that does not go is ended with all its processes."""
        browser, self._browser = self._browser, None
        if browser is None or not hasattr(browser, "subprocess"):
            return
        process = browser.subprocess
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_CLOSE_S):
                await browser.close()
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                # It leads a session of its own, so that this ends its children and nobody else.
                os.killpg(process.pid, signal.SIGKILL)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """The thread of the browser: its loop until it is stopped, and then whatever is still under way is called off."""
    loop.run_forever()
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left))
    loop.close()
