"""Price and power tables: the figures of their sources, history, and a reader's own."""

import pytest

from app.catalog.chips import CHIPS
from app.catalog.prices import DEFAULT_PRICES, PRICE_TABLES, BadPrices, parse_prices, resolve_price

JULY = {
    # chip: hyperscaler, neocloud, rental, kW; as InferenceX showed them on 2026-08-14
    "h100": (1.17, 1.55, 1.78, 1.37),
    "h200": (1.22, 1.59, 2.05, 1.37),
    "b200": (1.73, 2.07, 2.60, 1.71),
    "b300": (2.26, 2.52, 3.00, 1.90),
    "gb200": (1.86, 2.26, 2.60, 1.87),
    "gb300": (2.31, 2.79, 3.30, 2.12),
    "mi300x": (0.95, 1.16, 1.30, 1.39),
    "mi325x": (1.10, 1.32, 1.60, 1.69),
    "mi355x": (1.50, 2.09, 2.10, 2.09),
    "rtx6000pro": (0.68, 0.75, 0.52, 0.975),
}
APRIL = {
    "h100": (1.30, 1.69, 1.30, 1.73),
    "h200": (1.41, 1.74, 1.60, 1.73),
    "b200": (1.95, 2.34, 2.90, 2.17),
    "b300": (2.34, 2.808, 3.48, 2.17),
    "gb200": (2.21, 2.75, 3.30, 2.10),
    "gb300": (2.652, 3.30, 3.96, 2.10),
    "mi300x": (1.12, 1.40, 1.55, 1.79),
    "mi325x": (1.28, 1.59, 1.80, 2.18),
    "mi355x": (1.48, 1.90, 2.10, 2.65),
}
SEPTEMBER_RENT = {"h100": 2.00, "h200": 2.90, "b200": 3.70, "b300": 4.25, "gb200": 4.00, "gb300": 5.00, "mi355x": 2.90}


@pytest.mark.parametrize(("version", "figures"), [("2026-07", JULY), ("2026-04", APRIL)])
def test_a_table_holds_the_figures_of_its_date(version: str, figures: dict[str, tuple[float, ...]]) -> None:
    for name, place in (("hyp", 0), ("neo", 1), ("rent", 2)):
        table = resolve_price(f"{name}@{version}")
        for chip, row in figures.items():
            assert table.usd_per_chip_hour[chip] == row[place], (name, chip)
            assert table.kw_per_chip[chip] == row[3], (name, chip)


def test_the_newest_rental_prices_are_the_default() -> None:
    assert DEFAULT_PRICES is resolve_price("rent")
    assert DEFAULT_PRICES.name_version == "rent@2026-09"
    assert {chip: DEFAULT_PRICES.usd_per_chip_hour[chip] for chip in SEPTEMBER_RENT} == SEPTEMBER_RENT
    assert DEFAULT_PRICES.kw_per_chip["b200"] == resolve_price("rent@2026-07").kw_per_chip["b200"]


def test_the_neocloud_prices_end_in_july() -> None:
    assert resolve_price("neo").version == "2026-07"


def test_a_chip_without_a_price_is_absent_rather_than_free() -> None:
    july = resolve_price("hyp@2026-07")
    assert "rtx5090" not in july.usd_per_chip_hour
    assert "rtx5090" not in july.kw_per_chip
    assert resolve_price("neo@2026-07").usd_per_chip_hour["rtx5090"] == 0.57
    assert "tpuv7" not in july.kw_per_chip
    assert DEFAULT_PRICES.kw_per_chip["tpuv7"] == 1.207
    assert "jalapeno" not in DEFAULT_PRICES.usd_per_chip_hour


def test_a_changed_power_table_changes_throughput_per_megawatt() -> None:
    per_chip = 1000.0
    before, after = (
        per_chip * 1000 / resolve_price(f"hyp@{version}").kw_per_chip["b200"] for version in ("2026-04", "2026-07")
    )
    assert after / before == pytest.approx(2.17 / 1.71)


def test_every_table_says_where_and_when_it_comes_from() -> None:
    assert len({table.name_version for table in PRICE_TABLES}) == len(PRICE_TABLES) == 8
    for table in PRICE_TABLES:
        assert table.source
        assert table.date in table.label
        assert set(table.usd_per_chip_hour) <= {chip.key for chip in CHIPS}


def test_an_unknown_table_is_answered_with_those_there_are() -> None:
    with pytest.raises(KeyError, match=r"there is no price table 'spot'; there are .*rent@2026-09"):
        resolve_price("spot")


OWN = """
[[table]]
name = "ours"
version = "2026-11"
source = "contract of November"

[table.usd_per_chip_hour]
B200 = 2.95
"mi355x-amds" = 2
gaudi3 = 1.1

[table.kw_per_chip]
b200 = 1.8
"""


def test_a_table_of_ones_own_is_read_and_found_by_name() -> None:
    [table] = parse_prices(OWN)
    assert table.usd_per_chip_hour == {"b200": 2.95, "mi355x": 2.0, "other:gaudi3": 1.1}
    assert table.kw_per_chip == {"b200": 1.8}
    assert table.source == "contract of November"
    assert resolve_price("ours", [table]) is resolve_price("ours@2026-11", [table]) is table


def test_power_that_an_own_table_leaves_out_is_unknown_unless_it_names_a_table_of_halo() -> None:
    [table] = parse_prices(OWN.replace("[table.usd", 'power = "rent@2026-07"\n[table.usd'))
    halos = resolve_price("rent@2026-07").kw_per_chip
    assert table.kw_per_chip == {**halos, "b200": 1.8}
    assert table.source == "contract of November; power that it leaves out: rent@2026-07"


def test_a_file_without_tables_gives_none() -> None:
    assert parse_prices("") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[table]\n", "this is not TOML"),
        ("b200 = 2.0\n", "under a heading"),
        ("[table]\nname = 'x'\n", "under a heading"),
        ("[[table]]\nversion = '1'\n", "name is missing"),
        ("[[table]]\nname = 'a'\n", "version is missing"),
        ("[[table]]\nname = 'a'\nversion = 2026\n", "must be a text"),
        ("[[table]]\nname = 'a'\nversion = '1'\npower = 'x'\nusd_per_chip_hour = {b200 = 1}\n", "no price table 'x'"),
        ("[[table]]\nname = 'a@b'\nversion = '1'\n", "without '@'"),
        ("[[table]]\nname = 'a'\nversion = '1'\nusd = 3\n", "unknown entry 'usd'"),
        ("[[table]]\nname = 'a'\nversion = '1'\n", "usd_per_chip_hour is missing"),
        ("[[table]]\nname = 'a'\nversion = '1'\nusd_per_chip_hour = 2\n", "must list chips"),
        ("[[table]]\nname = 'a'\nversion = '1'\nusd_per_chip_hour = {b200 = -1}\n", "above 0"),
        ("[[table]]\nname = 'a'\nversion = '1'\nusd_per_chip_hour = {b200 = inf}\n", "above 0"),
        ("[[table]]\nname = 'a'\nversion = '1'\nusd_per_chip_hour = {b200 = true}\n", "above 0"),
        ("[[table]]\nname = 'a'\nversion = '1'\nusd_per_chip_hour = {b200 = 1, B200-nv = 2}\n", "has a number already"),
        (OWN + OWN, "given twice"),
    ],
)
def test_a_bad_price_file_is_refused_with_what_would_be_right(text: str, message: str) -> None:
    with pytest.raises(BadPrices, match=message):
        parse_prices(text)
