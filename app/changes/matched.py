"""Which row now stands for which row of a baseline: the same config, workload and concurrency, measured again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from app.store.read import Row

RECIPE = (
    "origin",
    "model",
    "workload",
    "concurrency",
    "chip",
    "chip_count",
    "layout",
    "tp",
    "ep",
    "engine",
    "orchestrator",
    "precision",
    "spec",
    "disaggregated",
    "offload_mode",
    "offload_kind",
    "offload_use",
    "offload_tiers",
    "offload_backend",
)
"""What two rows share that differ in nothing but the version of their engine."""


class Successors:
    """Finds for a former row the newest one that measures the same again.

    An identity holds the engine's version family, so that an upgrade starts another one. A row without a
    newer repeat is followed by the newest row of another version, where only one config can be meant.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self._shown = shown(rows)
        self._of_recipe: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
        for row in self._shown.values():
            self._of_recipe[recipe(row)].append(row)

    def of(self, row: Row, *, upgrades: bool, later: bool) -> Row | None:
        """The row that stands for it now, which may be itself; `later` wants a newer one or none.

        `upgrades` lets a row of another engine version follow.
        """
        same = self._shown.get(row["identity"])
        if same is not None and (same["newest_rank"] < row["newest_rank"] or same["since"] > row["since"]):
            return same
        alike = [other for other in self._of_recipe[recipe(row)] if other["identity"] != row["identity"]]
        newest = max(alike, key=_age, default=None) if upgrades else None
        if newest is not None and _age(newest) > _age(row):
            rivals = [other for other in alike if other["engine_version"] == newest["engine_version"]]
            if len(rivals) == 1:
                return newest
        return None if later else same


def newest_of_recipes(rows: Iterable[Row]) -> set[str]:
    """The identities that none of another engine version is newer than."""
    found: dict[tuple[Any, ...], Row] = {}
    for row in sorted(rows, key=_age):
        found[recipe(row)] = row
    return {row["identity"] for row in found.values()}


def shown(rows: Iterable[Row]) -> dict[str, Row]:
    """The newest row of each identity, in row order."""
    found: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: (row["newest_rank"], row["row"])):
        found.setdefault(row["identity"], row)
    return dict(sorted(found.items(), key=lambda item: item[1]["row"]))


def recipe(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Config, workload and concurrency of a row, whatever the version of its engine."""
    return tuple(tuple(value) if isinstance(value := row[name], list) else value for name in RECIPE)


def _age(row: Row) -> tuple[bool, datetime, int, int]:
    return (row["run_instant"] is not None, row["run_instant"] or datetime.min, row["since"], row["row"])
