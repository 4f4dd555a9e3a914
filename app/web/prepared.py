"""An answer as bytes: its headers and its encodings, each made once."""

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.web.compress import IDENTITY, SMALLEST, encode

Header = tuple[bytes, bytes]
_BARE_304 = (b"content-type", b"content-length", b"content-encoding")
_PACKED = (b"image/png",)
"""What is compressed in itself."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """One encoding of an answer, with the headers of a 200 and of a 304."""

    body: bytes
    tag: bytes
    headers: list[Header]
    unchanged: list[Header]


class Prepared:
    """The body of a successful answer, ready in every encoding that was asked for so far.

    The tag names bytes rather than a snapshot, since a newer Halo may say something else of the same snapshot.
    """

    def __init__(
        self,
        body: bytes,
        content_type: bytes,
        cache_control: bytes,
        *,
        also: Sequence[Header] = (),
        ready: Mapping[str, bytes] | None = None,
    ) -> None:
        self._body = body
        self._type = content_type
        self._control = cache_control
        self._digest = hashlib.blake2b(body + b"\0" + content_type, digest_size=9).hexdigest()
        self._also = tuple(also)
        self._ready = dict(ready or {})
        self._encodings: dict[str, Encoded] = {}
        self._lock = threading.Lock()
        self.size = len(body)

    def known(self, encoding: str) -> Encoded | None:
        """The encoding, if it is made already."""
        return self._encodings.get(encoding)

    def made(self, encoding: str) -> Encoded:
        """The encoding, made now if need be. Takes milliseconds: not for the event loop."""
        with self._lock:
            found = self._encodings.get(encoding)
            if found is None:
                found = self._encodings[encoding] = self._make(encoding)
                self.size += len(found.body)
            return found

    def _make(self, encoding: str) -> Encoded:
        body = self._body
        used = IDENTITY
        if encoding != IDENTITY and len(body) >= SMALLEST and self._type not in _PACKED:
            shorter = self._ready.get(encoding) or encode(body, encoding)
            if len(shorter) < len(body):
                body, used = shorter, encoding
        tag = f'"{self._digest}-{used}"'.encode()
        headers = [
            (b"content-type", self._type),
            (b"content-length", str(len(body)).encode()),
            (b"etag", tag),
            (b"cache-control", self._control),
            (b"vary", b"Accept-Encoding"),
            *self._also,
        ]
        if used != IDENTITY:
            headers.append((b"content-encoding", used.encode()))
        return Encoded(body, tag, headers, [header for header in headers if header[0] not in _BARE_304])


def matches(tags: bytes, tag: bytes) -> bool:
    """Whether an If-None-Match names this tag. Weak and strong tags compare alike here."""
    return any(found in (b"*", tag) for text in tags.split(b",") if (found := text.strip().removeprefix(b"W/")))
