"""What lies between two snapshots of a store: which addresses came, went, or hold something else now."""

from collections.abc import Sequence
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

    def moves(self, earlier: Asking, selection: Selection) -> list[Move]:
        """Every address that changed and that the filters hold before or after: changed, then new, then retired."""
        where, bound = selection.where()
        gone, came = (sql.format(earlier=earlier.seq, later=self.seq) for sql in (_GONE, _CAME))
        found = self._ask(
            f"""WITH gone AS {gone}, came AS {came},
                    touched AS (SELECT id FROM gone WHERE {where} UNION SELECT id FROM came WHERE {where})
                SELECT t.id, g.row, c.row FROM touched AS t
                LEFT JOIN gone AS g ON g.id = t.id LEFT JOIN came AS c ON c.id = t.id
                ORDER BY c.row IS NULL, g.row IS NULL, coalesce(c.row, g.row)""",
            [*bound, *bound],
        )
        return [Move(*values) for values in found]

    def metric_moves(self, moves: Sequence[Move], selection: Selection) -> list[MetricMoves]:
        """The metrics that points with a content before and after state differently, in catalog order."""
        both = [(move.before, move.after) for move in moves if move.before is not None and move.after is not None]
        if not both:
            return []
        keys = [metric.key for metric in METRICS]
        listed = ", ".join(f'{metric_sql(key)} AS "{key}"' for key in keys)
        counted = ", ".join(
            f'count(*) FILTER (WHERE a."{key}" IS DISTINCT FROM b."{key}"), '
            f'count(*) FILTER (WHERE a."{key}" > b."{key}"), count(*) FILTER (WHERE a."{key}" < b."{key}"), '
            f'median(a."{key}" / b."{key}" - 1) FILTER (WHERE a."{key}" <> b."{key}" AND b."{key}" <> 0)'
            for key in keys
        )
        priced = PRICED.format(table="points")
        sql = f"""WITH {PRICE_CTE}, pairs AS (SELECT unnest(?::BIGINT[]) AS old, unnest(?::BIGINT[]) AS fresh),
                m AS (SELECT row, {listed} FROM {priced} AS p
                      WHERE row IN (SELECT old FROM pairs) OR row IN (SELECT fresh FROM pairs))
            SELECT {counted} FROM pairs JOIN m AS b ON b.row = pairs.old JOIN m AS a ON a.row = pairs.fresh"""
        befores, afters = zip(*both, strict=True)
        values = self._ask(sql, [*price_values(selection.prices), list(befores), list(afters)])[0]
        found = [MetricMoves(key, *values[4 * n : 4 * n + 4]) for n, key in enumerate(keys)]
        return [item for item in found if item.points]
