"""The pictures in the README, taken from the demo data by a real browser: `make screenshots`."""

import shutil
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

import uvicorn
from playwright.sync_api import Browser, sync_playwright

from app.store.read import Store
from app.store.select import Selection
from app.web.main import create_app
from ingest.demo import demo_tables, published_tables
from ingest.pipeline import ingest

OUT = Path(__file__).parents[1] / "docs" / "images"
QUIET = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync"]
PORT = 8765
BASE = f"http://127.0.0.1:{PORT}"


def main() -> int:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        print("There is no Chromium here; on Debian: apt-get install chromium")
        return 1
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        ingest([*demo_tables(), *published_tables()], store)
        server = uvicorn.Server(uvicorn.Config(create_app(store), port=PORT, log_level="error"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        _wait()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", *QUIET])
                _pictures(browser, _point_with_nvme(store))
                browser.close()
        finally:
            server.should_exit = True
            thread.join(timeout=10)
    return 0


def _wait() -> None:
    for _ in range(100):
        try:
            with urllib.request.urlopen(f"{BASE}/healthz", timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


def _point_with_nvme(store: Path) -> dict[str, str]:
    """A demo point that three tiers served, whose twin is in the store."""
    rows = (
        Store(store)
        .snapshot()
        .rows(
            Selection(filters={"tier": ("local_nvme",), "model": ("kimik2.5",), "workload": ("agentic:demo-traces",)})
        )
    )
    row = max(rows, key=lambda row: min(row["nvme_share"] or 0, row["dram_share"] or 0))
    return {name: row[name] for name in ("id", "model", "workload")}


def _pictures(browser: Browser, point: dict[str, str]) -> None:
    pinned = urlencode({"model": point["model"], "workload": point["workload"], "point": point["id"]})
    for name, address, scheme, width, height in (
        ("dashboard_light", f"/?{pinned}", "light", 1360, 860),
        ("dashboard_dark", f"/?{pinned}", "dark", 1360, 860),
        ("dashboard_phone", "/", "dark", 360, 780),
        ("point", f"/points/{point['id']}", "light", 1240, 1000),
    ):
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,  # type: ignore[arg-type]  # the literals above
        )
        page = context.new_page()
        page.goto(BASE + address)
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(600)
        page.screenshot(path=str(OUT / f"{name}.png"))
        print(f"docs/images/{name}.png")
        context.close()


if __name__ == "__main__":
    sys.exit(main())
