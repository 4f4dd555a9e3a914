"""`POST /api/v1/preview`: files dropped on the page and laid over the store. Nothing is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from app.addresses import split_address
from app.details.row import Document, api_row
from app.figures.pareto import figure_of
from app.question import GROUP, REAL, ask
from app.series import chart
from app.store.read import Row, Snapshot
from app.store.select import UNKNOWN, Selection
from app.view import FILTERS, View, parse_query
from app.web import links
from app.web.asks import asks_of
from app.web.deps import previews_of
from app.web.errors import RequestError
from app.web.origin import host_of
from app.web.previews import KEPT_S, Made
from app.web.received import bound, files_of, judge_head, put, received
from app.web.said import Said, said_in
from ingest.sent import sent_name

router = APIRouter()

LIMIT = "HALO_PREVIEW_MIB"
ROWS = 1000
"""Most rows that the answer lists; `count` tells how many there are."""
VIEW = "view"
PINS = 8
"""Most points that are pinned where the store holds all of them already."""


@router.post("/api/v1/preview", name="preview")
async def preview(request: Request) -> Response:
    refuse_strangers(request)
    most = bound(LIMIT)
    judge_head(request, most)
    async with received(request, most) as form:
        said = said_in(form, (VIEW,))
        document = await run_in_threadpool(partial(_answered, request, form, said))
    return Response(
        orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS),
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )


def refuse_strangers(request: Request) -> None:
    """A page of another origin may not make this server read files. Raises RequestError.

    Browsers say where a request comes from; what says nothing is no browser.
    """
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    foreign = site not in (None, "same-origin", "none") or (
        origin is not None and split_address(origin).netloc.lower() != host_of(request.scope["headers"])
    )
    if foreign:
        raise RequestError(403, "this request comes from a page of another site: drop the files on this dashboard")


def _laid_out(form: FormData, folder: Path) -> None:
    """Writes the files of a form below a folder, each at the path it was sent with, none outside."""
    for number, item in enumerate(files_of(form)):
        name = sent_name(item.filename or "").removeprefix(".")
        place = folder / name
        if place.exists() or any(above.is_file() for above in place.parents):
            place = folder / f"{number}" / name
        put(item, place)


def _answered(request: Request, form: FormData, said: Said) -> Document:
    previews = previews_of(request)
    base: Snapshot = request.app.state.store.snapshot()
    made: Made = previews.make(partial(_laid_out, form), said)
    asked = replace(parse_query(str(form.get(VIEW) or "").removeprefix("?"))[0], snapshot=None, preview=made.id)
    if made.id is None:
        return {
            "preview": None,
            "address": _pinned(asked, base, made.known),
            "kept_s": KEPT_S,
            **made.report,
            "asks": [],
            "count": 0,
            "rows": [],
            "figure": None,
        }
    snapshot = previews.store(made.id).snapshot()
    rows = snapshot.rows(Selection(newest=False), rows=snapshot.fresh_rows())
    view = _over(asked, snapshot, base, rows)
    return {
        "preview": made.id,
        "address": links.page(view),
        "kept_s": KEPT_S,
        **made.report,
        "asks": asks_of(made.report, base),
        "count": len(rows),
        "rows": [api_row(row) for row in rows[:ROWS]],
        "figure": figure_of(chart(ask(view, snapshot))).document(),
    }


def _pinned(view: View, base: Snapshot, known: Sequence[str]) -> str | None:
    """The address that shows stored points, the first of them pinned; None where there is none."""
    rows = [row for row in (base.point(point_id) for point_id in known[:PINS]) if row is not None]
    if not rows:
        return None
    shown = replace(_of_most(view, rows), point=tuple(row["id"] for row in rows), runs="all")
    return links.page(_filtered(shown, {"origin": tuple(sorted({row["origin"] for row in rows}))}))


def _over(view: View, snapshot: Snapshot, base: Snapshot, rows: list[Row]) -> View:
    """The view in which the dropped points stand: the one on screen if it shows any, else that of most of them."""
    question = ask(view, snapshot)
    fresh = set(snapshot.fresh_rows())
    if not fresh & {int(row) for row in chart(question).row}:
        view = _of_most(view, rows)
        question = ask(view, snapshot)
    view = links.settled(question)
    if question.demo_hidden and not REAL & set(base.origins()):
        # The reader looks at the demo: what is dropped lies over it rather than in its place.
        view = _filtered(view, {"origin": tuple(sorted({*snapshot.origins()}))})
    return view


def _of_most(view: View, rows: list[Row]) -> View:
    """The axes and colors of a view, in the group that most of the rows belong to."""
    groups: dict[tuple[Any, ...], int] = {}
    for row in rows:
        key = tuple(row[name] for name in GROUP)
        groups[key] = groups.get(key, 0) + 1
    most = max(groups, key=lambda key: groups[key])
    chosen = dict(zip(GROUP, most, strict=True))
    bare = View(color=view.color, log=view.log, y=view.y, price=view.price, preview=view.preview)
    return _filtered(bare, {name: (chosen[name] or UNKNOWN,) for name in ("model", "workload")})


def _filtered(view: View, filters: Mapping[str, tuple[str, ...]]) -> View:
    kept = {**view.filter, **filters}
    return replace(view, filters=tuple((key, kept[key]) for key in FILTERS if kept.get(key)))
