"""Which two snapshots a request for changes is about, and where in the list it begins."""

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, Request

from app.changes.between import Changes, changes
from app.store.read import EMPTY, Snapshot, SnapshotNotFound, Store
from app.view import FILTERS, Problem
from app.web.cursors import Place, cursor_of, place_of
from app.web.deps import Asked, Loose, loosely_with, store_of, strictly
from app.web.errors import BadRequest, RequestError

FILTERED = (*FILTERS, "offload", "price", "snapshot")
OWN = ("from", "to", "limit", "cursor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """The way between two snapshots. `query` is what a cursor goes on with."""

    found: Changes
    query: str
    start: int

    def next(self, limit: int) -> str | None:
        """The cursor of the page behind this one; None where this is the last."""
        behind = self.start + limit
        return cursor_of(self.query, Place(self.found.later.id, behind)) if behind < self.found.total else None


def between_strictly(
    asked: Annotated[Asked, Depends(strictly(FILTERED, OWN))], request: Request
) -> tuple[Between, Asked]:
    """The changes that a script asks for. Raises RequestError for ends that are not there or in the wrong order."""
    store = store_of(request)
    query = _query(asked.view.query(), asked.own.get("from"), asked.own.get("to"))
    place = place_of(asked.own.get("cursor"), query, asked.own.get("to") or asked.view.snapshot)
    later = _end(store, "to", asked.own.get("to") or (place.snapshot if place else None)) or asked.snapshot
    earlier = _end(store, "from", asked.own.get("from")) or store.snapshot(later.former() or EMPTY)
    if earlier.seq > later.seq:
        raise BadRequest([_reversed(earlier, later)])
    found = changes(earlier, later, asked.view)
    return Between(found=found, query=query, start=place.behind if place else 0), asked


def between_loosely(
    asked: Annotated[Loose, Depends(loosely_with("from", "to", "page"))], request: Request
) -> tuple[Changes, Loose]:
    """The changes of a page: an end that is not there is said and left out, two in the wrong order change places."""
    store = store_of(request)
    problems = list(asked.problems)
    given = dict(asked.own)
    ends: dict[str, Snapshot] = {}
    for name in ("from", "to"):
        try:
            end = _end(store, name, given.get(name))
        except RequestError as error:
            problems += error.problems
        else:
            if end is not None:
                ends[name] = end
    later = ends.get("to", asked.snapshot)
    earlier = ends.get("from") or store.snapshot(later.former() or EMPTY)
    if earlier.seq > later.seq:
        problems.append(_reversed(earlier, later))
        earlier, later = later, earlier
    return changes(earlier, later, asked.view), replace(asked, problems=tuple(problems))


def _end(store: Store, name: str, text: str | None) -> Snapshot | None:
    if text is None:
        return None
    try:
        return store.snapshot(text)
    except SnapshotNotFound:
        detail = f"{name}={text[:60]}: this store has no such snapshot; /api/v1/snapshots lists those it has"
        raise RequestError(404, detail, [Problem(name, text, detail)]) from None


def _reversed(earlier: Snapshot, later: Snapshot) -> Problem:
    return Problem("from", earlier.id, f"from={earlier.id}: it is newer than to={later.id}; name the earlier one first")


def _query(view: str, earlier: str | None, later: str | None) -> str:
    return f"{view}|{earlier or ''}|{later or ''}"
