"""The dashboard page as HTML: what is offered, what the table says, what an empty view advises."""

import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from app.catalog.metrics import CACHED_SHARE, CONCURRENCY, METRICS, TOTAL_TPUT_PER_CHIP
from app.catalog.offload import Offload
from app.catalog.point import Cache, Layout, Point, TierShare
from app.store.read import Store
from app.view import parse_query
from app.web.dashboard import Dashboard, dashboard, page
from app.web.deps import Loose
from ingest.tiers import share_metrics
from tests.points import CHIP, MODEL, kv, shares, stored
from tests.points import point as bare_point

OTHER_CHIP = "h200"
OTHER_MODEL = "glm5.1"


def point(concurrency: float, *, cache: Cache | None = None, **fields: Any) -> Point:
    """A point whose shares are metrics as well, as ingest leaves them."""
    return bare_point(concurrency, cache=cache, metrics=share_metrics(cache) if cache else None, **fields)


def seen(folder: Path, query: str = "") -> Dashboard:
    view, problems = parse_query(query)
    return dashboard(view, problems, Store(folder).snapshot(view.snapshot))


def html(folder: Path, query: str = "") -> str:
    view, problems = parse_query(query)
    return page(Loose(view=view, problems=tuple(problems), snapshot=Store(folder).snapshot(view.snapshot)))


def facet(board: Dashboard, name: str) -> dict[str, tuple[int | None, bool]]:
    found = next((facet for facet in board.controls.facets if facet.name == name), None)
    return {option.value: (option.count, option.ticked) for option in found.options} if found else {}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stored(
        tmp_path,
        point(4, x=80, y=300),
        point(8, x=60, y=500),
        point(16, x=40, y=900, offload=kv(), cache=shares(hbm=400, host_dram=300)),
        point(16, x=30, y=600, chip=OTHER_CHIP, offload=Offload(mode="unknown")),
        point(8, model=OTHER_MODEL, workload="8k/1k", chip=OTHER_CHIP),
    )
    return tmp_path


def test_filters_count_what_each_choice_would_give(folder: Path) -> None:
    board = seen(folder, f"model={MODEL}&chip={CHIP}")
    assert facet(board, "chip") == {CHIP: (3, True), OTHER_CHIP: (1, False)}
    assert facet(board, "offload") == {"on": (1, False), "off": (2, False), "kv": (1, False)}
    assert facet(seen(folder, f"model={MODEL}"), "offload")["unknown"] == (1, False)


def test_the_fastest_tier_is_no_choice_since_every_offload_has_it(folder: Path) -> None:
    assert facet(seen(folder, f"model={MODEL}"), "tier") == {"host_dram": (1, False)}


def test_what_gives_nothing_is_not_offered_unless_it_is_ticked(folder: Path) -> None:
    board = seen(folder, f"model={MODEL}&offload=kv")
    assert facet(board, "chip") == {CHIP: (1, False)}
    assert facet(seen(folder, f"model={MODEL}&offload=kv&chip={OTHER_CHIP}"), "chip")[OTHER_CHIP] == (0, True)


def test_axes_offer_only_what_points_of_the_view_have(folder: Path) -> None:
    offered = {option.value for _, options in seen(folder).controls.y.groups for option in options}
    assert TOTAL_TPUT_PER_CHIP in offered
    assert "joules_per_total_token" not in offered
    with_it = seen(folder, "y=joules_per_total_token").controls.y
    assert any(option.ticked for _, options in with_it.groups for option in options)


def test_a_model_without_the_chosen_workload_drops_it(folder: Path) -> None:
    options = {option.value: option.without for option in seen(folder, "workload=1k/1k").controls.model.options}
    assert options == {MODEL: "", OTHER_MODEL: "workload"}
    assert {option.value for option in seen(folder, f"model={OTHER_MODEL}").controls.workload.options} == {"8k/1k"}


def test_an_emptied_view_names_the_filter_whose_loss_helps_most(folder: Path) -> None:
    board = seen(folder, f"model={MODEL}&chip={OTHER_CHIP}&offload=kv")
    assert [(way.label, way.count) for way in board.ways] == [("Drop chip H200", 1), ("Drop offload kv", 1)]
    for way in board.ways:
        view, problems = parse_query(urlsplit(way.href).query)
        assert not problems
        assert seen(folder, view.query()).drawn.points == way.count


def test_where_no_single_filter_helps_all_of_them_go(folder: Path) -> None:
    board = seen(folder, f"model={OTHER_MODEL}&chip={CHIP}&offload=parameter")
    assert [(way.label, way.href) for way in board.ways] == [("Drop all filters", "/")]


def test_a_view_whose_points_lack_an_axis_offers_axes_they_have(tmp_path: Path) -> None:
    stored(tmp_path, point(8, x=None))
    board = seen(tmp_path)
    assert board.is_empty
    assert "does not have both" in board.nothing
    assert seen(tmp_path, urlsplit(board.ways[0].href).query).drawn.points == 1


def test_a_table_tells_not_reported_from_zero_from_no_such_tier(tmp_path: Path) -> None:
    stored(
        tmp_path,
        point(1, cache=shares(hbm=0), y=100),
        point(2, offload=kv(), cache=shares(hbm=500, host_dram=0), y=200),
        point(4, offload=kv(), cache=shares(hbm=250), y=300),
        point(8, y=400),
    )
    board = seen(tmp_path, f"sort={CONCURRENCY}")
    assert board.table is not None
    heads = [head.label for head in board.table.heads]
    assert "NVMe" not in heads
    at = heads.index("DRAM") - 1
    cells = [(line.cells[at].text, line.cells[at].state) for line in board.table.lines]
    assert cells == [
        ("\u2013", "absent"),
        ("0.0", "reported"),
        ("not reported", "unreported"),
        ("\u2013", "absent"),
    ]
    hbm = [line.cells[at - 1].text for line in board.table.lines]
    assert hbm == ["0.0", "50.0", "25.0", "not reported"]


def test_a_combined_rate_is_one_cell_over_the_tiers_it_is_of(tmp_path: Path) -> None:
    combined = Cache(
        prompt_tokens=1000, tiers=(TierShare(medium="unattributed", share=0.9, tokens=900),), cached_share=0.9
    )
    stored(
        tmp_path, point(1, offload=kv(), cache=combined), point(2, offload=kv(), cache=shares(hbm=400, host_dram=100))
    )
    board = seen(tmp_path, f"sort={CONCURRENCY}")
    assert board.table is not None
    assert "Cached, tier unknown" not in [head.label for head in board.table.heads]
    assert "Unattributed" not in [head.label for head in board.table.heads]
    first, second = board.table.lines
    assert [(cell.text, cell.note, cell.span) for cell in first.cells if cell.span > 1] == [("90.0", "combined", 2)]
    assert sum(cell.span for cell in first.cells) == len(second.cells)
    assert [segment.tier for segment in first.bar] == ["combined"]


def test_the_table_sorts_by_number_and_says_so(folder: Path) -> None:
    text = html(folder, f"model={MODEL}&sort=-{CONCURRENCY}")
    assert 'aria-sort="descending"' in text
    board = seen(folder, f"model={MODEL}&sort=-{CONCURRENCY}")
    assert board.table is not None
    at = [head.label for head in board.table.heads].index("Concurrency") - 1
    assert [line.cells[at].text for line in board.table.lines] == ["16", "16", "8", "4"]
    again = next(head.href for head in board.table.heads if head.sorted)
    assert parse_qs(urlsplit(again).query)["sort"] == [CONCURRENCY]


def test_rows_of_what_is_hidden_are_there_but_not_shown(folder: Path) -> None:
    board = seen(folder, f"model={MODEL}&all=0&hide={OTHER_CHIP}.vllm.fp4.none")
    assert board.table is not None
    assert [(line.standing, line.hidden) for line in board.table.lines if line.series.startswith(OTHER_CHIP)] == [
        ("frontier", True)
    ]
    assert board.table.total == board.drawn.points == 3
    assert board.drawn.halos == 1


def test_a_long_table_stops_at_a_hundred_and_links_to_the_rest(tmp_path: Path) -> None:
    stored(tmp_path, *(point(n, y=100.0 + n) for n in range(1, 131)))
    board = seen(tmp_path)
    assert board.table is not None
    assert (board.table.shown, board.table.total, board.table.limit) == (100, 130, 100)
    assert [line.hidden for line in board.table.lines] == [False] * 100 + [True] * 30
    whole = seen(tmp_path, urlsplit(board.table.all_href).query)
    assert whole.table is not None
    assert (whole.table.shown, whole.table.all_href) == (130, "")


def test_a_very_long_table_is_not_sent_whole(tmp_path: Path) -> None:
    stored(tmp_path, *(point(n, y=100.0 + n) for n in range(1, 501)))
    board = seen(tmp_path)
    assert board.table is not None
    assert (board.table.shown, board.table.total, len(board.table.lines)) == (100, 500, 100)


def test_clearing_filters_keeps_what_is_compared(folder: Path) -> None:
    board = seen(folder, f"model={MODEL}&chip={CHIP}&log=y&hide=a&all=0")
    assert (board.clear_href, board.is_filtered) == (f"/?model={MODEL}&log=y", True)
    assert not seen(folder, f"model={MODEL}&hide=a").is_filtered


def test_the_page_of_an_empty_store_says_how_to_fill_it(tmp_path: Path) -> None:
    text = html(tmp_path)
    assert "No points yet" in text
    assert "halo ingest" in text
    assert "application/json" not in text


def test_values_from_files_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    nasty = '</script><img src=x onerror="alert(1)">'
    stored(tmp_path, point(1, engine=f"other:{nasty}", engine_version=nasty), run=nasty)
    text = html(tmp_path)
    assert nasty not in text
    assert "<img" not in text
    assert "&lt;img src=x" in text


def test_form_and_links_carry_the_whole_view(folder: Path) -> None:
    text = html(folder, f"model={MODEL}&chip={CHIP}&log=y&hide=a&all=0&sort=chip")
    filters, readings = (
        dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))
        for form in re.findall(r'<form [^>]*id="(?:fbody|read-form)".*?</form>', text, re.DOTALL)
    )
    assert filters == {"log": "y", "hide": "a", "all": "0", "sort": "chip"}
    assert readings == {"model": MODEL, "chip": CHIP, **filters}
    links = [unescape(href) for href in re.findall(r'<a href="(/\?[^"]*)" data-log="x"', text)]
    assert all({"model", "chip", "hide", "all", "log", "sort"} <= set(parse_qs(urlsplit(link).query)) for link in links)
    assert len(links) == 2


def test_demo_data_is_hidden_by_real_results_and_the_page_says_so(folder: Path) -> None:
    stored(folder, point(64, origin="synthetic"), run="demo")
    board = seen(folder, f"model={MODEL}")
    assert any("demo data is hidden" in note for note in board.notes)
    assert facet(board, "origin") == {"measured": (4, False), "synthetic": (1, False)}
    shown = seen(folder, f"model={MODEL}&origin=synthetic")
    assert shown.badges == ("demo data",)
    assert "demo data</span>" in html(folder, f"model={MODEL}&origin=synthetic")


def test_two_definitions_of_interactivity_on_one_axis_carry_a_badge(tmp_path: Path) -> None:
    stored(tmp_path, point(1), point(2, interactivity_def="1/itl"))
    assert seen(tmp_path).definitions == ("1/itl", "1/tpot")
    assert "mixed definitions" in html(tmp_path)
    assert seen(tmp_path, f"x={CONCURRENCY}").definitions == ()


def test_points_that_cannot_be_placed_are_counted_with_the_reason(tmp_path: Path) -> None:
    stored(tmp_path, point(1), point(2, x=None), point(4, y=None), point(8, y=0.0))
    board = seen(tmp_path, "log=y")
    assert [item.text for item in board.left_out] == [
        "1 of 4 left out: no Interactivity p50",
        f"1 of 4 left out: no {METRICS[TOTAL_TPUT_PER_CHIP].label}",
    ]
    assert board.left_out[1].href == f"/glossary/{TOTAL_TPUT_PER_CHIP}"
    assert (board.drawn.points, board.drawn.not_positive) == (1, 1)


def test_the_price_table_is_asked_for_only_when_an_axis_needs_it(folder: Path) -> None:
    assert seen(folder).controls.price is None
    price = seen(folder, "y=total_tokens_per_usd").controls.price
    assert price is not None
    assert [option.value for option in price.options if option.ticked] == [""]


def test_the_bar_column_sorts_by_what_caches_served(folder: Path) -> None:
    board = seen(folder, f"model={MODEL}")
    assert board.table is not None
    heads = {head.label: head.href for head in board.table.heads}
    assert parse_qs(urlsplit(heads["Tiers"]).query)["sort"] == [f"-{CACHED_SHARE}"]


def test_a_copied_link_names_the_group_that_the_view_left_open(folder: Path) -> None:
    board = seen(folder, f"model={MODEL}")
    assert parse_qs(board.settled) == {"workload": ["1k/1k"]}
    pinned = parse_qs(urlsplit(board.pinned_href).query)
    assert (pinned["model"], pinned["workload"]) == ([MODEL], ["1k/1k"])
    assert seen(folder, f"model={MODEL}&workload=1k/1k").settled == ""


def test_repeats_that_stand_behind_newer_ones_are_counted_with_the_way_to_them(folder: Path) -> None:
    stored(folder, point(4, x=81, y=310), point(8, x=61, y=510), run="again")
    texts = {remark.text: remark.href for remark in seen(folder, f"model={MODEL}").remarks}
    assert "runs=all" in texts["2 other repeats not shown"]
    assert not any("repeat" in remark.text for remark in seen(folder, f"model={MODEL}&runs=all").remarks)


def test_a_per_chip_axis_says_how_to_mend_points_without_a_chip_count(folder: Path) -> None:
    alone = point(4, model="other:mine", chip_count=None, layout=Layout(), y=None)
    stored(folder, alone, run="mine")
    board = seen(folder, "model=other:mine")
    assert board.is_empty
    assert "One does not say on how many chips: ingest again with --set chip=" in board.nothing
