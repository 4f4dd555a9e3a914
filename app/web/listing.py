"""Pages of flat rows: a cursor names snapshot, place and question, so that pages fit together while files come in."""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, replace

import orjson

from app.catalog.point import digest
from app.details.row import Document, api_row
from app.question import Question, ask
from app.store.read import Row, Store
from app.view import Problem, View
from app.web.deps import Asked
from app.web.errors import BadRequest

MOST = 10_000
USUAL = 1_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page begins: behind a row number, or behind so many rows where the order is another."""

    snapshot: str
    behind: int


def rows_document(asked: Asked, store: Store) -> Document:
    """`{"snapshot", "count", "rows", "next"}`: one page of the rows that match."""
    limit = read_limit(asked.own.get("limit")) or USUAL
    place = read_cursor(asked.view, asked.own.get("cursor"))
    snapshot = store.snapshot(place.snapshot) if place else asked.snapshot
    question = ask(asked.view, snapshot)
    behind = place.behind if place else 0
    found = _page(question, behind, limit + 1)
    rows, more = found[:limit], len(found) > limit
    last = behind + limit if asked.view.sort else rows[-1]["row"] if rows else behind
    return {
        "snapshot": snapshot.id,
        "count": snapshot.count(question.everything),
        "rows": [api_row(row) for row in rows],
        "next": cursor(asked.view, Place(snapshot.id, last)) if more else None,
    }


def all_rows(question: Question, limit: int | None) -> Iterator[list[Row]]:
    """Every match, page by page, up to `limit`."""
    behind, left = 0, limit
    while left is None or left > 0:
        size = MOST if left is None else min(MOST, left)
        rows = _page(question, behind, size)
        if rows:
            yield rows
        if len(rows) < size:
            return
        behind = behind + size if question.view.sort else rows[-1]["row"]
        left = None if left is None else left - size


def _page(question: Question, behind: int, size: int) -> list[Row]:
    sort = question.view.sort
    if sort is None:
        return question.snapshot.rows(question.everything, limit=size, after=behind)
    key = sort.removeprefix("-")
    return question.snapshot.rows(
        question.everything, order=key, descending=sort.startswith("-"), limit=size, offset=behind
    )


def read_limit(text: str | None, most: int = MOST) -> int | None:
    """The number of rows asked for. Raises BadRequest."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= most):
        raise BadRequest([Problem("limit", text, f"limit={text}: a whole number from 1 to {most} is expected")])
    return int(text)


def _question_digest(view: View) -> str:
    """What a cursor may go on with: the same filters, the same order."""
    return digest(replace(view, snapshot=None).query(), 8)


def cursor(view: View, place: Place) -> str:
    """The text that `read_cursor` reads back, for the same view only."""
    text = orjson.dumps([place.snapshot, place.behind, _question_digest(view)])
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def read_cursor(view: View, text: str | None) -> Place | None:
    """Where the cursor points. Raises BadRequest for one that is damaged or belongs to another question."""
    if text is None:
        return None
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        snapshot, behind, question = orjson.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeEncodeError, binascii.Error, orjson.JSONDecodeError, ValueError, TypeError):
        snapshot, behind, question = None, None, None
    if not isinstance(snapshot, str) or not isinstance(behind, int) or not 0 <= behind < 2**53:
        raise BadRequest([Problem("cursor", text, "cursor: not one of ours; take it from `next` of the page before")])
    if question != _question_digest(view):
        detail = "cursor: it belongs to a question with other filters; ask the first page anew, without it"
        raise BadRequest([Problem("cursor", text, detail)])
    if view.snapshot not in (None, snapshot):
        detail = f"cursor: it goes on in snapshot {snapshot}; leave `snapshot` out, or name that one"
        raise BadRequest([Problem("cursor", text, detail)])
    return Place(snapshot, behind)
