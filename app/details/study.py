"""The offload study of a view as one document: verdicts, and under them every number with the points it is of."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.catalog.metrics import TOTAL_TOKENS_PER_USD, TOTAL_TPUT_PER_CHIP
from app.catalog.offload import POOL_BAND, TIERS
from app.curve import Corner
from app.details.row import Document
from app.question import GROUP
from app.study.arms import Arm, Recipe, Sample
from app.study.best import Best
from app.study.gain import Gain
from app.study.nvme import Nvme
from app.study.pairs import Change, Pair
from app.study.parameter import Comparison, Table
from app.study.pays import Pays
from app.study.pressure import REGIMES, Pressure
from app.study.sides import Sides
from app.study.study import Study
from app.study.waterfall import PARTS, Waterfall, part_label


def study_document(study: Study) -> Document:
    question = study.question
    chosen = {"model": question.models, "workload": question.workloads, "origin": question.origins}
    return {
        "snapshot": question.snapshot.id,
        "title": question.title,
        "group": {key: list(chosen[key]) for key in GROUP},
        "x": question.x.key,
        "y": question.y.key,
        "prices": question.prices.name_version,
        "notes": [*question.notes, *study.notes],
        "verdicts": [*map(_pays, study.pays), *map(_nvme_verdict, study.nvme)],
        "pairs": [_pair(pair) for pair in study.pairs],
        "not_compared": [
            {
                **_of(apart.recipe, apart.arm),
                "id": apart.sample.id,
                "concurrency": apart.sample.concurrency,
                "reason": apart.reason,
            }
            for apart in study.apart
        ],
        "gains": [_gain(gain) for gain in study.gains],
        "pressure": {
            "band": list(POOL_BAND),
            "regimes": [{"key": term.key, "label": term.label, "text": term.text} for term in REGIMES],
            "points": [_pressure(item) for item in study.pressures],
        },
        "nvme": [_nvme(item) for item in study.nvme],
        "waterfall": _waterfall(study.waterfall) if study.waterfall else None,
        "arms": [_of(recipe, arm) for recipe, arm in study.arms],
        "sides": _sides(study.sides) if study.sides else None,
        "series": [{"key": key, "label": label} for key, label in study.series],
        "parameter": {
            "elsewhere": study.parameter.elsewhere,
            "tables": [_table(table) for table in study.parameter.tables],
            "comparisons": [_comparison(item) for item in study.parameter.comparisons],
        },
    }


def _of(recipe: Recipe, arm: Arm) -> Document:
    return {
        "recipe_id": recipe.id,
        "recipe": recipe.label,
        "series": recipe.series,
        "config_id": arm.id,
        "offload": arm.label,
    }


def _pays(found: Pays) -> Document:
    return {
        **_of(found.recipe, found.arm),
        "question": "pays",
        "answer": {"good": "yes", "bad": "no"}.get(found.tone, "partly"),
        "since": found.since,
        "measured": True,
        "text": found.text,
        "points": [side.id for pair in found.evidence for side in (pair.off, pair.on)],
        "best": _best(found.best) if found.best else None,
    }


def _best(found: Best) -> Document:
    return {
        **_change(found.change),
        "off_point": found.off.id,
        "off_concurrency": found.off.concurrency,
        "on_point": found.on.id,
        "on_concurrency": found.on.concurrency,
        "why": found.apart or found.change.why or None,
    }


def _nvme_verdict(found: Nvme) -> Document:
    arm = found.dram or found.nvme or next(arm for arm in found.recipe.arms if arm.has_kv)
    return {
        **_of(found.recipe, arm),
        "question": "nvme",
        "answer": found.answer,
        "since": None,
        "measured": found.measured,
        "text": found.text,
        "points": nvme_points(found),
        "best": None,
    }


def nvme_points(found: Nvme) -> list[str]:
    """The points that the answer rests on."""
    if found.steps:
        return [point_id for step in found.steps for point_id in step[2:]]
    return list(found.stretches[-1].ids) if found.stretches else []


def _pair(pair: Pair) -> Document:
    return {
        **_of(pair.recipe, pair.arm),
        "base_config_id": pair.base.id,
        "concurrency": pair.concurrency,
        "off": pair.off.id,
        "on": pair.on.id,
        "same_run": pair.off.run == pair.on.run,
        "flop_per_link_byte": pair.link.value if pair.link else None,
        "flop_per_link_byte_of": pair.link.worked if pair.link else None,
        "changes": [_change(change) for change in pair.changes],
    }


def _change(change: Change) -> Document:
    return {
        "key": change.metric.key,
        "label": change.metric.label,
        "unit": change.metric.unit,
        "off": change.off,
        "on": change.on,
        "change": change.change,
        "off_range": list(change.off_range) if change.off_range else None,
        "on_range": list(change.on_range) if change.on_range else None,
        "verdict": change.verdict,
        "why": change.why or None,
    }


def _gain(gain: Gain) -> Document:
    return {
        "series": gain.key,
        "label": gain.label,
        "area": gain.area,
        "area_range": list(gain.spread) if gain.spread else None,
        "within_noise": gain.is_noise,
        "common": list(gain.common) if gain.common else None,
        "owned": [{"low": part.low, "high": part.high, "beyond": part.beyond} for part in gain.owned],
        "with_offload": _corners(gain.with_offload),
        "without": _corners(gain.without),
        "beaten_by": _corners([gain.beaten_by])[0] if gain.beaten_by else None,
        "why": gain.why or None,
    }


def _corners(corners: Sequence[Corner]) -> list[Document]:
    return [{"id": corner.id, "x": corner.x, "y": corner.y} for corner in corners]


def _pressure(item: Pressure) -> Document:
    return {
        "id": item.sample.id,
        "config_id": item.arm.id,
        "concurrency": item.sample.concurrency,
        "working_set_tokens": item.sample.working_set,
        "hbm_tokens": item.sample.pool,
        "below_tokens": item.sample.below,
        "below_estimate": item.sample.estimate or None,
        "hbm_pressure": item.hbm,
        "tier_pressure": item.tier,
        "ratio": item.ratio,
        "gain": item.gain,
        "regime": item.regime,
        "reason": item.reason,
    }


def _nvme(found: Nvme) -> Document:
    return {
        "recipe_id": found.recipe.id,
        "recipe": found.recipe.label,
        "answer": found.answer,
        "measured": found.measured,
        "text": found.text,
        "stretches": [
            {
                "regime": stretch.regime,
                "answer": stretch.answer,
                "concurrencies": list(stretch.levels),
                "text": stretch.text,
                "reason": stretch.reason,
                "points": list(stretch.ids),
            }
            for stretch in found.stretches
        ],
        "steps": [
            {"concurrency": level, "change": moved, "dram": dram, "nvme": nvme}
            for level, moved, dram, nvme in found.steps
        ],
    }


def _waterfall(found: Waterfall) -> Document:
    return {
        **_of(found.recipe, found.arm),
        "denominator": "all prompt tokens",
        "note": found.proof or None,
        "stacks": [
            {
                "id": stack.id,
                "concurrency": stack.concurrency,
                "parts": [{"key": key, "label": part_label(key), "share": share} for key, share in stack.parts],
                "not_accounted_for": stack.rest,
                "ceiling": stack.ceiling,
            }
            for stack in found.stacks
        ],
        "left_out": [
            {"id": point_id, "concurrency": level, "reason": reason} for point_id, level, reason in found.left_out
        ],
    }


def _sides(found: Sides) -> Document:
    return {
        "a": _of(found.a.recipe, found.a.arm),
        "b": _of(found.b.recipe, found.b.arm),
        "differ": list(found.differ),
        "levels": [
            {"concurrency": level.concurrency, "a": _side(level.a), "b": _side(level.b)} for level in found.levels
        ],
    }


def _side(sample: Sample | None) -> Document | None:
    if sample is None:
        return None
    return {
        "id": sample.id,
        "hbm_tokens": sample.pool,
        "working_set_tokens": sample.working_set,
        "shares": {key: value for key, value in _shares(sample).items() if value is not None},
        "throughput_per_chip": sample.value(TOTAL_TPUT_PER_CHIP),
    }


def _shares(sample: Sample) -> Mapping[str, float | None]:
    return {key: sample.value(key) for key in PARTS} if not sample.doubt else {}


def _table(table: Table) -> Document:
    return {
        **_of(table.recipe, table.arm),
        "points": [sample.id for sample in table.arm.newest],
        "facts": {name: _fact(value) for name, value in table.facts.items()},
        "missing": list(table.missing),
        "bytes_per_token": table.bytes_per_token,
        "row_bytes": table.row_bytes,
        "read_amplification": table.amplification,
    }


def _fact(value: Any) -> Any:
    return TIERS.label(value) if value in TIERS else value


def _comparison(item: Comparison) -> Document:
    return {
        "recipe_id": item.recipe.id,
        "recipe": item.recipe.label,
        "origin": item.recipe.origin,
        "x": item.x.key,
        "y": TOTAL_TOKENS_PER_USD,
        "fast": {"config_id": item.fast.id, "offload": item.fast.label, "frontier": _corners(item.fast_line)},
        "slow": {"config_id": item.slow.id, "offload": item.slow.label, "frontier": _corners(item.slow_line)},
        "typed": item.typed is not None,
        "ratio": item.ratio,
        "reads": [
            {
                "x": read.x,
                "fast": read.fast,
                "slow": read.slow,
                "ratio": read.ratio,
                "fast_measured": read.measured_fast,
                "slow_measured": read.measured_slow,
            }
            for read in item.reads
        ],
        "why": item.why or None,
    }
