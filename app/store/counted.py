"""How many points of a snapshot there are of what, and which groups may share a chart."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS
from app.store.asking import Asking, Row
from app.store.select import OFFLOAD_WORDS, Selection, metric_sql


@dataclass(frozen=True, slots=True)
class Group:
    """What may share a chart: one model on one workload, of one origin. How many points, and how many can be drawn."""

    model: str | None
    workload: str | None
    origin: str
    points: int
    drawable: int


class Counted(Asking):
    """Counts of points by dimension, metric, offload word, group and source."""

    def counts(self, selection: Selection, key: str) -> dict[str | None, int]:
        """How many points each value of a dimension would give, its own filter left out."""
        dimension = DIMENSIONS[key]
        loose = Selection(
            filters={name: values for name, values in selection.filters.items() if name != key},
            offload=selection.offload if key != "offload" else (),
            newest=selection.newest,
            prices=selection.prices,
        )
        column = f'"{dimension.column}"'
        value = f"unnest({column})" if dimension.many else column
        sql, bound = self._query(loose, f"{value} AS v, row", "")
        found = self._ask(f"SELECT v::VARCHAR, count(*) FROM ({sql}) GROUP BY v ORDER BY v NULLS LAST", bound)
        return {value: int(count) for value, count in found}

    def counts_of(self, selection: Selection, keys: Sequence[str]) -> dict[str, dict[str | None, int]]:
        """`counts` of several dimensions, in one question where none of them has a filter of its own."""
        free = [key for key in keys if not selection.filters.get(key)]
        found: dict[str, dict[str | None, int]] = {key: {} for key in keys}
        found |= {key: self.counts(selection, key) for key in keys if key not in free}
        if not free:
            return found
        sql, bound = self._query(selection, ", ".join(f'"{DIMENSIONS[key].column}"' for key in free), "")
        each = " UNION ALL ".join(
            f"SELECT {i}, v::VARCHAR, count(*) FROM {_values('m', key)} GROUP BY v" for i, key in enumerate(free)
        )
        listed = self._ask(f"WITH m AS MATERIALIZED ({sql}) SELECT * FROM ({each}) ORDER BY ALL NULLS LAST", bound)
        for i, value, count in listed:
            found[free[i]][value] = int(count)
        return found

    def known(self, selection: Selection) -> dict[str, int]:
        """How many of the selected points have each metric."""
        keys = [metric.key for metric in METRICS]
        sql, bound = self._query(selection, ", ".join(f"count({metric_sql(key)})" for key in keys), "", keys)
        return dict(zip(keys, (int(n) for n in self._ask(sql, bound)[0]), strict=True))

    def offload_counts(self, selection: Selection) -> dict[str, int]:
        """How many points each offload word would give, the offload filter left out."""
        loose = Selection(filters=selection.filters, newest=selection.newest, prices=selection.prices)
        columns = ", ".join(f"count(*) FILTER (WHERE {sql})" for sql in OFFLOAD_WORDS.values())
        sql, bound = self._query(loose, columns, "")
        return dict(zip(OFFLOAD_WORDS, (int(n) for n in self._ask(sql, bound)[0]), strict=True))

    def newest_groups(self, selection: Selection, x: Sequence[str], y: str) -> list[Group]:
        """Every group that holds matching points, the newest first; figures from reports come last.

        `drawable` counts the points that have `y` and one of the metrics `x`.
        """
        some_x = " OR ".join(f"{metric_sql(key)} IS NOT NULL" for key in x)
        columns = f"model, workload, origin, run_instant, since, {metric_sql(y)} IS NOT NULL AND ({some_x}) AS placed"
        sql, bound = self._query(selection, columns, "", [*x, y])
        found = self._ask(
            f"""SELECT model, workload, origin, count(*), count(*) FILTER (WHERE placed) FROM ({sql}) AS m
                GROUP BY model, workload, origin
                ORDER BY origin = 'published', max(run_instant) DESC NULLS LAST, max(since) DESC, count(*) DESC,
                         model, workload, origin""",
            bound,
        )
        return [
            Group(model, workload, origin, int(count), int(drawable))
            for model, workload, origin, count, drawable in found
        ]

    def paired_groups(self, selection: Selection) -> set[tuple[str | None, str | None, str]]:
        """(model, workload, origin) of the groups in which a recipe ran with KV offload and without at one load."""
        columns = "model, workload, origin, recipe_id, concurrency, offload_mode, offload_kind"
        sql, bound = self._query(selection, columns, "")
        return set(
            self._ask(
                f"""SELECT DISTINCT model, workload, origin FROM (
                        SELECT model, workload, origin FROM ({sql}) AS m
                        GROUP BY model, workload, origin, recipe_id, concurrency
                        HAVING bool_or(offload_mode = 'off') AND bool_or({OFFLOAD_WORDS["kv"]}))""",
                bound,
            )
        )

    def origins(self) -> list[str]:
        """Origins of the points that are live."""
        return [origin for (origin,) in self._ask(f"SELECT DISTINCT origin FROM {self._table} AS w ORDER BY origin")]

    def sources(self) -> list[Row]:
        """(source, origin, points, on, off, unknown) of what is live."""
        found = self._ask(
            f"""SELECT source, origin, count(*), count(*) FILTER (WHERE offload_mode = 'on'),
                       count(*) FILTER (WHERE offload_mode = 'off'), count(*) FILTER (WHERE offload_mode = 'unknown')
                FROM {self._table} AS w GROUP BY source, origin ORDER BY source, origin"""
        )
        return [
            dict(zip(("source", "origin", "points", "on", "off", "unknown"), values, strict=True)) for values in found
        ]


def _values(table: str, key: str) -> str:
    """One row for each value of a dimension in a table, as `v`."""
    column = f'"{DIMENSIONS[key].column}"'
    return f"(SELECT {f'unnest({column})' if DIMENSIONS[key].many else column} AS v FROM {table})"
