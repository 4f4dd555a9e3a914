"""Forms with files as they come in: bounded in size and patience, and told in one way what is wrong with them."""

import asyncio
import logging
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from app.view import Problem
from app.web.errors import BadRequest, RequestError

_log = logging.getLogger("halo.web")

MIB = 1 << 20
FILES = "file"
_MOST_FILES = 2000
_MOST_FIELDS = 200
_FIELD_BYTES = 16 << 10
_PATIENCE_S = 30.0
"""Seconds without a byte after which a sender is given up."""
CUT = "the form ends before its last boundary: the body was cut"
_EXAMPLE = "curl -F file=@results.json"


@dataclass(frozen=True, slots=True)
class Bound:
    """How many bytes a form may come to, and the setting that says so."""

    bytes: int
    setting: str

    def passed(self) -> RequestError:
        return RequestError(
            413, f"{self.bytes // MIB} MiB at a time are taken here: send fewer files, or raise {self.setting}"
        )


def bound(setting: str) -> Bound:
    """As many MiB as a setting says, usually 64."""
    return Bound(whole_number(setting, 64) * MIB, setting)


def whole_number(setting: str, usual: int) -> int:
    """What an environment variable says; the usual where it is no whole number above zero."""
    text = os.environ.get(setting, "").strip()
    if not text:
        return usual
    if text.isascii() and text.isdigit() and 0 < int(text) < 10**6:
        return int(text)
    _log.warning("%s=%s is no whole number above 0, so it is %d", setting, text, usual)
    return usual


def judge_head(request: Request, most: Bound) -> None:
    """What can be refused before the body comes. Raises RequestError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        raise RequestError(415, f"files are expected as multipart/form-data: {_EXAMPLE}")
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > most.bytes:
        raise most.passed()


class _Whole(MultiPartParser):
    """The library's parser ends with the bytes, wherever they end; a form ends with its last boundary."""

    ended = False

    def on_end(self) -> None:
        self.ended = True

    async def parse(self) -> FormData:
        form = await super().parse()
        if self.ended:
            return form
        for file in self._files_to_close_on_error:
            file.close()
        raise RequestError(400, CUT)


@asynccontextmanager
async def received(request: Request, most: Bound) -> AsyncIterator[FormData]:
    """The form of a request, its files on disk once they are large. Raises RequestError, ClientDisconnect."""
    parser = _Whole(
        request.headers,
        _pieces(request, most),  # type: ignore[arg-type]  # it is only iterated over
        max_files=_MOST_FILES,
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
        if not files_of(form):
            raise BadRequest([Problem(FILES, "", f"there is no file in the form: {_EXAMPLE}")])
        yield form
    finally:
        await form.close()


async def _pieces(request: Request, most: Bound) -> AsyncIterator[bytes]:
    """The body, until it is too long or too long in coming."""
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
        if size > most.bytes:
            raise most.passed()
        yield piece


def files_of(form: FormData) -> list[UploadFile]:
    return [item for _, item in form.multi_items() if isinstance(item, UploadFile)]


def put(item: UploadFile, place: Path) -> None:
    """Writes a file of a form to its place, making the folders above it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as target:
        item.file.seek(0)
        shutil.copyfileobj(item.file, target, MIB)
