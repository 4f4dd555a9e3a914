"""What a pasted link unfolds to: a title, a sentence with the numbers, and a picture of this very view."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from app.question import Question
from app.series import Chart
from app.view import View
from app.web.blocks.numbers import number
from app.web.deps import Loose
from app.web.images import missing

WIDTH, HEIGHT = 1200, 630
"""What those who unfold links ask for."""
EMBED = "/embed"
OEMBED = "/oembed"
EMBED_WIDTH, EMBED_HEIGHT = 960, 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Absolute addresses throughout; `image` and `oembed` are empty where there is none."""

    title: str
    description: str
    url: str
    image: str = ""
    alt: str = ""
    oembed: str = ""


def card(asked: Loose, title: str, description: str, view: View, *, figure: str, embeds: bool = False) -> Card | None:
    """The card of a page; None for a preview, and where nobody said under which address this Halo is reached."""
    if not asked.origin or asked.view.preview:
        return None
    url = asked.origin + (_read_of(asked) if asked.problems else asked.address)
    return Card(
        title=title,
        description=description,
        url=url,
        image=picture_of(asked.origin, view, figure),
        alt=f"{title}: the chart",
        oembed=f"{asked.origin}{OEMBED}?{urlencode({'url': url, 'format': 'json'})}" if embeds else "",
    )


def _read_of(asked: Loose) -> str:
    """The address with what could be read of it: what could not may be long, and nobody need pass it on."""
    path, query = asked.address.partition("?")[0], urlencode([*asked.view.pairs(), *asked.own])
    return f"{path}?{query}" if query else path


def picture_of(origin: str, view: View, figure: str) -> str:
    """Where the picture of a view lies, for those who unfold links: they show no SVG. Empty without the extra."""
    if missing() is not None:
        return ""
    pairs = replace(view, sort=None, rows=None).pairs()
    return f"{origin}/figures/{figure}.png?{urlencode([*pairs, ('width', WIDTH), ('height', HEIGHT)])}"


def chart_sentence(placed: Chart) -> str:
    """`6 series, 179 points, 96 with KV-cache offload. Highest total throughput per chip: 44,698 tok/s/chip (…).`"""
    x, y = placed.question.x, placed.question.y
    if not len(placed.row):
        return f"{y.label} against {x.label}: no point has both."
    halos = int(placed.has_halo.sum())
    parts = [
        f"{y.label} against {x.label}: {len(placed.series)} series",
        counted(len(placed.row), "point"),
        f"{halos:,} with KV-cache offload",
    ]
    sentence = f"{', '.join(parts)}."
    if y.better == "none":
        return sentence
    best = int(placed.y.argmin() if y.better == "lower" else placed.y.argmax())
    of = next(series.label for series in placed.series if best in series.members)
    value = 100 * placed.y[best] if y.is_share else placed.y[best]
    return f"{sentence} Best {y.label.lower()}: {number(float(value), y.digits)} {y.unit} ({of})."


def counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' if count != 1 else ''}"


def title_of(question: Question) -> str:
    return question.title or "No points"


def group_view(row: Any, point: Sequence[str] = ()) -> View:
    """The chart that a point or config stands in."""
    filters = tuple((key, (row[key],)) for key in ("model", "workload") if row.get(key))
    return View(filters=filters, point=tuple(point))
