"""A server that publishes what a test says, with the failures of real ones, and remembers what it was asked."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(slots=True)
class Reply:
    """One answer. `length` is what it says of its body, whatever comes."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None

    @property
    def data(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(slots=True)
class Site:
    """Answers by path and query; a list is given one a time, its last one for good."""

    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    def reply(self, target: str) -> Reply:
        found = self.answers.get(target, Reply({"error": "nothing here"}, 404))
        if isinstance(found, list):
            found = found.pop(0) if len(found) > 1 else found[0]
        return found if isinstance(found, Reply) else Reply(found)

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]


@contextmanager
def publishing(**answers: Any) -> Iterator[Site]:
    site = Site(dict(answers))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            target = parts.path + "".join(f" {name}={value}" for name, value in sorted(parse_qsl(parts.query)))
            site.asked.append((target, {name.lower(): value for name, value in self.headers.items()}))
            reply = site.reply(target)
            tag = f'"{hashlib.sha256(reply.data).hexdigest()[:12]}"'
            if reply.status == 200 and self.headers.get("if-none-match") == tag:
                reply = Reply(status=304)
            self.send_response(reply.status)
            kind = {"content-type": "application/json", "etag": tag} if reply.status == 200 else {}
            length = len(reply.data) if reply.length is None else reply.length
            for name, value in {**kind, "content-length": str(length), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.data)
            self.close_connection = reply.length is not None

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
