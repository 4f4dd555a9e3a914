"""Would NVMe help: answered from a measured NVMe arm where there is one, else from what limits the DRAM arm."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from app.catalog.metrics import METRICS
from app.catalog.offload import TIERS
from app.noise import SAME
from app.study.arms import Arm, Recipe, Sample
from app.study.pairs import THROUGHPUT, change_of
from app.study.pressure import Pressure
from app.study.words import change_text, levels_text, span_text

Answer = Literal["yes", "no", "nothing", "unknown"]

_DRAM, _NVME = "host_dram", "local_nvme"
_WORDS: Mapping[str, tuple[Answer, str]] = {
    "idle": ("nothing", "there is nothing to gain: HBM still holds the sessions"),
    "sweet": ("nothing", "there is nothing to gain yet: DRAM holds what HBM drops"),
    "link": ("no", "DRAM reload already limits TTFT here: a slower tier would not help"),
    "queue": ("no", "DRAM already serves what can be served and requests wait: a slower tier would not help"),
    "thrash": ("yes", "DRAM is outgrown: a larger tier would help if it reloads faster than recomputing"),
    "unknown": ("unknown", "not known"),
}
_MEASURE = (
    "Measure: prompt tokens by tier (to see whether DRAM still serves them), the ceiling of the trace, "
    "pool sizes in tokens, and a heavier load."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Neighbouring concurrencies with one answer."""

    regime: str
    answer: Answer
    levels: tuple[float, ...]
    text: str
    reason: str
    ids: tuple[str, ...]
    counted: bool
    """Whether any of its points tells where its hits came from: speed alone does not say what a tier would add."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nvme:
    """The answer at the heaviest load, and how it changes on the way there. `measured` when an NVMe arm decides."""

    recipe: Recipe
    dram: Arm | None
    nvme: Arm | None
    answer: Answer
    measured: bool
    text: str
    stretches: tuple[Stretch, ...]
    steps: tuple[tuple[float, float, str, str], ...]
    """(concurrency, relative change of throughput from DRAM to NVMe, both ids)."""


_WHICH_CHIPS = (
    "Not known: there are arms with DRAM and with NVMe, but the files do not say on which chips they ran, so they may "
    "be two machines. Ingest them again with --set chip=… --set chip_count=…"
)

_UNPROVED = (
    " That the memory behind the connector is DRAM stands in a name or a setting; the counters do not say which it was."
)


def nvme_of(recipe: Recipe, pressures: Mapping[str, Sequence[Pressure]]) -> Nvme | None:
    """None where the recipe has no KV offload at all. `pressures` are by arm."""
    parked = [arm for arm in recipe.arms if arm.has_kv]
    if not parked:
        return None
    dram = _most(arm for arm in parked if arm.below == (_DRAM,))
    nvme = _most(arm for arm in parked if _NVME in arm.below)
    stretches = tuple(_stretches(pressures.get(dram.id, ()))) if dram else ()
    steps = tuple(_steps(dram, nvme)) if dram and nvme else ()
    answer: Answer
    if steps and not _is_one_machine(recipe):
        steps, answer, text = (), "unknown", _WHICH_CHIPS
    elif steps:
        answer, text = _measured(steps)
    elif dram is None:
        answer, text = _without_dram(nvme, parked)
    else:
        answer, text = _judged(stretches)
        if _is_unproved(dram):
            text += _UNPROVED
    return Nvme(
        recipe=recipe,
        dram=dram,
        nvme=nvme,
        answer=answer,
        measured=bool(steps),
        text=text,
        stretches=stretches,
        steps=steps,
    )


def _is_unproved(arm: Arm) -> bool:
    """Whether a connector served tokens from a memory that no record of the arm names."""
    return any("external_unspecified" in sample.values["flags"] for sample in arm.newest)


def _is_one_machine(recipe: Recipe) -> bool:
    """Whether the record says on which chips, and how many, its arms ran: else they may be two machines."""
    rows = [sample.values for arm in recipe.arms for sample in arm.samples]
    return all(row["chip"] is not None and row["chip_count"] is not None for row in rows)


def _most(arms: Iterator[Arm]) -> Arm | None:
    return max(arms, key=lambda arm: (len(arm.newest), arm.id), default=None)


def _stretches(pressures: Sequence[Pressure]) -> Iterator[Stretch]:
    for regime, run in groupby(pressures, key=lambda item: item.regime):
        members = list(run)
        answer, text = _WORDS[regime]
        yield Stretch(
            regime=regime,
            answer=answer,
            levels=tuple(item.sample.concurrency or 0.0 for item in members),
            text=text,
            reason=members[-1].reason,
            ids=tuple(item.sample.id for item in members),
            counted=any(item.sample.reloaded is not None for item in members),
        )


def _steps(dram: Arm, nvme: Arm) -> Iterator[tuple[float, float, str, str]]:
    """What adding NVMe changed, at each concurrency that both arms have."""
    for one in dram.newest:
        other = next((sample for sample in nvme.newest if sample.concurrency == one.concurrency), None)
        if other is None or one.concurrency is None:
            continue
        moved = _moved(one, other)
        if moved is not None:
            yield one.concurrency, moved, one.id, other.id


def _moved(dram: Sample, nvme: Sample) -> float | None:
    for key in THROUGHPUT:
        change = change_of(METRICS[key], dram, nvme, (), ())
        if change.change is not None:
            return change.change
    return None


def _measured(steps: Sequence[tuple[float, float, str, str]]) -> tuple[Answer, str]:
    """The run of gains that lasts to the heaviest load decides."""
    since = len(steps)
    while since and steps[since - 1][1] > SAME:
        since -= 1
    helped, rest = steps[since:], steps[:since]
    if helped:
        text = (
            f"Yes, and it was measured: {span_text([moved for _, moved, *_ in helped])} throughput against DRAM alone"
        )
        text += f" at concurrency {levels_text([level for level, *_ in helped])}."
        if rest:
            text += (
                f" Up to {rest[-1][0]:g} it adds at most {change_text(max(0.0, *(moved for _, moved, *_ in rest)))}."
            )
        return "yes", text
    low, high = min(moved for _, moved, *_ in steps), max(moved for _, moved, *_ in steps)
    return "no", (
        f"No, and it was measured: {span_text([low, high])} throughput against DRAM alone "
        f"at concurrency {levels_text([level for level, *_ in steps])}."
    )


def _without_dram(nvme: Arm | None, parked: Sequence[Arm]) -> tuple[Answer, str]:
    if nvme is not None:
        return "unknown", (
            "Not known: NVMe was measured only together with the tiers before it. "
            "Measure the same recipe with DRAM alone, to see what NVMe adds to it."
        )
    media = ", ".join(sorted({TIERS.label(medium) or medium for arm in parked for medium in arm.below}))
    return "unknown", f"Not known: the offload here goes to {media or 'memory that is not named'}, not to DRAM alone."


def _judged(stretches: Sequence[Stretch]) -> tuple[Answer, str]:
    known = [stretch for stretch in stretches if stretch.regime != "unknown"]
    if not known or not any(stretch.counted for stretch in stretches):
        return "unknown", f"Not known: no NVMe arm, and what DRAM served is not reported. {_MEASURE}"
    last = stretches[-1]
    if last.regime == "unknown":
        return "unknown", (
            f"Not known at concurrency {levels_text(last.levels)}, the heaviest load: {last.reason}. {_MEASURE}"
        )
    lead = {"yes": "Perhaps", "no": "No", "nothing": "No", "unknown": "Not known"}[last.answer]
    text = f"{lead}. At concurrency {levels_text(last.levels)} {last.text} ({last.reason})."
    for other in known[:-1]:
        if other.answer in ("no", "yes") and other.answer != last.answer:
            text += f" At {levels_text(other.levels)} {other.text}."
    return last.answer, text
