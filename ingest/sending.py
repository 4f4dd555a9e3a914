"""Sending files to another Halo: folders packed with the paths of what lies in them, tried again where that helps.

Sending twice does no harm: what a Halo knows already it counts as known.
"""

import contextlib
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx2
import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from app.addresses import split_address
from app.catalog.point import Json
from ingest.bodies import Endless, whole
from ingest.found import Entry, NoSuchPath, Problem, found, shown
from ingest.report import Role
from ingest.sidecar import sidecars_above
from ingest.waiting import AGAIN, AGENT, pause, wait_s, why_no_longer

ADDRESS = "/api/v1/ingest"
_TIMEOUT = httpx2.Timeout(30.0, read=600.0)
"""Reading and publishing a large upload takes its time."""
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""All members carry one date, so that packing the same twice gives the same bytes."""
_LOCAL = ("127.0.0.1", "::1", "localhost")


class NotSent(Exception):
    """The other side does not take it, or is not there; the message says which, and what would be right."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file of the upload: its name there, and where its bytes lie here."""

    name: str
    path: Path


@contextlib.contextmanager
def packed(paths: Sequence[Path]) -> Iterator[list[Part]]:
    """Parts for the paths, folders as one zip each, with the sidecars that lie above them. Raises NoSuchPath."""
    for path in paths:
        if not os.path.lexists(path):
            raise NoSuchPath(f"{shown(path)} does not exist")
    given = sorted({Path(os.path.realpath(path)) for path in paths})
    sidecars = [Path(document.resolved) for document in sidecars_above(paths)]
    base = Path(os.path.commonpath([path.parent for path in (*given, *sidecars)]))
    with tempfile.TemporaryDirectory(prefix="halo-push-") as folder:
        parts = [Part(str(path.relative_to(base)), path) for path in sidecars if path not in given]
        for number, path in enumerate(given):
            name = str(path.relative_to(base))
            if path.is_dir():
                archive = Path(folder, f"{number}.zip")
                _pack(path, archive)
                parts.append(Part(f"{name}.zip", archive))
            else:
                parts.append(Part(name, path))
        yield parts


def _pack(folder: Path, archive: Path) -> None:
    """Everything in the folder that an ingest would look at, under its path within it."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for entry in found([folder]):
            if isinstance(entry, Problem):
                continue
            info = zipfile.ZipInfo(_within(entry, folder), _MOMENT)
            info.compress_type = zipfile.ZIP_DEFLATED
            with entry.path.open("rb") as source, packed.open(info, "w", force_zip64=True) as target:
                while chunk := source.read(1 << 20):
                    target.write(chunk)


def _within(entry: Entry, folder: Path) -> str:
    """The path below the folder; of a file that a link leads to, where the link lies."""
    path = Path(os.path.realpath(entry.path.parent), entry.path.name)
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else f"linked/{entry.path.name}"


class _Shape(BaseModel):
    """What is read of a verdict; a later Halo may say more."""

    model_config = ConfigDict(strict=True)


class _Refused(_Shape):
    where: str
    reason: str


class _File(_Shape):
    path: str
    source: str | None
    role: Role
    of: str | None
    new: int
    duplicates: int
    superseded: int
    refused: list[_Refused]
    needs: list[str]
    warnings: list[str]


class _Totals(_Shape):
    offload: dict[str, int]


class _Verdict(_Shape):
    snapshot: str | None
    files: list[_File]
    totals: _Totals


def address_of(url: str) -> str:
    """Where the Halo at `url` takes files. Raises NotSent."""
    try:
        parts = split_address(url)
        whole_one = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        whole_one = False
    if not whole_one or "?" in url or "#" in url:
        raise NotSent(f"--to {url}: an address is expected, as in https://halo.example, with nothing after it")
    return url.rstrip("/").removesuffix(ADDRESS) + ADDRESS


def said_first(url: str) -> str:
    """A warning before a token leaves in the clear; empty where it does not. Raises NotSent."""
    parts = split_address(address_of(url))
    if parts.scheme == "http" and parts.hostname not in _LOCAL:
        return f"{parts.hostname} is spoken to without TLS: whoever is on the way can read the token"
    return ""


def send(
    paths: Sequence[Path],
    url: str,
    token: str,
    *,
    run: str | None = None,
    settings: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Json]:
    """The verdict of the Halo at `url` on the files. Raises NoSuchPath, NotSent."""
    address = address_of(url)
    headers = {"authorization": f"Bearer {token}", "user-agent": AGENT}
    data: dict[str, Json] = {"set": list(settings), **({"run": run} if run else {})}
    with packed(paths) as parts, httpx2.Client(timeout=_TIMEOUT, headers=headers) as client:
        attempt = 0
        while True:
            answer, why = _once(client, address, data, parts)
            if answer is not None and answer.status_code not in AGAIN:
                return _verdict(answer, address)
            told = answer.headers if answer is not None else None
            wait = wait_s(attempt, told)
            if wait is None:
                tries = "1 try" if attempt == 0 else f"{attempt + 1} tries"
                raise NotSent(f"{address} did not take it in {tries}: {why}{why_no_longer(told)}")
            tell(f"{why}; trying again in {wait:g} s")
            pause(wait)
            attempt += 1


def _once(
    client: httpx2.Client, address: str, data: dict[str, Json], parts: Sequence[Part]
) -> tuple[httpx2.Response | None, str]:
    """An answer, or None, and what to say of it where it is to be tried again."""
    with contextlib.ExitStack() as open_files:
        files: list[tuple[str, tuple[str, IO[bytes]]]] = [
            ("file", (part.name, open_files.enter_context(part.path.open("rb")))) for part in parts
        ]
        try:
            with client.stream("POST", address, data=data, files=files) as answer:
                answer._content = whole(answer)
        except Endless as error:
            raise NotSent(f"{address} {error}: is a Halo there?") from None
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            return None, f"there was no answer ({type(error).__name__})"
    return answer, f"it answered {answer.status_code}{_detail(answer)}"


def _verdict(answer: httpx2.Response, address: str) -> dict[str, Json]:
    if answer.has_redirect_location:
        where = answer.headers.get("location", "elsewhere")
        raise NotSent(f"{address} points to {where}: a token goes nowhere but where it was sent; use that address")
    if answer.status_code != 200:
        raise NotSent(f"{address} answered {answer.status_code}{_detail(answer)}")
    try:
        verdict: dict[str, Json] = orjson.loads(answer.content)
        _Verdict.model_validate(verdict)
    except orjson.JSONDecodeError:
        raise NotSent(f"{address} does not answer like a Halo: what came is no verdict, nor any JSON") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the answer"
        what = f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}"
        raise NotSent(f"{address} does not answer like a Halo: what came is no verdict ({what})") from None
    return verdict


def _detail(answer: httpx2.Response) -> str:
    try:
        return f": {orjson.loads(answer.content)['detail']}"
    except (ValueError, TypeError, KeyError):
        return ""
