"""What became of a store up to a snapshot: its earlier states, and what was refused."""

from app.store.asking import Asking, Row
from app.store.schema import TABLES


class Past(Asking):
    """The history of the store, as it stood with this snapshot."""

    def snapshots(self) -> list[Row]:
        """The history up to this snapshot, newest first."""
        names = [column.name for column in TABLES["snapshots"]]
        found = self._ask("SELECT * FROM snapshots WHERE seq <= ? ORDER BY seq DESC", [self.seq])
        return [dict(zip(names, values, strict=True)) for values in found]

    def rejections(self, limit: int | None = None) -> list[Row]:
        """Everything refused up to this snapshot, newest first."""
        tail = f" LIMIT {int(limit)}" if limit is not None else ""
        found = self._ask(
            "SELECT path, spot, reason, source, since FROM rejections WHERE since <= ? "
            f"ORDER BY since DESC, path, spot, reason{tail}",
            [self.seq],
        )
        return [dict(zip(("path", "where", "reason", "source", "since"), values, strict=True)) for values in found]
