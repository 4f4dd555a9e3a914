"""What chips cost and draw, as versioned tables, since the same measurement changes its $ and MW when a table does."""

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.catalog.chips import CHIPS


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTable:
    """Dollars per chip and hour, and all-in kilowatts per chip, on one basis at one date. Unknown ones are absent."""

    name: str
    version: str
    label: str
    source: str
    date: str
    usd_per_chip_hour: Mapping[str, float]
    kw_per_chip: Mapping[str, float]

    @property
    def name_version(self) -> str:
        """The table's name in links: `rent@2026-07`."""
        return f"{self.name}@{self.version}"

    @property
    def title(self) -> str:
        """Its label, which never goes without the version."""
        return self.label if self.version in self.label.lower() else f"{self.label} ({self.name_version})"


class BadPrices(ValueError):
    """A price file that cannot be used; the message says what is wrong in it and what would be right."""


_BASES = {"hyp": "Hyperscaler", "neo": "Neocloud", "rent": "Three-year rental"}
_SOURCES = {
    "2026-04": "SemiAnalysis AI Cloud TCO Model, as InferenceX showed it from April to July 2026",
    "2026-07": "SemiAnalysis Market July 2026 Pricing Surveys & AI Cloud TCO Model",
    "2026-09": "SemiAnalysis AI Cloud TCO Model, as InferenceX showed it in September 2026",
}


def _kw_at(version: str) -> dict[str, float]:
    """Power per chip by the newest figures that a table of this version can have known."""
    known = {chip.key: {month: kw for month, kw in chip.kw.items() if month <= version} for chip in CHIPS}
    return {key: by_month[max(by_month)] for key, by_month in known.items() if by_month}


def _table(name: str, version: str) -> PriceTable:
    usd = {chip.key: price for chip in CHIPS if (price := chip.usd_h.get(f"{name}@{version}")) is not None}
    return PriceTable(
        name=name,
        version=version,
        label=f"{_BASES[name]}, {version}",
        source=_SOURCES[version],
        date=version,
        usd_per_chip_hour=usd,
        kw_per_chip=_kw_at(version),
    )


PRICE_TABLES: tuple[PriceTable, ...] = tuple(
    table
    for version in sorted(_SOURCES, reverse=True)
    for name in _BASES
    if (table := _table(name, version)).usd_per_chip_hour
)
"""The tables that come with Halo, newest first."""

DEFAULT_PRICES = next(table for table in PRICE_TABLES if table.name == "rent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """The tables to choose from. `own` are a store's, `problems` say in sentences which of them could not be taken."""

    own: tuple[PriceTable, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[PriceTable, ...]:
        return (*self.own, *PRICE_TABLES)

    def resolve(self, spelling: str | None) -> PriceTable:
        """The table that a link means; the default where it names none. Raises KeyError with a sentence."""
        if not spelling:
            return DEFAULT_PRICES
        try:
            return resolve_price(spelling, self.own)
        except KeyError as error:
            raise KeyError(". ".join([error.args[0], *self.problems])) from error


OF_HALO = Prices()
"""The tables of a store that has none of its own."""


def resolve_price(spelling: str, own: Iterable[PriceTable] = ()) -> PriceTable:
    """The table that `name@version` means, or the newest of that name; `own` tables go before those of Halo.

    Raises KeyError with a sentence that lists the tables there are.
    """
    tables = [*own, *PRICE_TABLES]
    name, _, version = spelling.strip().lower().partition("@")
    found = [table for table in tables if table.name == name and version in ("", table.version)]
    if not found:
        raise KeyError(f"there is no price table {spelling!r}; there are {', '.join(t.name_version for t in tables)}")
    return found[0] if version else max(found, key=lambda table: table.version)


_POWER = "power"
_TEXTS = ("name", "version", "label", "source", "date", _POWER)
_NUMBERS = ("usd_per_chip_hour", "kw_per_chip")


def parse_prices(text: str) -> list[PriceTable]:
    """The tables of a `prices.toml`: each `[[table]]` has a name, a version, and `usd_per_chip_hour` by chip.

    Chips may be spelled in any way that result files spell them. A chip that is left out has no price in that
    table; power that is left out is unknown, or that of the table of Halo that `power` names. Raises BadPrices.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadPrices(f"this is not TOML: {error}") from error
    entries = document.pop("table", [])
    if document or not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadPrices("write every price table under a heading [[table]], and nothing outside")
    tables = [_own_table(entry, f"table {number}") for number, entry in enumerate(entries, start=1)]
    names = [table.name_version for table in tables]
    for name in names:
        if names.count(name) > 1:
            raise BadPrices(f"{name} is given twice: give one of them another version")
    return tables


def _own_table(entry: Mapping[str, object], where: str) -> PriceTable:
    for key in entry:
        if key not in (*_TEXTS, *_NUMBERS):
            raise BadPrices(f"{where}: unknown entry {key!r}; there are {', '.join((*_TEXTS, *_NUMBERS))}")
    words = {key: _word(entry[key], f"{where}: {key}") for key in _TEXTS if key in entry}
    for key in ("name", "version"):
        if not words.get(key):
            raise BadPrices(f'{where}: {key} is missing; write for instance name = "ours" and version = "2026-11"')
        if "@" in words[key] or not words[key].isprintable():
            raise BadPrices(f"{where}: {key} {words[key]!r} must be a plain word without '@', since it stands in links")
    usd = _by_chip(entry.get("usd_per_chip_hour"), f"{where}: usd_per_chip_hour")
    if not usd:
        raise BadPrices(f"{where}: usd_per_chip_hour is missing or empty; write one price for each chip")
    power = _power_of(words.get(_POWER), where)
    source = words.get("source") or "prices.toml"
    return PriceTable(
        name=words["name"].lower(),
        version=words["version"].lower(),
        label=words.get("label") or f"{words['name']}, {words['version']}",
        source=f"{source}; power that it leaves out: {power.name_version}" if power else source,
        date=words.get("date") or words["version"],
        usd_per_chip_hour=usd,
        kw_per_chip={
            **(power.kw_per_chip if power else {}),
            **_by_chip(entry.get("kw_per_chip"), f"{where}: kw_per_chip"),
        },
    )


def _power_of(spelling: str | None, where: str) -> PriceTable | None:
    """The table of Halo whose power stands in for what an own table does not say. Raises BadPrices."""
    if not spelling:
        return None
    try:
        return resolve_price(spelling)
    except KeyError as error:
        raise BadPrices(f"{where}: {_POWER}: {error.args[0]}") from error


def _word(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise BadPrices(f'{where} must be a text: write it in quotes, as "{value}"')
    return value.strip()


def _by_chip(value: object, where: str) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadPrices(f"{where} must list chips, each with a number")
    numbers: dict[str, float] = {}
    for spelling, number in value.items():
        chip = CHIPS.key_of(spelling)
        if chip is None:
            raise BadPrices(f"{where}: {spelling!r} names no chip")
        if chip in numbers:
            raise BadPrices(f"{where}: {spelling!r} is {chip}, which has a number already")
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number) or number <= 0:
            raise BadPrices(f"{where}: {spelling} = {number!r} must be a number above 0")
        numbers[chip] = float(number)
    return numbers
