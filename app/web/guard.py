"""The outermost layer: whatever goes wrong behind it is logged here and told in a sentence."""

import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.errors import BROKEN, failure

_log = logging.getLogger("halo.web")


class Guard:
    """Lets no exception out to the server, which would answer with its own words."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception:
            _log.exception("%s %s failed", scope["method"], scope["path"])
            if not started:
                await failure(scope["path"], 500, BROKEN)(scope, receive, send)
