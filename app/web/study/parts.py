"""Parts of the offload page: verdicts, frontier gain, waterfall, regimes, two series side by side."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS, TOTAL_TPUT_PER_CHIP
from app.catalog.oklch import Color
from app.details.study import nvme_points
from app.study.arms import Recipe, Sample
from app.study.gain import Gain, gain_text
from app.study.nvme import Nvme
from app.study.pressure import REGIMES
from app.study.sides import Sides
from app.study.study import Study
from app.study.waterfall import PARTS, Waterfall, part_label
from app.study.words import change_text, count_text, levels_text, span_text, times_text
from app.web.blocks.heading import Glyph, concurrency_text, glyph_of
from app.web.blocks.metrics import metric_text
from app.web.blocks.numbers import number, points

Link = tuple[str, str]
"""A point's id and what its link says: its concurrency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A verdict with the points it rests on. `lead` is what it is about."""

    lead: str
    text: str
    tone: str
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeVerdict:
    label: str
    glyph: Glyph
    sentences: tuple[Sentence, ...]


def verdicts(study: Study) -> tuple[RecipeVerdict, ...]:
    """Recipe by recipe: did each arm pay, and would NVMe help."""
    level = {sample.id: sample.concurrency for recipe in study.recipes for arm in recipe.arms for sample in arm.samples}
    found = []
    for recipe in study.recipes:
        sentences = [
            Sentence(
                lead=pays.arm.short,
                text=pays.text,
                tone=pays.tone,
                links=tuple((pair.on.id, f"{pair.concurrency:g}") for pair in pays.evidence),
            )
            for pays in study.pays
            if pays.recipe is recipe
        ]
        sentences += [
            _frontier_sentence(gain, study)
            for gain in study.gains
            if (sentences or gain.beaten_by) and _is_of(gain, recipe)
        ]
        sentences += [
            Sentence(
                lead="Would NVMe help?",
                text=nvme.text,
                tone={"yes": "good"}.get(nvme.answer, "plain") if nvme.measured else "plain",
                links=_once((key, concurrency_text(level[key])) for key in _shown(nvme)),
            )
            for nvme in study.nvme
            if nvme.recipe is recipe
        ]
        if sentences:
            kv = next(arm for arm in recipe.arms if arm.has_kv)
            glyph = glyph_of(kv.samples[0].values)
            found.append(RecipeVerdict(label=recipe.label, glyph=glyph, sentences=tuple(sentences)))
    return tuple(found)


def _is_of(gain: Gain, recipe: Recipe) -> bool:
    return gain.key == recipe.series and gain.group == recipe.group


def _frontier_sentence(gain: Gain, study: Study) -> Sentence:
    """What the pairs add up to once a load without offload may be chosen as well: often less than each pair gains."""
    alone = [corner for corner in gain.with_offload if corner.halo] if not gain.why else []
    if gain.beaten_by:
        alone = [gain.beaten_by]
    return Sentence(
        lead="On the frontier",
        text=gain_text(gain, study.question.x, study.question.y),
        tone="bad" if gain.beaten_by else "plain",
        links=tuple((corner.id, number(corner.x, study.question.x.digits)) for corner in alone),
    )


def _shown(nvme: Nvme) -> list[str]:
    """The NVMe side of each step, which leads on to its twin."""
    return [step[3] for step in nvme.steps] if nvme.steps else nvme_points(nvme)


def _once(links: Iterable[Link]) -> tuple[Link, ...]:
    return tuple(dict.fromkeys(links))


@dataclass(frozen=True, slots=True, kw_only=True)
class GainLine:
    label: str
    color: Color
    area: str | None
    spread: str
    """Of the area over the choice of repeats; empty where there are none."""
    common: str
    owned: str
    why: str


def gain_lines(study: Study) -> tuple[GainLine, ...]:
    return tuple(_gain_line(gain, study) for gain in study.gains)


def _gain_line(gain: Gain, study: Study) -> GainLine:
    digits = study.question.x.digits
    return GainLine(
        label=gain.label,
        color=gain.color,
        area=change_text(gain.area - 1) if gain.area is not None else None,
        spread=_over_repeats(gain),
        common=f"{number(gain.common[0], digits)} to {number(gain.common[1], digits)}" if gain.common else "",
        owned="; ".join(
            f"{number(part.low, digits)} to {number(part.high, digits)}{', alone' if part.beyond else ''}"
            for part in gain.owned
        ),
        why=gain.why or ("the two frontiers share no stretch" if gain.common is None else ""),
    )


def _over_repeats(gain: Gain) -> str:
    if gain.spread is None:
        return ""
    return span_text([ratio - 1 for ratio in gain.spread]) + (", noise" if gain.is_noise else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class StackLine:
    id: str
    concurrency: str
    cells: tuple[str | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaterfallPart:
    heads: tuple[str, ...]
    keys: tuple[tuple[str, str], ...]
    """Of the legend: the tier's class and what it is called."""
    lines: tuple[StackLine, ...]
    left_out: tuple[tuple[str, str, str], ...]
    proof: str
    rest: bool
    ceiling: bool


def waterfall_part(found: Waterfall) -> WaterfallPart:
    has_ceiling = any(stack.ceiling is not None for stack in found.stacks)
    return WaterfallPart(
        heads=(*map(part_label, found.parts), *(("Ceiling",) if has_ceiling else ())),
        keys=tuple((key.removesuffix("_share"), part_label(key)) for key in found.parts),
        lines=tuple(
            StackLine(
                id=stack.id,
                concurrency=concurrency_text(stack.concurrency),
                cells=(
                    *(_share(dict(stack.parts).get(key)) for key in found.parts),
                    *((_share(stack.ceiling),) if has_ceiling else ()),
                ),
            )
            for stack in found.stacks
        ),
        left_out=tuple((key, concurrency_text(level), reason) for key, level, reason in found.left_out),
        proof=found.proof,
        rest=found.has_rest,
        ceiling=has_ceiling,
    )


def _share(value: float | None) -> str | None:
    return None if value is None else points(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegimeLine:
    """Neighbouring loads of one arm in one regime."""

    glyph: Glyph
    recipe: str
    arm: str
    levels: str
    regime: str
    term: str
    reason: str
    hbm: str | None
    tier: str | None
    ratio: str | None
    estimate: str
    """How the pool's tokens follow from its bytes; empty where they are stated."""
    links: tuple[Link, ...]


def regime_lines(study: Study) -> tuple[RegimeLine, ...]:
    label = {arm.id: recipe.label for recipe in study.recipes for arm in recipe.arms}
    found = []
    for _, run in groupby(study.pressures, key=lambda item: (item.arm.id, item.regime, item.sample.values["workload"])):
        members = list(run)
        last = members[-1]
        about = any(item.sample.estimate for item in members)
        found.append(
            RegimeLine(
                glyph=glyph_of(last.sample.values),
                recipe=label[last.arm.id],
                arm=last.arm.short,
                levels=levels_text([item.sample.concurrency or 0.0 for item in members]),
                regime=REGIMES.label(last.regime) or last.regime,
                term=last.regime,
                reason=last.reason,
                hbm=_span([item.hbm for item in members]),
                tier=_span([item.tier for item in members], about=about),
                ratio=_span([item.ratio for item in members], about=about),
                estimate=next((item.sample.estimate for item in members if item.sample.estimate), ""),
                links=tuple((item.sample.id, concurrency_text(item.sample.concurrency)) for item in members),
            )
        )
    return tuple(found)


def _span(values: Sequence[float | None], *, about: bool = False) -> str | None:
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    low, high = times_text(known[0]), times_text(known[-1])
    text = low if low == high else f"{low} to {high}"
    return f"≈ {text}" if about else text


@dataclass(frozen=True, slots=True, kw_only=True)
class SideCell:
    """What one side says at one load; `id` is empty where it was not measured there."""

    id: str
    working_set: str | None
    pressure: str | None
    hbm: str | None
    below: str | None
    computed: str | None
    throughput: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SidesPart:
    labels: tuple[str, str]
    arms: tuple[str, str]
    glyphs: tuple[Glyph, Glyph]
    pools: tuple[str | None, str | None]
    differ: str
    lines: tuple[tuple[str, SideCell, SideCell, str | None], ...]
    """Concurrency, both sides, and throughput of the second over the first."""


def sides_part(found: Sides) -> SidesPart:
    sides = found.a, found.b
    samples = [side.arm.newest for side in sides]
    pools = [max((s.pool for s in members if s.pool), default=None) for members in samples]
    return SidesPart(
        labels=(found.a.recipe.label, found.b.recipe.label),
        arms=(found.a.arm.short, found.b.arm.short),
        glyphs=(glyph_of(samples[0][0].values), glyph_of(samples[1][0].values)),
        pools=(_count(pools[0]), _count(pools[1])),
        differ=", ".join(DIMENSIONS[key].label.lower() for key in found.differ),
        lines=tuple(
            (concurrency_text(level.concurrency), _side(level.a), _side(level.b), _over(level.a, level.b))
            for level in found.levels
        ),
    )


def _count(value: float | None) -> str | None:
    return None if value is None else count_text(value)


def _side(sample: Sample | None) -> SideCell:
    if sample is None:
        return SideCell(id="", working_set=None, pressure=None, hbm=None, below=None, computed=None, throughput=None)
    working, pool = sample.working_set, sample.pool
    hbm, computed = _tier(sample, 0), _tier(sample, -1)
    return SideCell(
        id=sample.id,
        working_set=_count(working),
        pressure=times_text(working / pool) if working and pool else None,
        hbm=hbm,
        below=_share(sample.reloaded),
        computed=computed,
        throughput=metric_text(METRICS[TOTAL_TPUT_PER_CHIP], sample.value(TOTAL_TPUT_PER_CHIP)),
    )


def _tier(sample: Sample, place: int) -> str | None:
    return None if sample.doubt else _share(sample.value(PARTS[place]))


def _over(a: Sample | None, b: Sample | None) -> str | None:
    if a is None or b is None:
        return None
    first, second = (sample.value(TOTAL_TPUT_PER_CHIP) for sample in (a, b))
    return change_text(second / first - 1) if first and second is not None else None
