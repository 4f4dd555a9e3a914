"""Two series side by side over concurrency: pool, working set, where the hits came from, throughput."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from app.catalog.chips import CHIPS
from app.study.arms import Arm, Recipe, Sample

_CHIP = "chip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    recipe: Recipe
    arm: Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Both at one concurrency; a side that was not measured there is None."""

    concurrency: float
    a: Sample | None
    b: Sample | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    a: Side
    b: Side
    levels: tuple[Level, ...]

    @property
    def shared(self) -> int:
        return sum(level.a is not None and level.b is not None for level in self.levels)

    @property
    def differ(self) -> tuple[str, ...]:
        """Words that tell the two series apart."""
        return differing(self.a.recipe, self.b.recipe)


def differing(one: Recipe, other: Recipe) -> tuple[str, ...]:
    return tuple(key for key, value in one.values.items() if value != other.values.get(key))


def sides_of(recipes: Sequence[Recipe], a: str | None, b: str | None) -> Sides | None:
    """Those of the two series named; of one left open, and of both, the pair that has most to tell."""
    found = [sides for sides in _every(recipes) if _named(sides, a, b)]
    if not found:
        return None
    best = max(found, key=_worth)
    swap = (a is not None and best.a.recipe.series != a) or (b is not None and best.b.recipe.series != b)
    return _between(best.b, best.a) if swap else best


def _named(sides: Sides, a: str | None, b: str | None) -> bool:
    series = sides.a.recipe.series, sides.b.recipe.series
    return (a is None or a in series) and (b is None or b in series) and (None in (a, b) or {a, b} == set(series))


def _every(recipes: Sequence[Recipe]) -> Iterator[Sides]:
    arms = [Side(recipe=recipe, arm=arm) for recipe in recipes for arm in recipe.arms if not arm.has_parameter]
    for one, other in combinations(arms, 2):
        same_group = all(one.recipe.values[key] == other.recipe.values[key] for key in ("model", "workload", "origin"))
        # A chip that nobody named is not another chip.
        named = all(side.recipe.values.get(_CHIP, "") is not None for side in (one, other))
        if named and same_group and one.recipe.series != other.recipe.series and one.arm.mode == other.arm.mode:
            yield _between(one, other)


def _between(a: Side, b: Side) -> Sides:
    of_a = {sample.concurrency: sample for sample in a.arm.newest if sample.concurrency is not None}
    of_b = {sample.concurrency: sample for sample in b.arm.newest if sample.concurrency is not None}
    levels = tuple(Level(concurrency=at, a=of_a.get(at), b=of_b.get(at)) for at in sorted({*of_a, *of_b}))
    return Sides(a=a, b=b, levels=levels)


def _worth(sides: Sides) -> tuple[object, ...]:
    """One recipe on two chips before anything else, then offload, one kind of it, and many loads in common."""
    a, b = sides.a, sides.b
    both_reloaded = sum(
        level.a is not None and level.b is not None and (level.a.reloaded or 0) > 0 and (level.b.reloaded or 0) > 0
        for level in sides.levels
    )
    return (
        sides.shared > 0,
        sides.differ == (_CHIP,),
        _vendor(a) == _vendor(b),
        a.arm.has_kv and b.arm.has_kv,
        a.arm.media == b.arm.media,
        a.arm.label == b.arm.label,
        both_reloaded,
        sides.shared,
        [-ord(letter) for letter in f"{a.recipe.series} {b.recipe.series} {a.recipe.label} {b.recipe.label}"],
    )


def _vendor(side: Side) -> str | None:
    chip = CHIPS.get(side.recipe.values.get(_CHIP))
    return chip.vendor if chip else None
