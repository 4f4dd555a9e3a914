"""What routes are given: the store, and the view that a query asks for, read strictly or leniently."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, urlencode

from fastapi import Request

from app.catalog.renamed import respelled
from app.question import Question, ask
from app.store.read import Snapshot, Store
from app.view import FILTERS, LONGEST, PARAMETERS, Pair, Problem, View, bounded, parse, short
from app.web.errors import BadRequest, Moved
from app.web.origin import origin_of
from app.web.previews import PREVIEW, Previews

SEVERAL = frozenset({*FILTERS, "offload", "log", "hide", "point", "at", "slo"})
"""Parameters that may be repeated. Of any other, two values are a contradiction."""

WHOLE = ("x", "y", "price", "snapshot", "preview")
"""What a whole point or config depends on."""

HISTORY = ("snapshot", "preview")
NOTHING: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A readable request: the view, the snapshot it is put to, and parameters that are not part of a view."""

    view: View
    snapshot: Snapshot
    own: Mapping[str, str] = field(default_factory=dict)

    def question(self, *, paired: bool = False) -> Question:
        return ask(self.view, self.snapshot, paired=paired)


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """That a page shows an earlier state: since when numbers are newer, and the same page of the newest.

    `date` is when its newest run began, as a day; empty where no run says.
    """

    snapshot: str
    date: str
    newer: int
    href: str
    changes: str
    preview: str = ""
    """Not an earlier state but a preview: what it holds, in words. `href` leaves it."""
    query: str = ""
    """What links to other pages carry on, with its question mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loose:
    """A page request: what could be read of it, and what could not."""

    view: View
    problems: tuple[Problem, ...]
    snapshot: Snapshot
    own: tuple[Pair, ...] = ()
    as_of: AsOf | None = None
    """None where the page shows the newest state."""
    origin: str = ""
    """How absolute addresses begin; empty where nobody said."""
    address: str = ""
    """Path and query of the page."""


def store_of(request: Request) -> Store:
    """The store, or the preview that the address names, laid over it. Raises PreviewGone."""
    store: Store = request.app.state.store
    named = [value for name, value in pairs_of(request) if name == PREVIEW and value]
    return previews_of(request).store(named[-1]) if named else store


def previews_of(request: Request) -> Previews:
    previews: Previews = request.app.state.previews
    return previews


def pairs_of(request: Request) -> list[Pair]:
    """What a query says, in today's spelling."""
    return respelled(_pairs_as_sent(request))


def _pairs_as_sent(request: Request) -> list[Pair]:
    return parse_qsl(request.scope["query_string"].decode("utf-8", "replace"), keep_blank_values=True)


def snapshot_asked(request: Request, named: str | None) -> tuple[Snapshot, list[Problem]]:
    """The snapshot that an address names, and what is wrong with naming it: a preview lies over none but the newest.

    Raises PreviewGone, SnapshotNotFound.
    """
    store = store_of(request)
    if named is None or store is request.app.state.store:
        return store.snapshot(named), []
    laid = store.snapshot()
    if named == laid.id:
        return laid, []
    detail = (
        f"snapshot={short(named)}: a preview lies over the newest snapshot and shows no earlier one; "
        f"leave out snapshot or {PREVIEW}"
    )
    return laid, [Problem("snapshot", named, detail)]


def strictly(allowed: Sequence[str] = PARAMETERS, own: Sequence[str] = ()) -> Callable[[Request], Asked]:
    """A dependency that reads a query or refuses it. `own` are parameters of the address itself."""

    def read(request: Request) -> Asked:
        pairs = pairs_of(request)
        view, problems = parse([pair for pair in pairs if pair[0] in allowed], store_of(request).prices)
        problems = [*_misplaced(pairs, (*allowed, *own)), *problems]
        if problems:
            raise BadRequest(bounded(problems))
        snapshot, problems = snapshot_asked(request, view.snapshot)
        if problems:
            raise BadRequest(problems)
        given = {name: value for name, value in pairs if name in own and value != ""}
        return Asked(view=view, snapshot=snapshot, own=given)

    return read


def loosely(request: Request) -> Loose:
    """The view of a page: what cannot be read is left out and told."""
    return loosely_with()(request)


def loosely_with(*own: str) -> Callable[[Request], Loose]:
    """The same for a page that has parameters of its own; of one that is given twice the last counts."""

    def read(request: Request) -> Loose:
        pairs = pairs_of(request)
        if pairs != (sent := _pairs_as_sent(request)) and sent:
            raise Moved(f"{request.url.path}?{urlencode(pairs)}")
        view, problems = parse([pair for pair in pairs if pair[0] not in own], store_of(request).prices)
        given = {name: value for name, value in pairs if name in own and 0 < len(value) <= LONGEST}
        problems += [
            Problem(
                name, value, f"{name}={short(value)}: a value of {len(value)} characters, where {LONGEST} are the most"
            )
            for name, value in pairs
            if name in own and len(value) > LONGEST
        ]
        snapshot, misnamed = snapshot_asked(request, view.snapshot)
        if misnamed:
            view, problems = replace(view, snapshot=None), [*problems, *misnamed]
        as_of = as_of_request(request, snapshot)
        query = urlencode(pairs)
        return Loose(
            view=view,
            problems=tuple(bounded(problems)),
            snapshot=snapshot,
            own=tuple(given.items()),
            as_of=as_of,
            origin=origin_of(request.scope),
            address=f"{request.url.path}?{query}" if query else request.url.path,
        )

    return read


def as_of_request(request: Request, snapshot: Snapshot) -> AsOf | None:
    """What a page of an earlier snapshot says about itself; None for the newest."""
    if snapshot.fresh_from is not None:
        return _as_preview(request, snapshot)
    if snapshot.live:
        return None
    live = store_of(request).snapshot()
    query = urlencode([pair for pair in pairs_of(request) if pair[0] != "snapshot"])
    return AsOf(
        snapshot=snapshot.id,
        date=(snapshot.newest_time() or "")[: len("2026-01-31")],
        newer=live.seq - snapshot.seq,
        href=f"{request.url.path}?{query}" if query else request.url.path,
        changes=f"/data/changes?{urlencode([('from', snapshot.id), ('to', live.id), *_filters(request)])}",
    )


def _filters(request: Request) -> list[tuple[str, str]]:
    """What the view is narrowed to, for a page that shows other things of the same points."""
    return [pair for pair in pairs_of(request) if pair[0] in (*FILTERS, "offload")]


def _as_preview(request: Request, snapshot: Snapshot) -> AsOf:
    pairs = pairs_of(request)
    kept = [pair for pair in pairs if pair[0] == PREVIEW]
    # Points and pins of a preview are in no store.
    left = [(name, value) for name, value in pairs if name not in (PREVIEW, "snapshot", "hide", "point")]
    here = request.url.path if not request.url.path.startswith(("/points/", "/configs/")) else "/"
    count = len(snapshot.fresh_rows())
    return AsOf(
        snapshot=snapshot.id,
        date="",
        newer=0,
        href=f"{here}?{urlencode(left)}" if left and here == request.url.path else here,
        changes="",
        preview=f"{count:,} point{'s' if count != 1 else ''}",
        query=f"?{urlencode(kept[-1:])}",
    )


def _misplaced(pairs: Sequence[Pair], allowed: Sequence[str]) -> list[Problem]:
    """Parameters that the address does not take, and single ones that are given twice."""
    known = ", ".join(allowed)
    problems = [
        Problem(name, value, f"there is no parameter {short(name)!r} here; there are {known}")
        for name, value in pairs
        if name not in allowed
    ]
    seen: dict[str, str] = {}
    for name, value in pairs:
        if name in SEVERAL or name not in allowed or value == "":
            continue
        if seen.setdefault(name, value) != value:
            problems.append(
                Problem(
                    name, value, f"{name} is given twice, as {short(seen[name])!r} and {short(value)!r}: give it once"
                )
            )
    return problems
