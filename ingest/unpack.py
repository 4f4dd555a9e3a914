"""Opening a file down to its innermost content: gzip, Zstandard and zip are known by their first bytes.

Everything happens in memory and within limits that count bytes as they come out, since the sizes an
archive states of itself may lie.
"""

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import zstandard

from ingest.document import Document
from ingest.found import Entry, Problem, cause, shown

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file given by the user may come to."""

    file_bytes: int = 512 * MIB
    archive_bytes: int = 4096 * MIB
    members: int = 50_000
    ratio: int = 400
    ratio_from: int = 16 * MIB
    """Members smaller than this may shrink as far as they like."""
    depth: int = 4


class Refusal(Exception):
    """Content that is not taken; the message is the sentence the user reads."""


@dataclass(slots=True)
class _Budget:
    """What is left of an archive's allowance, nested archives included."""

    bytes: int
    members: int


_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_NO_RESULT = (
    (0, b"version https://git-lfs", "a git-LFS pointer, not the file itself: run `git lfs pull` where it came from"),
    (0, b"[ZoneTransfer]", "a note Windows keeps about a download (Zone.Identifier), not a result"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it, or pack it as zip"),
    (0, b"Rar!\x1a\x07", "a RAR archive: unpack it, or pack it as zip"),
    (0, b"\xfd7zXZ\x00", "packed with xz: unpack it, or pack it with gzip or zstd"),
    (0, b"BZh", "packed with bzip2: unpack it, or pack it with gzip or zstd"),
    (257, b"ustar", "a tar archive: unpack it, or pack it as zip"),
    (8, b"DUCK", "a DuckDB database, not a result file"),
)


def unpacked(entry: Entry, limits: Limits) -> Iterator[Document | Problem]:
    """The innermost files of an entry, or the reason why there are none."""
    if entry.size > limits.file_bytes:
        yield Problem(entry.place, f"{_size(entry.size)} is past the limit of {_size(limits.file_bytes)} a file")
        return
    try:
        data = entry.path.read_bytes()
    except OSError as error:
        yield Problem(entry.place, f"cannot be read: {cause(error)}")
        return
    budget = _Budget(limits.archive_bytes, limits.members)
    file = Document(entry.place, entry.resolved, shown(entry.path.name), entry.folders, data)
    yield from _innermost(file, budget, limits, depth=0)


def _innermost(file: Document, budget: _Budget, limits: Limits, depth: int) -> Iterator[Document | Problem]:
    try:
        if depth > limits.depth:
            raise Refusal(f"packed more than {limits.depth} times over")
        if not file.data:
            raise Refusal("the file is empty (0 bytes)")
        head = file.data[:512]
        for offset, mark, reason in _NO_RESULT:
            if head.startswith(mark, offset):
                raise Refusal(reason)
        if head.startswith(_GZIP) or head.startswith(_ZSTD):
            inner = replace(file, name=_without_suffix(file.name), data=_inflated(file.data, limits))
            yield from _innermost(inner, budget, limits, depth + 1)
        elif head.startswith(_ZIP):
            yield from _members(file, budget, limits, depth)
        else:
            yield file
    except Refusal as refusal:
        yield Problem(file.place, str(refusal))


def _inflated(data: bytes, limits: Limits) -> bytes:
    """What gzip or Zstandard packed, several streams in a row included."""
    try:
        if data.startswith(_GZIP):
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
                inflated = stream.read(limits.file_bytes + 1)
        else:
            reader = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True)
            inflated = reader.read(limits.file_bytes + 1)
    except (OSError, EOFError, zlib.error, zstandard.ZstdError, MemoryError) as error:
        raise Refusal(f"cannot be unpacked: cut short or damaged ({error})") from None
    if len(inflated) > limits.file_bytes:
        raise Refusal(f"unpacks past the limit of {_size(limits.file_bytes)} a file")
    return inflated


def _members(file: Document, budget: _Budget, limits: Limits, depth: int) -> Iterator[Document | Problem]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(file.data))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Refusal(f"the zip archive is cut short or damaged ({error})") from None
    with archive:
        members = sorted((m for m in archive.infolist() if not m.is_dir()), key=lambda member: member.filename)
        if not members:
            raise Refusal("the archive holds no files")
        budget.members -= len(members)
        if budget.members < 0:
            raise Refusal(f"the archive holds more than {limits.members} files")
        names: set[str] = set()
        for member in members:
            path = PurePosixPath(member.filename.replace("\\", "/"))
            place = f"{file.place}!{shown(member.filename)}"
            if any(part.startswith(".") and part != ".." for part in path.parts) or path.parts[0] == "__MACOSX":
                yield Problem(place, "a hidden file, not looked at", ignored=True)
                continue
            try:
                data = _member(archive, member, path, names, budget, limits)
            except Refusal as refusal:
                yield Problem(place, str(refusal))
                continue
            folders = (*file.folders, _without_suffix(file.name), *(shown(part) for part in path.parts[:-1]))
            inner = Document(place, f"{file.resolved}!{shown(member.filename)}", shown(path.name), folders, data)
            yield from _innermost(inner, budget, limits, depth + 1)


def _member(
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    path: PurePosixPath,
    names: set[str],
    budget: _Budget,
    limits: Limits,
) -> bytes:
    """The bytes of a member that is safe to read. Raises Refusal."""
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise Refusal("its name leads out of the archive")
    if member.filename in names:
        raise Refusal("the archive holds this name twice; the first one was read")
    names.add(member.filename)
    if member.flag_bits & 1:
        raise Refusal("it is encrypted: unpack the archive with its password first")
    if member.file_size > limits.file_bytes:
        raise Refusal(f"unpacks past the limit of {_size(limits.file_bytes)} a file")
    if member.file_size > limits.ratio_from and member.file_size > limits.ratio * max(member.compress_size, 1):
        raise Refusal(f"unpacks to more than {limits.ratio} times its size, as results do not")
    if member.file_size > budget.bytes:
        raise Refusal(f"the archive unpacks past the limit of {_size(limits.archive_bytes)}")
    try:
        with archive.open(member) as stream:
            data = stream.read(member.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise Refusal(f"cannot be unpacked: cut short or damaged ({error})") from None
    budget.bytes -= len(data)
    return data


def _without_suffix(name: str) -> str:
    stem, dot, suffix = name.rpartition(".")
    return stem if dot and suffix.lower() in ("gz", "zst", "zstd", "zip") else name


def _size(count: int) -> str:
    return f"{count / MIB:,.0f} MiB" if count >= MIB else f"{count:,} bytes"
