"""AIPerf's summary as a table, `profile_export_aiperf.csv`, turned into the blocks that the JSON holds.

It lacks the config, so it is a result only where it stands alone.
"""

import csv
import re
from collections.abc import Iterator

from app.catalog.point import Json

_NAME = re.compile(r"^(?P<label>.*?)\s*(?:\((?P<unit>[^()]+)\))?$")
_KEYS = {
    "total_input_sequence_length": "total_isl",
    "total_output_sequence_length": "total_osl",
    "minimum_request_timestamp": "min_request_timestamp",
    "maximum_response_timestamp": "max_response_timestamp",
}
_FIRST = re.compile(r"^\ufeff?Metric,\s*(avg|Value)\b")


def is_table(text: str) -> bool:
    """Whether a text is such a table: GenAI-Perf's begins alike, but writes its rates `per sec`."""
    return _FIRST.match(text) is not None and "tokens/sec" in text


def rows_of(text: str) -> Iterator[list[str]]:
    """The rows of a text, up to the first that is no row."""
    try:
        yield from csv.reader(text.lstrip("\ufeff").splitlines())
    except csv.Error:
        return


def blocks_in(text: str) -> dict[str, Json]:
    """Blocks by key. Of the tables that the file holds, the one of GPUs has rows of another kind and is left out."""
    blocks: dict[str, Json] = {}
    columns: list[str] = []
    for row in rows_of(text):
        if not row or not row[0].strip():
            columns = []
        elif row[0] == "Metric":
            columns = ["avg" if name == "Value" else name for name in row[1:]]
        elif columns and (match := _NAME.match(row[0].strip())):
            slug = re.sub(r"[^a-z0-9]+", "_", match["label"].lower()).strip("_")
            figures = {name: cell for name, cell in zip(columns, row[1:], strict=False) if cell.strip()}
            blocks[_KEYS.get(slug, slug)] = {"unit": match["unit"] or "count", **figures}
    return blocks
