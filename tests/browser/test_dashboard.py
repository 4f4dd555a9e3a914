"""The dashboard as a reader meets it, in a real browser over a real server: halos, links, keys, downloads."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from app.catalog.metrics import COMPUTED_SHARE, INTERACTIVITY_P90, METRICS, TOTAL_TPUT_PER_CHIP, ttft
from app.catalog.offload import TIER_SHARES
from tests.browser.charts import after, drawn_ids, lone, opened, picture, place, requests_of, rings, state
from tests.browser.conftest import DESKTOP, Site
from tests.conftest import ROOT

pytestmark = pytest.mark.browser

Rows = list[dict[str, Any]]

X, Y = INTERACTIVITY_P90, TOTAL_TPUT_PER_CHIP
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="session")
def group(site: Site) -> str:
    """The parameters of the view that `/` shows, spelled out."""
    found = site.json("/api/v1/frontier")["group"]
    return "&".join(f"{key}={value}" for key, values in found.items() for value in values)


@pytest.fixture(scope="session")
def rows(site: Site, group: str) -> Rows:
    """The points of that view that can be drawn."""
    return [row for row in site.rows(group) if row[X] is not None and row[Y] is not None]


def with_kv(rows: Rows) -> Rows:
    return [row for row in rows if "kv" in (row["offload_kind"] or "").split("+")]


@pytest.mark.parametrize("scales", ["", "log=x", "log=y", "log=x&log=y"])
def test_every_drawn_offload_point_has_its_ring(page: Page, site: Site, rows: Rows, scales: str) -> None:
    opened(page, site(f"/?{scales}"))
    ringed = {row["id"] for row in with_kv(rows)}
    assert 20 < len(ringed) < len(rows)
    assert set(drawn_ids(page)) == {row["id"] for row in rows}
    assert set(drawn_ids(page, "ring")) == ringed
    assert rings(page) == len(ringed)
    assert page.locator("#n-halo").inner_text() == str(len(ringed))


def test_the_frontier_keeps_its_rings_when_dominated_points_are_hidden(page: Page, site: Site) -> None:
    points = [point for series in site.json("/api/v1/frontier?all=0")["series"] for point in series["points"]]
    opened(page, site())
    after(page, page.locator("[data-all]").click)
    assert "all=0" in page.url
    assert set(drawn_ids(page)) == {point["id"] for point in points}
    assert rings(page) == len(with_kv(points)) > 0


def test_after_a_zoom_each_point_in_sight_keeps_its_ring(page: Page, site: Site, rows: Rows) -> None:
    opened(page, site())
    box = page.locator("#stage").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 160, box["y"] + 120)
    page.mouse.down()
    page.mouse.move(box["x"] + 560, box["y"] + box["height"] - 60, steps=4)
    after(page, page.mouse.up)
    query = parse_qs(urlsplit(page.url).query)
    low, high = map(float, query["xr"][0].split(","))
    bottom, top = map(float, query["yr"][0].split(","))
    inside = [row for row in with_kv(rows) if low <= row[X] <= high and bottom <= row[Y] <= top]
    assert 0 < len(inside) < len(with_kv(rows))
    assert rings(page) == len(inside)
    after(page, page.locator("#reset").click)
    assert rings(page) == len(with_kv(rows))
    assert "xr" not in page.url


@pytest.mark.parametrize("view", ["", "all=0&log=x"])
def test_the_saved_svg_has_every_ring_and_explains_it(page: Page, site: Site, view: str) -> None:
    opened(page, site(f"/?{view}"))
    with page.expect_download() as download:
        page.click("[data-save=svg]")
    text = download.value.path().read_text(encoding="utf-8")
    dashed = re.findall(r'<path class="point"[^>]*stroke-dasharray: ?(?!none)', text)
    assert len(dashed) == rings(page) > 0
    assert "used KV-cache offload" in text
    assert "Interactivity p90 (tok/s/user), higher is better" in text
    assert download.value.suggested_filename.endswith(".svg")


def test_the_saved_png_is_a_picture_of_the_chart(page: Page, site: Site) -> None:
    opened(page, site())
    with page.expect_download() as download:
        page.click("[data-save=png]")
    data = download.value.path().read_bytes()
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20], "big") > 2 * 1000
    assert len(data) > 40_000


def test_a_link_shows_the_same_pixels_in_another_browser(page: Page, site: Site, browser: Browser, rows: Rows) -> None:
    opened(page, site())
    after(page, page.locator("[data-log=y][data-to=log]").click)
    series = page.locator(".serie").nth(1).get_attribute("data-series")
    after(page, page.locator(f"a.box[data-hide='{series}']").click)
    left = [row for row in rows if row["id"] in set(drawn_ids(page))]
    chosen = lone(page, left)
    after(page, lambda: page.mouse.click(*place(page, chosen["id"])))
    box = page.locator("#stage").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 50, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 260, box["y"] + box["height"] - 40, steps=4)
    after(page, page.mouse.up)
    for part in ("log=y", "hide=", f"point={chosen['id']}", "xr=", "yr="):
        assert part in page.url
    other = browser.new_context(viewport=DESKTOP, color_scheme="light", reduced_motion="reduce")  # type: ignore[arg-type]
    try:
        second = opened(other.new_page(), page.url)
        assert state(second) == state(page)
        assert picture(second) == picture(page)
    finally:
        other.close()


def test_a_click_pins_a_point_and_a_second_one_opens_its_page(page: Page, site: Site, rows: Rows) -> None:
    opened(page, site("/?rows=all"))
    chosen = lone(page, rows)
    after(page, lambda: page.mouse.click(*place(page, chosen["id"])))
    card = page.locator(f".dock [data-card={chosen['id']}]")
    expect(card).to_be_visible()
    expect(page.locator(f"tr[data-id={chosen['id']}]")).to_have_class("pinned")
    page.mouse.click(*place(page, chosen["id"]))
    page.wait_for_url(f"**/points/{chosen['id']}")


def test_keys_walk_a_frontier_and_open_the_right_point(page: Page, site: Site) -> None:
    opened(page, site())
    first = site.json("/api/v1/frontier?all=0")["series"][0]["points"]
    walk = [point["id"] for point in sorted(first, key=lambda point: point["x"])]
    page.locator("#stage").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    said = page.locator("#said").inner_text()
    after(page, lambda: page.keyboard.press("Enter"))
    assert f"point={walk[1]}" in page.url
    assert "Pareto optimal" in said
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/points/{walk[1]}")
    page.go_back()
    page.wait_for_selector("#stage[data-drawn]")
    page.locator("#stage").focus()
    page.keyboard.press("Escape")
    expect(page.locator(".dock .card")).to_have_count(0)


def test_the_card_says_what_the_api_says(page: Page, site: Site, rows: Rows) -> None:
    opened(page, site())
    chosen = lone(page, rows, with_kv(rows))
    page.mouse.move(*place(page, chosen["id"]))
    card = page.locator("#float")
    expect(card).to_be_visible()
    assert card.get_attribute("data-card") == chosen["id"]
    text = re.sub(r"\s+", " ", card.inner_text())
    assert chosen["offload_label"] in text
    wait = METRICS[ttft("p90")]
    for key, digits in ((Y, 1), (X, 1), ("concurrency", 0), (wait.key, wait.digits)):
        assert f"{METRICS[key].label} {chosen[key]:,.{digits}f} {METRICS[key].unit}" in text
    for key in (*TIER_SHARES, COMPUTED_SHARE):
        if chosen[key] is not None and chosen[key] > 0.001:
            assert f"{100 * chosen[key]:.1f} %" in text


def test_several_pins_stand_side_by_side_with_letters(page: Page, site: Site, rows: Rows) -> None:
    ids = [row["id"] for row in rows[:2]]
    opened(page, site(f"/?point={ids[0]}&point={ids[1]}&rows=all"))
    assert page.locator(".dock .tag").all_inner_texts() == ["A", "B"]
    assert page.locator("tr.pinned .tag").count() == 2
    assert sorted(page.locator(".over text").all_text_contents()) == ["A", "B"]
    after(page, page.locator(f"[data-unpin={ids[0]}]").click)
    assert page.locator(".dock .card").count() == 1
    assert ids[0] not in page.url


def test_back_and_forward_go_through_every_change(page: Page, site: Site) -> None:
    opened(page, site())
    seen = [(page.url, state(page))]
    chip = page.locator("#f-chip input").nth(0)
    for act in (
        page.locator("[data-log=x][data-to=log]").click,
        chip.check,
        page.locator("[data-all]").click,
        lambda: page.select_option("select[name=y]", index=1),
    ):
        after(page, act)
        seen.append((page.url, state(page)))
    assert len({url for url, _ in seen}) == 5
    for url, picture_of in reversed(seen[:-1]):
        after(page, page.go_back)
        assert (page.url, state(page)) == (url, picture_of)
    for url, picture_of in seen[1:]:
        after(page, page.go_forward)
        assert (page.url, state(page)) == (url, picture_of)


def test_a_change_keeps_focus_and_makes_one_request(page: Page, site: Site) -> None:
    opened(page, site())
    asked = requests_of(page)
    box = page.locator("#f-chip input").nth(1)
    box.focus()
    after(page, lambda: page.keyboard.press("Space"))
    assert len(asked) == 1
    value = page.locator("#f-chip input").nth(1).get_attribute("value")
    assert page.evaluate("document.activeElement.value") == value
    assert f"chip={value}" in page.url


def test_toggles_ask_the_server_for_nothing(page: Page, site: Site) -> None:
    opened(page, site())
    asked = requests_of(page)
    after(page, page.locator("[data-log=x][data-to=log]").click)
    after(page, page.locator("[data-all]").click)
    after(page, page.locator("a.box").nth(0).click)
    after(page, page.locator("a.name").nth(0).click)
    assert asked == []


def test_hiding_a_series_recolors_no_other(page: Page, site: Site) -> None:
    opened(page, site())
    colors = """() => Object.fromEntries(document.querySelector('#chart').data
        .filter((trace) => trace.meta.role === 'line').map((trace) => [trace.meta.series, trace.line.color]))"""
    before = page.evaluate(colors)
    first = page.locator(".serie").nth(0).get_attribute("data-series")
    after(page, page.locator("a.box").nth(0).click)
    now = page.evaluate(colors)
    assert now == {key: color for key, color in before.items() if key != first}
    assert len(now) >= 2
    after(page, page.locator("a.name").nth(1).click)
    assert len(set(page.evaluate(colors))) == 1


def test_the_table_sorts_by_number(page: Page, site: Site, rows: Rows) -> None:
    opened(page, site())
    after(page, page.get_by_role("columnheader", name="Concurrency").get_by_role("link").click)
    column = page.locator("thead th").all_inner_texts().index("Concurrency\nusers")
    texts = page.locator(f"tbody tr td:nth-child({column + 1})").all_inner_texts()
    numbers = [float(text.replace(",", "")) for text in texts]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] == max(row["concurrency"] for row in rows)
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Concurrency")
    after(page, page.get_by_role("columnheader", name="Concurrency").get_by_role("link").click)
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Concurrency")


def test_the_table_follows_what_is_hidden(page: Page, site: Site, rows: Rows) -> None:
    opened(page, site("/?rows=all"))
    assert page.locator("tr[data-id]:visible").count() == len(rows)
    after(page, page.locator("[data-all]").click)
    assert page.locator("tr[data-id]:visible").count() == len(drawn_ids(page))
    page.reload()
    page.wait_for_selector("#stage[data-drawn]")
    assert page.locator("tr[data-id]:visible").count() == len(drawn_ids(page))


def test_without_javascript_everything_is_there_down_to_the_table(browser: Browser, site: Site) -> None:
    context = browser.new_context(viewport=DESKTOP, java_script_enabled=False)  # type: ignore[arg-type]
    try:
        page = context.new_page()
        page.goto(site())
        assert page.locator(".frame1 use[href='#m-ring']").count() > 20
        assert page.locator("tbody tr:visible").count() == 100
        page.locator("#f-offload input[value=off]").check()
        page.get_by_role("button", name="Apply").click()
        assert "offload=off" in page.url
        assert page.locator(".frame1 use[href='#m-ring']").count() == 0
        assert page.locator(".frame1 use").count() > 20
        page.locator("[data-log=x][data-to=log]").click()
        assert "log=x" in page.url
        assert "offload=off" in page.url
        page.locator("thead a").first.click()
        assert "sort=chip" in page.url
        page.locator("tbody a").first.click()
        assert "/points/p" in page.url
    finally:
        context.close()


def test_an_emptied_view_says_what_to_loosen(page: Page, site: Site) -> None:
    page.goto(site("/?offload=parameter&backend=lmcache"))
    expect(page.locator("#nothing")).to_contain_text("No point matches all of these filters")
    way = page.locator("#nothing a").first
    after(page, way.click)
    assert len(drawn_ids(page)) > 0
    expect(page.locator("#nothing")).to_be_hidden()


def test_a_broken_link_still_shows_a_chart_and_says_what_was_left_aside(page: Page, site: Site) -> None:
    opened(page, site("/?x=speed&log=z&xr=9,1&frobnicate=1"))
    notes = page.locator("#notes").inner_text()
    for word in ("x=speed", "log=z", "xr=9,1", "frobnicate"):
        assert word in notes
    assert len(drawn_ids(page)) > 0


def test_parameter_offload_has_a_notch_and_no_ring(page: Page, site: Site) -> None:
    row = next(
        row for row in site.rows("offload=parameter") if row["offload_kind"] == "parameter" and row[Y] is not None
    )
    opened(page, site(f"/?model={row['model']}&workload={row['workload']}&origin={row['origin']}"))
    assert row["id"] in drawn_ids(page, "notch")
    assert row["id"] not in drawn_ids(page, "ring")
    expect(page.locator(".notch-key")).to_contain_text("parameter offload")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1360), ("dark", 1360), ("light", 360), ("dark", 360)])
def test_axe_finds_nothing_serious(browser: Browser, site: Site, scheme: str, width: int, rows: Rows) -> None:
    context = browser.new_context(viewport={"width": width, "height": 860}, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    try:
        page = opened(context.new_page(), site(f"/?point={rows[0]['id']}"))
        page.add_script_tag(path=AXE)
        found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        bad = [
            (item["id"], item["impact"], [node["html"][:160] for node in item["nodes"][:3]])
            for item in found["violations"]
            if item["impact"] in ("serious", "critical")
        ]
        assert bad == []
    finally:
        context.close()


def test_nothing_sticks_out_of_a_narrow_page(browser: Browser, site: Site) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 780}, has_touch=True)
    try:
        page = opened(context.new_page(), site())
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.locator(".title [data-fold]").click()
        expect(page.locator("select[name=model]")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("select[name=model]")).to_be_hidden()
        assert rings(page) == int(page.locator("#n-halo").inner_text())
    finally:
        context.close()


def test_the_theme_is_kept_and_redraws_the_chart(page: Page, site: Site) -> None:
    opened(page, site())
    after(page, page.locator("[data-set-theme=dark]").click)
    dark = page.evaluate("document.querySelector('#chart').layout.paper_bgcolor")
    page.reload()
    page.wait_for_selector("#stage[data-drawn]")
    assert page.evaluate("document.querySelector('#chart').layout.paper_bgcolor") == dark == "rgb(17, 20, 23)"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_the_first_frame_stands_where_plotly_draws(browser: Browser, site: Site, rows: Rows) -> None:
    chosen = rows[0]["id"]
    context = browser.new_context(viewport=DESKTOP, java_script_enabled=False)  # type: ignore[arg-type]
    with_script = browser.new_context(viewport=DESKTOP)  # type: ignore[arg-type]
    try:
        still = context.new_page()
        still.goto(site("/?log=x"))
        box = still.locator(f".frame1 a[href='/points/{chosen}']").bounding_box()
        assert box is not None
        page = opened(with_script.new_page(), site("/?log=x"))
        x, y = place(page, chosen)
        # The scroll bar or a line of text must not move the stage between the two.
        assert abs(box["x"] + box["width"] / 2 - x) < 1.5
        assert abs(box["y"] + box["height"] / 2 - y) < 1.5
    finally:
        context.close()
        with_script.close()


def test_copy_link_gives_the_whole_address(browser: Browser, site: Site) -> None:
    context = browser.new_context(viewport=DESKTOP, permissions=["clipboard-read", "clipboard-write"])  # type: ignore[arg-type]
    try:
        page = opened(context.new_page(), site("/?chip=b200"))
        after(page, page.locator("[data-log=y][data-to=log]").click)
        page.get_by_role("button", name="Copy link").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert page.url == site("/?chip=b200&log=y")
        copied = parse_qs(urlsplit(page.evaluate("navigator.clipboard.readText()")).query)
        # The model and workload were chosen for the reader; a link must not leave tomorrow's page to choose again.
        assert copied == {
            "model": ["kimik2.5"],
            "workload": ["agentic:demo-traces"],
            "chip": ["b200"],
            "log": ["y"],
        }
    finally:
        context.close()


def test_folding_the_filters_gives_the_chart_their_room_and_stays_out_of_the_link(page: Page, site: Site) -> None:
    opened(page, site())
    width = page.evaluate("document.querySelector('#stage').clientWidth")
    after(page, page.get_by_role("button", name="Fold the filters away").click)
    assert page.evaluate("document.querySelector('#stage').clientWidth") > width + 150
    assert page.url == site("/")
    page.reload()
    page.wait_for_selector("#stage[data-drawn]")
    expect(page.locator("select[name=model]")).to_be_hidden()
    after(page, page.get_by_role("button", name="Show the filters").click)
    expect(page.locator("select[name=model]")).to_be_visible()


def test_going_back_while_a_page_is_on_its_way_ends_at_the_view_of_the_address(page: Page, site: Site) -> None:
    opened(page, site())
    before = state(page)
    page.route("**/?chip=*", lambda route: (page.wait_for_timeout(400), route.continue_()))
    page.locator("#f-chip input").nth(0).check()
    page.go_back()
    page.wait_for_timeout(900)
    assert page.url == site("/")
    assert state(page) == before
