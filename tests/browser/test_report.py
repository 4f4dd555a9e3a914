"""The saved report in a real browser, from the disk, with the network cut."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from app.commands.report import run_report
from ingest.pipeline import ingest
from tests.browser.conftest import DEMO
from tests.points import kv, point, stored

pytestmark = pytest.mark.browser
MILLION = 1_000_000


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    ingest([DEMO], folder)
    run_report("http://halo.example:8000/", folder, output=str(folder / "out.html"))
    return folder / "out.html"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that cannot reach anything; errors and requests fail the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 860}, reduced_motion="reduce")
    context.set_offline(True)
    troubles: list[str] = []
    context.route(
        lambda address: not address.startswith("file:"),
        lambda route: (troubles.append(route.request.url), route.abort()),
    )
    opened = context.new_page()
    opened.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    yield opened
    context.close()
    assert troubles == []


def shown(page: Page, file: Path) -> None:
    page.goto(file.as_uri())
    page.wait_for_selector("#stage[data-drawn]")


RINGS = "#chart .scatterlayer path.point[style*='stroke-dasharray']"


def test_the_file_opens_offline_and_shows_every_ring(page: Page, saved: Path) -> None:
    shown(page, saved)
    figure = page.evaluate("JSON.parse(document.getElementById('figure').textContent)")
    assert page.locator(RINGS).count() == figure["meta"]["drawn_with_halo"] > 0
    assert page.locator("#chart .main-svg").first.is_visible()
    assert page.locator(".still").is_hidden()


def test_the_table_shows_every_point_that_is_drawn_and_follows_the_chart(page: Page, saved: Path) -> None:
    shown(page, saved)
    rows = page.locator("tr[data-id]:not([hidden])")
    figure = page.evaluate("JSON.parse(document.getElementById('figure').textContent)")
    assert rows.count() == figure["meta"]["drawn"]
    page.locator("[data-all]").click()
    page.wait_for_selector("tr[data-standing='dominated'][hidden]", state="attached")
    assert page.locator("tr[data-standing='dominated']:not([hidden])").count() == 0
    assert rows.count() > 0


def becomes(page: Page, condition: str) -> int:
    """How many rings there are, once that is true of them."""
    counted = f"document.querySelectorAll({RINGS!r}).length"
    page.wait_for_function(f"(({condition})({counted}))")
    return page.locator(RINGS).count()


def test_hiding_a_series_scales_and_dominated_points_work_without_a_server(page: Page, saved: Path) -> None:
    shown(page, saved)
    rings = page.locator(RINGS).count()
    page.locator("[data-hide]").first.click()
    fewer = becomes(page, f"(n) => n < {rings}")
    page.locator("[data-log='y'][data-to='log']").click()
    page.wait_for_selector("[data-log='y'][data-to='log'][aria-current]")
    assert becomes(page, f"(n) => n === {fewer}") == fewer
    page.locator("[data-all]").click()
    assert becomes(page, f"(n) => n < {fewer}") > 0


def test_a_click_pins_a_card_that_leads_to_the_halo_it_came_from(page: Page, saved: Path) -> None:
    shown(page, saved)
    page.focus("#stage")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    card = page.locator("#dock .card")
    assert card.is_visible()
    assert (card.locator("a").get_attribute("href") or "").startswith("http://halo.example:8000/points/")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_follows_the_theme_and_fits_a_phone(page: Page, saved: Path, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": 360, "height": 780})
    shown(page, saved)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(251, 251, 250)" if scheme == "light" else "rgb(17, 20, 23)")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 20, 23)"


def test_print_shows_the_drawn_frame_on_white_and_no_controls(page: Page, saved: Path) -> None:
    shown(page, saved)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".still").is_visible()
    assert page.locator(".still use[href='#m-ring']").count() > 0
    assert page.locator("#chart").is_hidden()
    assert page.locator("[data-set-theme]").first.is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(251, 251, 250)"


def test_500_points_weigh_what_the_docs_say(page: Page, tmp_path: Path) -> None:
    stored(
        tmp_path,
        *(
            point(n, x=10.0 + n / 7, y=2000.0 - 3 * n + n % 13, **({"offload": kv()} if n % 2 else {}))
            for n in range(1, 501)
        ),
    )
    run_report("", tmp_path, output=str(tmp_path / "out.html"))
    size = (tmp_path / "out.html").stat().st_size
    print(f"a report of 500 points weighs {size / MILLION:.2f} MB")
    assert size < 2.1 * MILLION
    shown(page, tmp_path / "out.html")
    assert page.locator(RINGS).count() == 250
