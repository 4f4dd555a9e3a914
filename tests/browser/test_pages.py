"""Point, config, data and glossary pages in a real browser: accessible, nothing wider than the window, links by key."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Site, Watched, served
from tests.conftest import ROOT
from tests.page_points import cases, stored_cases

pytestmark = pytest.mark.browser

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
PHONE, WIDE = 360, 1360
KINDS = ("all_tiers", "combined", "external", "kv_parameter", "bare", "odd", "stale", "flash")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("pages")
    stored_cases(folder)
    with served(folder) as running:
        yield running


@pytest.fixture(scope="module")
def ids(pages: Site) -> dict[str, str]:
    """The id of each case, told apart by what the record spelled."""
    found = {}
    for row in pages.rows(""):
        found[pages.json(f"/points/{row['id']}.json")["provenance"]["spellings"]["case"]] = row["id"]
    assert set(found) == set(cases())
    return found


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


def grave(page: Page) -> list[str]:
    """What axe finds serious or critical, as rule and place."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")
    return [
        f"{item['id']}: {node['target']}"
        for item in found["violations"]
        if item["impact"] in ("serious", "critical")
        for node in item["nodes"]
    ]


def addresses(ids: dict[str, str], site: Site) -> list[str]:
    configs = [site.json(f"/points/{ids[case]}.json")["config_id"] for case in ("all_tiers", "odd")]
    points = [f"/points/{ids[case]}" for case in KINDS]
    words = ("", "/ttft", "/b200", "/reload", "/tier-share")
    return [*points, *(f"/configs/{key}" for key in configs), "/data", *(f"/glossary{word}" for word in words)]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, WIDE])
def test_pages_are_accessible_and_no_wider_than_the_window(
    browser: Browser, pages: Site, ids: dict[str, str], theme: str, width: int
) -> None:
    for path in addresses(ids, pages):
        watched = opened(browser, pages, path, width=width, theme=theme)
        page = watched.page
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert grave(page) == [], path
        watched.check()
        page.context.close()


def test_an_error_page_is_accessible_and_leads_back(browser: Browser, pages: Site) -> None:
    page = opened(browser, pages, "/points/pnone").page
    assert grave(page) == []
    page.get_by_role("link", name="The dashboard").click()
    page.wait_for_url(pages("/"))
    page.context.close()


def test_the_small_chart_rings_exactly_the_points_that_used_kv_offload(
    browser: Browser, pages: Site, ids: dict[str, str]
) -> None:
    page = opened(browser, pages, f"/points/{ids['all_tiers']}").page
    shown = page.eval_on_selector_all(
        ".mini a", "links => links.map(a => [a.getAttribute('href'), !!a.querySelector('.ring')])"
    )
    kinds = {f"/points/{row['id']}": row["offload_kind"] for row in pages.rows("")}
    assert len(shown) > 2
    for href, ringed in shown:
        assert ringed == ("kv" in (kinds[href] or "").split("+")), href
    page.context.close()


def test_the_small_chart_marks_this_point_and_its_twin_and_leads_to_the_twin_by_keyboard(
    browser: Browser, pages: Site, ids: dict[str, str]
) -> None:
    page = opened(browser, pages, f"/points/{ids['all_tiers']}").page
    assert page.locator(".mini a[aria-current=page]").get_attribute("href") == f"/points/{ids['all_tiers']}"
    assert page.locator(".mini .bracket").count() == 2
    twin = page.locator(f".mini a[href='/points/{ids['off']}']")
    twin.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(pages(f"/points/{ids['off']}"))
    page.context.close()


def test_the_bar_is_as_wide_as_the_shares_it_draws(browser: Browser, pages: Site, ids: dict[str, str]) -> None:
    page = opened(browser, pages, f"/points/{ids['all_tiers']}").page
    whole = page.locator(".share:not(.miss) .segs").bounding_box()
    dram = page.locator(".share:not(.miss) .segs .t-host_dram").bounding_box()
    ceiling = page.locator(".share .ceil").bounding_box()
    assert whole
    assert dram
    assert ceiling
    assert dram["width"] / whole["width"] == pytest.approx(0.484, abs=0.01)
    assert (ceiling["x"] - whole["x"]) / whole["width"] == pytest.approx(0.93, abs=0.01)
    page.context.close()


def test_a_point_page_is_whole_without_javascript(browser: Browser, pages: Site, ids: dict[str, str]) -> None:
    page = opened(browser, pages, f"/points/{ids['all_tiers']}", java_script_enabled=False).page
    assert page.locator(".mini .dot").count() > 2
    page.get_by_text("Show the record").click()
    assert page.locator("pre.raw").is_visible()
    page.get_by_role("link", name="Back to the chart").click()
    assert page.locator(f"a[href='/points/{ids['all_tiers']}']").count() >= 1
    page.context.close()


def test_the_way_back_shows_the_point_pinned(browser: Browser, pages: Site, ids: dict[str, str]) -> None:
    watched = opened(browser, pages, f"/points/{ids['all_tiers']}")
    page = watched.page
    page.get_by_role("link", name="Back to the chart").click()
    page.wait_for_selector(f"#dock a[href*='{ids['all_tiers']}']", state="attached")
    watched.check()
    page.context.close()
