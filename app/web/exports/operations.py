"""The exports in the API's description."""

from app.view import PARAMETERS
from app.web.exports.routes import MEDIA
from app.web.operation import Operation

_STAMPED = (
    "The columns `halo_snapshot`, `halo_view` and `halo_made` at the end say which view of which snapshot this is and "
    "when it was made; the time is left out where the link names the snapshot, since that answer never changes."
)
_KEPT = (
    "The file's own metadata hold `halo.snapshot`, `halo.view`, `halo.made` (left out where the link names the "
    "snapshot, since that answer never changes) and `halo.units`; each field says its label, unit and definition."
)


def _export(kind: str, summary: str, text: str, *own: str) -> Operation:
    return Operation(
        path=f"/api/v1/points.{kind}",
        name=f"points_{kind}",
        summary=summary,
        text=f"Every match, or the first `limit`. {text}",
        model=None,
        query=(*PARAMETERS, "limit", *own),
        example="?limit=1",
        wrong="?limit=none",
        media=MEDIA[kind],
    )


EXPORTS: tuple[Operation, ...] = (
    _export(
        "csv",
        "The same rows as CSV",
        "Lists are joined: tiers by `>`, flags by `;`. What is not known is an empty cell. A text that a spreadsheet "
        "would run as a formula (it begins with = + - @ or a tab) gets a `'` before it; numbers stay numbers. "
        f"`units=1` writes units into the header. {_STAMPED}",
        "units",
    ),
    _export("ndjson", "The same rows as JSON lines", f"One row a line, with the keys of the API. {_STAMPED}"),
    _export(
        "md",
        "The same rows as a Markdown table",
        "For issues and pull requests: a table that GitHub draws, units in its header, and no column in which no row "
        "says anything. The line above it names snapshot, view and time.",
    ),
    _export(
        "parquet",
        "The same rows as Parquet",
        f"Lists stay lists, what is not known is null. {_KEPT}",
    ),
    _export(
        "arrow",
        "The same rows as an Arrow file",
        f"The IPC file format (Feather version 2), a record batch for each 2,500 rows. {_KEPT}",
    ),
)
