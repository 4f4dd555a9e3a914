"""Reading lines and the comparison in a real browser: set, dragged, typed, moved by keys; the address follows."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.charts import after, opened
from tests.browser.conftest import Site, Watched

pytestmark = pytest.mark.browser


def readings(page: Page) -> list[float]:
    return [float(value) for value in parse_qs(urlsplit(page.url).query).get("at", [])]


def across(page: Page, part: float) -> tuple[float, float]:
    """A place on the plot: part of the way from its left edge to its right, half way up."""
    box = page.locator("#stage").bounding_box()
    assert box is not None
    return box["x"] + 44 + part * (box["width"] - 52), box["y"] + box["height"] / 2


def readout(page: Page) -> dict[str, str]:
    """What the table under the chart says of each series at its one line."""
    rows = page.locator("#readout tbody tr").all()
    return {row.locator("th").inner_text(): row.locator("td").inner_text() for row in rows}


def told(site: Site, query: str) -> dict[str, Any]:
    """What the server says of each series at the one reading of a view."""
    document = site.json(f"/api/v1/compare?{query}")
    label = {series["key"]: series["label"] for series in document["series"]}
    (reading,) = document["readings"]
    return {label[cell["series"]]: cell for cell in reading["cells"]}


def four(value: float) -> str:
    """Four digits that matter, thousands apart, as the browser prints them."""
    return f"{float(f'{value:.4g}'):,.10f}".rstrip("0").rstrip(".")


def test_a_click_sets_a_line_and_the_address_and_the_readout_follow(page: Page, site: Site) -> None:
    opened(page, site())
    page.locator("[data-read]").click()
    after(page, lambda: page.mouse.click(*across(page, 0.41)))
    assert len(readings(page)) == 1
    expect(page.locator(".flag")).to_have_count(1)
    expect(page.locator("#read-compare")).to_have_text("Compare at this line")
    expect(page.locator("[data-read]")).to_have_attribute("aria-pressed", "false")
    server, shown = told(site, urlsplit(page.url).query), readout(page)
    assert set(shown) <= set(server)
    states = {server[label]["state"] for label in shown}
    assert "interpolated" in states
    for label, text in shown.items():
        value = server[label]["values"][0]["value"]
        mark = {"measured": "", "interpolated": "≈\u2009", "outside": "–"}[server[label]["state"]]
        assert text == (mark if value is None else mark + four(value))
    page.go_back()
    expect(page.locator(".flag")).to_have_count(0)
    assert readings(page) == []


def test_a_cost_is_read_as_the_comparison_reads_it(page: Page, site: Site) -> None:
    group = site.json("/api/v1/frontier")["group"]
    query = f"model={group['model'][0]}&workload={group['workload'][0]}&y=cost_per_mtotal_tok_usd&at=30"
    opened(page, site(f"/?{query}"))
    server, shown = told(site, query), readout(page)
    known = [label for label in shown if server[label]["values"][0]["how"] == "derived"]
    assert known
    for label in known:
        assert shown[label] == "≈\u2009" + four(server[label]["values"][0]["value"])


def test_a_line_is_dragged_typed_moved_by_keys_and_removed(page: Page, site: Site) -> None:
    opened(page, site("/?at=30"))
    flag = page.locator(".flag")
    box = flag.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(*across(page, 0.7), steps=5)
    assert readings(page) == [30], "the address follows when the line is let go"
    after(page, page.mouse.up)
    (dragged,) = readings(page)
    assert dragged > 30

    field = page.locator("#read-form input[type=number]")
    field.fill("25.5")
    after(page, lambda: field.press("Enter"))
    assert readings(page) == [25.5, dragged]

    first = page.locator(".flag").first
    expect(first).to_have_attribute("aria-valuenow", "25.5")
    first.focus()
    after(page, lambda: page.keyboard.press("ArrowRight"))
    assert 25.5 < readings(page)[0] < dragged
    expect(page.locator(".flag").first).to_be_focused()
    after(page, lambda: page.keyboard.press("Delete"))
    assert readings(page) == [dragged]
    after(page, lambda: page.locator("#readout [data-drop]").click())
    assert readings(page) == []
    page.locator("#stage").focus()
    after(page, lambda: page.keyboard.press("r"))
    assert len(readings(page)) == 1


def test_the_comparison_follows_its_line(page: Page, site: Site) -> None:
    opened(page, site("/?at=30"))
    page.locator("#read-compare").click()
    page.wait_for_selector("#stage[data-drawn]")
    assert urlsplit(page.url).path == "/compare"
    assert readings(page) == [30]
    heading = page.locator("#t-read tr.at").first
    expect(heading).to_contain_text(" 30 ")
    box = page.locator(".flag").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(*across(page, 0.3), steps=4)
    page.mouse.up()
    page.wait_for_url(lambda address: "at=30" not in address)
    (moved,) = readings(page)
    expect(heading).to_contain_text(f" {moved:g} ")
    cells = told(site, urlsplit(page.url).query).values()
    expect(page.locator("#t-read tr.out")).to_have_count(sum(cell["state"] == "outside" for cell in cells))


def test_readings_that_were_chosen_are_drawn_and_become_the_readers_when_moved(page: Page, site: Site) -> None:
    opened(page, site("/compare"))
    chosen = [reading["x"] for reading in site.json("/api/v1/compare")["readings"]]
    expect(page.locator(".flag")).to_have_count(len(chosen))
    assert readings(page) == []
    page.locator(".flag").first.focus()
    page.keyboard.press("Delete")
    page.wait_for_url("**/compare?at=*")
    assert readings(page) == chosen[1:]


def test_a_hidden_series_takes_no_part(page: Page, site: Site) -> None:
    opened(page, site("/compare"))
    count = page.locator("#t-area tbody tr").count()
    page.locator("#c-series a").last.click()
    expect(page.locator("#t-area tbody tr")).to_have_count(count - 1)
    assert "hide=" in page.url


def test_on_a_phone_lines_are_set_and_nothing_runs_over_the_edge(browser: Browser, site: Site) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, color_scheme="dark")
    watched = Watched(context.new_page(), site)
    page = opened(watched.page, site())
    page.locator("[data-read]").tap()
    x, y = across(page, 0.5)
    after(page, lambda: page.touchscreen.tap(x, y))
    assert len(readings(page)) == 1
    flag = page.locator(".flag").bounding_box()
    assert flag is not None
    assert flag["height"] >= 24
    for address in (page.url, page.url.replace("/?", "/compare?") + "&slo=ttft_p90_s:2"):
        opened(page, address)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        heights = page.evaluate("[...document.querySelectorAll('a.drop')].map((chip) => chip.offsetHeight)")
        assert all(height < 60 for height in heights), "a chip that drops a filter is a line high"
    watched.check()
    context.close()
