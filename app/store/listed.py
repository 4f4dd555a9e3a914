"""Rows of a snapshot in lists, and as the arrays and columns that charts are made of."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS
from app.store.asking import FLAT, Asking, Row, flags_joined, flat_sql
from app.store.select import Selection, metric_sql


@dataclass(frozen=True, slots=True)
class Columns:
    """Parallel arrays of the rows that a chart is about: missing values are NaN."""

    row: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    group: NDArray[np.int64]
    has_halo: NDArray[np.bool_]
    has_notch: NDArray[np.bool_]
    groups: list[tuple[Any, ...]]
    """The value of each grouping column, by group number."""


class Listed(Asking):
    """Which points a selection holds, in a fixed order."""

    def rows(
        self,
        selection: Selection,
        *,
        order: str = "row",
        descending: bool = False,
        limit: int | None = None,
        after: int | None = None,
        offset: int = 0,
        rows: Sequence[int] | None = None,
    ) -> list[Row]:
        """Flat rows with every metric, in a fixed order: by `order` (a metric, dimension or `row`), then by row.

        `after` continues behind a row number when ordered by row, `offset` in any order; `rows` picks row numbers.
        """
        keys = [metric.key for metric in METRICS]
        extra: list[object] = []
        tail = ""
        if after is not None:
            tail += " AND row > ?"
            extra.append(after)
        if rows is not None:
            tail += " AND row IN (SELECT unnest(?::BIGINT[]))"
            extra.append(list(rows))
        tail += f" ORDER BY {_order_sql(order)} {'DESC' if descending else 'ASC'} NULLS LAST, row"
        if limit is not None:
            tail += f" LIMIT {int(limit)}"
        if offset:
            tail += f" OFFSET {int(offset)}"
        sql, bound = self._query(selection, flat_sql(FLAT), tail, keys)
        return self._flat(sql, [*bound, *extra])

    def count(self, selection: Selection) -> int:
        sql, bound = self._query(selection, "count(*)", "")
        return int(self._ask(sql, bound)[0][0])

    def columns(self, selection: Selection, x: str, y: str, group_by: Sequence[str]) -> Columns:
        """The arrays a chart needs: two metrics, a group number, and whether the point carries a halo."""
        listed = ", ".join(f'"{DIMENSIONS[key].column}"' for key in group_by)
        listing = ", ".join(f'"{DIMENSIONS[key].column}" NULLS LAST' for key in group_by)
        sql, bound = self._query(
            selection,
            f"{listed}, row, {metric_sql(x)} AS x_, {metric_sql(y)} AS y_, "
            "coalesce(offload_kind IN ('kv', 'kv+parameter'), false) AS halo_, "
            "coalesce(offload_kind IN ('parameter', 'kv+parameter'), false) AS notch_",
            "",
            [x, y],
        )
        with self._cursor() as cursor:
            # Rows find their group by a hash of its words: a join on the words takes five times as long.
            groups = cursor.execute(
                f"SELECT DISTINCT {listed}, hash({listed}) AS code_ FROM ({sql}) ORDER BY {listing}", bound
            ).fetchall()
            found = cursor.execute(
                f"SELECT row, x_, y_, halo_, notch_, hash({listed}) AS code_ FROM ({sql})", bound
            ).fetchnumpy()
        row = np.asarray(found["row"], dtype=np.int64)
        is_sorted = bool(np.all(row[1:] > row[:-1]))
        order = np.arange(len(row)) if is_sorted else np.argsort(row, kind="stable")
        codes = np.array([group[-1] for group in groups], dtype=np.uint64)
        by_code = np.argsort(codes)
        group = by_code[np.searchsorted(codes[by_code], np.asarray(found["code_"], dtype=np.uint64))]
        return Columns(
            row=row[order],
            x=_floats(found["x_"])[order],
            y=_floats(found["y_"])[order],
            group=group[order],
            has_halo=np.asarray(found["halo_"], dtype=bool)[order],
            has_notch=np.asarray(found["notch_"], dtype=bool)[order],
            groups=[group[:-1] for group in groups],
        )

    def pick(self, rows: Sequence[int], columns: Sequence[str], selection: Selection) -> dict[str, list[Any]]:
        """Some columns of some rows, as lists in row order: what a chart's cards show. `flags` are all of a row's."""
        wanted = [key for key in columns if key in METRICS]
        told = [*columns, "row", "extra_flags"]
        names = ", ".join(f'{metric_sql(key)} AS "{key}"' if key in METRICS else f'"{key}"' for key in told)
        every = Selection(newest=False, prices=selection.prices)
        sql, bound = self._query(every, names, "AND row IN (SELECT unnest(?::BIGINT[])) ORDER BY row", wanted)
        found = self._ask(sql, [*bound, list(rows)])
        picked = {name: [values[i] for values in found] for i, name in enumerate(columns)}
        if "flags" in picked:
            doubts = self.doubts().of([values[-2] for values in found])
            picked["flags"] = [
                flags_joined(own, values[-1], more)
                for own, values, more in zip(picked["flags"], found, doubts, strict=True)
            ]
        return picked

    def facts(self, rows: Sequence[int], columns: Sequence[str], selection: Selection) -> list[Row]:
        """The same, row by row."""
        picked = self.pick(rows, tuple(dict.fromkeys(columns)), selection)
        return [dict(zip(picked, values, strict=True)) for values in zip(*picked.values(), strict=True)]

    def repeats(self, rows: Sequence[int], metrics: Sequence[str], selection: Selection) -> list[Row]:
        """Every row of the selection, older runs too, with the config, workload, load and origin of one of `rows`.

        Rows that were measured once are left out.

        A row holds `row id identity origin run cold newest_rank flags` and the metrics.
        """
        names = ", ".join(
            [f'"{name}"' for name in _OF_REPEATS] + [f'{metric_sql(key)} AS "{key}"' for key in dict.fromkeys(metrics)]
        )
        every = replace(selection, newest=False)
        sql, bound = self._query(
            every,
            names,
            "AND (identity, origin) IN (SELECT (identity, origin) FROM points WHERE row IN "
            "(SELECT unnest(?::BIGINT[]))) QUALIFY count(*) OVER (PARTITION BY identity, origin) > 1 "
            "ORDER BY identity, newest_rank, row",
            metrics,
        )
        return self._flat(sql, [*bound, list(rows)])


_OF_REPEATS = ("row", "id", "identity", "origin", "run", "cold", "newest_rank", "flags", "extra_flags")


def _order_sql(key: str) -> str:
    if key in METRICS:
        return metric_sql(key)
    if key in DIMENSIONS:
        return f'"{DIMENSIONS[key].column}"'
    if key in FLAT:
        return f'"{key}"'
    raise ValueError(f"rows cannot be ordered by {key!r}")


def _floats(values: Any) -> NDArray[np.float64]:
    """DuckDB marks missing values with a mask; here they become NaN."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(values.filled(np.nan), dtype=np.float64)
    return np.asarray(values, dtype=np.float64)
