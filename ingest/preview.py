"""Reads the files of one preview, as a process of its own: `python -m ingest.preview FOLDER`.

In FOLDER lie `files`, under the paths they were dropped with, `said.json` with what was said beside them, and `store`,
which points at the snapshot to lay them over. The verdict goes to standard output, as `halo ingest --json` prints it,
and with it the ids of stored points that the files hold again.
"""

import sys
from pathlib import Path

import orjson

from app.catalog.point import Json
from app.store.files import SNAPSHOTS
from app.store.read import Store
from ingest.found import Problem, found
from ingest.sent import Sent, ingest_sent
from ingest.supplied import parse_sets

SENDER = "preview"
SAID = "said.json"
KNOWN = "known"


def read(folder: Path) -> dict[str, Json]:
    """Reads `files` into `store`, which then holds a snapshot with their points. Returns the verdict."""
    files, store = folder / "files", folder / "store"
    sent = [
        Sent(entry.path.relative_to(files).as_posix(), entry.path)
        for entry in found([files])
        if not isinstance(entry, Problem)
    ]
    said = orjson.loads((folder / SAID).read_bytes())
    before = Store(store).snapshot().seq
    supplied = parse_sets(said["set"])
    report = ingest_sent(sent, store, sender=SENDER, supplied=supplied, run=said["run"], apart=True)
    report[KNOWN] = Store(store).snapshot().read_again(before)
    for path in store.glob(SNAPSHOTS):
        if path.is_symlink():
            path.unlink()
    return report


def main() -> None:
    sys.stdout.buffer.write(orjson.dumps(read(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
