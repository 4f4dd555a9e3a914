"""The layer that takes requests of assistants out of the stream; what stands behind it also answers their tools."""

import asyncio
import importlib
from importlib.util import find_spec
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.store.read import Store
from app.web.assist.reached import header, hosts, is_listed, origins
from app.web.docs import asking
from app.web.errors import PROBLEM, problem
from app.web.origin import HALO_URL, is_host

PATH = "/mcp"
MISSING = "assistants need the extra `mcp`, which is not installed here: pip install '.[mcp]' in Halo's folder"
POST_ONLY = "this address speaks the Model Context Protocol by POST: give it to an assistant; /api/docs is for people"


class Assist:
    """Answers assistants at /mcp. Their library is loaded when the first one calls, so that others need not wait."""

    def __init__(self, app: ASGIApp, store: Store) -> None:
        self._app = app
        self._store = store
        self._protocol: ASGIApp | None = None
        self._loading = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH:
            await self._app(scope, receive, send)
            return
        answer = _turned_away(scope) or await self._loaded()
        await answer(scope, receive, send)

    async def _loaded(self) -> ASGIApp:
        async with self._loading:
            if self._protocol is None:
                if find_spec("mcp") is None:
                    return _refusal(501, MISSING)
                loop = asyncio.get_running_loop()
                server: Any = await loop.run_in_executor(None, importlib.import_module, "app.web.assist.server")
                self._protocol = server.Protocol(asking(self._app), self._store)
            return self._protocol


def _turned_away(scope: Scope) -> Response | None:
    """The answer to a caller that is no assistant of this machine, or that does not speak the protocol."""
    host, origin = header(scope["headers"], b"host"), header(scope["headers"], b"origin")
    if not is_listed(host, hosts()):
        return _refusal(421, f"{host or 'no Host header'}: {PATH} answers callers on this machine; {_way(host)}")
    if origin and not is_listed(origin, origins()):
        return _refusal(403, f"{origin}: {PATH} answers no page of another site; {_way(host)}")
    if scope["method"] != "POST":
        return _refusal(405, POST_ONLY, {"allow": "POST"})
    return None


def _way(host: str) -> str:
    name = host if is_host(host) else "halo.example"
    return f"start the server with {HALO_URL}=http://{name} if readers know it by that name"


def _refusal(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    return Response(problem(status, detail, PATH), status, headers, media_type=PROBLEM)
