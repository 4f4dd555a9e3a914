"""Parameter offload: what a point must say of its table, and DRAM against SSD in tokens per dollar at one pace."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import Any

from app.catalog.metrics import INTERACTIVITY_P90, METRICS, TOTAL_TOKENS_PER_USD, Metric
from app.catalog.offload import TIERS
from app.curve import Corner, interpolated
from app.study.arms import Arm, Recipe
from app.study.gain import corners

PAGE = 4096
"""Bytes of the smallest read from flash: a page."""

FIELDS = (
    "table",
    "table_bytes",
    "rows_per_token",
    "row_bytes",
    "medium",
    "access_path",
    "page_cache",
    "rowid_copy",
    "dedupe",
    "gather_location",
    "prefetch",
    "graph_mode",
    "gds",
)
"""What a point with parameter offload must say to be understood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One config and what it says; what it does not say is None. `amplification` is bytes read over bytes used."""

    recipe: Recipe
    arm: Arm
    facts: Mapping[str, Any]
    bytes_per_token: float | None
    row_bytes: float | None
    amplification: float | None

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(name for name in FIELDS if self.facts[name] is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Both frontiers read at one pace. `measured_*` when that side has a point exactly there."""

    x: float
    fast: float
    slow: float
    measured_fast: bool
    measured_slow: bool

    @property
    def ratio(self) -> float:
        return self.slow / self.fast


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Host memory against flash. Typed pairs have one point a side, each at its own pace; others are interpolated."""

    recipe: Recipe
    fast: Arm
    slow: Arm
    x: Metric
    typed: tuple[Corner, Corner] | None
    fast_line: tuple[Corner, ...]
    slow_line: tuple[Corner, ...]
    reads: tuple[Read, ...]
    why: str = ""

    @property
    def ratio(self) -> float | None:
        """Of a typed pair: the figures as they were published, divided."""
        return self.typed[1].y / self.typed[0].y if self.typed else None


def tables_of(recipes: Sequence[Recipe]) -> tuple[Table, ...]:
    return tuple(_table(recipe, arm) for recipe in recipes for arm in recipe.arms if arm.has_parameter)


def _table(recipe: Recipe, arm: Arm) -> Table:
    given = arm.parameter
    facts = {name: _known(given.get(name, arm.facts.get(name))) for name in FIELDS}
    if facts["medium"] is None and len(arm.media) == 1:
        facts["medium"] = arm.media[0]
    rows, row = given.get("rows_per_token"), given.get("row_bytes")
    per_token = given.get("bytes_per_token") or (rows * row if rows and row else None)
    row = row or (per_token / rows if per_token and rows else None)
    medium = TIERS.get(facts["medium"])
    return Table(
        recipe=recipe,
        arm=arm,
        facts=facts,
        bytes_per_token=per_token,
        row_bytes=row,
        amplification=amplification(row) if row and medium is not None and medium.flash else None,
    )


def _known(value: Any) -> Any:
    return None if value in ("", "unknown") else value


def amplification(row_bytes: float, page: int = PAGE) -> float:
    """Bytes of whole pages over the bytes of a row in them, where rows lie apart: 4,096 / 264 = 15.5."""
    return page * ceil(row_bytes / page) / row_bytes


def comparisons_of(recipes: Sequence[Recipe], x: Metric) -> tuple[Comparison, ...]:
    """Arms of one recipe whose tables lie in host memory and in flash, with equal KV offload."""
    found = []
    for recipe in recipes:
        for one, other in combinations([arm for arm in recipe.arms if arm.has_parameter], 2):
            mediums = [_medium(arm) for arm in (one, other)]
            flash = [medium is not None and TIERS[medium].flash for medium in mediums]
            if one.has_kv == other.has_kv and flash[0] != flash[1]:
                fast, slow = (other, one) if flash[0] else (one, other)
                found.append(_comparison(recipe, fast, slow, _pace(x, fast, slow)))
    return tuple(found)


def _medium(arm: Arm) -> str | None:
    medium = arm.parameter.get("medium") or (arm.below[-1] if arm.below else None)
    return medium if medium in TIERS else None


def _pace(x: Metric, fast: Arm, slow: Arm) -> Metric:
    """The view's own pace where both arms have it, else the statistic that both have, the slow tail first."""
    family = METRICS[INTERACTIVITY_P90].family
    own = [x] if x.family == family else []
    others = [metric for metric in METRICS if metric.family == family]
    for metric in (*own, METRICS[INTERACTIVITY_P90], *others):
        if all(any(sample.value(metric.key) is not None for sample in arm.newest) for arm in (fast, slow)):
            return metric
    return METRICS[INTERACTIVITY_P90]


def _comparison(recipe: Recipe, fast: Arm, slow: Arm, x: Metric) -> Comparison:
    y = METRICS[TOTAL_TOKENS_PER_USD]
    fast_line, slow_line = (corners([(sample, False) for sample in arm.newest], x, y) for arm in (fast, slow))
    definitions = {sample.values["interactivity_def"] for arm in (fast, slow) for sample in arm.newest}
    typed: tuple[Corner, Corner] | None = None
    reads: tuple[Read, ...] = ()
    why = ""
    if not fast_line or not slow_line:
        why = f"{y.label} or {x.label} is not reported on both sides"
    elif len(definitions) > 1:
        why = "interactivity is defined apart"
    elif len(fast_line) == 1 and len(slow_line) == 1:
        typed = fast_line[0], slow_line[0]
    else:
        reads = tuple(_reads(fast_line, slow_line))
        why = "" if reads else "the two frontiers have no pace in common"
    return Comparison(
        recipe=recipe,
        fast=fast,
        slow=slow,
        x=x,
        typed=typed,
        fast_line=fast_line,
        slow_line=slow_line,
        reads=reads,
        why=why,
    )


def _reads(fast: Sequence[Corner], slow: Sequence[Corner]) -> Iterator[Read]:
    """At each pace that one side was measured at and the other reaches."""
    for x in sorted({corner.x for corner in (*fast, *slow)}):
        one, other = interpolated(fast, x), interpolated(slow, x)
        if one is not None and other is not None:
            yield Read(
                x=x,
                fast=one,
                slow=other,
                measured_fast=any(corner.x == x for corner in fast),
                measured_slow=any(corner.x == x for corner in slow),
            )
