"""A reader's own price tables: choosable wherever prices are, and honest to links made before an edit."""

import json
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.catalog.prices import DEFAULT_PRICES
from app.store.prices import ELSEWHERE, FILE, KEPT, keep_prices, read_prices
from tests.points import CHIP, point, stored
from tests.served import client

COST = "cost_per_mtotal_tok_usd"
OURS = "ours@2026-11"


def table(usd: float, version: str = "2026-11", name: str = "ours", more: str = "") -> str:
    return f'[[table]]\nname = "{name}"\nversion = "{version}"\n{more}usd_per_chip_hour = {{ {CHIP} = {usd} }}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stored(tmp_path, point(8, y=1000.0), point(16, x=30.0, y=2000.0))
    return tmp_path


def costs(served: TestClient, price: str) -> list[float]:
    rows = served.get(f"/api/v1/points?price={price}").json()["rows"]
    return [row[COST] for row in rows]


def names(served: TestClient) -> list[str]:
    return [entry["key"] for entry in served.get("/api/v1/vocabulary").json()["prices"]]


def test_a_table_in_the_stores_folder_is_chosen_by_name_and_shown_with_version_source_and_date(folder: Path) -> None:
    more = 'label = "Our fleet"\nsource = "contract of November"\ndate = "2026-11-03"\n'
    (folder / FILE).write_text(table(3.6, more=more))
    served = client(folder)
    assert costs(served, OURS) == costs(served, "ours") == pytest.approx([1.0, 0.5])
    assert costs(served, DEFAULT_PRICES.name_version) != costs(served, OURS)
    page = unescape(served.get(f"/?y={COST}&price={OURS}").text)
    assert f'<option value="{OURS}" selected>Our fleet ({OURS})</option>' in page
    assert f'<a class="link" href="/data#prices">{OURS}</a>' in page
    titles = served.get(f"/api/v1/figures/pareto?y={COST}&price={OURS}").json()["figure"]["layout"]
    assert titles["yaxis"]["title"]["text"].endswith(f"· {OURS}")
    assert "@" not in titles["xaxis"]["title"]["text"]
    data = served.get("/data").text
    assert all(words in data for words in (OURS, "Our fleet", "contract of November", "2026-11-03"))
    assert "Our fleet" in served.get(f"/glossary/{CHIP}").text
    [row] = served.get(f"/api/v1/points?price={OURS}&limit=1").json()["rows"]
    assert OURS in served.get(f"/points/{row['id']}?price={OURS}").text
    assert served.get(f"/points/{row['id']}.json?price={OURS}").json()["prices"] == OURS


def test_the_default_of_every_axis_names_its_table_as_well(folder: Path) -> None:
    layout = client(folder).get(f"/api/v1/figures/pareto?y={COST}").json()["figure"]["layout"]
    assert layout["yaxis"]["title"]["text"].endswith(f"· {DEFAULT_PRICES.name_version}")


def test_an_environment_variable_names_the_file_instead(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / FILE).write_text(table(3.6))
    other = tmp_path_factory.mktemp("prices") / "fleet.toml"
    monkeypatch.setenv(ELSEWHERE, str(other))
    assert "no such file" in read_prices(folder).problems[0]
    other.write_text(table(7.2, name="fleet"))
    assert [found.name_version for found in read_prices(folder).own] == ["fleet@2026-11"]
    assert costs(client(folder), "fleet") == pytest.approx([2.0, 1.0])


def test_an_edit_under_the_same_version_is_told_and_changes_no_number(folder: Path) -> None:
    (folder / FILE).write_text(table(3.6))
    keep_prices(folder)
    (folder / FILE).write_text("# a comment\n" + table(3.60))
    assert read_prices(folder).problems == ()
    (folder / FILE).write_text(table(99.0) + table(7.2, "2026-12"))
    kept = keep_prices(folder)
    assert "give the new ones another version" in kept.problems[0]
    served = client(folder)
    assert costs(served, OURS) == pytest.approx([1.0, 0.5])
    assert costs(served, "ours") == costs(served, "ours@2026-12") == pytest.approx([2.0, 1.0])
    assert kept.problems[0] in unescape(served.get("/data").text)


def test_a_link_keeps_its_figures_when_the_file_is_gone(folder: Path) -> None:
    (folder / FILE).write_text(table(3.6))
    keep_prices(folder)
    (folder / FILE).unlink()
    assert costs(client(folder), OURS) == pytest.approx([1.0, 0.5])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[table]\n", "prices.toml was not taken: this is not TOML"),
        ("[[table]]\nname = 'a'\n", "prices.toml was not taken: table 1: version is missing"),
        (table(3.6, "2026-09", "rent"), "rent@2026-09 is a table that comes with Halo: give yours another name"),
    ],
)
def test_a_file_that_cannot_be_taken_is_told_in_a_sentence_and_stops_nobody(
    folder: Path, text: str, sentence: str
) -> None:
    (folder / FILE).write_text(text)
    served = client(folder)
    assert sentence in unescape(served.get("/data").text)
    refused = served.get("/api/v1/points?price=ours")
    assert refused.status_code == 400
    assert sentence in refused.json()["detail"]
    assert served.get("/").status_code == 200


def test_what_was_kept_and_cannot_be_read_is_told(folder: Path) -> None:
    (folder / KEPT).write_text("{")
    assert "damaged" in read_prices(folder).problems[0]


def test_a_new_table_shows_after_a_restart_and_leaves_the_old_ones_as_they_were(folder: Path) -> None:
    before = client(folder)
    assert OURS not in names(before)
    old = before.get(f"/api/v1/points?price={DEFAULT_PRICES.name_version}").content
    (folder / FILE).write_text(table(3.6))
    after = client(folder)
    assert names(after)[0] == OURS
    assert after.get(f"/api/v1/points?price={DEFAULT_PRICES.name_version}").content == old


def test_the_command_says_what_is_wrong_with_a_price_file_and_keeps_good_tables(tmp_path: Path) -> None:
    store = tmp_path / "db"
    store.mkdir()
    (store / FILE).write_text(table(3.6))
    (tmp_path / "results").mkdir()
    call = [sys.executable, "-m", "app.cli", "ingest", str(tmp_path / "results"), "--db", str(store), "--json"]
    assert subprocess.run(call, capture_output=True, text=True, check=False).stderr == ""
    assert [entry["name"] for entry in json.loads((store / KEPT).read_text())] == ["ours"]
    (store / FILE).write_text(table(4.0))
    told = subprocess.run(call, capture_output=True, text=True, check=False)
    assert told.stderr.startswith("halo: prices.toml: ours@2026-11 says something else")
