"""Forms with files as they come in: counted while they come, and laid out on disk under harmless names."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from app.web.errors import RequestError
from ingest.sent import sent_name

MIB = 1 << 20
MOST_FILES = 2000
_MOST_FIELDS = 20
_FIELD_BYTES = 16 << 10


@asynccontextmanager
async def received(request: Request, most: int, setting: str) -> AsyncIterator[FormData]:
    """The form of a request, at most `most` bytes of it, which `setting` names. Raises RequestError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        raise RequestError(415, "files are expected as multipart/form-data: curl -F file=@results.json")
    too_large = RequestError(
        413, f"{most // MIB} MiB at a time are looked at here: drop fewer files, or raise {setting}"
    )
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > most:
        raise too_large

    async def counted() -> AsyncIterator[bytes]:
        size = 0
        async for piece in request.stream():
            size += len(piece)
            if size > most:
                raise too_large
            yield piece

    parser = MultiPartParser(
        request.headers,
        counted(),  # type: ignore[arg-type]  # it is only iterated over
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
        if not files_of(form):
            raise RequestError(400, "there is no file in the form: curl -F file=@results.json")
        yield form
    finally:
        await form.close()


def files_of(form: FormData) -> list[UploadFile]:
    return [item for _, item in form.multi_items() if isinstance(item, UploadFile)]


def laid_out(form: FormData, folder: Path) -> None:
    """Writes the files of a form below a folder, each at the path it was sent with, none outside."""
    for number, item in enumerate(files_of(form)):
        name = sent_name(item.filename or "").removeprefix(".")
        place = folder / name
        if place.exists() or any(above.is_file() for above in place.parents):
            place = folder / f"{number}" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("wb") as target:
            item.file.seek(0)
            shutil.copyfileobj(item.file, target, MIB)
