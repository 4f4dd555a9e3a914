"""What a call is answered with: the API's own answer, cut to what was asked for, with links and a few lines of text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

import orjson

from app.details.row import Document
from app.question import GROUP
from app.view import FILTERS, PARAMETERS, View
from app.web.assist.arguments import Call, Refused, refusal
from app.web.assist.text import lines
from app.web.assist.tools import ALL, BRIEF, USUAL_METRICS
from app.web.cursors import Place
from app.web.listing import cursor
from app.web.openapi import Ask

LARGEST = 200_000
"""Bytes of an answer beyond which it says how to ask for less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    document: Document
    text: str


async def answered(call: Call, ask: Ask, base: str) -> Answer:
    """The answer to a call. `ask` is the application, `base` where a reader reaches it. Raises Refused."""
    status, found = await ask(call.address)
    if not isinstance(found, dict):
        raise TypeError(f"{call.address} answered {type(found).__name__}")
    if status != 200:
        raise refusal(found, call.tool)
    told = {**_asked_for(call, found), "links": _links(call, found, base)}
    size = len(orjson.dumps(told))
    if size > LARGEST:
        ways = ["fewer parts"] * bool(call.tool.parts) + ["fewer columns"] * call.tool.columns
        ways += ["a smaller limit"] * bool(call.limit)
        detail = f"this answer has {size // 1000} kB, more than {LARGEST // 1000} kB: ask for {' or '.join(ways)}"
        raise Refused([f"{detail}. Whole, it is at {told['links']['json']}"])
    return Answer(document=told, text="\n".join(lines(call, told)))


def _asked_for(call: Call, found: Document) -> Document:
    """The parts, columns and items that the call names."""
    tool = call.tool
    if tool.columns:
        return {**found, "rows": [_columns(call, row) for row in found["rows"]]}
    if not tool.parts:
        return _paged(call, found, tool.lists)
    there = [name for name in tool.parts if name in found]
    told = {key: value for key, value in found.items() if key not in tool.parts or key in call.parts}
    told["other_parts"] = [name for name in there if name not in call.parts]
    if tool.name == "vocabulary" and not call.parts:
        told["keys"] = {name: _keys(found[name]) for name in there}
    lists = [path for path in tool.lists if path.partition(".")[0] in call.parts]
    return _paged(call, told, lists) if tool.lists else told


def _columns(call: Call, row: Document) -> Document:
    if ALL in call.columns:
        return row
    axes = [axis for axis in (call.view.x, call.view.y) if axis]
    names = ("id", *call.columns) if call.columns else (*BRIEF, *dict.fromkeys((*axes, *USUAL_METRICS)))
    return {name: row[name] for name in names}


def _keys(part: Any) -> Any:
    if isinstance(part, dict):
        return {name: _keys(terms) for name, terms in part.items()}
    return [term["key"] for term in part]


def _paged(call: Call, found: Document, lists: Sequence[str]) -> Document:
    """The document with one page of each list, the longest of which decides whether there is a next one."""
    behind = call.place.behind if call.place else 0
    told, longest, cut = found, 0, []
    for path in lists:
        told, total, shown = _page(told, path, behind, behind + call.limit)
        longest = max(longest, total)
        if shown < total:
            cut.append({"list": path, "behind": behind, "shown": shown, "of": total})
    more = longest > behind + call.limit
    place = Place(found["snapshot"], behind + call.limit)
    return {**told, "cut": cut, "next": cursor(call.view, place) if more else None}


def _page(found: Document, path: str, start: int, stop: int) -> tuple[Document, int, int]:
    """A document with a stretch of one list, how long the list is, and how many items are left of it."""
    key, _, below = path.partition(".")
    inner = found.get(key)
    if isinstance(inner, dict):
        cut, total, shown = _page(inner, below, start, stop)
        return {**found, key: cut}, total, shown
    if not isinstance(inner, list):
        return found, 0, 0
    if not below:
        return {**found, key: inner[start:stop]}, len(inner), len(inner[start:stop])
    groups, seen = [], 0
    for group in inner:
        items = group[below]
        kept = items[max(start - seen, 0) : max(stop - seen, 0)]
        if kept or not (items or start):
            groups.append({**group, below: kept})
        seen += len(items)
    return {**found, key: groups}, seen, sum(len(group[below]) for group in groups)


def _links(call: Call, found: Document, base: str) -> dict[str, str]:
    """Page and JSON of an answer: as things are now, and as they stay in this snapshot."""
    view = _settled(call.view, found)
    own = [pair for pair in call.pairs if pair[0] not in PARAMETERS]
    page, json = (base + path.format(id=quote(call.id, safe="")) for path in (call.tool.page, call.tool.address))
    told = {"page": page + _query(view, own), "json": json + _query(view, own)}
    if "snapshot" in found:
        frozen = replace(view, snapshot=found["snapshot"])
        told |= {"page_frozen": page + _query(frozen, own), "json_frozen": json + _query(frozen, own)}
    if call.tool.columns:
        told["point"] = f"{base}/points/{{id}}"
    return told


def _settled(view: View, found: Document) -> View:
    """The view with the model and workload that were chosen for it, so that a link means the same tomorrow."""
    group = found.get("group") or {}
    chosen = {**{key: tuple(group.get(key, ())) for key in GROUP if key != "origin"}, **view.filter}
    return replace(view, filters=tuple((key, chosen[key]) for key in FILTERS if chosen.get(key)))


def _query(view: View, own: Sequence[tuple[str, str]]) -> str:
    pairs = [*view.pairs(), *own]
    return f"?{urlencode(pairs)}" if pairs else ""
