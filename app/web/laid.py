"""Folders that hold what was sent for as long as it is read."""

import contextlib
import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_HELD = ".held"
OLD_S = 3600.0
"""Seconds after which a folder that nobody holds is left over: none is without its lock for longer than a moment."""


@contextlib.contextmanager
def laid(prefix: str) -> Iterator[Path]:
    """A folder that goes when the block ends. One whose process was killed goes when the next is made."""
    sweep(prefix)
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (folder / _HELD).open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            (folder / "files").mkdir()
            yield folder / "files"


def sweep(prefix: str) -> None:
    """Takes away the old folders of that name that no process holds."""
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > OLD_S and not _is_held(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_held(folder: Path) -> bool:
    try:
        with (folder / _HELD).open() as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
