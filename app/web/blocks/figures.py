"""Figures as pages hold them."""

from dataclasses import dataclass
from typing import Any

import orjson

from app.figures.figure import Figure
from app.figures.plain import frame


@dataclass(frozen=True, slots=True, kw_only=True)
class FigurePart:
    """The server's frame, the document that Plotly draws, and the titles of its axes."""

    name: str
    frame: str
    document: str
    x: str
    y: str
    points: int


def figure_part(name: str, figure: Figure, suffix: str) -> FigurePart:
    """`suffix` is what links to points carry on."""
    return FigurePart(
        name=name,
        frame=frame(figure, name.replace("_", "-"), suffix),
        document=inline(figure.document()),
        x=figure.layout["xaxis"]["title"]["text"],
        y=figure.layout["yaxis"]["title"]["text"],
        points=figure.meta["points"],
    )


def inline(document: Any) -> str:
    """JSON that may stand inside a script element."""
    return orjson.dumps(document).decode().replace("<", "\\u003c")
