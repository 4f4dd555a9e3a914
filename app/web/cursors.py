"""Cursors: where the next page of a list begins, in which snapshot, and of which question."""

import base64
import binascii
from dataclasses import dataclass

import orjson

from app.catalog.point import digest
from app.view import Problem
from app.web.errors import BadRequest


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page begins: behind a row number, or behind so many rows where the order is another."""

    snapshot: str
    behind: int


def cursor_of(query: str, place: Place) -> str:
    """An opaque text for a place in the answer to a question; `query` is the question without its snapshot."""
    text = orjson.dumps([place.snapshot, place.behind, digest(query, 8)])
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def place_of(text: str | None, query: str, snapshot: str | None) -> Place | None:
    """Where a cursor points. Raises BadRequest for one that is damaged or belongs to another question or snapshot."""
    if text is None:
        return None
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        found, behind, question = orjson.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeEncodeError, binascii.Error, orjson.JSONDecodeError, ValueError, TypeError):
        found, behind, question = None, None, None
    if not isinstance(found, str) or not isinstance(behind, int) or not 0 <= behind < 2**53:
        raise BadRequest([Problem("cursor", text, "cursor: not one of ours; take it from `next` of the page before")])
    if question != digest(query, 8):
        detail = "cursor: it belongs to a question with other filters; ask the first page anew, without it"
        raise BadRequest([Problem("cursor", text, detail)])
    if snapshot not in (None, found):
        detail = f"cursor: it goes on in snapshot {found}; leave `snapshot` out, or name that one"
        raise BadRequest([Problem("cursor", text, detail)])
    return Place(found, behind)
