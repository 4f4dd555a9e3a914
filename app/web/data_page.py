"""The page about the store itself: what is live, what each snapshot added, what was refused and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from app.catalog.dimensions import DIMENSIONS
from app.catalog.origins import ORIGINS
from app.catalog.point import Json
from app.catalog.prices import Prices
from app.question import HIDDEN_BY_REAL, REAL
from app.store.read import EMPTY, Snapshot
from app.web.blocks.numbers import number
from ingest.reading import UNREAD
from ingest.strangers import ANYTHING_ELSE

Row = Mapping[str, Json]
MOST = 200
"""Refusals that the page lists; the API has them all."""

PAST = 50
"""Snapshots that the page lists at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A snapshot, its counts without demo data, and those of demo data apart."""

    id: str
    points: int
    new: int
    superseded: int
    removed: int
    refused: int
    demo: str
    changes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A reason, and every place it was given for."""

    reason: str
    source: str
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPage:
    """`demo` says what the store holds of the demo data: none, only, hidden."""

    empty: bool
    points: int
    totals: tuple[int, int, int]
    sources: tuple[Row, ...]
    origins: tuple[tuple[str, int, str], ...]
    snapshots: tuple[Published, ...]
    sent: tuple[Row, ...]
    """What was sent here with a token, by snapshot and sender."""
    has_demo: bool
    first: bool
    older: str
    refusals: tuple[Refusal, ...]
    refused: int
    more_refused: int
    demo: str
    demo_points: int
    prices: Prices


def data_page(snapshot: Snapshot, before: str | None = None) -> DataPage:
    """`before` names the snapshot that the list of them goes on behind; one that is none is left aside."""
    sources = snapshot.sources()
    rejections, refused = snapshot.rejections(MOST), snapshot.refused()
    behind = snapshot.seq_of(before) if before else None
    listed = snapshot.snapshots(PAST + 1, behind)
    names = snapshot.names()
    demo_points = sum(row["points"] for row in sources if row["origin"] == HIDDEN_BY_REAL)
    return DataPage(
        empty=snapshot.id == EMPTY,
        points=sum(row["points"] for row in sources),
        totals=(_sum(sources, "on"), _sum(sources, "off"), _sum(sources, "unknown")),
        sources=tuple({**row, "origin_label": DIMENSIONS["origin"].label_of(row["origin"])} for row in sources),
        origins=tuple(
            (origin.label, count, origin.text)
            for origin in ORIGINS
            if (count := sum(row["points"] for row in sources if row["origin"] == origin.key))
        ),
        snapshots=tuple(_published(row, names) for row in listed[:PAST]),
        has_demo=any(any(row["demo"].values()) for row in listed[:PAST]),
        first=behind is None,
        older=listed[PAST - 1]["id"] if len(listed) > PAST else "",
        sent=tuple(snapshot.sent(MOST)),
        refusals=grouped(rejections),
        refused=refused,
        more_refused=max(0, refused - MOST),
        demo=_demo({row["origin"] for row in sources}),
        demo_points=demo_points,
        prices=snapshot.prices,
    )


def _published(row: Row, names: Mapping[int, str]) -> Published:
    demo = row["demo"]
    told = [(demo["new"], "new"), (demo["superseded"], "superseded"), (demo["removed"], "removed")]
    moved = ", ".join(f"{number(count, 0)} {word}" for count, word in told if count)
    former = names.get(row["seq"] - 1, EMPTY)
    return Published(
        id=row["id"],
        points=row["points"] - demo["points"],
        new=row["new"] - demo["new"],
        superseded=row["superseded"] - demo["superseded"],
        removed=row["removed"] - demo["removed"],
        refused=row["refused"],
        demo=f"{number(demo['points'], 0)}{f', {moved}' if moved else ''}" if any(demo.values()) else "",
        changes=f"/data/changes?{urlencode({'from': former, 'to': row['id']})}",
    )


def _sum(rows: Sequence[Row], key: str) -> int:
    return sum(row[key] for row in rows)


def _demo(origins: set[str]) -> str:
    if HIDDEN_BY_REAL not in origins:
        return "none"
    return "hidden" if origins & REAL else "only"


def grouped(rejections: Sequence[Row]) -> tuple[Refusal, ...]:
    """Refusals by reason, the most frequent first."""
    places: dict[tuple[str, str], list[str]] = {}
    for row in rejections:
        spot = row["where"]
        place = f"{row['path']}, {spot}" if spot and spot != "file" else row["path"]
        reason = row["reason"]
        if reason.startswith(UNREAD):
            place, reason = f"{place}: {reason.removeprefix(UNREAD)}", f"{UNREAD.rstrip(': ')}. {ANYTHING_ELSE}"
        places.setdefault((reason, row["source"] or ""), []).append(place)
    found = [Refusal(reason=reason, source=source, places=tuple(p)) for (reason, source), p in places.items()]
    return tuple(sorted(found, key=lambda refusal: (-len(refusal.places), refusal.reason, refusal.places)))
