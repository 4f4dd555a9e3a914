"""From which concurrency an arm pays, as a sentence with the pairs that say so."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.catalog.metrics import INTERACTIVITY_P50, METRICS
from app.noise import SAME
from app.study.arms import Arm, Recipe
from app.study.best import Best, best_of, best_text
from app.study.pairs import Pair
from app.study.words import change_text, levels_text, listed, span_text

Tone = Literal["good", "bad", "plain"]

_PACE = METRICS[INTERACTIVITY_P50].family


@dataclass(frozen=True, slots=True, kw_only=True)
class Pays:
    """`since` is the lowest concurrency from which on every pair gains and none loses interactivity; else None.

    The tone is good only where the best load with offload also beats the best without.
    """

    recipe: Recipe
    arm: Arm
    base: Arm
    since: float | None
    text: str
    tone: Tone
    evidence: tuple[Pair, ...]
    best: Best | None


def pays_of(pairs: Sequence[Pair]) -> tuple[Pays, ...]:
    """One a recipe and arm, in the order of the pairs."""
    arms: dict[tuple[str, str, str | None, str], list[Pair]] = {}
    for pair in pairs:
        recipe = pair.recipe
        arms.setdefault((recipe.id, recipe.origin, recipe.values["workload"], pair.arm.id), []).append(pair)
    return tuple(_pays(sorted(members, key=lambda pair: pair.concurrency)) for members in arms.values())


def gains(pair: Pair) -> bool:
    """More throughput, and no slower for the user where that is known."""
    return pair.throughput.verdict == "better" and not any(change.verdict == "worse" for change in pair.of(_PACE))


def _pays(pairs: Sequence[Pair]) -> Pays:
    known = [pair for pair in pairs if pair.throughput.change is not None]
    first = pairs[0]
    since = _since(known)
    if not known:
        text, tone, evidence = "Throughput is not reported on both sides of any pair.", "plain", list(pairs)
    elif since is not None:
        text, tone, evidence = _pays_text(known, since), "good", [p for p in known if p.concurrency >= since]
    else:
        text, tone, evidence = _mixed_text(known)
    best = best_of(pairs)
    if best is not None and not (len(known) == 1 and best.is_of(known[0])):
        text = f"{text} {best_text(best)}"
    if tone == "good" and best is not None and not best.holds:
        tone = "plain"
    return Pays(
        recipe=first.recipe,
        arm=first.arm,
        base=first.base,
        since=since,
        text=text,
        tone=tone,  # type: ignore[arg-type]  # literals above
        evidence=tuple(evidence),
        best=best,
    )


def _since(known: Sequence[Pair]) -> float | None:
    """The start of the run of gains that lasts to the heaviest load."""
    since = None
    for pair in reversed(known):
        if not gains(pair):
            break
        since = pair.concurrency
    return since


def _pays_text(known: Sequence[Pair], since: float) -> str:
    paying = [pair for pair in known if pair.concurrency >= since]
    before = [pair for pair in known if pair.concurrency < since]
    what = paying[0].throughput.metric.label.lower()
    span = span_text([pair.throughput.change or 0.0 for pair in paying])
    if len(paying) == 1:
        which = "heaviest" if before else "only"
        text = f"Pays at concurrency {since:g}, the {which} load at which this arm was measured: {span} {what}."
    elif before:
        text = f"Pays from concurrency {since:g} on: {span} {what} up to {paying[-1].concurrency:g}."
    else:
        levels = [pair.concurrency for pair in paying]
        text = f"Pays at every load measured, concurrency {levels_text(levels)}: {span} {what}."
    return f"{text} {_before_text(before, known)}".strip()


def _levels(pairs: Sequence[Pair], known: Sequence[Pair]) -> str:
    """The loads of some of the pairs that are known."""
    return levels_text([pair.concurrency for pair in pairs], [pair.concurrency for pair in known])


def _before_text(before: Sequence[Pair], known: Sequence[Pair]) -> str:
    if not before:
        return ""
    parts = [f"{words} at {_levels(members, known)}" for words, members in _sorts(before)]
    return f"Below that it {listed(parts)}."


def _sorts(pairs: Sequence[Pair]) -> list[tuple[str, list[Pair]]]:
    """Pairs by what happened to their throughput, each with its verb."""
    same = [pair for pair in pairs if pair.throughput.verdict in ("same", "noise")]
    worse = [pair for pair in pairs if pair.throughput.verdict == "worse"]
    better = [pair for pair in pairs if pair.throughput.verdict == "better"]
    most = max((abs(pair.throughput.change or 0.0) for pair in same), default=0.0)
    noise = "stays within run-to-run noise" if any(p.throughput.verdict == "noise" for p in same) else ""
    sorts = [
        (noise or f"changes less than {max(most, 0.001) * 100:.1f} %, too little to tell from noise", same),
        (f"costs ({span_text([p.throughput.change or 0.0 for p in worse])})" if worse else "", worse),
        (f"gains ({span_text([p.throughput.change or 0.0 for p in better])})" if better else "", better),
    ]
    return [(words, members) for words, members in sorts if members]


def _mixed_text(known: Sequence[Pair]) -> tuple[str, str, list[Pair]]:
    better = [pair for pair in known if gains(pair)]
    slower = [pair for pair in known if pair.throughput.verdict == "better" and not gains(pair)]
    worse = [pair for pair in known if pair.throughput.verdict == "worse"]
    what = known[0].throughput.metric.label.lower()
    if better or slower:
        parts = []
        if better:
            parts.append(f"gains at {_levels(better, known)} ({_span(better)})")
        if slower:
            parts.append(
                f"gains throughput at {_levels(slower, known)} ({_span(slower)}) at the price of interactivity"
            )
        if worse:
            parts.append(f"costs at {_levels(worse, known)} ({_span(worse)})")
        text = f"Does not pay throughout: it {listed(parts)}, by {what}."
        return text, "plain", [*better, *slower, *worse]
    levels = levels_text([pair.concurrency for pair in known])
    if worse:
        return f"Does not pay at the loads measured ({levels}): it costs {_span(worse)} {what}.", "bad", worse
    most = max(abs(pair.throughput.change or 0.0) for pair in known)
    if any(pair.throughput.verdict == "noise" for pair in known):
        told = "within run-to-run noise"
    else:
        told = f"{change_text(most).lstrip('+')} at most, less than the {SAME * 100:.0f} % that single runs can tell"
    return f"Changes nothing at the loads measured ({levels}): {told}.", "plain", list(known)


def _span(pairs: Sequence[Pair]) -> str:
    return span_text([pair.throughput.change or 0.0 for pair in pairs])
