"""What offload adds to a frontier: with and without its points, exactly, as staircases: nothing lies between points."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.catalog.metrics import Metric
from app.catalog.oklch import Color
from app.curve import Corner, reach, span, undominated
from app.curve import common as shared
from app.noise import SAME
from app.study.arms import Arm, Recipe, Sample
from app.study.pairs import Pair, repeats_of
from app.study.words import change_text, listed, span_text

NOTHING = 1.0005
"""A ratio of areas up to here prints as no gain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """A stretch of x where the frontier with offload lies above; `beyond` where the one without has nothing at all."""

    low: float
    high: float
    beyond: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """One series. `area` is the ratio under both frontiers over the stretch of x that both reach.

    `spread` holds its least and most over the choice of repeats; None where no load has repeats.
    """

    key: str
    group: tuple[str | None, ...]
    label: str
    color: Color
    symbol: str
    hollow: bool
    with_offload: tuple[Corner, ...]
    without: tuple[Corner, ...]
    owned: tuple[Owned, ...]
    common: tuple[float, float] | None
    area: float | None
    spread: tuple[float, float] | None
    beaten_by: Corner | None
    """A point without offload that is at least as good on both axes as every point with it, and better on one."""
    why: str = ""
    """Why there is no gain to tell."""

    @property
    def is_noise(self) -> bool:
        """Whether another choice among the repeats leaves no gain."""
        return self.area is not None and self.area > NOTHING and self.spread is not None and self.spread[0] <= NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A load of one arm: the point that stands for it, and all that could, itself among them."""

    sample: Sample
    repeats: tuple[Sample, ...]
    halo: bool


def shown_of(arm: Arm, pairs: Iterable[Pair]) -> list[Sample]:
    """One point a load: at loads that were compared those of the pairs, else the first."""
    sides = [side for pair in pairs for held, side in ((pair.base, pair.off), (pair.arm, pair.on)) if held is arm]
    paired = {side.id: side for side in sides}.values()
    levels = {side.concurrency for side in paired}
    return [*paired, *(sample for sample in arm.newest if sample.concurrency not in levels)]


def gains_of(recipes: Sequence[Recipe], pairs: Sequence[Pair], x: Metric, y: Metric) -> tuple[Gain, ...]:
    """Series by series; those without KV offload are left out."""
    series: dict[tuple[str, tuple[str | None, ...]], list[Recipe]] = {}
    for recipe in recipes:
        series.setdefault((recipe.series, recipe.group), []).append(recipe)
    found = []
    for members in series.values():
        if any(arm.has_kv for recipe in members for arm in recipe.arms):
            found.append(_gain(members, pairs, x, y))
    return tuple(found)


def _gain(members: Sequence[Recipe], pairs: Sequence[Pair], x: Metric, y: Metric) -> Gain:
    first = members[0]
    arms = [arm for recipe in members for arm in recipe.arms if arm.has_kv or arm.mode != "unknown"]
    places = [
        _Place(sample=sample, repeats=tuple(repeats_of(sample, arm)), halo=arm.has_kv)
        for arm in arms
        for sample in shown_of(arm, pairs)
    ]
    parked, plain = ([(place.sample, halo) for place in places if place.halo == halo] for halo in (True, False))
    directed = "none" not in (x.better, y.better)
    every = corners([*parked, *plain], x, y) if directed else ()
    base = corners(plain, x, y) if directed else ()
    common = shared((span(every), span(base)))
    definitions = {
        sample.values["interactivity_def"]
        for sample, _ in (*parked, *plain)
        if sample.value(x.key) is not None and x.group == "Interactivity"
    }
    why = ""
    if not directed:
        why = "one of the axes has no better side"
    elif not base:
        why = "no point without KV offload on these axes"
    elif not any(corner.halo for corner in every):
        why = "no point with KV offload is on its frontier"
    elif len(definitions) > 1:
        why = f"interactivity is defined apart: {' and '.join(sorted(word or 'not said' for word in definitions))}"
    return Gain(
        key=first.series,
        group=first.group,
        label=first.series_label,
        color=first.color,
        symbol=first.symbol,
        hollow=first.hollow,
        with_offload=every,
        without=base,
        owned=_owned(every, base, x, y, _reached([*parked, *plain], x, y)) if not why else (),
        common=common if not why else None,
        area=_area_ratio(every, base, common, x, y) if common and not why else None,
        spread=_spread(places, x, y) if common and not why else None,
        beaten_by=_beats_all(base, parked, x, y) if directed and len(definitions) < 2 else None,
        why=why,
    )


def _spread(places: Sequence[_Place], x: Metric, y: Metric) -> tuple[float, float] | None:
    """The ratio of areas with the worst repeats on one side and the best on the other, both ways round."""
    if all(len(place.repeats) < 2 for place in places):
        return None
    up = -1.0 if y.better == "lower" else 1.0

    def chosen(place: _Place, best: bool) -> Sample:
        known = [sample for sample in place.repeats if None not in (sample.value(x.key), sample.value(y.key))]
        pick = max if best else min
        return pick(known, key=lambda sample: up * (sample.value(y.key) or 0.0), default=place.sample)

    found = []
    for best in (False, True):
        drawn = [(chosen(place, best == place.halo), place.halo) for place in places]
        every, base = corners(drawn, x, y), corners([item for item in drawn if not item[1]], x, y)
        common = shared((span(every), span(base)))
        area = _area_ratio(every, base, common, x, y) if common else None
        found += [area] if area is not None else []
    return (min(found), max(found)) if found else None


def _beats_all(base: Sequence[Corner], parked: Sequence[tuple[Sample, bool]], x: Metric, y: Metric) -> Corner | None:
    """Of the points without offload, the one that all points with it lie behind; None where there is none."""
    right, up = (-1.0 if metric.better == "lower" else 1.0 for metric in (x, y))
    placed = [
        (at * right, value * up)
        for sample, _ in parked
        if (at := sample.value(x.key)) is not None and (value := sample.value(y.key)) is not None
    ]
    for corner in base:
        here = corner.x * right, corner.y * up
        if placed and all(here[0] >= at and here[1] >= value and here != (at, value) for at, value in placed):
            return corner
    return None


def corners(samples: Sequence[tuple[Sample, bool]], x: Metric, y: Metric) -> tuple[Corner, ...]:
    """What nothing beats, from low x to high."""
    placed = [
        Corner(id=sample.id, x=float(at), y=float(value), halo=halo)
        for sample, halo in samples
        if (at := sample.value(x.key)) is not None and (value := sample.value(y.key)) is not None
    ]
    return undominated(placed, x, y)


def _steps(every: Sequence[Corner], base: Sequence[Corner], low: float, high: float) -> list[tuple[float, float]]:
    """Stretches within which neither staircase steps."""
    edges = sorted({low, high, *(corner.x for corner in (*every, *base) if low < corner.x < high)})
    return list(pairwise(edges))


def _area_ratio(
    every: Sequence[Corner], base: Sequence[Corner], common: tuple[float, float], x: Metric, y: Metric
) -> float | None:
    def area(frontier: Sequence[Corner]) -> float:
        middles = [(b - a, reach(frontier, (a + b) / 2, x, y)) for a, b in _steps(every, base, *common)]
        return sum(width * height for width, height in middles if height is not None)

    whole = area(base)
    return area(every) / whole if whole > 0 else None


def _reached(samples: Sequence[tuple[Sample, bool]], x: Metric, y: Metric) -> tuple[float, float]:
    """From the lowest x to the highest of all points, dominated ones too: what a good point serves reaches so far."""
    found = [at for sample, _ in samples if (at := sample.value(x.key)) is not None and sample.value(y.key) is not None]
    return min(found), max(found)


def _owned(
    every: Sequence[Corner], base: Sequence[Corner], x: Metric, y: Metric, reached: tuple[float, float]
) -> tuple[Owned, ...]:
    low, high = reached
    found: list[Owned] = []
    for a, b in _steps(every, base, low, high):
        middle = (a + b) / 2
        with_it, without = reach(every, middle, x, y), reach(base, middle, x, y)
        if with_it is None or with_it == without:
            continue
        beyond = without is None
        if found and found[-1].high == a and found[-1].beyond == beyond:
            found[-1] = Owned(low=found[-1].low, high=b, beyond=beyond)
        else:
            found.append(Owned(low=a, high=b, beyond=beyond))
    return tuple(found)


def gain_text(gain: Gain, x: Metric, y: Metric) -> str:
    """What offload adds once any load may be chosen: a pair that gains much may still lie below the frontier."""
    if gain.beaten_by:
        what, at = f"{gain.beaten_by.y:,.{y.digits}f} {y.unit}", f"{gain.beaten_by.x:,.{x.digits}f} {x.unit}"
        return f"One point without offload beats every point with it, on both axes: {what} at {at}."
    if gain.why:
        return f"Not told: {gain.why}."
    if not gain.owned:
        return "Adds nothing: wherever it gains, a load without it does as well at that pace."
    within = [part for part in gain.owned if not part.beyond]
    parts = [f"{part.low:,.{x.digits}f} to {part.high:,.{x.digits}f}" for part in within]
    text = f"Owns {listed(parts)} {x.unit}" if parts else "Owns nothing that others reach"
    if gain.area is not None and gain.common is not None:
        low, high = (f"{value:,.{x.digits}f}" for value in gain.common)
        grown = f"grows by {change_text(gain.area - 1)}" if gain.area > NOTHING else "is the same"
        text += f"; between {low} and {high}, which both reach, the area under it {grown}{_repeats_text(gain)}"
    for part in gain.owned:
        if part.beyond:
            text += f"; from {part.low:,.{x.digits}f} to {part.high:,.{x.digits}f} it alone has points"
    return f"{text}."


def _repeats_text(gain: Gain) -> str:
    """What another choice among repeats would make of the gain, or that single runs cannot tell it."""
    if gain.spread is None:
        small = gain.area is not None and NOTHING < gain.area < 1 + SAME
        return f", less than the {SAME * 100:.0f} % that single runs can tell" if small else ""
    text = f" ({span_text([ratio - 1 for ratio in gain.spread])} by the choice of repeats"
    return f"{text}: within run-to-run noise)" if gain.is_noise else f"{text})"
