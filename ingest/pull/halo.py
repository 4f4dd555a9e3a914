"""Rows of another Halo, page by page: all pages are of one snapshot of it, however long it takes to ask for them."""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl, urlencode

import orjson

from app.addresses import split_address
from app.catalog.point import Json
from ingest.pull.fetch import Fetched, Fetcher, NotFetched
from ingest.pull.state import Basket, Pulls

PATH = "/api/v1/points"
PAGE = 1000
_OURS = ("limit", "cursor")
_GONE = (400, 404)
"""What a Halo answers to a cursor into a snapshot that it holds no longer."""


def address_of(url: str, view: str) -> tuple[str, str]:
    """The Halo's own address, and the one of its rows that match a view: a query, or a link with one."""
    parts = split_address(url)
    base = f"{parts.scheme}://{parts.netloc}"
    query = view.rpartition("?")[2] if view else parts.query
    pairs = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name not in _OURS]
    if not any(name == "runs" for name, _ in pairs):
        pairs.append(("runs", "all"))
    return base, f"{base}{PATH}?{urlencode([*pairs, ('limit', str(PAGE))])}"


def collect(
    fetcher: Fetcher,
    pulls: Pulls,
    basket: Basket,
    url: str,
    view: str = "",
    *,
    tell: Callable[[str], None] = lambda _: None,
) -> bool:
    """Puts all pages into the basket; False where nothing is new over there. Raises NotFetched."""
    base, first = address_of(url, view)
    if basket.kept and not basket.kept[-1].get("next"):
        return True
    if not basket.kept:
        found = fetcher.get(first, pulls.validators(first))
        if found.unchanged:
            return False
        _keep(basket, base, first, found, tell)
    while cursor := basket.kept[-1].get("next"):
        address = f"{first}&{urlencode({'cursor': cursor})}"
        try:
            found = fetcher.get(address)
        except NotFetched as error:
            if error.status in _GONE:
                basket.drop()
                raise NotFetched(f"{error}. The pages so far were dropped: pull again to begin anew") from None
            raise
        _keep(basket, base, address, found, tell)
    have, count = _have(basket), basket.kept[-1].get("count")
    if count is not None and have < count:
        tell(f"{base} said that there are {count:,} rows, and gave {have:,}: the others are missing here")
    return True


def _keep(basket: Basket, base: str, address: str, found: Fetched, tell: Callable[[str], None]) -> None:
    value = found.value
    if not isinstance(value, dict) or not isinstance(value.get("rows"), list) or "snapshot" not in value:
        raise NotFetched(f"{address} answered with something that is no page of a Halo: rows and snapshot are expected")
    if why := _unending(basket, value):
        basket.drop()
        raise NotFetched(f"{address} {why}: that is no page of a Halo, and nothing of its pages is kept")
    count = value.get("count")
    told = {"next": value.get("next"), "snapshot": value["snapshot"], "rows": len(value["rows"]), "count": count}
    basket.keep(address, orjson.dumps({"halo": base, **value}), found.validators, **told)
    of = "" if count is None else f" of {count:,}"
    tell(f"{_have(basket):,}{of} rows of snapshot {value['snapshot']}")


def _unending(basket: Basket, value: Mapping[str, Json]) -> str:
    """What in a page says that the pages would never end, or are none; empty where all is well."""
    cursor, count, rows = value.get("next"), value.get("count"), len(value["rows"])
    if cursor is not None and not isinstance(cursor, str):
        return f"names a next page by {type(cursor).__name__}, where a text or null is expected"
    if count is not None and (not isinstance(count, int) or isinstance(count, bool)):
        return f"counts its rows by {type(count).__name__}, where a whole number is expected"
    if cursor and any(each.get("next") == cursor for each in basket.kept):
        return "names a next page that was asked for already"
    if cursor and not rows:
        return "gave no row, and yet names a next page"
    if count is not None and _have(basket) + rows > count:
        return f"gave {_have(basket) + rows:,} rows so far, of {count:,} that it says there are"
    return ""


def _have(basket: Basket) -> int:
    have: int = sum(each["rows"] for each in basket.kept)
    return have
