"""`POST /api/v1/ingest`: results that somebody with a token sends, read into the store.

Who sends is settled before a byte of the body is read. The body goes to a folder of its own within limits,
and is read and published by a thread, so that neither a slow sender nor a large file holds up a reader.
"""

import asyncio
import logging
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import orjson
from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from app.catalog.point import Json
from app.store import tokens
from app.store.pace import admitted
from app.view import Problem
from app.web.deps import store_of
from app.web.errors import BadRequest, RequestError
from ingest.sent import Sent, ingest_sent, sent_name
from ingest.supplied import Supplied, WrongCall, parse_sets

router = APIRouter()
_log = logging.getLogger("halo.web")

MIB = 1 << 20
FILES = "file"
FIELDS = ("run", "set")
MOST_FILES = 1000
_MOST_FIELDS = 200
_FIELD_BYTES = 8 << 10
_RUN_LETTERS = 120
_PATIENCE_S = 30.0
"""Seconds without a byte after which a sender is given up."""
_READERS = 2
"""Uploads read at a time by one process; others wait their turn."""

_OFF = (
    "uploads are switched off here: there is no token. `halo token add NAME` in front of this store makes one, "
    "and so does HALO_TOKENS"
)
_UNKNOWN = "this token is not known here; `Authorization: Bearer <token>` is expected, with one of `halo token add`"
_readers = ThreadPoolExecutor(_READERS, thread_name_prefix="halo-upload")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one upload may come to, and how many a minute a token may send."""

    bytes: int
    a_minute: int


def limits() -> Limits:
    """From HALO_UPLOAD_MIB (64) and HALO_UPLOADS_A_MINUTE (30)."""
    return Limits(bytes=_set("HALO_UPLOAD_MIB", 64) * MIB, a_minute=_set("HALO_UPLOADS_A_MINUTE", 30))


def _set(name: str, usual: int) -> int:
    text = os.environ.get(name, "").strip()
    if not text:
        return usual
    if text.isascii() and text.isdigit() and 0 < int(text) < 10**6:
        return int(text)
    _log.warning("%s=%s is no whole number above 0, so it is %d", name, text, usual)
    return usual


@router.post("/api/v1/ingest", name="ingest")
async def ingest(request: Request) -> Response:
    folder = store_of(request).folder
    allowed = limits()
    sender = await anyio.to_thread.run_sync(_sender, folder, request.headers.get("authorization", ""))
    _judge_head(request, allowed)
    if wait := await anyio.to_thread.run_sync(admitted, folder, sender, allowed.a_minute):
        detail = f"{sender} sent {allowed.a_minute} uploads within a minute, which is the limit; go on in {wait} s"
        raise RequestError(429, detail, headers={"retry-after": str(wait)})
    try:
        async with _body(request, allowed) as form:
            supplied, run = _fields(form)
            verdict = await _turn(partial(_read, form, folder, sender, supplied, run))
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


def _judge_head(request: Request, allowed: Limits) -> None:
    """What can be refused before the body comes. Raises RequestError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        detail = "files are expected as multipart/form-data: curl -F file=@results.json, or `halo push`"
        raise RequestError(415, detail)
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > allowed.bytes:
        raise _too_large(allowed)
    if first := next(iter(sorted(request.query_params)), None):
        detail = f"there is no parameter {first!r} here: run and set go into the form, beside the files"
        raise BadRequest([Problem(first, request.query_params[first], detail)])


def _too_large(allowed: Limits) -> RequestError:
    return RequestError(
        413, f"one upload may come to {allowed.bytes // MIB} MiB: send fewer files at a time, or raise HALO_UPLOAD_MIB"
    )


@asynccontextmanager
async def _body(request: Request, allowed: Limits) -> AsyncIterator[FormData]:
    """The form that comes in, its files on disk once they are large. Raises RequestError, ClientDisconnect."""
    parser = MultiPartParser(
        request.headers,
        _bounded(request, allowed),
        max_files=MOST_FILES,
        max_fields=_MOST_FIELDS,
        max_part_size=_FIELD_BYTES,
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise RequestError(400, f"the form cannot be read: {error.message}") from None
    except (AssertionError, ValueError, LookupError) as error:
        raise RequestError(400, "the form cannot be read: it is damaged or cut short") from error
    try:
        yield form
    finally:
        await form.close()


async def _bounded(request: Request, allowed: Limits) -> Any:
    """The body in pieces, until it is too long or too long in coming."""
    size = 0
    pieces = request.stream()
    while True:
        try:
            piece = await asyncio.wait_for(anext(pieces), _PATIENCE_S)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise RequestError(408, f"nothing came for {_PATIENCE_S:g} s, so what came was dropped") from None
        size += len(piece)
        if size > allowed.bytes:
            raise _too_large(allowed)
        yield piece


def _fields(form: FormData) -> tuple[Supplied, str | None]:
    """What is said in the form beside its files. Raises BadRequest."""
    texts = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    for name, value in texts:
        if name not in FIELDS:
            raise _bad(name, value, f"there is no field {name!r}: there are files, run, and set, which may be repeated")
    runs = {value.strip() for name, value in texts if name == "run" and value.strip()}
    if len(runs) > 1:
        raise _bad("run", "", "run is given twice: one upload is one run, or leave it out where the files say it")
    run = next(iter(runs), None)
    if run is not None and not (len(run) <= _RUN_LETTERS and run.isprintable()):
        raise _bad("run", run[:_RUN_LETTERS], f"run: a name of {_RUN_LETTERS} printable letters at most is expected")
    try:
        supplied = parse_sets([value for name, value in texts if name == "set"])
    except WrongCall as error:
        raise _bad("set", "", str(error).removeprefix("--")) from None
    if not any(isinstance(value, UploadFile) for _, value in form.multi_items()):
        raise _bad(FILES, "", "there is no file in the form: curl -F file=@results.json")
    return supplied, run


def _bad(name: str, value: str, detail: str) -> BadRequest:
    return BadRequest([Problem(name, value, detail)])


async def _turn(work: Any) -> dict[str, Json]:
    """Runs `work` in a thread when there is room. What has begun is brought to its end, whoever hangs up."""
    verdict: dict[str, Json] = await asyncio.get_running_loop().run_in_executor(_readers, work)
    return verdict


def _read(form: FormData, folder: Path, sender: str, supplied: Supplied, run: str | None) -> dict[str, Json]:
    """Lays the files out under their own names, and reads them into the store."""
    with tempfile.TemporaryDirectory(prefix="halo-upload-", ignore_cleanup_errors=True) as laid:
        files: list[Sent] = []
        for number, item in enumerate(item for _, item in form.multi_items() if isinstance(item, UploadFile)):
            name = _apart(sent_name(item.filename or ""), {file.name for file in files})
            place = Path(laid, str(number), name.rpartition("/")[2])
            place.parent.mkdir()
            with place.open("wb") as target:
                item.file.seek(0)
                shutil.copyfileobj(item.file, target, MIB)
            files.append(Sent(name, place))
        return ingest_sent(files, folder, sender=sender, supplied=supplied, run=run)


def _apart(name: str, taken: set[str]) -> str:
    """A name that no other file of the upload has."""
    number, free = 2, name
    while free in taken:
        stem, dot, suffix = name.rpartition(".")
        free = f"{stem} ({number}){dot}{suffix}" if stem else f"{name} ({number})"
        number += 1
    return free
