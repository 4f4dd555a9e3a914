"""The price tables of a store's own: read from `prices.toml`, and kept as they were first read.

A link names a table by name and version, so what a version says must never change. Every table that was
once read is kept in the store's folder, and goes on answering when the file is edited or gone.
"""

import hashlib
import os
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from app.catalog.prices import PRICE_TABLES, BadPrices, Prices, PriceTable, parse_prices

FILE = "prices.toml"
ELSEWHERE = "HALO_PRICES"
"""Names a file that is read instead of the one in the store's folder."""

KEPT = "prices.known.json"
"""Each table as it was first read, with the digest of what the file said of it."""

_OF_HALO = frozenset(table.name_version for table in PRICE_TABLES)

Known = dict[str, tuple[str, PriceTable]]


def read_prices(folder: Path) -> Prices:
    """The tables of this store. What cannot be taken is told in sentences, and never stops anybody. No writing."""
    known, problems = _known(folder)
    path, text, problem = _text(folder)
    if text is None:
        return Prices(own=_tables(known), problems=(*problems, *([problem] if problem else [])))
    try:
        read = _read(text)
    except BadPrices as error:
        return Prices(own=_tables(known), problems=(*problems, f"{path.name} was not taken: {error}"))
    for name, (told, table) in read.items():
        if name in _OF_HALO:
            problems.append(f"{path.name}: {name} is a table that comes with Halo: give yours another name")
        elif name in known and known[name][0] != told:
            problems.append(
                f"{path.name}: {name} says something else than when it was first read, and links show the figures of "
                "then: give the new ones another version"
            )
        else:
            known[name] = (told, table)
    return Prices(own=_tables(known), problems=tuple(problems))


def keep_prices(folder: Path) -> Prices:
    """The same, with new tables kept for good. A folder that cannot be written to only keeps none."""
    prices = read_prices(folder)
    known, _ = _known(folder)
    fresh = {table.name_version: table for table in prices.own if table.name_version not in known}
    if not fresh:
        return prices
    told = _read(_text(folder)[1] or "")
    kept = {**known, **{name: (told[name][0], table) for name, table in fresh.items()}}
    body = [{"told": digest, **asdict(table)} for _, (digest, table) in sorted(kept.items())]
    staged = folder / f"{KEPT}.{os.getpid()}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        staged.write_bytes(orjson.dumps(body, option=orjson.OPT_INDENT_2))
        staged.replace(folder / KEPT)
    except OSError as error:
        sentence = f"the price tables could not be kept in the store ({error.strerror}): later edits will go unnoticed"
        return Prices(own=prices.own, problems=(*prices.problems, sentence))
    return prices


def _text(folder: Path) -> tuple[Path, str | None, str]:
    """Where the tables stand, what stands there, and why it cannot be read. A file that nobody named may be absent."""
    named = os.environ.get(ELSEWHERE)
    path = Path(named) if named else folder / FILE
    try:
        return path, path.read_text(encoding="utf-8"), ""
    except FileNotFoundError:
        return path, None, f"{ELSEWHERE} names {path.name}, and there is no such file" if named else ""
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        return path, None, f"{path.name} could not be read: {why}"


def _read(text: str) -> Known:
    """The tables of a file with the digest of what each says, whatever its layout and comments. Raises BadPrices."""
    tables = parse_prices(text)
    entries: list[Any] = tomllib.loads(text).get("table", [])
    return {table.name_version: (_digest(entry), table) for entry, table in zip(entries, tables, strict=True)}


def _digest(entry: Any) -> str:
    text = orjson.dumps(entry, option=orjson.OPT_SORT_KEYS, default=str)
    return hashlib.sha256(text).hexdigest()[:16]


def _known(folder: Path) -> tuple[Known, list[str]]:
    try:
        body = orjson.loads((folder / KEPT).read_bytes())
        tables = [(entry.pop("told"), PriceTable(**entry)) for entry in body]
    except (FileNotFoundError, NotADirectoryError):
        return {}, []
    except (OSError, orjson.JSONDecodeError, TypeError, KeyError, AttributeError):
        return {}, [f"{KEPT} is damaged: older price tables of this store are not known; delete it to start anew"]
    return {table.name_version: (told, table) for told, table in tables}, []


def _tables(known: Known) -> tuple[PriceTable, ...]:
    """The newest version of each name first."""
    tables = [table for _, table in known.values()]
    return tuple(sorted(sorted(tables, key=lambda t: t.version, reverse=True), key=lambda t: t.name))
