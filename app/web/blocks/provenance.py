"""Where a point comes from, in words: files and rows, format, run, time, what was supplied by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.catalog.attributions import attributions_of
from app.catalog.dimensions import DIMENSIONS
from app.catalog.point import Json
from app.web.blocks.numbers import number

Document = Mapping[str, Json]

FACTS: Mapping[str, str] = {
    "image": "Image",
    "router": "Router",
    "kv_p2p_transfer": "Transfer between roles",
    "dataset": "Data set",
    "isl": "Input tokens asked for",
    "osl": "Output tokens asked for",
    "itl_basis": "Inter-token latency",
    "recipe_fingerprint": "Recipe fingerprint",
    "result_schema_version": "Schema version",
    "price_basis": "Price basis",
    "note": "Note",
}
"""Facts with a name of their own, in the order of the page."""
_SOURCE = ("source_title", "source_url", "source_date")
_ELSEWHERE = ("stated", "series", "remote")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A fact: its name, what it says, and where that leads."""

    name: str
    texts: tuple[str, ...] = ()
    href: str = ""
    code: bool = False
    aside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    lines: tuple[Line, ...]
    more: tuple[tuple[str, Json], ...]
    """Facts that have no name here: as they came."""
    spellings: tuple[tuple[str, str], ...]
    needs: tuple[str, ...]
    warnings: tuple[str, ...]


def provenance(document: Document) -> Provenance:
    said, facts = document["provenance"], document["facts"]
    named, more = facts_lines(facts)
    places = [(place["place"], place["where"]) for place in said["places"]]
    when = time_texts(said["run_time"])
    definition = document["interactivity_def"]
    lines = [
        Line(name="File" if len(places) == 1 else "Files", texts=place_texts(places), code=True),
        Line(name="Format", texts=(said["source"],), aside=f"reader {said['reader']}"),
        *(Line(name="Attribution", texts=(each.text,), href=each.href) for each in attributions_of([said["source"]])),
        *_told_by(facts),
        Line(name="Run", texts=(said["run_label"] or said["run"],), code=True, aside=_iteration(said)),
        Line(name="Started", texts=when[:1] if when else (), aside=when[1] if when else ""),
        *named,
        *([] if "image" in facts else [Line(name="Image")]),
        Line(name="Interactivity", texts=(definition_words(definition),) if definition else ()),
        *(Line(name="Supplied", texts=(f"{key} = {value}",)) for key, value in sorted(said["supplied"].items())),
        Line(name="Snapshot", texts=(document["snapshot"],), code=True, aside=_since(document)),
    ]
    labels = {entry["key"]: entry["text"] for entry in document["dimensions"] if isinstance(entry["text"], str)}
    return Provenance(
        lines=tuple(lines),
        more=more,
        spellings=spelled(said["spellings"], labels),
        needs=tuple(said["needs"]),
        warnings=tuple(said["warnings"]),
    )


def _told_by(facts: Mapping[str, Json]) -> list[Line]:
    """The Halo that told of the point, with a link to where it stands there."""
    told = facts.get("remote")
    if not isinstance(told, dict):
        return []
    link = str(told.get("link") or "")
    return [
        Line(
            name="Told by",
            texts=(str(told.get("halo") or "rows of another Halo"),),
            href=link if link.startswith(("https://", "http://")) else "",
            aside=f"snapshot {told.get('snapshot')}",
        )
    ]


def definition_words(text: str) -> str:
    """`1/itl` in words; other definitions as they came."""
    quantity = text.removeprefix("1/")
    if quantity == text:
        return text
    return f"1 / {quantity.upper()} at the same statistic, worked out from latency"


def _iteration(said: Document) -> str:
    parts = [f"iteration {said['iteration']}"] if said["iteration"] is not None else []
    return ", ".join([*parts, "cold caches"] if said["cold"] else parts)


def _since(document: Document) -> str:
    since = document["provenance"]["since"]
    return f"read in {since}" if since and since != document["snapshot"] else ""


def facts_lines(facts: Mapping[str, Json]) -> tuple[list[Line], tuple[tuple[str, Json], ...]]:
    """The facts that have a name here, and the rest."""
    lines = []
    if title := facts.get("source_title") or facts.get("source_url"):
        url = str(facts.get("source_url") or "")
        lines.append(
            Line(
                name="Published in",
                texts=(str(title),),
                href=url if url.startswith(("https://", "http://")) else "",
                aside=str(facts.get("source_date") or ""),
            )
        )
    for key, name in FACTS.items():
        value = facts.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
            lines.append(Line(name=name, texts=(str(value),), code=key in ("image", "recipe_fingerprint")))
    known = {*FACTS, *_SOURCE, *_ELSEWHERE}
    rest = tuple(
        (key, value) for key, value in sorted(facts.items()) if key not in known or isinstance(value, dict | list)
    )
    return lines, tuple((key, value) for key, value in rest if key not in _ELSEWHERE)


def place_texts(places: Sequence[Sequence[str]], most: int = 6) -> tuple[str, ...]:
    """`run/agg.json, row 3`, one a place."""
    shown = [f"{place}, {spot}" if spot and spot != "file" else str(place) for place, spot in places[:most]]
    if len(places) > most:
        shown.append(f"and {number(len(places) - most, 0)} more")
    return tuple(shown)


def time_texts(text: str | None) -> tuple[str, str] | None:
    """A time as it was written, and a word on its zone."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text, "as written"
    day = f"{moment.day} {moment:%b %Y}"
    clock = f"{day}, {moment:%H:%M}" if len(text) > 10 else day
    if moment.tzinfo is None:
        return clock, "zone unknown"
    offset = moment.strftime("%z")
    return clock, "UTC" if offset in ("+0000", "-0000") else f"UTC{offset[:3].replace('-', '−')}:{offset[3:]}"


def spelled(spellings: Mapping[str, str], labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Words that the file spelled otherwise than this page prints them."""
    pairs = []
    for key, raw in sorted(spellings.items()):
        dimension = DIMENSIONS.get(key)
        if raw and raw != labels.get(key):
            pairs.append((dimension.label if dimension else key.replace("_", " ").capitalize(), raw))
    return tuple(pairs)
