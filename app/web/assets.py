"""Files under /static/<fingerprint>/: kept for ever by whoever asks, since another content has another address."""

import mimetypes
from functools import cache
from pathlib import Path

from starlette.types import Receive, Scope, Send

from app.web.compress import IDENTITY, choose
from app.web.errors import failure
from app.web.prepared import Prepared, matches
from app.web.templates import STATIC, fingerprint

FOR_EVER = b"public, max-age=31536000, immutable"
PASSING = b"no-cache"
_READY = {"br": ".br", "gzip": ".gz"}
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


async def serve_asset(scope: Scope, receive: Receive, send: Send) -> None:
    """An ASGI application for everything below /static/. An address of an earlier Halo still finds its file."""
    stamp, _, name = scope["path"].removeprefix("/static/").partition("/")
    if scope["method"] != "GET":
        await failure(scope["path"], 405, "this address answers GET and HEAD only")(scope, receive, send)
        return
    if name not in files():
        await failure(scope["path"], 404, "there is no such file")(scope, receive, send)
        return
    headers = dict(scope["headers"])
    answer = _prepared(name, stamp == fingerprint())
    found = answer.made(choose(headers.get(b"accept-encoding", IDENTITY.encode()).decode("latin-1")))
    unchanged = matches(headers.get(b"if-none-match", b""), found.tag)
    start = found.unchanged if unchanged else found.headers
    await send({"type": "http.response.start", "status": 304 if unchanged else 200, "headers": start})
    await send({"type": "http.response.body", "body": b"" if unchanged else found.body})


@cache
def files() -> dict[str, Path]:
    """Every file that is served, by its name in addresses. Nothing that is not listed can be asked for."""
    return {
        path.relative_to(STATIC).as_posix(): path
        for path in sorted(STATIC.rglob("*"))
        if path.is_file() and path.suffix not in _READY.values()
    }


@cache
def _prepared(name: str, current: bool) -> Prepared:
    path = files()[name]
    ready = {
        encoding: twin.read_bytes()
        for encoding, suffix in _READY.items()
        if (twin := path.with_name(path.name + suffix)).is_file()
    }
    return Prepared(path.read_bytes(), _content_type(path).encode(), FOR_EVER if current else PASSING, ready=ready)


def _content_type(path: Path) -> str:
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
