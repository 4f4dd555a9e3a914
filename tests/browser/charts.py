"""What browser tests read off the chart: the drawn marks, the figure, places of points on the screen."""

from collections.abc import Callable
from typing import Any, cast

from playwright.sync_api import Page

_RINGS = """() => [...document.querySelectorAll('#chart .points path')].filter((path) =>
    getComputedStyle(path).strokeDasharray !== 'none' && getComputedStyle(path).display !== 'none').length"""

_IDS = """(role) => document.querySelector('#chart').data
    .filter((trace) => trace.meta.role === role).flatMap((trace) => trace.ids)"""

_PLACE = """(id) => {
    const plot = document.querySelector('#chart');
    for (const trace of plot.data.filter((one) => one.meta.role === 'dot')) {
        const i = trace.ids.indexOf(id);
        if (i < 0) continue;
        const {xaxis, yaxis} = plot._fullLayout;
        const box = plot.getBoundingClientRect();
        return [box.left + xaxis._offset + xaxis.d2p(trace.x[i]), box.top + yaxis._offset + yaxis.d2p(trace.y[i])];
    }
    return null;
}"""

_STATE = """() => {
    const {data, layout} = document.querySelector('#chart');
    return JSON.stringify({
        traces: data.map(({meta, x, y, ids, marker, line, opacity}) => ({meta, x, y, ids, marker, line, opacity})),
        x: layout.xaxis.range, y: layout.yaxis.range, types: [layout.xaxis.type, layout.yaxis.type],
        names: layout.annotations.map((one) => [one.text, one.x, one.y]),
        cards: [...document.querySelectorAll('.dock .card')].map((card) => card.textContent),
    });
}"""


def opened(page: Page, address: str) -> Page:
    """The page with its chart drawn by Plotly."""
    page.goto(address)
    page.wait_for_selector("#stage[data-drawn]")
    return page


def after(page: Page, act: Callable[[], object]) -> None:
    """Does something that draws the chart anew, and waits for it."""
    before = page.locator("#stage").get_attribute("data-drawn")
    act()
    page.wait_for_function(
        "(before) => (document.querySelector('#stage').dataset.drawn ?? null) !== before", arg=before
    )


def rings(page: Page) -> int:
    return cast("int", page.evaluate(_RINGS))


def drawn_ids(page: Page, role: str = "dot") -> list[str]:
    return cast("list[str]", page.evaluate(_IDS, role))


def place(page: Page, point_id: str) -> tuple[float, float]:
    """Where a point is on the screen."""
    found = page.evaluate(_PLACE, point_id)
    assert found is not None, f"{point_id} is not drawn"
    return found[0], found[1]


def state(page: Page) -> str:
    """All that makes the picture: traces, ranges, names, pinned cards."""
    return cast("str", page.evaluate(_STATE))


def picture(page: Page) -> bytes:
    page.mouse.move(1, 1)
    return page.locator("#plot").screenshot(animations="disabled")


def lone(page: Page, rows: list[dict[str, Any]], among: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """The row (`among` some) whose mark is farthest from every other, so that the pointer there means it alone."""
    places = {row["id"]: place(page, row["id"]) for row in rows}

    def room(row: dict[str, Any]) -> float:
        x, y = places[row["id"]]
        return min((x - a) ** 2 + (y - b) ** 2 for other, (a, b) in places.items() if other != row["id"])

    return max(among or rows, key=room)


def requests_of(page: Page) -> list[str]:
    """A list that grows with what the page asks for from now on; the icon is the browser's own affair."""
    asked: list[str] = []
    page.on("request", lambda request: None if request.url.endswith("halo.svg") else asked.append(request.url))
    return asked
