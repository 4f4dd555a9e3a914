"""What lies between two snapshots of a store: which addresses came, went, or hold something else now."""

from dataclasses import dataclass, replace
from datetime import datetime

from app.catalog.metrics import METRICS
from app.store.asking import Asking
from app.store.select import PRICE_CTE, PRICED, Selection, metric_sql, price_values

_GONE = "(SELECT * FROM points WHERE since <= {earlier} AND until > {earlier} AND until <= {later})"
_CAME = "(SELECT * FROM points WHERE since > {earlier} AND since <= {later} AND (until IS NULL OR until > {later}))"


@dataclass(frozen=True, slots=True)
class Move:
    """An address whose content is another: the row that stood there, and the one that stands there now."""

    id: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class MetricMoves:
    """How many points state another value of a metric; `middle` is the median relative change."""

    key: str
    points: int
    up: int
    down: int
    middle: float | None


@dataclass(frozen=True, slots=True)
class Run:
    """A run with points of a selection: when it began, by its own account, and the engine versions it used.

    `since` is the snapshot, by place in the history, that first held some of it.
    """

    run: str
    label: str
    time: str | None
    instant: datetime | None
    since: int
    versions: tuple[str, ...]


class Changed(Asking):
    """The way from an earlier snapshot to this one, and from run to run."""

    def runs(self, selection: Selection) -> list[Run]:
        """Runs with matching points, in order of ingest."""
        sql, bound = self._query(
            replace(selection, newest=False), "run, run_label, run_time, run_instant, since, engine_version", ""
        )
        found = self._ask(
            f"""SELECT run, min(run_label), arg_min(run_time, run_instant), min(run_instant), min(since),
                    list(DISTINCT engine_version ORDER BY engine_version) FILTER (engine_version IS NOT NULL)
                FROM ({sql}) AS m GROUP BY run ORDER BY min(since), run""",
            bound,
        )
        return [
            Run(run, label or run, time, moment, since, tuple(versions or ()))
            for run, label, time, moment, since, versions in found
        ]

    def move_counts(self, earlier: Asking, selection: Selection) -> tuple[int, int, int]:
        """How many addresses hold something else, are new, and are retired, that the filters hold before or after."""
        sql, bound = self._moves(earlier, selection)
        tests = ("old IS NOT NULL AND fresh IS NOT NULL", "old IS NULL", "fresh IS NULL")
        counts = ", ".join(f"count(*) FILTER (WHERE {test})" for test in tests)
        changed, added, retired = self._ask(f"{sql} SELECT {counts} FROM moves", bound)[0]
        return int(changed), int(added), int(retired)

    def moves(self, earlier: Asking, selection: Selection, limit: int, offset: int = 0) -> list[Move]:
        """Some of those addresses: the changed ones, then the new, then the retired."""
        sql, bound = self._moves(earlier, selection)
        order = "ORDER BY fresh IS NULL, old IS NULL, coalesce(fresh, old)"
        found = self._ask(
            f"{sql} SELECT id, old, fresh FROM moves {order} LIMIT {int(limit)} OFFSET {int(offset)}", bound
        )
        return [Move(*values) for values in found]

    def _moves(self, earlier: Asking, selection: Selection) -> tuple[str, list[object]]:
        """SQL that begins with `moves`: id, former row and present row of each address; and its bound values."""
        where, bound = selection.where()
        gone, came = (sql.format(earlier=earlier.seq, later=self.seq) for sql in (_GONE, _CAME))
        sql = f"""WITH gone AS {gone}, came AS {came},
                touched AS (SELECT id FROM gone WHERE {where} UNION SELECT id FROM came WHERE {where}),
                moves AS (SELECT t.id, g.row AS old, c.row AS fresh FROM touched AS t
                    LEFT JOIN gone AS g ON g.id = t.id LEFT JOIN came AS c ON c.id = t.id)"""
        return sql, [*bound, *bound]

    def metric_moves(self, earlier: Asking, selection: Selection) -> list[MetricMoves]:
        """The metrics that points with a content before and after state differently, in catalog order."""
        keys = [metric.key for metric in METRICS]
        listed = ", ".join(f'{metric_sql(key)} AS "{key}"' for key in keys)
        counted = ", ".join(
            f'count(*) FILTER (WHERE a."{key}" IS DISTINCT FROM b."{key}"), '
            f'count(*) FILTER (WHERE a."{key}" > b."{key}"), count(*) FILTER (WHERE a."{key}" < b."{key}"), '
            f'median((a."{key}" - b."{key}") / abs(b."{key}")) FILTER (WHERE a."{key}" <> b."{key}" AND b."{key}" <> 0)'
            for key in keys
        )
        priced = PRICED.format(table="points")
        begin, bound = self._moves(earlier, selection)
        sql = f"""{begin}, {PRICE_CTE}, pairs AS (SELECT * FROM moves WHERE old IS NOT NULL AND fresh IS NOT NULL),
                m AS (SELECT row, {listed} FROM {priced} AS p
                      WHERE row IN (SELECT old FROM pairs UNION ALL SELECT fresh FROM pairs))
            SELECT {counted} FROM pairs JOIN m AS b ON b.row = pairs.old JOIN m AS a ON a.row = pairs.fresh"""
        values = self._ask(sql, [*bound, *price_values(selection.prices)])[0]
        found = [MetricMoves(key, *values[4 * n : 4 * n + 4]) for n, key in enumerate(keys)]
        return [item for item in found if item.points]
