"""What others were reported to lose on the way from one reader to the next; each test names the number."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from app.commands.report import run_report
from ingest.pipeline import ingest
from tests.browser.charts import after, opened
from tests.browser.conftest import DEMO, Site

pytestmark = pytest.mark.browser

_TONES = """() => Object.fromEntries([...document.querySelectorAll('.serie')].map((one) => [
    one.dataset.series, getComputedStyle(one.querySelector('.glyph')).getPropertyValue('--mark')]))"""
_DRAWN = """() => Object.fromEntries(document.querySelector('#chart').data.filter(({meta}) => meta?.role === 'line')
    .map(({meta, line}) => [meta.series, line.color]))"""


def fragment(page: Page) -> str:
    return str(page.evaluate("location.hash"))


def test_88_the_fragment_survives_every_change_of_the_query(page: Page, site: Site) -> None:
    opened(page, f"{site()}#h-rows")
    after(page, page.locator("[data-log=y][data-to=log]").click)
    assert (fragment(page), "log=y" in page.url) == ("#h-rows", True)
    after(page, page.locator("[data-hide]").first.click)
    assert (fragment(page), "hide=" in page.url) == ("#h-rows", True)
    chip = page.locator("#fbody input[name=chip]").first
    after(page, lambda: chip.evaluate("(box) => box.click()"))
    assert (fragment(page), "chip=" in page.url) == ("#h-rows", True)
    after(page, page.go_back)
    assert (fragment(page), "chip=" in page.url) == ("#h-rows", False)


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    context.set_offline(True)
    yield context.new_page()
    context.close()


def test_89_a_saved_report_holds_no_address_that_it_would_fetch(offline: Page, tmp_path: Path) -> None:
    ingest([DEMO], tmp_path / "db")
    run_report("", tmp_path / "db", output=str(tmp_path / "out.html"))
    asked: list[str] = []
    offline.on("request", lambda request: asked.append(request.url))
    offline.goto((tmp_path / "out.html").as_uri())
    offline.wait_for_selector("#stage[data-drawn]")
    assert asked == [(tmp_path / "out.html").as_uri()]
    loads = offline.evaluate(
        "() => [...document.querySelectorAll('[src], link[href], iframe, object')].map((one) => one.outerHTML)"
    )
    assert loads == []
    styles = offline.evaluate("() => [...document.querySelectorAll('style')].map((one) => one.textContent).join()")
    assert re.findall(r"url\((?!['\"]?(?:data:|#))[^)]*\)|@import", styles) == []


def test_90_a_series_keeps_its_color_when_others_are_hidden_or_filtered_away(page: Page, site: Site) -> None:
    opened(page, site())
    whole, drawn = page.evaluate(_TONES), page.evaluate(_DRAWN)
    assert len(set(whole.values())) > 2
    assert len(set(drawn.values())) > 2
    first = next(iter(whole))
    after(page, page.locator(f'[data-hide="{first}"]').first.click)
    assert page.evaluate(_TONES) == whole
    left = page.evaluate(_DRAWN)
    assert left
    assert left.items() <= drawn.items()
    (model,) = site.json("/api/v1/frontier")["group"]["model"]
    for chip in {key.partition(".")[0] for key in whole}:
        opened(page, site(f"/?model={model}&chip={chip}"))
        assert page.evaluate(_TONES).items() <= whole.items()
        assert page.evaluate(_DRAWN).items() <= drawn.items()
