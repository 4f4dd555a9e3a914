"""What tests of every part share: where the real result files lie, a browser, golden files, a clean environment."""

import difflib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regold", action="store_true", help="rewrite the golden files instead of comparing with them")


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own store is never what a test reads or writes."""
    for name in ("HALO_DB", "HALO_PRICES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real result files in a folder beside the checkout. They are not ours to ship, so not every machine has them."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("there are no real result files in ../shared/data")
    return folder


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("curve.json", text)`: the text equals the file in tests/golden, or becomes it under --regold."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("regold"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        if not path.exists():
            pytest.fail(f"there is no tests/golden/{name} yet; make regold writes it")
        expected = path.read_text(encoding="utf-8")
        if text != expected:
            diff = difflib.unified_diff(expected.splitlines(), text.splitlines(), name, "now", lineterm="", n=1)
            pytest.fail("\n".join(diff) + "\nif this is what readers should see: make regold", pytrace=False)

    return check


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser to test with: HALO_CHROMIUM, else the first on PATH. In CI its absence is a failure."""
    found = os.environ.get("HALO_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found:
        return found
    sentence = "there is no Chromium: apt-get install chromium, or name one in HALO_CHROMIUM"
    if os.environ.get("CI"):
        pytest.fail(sentence, pytrace=False)
    pytest.skip(sentence)


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator["Browser"]:
    """A headless Chromium that talks to nobody of its own accord."""
    from playwright.sync_api import sync_playwright

    quiet = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-gpu",
        "--disable-quic",
        "--disable-sync",
        "--no-first-run",
    ]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium,
            args=quiet,
            # Chromium refuses its sandbox to root, which is who runs tests in most containers.
            chromium_sandbox=os.geteuid() != 0,
        )
        yield started
        started.close()
