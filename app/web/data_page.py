"""The page about the store itself: what is live, what each snapshot added, what was refused and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.catalog.dimensions import DIMENSIONS
from app.catalog.origins import ORIGINS
from app.catalog.point import Json
from app.question import HIDDEN_BY_REAL, REAL
from app.store.read import EMPTY, Snapshot
from ingest.reading import UNREAD
from ingest.strangers import ANYTHING_ELSE

Row = Mapping[str, Json]
MOST = 2000
"""Refusals that the page lists; the API has them all."""


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
    snapshots: tuple[Row, ...]
    refusals: tuple[Refusal, ...]
    refused: int
    more_refused: int
    demo: str
    demo_points: int


def data_page(snapshot: Snapshot) -> DataPage:
    sources = snapshot.sources()
    rejections = snapshot.rejections()
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
        snapshots=tuple(snapshot.snapshots()),
        refusals=grouped(rejections[:MOST]),
        refused=len(rejections),
        more_refused=max(0, len(rejections) - MOST),
        demo=_demo({row["origin"] for row in sources}),
        demo_points=demo_points,
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
