"""AIPerf's metrics by slice of time, as JSON or as a table in long form: what the clients saw, and when."""

import re
from collections.abc import Iterator
from itertools import groupby

from app.catalog.point import Json
from app.store.series import Slice
from ingest.document import Document
from ingest.sources.aiperf_files.blocks import COUNTS, Blocks
from ingest.sources.aiperf_files.tables import rows_of
from ingest.sources.fields import Fields

HEADER = "Timeslice,Start_NS,End_NS,Metric"
_COLUMNS = 7


def slices(document: Document) -> Iterator[Slice]:
    """The slices of a document, those in which a request was sent."""
    if document.data[:4].lstrip(b"\xef\xbb\xbf")[:1] == b"{":
        value = document.parsed.value
        listed = value.get("timeslices") if isinstance(value, dict) else None
        found: Iterator[dict[str, Json]] = (
            item for item in (listed if isinstance(listed, list) else ()) if isinstance(item, dict)
        )
    else:
        found = _in_table(document.text)
    for record in found:
        if (slice := _slice(Fields(record))) is not None:
            yield slice


def _slice(record: Fields) -> Slice | None:
    start, end = record.integer("start_ns"), record.integer("end_ns")
    if start is None or end is None or end <= start:
        return None
    blocks = Blocks(record)
    ttft, itl = blocks.seconds("time_to_first_token"), blocks.seconds("inter_token_latency")
    return Slice(
        start_ns=start,
        end_ns=end,
        in_flight=blocks.value("effective_concurrency", COUNTS),
        requests=blocks.value("request_count", COUNTS),
        ttft_50_s=ttft.number("p50"),
        ttft_90_s=ttft.number("p90"),
        itl_50_s=itl.number("p50"),
        itl_90_s=itl.number("p90"),
    )


def _in_table(text: str) -> Iterator[dict[str, Json]]:
    """Rows of a slice, which stand together, as the object that the JSON form has."""
    rows = (row for row in rows_of(text) if len(row) == _COLUMNS and row[1].isdigit())
    for (start, end), group in groupby(rows, key=lambda row: (row[1], row[2])):
        record: dict[str, Json] = {"start_ns": int(start), "end_ns": end}
        for _, _, _, label, unit, statistic, value in group:
            key = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")
            record.setdefault(key, {"unit": unit})[statistic] = value
        yield record
