"""Where the prompt tokens of one config came from, over concurrency: tiers from the fastest down, then recomputed."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog.metrics import CEILING_SHARE, COMPUTED_SHARE, METRICS
from app.catalog.offload import TIER_SHARES
from app.study.arms import Arm, Recipe, Sample

PARTS = (*TIER_SHARES, COMPUTED_SHARE)

LEAST_REST = 0.005
"""What less of a bar is missing is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """One point: its known parts as shares of all prompt tokens. `rest` is what nobody accounts for."""

    id: str
    concurrency: float
    parts: tuple[tuple[str, float], ...]
    rest: float
    ceiling: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """`left_out` lists points that cannot stand in one row with the others: (id, concurrency, reason)."""

    recipe: Recipe
    arm: Arm
    stacks: tuple[Stack, ...]
    left_out: tuple[tuple[str, float | None, str], ...]

    @property
    def has_rest(self) -> bool:
        """Whether some bar is not accounted for to the top."""
        return any(stack.rest > LEAST_REST for stack in self.stacks)

    @property
    def parts(self) -> tuple[str, ...]:
        """Parts of which some point knows something, in the order they are stacked."""
        known = {key for stack in self.stacks for key, _ in stack.parts}
        return tuple(key for key in PARTS if key in known)


def waterfall_of(recipe: Recipe, arm: Arm) -> Waterfall:
    stacks, left_out = [], []
    for sample in arm.newest:
        reason = _reason(sample)
        if reason or sample.concurrency is None:
            left_out.append((sample.id, sample.concurrency, reason or "its concurrency is not reported"))
        else:
            stacks.append(_stack(sample, sample.concurrency))
    return Waterfall(recipe=recipe, arm=arm, stacks=tuple(stacks), left_out=tuple(left_out))


def _reason(sample: Sample) -> str:
    if sample.doubt:
        return sample.doubt
    if all(sample.value(key) is None for key in PARTS):
        return "its shares are not reported"
    return ""


def _stack(sample: Sample, concurrency: float) -> Stack:
    parts = tuple((key, value) for key in PARTS if (value := sample.value(key)) is not None)
    return Stack(
        id=sample.id,
        concurrency=concurrency,
        parts=parts,
        rest=max(0.0, 1 - sum(value for _, value in parts)),
        ceiling=sample.value(CEILING_SHARE),
    )


def part_label(key: str) -> str:
    """`DRAM`, `Recomputed`."""
    return METRICS[key].label.removesuffix(" share")


def arms_with_shares(recipes: Sequence[Recipe]) -> list[tuple[Recipe, Arm]]:
    """Arms that a waterfall can be drawn of: KV offload first, then those with most points to draw."""
    found = [
        (recipe, arm, sum(not _reason(sample) and sample.concurrency is not None for sample in arm.newest))
        for recipe in recipes
        for arm in recipe.arms
    ]
    found = [item for item in found if item[2] > 0]
    found.sort(key=lambda item: (not item[1].has_kv, -item[2], item[0].label, item[1].label))
    return [(recipe, arm) for recipe, arm, _ in found]
