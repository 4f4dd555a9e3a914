"""A plan as the JSON that its address answers: inputs with where each comes from, results with their formulas."""

from dataclasses import asdict
from typing import Any

from app.catalog.links import LINKS
from app.plan.anchors import ANCHORS, ELSEWHERE
from app.plan.inputs import AMOUNTS, PICKS
from app.plan.parts import TierPlan, Way
from app.plan.result import Plan
from app.plan.settled import Settled

Document = dict[str, Any]


def plan_document(made: Plan, snapshot: str) -> Document:
    settled, geometry = made.settled, made.settled.geometry
    return {
        "snapshot": snapshot,
        "query": settled.inputs.query(),
        "point": settled.point_id,
        "inputs": [
            *(_input(settled, pick.name, pick.label, "") for pick in PICKS),
            *(_input(settled, amount.name, amount.label, amount.unit) for amount in AMOUNTS),
        ],
        "geometry": {
            "kind": geometry.kind,
            "formula": geometry.words,
            "format": settled.form,
            "source": geometry.source,
            "date": geometry.date,
            "checked": geometry.checked,
            "note": geometry.note,
        }
        if geometry
        else None,
        "regime": made.regime,
        "verdict": made.verdict,
        "pool_size": made.pool_size,
        "short_prompts": made.short_prompts,
        "needs": list(made.needs),
        "results": [asdict(number) for number in made.numbers],
        "tiers": [_tier(tier) for tier in made.tiers],
        "links": [_way(way) for way in made.ways],
        "anchors": [
            {**asdict(anchor), "recompute_s": anchor.recompute, "reload_seconds": anchor.reload, "times": anchor.times}
            for anchor in ANCHORS
        ],
        "elsewhere": ELSEWHERE,
        "sources": {link.key: f"{link.source}, {link.date}" for link in LINKS},
    }


def _input(settled: Settled, name: str, label: str, unit: str) -> Document:
    known = settled.known[name]
    return {
        "name": name,
        "label": label,
        "unit": unit,
        "value": known.value,
        "origin": known.origin,
        "said": known.said,
    }


def _tier(tier: TierPlan) -> Document:
    return {
        "medium": tier.medium,
        "label": tier.label,
        "tokens": tier.tokens,
        "said": tier.said,
        "conversations": dict(tier.conversations),
        "lifetime_s": dict(tier.lifetime),
        "outlives": tier.outlives,
        "at_least": tier.at_least,
        "usd_per_hour": tier.usd_per_hour,
    }


def _way(way: Way) -> Document:
    return {
        "key": way.key,
        "label": way.label,
        "link": way.link.key,
        "count": way.count,
        "chosen": way.chosen,
        "gb_s": way.link.gb_s,
        "us_per_token": way.per_token * 1e6,
        "reload_s": way.at_context,
        "break_even_tokens": way.break_even,
        "benefit": way.benefit,
        "flop_per_byte": way.flop_per_byte,
    }
