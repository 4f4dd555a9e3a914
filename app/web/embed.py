"""`/embed`: the chart of a view alone, for a frame in a page of somebody else; and `/oembed`, which hands that out."""

import re
from html import escape
from typing import Annotated
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

import orjson
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse

from app.addresses import split_address
from app.details.attributed import attributions
from app.question import ask
from app.view import PARAMETERS, Problem, View, parse
from app.web import links
from app.web.card import EMBED, EMBED_HEIGHT, EMBED_WIDTH, OEMBED, card, picture_of, title_of
from app.web.dashboard import dashboard
from app.web.deps import Loose, loosely_with, pairs_of, store_of
from app.web.errors import BadRequest, NotFound, RequestError
from app.web.origin import origin_of
from app.web.pictures import THEMES
from app.web.templates import render

router = APIRouter(include_in_schema=False)

_LEAST = 200
_PAGES = ("/", EMBED)
"""What can be framed; other pages of this Halo are links with a title."""
_LINKED = ("/compare", "/offload", "/history")
_BELOW = re.compile(r"/(?:points|configs)/[A-Za-z0-9]+")
"""One name below them: with dots or slashes in it a browser would go elsewhere."""


@router.get(EMBED)
def embed(asked: Annotated[Loose, Depends(loosely_with("theme"))]) -> HTMLResponse:
    theme = dict(asked.own).get("theme", "")
    made = dashboard(asked.view, asked.problems, asked.snapshot)
    view = links.settled(made.question)
    told = card(
        asked,
        title_of(made.question),
        made.sentence,
        view,
        figure="pareto",
        embeds=True,
    )
    return HTMLResponse(
        render(
            "embed.html",
            page=made,
            theme=theme if theme in THEMES else "",
            full=links.page(asked.view),
            card=told,
            attributions=attributions(made.question),
            snapshot=asked.snapshot.id,
        )
    )


@router.get(OEMBED)
def oembed(request: Request) -> Response:
    """What oEmbed 1.0 asks for: 404 for an address that is not ours, 501 for a format that is not JSON."""
    own = dict(pairs_of(request))
    if own.get("format", "json") != "json":
        raise RequestError(501, f"format={own['format']}: only json is spoken here")
    if not own.get("url"):
        raise BadRequest([Problem("url", "", "url is missing: the address of a page of this Halo is expected")])
    width, height = _side(own, "maxwidth", EMBED_WIDTH), _side(own, "maxheight", EMBED_HEIGHT)
    origin, parts = origin_of(request.scope), split_address(own["url"])
    path = _path_here(parts, origin)
    if path is None or not (path in (*_PAGES, *_LINKED) or _BELOW.fullmatch(path)):
        raise NotFound(f"{own['url']} is no page of this Halo that could be embedded")
    pairs = [(name, value) for name, value in parse_qsl(parts.query) if name in PARAMETERS and name != "preview"]
    store = store_of(request)
    view, _ = parse(pairs, store.prices)
    question = ask(view, store.snapshot(view.snapshot))
    document: dict[str, object] = {
        "version": "1.0",
        "type": "link",
        "title": title_of(question),
        "provider_name": "Halo",
        "provider_url": origin,
        "cache_age": 300,
    }
    if path in _PAGES:
        document |= _framed(f"{origin}{EMBED}", links.settled(question), title_of(question), width, height)
        if image := picture_of(origin, links.settled(question), "pareto"):
            document |= {"thumbnail_url": image, "thumbnail_width": 1200, "thumbnail_height": 630}
    return Response(orjson.dumps(document), media_type="application/json")


def _path_here(parts: SplitResult, origin: str) -> str | None:
    """The path of an address below this Halo's own; None where it lies elsewhere."""
    home = urlsplit(origin)
    is_here = origin and (parts.scheme, parts.netloc.lower()) == (home.scheme, home.netloc.lower())
    if not is_here or not parts.path.startswith(home.path):
        return None
    return parts.path.removeprefix(home.path)


def _framed(address: str, view: View, title: str, width: int, height: int) -> dict[str, object]:
    query = urlencode(view.pairs())
    source = escape(f"{address}?{query}" if query else address)
    html = (
        f'<iframe src="{source}" width="{width}" height="{height}" style="border:0" loading="lazy" '
        f'title="{escape(title)}"></iframe>'
    )
    return {"type": "rich", "html": html, "width": width, "height": height}


def _side(own: dict[str, str], name: str, usual: int) -> int:
    text = own.get(name)
    if text is None:
        return usual
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 6):
        raise BadRequest([Problem(name, text, f"{name}={text}: a whole number of pixels is expected")])
    return min(usual, max(_LEAST, int(text)))
