"""Where a report leads back to: the live view, the frozen one, and the rows it is made of."""

from dataclasses import replace
from urllib.parse import urlencode

from app.details.row import Document
from app.question import Question, settled

PLACES = {
    "offload": "/offload",
    "compare": "/compare",
    "report": "/api/v1/report",
    "points": "/api/v1/points",
    "figure": "/api/v1/figures/pareto",
}


def links_of(question: Question, base: str = "") -> Document:
    """Addresses by name. `live` follows later results; the others stay with this snapshot."""
    view = settled(question)
    fixed = replace(view, snapshot=question.snapshot.id)
    return {
        "live": _address(base, "/", replace(view, snapshot=None).query()),
        "frozen": _address(base, "/", fixed.query()),
        **{name: _address(base, path, fixed.query()) for name, path in PLACES.items()},
    }


def point_link(point_id: str, snapshot: str, base: str = "") -> str:
    return _address(base, f"/points/{point_id}", urlencode({"snapshot": snapshot}))


def _address(base: str, path: str, query: str) -> str:
    return f"{base.rstrip('/')}{path}{f'?{query}' if query else ''}"
