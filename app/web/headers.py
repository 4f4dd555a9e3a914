"""Security headers on every answer, errors and files included."""

import logging
import os
import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        # Plotly sets style attributes and adds a style element.
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
    )
)

SECURITY: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


FRAMED = "/embed"
"""The one page that others may put into a frame."""
SETTING = "HALO_EMBED_ANCESTORS"
_ANCESTOR = re.compile(r"'self'|'none'|\*|https?://[A-Za-z0-9*.\[\]:-]+|https?:")
_log = logging.getLogger("halo.web")


def embedding() -> tuple[tuple[bytes, bytes], ...]:
    """The headers of the framed page: HALO_EMBED_ANCESTORS says who may frame it, as CSP spells it; this site may."""
    told = os.environ.get(SETTING, "").split()
    if bad := [word for word in told if not _ANCESTOR.fullmatch(word)]:
        _log.warning("%s: %s is no origin, so that only this site may frame charts", SETTING, bad[0])
        told = []
    policy = POLICY.replace("frame-ancestors 'self'", f"frame-ancestors {' '.join(told) or chr(39) + 'self' + chr(39)}")
    return ((b"content-security-policy", policy.encode()), *SECURITY[1:])


class Secured:
    """Adds the security headers to whatever the application answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._framed = embedding()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        own = self._framed if scope.get("path") == FRAMED else SECURITY

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *own]
            await send(message)

        await self._app(scope, receive, secured)
