"""Pages of flat rows: a cursor names snapshot, place and question, so that pages fit together while files come in."""

from collections.abc import Iterator
from dataclasses import replace

from app.details.row import Document, api_row
from app.question import Question, ask
from app.store.read import Row, Store
from app.view import Problem, View
from app.web.cursors import Place, cursor_of, place_of
from app.web.deps import Asked
from app.web.errors import BadRequest

MOST = 10_000
USUAL = 1_000
AT_ONCE = 2_500
"""Rows that an export holds in memory."""
_REFUSED = "rejections"


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


def rejections_document(asked: Asked, store: Store) -> Document:
    """`{"snapshot", "count", "rejections", "next"}`: one page of what was refused, newest first."""
    limit = read_limit(asked.own.get("limit")) or USUAL
    place = place_of(asked.own.get("cursor"), _REFUSED, asked.view.snapshot)
    snapshot = store.snapshot(place.snapshot) if place else asked.snapshot
    behind = place.behind if place else 0
    found, count = snapshot.rejections(limit, behind), snapshot.refused()
    last = behind + len(found)
    return {
        "snapshot": snapshot.id,
        "count": count,
        "rejections": found,
        "next": cursor_of(_REFUSED, Place(snapshot.id, last)) if last < count else None,
    }


def all_rows(question: Question, limit: int | None) -> Iterator[list[Row]]:
    """Every match, page by page, up to `limit`."""
    behind, left = 0, limit
    while left is None or left > 0:
        size = AT_ONCE if left is None else min(AT_ONCE, left)
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


def cursor(view: View, place: Place) -> str:
    """The text that `read_cursor` reads back, for the same view only."""
    return cursor_of(replace(view, snapshot=None).query(), place)


def read_cursor(view: View, text: str | None) -> Place | None:
    """Where the cursor points. Raises BadRequest for one that is damaged or belongs to another question."""
    return place_of(text, replace(view, snapshot=None).query(), view.snapshot)
