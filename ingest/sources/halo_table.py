"""The Halo table: CSV or Parquet in Halo's own words, for figures that no benchmark file holds.

Recognised by its header, whatever the file is called. The accepted columns are those of
`ingest/table/groups.py`, which reads them off the catalog; docs/halo_table.md lists them.
"""

from collections.abc import Iterator
from typing import Literal

from ingest.document import Document
from ingest.sources.base import Found, Reading, Refused
from ingest.table.columns import is_halo_header, wrong_header
from ingest.table.points import BadRow, point_of
from ingest.table.rows import header, rows


class HaloTable:
    """Tables in our own words. A wrong name in the header costs the file, a bad row only itself."""

    key = "halo-table"
    label = "Halo table"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return is_halo_header(header(document) or ())

    def read(self, document: Document) -> Iterator[Reading]:
        if (wrong := wrong_header(header(document) or ())) is not None:
            yield Refused("header", wrong)
            return
        for row in rows(document):
            try:
                if row.problem is not None:
                    raise BadRow(row.problem)
                yield Found(row.where, point_of(row.cells))
            except BadRow as error:
                yield Refused(row.where, str(error))
