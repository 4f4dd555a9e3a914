"""The pages say what the documents say, for every kind of point, and nothing that a record did not report."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from starlette.testclient import TestClient

from app.catalog.glossary import entries
from app.catalog.metrics import METRICS, TOTAL_TPUT_PER_CHIP, ttft
from app.catalog.offload import SHARE_OF_PROMPT
from app.store.read import Store
from app.store.select import Selection
from app.web.blocks.numbers import number, percent, points
from app.web.blocks.twin import change_of
from app.web.main import create_app
from tests.page_points import FAILED, ODD, cases, stored_cases

CASES = tuple(cases())


class Reader(HTMLParser):
    """A page as its tags, its links, and the text of each element with an id or a data attribute."""

    VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())  # noqa: SIM905

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.scripts: list[dict[str, str | None]] = []
        self._open: list[str] = []
        self._parts: list[str] = []
        self.unbalanced: list[str] = []
        self.feed(text)
        self.close()
        self.words = " ".join(" ".join(self._parts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in self.VOID:
            self._open.append(tag)
        if tag == "a":
            self.links.append(given.get("href") or "")
        if given.get("id"):
            self.ids.append(given["id"] or "")
        if tag == "script":
            self.scripts.append(given)
        if tag == "table":
            self.tables.append([])
        if tag == "tr" and self.tables:
            self.tables[-1].append([])
        if tag in ("td", "th") and self.tables and self.tables[-1]:
            self.tables[-1][-1].append("")
        self._parts.append(" ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()
        else:
            self.unbalanced.append(tag)
        self._parts.append(" ")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in ("script", "style"):
            return
        self._parts.append(data)
        if {"td", "th"} & set(self._open) and self.tables and self.tables[-1] and self.tables[-1][-1]:
            self.tables[-1][-1][-1] += data

    def table(self, first: str) -> dict[str, list[str]]:
        """The rows of the table whose head begins with that word, by their own first cell."""
        for table in self.tables:
            if table and table[0] and table[0][0].strip() == first:
                return {row[0].strip(): [" ".join(cell.split()) for cell in row[1:]] for row in table[1:] if row}
        raise AssertionError(f"no table begins with {first!r}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages")
    stored_cases(path)
    return path


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    with TestClient(create_app(folder), raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def ids(folder: Path) -> dict[str, str]:
    """The id of each case; of the repeated one, the newest."""
    snapshot = Store(folder).snapshot()
    found: dict[str, str] = {}
    for row in snapshot.rows(Selection(newest=True)):
        whole = snapshot.point(row["id"])
        assert whole is not None
        found[whole["detail"]["spellings"]["case"]] = row["id"]
    return found


def read(client: TestClient, path: str, status: int = 200) -> Reader:
    answer = client.get(path)
    assert answer.status_code == status, answer.text[:400]
    assert answer.headers["content-type"].startswith("text/html")
    return Reader(answer.text)


def document(client: TestClient, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.json()


@pytest.mark.parametrize("case", CASES)
def test_page_and_document_agree_on_offload_and_shares(client: TestClient, ids: dict[str, str], case: str) -> None:
    page = read(client, f"/points/{ids[case]}")
    said = document(client, f"/points/{ids[case]}.json")
    assert said["offload"]["label"] in page.words
    assert said["offload_label"] == said["offload"]["label"]
    tiers = page.table("Tier")
    for tier in said["cache"]["tiers"]:
        is_share = tier["share"] is not None and tier["denominator"] == SHARE_OF_PROMPT
        assert tiers[tier["label"]][0] == (points(tier["share"]) if is_share else "not reported")
    computed = said["cache"]["computed_share"]
    assert tiers["Recomputed"][0] == ("not reported" if computed is None else points(computed))
    for metric in METRICS:
        if metric.is_share and (value := said[metric.key]) is not None:
            assert points(value) in page.words


@pytest.mark.parametrize("case", CASES)
def test_every_flag_of_a_point_stands_on_its_page_in_words(client: TestClient, ids: dict[str, str], case: str) -> None:
    page = read(client, f"/points/{ids[case]}")
    for flag in document(client, f"/points/{ids[case]}.json")["flags"]:
        assert flag["text"] in page.words
        assert flag["label"].lower() in page.words.lower()


@pytest.mark.parametrize("case", CASES)
def test_a_page_is_whole_links_only_here_and_runs_no_inline_script(
    client: TestClient, ids: dict[str, str], case: str
) -> None:
    page = read(client, f"/points/{ids[case]}")
    assert page.unbalanced == []
    assert len(page.ids) == len(set(page.ids))
    assert all(script.get("src", "").startswith("/static/") for script in page.scripts)  # type: ignore[union-attr]
    for link in page.links:
        parts = urlsplit(link)
        assert (parts.scheme, parts.netloc) == ("", ""), link


@pytest.mark.parametrize("case", CASES)
def test_every_link_of_a_point_page_leads_somewhere(client: TestClient, ids: dict[str, str], case: str) -> None:
    page = read(client, f"/points/{ids[case]}")
    for link in sorted(set(page.links)):
        if link.startswith("/api/docs"):
            continue
        assert client.get(link).status_code == 200, link


def test_three_kinds_of_nothing_are_told_apart(client: TestClient, ids: dict[str, str]) -> None:
    tiers = read(client, f"/points/{ids['all_tiers']}").table("Tier")
    assert tiers["NVMe"][0] == "0.0"
    off = read(client, f"/points/{ids['off']}").table("Tier")
    assert off["DRAM"] == ["no such tier in this config"]
    lighter = read(client, f"/points/{ids['lighter']}").table("Tier")
    assert lighter["DRAM"][0] == "not reported"
    unknown = read(client, f"/points/{ids['unknown']}").table("Tier")
    assert unknown["DRAM"][0] == "not reported"


def test_the_sentence_relates_what_was_cached_to_the_ceiling(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['all_tiers']}")
    cached, ceiling = 0.901, 0.93
    assert f"From a cache {percent(cached)} , which is {percent(cached / ceiling)} of what" in page.words
    assert f"ceiling {percent(ceiling)}" in page.words


def test_rates_with_another_denominator_are_no_shares(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['all_tiers']}")
    rates = page.table("Rate")
    assert rates["LMCache lookup hits"][:2] == ["33.2 %", "tokens looked up there"]
    assert rates["master hit rate"][:2] == ["3.50", "objects now stored"]
    assert "LMCache lookup hits" not in page.table("Tier")


def test_a_rate_of_blocks_is_listed_and_never_drawn(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['blocks']}")
    assert page.table("Rate")["Cached, tier unknown rate"][:2] == ["70.0 %", "blocks, all tiers together"]
    assert "What caches served is not reported." in page.words
    assert 'class="segs"' not in client.get(f"/points/{ids['blocks']}").text


def test_a_pool_ratio_needs_both_pools_in_tokens(client: TestClient, ids: dict[str, str]) -> None:
    assert "DRAM 2.4×" in read(client, f"/points/{ids['all_tiers']}").words
    assert "with NVMe 10.1×" in read(client, f"/points/{ids['all_tiers']}").words
    assert 'class="scale"' not in client.get(f"/points/{ids['combined']}").text


def test_a_combined_rate_is_one_segment_of_unknown_tier(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['combined']}")
    assert "combined 62.0 %" in page.words
    tiers = page.table("Tier")
    assert tiers["Cached, tier unknown"][0] == "62.0"
    assert tiers["HBM"][0] == tiers["DRAM"][0] == "not reported"


def test_hits_of_slow_tiers_are_hidden_where_offload_was_off(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['stale']}")
    assert page.table("Tier")["DRAM"] == ["no such tier in this config"]
    assert "They are not shown" in page.words


def test_transfers_between_roles_are_not_called_hits(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['external']}")
    assert "the external part may be transfers from prefill, which are no cache hits" in page.words
    roles = page.table("Role")
    assert roles["Prefill"][:3] == ["GB300 NVL72", "8", "1"]
    assert roles["Decode"][:3] == ["GB300 NVL72", "8", "2"]


def test_parameter_offload_has_a_part_of_its_own_and_no_halo(client: TestClient, ids: dict[str, str]) -> None:
    answer = client.get(f"/points/{ids['parameter']}").text
    part = answer[answer.index('id="parameter"') :]
    for words in ("768,022,850", "264 B", "NVMe", "warm"):
        assert words in part
    head = answer[answer.index("<h1>") - 700 : answer.index("<h1>")]
    assert "#m-notch" in head
    assert "#m-ring" not in head.split("<header")[-1]
    both = client.get(f"/points/{ids['kv_parameter']}").text
    glyph = both[both.index('<header class="head"') : both.index("<h1>")]
    assert "#m-notch" in glyph
    assert "#m-ring" in glyph


def test_shares_that_exceed_the_prompt_give_no_total(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['too_much']}")
    assert "The tiers as reported add up to 110.0 % of the prompt, so no total is given." in page.words


def test_a_bare_record_reads_not_reported_throughout(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['bare']}")
    for words in (
        "Chip not reported",
        "engine not reported",
        "precision not reported",
        "concurrency not reported",
        "model not reported",
        "Offload not reported",
        "What caches served is not reported.",
        "not on the chart: no",
        "Whether this point used offload is not reported, so it has no twin.",
    ):
        assert words in page.words, words
    assert "None" not in page.words


def test_twins_are_compared_with_signs_and_words(client: TestClient, ids: dict[str, str]) -> None:
    for case, twin in (("all_tiers", "off"), ("off", "all_tiers")):
        page = read(client, f"/points/{ids[case]}")
        lines = next(table for table in page.tables if "Off" in "".join(table[0]) and "Change" in "".join(table[0]))
        rows = {" ".join(row[0].split()): [" ".join(cell.split()) for cell in row[1:]] for row in lines[1:]}
        assert rows["Total throughput per chip tok/s/chip"][2:] == ["+76.8 %", "better"]
        assert rows["TTFT p90 s"] == ["14.56", "3.00", "−79.4 %", "better"]
        assert rows["TTFT p50 s"] == ["not reported", "1.12", "–", ""]
        assert rows["Cached share %"][2:] == ["+53.3 pt", "better"]
        assert f"/points/{ids[twin]}" in page.links
    assert "No twin in the store" in read(client, f"/points/{ids['combined']}").words


def test_neighbours_lead_along_the_same_config(client: TestClient, ids: dict[str, str]) -> None:
    assert f"/points/{ids['lighter']}" in read(client, f"/points/{ids['all_tiers']}").links
    assert f"/points/{ids['all_tiers']}" in read(client, f"/points/{ids['lighter']}").links


def test_a_repeat_is_listed_and_leads_to_the_other_run(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['lighter']}")
    assert "2 runs of one config, workload and concurrency" in page.words
    assert "27 Nov 2026, 02:14 zone unknown" in page.words


def test_a_corrected_record_shows_its_past_and_the_past_still_answers(
    client: TestClient, folder: Path, ids: dict[str, str]
) -> None:
    page = read(client, f"/points/{ids['stale']}")
    first = Store(folder).snapshot().snapshots()[-1]["id"]
    assert f"Read in snapshot {first}" in page.words
    assert "0.70" in page.words
    old = read(client, f"/points/{ids['stale']}?snapshot={first}")
    assert "0.50" in old.words
    inner = [link for link in old.links if link.startswith(("/points/", "/configs/"))]
    assert inner
    over = f"/points/{ids['stale']}"
    assert {link for link in inner if f"snapshot={first}" not in link} == {over}, "only the way over to now leaves it"


def test_the_way_back_leads_to_a_chart_that_shows_the_point(client: TestClient, ids: dict[str, str]) -> None:
    for case in CASES:
        page = read(client, f"/points/{ids[case]}")
        back = next(link for link in page.links if link.startswith("/?"))
        answer = document(client, "/api/v1/frontier" + back.removeprefix("/"))
        drawn = {point["id"] for series in answer["series"] for point in series["points"]}
        if "not on the chart" not in page.words:
            assert ids[case] in drawn, case


def test_odd_names_survive_in_text_and_links(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['odd']}")
    assert ODD in page.words
    back = next(link for link in page.links if link.startswith("/?"))
    assert f"workload=other%3A{quote(ODD, safe='')}" in back.replace("+", "%20")
    assert client.get(back).status_code == 200


def test_text_of_a_file_is_text_and_no_address_but_the_web_s_becomes_a_link(
    client: TestClient, ids: dict[str, str]
) -> None:
    note = client.get(f"/points/{ids['unknown']}").text
    assert "<script>alert(1)" not in note
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in note
    source = read(client, f"/points/{ids['odd']}")
    assert "A report" in source.words
    assert not [link for link in source.links if link.startswith("javascript")]


def test_a_config_page_names_recipe_and_offload_and_links_every_point(client: TestClient, ids: dict[str, str]) -> None:
    said = document(client, f"/points/{ids['all_tiers']}.json")
    path = f"/configs/{said['config_id']}"
    page, config = read(client, path), document(client, f"{path}.json")
    assert f"{config['title']} with KV offload to DRAM and NVMe and Remote flash by LMCache" in page.words
    for group in config["workloads"]:
        for row in group["points"]:
            assert f"/points/{row['id']}" in page.links
    assert f"{path}.json" in page.links
    for twin in config["twins"]:
        assert f"/configs/{twin['id']}" in page.links
    assert {run["label"] for run in config["runs"]} <= set(page.table("Run"))
    assert "On against off" in page.words
    assert page.unbalanced == []


@pytest.mark.parametrize("case", CASES)
def test_every_config_has_a_page(client: TestClient, ids: dict[str, str], case: str) -> None:
    config_id = document(client, f"/points/{ids[case]}.json")["config_id"]
    page = read(client, f"/configs/{config_id}")
    assert f"/points/{ids[case]}" in page.links
    assert "None" not in page.words


def test_the_data_page_counts_and_groups_refusals(client: TestClient, folder: Path) -> None:
    page = read(client, "/data")
    snapshot = Store(folder).snapshot()
    live = sum(row["points"] for row in snapshot.sources())
    assert f"Points {number(live, 0)} in snapshot {snapshot.id}" in page.words
    assert f"{FAILED} 2 places" in page.words
    assert "b/failed.json, row 3" in page.words
    assert [row["id"] for row in snapshot.snapshots()] == [key.split()[0] for key in page.table("Snapshot")]


def test_the_data_page_of_an_empty_store_says_how_to_begin(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path)) as empty:
        assert "halo ingest results/" in read(empty, "/data").words


def test_the_glossary_holds_every_entry_under_a_stable_anchor(client: TestClient) -> None:
    page = read(client, "/glossary")
    assert len(page.ids) == len(set(page.ids))
    for entry in entries():
        assert entry.key in page.ids
        assert entry.label in page.words
        assert f"/glossary/{quote(entry.key, safe='')}" in page.links


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.key)
def test_every_word_has_a_page(client: TestClient, entry: Any) -> None:
    page = read(client, f"/glossary/{quote(entry.key, safe='')}")
    assert " ".join(entry.text.split()) in page.words


def test_every_metric_leads_to_its_word_and_onto_the_chart(client: TestClient) -> None:
    for metric in METRICS:
        page = read(client, f"/glossary/{metric.key}")
        assert metric.key in page.words
        assert not metric.axis or any(link.endswith(f"={metric.key}") for link in page.links)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/points/pnone", "There is no point “pnone”"),
        ("/points/" + quote(ODD, safe=""), "There is no point"),
        ("/configs/cnone", "There is no config “cnone”"),
        ("/glossary/tput", "The glossary has no word “tput”."),
        ("/glossary/" + quote("a//b#%", safe=""), "The glossary has no word “a//b#%”."),
        ("/data?snapshot=000009-none", "no snapshot"),
        ("/nowhere", "nothing at this address"),
    ],
)
def test_a_page_that_is_not_there_says_so_and_offers_a_way_out(client: TestClient, path: str, sentence: str) -> None:
    page = read(client, path, 404)
    assert sentence.lower() in page.words.lower()
    assert {"/", "/data", "/glossary"} <= set(page.links)


def test_a_parameter_that_cannot_be_read_is_told_and_left_aside(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['off']}?x=nonsense")
    assert "That part of the link was left aside." in page.words
    assert "nonsense" in page.words


def test_no_page_shows_a_place_of_this_machine(client: TestClient, folder: Path, ids: dict[str, str]) -> None:
    for path in ("/data", *(f"/points/{point_id}" for point_id in ids.values())):
        text = client.get(path).text
        assert str(folder) not in text
        assert not re.search(r"(?<![\w.])/(?:home|root|tmp|work)/", text)


@pytest.mark.parametrize("case", CASES)
def test_page_and_document_agree_on_pools_misses_traffic_and_flash(
    client: TestClient, ids: dict[str, str], case: str
) -> None:
    page = read(client, f"/points/{ids[case]}")
    said = document(client, f"/points/{ids[case]}.json")
    assert ("traffic" in page.ids) == (said["traffic"] is not None) == ("kv" in said["offload"]["kinds"])
    assert ("nvme" in page.ids) == (said["nvme"] is not None)
    if said["misses"]["parts"]:
        shares = page.table("Of all prompt tokens")
        assert {name: cells[0] for name, cells in shares.items()} == {
            part["label"]: points(part["share"]) for part in said["misses"]["parts"]
        }
        assert sum(part["share"] for part in said["misses"]["parts"]) == pytest.approx(1)
    else:
        assert said["misses"]["reason"] in page.words
    for line in said["nvme"]["needed"] if said["nvme"] else ():
        assert line in page.words
    for flow in said["traffic"]["flows"] if said["traffic"] else ():
        assert all(name in page.words for name in flow["counters"])


def test_a_flash_point_shows_its_passes_states_and_numbers(client: TestClient, ids: dict[str, str]) -> None:
    page = read(client, f"/points/{ids['flash']}")
    passes = page.table("Pass")
    assert passes["iteration 1"][0] == "cold"
    assert passes["iteration 2 this point"][0] == "warm"
    assert "Parameter-offload results do not establish NVMe KV offload." in page.words
    assert "requested, but fell back" in page.words
    assert "bytes and tokens agree" in page.words
    assert "DRAM 2.0×, with NVMe 8.0×" in page.words
    assert "inclusive largest pool / HBM = 6.0×; exclusive 1 + r = 9.0×" in page.words
    assert "This is a parameter table on flash." in read(client, f"/points/{ids['parameter']}").words


@pytest.mark.parametrize(
    ("key", "right", "told"),
    [
        (TOTAL_TPUT_PER_CHIP, 102.9, ("+2.9 %", "the same")),
        (TOTAL_TPUT_PER_CHIP, 103.1, ("+3.1 %", "better")),
        (ttft("p50"), 103.1, ("+3.1 %", "worse")),
        (TOTAL_TPUT_PER_CHIP, None, (None, "")),
    ],
)
def test_a_twin_is_better_only_beyond_what_single_runs_can_tell(
    key: str, right: float | None, told: tuple[str | None, str]
) -> None:
    assert change_of(METRICS[key], 100.0, right) == told
