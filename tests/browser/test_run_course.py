"""The run of a point in a real browser: accessible in both themes, no wider than a phone, nothing drawn outside."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from ingest.pipeline import ingest
from tests.aiperf_runs import agents, over_time, write_run
from tests.browser.conftest import Site, served
from tests.browser.test_pages import PHONE, WIDE, grave, opened

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("course")
    ingest([write_run(folder / "run", *agents(9, 12), server=over_time(36, 1))], folder / "db")
    with served(folder / "db") as running:
        yield running


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, WIDE])
def test_the_run_of_a_point_is_accessible_and_fits(browser: Browser, site: Site, width: int, theme: str) -> None:
    watched = opened(browser, site, f"/points/{site.rows('')[0]['id']}", width=width, theme=theme)
    page = watched.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert grave(page) == []
    figures = page.locator("#time figure")
    assert figures.count() == 10
    for number in range(figures.count()):
        box = figures.nth(number).locator("svg.frame1").bounding_box()
        assert box is not None
        assert box["height"] > 50
        assert box["x"] + box["width"] <= width
    watched.check()
    page.context.close()


def test_it_needs_no_script(browser: Browser, site: Site) -> None:
    watched = opened(browser, site, f"/points/{site.rows('')[0]['id']}", java_script_enabled=False)
    page = watched.page
    conversations = page.locator("[data-figure=conversations] svg.frame1")
    assert (conversations.get_attribute("aria-label") or "").startswith("Requests of 9 of 9 conversations")
    assert page.locator("[data-figure=conversations] path[d^=M]").count() >= 4
    watched.check()
    page.context.close()
