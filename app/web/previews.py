"""Files that were dropped to be looked at: each preview is a store of its own, laid over the live snapshot.

They lie in a folder of the system's temporary files, so that every worker finds them, and are held for an hour and
up to eight at a time. The store itself is read and never touched.
"""

import atexit
import contextlib
import hashlib
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import orjson

from app.catalog.point import Json
from app.store.files import POINTER, live_file
from app.store.read import Store
from app.web.errors import RequestError
from app.web.said import RUN, SET, Said
from ingest.preview import KNOWN, SAID

PREVIEW = "preview"
"""The parameter that names one."""

MOST = 8
KEPT_S = 3600
PATIENCE_S = 120.0
"""Seconds that reading the files of one preview may take."""
READERS = 2
WAITING = 6
DIRECTORY = "HALO_PREVIEW_DIR"

_ROOT = Path(__file__).parents[2]
_MAKER = "maker"
_MAKING = ".making"
_ID = re.compile(r"[0-9a-f]{16}")
_GONE = (
    f"this preview is gone: a server keeps the last {MOST}, each for {KEPT_S // 60} minutes at most. "
    "Drop the files on the dashboard again"
)


class PreviewGone(RequestError):
    def __init__(self) -> None:
        super().__init__(410, _GONE)


@dataclass(frozen=True, slots=True)
class Made:
    """A preview, and what became of each file. `id` is None where nothing came of them that the store has not."""

    id: str | None
    report: dict[str, Json]
    known: tuple[str, ...] = ()
    """Ids of stored points that the files hold again."""


class Previews:
    """The previews beside the store in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._root: Path | None = None
        self._open: dict[str, Store] = {}
        self._mine: set[str] = set()
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(WAITING)
        self._readers = threading.BoundedSemaphore(READERS)

    def store(self, preview_id: str) -> Store:
        """The store of a preview. Raises PreviewGone."""
        folder = self._place(preview_id)
        if folder is None:
            with self._lock:
                self._open.pop(preview_id, None)
            raise PreviewGone
        with self._lock:
            if preview_id not in self._open:
                self._open[preview_id] = Store(folder / "store", beside=self._folder)
            return self._open[preview_id]

    def make(self, lay: Callable[[Path], None], said: Said) -> Made:
        """A preview of the files that `lay` puts into a folder. Takes as long as reading them."""
        if not self._room.acquire(blocking=False):
            raise RequestError(503, "other previews are being read: try again in a few seconds")
        try:
            with self._readers:
                return self._made(lay, said)
        finally:
            self._room.release()

    def close(self) -> None:
        """Takes away the previews that this process made."""
        with self._lock:
            mine, self._mine = self._mine, set()
            self._open.clear()
            root = self._root
        if root is None:
            return
        for preview_id in mine:
            shutil.rmtree(root / preview_id, ignore_errors=True)
        with contextlib.suppress(OSError):
            root.rmdir()
            self._root = None

    def _made(self, lay: Callable[[Path], None], said: Said) -> Made:
        self._expire(MOST - 1)
        preview_id = secrets.token_hex(8)
        making = self._held() / f"{preview_id}{_MAKING}"
        files, store = making / "files", making / "store"
        try:
            for folder in (making, files, store):
                folder.mkdir(mode=0o700)
            (making / _MAKER).write_text(str(os.getpid()), encoding="ascii")
            (making / SAID).write_bytes(orjson.dumps({RUN: said.run, SET: said.sets}))
            lay(files)
            report = self._read(making)
            known = tuple(report.pop(KNOWN))
            shutil.rmtree(files)
            if not (report["totals"]["new"] or report["totals"]["superseded"]):
                return Made(None, report, known)
            making.rename(self._held() / preview_id)
            with self._lock:
                if not self._mine:
                    atexit.register(self.close)
                self._mine.add(preview_id)
            return Made(preview_id, report, known)
        finally:
            shutil.rmtree(making, ignore_errors=True)

    def _read(self, making: Path) -> dict[str, Json]:
        """Lets another process read the files, so that none of them can take this one down. Raises RequestError."""
        base = live_file(self._folder)
        if base is not None:
            # Publishing copies what it points at; a link costs nothing and touches nothing.
            (making / "store" / base.name).symlink_to(base.resolve())
            (making / "store" / POINTER).write_text(f"{base.name}\n", encoding="utf-8")
        path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
        with subprocess.Popen(
            [sys.executable, "-m", "ingest.preview", str(making)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        ) as process:
            try:
                said, trouble = process.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise RequestError(
                    422, f"reading these files took longer than {PATIENCE_S:g} seconds: drop fewer, or ingest them"
                ) from None
        if process.returncode:
            last = trouble.decode("utf-8", "replace").strip().splitlines()[-1:] or ["it ended without a word"]
            raise RequestError(422, f"these files could not be read: {last[0]}")
        report: dict[str, Json] = orjson.loads(said)
        return report

    def _held(self) -> Path:
        """The folder of all previews of this store, ours alone; made when it is first needed."""
        with self._lock:
            if self._root is None or not self._root.is_dir():
                name = hashlib.sha256(os.fsencode(self._folder.resolve())).hexdigest()[:12]
                above = Path(os.environ.get(DIRECTORY) or tempfile.gettempdir())
                root = above / f"halo-previews-{os.geteuid()}-{name}"
                root.mkdir(mode=0o700, parents=True, exist_ok=True)
                if root.is_symlink() or root.stat().st_uid != os.geteuid():
                    # Somebody else was there first. One of our own, which other workers will not find.
                    root = Path(tempfile.mkdtemp(prefix="halo-previews-"))
                root.chmod(0o700)
                self._root = root
            return self._root

    def _place(self, preview_id: str) -> Path | None:
        """Where a preview lies, if it is there and not too old."""
        if not _ID.fullmatch(preview_id):
            return None
        folder = self._held() / preview_id
        return folder if _age(folder) < KEPT_S else None

    def _expire(self, most: int) -> None:
        """Takes away what is too old, whose maker is gone, or too many, the oldest first."""
        aged = sorted((_age(folder), folder) for folder in self._held().iterdir())
        kept = [folder for age, folder in aged if age < KEPT_S and _lives(folder)]
        for _, folder in aged:
            if folder not in kept[:most]:
                shutil.rmtree(folder, ignore_errors=True)
                with self._lock:
                    self._open.pop(folder.name, None)
                    self._mine.discard(folder.name)


def _age(folder: Path) -> float:
    for place in (folder / _MAKER, folder):
        with contextlib.suppress(OSError):
            return time.time() - place.stat().st_mtime
    return float("inf")


def _lives(folder: Path) -> bool:
    """Whether the process that made a preview is still there."""
    try:
        os.kill(int((folder / _MAKER).read_text(encoding="ascii")), 0)
    except FileNotFoundError:
        # It is being made this very moment, unless its maker died of it.
        return _age(folder) < PATIENCE_S
    except ProcessLookupError:
        return False
    except (OSError, ValueError):
        return True
    return True
