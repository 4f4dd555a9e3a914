"""The limit of what Python can serve under uvicorn: the same headers and bodies, and nothing to find out about them."""

import json
import os
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER = "BENCH_ANSWERS"
HEADERS = ".headers"
_BY_SERVER = ("date", "server")


def keep(folder: Path, name: str, body: bytes, headers: dict[str, str]) -> None:
    """Puts an answer where `application` finds it."""
    (folder / name).write_bytes(body)
    given = {key: value for key, value in headers.items() if key not in _BY_SERVER}
    (folder / f"{name}{HEADERS}").write_text(json.dumps({**given, "content-length": str(len(body))}), encoding="utf-8")


def application() -> ASGIApp:
    """Answers `/name` with what was kept under that name in the folder BENCH_ANSWERS."""
    answers = {}
    for path in Path(os.environ[FOLDER]).glob(f"*{HEADERS}"):
        headers = json.loads(path.read_text(encoding="utf-8"))
        encoded = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in headers.items()]
        name = path.name.removesuffix(HEADERS)
        answers[f"/{name}"] = (encoded, path.with_name(name).read_bytes())

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        found = answers.get(scope["path"])
        headers, body = found or ([(b"content-length", b"0")], b"")
        await send({"type": "http.response.start", "status": 200 if found else 404, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return answer
