"""`POST /api/v1/ingest`: results that somebody with a token sends, read into the store.

Who sends is settled before a byte of the body is read. The body goes to a folder of its own within limits,
and is read and published by a thread, so that neither a slow sender nor a large file holds up a reader.
"""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import orjson
from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData
from starlette.requests import ClientDisconnect

from app.catalog.point import Json
from app.store import tokens
from app.store.pace import admitted
from app.store.read import Store
from app.view import Problem
from app.web.errors import BadRequest, RequestError
from app.web.laid import laid
from app.web.received import bound, files_of, judge_head, put, received, whole_number
from app.web.said import Said, said_in
from ingest.sent import Sent, ingest_sent, sent_name

router = APIRouter()
_log = logging.getLogger("halo.web")

LIMIT = "HALO_UPLOAD_MIB"
_READERS = 2
"""Uploads read at a time by one process; others wait their turn."""

_OFF = (
    "uploads are switched off here: there is no token. `halo token add NAME` in front of this store makes one, "
    "and so does HALO_TOKENS"
)
_UNKNOWN = "this token is not known here; `Authorization: Bearer <token>` is expected, with one of `halo token add`"
_readers = ThreadPoolExecutor(_READERS, thread_name_prefix="halo-upload")


def a_minute() -> int:
    """How many uploads a token may send within a minute: HALO_UPLOADS_A_MINUTE, usually 30."""
    return whole_number("HALO_UPLOADS_A_MINUTE", 30)


@router.post("/api/v1/ingest", name="ingest")
async def ingest(request: Request) -> Response:
    # What is sent goes into the store itself, whatever an address may lay over it.
    store: Store = request.app.state.store
    folder, most, often = store.folder, bound(LIMIT), a_minute()
    sender = await anyio.to_thread.run_sync(_sender, folder, request.headers.get("authorization", ""))
    judge_head(request, most)
    _judge_query(request)
    if wait := await anyio.to_thread.run_sync(admitted, folder, sender, often):
        detail = f"{sender} sent {often} uploads within a minute, which is the limit; go on in {wait} s"
        raise RequestError(429, detail, headers={"retry-after": str(wait)})
    try:
        async with received(request, most) as form:
            verdict = await _turn(partial(_read, form, folder, sender, said_in(form)))
    except ClientDisconnect:
        # Nobody is left to hear it, and nothing was written.
        return Response(status_code=400)
    return Response(orjson.dumps(verdict), media_type="application/json", headers={"cache-control": "no-store"})


def _sender(folder: Path, authorization: str) -> str:
    """Name of the token in the header. Raises RequestError."""
    known = tokens.tokens_of(folder)
    if not known:
        raise RequestError(403, _OFF)
    scheme, _, token = authorization.partition(" ")
    name = tokens.sender(token.strip(), known) if scheme.lower() == "bearer" else None
    if name is None:
        raise RequestError(401, _UNKNOWN, headers={"www-authenticate": 'Bearer realm="halo"'})
    return name


def _judge_query(request: Request) -> None:
    """Raises BadRequest."""
    if first := next(iter(sorted(request.query_params)), None):
        detail = f"there is no parameter {first!r} here: run and set go into the form, beside the files"
        raise BadRequest([Problem(first, request.query_params[first], detail)])


async def _turn(work: Any) -> dict[str, Json]:
    """Runs `work` in a thread when there is room. What has begun is brought to its end, whoever hangs up."""
    verdict: dict[str, Json] = await asyncio.get_running_loop().run_in_executor(_readers, work)
    return verdict


def _read(form: FormData, folder: Path, sender: str, said: Said) -> dict[str, Json]:
    """Lays the files out under their own names, and reads them into the store."""
    with laid("halo-upload-") as folder_of_files:
        files: list[Sent] = []
        for number, item in enumerate(files_of(form)):
            name = _apart(sent_name(item.filename or ""), {file.name for file in files})
            place = Path(folder_of_files, str(number), name.rpartition("/")[2])
            put(item, place)
            files.append(Sent(name, place))
        return ingest_sent(files, folder, sender=sender, supplied=said.supplied, run=said.run)


def _apart(name: str, taken: set[str]) -> str:
    """A name that no other file of the upload has."""
    number, free = 2, name
    while free in taken:
        stem, dot, suffix = name.rpartition(".")
        free = f"{stem} ({number}){dot}{suffix}" if stem else f"{name} ({number})"
        number += 1
    return free
