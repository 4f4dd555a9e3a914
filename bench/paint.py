"""When a reader sees the chart: Chromium, a cold cache, against a blank page and one SVG of the same points."""

import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bench.bare import keep
from bench.measure import NotHere, Ratio
from bench.points import store_of
from bench.server import HOST, bare, get, halo

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

POINTS = 720
"""As many rows as InferenceX-app was measured with."""

_ROUNDS = 5
_HTML = {"content-type": "text/html; charset=utf-8"}
_WINDOW = {"width": 1360, "height": 860}
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)
_PEER_FIRST_MS, _PEER_CHANGE_MS, _PEER_TASK_MS = 2900.0, 310.0, 400.0
"""InferenceX-app, 720 rows, on two such cores: the middle of what was measured once."""

_WATCH = """(() => {
  window.bench = {longest: 0};
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) bench.longest = Math.max(bench.longest, task.duration);
  }).observe({type: 'longtask', buffered: true});
  window.bench.seen = (selector) => new Promise((done) => {
    const look = () => document.querySelector(selector)
      ? requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))) : requestAnimationFrame(look);
    look();
  });
  for (const [name, selector] of [['svg', '.frame1 use, .frame1 circle'], ['plotly', '#stage[data-drawn]']])
    bench.seen(selector).then((at) => { bench[name] = at; });
})()"""
"""Runs before the page does. A thing is painted two frames after it is there."""

_CHANGE = """([selector, act]) => new Promise((done) => {
  const stage = document.getElementById('stage');
  const before = stage.dataset.drawn;
  const start = performance.now();
  bench.longest = 0;
  const control = document.querySelector(selector);
  if (act === 'pick') {
    control.selectedIndex = (control.selectedIndex + 1) % control.options.length;
    control.dispatchEvent(new Event('change', {bubbles: true}));
  } else control.click();
  const look = () => {
    const now = document.getElementById('stage').dataset.drawn;
    if (now === undefined || now === before) requestAnimationFrame(look);
    else requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
  };
  look();
})"""

_CHANGES = {
    "another metric": ("select[name=y]", "pick"),
    "log axis": ("[data-log=x][data-to=log]", "click"),
    "a series hidden": ("a.box", "click"),
}


def run() -> Iterator[Ratio]:
    program = os.environ.get("HALO_CHROMIUM") or next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        raise NotHere("there is no Chromium: apt-get install chromium, or name one in HALO_CHROMIUM")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NotHere("there is no playwright: make setup installs it") from None
    with tempfile.TemporaryDirectory(prefix="halo-bench-") as scratch, sync_playwright() as playwright:
        folder, answers = Path(scratch) / "db", Path(scratch) / "answers"
        store_of(folder, POINTS)
        answers.mkdir()
        browser = playwright.chromium.launch(
            executable_path=program,
            args=list(_QUIET),
            # Chromium refuses its sandbox to root.
            chromium_sandbox=os.geteuid() != 0,
        )
        try:
            with halo(folder) as running:
                port = running.port
                keep(answers, "blank", _page(b""), _HTML)
                keep(answers, "hand", _page(_hand_made(get(port, "/api/v1/frontier")[1])), _HTML)
                get(port, "/", "br")
                with bare(answers) as limit:
                    yield from _first(browser, port, limit.port)
                yield from _changes(browser, port)
        finally:
            browser.close()


def _page(body: bytes) -> bytes:
    return b"<!doctype html><meta charset=utf-8><title>bench</title><body>" + body


def _hand_made(frontier: bytes) -> bytes:
    """The same points as circles of one SVG, with a dashed one around each that used KV offload."""
    found = [point for series in orjson.loads(frontier)["series"] for point in series["points"]]
    top_x, top_y = (max(point[axis] for point in found) for axis in ("x", "y"))
    marks = []
    for point in found:
        at = f'cx="{point["x"] / top_x * 1300:.1f}" cy="{800 - point["y"] / top_y * 780:.1f}"'
        marks.append(f'<circle {at} r="4" fill="#357"/>')
        if "kv" in (point["offload_kind"] or ""):
            marks.append(
                f'<circle {at} r="8.5" fill="none" stroke="#357" stroke-width="1.3" stroke-dasharray="3.2 2.1"/>'
            )
    return f'<svg class="frame1" width="1340" height="820">{"".join(marks)}</svg>'.encode()


def _first(browser: "Browser", port: int, limit_port: int) -> Iterator[Ratio]:
    found: dict[str, list[float]] = {"blank": [], "hand": [], "svg": [], "plotly": [], "task": []}
    for _ in range(_ROUNDS):
        found["blank"].append(_cold(browser, limit_port, "/blank", "document.body && bench.seen('body')"))
        found["hand"].append(_cold(browser, limit_port, "/hand", "bench.seen('.frame1 circle')"))
        with _opened(browser, port, "/") as page:
            page.wait_for_selector("#stage[data-drawn]", timeout=60_000)
            found["plotly"].append(page.evaluate("bench.seen('#stage[data-drawn]').then(() => bench.plotly)"))
            found["svg"].append(page.evaluate("bench.svg ?? bench.plotly"))
            found["task"].append(page.evaluate("bench.longest"))
    middle = {name: statistics.median(values) for name, values in found.items()}
    limit_name = f"one hand-made SVG of {POINTS} points; blank page {middle['blank']:.0f} ms"
    yield Ratio(
        name="first frame of the chart painted, cold",
        value=middle["svg"],
        limit=middle["hand"],
        unit="ms",
        limit_name=limit_name,
        wanted=3,
    )
    yield Ratio(
        name="first frame of the chart painted, cold",
        value=middle["svg"],
        limit=_PEER_FIRST_MS,
        unit="ms",
        limit_name="InferenceX-app, measured once",
        wanted=0.25,
    )
    yield Ratio(
        name="interactive chart painted, cold",
        value=middle["plotly"],
        limit=middle["hand"],
        unit="ms",
        limit_name=limit_name,
    )
    yield Ratio(
        name="interactive chart painted, cold",
        value=middle["plotly"],
        limit=_PEER_FIRST_MS,
        unit="ms",
        limit_name="InferenceX-app, measured once",
        wanted=0.25,
    )
    yield Ratio(
        name="longest task of the first load",
        value=middle["task"],
        limit=_PEER_TASK_MS,
        unit="ms",
        limit_name="InferenceX-app, measured once",
    )


def _changes(browser: "Browser", port: int) -> Iterator[Ratio]:
    with _opened(browser, port, "/") as page:
        page.wait_for_selector("#stage[data-drawn]", timeout=60_000)
        for name, control in _CHANGES.items():
            spent, tasks = [], []
            for _ in range(_ROUNDS):
                spent.append(page.evaluate(_CHANGE, list(control)))
                tasks.append(page.evaluate("bench.longest"))
                page.go_back()
                page.wait_for_timeout(400)
            yield Ratio(
                name=f"change painted: {name}",
                value=statistics.median(spent),
                limit=_PEER_CHANGE_MS,
                unit="ms",
                limit_name="InferenceX-app, measured once",
                wanted=0.5,
                note=f"longest task {statistics.median(tasks):.0f} ms",
            )


def _cold(browser: "Browser", port: int, path: str, ready: str) -> float:
    with _opened(browser, port, path) as page:
        return float(page.evaluate(ready))


class _opened:
    """A page in a context of its own, so that nothing is cached."""

    def __init__(self, browser: "Browser", port: int, path: str) -> None:
        self._open: Callable[[], Any] = lambda: browser.new_context(viewport=_WINDOW)  # type: ignore[arg-type]
        self._address = f"http://{HOST}:{port}{path}"

    def __enter__(self) -> "Page":
        self._context = self._open()
        page: Page = self._context.new_page()
        page.add_init_script(_WATCH)
        page.goto(self._address, wait_until="commit")
        return page

    def __exit__(self, *_: object) -> None:
        self._context.close()
