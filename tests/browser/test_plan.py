"""The plan in a real browser: accessible, nothing wider than the window, whole without a script, worked out at once."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from app.plan.anchors import ANCHORS
from tests.browser.conftest import Site, served
from tests.browser.test_pages import PHONE, WIDE, grave, opened
from tests.page_points import stored_cases

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("plans")
    stored_cases(folder)
    with served(folder) as running:
        yield running


@pytest.fixture(scope="module")
def all_tiers(plans: Site) -> str:
    found: str = next(row["id"] for row in plans.rows("") if row["hbm_pool_tokens"])
    return found


def where(page: Page) -> str:
    parts = urlsplit(page.url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def row_of(page: Page, label: str) -> str:
    return page.locator(".formulas tr", has=page.get_by_role("rowheader", name=label, exact=True)).inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, 900, WIDE])
def test_every_state_is_accessible_and_no_wider_than_the_window(
    browser: Browser, plans: Site, all_tiers: str, theme: str, width: int
) -> None:
    for query in ("", f"?point={all_tiers}", "?model=dsv4&sessions=400", "?sessions=none&tp=3", "?model=gemma4"):
        watched = opened(browser, plans, f"/plan{query}", width=width, theme=theme)
        page = watched.page
        page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, query
        assert grave(page) == [], query
        watched.check()
        page.context.close()


def test_a_change_is_worked_out_at_once_and_stands_in_the_address(browser: Browser, plans: Site) -> None:
    watched = opened(browser, plans, "/plan")
    page = watched.page
    page.evaluate("window.same = true")
    before = row_of(page, "Working set")
    page.get_by_label("Open conversations", exact=True).fill("100")
    page.get_by_label("Open conversations", exact=True).press("Tab")
    page.wait_for_url(plans("/plan?sessions=100"))
    expect(page.locator(".formulas").first).to_contain_text("6,400,000 tokens")
    assert page.evaluate("window.same")
    expect(page.get_by_label("Context of one", exact=True)).to_be_focused()
    page.go_back()
    expect(page.locator(".formulas").first).to_contain_text("2,048,000 tokens")
    assert row_of(page, "Working set") == before
    assert where(page) == "/plan"
    watched.check()
    page.context.close()


def test_undo_gives_the_usual_value_back(browser: Browser, plans: Site) -> None:
    page = opened(browser, plans, "/plan?sessions=100&tp=4").page
    assert page.get_by_label("Open conversations", exact=True).input_value() == "100"
    page.get_by_role("link", name="Undo Open conversations").click()
    page.wait_for_url(plans("/plan?tp=4"))
    assert page.get_by_label("Open conversations", exact=True).input_value() == ""
    assert page.get_by_label("Open conversations", exact=True).get_attribute("placeholder") == "32"
    page.context.close()


def test_the_plan_is_whole_without_javascript(browser: Browser, plans: Site) -> None:
    page = opened(browser, plans, "/plan", java_script_enabled=False).page
    assert page.locator(".plan-svg .run").count() >= 7
    assert page.locator(".plan-svg .recomputed").count() == len(ANCHORS)
    page.get_by_label("Open conversations", exact=True).fill("100")
    page.get_by_role("button", name="Work it out").click()
    page.wait_for_url(plans("/plan?sessions=100"))
    assert "6,400,000 tokens" in row_of(page, "Working set")
    page.context.close()


def test_break_even_stands_where_the_lines_cross(browser: Browser, plans: Site) -> None:
    page = opened(browser, plans, "/plan").page
    document = plans.json("/plan.json")
    lengths = {link["key"]: link["break_even_tokens"] for link in document["links"] if link["chosen"]}
    told = page.eval_on_selector_all(".even title", "titles => titles.map(title => title.textContent)")
    assert sorted(told) == sorted(
        f"Break-even, {link['label']}: {lengths[link['key']]:,.0f} tokens"
        for link in document["links"]
        if link["chosen"]
    )
    page.context.close()


def test_a_point_leads_to_its_plan_and_back(browser: Browser, plans: Site, all_tiers: str) -> None:
    page = opened(browser, plans, f"/points/{all_tiers}").page
    page.get_by_role("link", name="Plan with this point").click()
    page.wait_for_url(plans(f"/plan?point={all_tiers}"))
    assert "HBM pool reported" in page.locator(".tiles").inner_text()
    page.locator("#plan-head .head a").first.click()
    page.wait_for_url(plans(f"/points/{all_tiers}"))
    page.context.close()
