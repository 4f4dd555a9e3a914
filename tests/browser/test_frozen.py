"""Frozen links, changes and histories in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from app.store.publish import publish
from app.store.read import Store
from tests.browser.conftest import Site, served
from tests.browser.test_pages import PHONE, WIDE, grave, opened
from tests.points import arrival, point
from tests.test_history import nightly

pytestmark = pytest.mark.browser


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return nightly(tmp_path)


@pytest.fixture
def site(folder: Path) -> Iterator[Site]:
    with served(folder) as running:
        yield running


def test_a_frozen_link_shows_the_old_state_and_leads_to_the_new_one(browser: Browser, site: Site, folder: Path) -> None:
    held = Store(folder).snapshot().id
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    try:
        page = context.new_page()
        page.goto(site("/?chip=b200"))
        page.wait_for_selector("#stage[data-drawn]")
        expect(page.locator("#as-of")).to_be_hidden()
        page.get_by_role("button", name="Copy frozen link").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert parse_qs(urlsplit(copied).query)["snapshot"] == [held]
        publish(folder, [arrival(point(128, x=20.0, y=9000.0), run="later", place="later.json")])
        page.goto(copied)
        page.wait_for_selector("#stage[data-drawn]")
        expect(page.locator("#as-of")).to_contain_text(f"As of snapshot {held}, newest run of 2026-02-08")
        drawn = page.locator("#n-drawn").inner_text()
        page.locator("#as-of").get_by_role("link", name="See it").click()
        expect(page.locator("#as-of")).to_be_hidden()
        expect(page.locator("#n-drawn")).not_to_have_text(drawn)
        assert "snapshot" not in page.url
        page.go_back()
        expect(page.locator("#as-of")).to_be_visible()
        page.locator("#as-of").get_by_role("link", name="What changed").click()
        expect(page.get_by_role("heading", name="What changed")).to_be_visible()
        expect(page.locator(".moves li")).to_have_count(1)
    finally:
        context.close()


@pytest.mark.parametrize(("theme", "width"), [("light", WIDE), ("dark", PHONE)])
def test_histories_and_changes_are_accessible_and_no_wider_than_the_window(
    browser: Browser, site: Site, folder: Path, theme: str, width: int
) -> None:
    names = list(Store(folder).snapshot().names().values())
    for path in ("/history", "/history?at=70", "/data/changes?from=empty", f"/data?snapshot={names[1]}"):
        watched = opened(browser, site, path, width=width, theme=theme)
        try:
            page = watched.page
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert grave(page) == [], path
            if path.startswith("/history"):
                page.wait_for_selector(".board.drawn")
                rings = page.locator(".live g.trace.scatter path.point").count()
                assert rings > 0
            watched.check()
        finally:
            page.context.close()
