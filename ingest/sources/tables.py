"""CSV files of results: the header, which tells the format, and the rows below it by their line."""

import csv
import io
from collections.abc import Iterator

from ingest.document import Document

_HEAD = 16384
_COMMENT = "#"

Row = dict[str, str | None]


class Cut(ValueError):
    """A line with fewer or more cells than the header has: the file is damaged there. The text says so."""


def header_of(document: Document) -> list[str]:
    """The names of the columns; empty for what is no table. Comment lines above them are passed over."""
    head = document.data[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:1] in (b"", b"{", b"[") or b"\0" in head or b"," not in head:
        return []
    lines = (line for line in head.decode("utf-8", "replace").splitlines() if _says_something(line))
    return _cells(next(lines, ""))


def rows_of(document: Document) -> Iterator[tuple[int, Row | Cut]]:
    """Each line below the header with its number. Empty cells are None."""
    names: list[str] = []
    reader = csv.reader(io.StringIO(document.text, newline=""))
    try:
        for cells in reader:
            if not _says_something(",".join(cells)):
                continue
            if not names:
                names = [cell.strip() for cell in cells]
            elif len(cells) != len(names):
                yield (
                    reader.line_num,
                    Cut(f"it has {len(cells)} cells where the header has {len(names)}: the line is cut off or damaged"),
                )
            else:
                yield reader.line_num, {name: cell.strip() or None for name, cell in zip(names, cells, strict=True)}
    except csv.Error as error:
        yield reader.line_num, Cut(f"it is no line of a table: {error}")


def _says_something(line: str) -> bool:
    return bool(line.strip(" ,\t\r\n")) and not line.lstrip().startswith(_COMMENT)


def _cells(line: str) -> list[str]:
    try:
        return [name.strip() for name in next(csv.reader([line]), [])]
    except csv.Error:
        return []
