"""Files that a later pass will look into again: their bytes are let go, and found again where they lie."""

import os
import tempfile
from pathlib import Path
from types import TracebackType

from ingest.document import Document, Reopened

_HEAD = 512


class Shelf:
    """Remembers where documents can be read again. What came out of archives is laid into a temporary folder."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> "Shelf":
        self._folder = tempfile.TemporaryDirectory(prefix="halo-", ignore_cleanup_errors=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def folder(self) -> Path:
        if self._folder is None:
            raise RuntimeError("a shelf is used inside its with statement")
        return Path(self._folder.name)


def shelved(document: Document, folder: Path | None) -> Reopened:
    """The document without its bytes. Without a folder, what is not a file of its own cannot be opened again."""
    path = Path(document.resolved)
    if _is_as_read(path, document):
        return Reopened(document, path)
    if folder is None:
        return Reopened(document, None)
    handle, name = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "wb") as file:
        file.write(document.data)
    return Reopened(document, Path(name))


def _is_as_read(path: Path, document: Document) -> bool:
    """Whether a file holds just the document: not an archive around it, nor its packed form."""
    try:
        with path.open("rb") as file:
            return os.fstat(file.fileno()).st_size == len(document.data) and document.data.startswith(file.read(_HEAD))
    except (OSError, ValueError):
        return False
