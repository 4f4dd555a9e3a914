"""The live snapshot's name, asked of the file system once a request and read only when it changed."""

import os
from pathlib import Path

from app.store.files import POINTER, StoreError, pointer_text


class Pointer:
    """Called, it gives the text of the pointer; None where nothing was published or the store cannot be read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = str(folder / POINTER)
        self._seen: tuple[tuple[int, int, int] | None, str | None] = (None, None)

    def __call__(self) -> str | None:
        stamp = self._stamp()
        seen, text = self._seen
        if stamp is not None and stamp == seen:
            return text
        try:
            text = pointer_text(self._folder)
        except StoreError:
            return None  # What is behind asks again, and says what is wrong.
        self._seen = (stamp, text)
        return text

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            # Path.stat() costs twice as much, and this runs with every request.
            found = os.stat(self._path)  # noqa: PTH116
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size
