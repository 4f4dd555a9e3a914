"""Which source a file belongs to, and what is said when none does, several do, or one fails on it."""

import os
import zlib
from collections.abc import Sequence

import polars as pl

from ingest.document import Document
from ingest.sources.base import Companion, Source
from ingest.sources.halo_table import HaloTable
from ingest.strangers import stranger

_MISTAKES = (
    *(LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError, OSError),
    *(zlib.error, pl.exceptions.PolarsError),
)
FAILURES: tuple[type[Exception], ...] = () if os.environ.get("HALO_DEBUG") else _MISTAKES
"""What a file may make a source raise. HALO_DEBUG=1 lets it through, traceback and all."""

UNREAD = "no format that Halo reads: "
"""Start of the reason for a file that no source claims; what the file is follows."""

_KEYS_NAMED = 6


def claim(document: Document, sources: Sequence[Source | Companion]) -> Source | Companion | str:
    """The one source that claims a file, or a sentence about why none gets it.

    A Halo table is known by half its header, so it stands back where a format with columns of its own claims it.
    """
    claimants = []
    for source in sources:
        try:
            if source.claims(document):
                claimants.append(source)
        except FAILURES as error:
            return failed(source, "on it", error)
    if len(claimants) > 1:
        claimants = [source for source in claimants if not isinstance(source, HaloTable)]
    if len(claimants) == 1:
        return claimants[0]
    if claimants:
        labels = " and ".join(source.label for source in claimants)
        return f"claimed by {labels}: only one can be right"
    return _unclaimed(document)


def failed(source: Source | Companion, where: str, error: Exception) -> str:
    """A source's mistake, told without a traceback."""
    return f"could not be read: {source.label} failed {where} ({type(error).__name__}: {error})"


def _unclaimed(document: Document) -> str:
    parsed = document.parsed
    looks = document.data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
    if parsed.shape == "none" and looks and parsed.problems:
        return "; ".join(problem.reason for problem in parsed.problems[:3])
    if (known := stranger(document)) is not None:
        return f"no result: {known}"
    return f"{UNREAD}{_described(document)}"


def _described(document: Document) -> str:
    """What a file is, as far as one can tell."""
    parsed = document.parsed
    record = parsed.records[0].value if parsed.records else None
    what = {"object": "a JSON object", "array": "a JSON array", "lines": "JSON lines", "none": "not JSON"}[parsed.shape]
    if isinstance(record, dict) and record:
        keys = list(record)
        more = ", …" if len(keys) > _KEYS_NAMED else ""
        return f"{what} with the keys {', '.join(keys[:_KEYS_NAMED])}{more}"
    if parsed.shape != "none":
        return f"{what} without records"
    if b"\0" in document.data[:4096]:
        return "binary data"
    first = document.text.strip().split("\n", 1)[0].strip()
    return f"text that begins {first[:60]!r}"
