"""What a cell of the table says: a value, not reported, no such tier, or a rate over several tiers at once."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog.dimensions import NOT_REPORTED
from app.catalog.metrics import CEILING_SHARE, COMPUTED_SHARE, METRICS
from app.catalog.offload import TIER_SHARES, TIERS
from app.figures.cards import COMBINED
from app.store.read import Row
from app.web.blocks.numbers import points

_BAR = 88.0
NO_TIER = "\u2013"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A printed value. `state` is reported, unreported (the record does not say) or absent (no such tier)."""

    text: str
    note: str = ""
    number: bool = False
    state: str = "reported"
    span: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    tier: str
    x: float
    width: float


def shares_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """Tier shares of which some row knows something, and what was recomputed."""
    known = [key for key in TIER_SHARES if any(row[key] is not None and not _only_combined(row, key) for row in rows)]
    if any(_is_combined(row) for row in rows):
        known = [key for key in TIER_SHARES if key in known or key in COMBINED.absent]
    return (*known, COMPUTED_SHARE) if known else ()


def _is_combined(row: Row) -> bool:
    return (
        row[COMBINED.column] is not None
        and all(row[key] is None for key in COMBINED.absent)
        and row["offload_kind"] is not None
    )


def _only_combined(row: Row, key: str) -> bool:
    return key == COMBINED.column and _is_combined(row)


def unreported(*, number: bool = False) -> Cell:
    return Cell(text=NOT_REPORTED, number=number, state="unreported")


def share_cells(row: Row, shares: Sequence[str]) -> list[Cell]:
    cells = []
    combined = _is_combined(row)
    for key in shares:
        if combined and key in COMBINED.absent:
            if key == COMBINED.absent[0]:
                text = points(row[COMBINED.column])
                cells.append(Cell(text=text, note=COMBINED.label, number=True, span=len(COMBINED.absent)))
            continue
        value = row[key]
        if value is not None and not (combined and key == COMBINED.column):
            cells.append(Cell(text=points(value), number=True))
        elif key == COMPUTED_SHARE or _may_have(row, key):
            cells.append(unreported(number=True))
        else:
            cells.append(Cell(text=NO_TIER, note="no such tier in this config", number=True, state="absent"))
    return cells


def _may_have(row: Row, share: str) -> bool:
    """Whether the config has a tier whose share nobody reported."""
    media = {medium.key for medium in TIERS if medium.share_metric == share}
    named = set(row["offload_tiers"] or ()) | {next(iter(TIERS)).key}
    return bool(media & named) or (row["offload_mode"] == "unknown" and share not in TIER_SHARES[-2:])


def bar_of(row: Row) -> tuple[Segment, ...]:
    segments, x = [], 0.0
    for key in (*TIER_SHARES, COMPUTED_SHARE):
        width = (row[key] or 0.0) * _BAR
        if width <= 0:
            continue
        name = key.removesuffix("_share")
        if _only_combined(row, key):
            name = "combined"
        segments.append(Segment(tier=name, x=round(x, 1), width=round(max(0.5, min(width, _BAR - x) - 0.8), 1)))
        x += width
    return tuple(segments)


def bar_words(row: Row) -> str:
    parts = [
        f"{METRICS[key].label.removesuffix(' share')} {points(row[key])} %"
        for key in (*TIER_SHARES, COMPUTED_SHARE, CEILING_SHARE)
        if row[key] is not None
    ]
    return ", ".join(parts)


def leaves_rest(row: Row) -> bool:
    """Whether a part of the prompt is accounted for by nobody."""
    return sum(row[key] or 0.0 for key in (*TIER_SHARES, COMPUTED_SHARE)) < 0.995
