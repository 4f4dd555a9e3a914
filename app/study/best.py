"""The best load of an arm against the best without it: a twin at equal concurrency may have collapsed long before."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog.metrics import Metric
from app.noise import SAME
from app.study.arms import Sample
from app.study.gain import shown_of
from app.study.pairs import Change, Pair, change_of, loads_apart, repeats_of
from app.study.words import change_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The highest throughput on either side, each at a load of its own. `apart` says why the two do not compare."""

    off: Sample
    on: Sample
    change: Change
    apart: str = ""

    @property
    def holds(self) -> bool:
        """Whether offload gains over every load without it."""
        return self.change.verdict == "better"

    def is_of(self, pair: Pair) -> bool:
        return (self.off.id, self.on.id) == (pair.off.id, pair.on.id)


def best_of(pairs: Sequence[Pair]) -> Best | None:
    """Of the pairs of one arm; None where they share no throughput."""
    known = [pair for pair in pairs if pair.throughput.change is not None]
    if not known:
        return None
    first, metric = known[0], known[0].throughput.metric
    off, on = (_highest(shown_of(arm, pairs), metric) for arm in (first.base, first.arm))
    if off is None or on is None:
        return None
    change = change_of(metric, off, on, repeats_of(off, first.base), repeats_of(on, first.arm))
    return Best(off=off, on=on, change=change, apart=loads_apart(on, off))


def _highest(samples: Sequence[Sample], metric: Metric) -> Sample | None:
    known = [sample for sample in samples if sample.value(metric.key) is not None]
    return max(known, key=lambda sample: (sample.value(metric.key) or 0.0, -(sample.concurrency or 0.0)), default=None)


def best_text(best: Best) -> str:
    """`Best against best: +2.3 %, 9,817 tok/s/chip at concurrency 32 against 9,593 at 16 without offload`."""
    change = best.change
    metric = change.metric
    on, off = (f"{value or 0:,.{metric.digits}f}" for value in (change.on, change.off))
    sides = (
        f"{on} {metric.unit} at concurrency {best.on.concurrency:g} with offload "
        f"against {off} at {best.off.concurrency:g} without"
    )
    if best.apart:
        return f"Best against best is {sides}, but their {best.apart}."
    told = {
        "same": f", less than the {SAME * 100:.0f} % that single runs can tell",
        "noise": ", within run-to-run noise",
    }.get(change.verdict, "")
    return f"Best against best, whatever the load: {change_text(change.change or 0.0)}{told} ({sides})."
