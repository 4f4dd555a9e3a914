"""A fresh run dropped on the page: rings over the stored curves, and a store that stays as it was."""

from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from ingest.pipeline import ingest
from tests.browser.charts import drawn_ids, opened, rings
from tests.browser.conftest import DEMO, Site, Watched, served
from tests.dropped import NAME, fresh_run
from tests.test_preview import bytes_of, chipless

GROUP = "/?model=kimik2.5&workload=agentic:demo-traces"
_DROP = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    for (const kind of ['dragenter', 'dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
    }
}"""


def test_a_dropped_run_is_drawn_with_its_rings_and_the_store_keeps_its_bytes(
    context: BrowserContext, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    ingest([DEMO], folder)
    with served(folder) as site:
        watched = Watched(context.new_page(), site)
        page = watched.page
        opened(page, site(GROUP))
        before, ringed, bare = bytes_of(folder), rings(page), set(drawn_ids(page))
        page.evaluate(_DROP, [NAME, fresh_run()])
        page.wait_for_url("**preview=**")
        page.wait_for_selector("#stage[data-drawn]")
        assert rings(page) > ringed
        fresh = set(drawn_ids(page)) - bare
        assert fresh & set(drawn_ids(page, "ring"))
        expect(page.locator("#as-of")).to_contain_text("Nothing is stored")
        expect(page.locator("#strip a, #fbody .serie").filter(has_text="preview").first).to_be_attached()
        expect(page.locator("[data-copy-frozen]")).to_have_count(0)
        shown = page.locator("tr[data-id]:visible").evaluate_all("(rows) => rows.map((row) => row.dataset.id)")
        point = next(one for one in shown if one in fresh)
        page.locator(f'tr[data-id="{point}"] a').first.click()
        expect(page.locator("main")).to_contain_text("Preview, not stored")
        expect(page.locator("#as-of")).to_contain_text("Nothing is stored")
        page.go_back()
        page.wait_for_selector("#stage[data-drawn]")
        page.locator("#as-of a").click()
        page.wait_for_selector("#stage[data-drawn]")
        assert set(drawn_ids(page)) == bare
        assert bytes_of(folder) == before
        watched.check()


def test_the_button_opens_a_chooser_and_what_holds_no_result_is_told(page: Page, site: Site) -> None:
    opened(page, site(GROUP))
    button = page.locator("[data-preview]")
    page.bring_to_front()
    with page.expect_file_chooser(timeout=15_000) as chosen:
        button.press("Enter")
    chosen.value.set_files({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"nothing here"})
    expect(page.locator("#verdict")).to_be_visible()
    expect(page.locator("#verdict-files")).to_contain_text("notes.txt", timeout=60_000)
    page.keyboard.press("Escape")
    expect(page.locator("#verdict")).to_be_hidden()


def test_what_no_file_says_is_asked_for_and_sent_again_by_keyboard(page: Page, site: Site) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    opened(page, site(GROUP))
    page.evaluate(_DROP, [NAME, chipless()])
    form = page.locator("#verdict-ask")
    expect(form).to_be_visible(timeout=60_000)
    expect(form.get_by_label("Chip", exact=True)).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.type("mi355x")
    page.keyboard.press("Tab")
    page.keyboard.type("8")
    page.keyboard.press("Enter")
    page.wait_for_url("**preview=**", timeout=60_000)
    page.wait_for_selector("#stage[data-drawn]")
    expect(page.locator("body")).to_contain_text("preview · MI355X")


def test_what_the_store_has_already_is_shown_pinned(page: Page, site: Site) -> None:
    opened(page, site(GROUP))
    page.evaluate(_DROP, ["kimi_agentic.csv", (DEMO / "kimi_agentic.csv").read_text(encoding="utf-8")])
    expect(page.locator("#verdict-said")).to_contain_text("holds all of these", timeout=60_000)
    page.locator("#verdict-go").press("Enter")
    page.wait_for_url("**point=**")
    page.wait_for_selector("[data-card]")
