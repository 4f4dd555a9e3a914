"""What became of a store up to a snapshot: its earlier states, and what was refused."""

from app.catalog.origins import SYNTHETIC
from app.catalog.places import UPLOAD
from app.store.asking import Asking, Row
from app.store.schema import TABLES

_DEMO = """SELECT s.seq,
        count(*) FILTER (WHERE p.since <= s.seq AND (p.until IS NULL OR p.until > s.seq)),
        count(*) FILTER (WHERE p.since = s.seq AND p.former IS DISTINCT FROM s.seq),
        count(*) FILTER (WHERE p.since = s.seq AND p.former = s.seq),
        count(*) FILTER (WHERE p.until = s.seq AND p.next IS DISTINCT FROM s.seq)
    FROM snapshots AS s, (
        SELECT since, until, lag(until) OVER w AS former, lead(since) OVER w AS next
        FROM points WHERE origin = ? WINDOW w AS (PARTITION BY id ORDER BY since)) AS p
    WHERE s.seq <= ? AND (p.since <= s.seq) GROUP BY s.seq"""
"""Of each snapshot: demo points that it held, that were new with it, superseded and removed by it."""


class Past(Asking):
    """The history of the store, as it stood with this snapshot."""

    def snapshots(self, limit: int | None = None, before: int | None = None) -> list[Row]:
        """The history up to this snapshot, newest first: all of it, or `limit` of those before a place in it.

        Counts hold every point; `demo` says how many of each are demo data.
        """
        names = [column.name for column in TABLES["snapshots"]]
        last = self.seq if before is None else min(self.seq, before - 1)
        tail = f" LIMIT {int(limit)}" if limit is not None else ""
        found = self._ask(f"SELECT * FROM snapshots WHERE seq <= ? ORDER BY seq DESC{tail}", [last])
        demo = {seq: counts for seq, *counts in self._ask(_DEMO, [SYNTHETIC, last])}
        return [
            {
                **dict(zip(names, values, strict=True)),
                "demo": dict(
                    zip(("points", "new", "superseded", "removed"), demo.get(values[0], [0] * 4), strict=True)
                ),
            }
            for values in found
        ]

    def names(self) -> dict[int, str]:
        """The id of every snapshot up to this one, by its place in the history."""
        return dict(self._ask("SELECT seq, id FROM snapshots WHERE seq <= ? ORDER BY seq", [self.seq]))

    def seq_of(self, snapshot_id: str) -> int | None:
        """The place of a snapshot in the history up to this one; None where there is none of that name."""
        found = self._ask("SELECT seq FROM snapshots WHERE id = ? AND seq <= ?", [snapshot_id, self.seq])
        return int(found[0][0]) if found else None

    def former(self) -> str | None:
        """The snapshot before this one."""
        found = self._ask("SELECT id FROM snapshots WHERE seq < ? ORDER BY seq DESC LIMIT 1", [self.seq])
        return str(found[0][0]) if found else None

    def newest_time(self) -> str | None:
        """When the newest run began that says so, as its file has it; demo data does not count."""
        found = self._ask(
            f"""SELECT run_time FROM {self._table} AS w
                WHERE run_instant IS NOT NULL AND origin <> ? ORDER BY run_instant DESC, row LIMIT 1""",
            [SYNTHETIC],
        )
        return str(found[0][0]) if found else None

    def read_again(self, seq: int) -> list[str]:
        """Ids of points that are as old as the snapshot `seq` or older and were read from a new place since."""
        found = self._ask(
            f"""SELECT id FROM {self._table} AS w WHERE since <= ?
                AND row IN (SELECT row FROM places WHERE since > ?) ORDER BY row""",
            [seq, seq],
        )
        return [point_id for (point_id,) in found]

    def refused(self) -> int:
        """How many refusals there are up to this snapshot."""
        return int(self._ask("SELECT count(*) FROM rejections WHERE since <= ?", [self.seq])[0][0])

    def rejections(self, limit: int | None = None, offset: int = 0) -> list[Row]:
        """What was refused up to this snapshot, newest first: everything, or `limit` behind the first `offset`."""
        tail = f" LIMIT {int(limit)}" if limit is not None else ""
        if offset:
            tail += f" OFFSET {int(offset)}"
        found = self._ask(
            "SELECT path, spot, reason, source, since FROM rejections WHERE since <= ? "
            f"ORDER BY since DESC, path, spot, reason{tail}",
            [self.seq],
        )
        return [dict(zip(("path", "where", "reason", "source", "since"), values, strict=True)) for values in found]

    def sent(self, limit: int | None = None) -> list[Row]:
        """(snapshot, sender, files, results, refused) of what was sent here, newest first. Known results count too."""
        tail = f" LIMIT {int(limit)}" if limit is not None else ""
        found = self._ask(
            f"""SELECT s.id, sender, count(DISTINCT place), count(*) FILTER (WHERE NOT no), count(*) FILTER (WHERE no)
                FROM (
                    SELECT split_part(substr(place, len(?) + 1), '/', 1) AS sender, place, since, no FROM (
                        SELECT place, since, false AS no FROM places
                        UNION ALL SELECT path AS place, since, true AS no FROM rejections
                    ) WHERE starts_with(place, ?) AND since <= ?
                ) AS p JOIN snapshots AS s ON s.seq = p.since
                GROUP BY s.seq, s.id, sender ORDER BY s.seq DESC, sender{tail}""",
            [UPLOAD, UPLOAD, self.seq],
        )
        return [
            dict(zip(("snapshot", "sender", "files", "results", "refused"), values, strict=True)) for values in found
        ]
