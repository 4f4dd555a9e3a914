"""Which files of a run directory belong together; where it holds several runs, the stems of the names tell."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from ingest.document import Document, Reopened
from ingest.sources.companions import nearest

_ENDINGS = ("_server_metrics", "_server_metrics_export", "_timeslices", "_raw", "_aiperf", "_gpu_telemetry")


def stem_of(document: Document) -> str:
    """The part of a name that all files of one run share."""
    stem = PurePosixPath(document.name).stem
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    return stem


def about(document: Document, others: Sequence[Document], run: str | None = None) -> Sequence[Document]:
    """The results nearest to a file; of several, those that name the same run, else those of its stem."""
    found = nearest(document, others)
    if len(found) <= 1:
        return found
    named = [other for other in found if run and _names(other, run)]
    return named or [other for other in found if stem_of(other) == stem_of(document)] or found


def _names(document: Document, run: str) -> bool:
    try:
        return run.encode() in document.data
    finally:
        let_go(document)


def let_go(document: Document) -> None:
    """Frees the bytes of a file that was only looked into."""
    if isinstance(document, Reopened):
        document.forget()
