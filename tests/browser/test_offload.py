"""The offload page in a real browser: accessible, no wider than the window, drawn by Plotly, whole without it."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Site, Watched
from tests.browser.test_pages import PHONE, WIDE, grave

pytestmark = pytest.mark.browser

KIMI = "/offload?model=kimik2.5"
ENGRAM = "/offload?model=dsv41flash"
EMPTY = "/offload?model=dsr1&workload=1k/1k"


def opened(browser: Browser, site: Site, path: str, *, width: int = WIDE, theme: str = "light", **more: Any) -> Watched:
    context = browser.new_context(
        viewport={"width": width, "height": 860},
        color_scheme=theme,  # type: ignore[arg-type]
        reduced_motion="reduce",
        **more,
    )
    watched = Watched(context.new_page(), site)
    watched.page.goto(site(path))
    return watched


def drawn(page: Page) -> None:
    """Brings every figure that is not folded away into sight, in turn, and waits until Plotly has drawn it."""
    for place in page.locator(".board").filter(visible=True).all():
        place.scroll_into_view_if_needed()
        place.and_(page.locator(".drawn")).wait_for()


def until(page: Page, happened: Callable[[], bool]) -> None:
    """Waits for a state that no single element tells."""
    for _ in range(100):
        if happened():
            return
        page.wait_for_timeout(50)
    pytest.fail("it did not happen within five seconds")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, WIDE])
@pytest.mark.parametrize("path", [KIMI, ENGRAM, EMPTY])
def test_the_page_is_accessible_and_no_wider_than_the_window(
    browser: Browser, site: Site, path: str, theme: str, width: int
) -> None:
    watched = opened(browser, site, path, width=width, theme=theme)
    page = watched.page
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert grave(page) == []
    watched.check()
    page.context.close()


def test_a_mark_that_plotly_drew_leads_to_its_point(browser: Browser, site: Site) -> None:
    watched = opened(browser, site, KIMI)
    page = watched.page
    drawn(page)
    found = site.json(f"/api/v1{KIMI}")
    bar = page.locator(".board", has=page.locator(".barlayer .point")).locator(".barlayer .point path").first
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url(site(f"/points/{found['waterfall']['stacks'][0]['id']}"))
    watched.check()
    page.context.close()


def test_figures_follow_the_theme(browser: Browser, site: Site) -> None:
    watched = opened(browser, site, KIMI)
    page = watched.page
    drawn(page)
    fills = "[...document.querySelectorAll('.barlayer .point path')].slice(0, 1).map((p) => p.style.fill)"
    assert page.evaluate(fills) == ["rgb(43, 63, 94)"]
    page.get_by_role("button", name="Theme: dark").click()
    until(page, lambda: page.evaluate(fills) == ["rgb(201, 216, 238)"])
    watched.check()
    page.context.close()


def test_as_many_rings_are_drawn_by_plotly_as_by_the_server(browser: Browser, site: Site) -> None:
    page = opened(browser, site, KIMI).page
    drawn(page)
    for place in page.locator(".board").all():
        server = place.locator("svg.frame1 g.ring use").count()
        plotly = place.locator(".live .scatterlayer path.point[style*='stroke-dasharray']").count()
        assert plotly == server
    page.context.close()


def test_choosing_an_arm_shows_its_stacks(browser: Browser, site: Site) -> None:
    page = opened(browser, site, KIMI).page
    arms = site.json(f"/api/v1{KIMI}")["arms"]
    page.locator("select[name=arm]").select_option(arms[1]["config_id"])
    page.wait_for_url(lambda address: f"arm={arms[1]['config_id']}" in address)
    assert "model=kimik2.5" in page.url
    assert page.locator("select[name=arm]").input_value() == arms[1]["config_id"]
    page.context.close()


def test_the_page_is_whole_without_javascript(browser: Browser, site: Site) -> None:
    page = opened(browser, site, KIMI, java_script_enabled=False).page
    assert page.locator(".frame1 .bar rect").count() > 20
    assert page.locator(".frame1 g.arrow line").count() > 10
    page.get_by_role("button", name="Compare").click()
    assert "a=" in page.url
    page.get_by_role("link", name="Total throughput per chip", exact=True).first.click()
    assert "sort=-" in page.url
    assert page.locator("th[aria-sort=descending]").count() == 1
    page.context.close()
