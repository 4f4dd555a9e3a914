"""Whether a header is that of a Halo table, and what is wrong with it if not."""

import difflib
from collections.abc import Sequence

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS
from app.catalog.vocabulary import folded
from ingest.table.groups import GROUPS, Column

FREE = "x_"
"""Prefix of a column that is not ours: its cells are kept as facts of the point, under the whole name."""


def _by_name() -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for column in (column for group in GROUPS.values() for column in group):
        if columns.setdefault(column.name, column) is not column:
            raise ValueError(f"two columns of a Halo table are called {column.name!r}")
    return columns


COLUMNS: dict[str, Column] = _by_name()


def is_known(name: str) -> bool:
    return name in COLUMNS or name.startswith(FREE)


def is_halo_header(names: Sequence[str]) -> bool:
    """Whether a header is meant for us: one metric at least, and most of its names ours."""
    ours = [name for name in names if not name.startswith(FREE)]
    return any(name in METRICS for name in ours) and 2 * sum(map(is_known, ours)) > len(ours)


def nearest(name: str) -> str | None:
    """The accepted column that a name most likely means."""
    dimension = DIMENSIONS.resolve(name)
    if dimension is not None and dimension.column in COLUMNS:
        return dimension.column
    if (metric := METRICS.resolve(name)) is not None:
        return metric.key
    close = difflib.get_close_matches(folded(name).replace("-", "_"), COLUMNS, n=1)
    return close[0] if close else None


def wrong_header(names: Sequence[str]) -> str | None:
    """What is wrong with a header, as a sentence; None when nothing is."""
    if "" in names:
        return f"column {list(names).index('') + 1} has no name in the header"
    if twice := [name for at, name in enumerate(names) if name in names[:at]]:
        return f"the column {twice[0]} stands in the header twice"
    unknown = [name for name in names if not is_known(name)]
    if not unknown:
        return None
    hints = [f"{name} (did you mean {near}?)" if (near := nearest(name)) else name for name in unknown]
    return (
        f"unknown column{'s' if len(hints) > 1 else ''} {', '.join(hints)}: docs/halo_table.md lists what a header "
        f"may hold; a column of your own is kept when its name starts with {FREE}, as in {FREE}{unknown[0]}"
    )
