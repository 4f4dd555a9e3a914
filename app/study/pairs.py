"""Offload on against off, one recipe at one concurrency: what changed, and whether repeats tell it from noise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from app.catalog.metrics import (
    CACHED_SHARE,
    INPUT_TOKENS_MEAN,
    INTERACTIVITY_P50,
    METRICS,
    OUTPUT_TPUT,
    OUTPUT_TPUT_PER_CHIP,
    TOTAL_TPUT,
    TOTAL_TPUT_PER_CHIP,
    Metric,
    ttft,
)
from app.noise import SAME, Bounds, told
from app.study.arms import Arm, Recipe, Sample
from app.study.link import LinkRatio, link_ratio
from app.study.words import count_text

Verdict = Literal["better", "worse", "same", "noise", "unknown"]
SAME_POINTS = 0.005
LIKE_LOAD, OTHER_LOAD = 1.10, 1.25
"""Mean prompts within the first ratio are one load; beyond the second two points do not compare."""

THROUGHPUT = (TOTAL_TPUT_PER_CHIP, OUTPUT_TPUT_PER_CHIP, TOTAL_TPUT, OUTPUT_TPUT)
"""Throughput by preference: a pair is held together by the first that both sides have."""
_STATISTICS = ("p50", "p90")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One quantity on both sides. `change` is relative, in shares the difference; ranges are over repeats."""

    metric: Metric
    off: float | None
    on: float | None
    change: float | None
    off_range: Bounds | None = None
    on_range: Bounds | None = None
    verdict: Verdict = "unknown"
    why: str = ""
    """Why it could not be compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Both sides, chosen from their repeats so that they carried the same load, in the same run where they can."""

    recipe: Recipe
    base: Arm
    arm: Arm
    concurrency: float
    off: Sample
    on: Sample
    changes: tuple[Change, ...]
    link: LinkRatio | None

    @property
    def throughput(self) -> Change:
        return self.changes[0]

    def of(self, family: str) -> list[Change]:
        return [change for change in self.changes if change.metric.family == family]


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """A point that was not compared, and why."""

    recipe: Recipe
    arm: Arm
    sample: Sample
    reason: str


def pairs_of(recipes: Sequence[Recipe]) -> tuple[tuple[Pair, ...], tuple[Apart, ...]]:
    """Every KV-offload point of the view with its counterpart without, and those that have none."""
    pairs: list[Pair] = []
    apart: list[Apart] = []
    for recipe in recipes:
        for arm in recipe.arms:
            if not arm.has_kv:
                continue
            base = base_of(recipe, arm)
            for on in arm.newest:
                found = _pair(recipe, base, arm, on) if base else _alone(recipe)
                if isinstance(found, Pair):
                    pairs.append(found)
                else:
                    apart.append(Apart(recipe=recipe, arm=arm, sample=on, reason=found))
    return tuple(pairs), tuple(apart)


def base_of(recipe: Recipe, arm: Arm) -> Arm | None:
    """The arm that differs in KV offload alone: none at all, or the same parameter table in the same memory."""
    others = [other for other in recipe.arms if not other.has_kv and _table(other) == _table(arm)]
    others = [other for other in others if other.mode == "off" or other.has_parameter]
    return max(others, key=lambda other: (_shared(other, arm), other.id), default=None)


def _table(arm: Arm) -> object:
    return arm.parameter.get("medium", "somewhere") if arm.has_parameter else None


def _shared(one: Arm, other: Arm) -> int:
    return len({sample.concurrency for sample in one.samples} & {sample.concurrency for sample in other.samples})


def _alone(recipe: Recipe) -> str:
    if any(arm.mode == "unknown" for arm in recipe.arms):
        return "the other results of this recipe do not say whether they used offload"
    return "no result of this recipe without KV offload"


def _pair(recipe: Recipe, base: Arm, arm: Arm, on: Sample) -> Pair | str:
    if on.concurrency is None:
        return "its concurrency is not reported"
    candidates = base.at(on.concurrency)
    if not candidates:
        return f"no result without KV offload at concurrency {on.concurrency:g}"
    off = min(candidates, key=lambda other: (_load(on, other) > LIKE_LOAD, other.run != on.run, other.rank))
    if apart := loads_apart(on, off):
        return f"its {apart}"
    changes = tuple(_changes(off, on, repeats_of(off, base), repeats_of(on, arm)))
    return Pair(
        recipe=recipe,
        base=base,
        arm=arm,
        concurrency=on.concurrency,
        off=off,
        on=on,
        changes=changes,
        link=link_ratio(on.values),
    )


def loads_apart(on: Sample, off: Sample) -> str:
    """That two points carried loads too far apart to compare; empty where they did not."""
    if _load(on, off) <= OTHER_LOAD:
        return ""
    prompts = [count_text(side.value(INPUT_TOKENS_MEAN) or 0) for side in (on, off)]
    return f"prompts are of another size, {prompts[0]} against {prompts[1]} tokens in the mean"


def repeats_of(sample: Sample, arm: Arm) -> list[Sample]:
    """The arm's points at its concurrency that carried the same load, itself among them."""
    others = arm.at(sample.concurrency)
    return [other for other in others if _load(sample, other) <= LIKE_LOAD and other.cold == sample.cold]


def _load(one: Sample, other: Sample) -> float:
    """How many times longer the mean prompt of one is than of the other; 1 where one of them does not say."""
    sizes = [sample.value(INPUT_TOKENS_MEAN) for sample in (one, other)]
    if sizes[0] is None or sizes[1] is None or min(sizes[0], sizes[1]) <= 0:
        return 1.0
    return max(sizes[0], sizes[1]) / min(sizes[0], sizes[1])


def _changes(off: Sample, on: Sample, offs: Sequence[Sample], ons: Sequence[Sample]) -> Iterator[Change]:
    both = [key for key in THROUGHPUT if off.value(key) is not None and on.value(key) is not None]
    yield change_of(METRICS[both[0] if both else THROUGHPUT[0]], off, on, offs, ons)
    for family in (METRICS[INTERACTIVITY_P50].family, METRICS[ttft("p50")].family):
        for metric in _statistics(family, off, on):
            yield change_of(metric, off, on, offs, ons)
    yield change_of(METRICS[CACHED_SHARE], off, on, offs, ons)


def _statistics(family: str, off: Sample, on: Sample) -> list[Metric]:
    """Median and slow tail; the mean where both sides have neither."""
    members = {metric.statistic: metric for metric in METRICS if metric.family == family}
    wanted = [members[statistic] for statistic in _STATISTICS]
    known = [metric for metric in wanted if off.value(metric.key) is not None and on.value(metric.key) is not None]
    mean = members["mean"]
    if not known and off.value(mean.key) is not None and on.value(mean.key) is not None:
        return [mean]
    return wanted


def change_of(metric: Metric, off: Sample, on: Sample, offs: Sequence[Sample], ons: Sequence[Sample]) -> Change:
    before, after = off.value(metric.key), on.value(metric.key)
    why = _incomparable(metric, off, on)
    if before is None or after is None or why:
        return Change(metric=metric, off=before, on=after, change=None, why=why or "not reported on both sides")
    if not metric.is_share and before == 0:
        return Change(metric=metric, off=before, on=after, change=None, why="nothing is a percentage of zero")
    moved = after - before if metric.is_share else after / before - 1
    off_range, on_range = _range(metric, offs), _range(metric, ons)
    return Change(
        metric=metric,
        off=before,
        on=after,
        change=moved,
        off_range=off_range,
        on_range=on_range,
        verdict=_verdict(metric, moved, (before, after), off_range, on_range),
    )


def _incomparable(metric: Metric, off: Sample, on: Sample) -> str:
    if metric.group == "Interactivity":
        definitions = [side.values["interactivity_def"] for side in (off, on)]
        if definitions[0] != definitions[1]:
            return f"defined apart: {definitions[0] or 'not said'} against {definitions[1] or 'not said'}"
    if metric.is_share:
        doubts = [f"{word}: {side.doubt}" for word, side in (("off", off), ("on", on)) if side.doubt]
        return "; ".join(doubts)
    return ""


def _range(metric: Metric, samples: Sequence[Sample]) -> Bounds | None:
    """Least and most over repeats; None where there is but one."""
    found = [value for sample in samples if (value := sample.value(metric.key)) is not None]
    return (min(found), max(found)) if len(found) > 1 else None


def _verdict(
    metric: Metric, moved: float, values: Bounds, off_range: Bounds | None, on_range: Bounds | None
) -> Verdict:
    apart = told(moved, values, off_range, on_range, same=SAME_POINTS if metric.is_share else SAME)
    if apart != "apart":
        return apart
    if metric.better == "none":
        return "unknown"
    return "better" if (moved > 0) == (metric.better == "higher") else "worse"
