"""Where the prompt tokens of one config came from, over concurrency: tiers from the fastest down, then recomputed."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog.metrics import CEILING_SHARE, COMPUTED_SHARE, METRICS
from app.catalog.offload import TIER_SHARES, TIERS
from app.study.arms import Arm, Recipe, Sample
from app.study.words import levels_text, listed

PARTS = (*TIER_SHARES, COMPUTED_SHARE)

_UNPROVEN = tuple(TIERS[key].share_metric for key in ("external", "unattributed"))
_EXTERNAL = _UNPROVEN[0]

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

    @property
    def proof(self) -> str:
        """Why one memory goes by two names here: some records prove which it was; empty where names agree."""
        vague = [stack for stack in self.stacks if _EXTERNAL in dict(stack.parts)]
        named = [stack for stack in self.stacks if stack not in vague and _named(stack)]
        if not vague or not named:
            return ""
        names = listed(list(dict.fromkeys(part_label(key) for stack in named for key in _named(stack))))
        record = "record proves" if len(named) == 1 else "records prove"
        return (
            f"At concurrency {levels_text([stack.concurrency for stack in named])} the {record} which memory served "
            f"({names}); the others do not: all that came through their connector is {part_label(_EXTERNAL)}."
        )


def _named(stack: Stack) -> list[str]:
    """Tiers below HBM that it knows by name."""
    return [key for key, _ in stack.parts if key in TIER_SHARES[1:] and key not in _UNPROVEN]


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
