"""The questions asked of what happened during a run. All of them aggregate: rows never leave the database.

A run that recorded no phases counts as measured throughout. Interactivity is 1 over the inter-token latency at the
same percentile, as everywhere: its p90 is the slow tail.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb

from app.catalog.offload import TIERS
from app.store.bins import per_decade, width_for
from app.store.happened import Bar, Distribution, Happened, Lanes, Load, Pace, Server, Totals
from app.store.series import FOLDER, tier_column

LANES = 24
"""Most conversations that are drawn one by one."""
_COLUMNS = 160
"""Requests of one conversation that begin in the same of so many stretches are told as one."""

QUANTITIES: Mapping[str, str] = {
    "isl": "isl",
    "osl": "osl",
    "ttft": "ttft_s",
    "pace": "1 / nullif(itl_s, 0)",
}
"""What requests are distributed over, as SQL. `pace` is interactivity."""

_REQUESTS = "(SELECT *, coalesce(phase IN ('warmup', 'cooldown'), false) AS warm FROM read_parquet($1))"
_MEASURED = "ok AND NOT warm"
_SLICED = ("ttft_50_s", "ttft_90_s", "itl_50_s", "itl_90_s")
_ROOT = "split_part(coalesce(conversation, worker), '::', 1)"
"""A sub-agent's conversation is named after the one that called it, with `::` between; null where none is named."""
_SUB = "(coalesce(depth, 0) > 0 OR contains(coalesce(conversation, ''), '::'))"

Cursor = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]


class SeriesLost(Exception):
    """A file that the snapshot names is not there, or is not what it was."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The series of one point."""

    folder: Path
    names: Mapping[str, str]
    cursor: Cursor = field(repr=False)

    def _ask(self, kind: str, sql: str, bound: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        path = self.folder / FOLDER / self.names[kind]
        try:
            with self.cursor() as cursor:
                return cursor.execute(sql, [str(path), *bound]).fetchall()
        except (duckdb.IOException, duckdb.InvalidInputException) as error:
            raise SeriesLost(f"{path.name}, which holds the {kind} of this point, cannot be read") from error

    def has(self, kind: str) -> bool:
        return kind in self.names

    def totals(self) -> Totals:
        found = self._ask(
            "requests",
            f"""SELECT count(*), count(*) FILTER ({_MEASURED}), count(*) FILTER (phase = 'warmup'),
                       count(*) FILTER (phase = 'cooldown'), count(*) FILTER (NOT ok AND NOT warm),
                       count(DISTINCT {_ROOT}), count(*) FILTER ({_SUB}), count(DISTINCT worker),
                       min(start_s), max(end_s), max(end_s) FILTER (phase = 'warmup')
                FROM {_REQUESTS}""",
        )[0]
        errors = self._ask(
            "requests",
            f"""SELECT coalesce(error, 'not named'), count(*) AS n FROM {_REQUESTS} WHERE NOT ok AND NOT warm
                GROUP BY ALL ORDER BY n DESC, 1 LIMIT 20""",
        )
        names = ("requests", "measured", "warmup", "cooldown", "failed", "conversations", "sub_agents", "workers")
        counts = dict(zip(names, (int(n) for n in found[:8]), strict=True))
        start, end, warm = found[8:]
        return Totals(**counts, errors=dict(errors), start_s=start, end_s=end, warmup_end_s=warm)

    def distribution(self, quantity: str) -> Distribution | None:
        """None where no measured request has the quantity."""
        value = f"({QUANTITIES[quantity]})::DOUBLE"
        source = f"(SELECT {value} AS v FROM {_REQUESTS} WHERE {_MEASURED}) WHERE isfinite(v) AND v >= 0"
        count, mean, least, most, p50, p90, p99, low = self._ask(
            "requests",
            f"""SELECT count(*), avg(v), min(v), max(v), quantile_cont(v, .5), quantile_cont(v, .9),
                       quantile_cont(v, .99), min(v) FILTER (v > 0) FROM {source}""",
        )[0]
        if not count:
            return None
        if quantity == "pace":
            p50, p90, p99 = self._slow()
        whole = quantity in ("isl", "osl") and (low or 0) < 10
        edges, counts, zeros = self._bins(source, low, most, per_decade(low or most, most, count, whole=whole))
        return Distribution(
            count=count,
            mean=mean,
            least=least,
            most=most,
            p50=p50,
            p90=p90,
            p99=p99,
            edges=edges,
            counts=counts,
            zeros=zeros,
        )

    def _slow(self) -> tuple[float, float, float]:
        """Interactivity with its slow tail: 1 over the percentiles of the latency between tokens."""
        (found,) = self._ask(
            "requests",
            f"""SELECT 1 / quantile_cont(itl_s, .5), 1 / quantile_cont(itl_s, .9), 1 / quantile_cont(itl_s, .99)
                FROM {_REQUESTS} WHERE {_MEASURED} AND itl_s > 0""",
        )
        return found[0], found[1], found[2]

    def _bins(self, source: str, low: float | None, most: float, fineness: int) -> tuple[list[float], list[int], int]:
        if low is None:
            return [], [], self._ask("requests", f"SELECT count(*) FROM {source}")[0][0]
        found = self._ask(
            "requests",
            f"""SELECT CASE WHEN v > 0 THEN floor(log10(v) * $2 + 1e-9)::INTEGER END AS bin, count(*)
                FROM {source} GROUP BY bin ORDER BY bin NULLS FIRST""",
            [fineness],
        )
        counts = {place: count for place, count in found if place is not None}
        zeros = sum(count for place, count in found if place is None)
        first, last = min(counts), max(counts)
        return (
            [10 ** (place / fineness) for place in range(first, last + 2)],
            [counts.get(place, 0) for place in range(first, last + 1)],
            zeros,
        )

    def pace(self, width: float, *, warmup: bool = False) -> Pace:
        found = self._ask(
            "requests",
            f"""SELECT floor(start_s / $2) * $2, count(*), quantile_cont(ttft_s, .5), quantile_cont(ttft_s, .9),
                       1 / quantile_cont(itl_s, .5) FILTER (itl_s > 0), 1 / quantile_cont(itl_s, .9) FILTER (itl_s > 0),
                       sum(cached) FILTER (isl > 0) / sum(isl) FILTER (cached IS NOT NULL AND isl > 0)
                FROM {_REQUESTS} WHERE ok AND warm = $3 AND start_s IS NOT NULL GROUP BY 1 ORDER BY 1""",
            [width, warmup],
        )
        columns = [list(column) for column in zip(*found, strict=True)] or [[] for _ in range(7)]
        return Pace(
            start_s=columns[0],
            requests=columns[1],
            ttft_p50=columns[2],
            ttft_p90=columns[3],
            pace_p50=columns[4],
            pace_p90=columns[5],
            cached=columns[6],
        )

    def load(self, width: float) -> Load:
        found = self._ask(
            "requests",
            f"""WITH r AS (SELECT start_s, end_s, warm FROM {_REQUESTS} WHERE end_s > start_s),
                     b AS (SELECT *, unnest(range(floor(start_s / $2)::BIGINT, ceil(end_s / $2)::BIGINT)) AS i FROM r),
                     w AS (SELECT i, warm, greatest(0, least(end_s, (i + 1) * $2) - greatest(start_s, i * $2)) AS s
                           FROM b)
                SELECT i * $2, coalesce(sum(s) FILTER (NOT warm), 0) / $2, coalesce(sum(s) FILTER (warm), 0) / $2
                FROM w GROUP BY i ORDER BY i""",
            [width],
        )
        columns = [list(column) for column in zip(*found, strict=True)] or [[], [], []]
        return Load(start_s=columns[0], measured=columns[1], warmup=columns[2])

    def happened(self) -> Happened:
        """Everything, as a page shows it. Raises SeriesLost."""
        span = self.span()
        width = width_for(span[1] - span[0] if span else 0.0)
        told = Happened(span=span, width_s=width, server=self.server(width) if self.has("timeline") else None)
        if not self.has("requests"):
            return told
        spread = {quantity: self.distribution(quantity) for quantity in QUANTITIES}
        totals = self.totals()
        return replace(
            told,
            totals=totals,
            distributions={quantity: found for quantity, found in spread.items() if found},
            pace=self.pace(width),
            warmup=self.pace(width, warmup=True) if totals.warmup or totals.cooldown else None,
            load=self.load(width),
            lanes=self.lanes(),
        )

    def span(self) -> tuple[float, float] | None:
        """From the first to the last instant that anything was recorded of."""
        ends = [self._ask(kind, "SELECT min(start_s), max(end_s) FROM read_parquet($1)")[0] for kind in self.names]
        lows = [low for low, _ in ends if low is not None]
        highs = [high for _, high in ends if high is not None]
        return (min(lows), max(highs)) if lows and highs and max(highs) > min(lows) else None

    def server(self, width: float) -> Server:
        """Stretches of time are as long as the slices where these are longer, so that none of them is empty."""
        length = self._ask("timeline", "SELECT median(end_s - start_s) FROM read_parquet($1) WHERE end_s > start_s")[0][
            0
        ]
        width = max(width, length or 0.0)
        media = [tier.key for tier in TIERS]
        means = ("kv_usage", "running", "waiting", "in_flight", *_SLICED)
        weighed = ", ".join(
            f"sum({name} * (end_s - start_s)) / sum(end_s - start_s) FILTER ({name} IS NOT NULL)" for name in means
        )
        sums = ", ".join(
            f"sum({name})" for name in ("requests", "prompt_tokens", "computed_tokens", *map(tier_column, media))
        )
        found = self._ask(
            "timeline",
            f"""SELECT floor(start_s / $2) * $2, {weighed}, {sums} FROM read_parquet($1) WHERE end_s > start_s
                GROUP BY 1 ORDER BY 1""",
            [width],
        )
        names = [*means, "requests", "prompt_tokens", "computed_tokens", *media]
        columns = [list(column) for column in zip(*found, strict=True)] or [[] for _ in range(len(names) + 1)]
        told = dict(zip(names, columns[1:], strict=True))
        return Server(
            width_s=width,
            start_s=columns[0],
            columns={name: column for name, column in told.items() if name not in media},
            tokens={name: told[name] for name in media if any(value is not None for value in told[name])},
        )

    def lanes(self, most: int = LANES) -> Lanes:
        roots = f"""(SELECT {_ROOT} AS root, count(*) AS n, min(start_s) AS first, max(end_s) - min(start_s) AS seconds
                     FROM {_REQUESTS} WHERE end_s >= start_s AND {_ROOT} IS NOT NULL GROUP BY root)"""
        total, span, mean = self._ask(
            "requests", f"SELECT count(*), max(first + seconds) - min(first), avg(seconds) FROM {roots}"
        )[0]
        is_short = total > most and mean * most < span
        order = "first < (SELECT median(first) FROM r), first, root" if is_short else "n DESC, md5(root)"
        found = self._ask(
            "requests",
            f"""WITH r AS {roots}, chosen AS (SELECT * FROM r ORDER BY {order} LIMIT $2)
                SELECT root, n FROM chosen ORDER BY first, root""",
            [most],
        )
        names = [root for root, _ in found]
        bars = self._ask(
            "requests",
            f"""WITH r AS (SELECT *, {_ROOT} AS root, {_SUB} AS sub FROM {_REQUESTS}
                           WHERE end_s >= start_s AND list_contains($2::VARCHAR[], {_ROOT})),
                     s AS (SELECT min(start_s) AS low, greatest(max(end_s) - min(start_s), 1e-9) AS span FROM r)
                SELECT list_position($2::VARCHAR[], root) - 1, min(start_s), max(end_s),
                       CASE WHEN count(*) = 1 THEN min(start_s + ttft_s) END, count(*), min(turn), max(turn),
                       sub, warm, count(*) FILTER (NOT ok)
                FROM r, s
                GROUP BY root, sub, warm, floor((start_s - low) / span * {_COLUMNS})
                ORDER BY 1, 2, 3, sub, warm""",
            [names],
        )
        return Lanes(
            names=names,
            of=total,
            chosen="all" if total <= most else "middle" if is_short else "largest",
            requests=sum(n for _, n in found),
            bars=[
                Bar(
                    lane=bar[0],
                    start_s=bar[1],
                    end_s=bar[2],
                    first_token_s=bar[3],
                    requests=bar[4],
                    turns=(bar[5], bar[6]),
                    sub_agent=bar[7],
                    warmup=bar[8],
                    failed=bar[9],
                )
                for bar in bars
            ],
        )
