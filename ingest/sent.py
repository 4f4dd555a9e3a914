"""Files that somebody sent: read from where they were laid for a moment, called by the names they were sent under."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from app.catalog.places import upload_place
from app.catalog.point import Json
from ingest.found import Entries, Entry, shown
from ingest.pipeline import ingest
from ingest.supplied import NOTHING, Supplied

_LONGEST = 200
"""Letters of one part of a path: more than this no file system takes."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A file as it came: its path with the sender, and where it lies now, under its own base name."""

    name: str
    path: Path


def sent_name(text: str) -> str:
    """A sender's path as one that leads nowhere else: relative, printable, with slashes."""
    parts = [shown(part)[-_LONGEST:] for part in text.replace("\\", "/").split("/")]
    return "/".join(part for part in parts if part not in ("", ".", "..")) or "unnamed"


def ingest_sent(
    files: Sequence[Sent],
    folder: Path,
    *,
    sender: str,
    supplied: Supplied = NOTHING,
    run: str | None = None,
    apart: bool = False,
) -> dict[str, Json]:
    """Reads what was sent into the store in `folder`; the verdict as `halo ingest --json` prints it.

    The store keeps `upload:<sender>/<path>` as the place. A file that names no run, sent without one, is a run
    of its own, named by its path and by all that came with it: sending the same again is the same run.
    """
    report = ingest(entries_of(files, sender), folder, supplied=supplied, run=run, apart=apart)
    start = upload_place(sender)
    for file in report.files:
        file.path = file.path.removeprefix(start)
        file.of = file.of.removeprefix(start) if file.of else None
    return report.document()


def entries_of(files: Sequence[Sent], sender: str) -> Entries:
    """Entries for the pipeline, in the order of their names."""
    kin = _digest(files)
    return Entries(
        Entry(
            path=file.path,
            place=upload_place(sender, file.name),
            resolved=f"upload:{kin}/{sender}/{file.name}",
            folders=PurePosixPath(file.name).parts[:-1],
            size=file.path.stat().st_size,
        )
        for file in sorted(files, key=lambda file: file.name)
    )


def _digest(files: Iterable[Sent]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.name):
        with file.path.open("rb") as handle:
            digest.update(f"{file.name}\0{hashlib.file_digest(handle, 'sha256').hexdigest()}\0".encode())
    return digest.hexdigest()[:12]
