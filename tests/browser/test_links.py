"""Links hold: what one reader sees and copies, another sees to the pixel; history restores every state in between."""

import base64
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.catalog.metrics import OUTPUT_TPUT_PER_CHIP
from tests.browser.charts import after, drawn_ids, lone, opened, place, state
from tests.browser.conftest import DESKTOP, Site, Watched

pytestmark = pytest.mark.browser

Act = Callable[[Page, Site], None]

TOLERANCE = 0.0005
"""Share of pixels that may differ, and by how much of 255 a pixel may before it does: for fonts smoothed anew."""
STEP = 12

DOUBLE_CLICK_MS = 350
"""Beyond what Plotly takes for a double click: 300 ms between two presses."""

_DIFFERING = """async ([a, b, step]) => {
    const read = async (png) => {
        const image = new Image();
        image.src = `data:image/png;base64,${png}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d', {willReadFrequently: true});
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
    };
    const [one, other] = [await read(a), await read(b)];
    if (one.width !== other.width || one.height !== other.height) return 1;
    let count = 0;
    for (let at = 0; at < one.data.length; at += 4) {
        if ([0, 1, 2].some((i) => Math.abs(one.data[at + i] - other.data[at + i]) > step)) count += 1;
    }
    return count / (one.width * one.height);
}"""

_CONTROLS = """() => ({
    fields: [...document.querySelectorAll('#fbody input:not([type=hidden]), #fbody select, .chartbar select')]
        .map((field) => [field.name, field.type === 'checkbox' || field.type === 'radio'
            ? `${field.value} ${field.checked}` : field.value]),
    series: [...document.querySelectorAll('.serie .box')].map((box) => box.getAttribute('aria-checked')),
    scales: [...document.querySelectorAll('[data-log]')].map((link) => link.getAttribute('aria-current')),
    all: document.querySelector('[data-all]')?.getAttribute('aria-checked'),
    reset: document.querySelector('#reset')?.hidden,
    title: document.title,
    heading: document.querySelector('h1')?.textContent,
    said: ['n-drawn', 'n-halo', 'n-lost', 'count'].map((id) => document.getElementById(id)?.textContent),
    sorted: [...document.querySelectorAll('#rows th')].map((head) => head.getAttribute('aria-sort')),
    rows: [...document.querySelectorAll('tr[data-id]')].filter((row) => !row.hidden)
        .map((row) => [row.dataset.id, row.className, row.querySelector('.tag')?.textContent ?? null]),
    links: [...document.querySelectorAll('a[data-go]')].filter((link) => link.checkVisibility())
        .map((link) => link.getAttribute('href')),
    files: [...document.querySelectorAll('#rows a.link:not([data-go])')].map((link) => link.getAttribute('href')),
})"""


_QUIET = """async () => {
    const stage = document.querySelector('#stage');
    for (let before = null; before !== stage.dataset.drawn;) {
        before = stage.dataset.drawn;
        await new Promise((resolve) => setTimeout(resolve, 150));
    }
}"""
"""A chart whose place changed its size is drawn once more; a drag must not begin before."""


def reader(browser: Browser, **how: Any) -> BrowserContext:
    """A browser of its own: no storage, no cache, nothing carried over."""
    opened = browser.new_context(
        **{"viewport": DESKTOP, "color_scheme": "light", "reduced_motion": "reduce", **how}  # type: ignore[arg-type]
    )
    opened.grant_permissions(["clipboard-read", "clipboard-write"])
    return opened


def seen(page: Page) -> tuple[bytes, ...]:
    """Filters, chart and table, with nothing under the pointer and no focus."""
    page.mouse.move(1, 1)
    page.evaluate("document.activeElement?.blur()")
    return tuple(page.locator(part).screenshot(animations="disabled") for part in ("#fbody", "#plot", "#rows"))


def differing(page: Page, one: tuple[bytes, ...], other: tuple[bytes, ...]) -> list[float]:
    """For each part the share of pixels that differ; 1 where the sizes do."""
    return [
        float(page.evaluate(_DIFFERING, [base64.b64encode(a).decode(), base64.b64encode(b).decode(), STEP]))
        for a, b in zip(one, other, strict=True)
    ]


def copied(page: Page) -> str:
    """The address that the button puts on the clipboard."""
    page.locator("[data-copy]").click()
    expect(page.locator("[data-copy]")).to_have_text("Copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


def told(page: Page) -> dict[str, Any]:
    """All that the page says beside the chart: controls, rows, numbers, links."""
    found: dict[str, Any] = page.evaluate(_CONTROLS)
    return found


def drag(page: Page, left: float, top: float, right: float, bottom: float) -> None:
    """A zoom by hand, in shares of the stage."""
    box = page.locator("#stage").bounding_box()
    assert box is not None
    page.evaluate(_QUIET)
    page.mouse.move(box["x"] + left * box["width"], box["y"] + top * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + right * box["width"], box["y"] + bottom * box["height"], steps=4)
    after(page, page.mouse.up)
    # A press sooner after the last one is the second half of a double click, which a hand would not make of a drag.
    page.wait_for_timeout(DOUBLE_CLICK_MS)


def log_axes(page: Page, site: Site) -> None:
    for axis in ("x", "y"):
        after(page, page.locator(f"[data-log={axis}][data-to=log]").click)


def zoom(page: Page, site: Site) -> None:
    log_axes(page, site)
    drag(page, 0.3, 0.1, 0.8, 0.7)


def hidden(page: Page, site: Site) -> None:
    after(page, page.locator(".serie .box").nth(1).click)
    after(page, page.locator(".serie .box").nth(3).click)
    after(page, page.locator("[data-all]").click)


def pins(page: Page, site: Site) -> None:
    for _ in range(2):
        free = [
            {"id": one} for one in drawn_ids(page) if one not in parse_qs(urlsplit(page.url).query).get("point", [])
        ]
        chosen = lone(page, free)["id"]
        after(page, lambda chosen=chosen: page.mouse.click(*place(page, chosen)))  # type: ignore[misc]
    assert page.locator(".dock .card").count() == 2


def offload(page: Page, site: Site) -> None:
    after(page, page.locator("#f-offload input[value=kv]").check)


def sorted_by(page: Page, site: Site) -> None:
    after(page, lambda: page.select_option("select[name=y]", value=OUTPUT_TPUT_PER_CHIP))
    head = page.get_by_role("columnheader", name="Concurrency").get_by_role("link")
    after(page, head.click)
    after(page, head.click)


VIEWS: dict[str, tuple[Act, dict[str, Any], tuple[str, ...]]] = {
    "log axes": (log_axes, {}, ("log=x", "log=y")),
    "zoom": (zoom, {}, ("xr=", "yr=")),
    "hidden series": (hidden, {}, ("hide=", "all=0")),
    "pinned points": (pins, {}, ("point=",)),
    "offload filter": (offload, {"color_scheme": "dark"}, ("offload=kv",)),
    "sorted by another metric": (sorted_by, {}, (f"y={OUTPUT_TPUT_PER_CHIP}", "sort=concurrency")),
}


@pytest.fixture(scope="module")
def plain(browser: Browser, site: Site) -> dict[str, tuple[bytes, ...]]:
    """The page as it opens, in light and in dark: what every other view must differ from."""
    pictures = {}
    for scheme in ("light", "dark"):
        context = reader(browser, color_scheme=scheme)
        pictures[scheme] = seen(opened(context.new_page(), site()))
        context.close()
    return pictures


@pytest.mark.parametrize("view", VIEWS)
def test_a_copied_link_shows_the_same_page_elsewhere(
    browser: Browser, site: Site, plain: dict[str, tuple[bytes, ...]], view: str
) -> None:
    act, how, parts = VIEWS[view]
    first, second = reader(browser, **how), reader(browser, **how)
    try:
        here = Watched(first.new_page(), site)
        act(opened(here.page, site()), site)
        link = copied(here.page)
        assert {"model", "workload"} <= set(parse_qs(urlsplit(link).query))
        assert [part for part in parts if part not in link] == []
        there = Watched(second.new_page(), site)
        opened(there.page, link)
        one, other = seen(here.page), seen(there.page)
        assert state(there.page) == state(here.page)
        assert max(differing(there.page, one, other)) <= TOLERANCE
        assert max(differing(there.page, one, plain[how.get("color_scheme", "light")])) > 4 * TOLERANCE
        here.check()
        there.check()
    finally:
        first.close()
        second.close()


def changes(page: Page, site: Site) -> Iterator[Callable[[], object]]:
    """Twelve changes of every kind: some that the browser makes by itself, some that ask the server."""
    yield lambda: after(page, page.locator("[data-log=x][data-to=log]").click)
    yield lambda: after(page, page.locator("#f-chip input").nth(0).check)
    yield lambda: after(page, page.locator(".serie .box").nth(0).click)
    yield lambda: after(page, lambda: page.select_option("select[name=y]", value=OUTPUT_TPUT_PER_CHIP))
    yield lambda: drag(page, 0.2, 0.1, 0.8, 0.8)
    yield lambda: after(page, lambda: page.mouse.click(*place(page, lone_in_sight(page))))
    yield lambda: after(page, page.get_by_role("columnheader", name="Concurrency").get_by_role("link").click)
    yield lambda: after(page, page.locator("[data-all]").click)
    yield lambda: after(page, page.locator("#reset").click)
    yield lambda: after(page, page.locator("#f-offload input[value=kv]").check)
    yield lambda: after(page, lambda: page.select_option("select[name=color]", value="chip"))
    yield lambda: after(page, page.locator("[data-log=y][data-to=log]").click)


def lone_in_sight(page: Page) -> str:
    box = page.locator("#stage").bounding_box()
    assert box is not None
    ids = [
        one
        for one in drawn_ids(page)
        if box["x"] + 60 < place(page, one)[0] < box["x"] + box["width"] - 20
        and box["y"] + 20 < place(page, one)[1] < box["y"] + box["height"] - 40
    ]
    return str(lone(page, [{"id": one} for one in ids])["id"])


def test_back_and_forward_restore_each_of_twelve_states(page: Page, site: Site) -> None:
    opened(page, site())
    start = page.evaluate("history.length")
    states = [(page.url, state(page), told(page))]
    for act in changes(page, site):
        act()
        states.append((page.url, state(page), told(page)))
    assert len({url for url, _, _ in states}) == 13
    assert page.evaluate("history.length") - start == 12
    for step, places in ((page.go_back, range(11, -1, -1)), (page.go_forward, range(1, 13))):
        for at in places:
            after(page, step)
            assert page.url == states[at][0]
            assert state(page) == states[at][1], at
            assert told(page) == states[at][2], at
    assert page.evaluate("history.length") - start == 12


def test_each_of_the_states_opens_the_same_from_its_address(browser: Browser, page: Page, site: Site) -> None:
    opened(page, site())
    for act in changes(page, site):
        act()
        other = reader(browser)
        try:
            there = opened(other.new_page(), page.url)
            assert state(there) == state(page), page.url
            here, elsewhere = told(page), told(there)
            assert elsewhere == here, page.url
        finally:
            other.close()
