"""The way past the router: (address, encoding, live snapshot) to bytes that were made before.

It knows nothing of what an answer means. What it has not got, it takes from the application behind it
once, however many clients ask at the same moment, and keeps within a bound on bytes.
"""

import asyncio
import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.compress import IDENTITY, choose
from app.web.prepared import Encoded, Prepared, matches

LIMIT = 256 * 2**20
"""Bytes of answers kept, all encodings counted."""

LARGEST = 32 * 2**20
"""An answer beyond this goes out as it is made, and is not kept."""

LIVE = b"no-cache"
FIXED = b"public, max-age=86400, immutable"
"""For answers about a named snapshot: they never change. A day, so that a corrected Halo is seen in time."""

Key = tuple[str | None, str, str, str]


class Fast:
    """Serves GET and HEAD of the cached addresses from memory, everything else through `app`."""

    def __init__(
        self,
        app: ASGIApp,
        pointer: Callable[[], str | None],
        cached: Callable[[str], bool],
        limit: int = LIMIT,
        told: Callable[[Scope], str] = lambda _: "",
    ) -> None:
        """`told` is what of a request stands in its answer beside address and query: answers that differ in it part."""
        self._told = told
        self._app = app
        self._pointer = pointer
        self._cached = cached
        self._answers = _Answers(limit)
        self._building: dict[Key, Future[None]] = {}
        self._lock = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            send = _headers_only(send)
        path: str = scope["path"]
        # A preview is looked at by few and gone within the hour.
        if not self._cached(path) or b"preview=" in scope["query_string"]:
            await self._app({**scope, "method": "GET"}, receive, send)
            return
        accepted, tags = _wishes(scope["headers"])
        encoding = choose(accepted) if accepted else IDENTITY
        query = canonical(scope["query_string"])
        key = (self._pointer(), path, query, self._told(scope))
        answer = self._answers.get(key)
        if answer is None:
            answer = await self._build(key, scope, receive, send)
            if answer is None:
                return
        found = answer.known(encoding)
        if found is None:
            found = await asyncio.get_running_loop().run_in_executor(None, answer.made, encoding)
            self._answers.grown(key)
        await _send(found, tags, send)

    async def _build(self, key: Key, scope: Scope, receive: Receive, send: Send) -> Prepared | None:
        """The answer from behind, made by the first who asks while others wait; None when it was sent already."""
        while True:
            with self._lock:
                waiting = self._building.get(key)
                if waiting is None:
                    mine = self._building[key] = Future()
                    break
            await asyncio.wrap_future(waiting)
            if (answer := self._answers.get(key)) is not None:
                return answer
        try:
            collected = _Collected(send)
            inner = {**scope, "method": "GET", "query_string": key[2].encode("ascii")}
            await self._app(inner, receive, collected)
            answer = collected.answer(_control(key))
            if answer is not None:
                self._answers.put(key, answer)
                return answer
            await collected.flush()
            return None
        finally:
            with self._lock:
                del self._building[key]
            with contextlib.suppress(Exception):
                mine.set_result(None)


class _Answers:
    """The answers of late, least used ones dropped first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[Key, Prepared] = OrderedDict()
        self._sizes: dict[Key, int] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: Key) -> Prepared | None:
        answer = self._kept.get(key)
        if answer is not None:
            with contextlib.suppress(KeyError):
                self._kept.move_to_end(key)
        return answer

    def put(self, key: Key, answer: Prepared) -> None:
        with self._lock:
            self._kept[key] = answer
            self._weigh(key)

    def grown(self, key: Key) -> None:
        """Counts an encoding that was added to an answer."""
        with self._lock:
            if key in self._kept:
                self._weigh(key)

    def _weigh(self, key: Key) -> None:
        size = self._kept[key].size
        self._bytes += size - self._sizes.get(key, 0)
        self._sizes[key] = size
        while self._bytes > self._limit and len(self._kept) > 1:
            oldest, _ = self._kept.popitem(last=False)
            self._bytes -= self._sizes.pop(oldest)


class _Collected:
    """A response in the making. One that is not to be kept is handed on as it comes."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self._passing = False

    async def __call__(self, message: Message) -> None:
        if self._passing:
            await self._send(message)
        elif message["type"] == "http.response.start":
            self._start = message
            if message["status"] != 200:
                await self.flush()
        elif message["type"] == "http.response.body":
            self._parts.append(message.get("body", b""))
            self._size += len(self._parts[-1])
            if self._size > LARGEST:
                await self._pass_on(more=message.get("more_body", False))

    async def flush(self) -> None:
        """Sends on what has come so far; the rest follows by itself."""
        if not self._passing and self._start is not None:
            self._passing = True
            await self._send(self._start)

    async def _pass_on(self, *, more: bool) -> None:
        await self.flush()
        await self._send({"type": "http.response.body", "body": b"".join(self._parts), "more_body": more})
        self._parts.clear()

    def answer(self, control: bytes) -> Prepared | None:
        if self._passing or self._start is None:
            return None
        headers = dict(self._start["headers"])
        return Prepared(
            b"".join(self._parts),
            headers.get(b"content-type", b"application/octet-stream"),
            headers.get(b"cache-control", control),
            also=[(name, headers[name]) for name in (b"content-disposition", b"link") if name in headers],
        )


@lru_cache(maxsize=4096)
def canonical(query: bytes) -> str:
    """A query with its parameters in one order, so that links that mean the same share an answer."""
    if not query:
        return ""
    pairs = parse_qsl(query.decode("utf-8", "replace"), keep_blank_values=True)
    return urlencode(sorted(pairs, key=lambda pair: pair[0]))


def _control(key: Key) -> bytes:
    _, path, query, _ = key
    named = any(name == "snapshot" and value for name, value in parse_qsl(query))
    # A page names the scripts of this Halo, which a newer one may no longer serve.
    return FIXED if named and path.startswith("/api/") else LIVE


def _wishes(headers: Sequence[tuple[bytes, bytes]]) -> tuple[str, bytes]:
    accepted, tags = "", b""
    for name, value in headers:
        if name == b"accept-encoding":
            accepted = f"{accepted},{value.decode('latin-1')}" if accepted else value.decode("latin-1")
        elif name == b"if-none-match":
            tags = value
    return accepted, tags


async def _send(found: Encoded, tags: bytes, send: Send) -> None:
    if tags and matches(tags, found.tag):
        await send({"type": "http.response.start", "status": 304, "headers": found.unchanged})
        await send({"type": "http.response.body", "body": b""})
        return
    await send({"type": "http.response.start", "status": 200, "headers": found.headers})
    await send({"type": "http.response.body", "body": found.body})


def _headers_only(send: Send) -> Send:
    """HEAD is GET without the body."""

    async def bare(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return bare
