"""How points, rings and notches are drawn. The ring means KV-cache offload and nothing else."""

import math
from typing import Any

from app.catalog.oklch import PAPER_LIGHT

Plain = dict[str, Any]

INK = "#1a1d21"
INK_2 = "#565c64"
GRID = "#ebecea"
RULE_2 = "#868d87"
REGION = "#e6edfa"
"""Light-theme tokens of `static/css/site.css`; the page swaps in the dark ones."""

FONT = (
    '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", "DejaVu Sans", sans-serif'
)

SIZE = {"circle": 8, "square": 7, "diamond": 9, "triangle-up": 9, "triangle-down": 9, "pentagon": 8.5, "hexagon": 8.5}
"""Pixels at which the shapes look equally large."""

LINE_WIDTH = 1.75
DOMINATED_SCALE = 0.8
DOMINATED_OPACITY = 0.38
RING_SIZE = 17
RING_WIDTH = 1.3
RING_DASHES = 10
DOMINATED_RING_OPACITY = 0.55
CLEAR = "rgba(0,0,0,0)"
DEPTH = {"line": -3, "ring": -2, "dot": 0, "notch": 1, "meets": 2}
FAINT_DEPTH = -1
"""`meta.depth` by role, and that of dominated dots: what is drawn over what. Traces of one depth in their order."""


def ring_dash(size: float = RING_SIZE, dashes: int = RING_DASHES) -> str:
    """A dash pattern that closes around the ring: Plotly's presets leave three uneven arcs on so small a circle."""
    step = math.pi * size / dashes
    return f"{0.6 * step:.2f}px,{0.4 * step:.2f}px"


MEETS_SIZE = 15
MEETS_WIDTH = 1.3


def meets(color: str) -> Plain:
    """Four arms around a mark: the point meets every service level of the view."""
    return {
        "symbol": "cross-thin-open",
        "size": MEETS_SIZE,
        "color": color,
        "line": {"color": color, "width": MEETS_WIDTH},
    }


def ring(color: str) -> Plain:
    return {
        "symbol": "circle",
        "size": RING_SIZE,
        "color": CLEAR,
        "line": {"color": color, "width": RING_WIDTH, "dash": ring_dash()},
    }


def dot(symbol: str, color: str, *, hollow: bool, scale: float = 1.0) -> Plain:
    """Solid for four-bit formats, hollow for eight bits and wider."""
    size = SIZE[symbol] * scale
    if hollow:
        return {
            "symbol": symbol,
            "size": round(size - 1.2, 2),
            "color": PAPER_LIGHT,
            "line": {"color": color, "width": 1.7},
        }
    return {"symbol": symbol, "size": round(size, 2), "color": color, "line": {"color": PAPER_LIGHT, "width": 0.8}}


def notch(color: str) -> Plain:
    """A small square at the upper right: parameter offload."""
    return {"symbol": "diamond", "size": 5.4, "color": color, "angle": 225, "standoff": 7.4}
