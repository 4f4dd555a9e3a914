"""One point of a snapshot whole, and the points that share something with it."""

import orjson

from app.catalog.metrics import METRICS
from app.catalog.point import Json
from app.catalog.prices import DEFAULT_PRICES, PriceTable
from app.store.asking import FLAT, WHOLE, Asking, Row, flat_sql
from app.store.recorded import Recorded
from app.store.schema import POINT_COLUMNS
from app.store.select import Selection
from app.store.series import FOLDER, series_of


class Whole(Asking):
    """A point with everything that is stored about it."""

    def point(self, point_id: str, prices: PriceTable = DEFAULT_PRICES) -> Row | None:
        """One point whole: its flat row, `detail` and `raw` parsed, and every place it was read from."""
        keys = [metric.key for metric in METRICS]
        columns = flat_sql(WHOLE)
        selection = Selection(newest=False, prices=prices)
        sql, bound = self._query(selection, columns, "AND id = ?", keys)
        found = self._flat(sql, [*bound, point_id])
        if not found:
            return None
        row = found[0]
        row["detail"], row["raw"] = orjson.loads(row["detail"]), orjson.loads(row["raw"])
        row["places"] = self._ask(
            "SELECT place, spot FROM places WHERE row = ? AND since <= ? ORDER BY since, place, spot",
            [row["row"], self.seq],
        )
        return row

    def recorded(self, facts: Json) -> Recorded:
        """What happened during the run of a point, as far as its facts name files about it."""
        names = series_of(facts)
        folder = self._folder
        if self._beside is not None and not any((folder / FOLDER / name).exists() for name in names.values()):
            folder = self._beside.folder
        return Recorded(folder, names, self._cursor)

    def history(self, point_id: str) -> list[Row]:
        """Earlier contents of an address, newest first."""
        found = self._ask(
            "SELECT row, since, until FROM points WHERE id = ? AND since <= ? ORDER BY since DESC", [point_id, self.seq]
        )
        return [
            {"row": row, "since": since, "until": until if until and until <= self.seq else None}
            for row, since, until in found
        ]

    def siblings(self, *, newest: bool = False, prices: PriceTable = DEFAULT_PRICES, **equal: object) -> list[Row]:
        """Flat rows that equal the given columns, by concurrency and row: a config's points, a recipe's, a run's."""
        names = {column.name for column in POINT_COLUMNS}
        for name in equal:
            if name not in names:
                raise ValueError(f"points have no column {name!r}")
        tail = "".join(f' AND "{name}" IS NOT DISTINCT FROM ?' for name in equal)
        keys = [metric.key for metric in METRICS]
        tail += " ORDER BY concurrency NULLS LAST, row"
        sql, bound = self._query(Selection(newest=newest, prices=prices), flat_sql(FLAT), tail, keys)
        return self._flat(sql, [*bound, *equal.values()])


def parse_detail(text: str) -> Json:
    return orjson.loads(text)
