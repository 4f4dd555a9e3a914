"""Doubts about a point that only the points around it can raise: worked out of a snapshot, never stored in it."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from app.catalog.metrics import CACHED_SHARE, METRICS, TOTAL_TPUT_PER_CHIP, ttft

FALL = 0.05
"""How much shorter the wait of a heavier load may be before one wonders; less is noise."""
SPREAD = 0.2
"""How far repeats may lie apart, over their median."""
OTHER_HITS = 0.02
"""How far two hit rates lie apart before one expects other times."""
ENOUGH = 3
"""Warm repeats that make a spread (two are a pair), and times that make a likeness."""

FLAGS = ("noisy_repeats", "timings_equal", "ttft_falls_with_load")
"""What may be found, in the order in which a row names it."""

NOT_STORED = "not_stored"
"""Of a point that a preview holds and the store does not."""

_TIMES = tuple(metric.key for metric in METRICS if metric.group in ("Latency", "Interactivity"))
_MEDIAN_WAIT, _MEAN_WAIT = ttft("p50"), ttft("mean")

# Groups are told apart by hashes of their words: numbers sort and join several times faster than texts.
_SQL = f"""
WITH p AS MATERIALIZED (
    SELECT row, newest_rank, cold, concurrency, hash(identity, {{fresh}}) AS identity_,
        hash(config_id, workload, origin, {{fresh}}) AS curve,
        hash(recipe_id, workload, origin, concurrency, {{fresh}}) AS load,
        "{_MEDIAN_WAIT}" AS median_wait, "{_MEAN_WAIT}" AS mean_wait, "{TOTAL_TPUT_PER_CHIP}" AS speed,
        "{CACHED_SHARE}" AS hits, hash({", ".join(f'"{key}"' for key in _TIMES)}) AS times,
        {" + ".join(f'("{key}" IS NOT NULL)::INTEGER' for key in _TIMES)} AS timed
    FROM {{table}} AS q),
heavier AS (
    SELECT identity_, lead(median_wait) OVER next AS median_then, lead(mean_wait) OVER next AS mean_then
    FROM p WHERE newest_rank = 1 AND concurrency IS NOT NULL
    WINDOW next AS (PARTITION BY curve ORDER BY concurrency, row)),
falls AS (
    SELECT row FROM p JOIN heavier USING (identity_)
    WHERE CASE WHEN median_wait IS NOT NULL AND median_then IS NOT NULL THEN median_then < median_wait * {1 - FALL}
        ELSE mean_then < mean_wait * {1 - FALL} END),
spread AS (
    SELECT identity_ FROM p WHERE speed IS NOT NULL AND NOT cold
    GROUP BY identity_ HAVING count(*) >= {ENOUGH} AND max(speed) - min(speed) > {SPREAD} * median(speed)),
alike AS (
    SELECT load, times, min(hits) AS fewest, max(hits) AS most FROM p WHERE hits IS NOT NULL AND timed >= {ENOUGH}
    GROUP BY load, times HAVING max(hits) - min(hits) > {OTHER_HITS}),
found AS (
    SELECT row, 1 AS flag FROM p SEMI JOIN spread USING (identity_)
    UNION ALL SELECT row, 2 FROM p JOIN alike USING (load, times)
        WHERE timed >= {ENOUGH} AND greatest(most - hits, hits - fewest) > {OTHER_HITS}
    UNION ALL SELECT row, 4 FROM falls)
SELECT row, sum(flag)::TINYINT AS flags FROM found GROUP BY row ORDER BY row
"""
"""Repeats that differ widely; another hit rate of the recipe at this load with every time the same to the last digit;
a wait that the next heavier load of the config does not have. A repeat is held against the newest of that load."""


@dataclass(frozen=True, slots=True)
class Doubts:
    """The rows about which there is a doubt, ascending, and one bit a flag for each."""

    row: NDArray[np.int64]
    flags: NDArray[np.int8]
    fresh_from: int | None = None
    """The first row of a preview: those from here on are stored nowhere."""

    def of(self, rows: Sequence[int]) -> list[list[str]]:
        """The flags of each of those rows, in their order."""
        found = self._raised(rows)
        if self.fresh_from is None:
            return found
        return [[*own, NOT_STORED] if row >= self.fresh_from else own for row, own in zip(rows, found, strict=True)]

    def _raised(self, rows: Sequence[int]) -> list[list[str]]:
        if not len(self.row) or not len(rows):
            return [[] for _ in rows]
        asked = np.asarray(rows, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.row, asked), len(self.row) - 1)
        bits = np.where(self.row[at] == asked, self.flags[at], 0)
        return [[flag for place, flag in enumerate(FLAGS) if bit >> place & 1] for bit in bits.tolist()]


def doubts_in(cursor: duckdb.DuckDBPyConnection, table: str, fresh_from: int | None = None) -> Doubts:
    """All doubts about the rows of a table. Those of a preview raise none about stored ones, nor these about them."""
    found = cursor.execute(_SQL.format(table=table, fresh=fresh_sql(fresh_from))).fetchnumpy()
    return Doubts(np.asarray(found["row"], dtype=np.int64), np.asarray(found["flags"], dtype=np.int8), fresh_from)


def fresh_sql(fresh_from: int | None) -> str:
    """Whether a row is a preview's, in SQL: never in a store."""
    return f"row >= {int(fresh_from)}" if fresh_from is not None else "false"
