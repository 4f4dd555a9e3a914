"""How hard the sessions press on the pools, and which regime a point is in: measured shares decide before estimates."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog.links import LINKS, USUAL_DRAM_LINK
from app.catalog.metrics import CACHED_SHARE, CEILING_SHARE, INPUT_TPUT, METRICS, TTFT_MEAN_S, ttft
from app.catalog.models import MODELS
from app.catalog.offload import WRITE_POLICIES
from app.catalog.vocabulary import Term, Vocabulary
from app.study.arms import Arm, Sample
from app.study.pairs import THROUGHPUT, Pair
from app.study.words import change_text, seconds_text, share_text, times_text

REGIMES: Vocabulary[Term] = Vocabulary(
    "regime",
    [
        Term(key="idle", label="idle", text="HBM holds the sessions: the tier below has nothing to add."),
        Term(key="sweet", label="sweet spot", text="HBM is outgrown and the tier below holds what it drops."),
        Term(key="thrash", label="thrash", text="The tier below is outgrown too: it writes much and serves little."),
        Term(
            key="link",
            label="link-bound",
            text="Hits are there, and loading them takes longer than computing, or all that the link carries.",
        ),
        Term(
            key="queue",
            label="waiting",
            text="Hits are there, throughput has stopped growing and requests wait: misses are not what limits.",
        ),
        Term(key="unknown", label="not known", text="The record does not hold what tells regimes apart."),
    ],
)

IDLE_SHARE, LOADED_SHARE = 0.02, 0.10
HELD = 0.92
"""Cached share over the ceiling from which on misses are not what limits."""
FALLING = 0.02
STALLED = 1.03
"""Throughput above the best at lighter load by less than this has stopped growing."""
WAITING = 3.0
"""TTFT over that at the lightest load from which on requests wait."""
USUAL = LINKS[USUAL_DRAM_LINK]
_EXCLUSIVE = frozenset(policy.key for policy in WRITE_POLICIES if policy.inclusive is False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressure:
    """One point with KV offload. `hbm` is the working set over HBM's pool, `tier` over what the tiers below retain."""

    arm: Arm
    sample: Sample
    pair: Pair | None
    hbm: float | None
    tier: float | None
    ratio: float | None
    regime: str
    reason: str

    @property
    def gain(self) -> float | None:
        """Relative change of throughput from off to on."""
        return self.pair.throughput.change if self.pair else None


def pressures_of(arm: Arm, pairs: Sequence[Pair]) -> tuple[Pressure, ...]:
    """An arm over concurrency, each point judged with those at lighter load before it."""
    paired = {pair.on.id: pair for pair in pairs}
    found: list[Pressure] = []
    samples = sorted((s for s in arm.newest if s.concurrency is not None), key=lambda s: s.concurrency or 0)
    for place, sample in enumerate(samples):
        pair = paired.get(sample.id)
        hbm, tier = _ratio(sample.working_set, sample.pool), tier_pressure(arm, sample)
        regime, reason = regime_of(sample, samples[:place], samples[place + 1 :], pair, hbm, tier)
        found.append(
            Pressure(
                arm=arm,
                sample=sample,
                pair=pair,
                hbm=hbm,
                tier=tier,
                ratio=sample.ratio,
                regime=regime,
                reason=reason,
            )
        )
    return tuple(found)


def tier_pressure(arm: Arm, sample: Sample) -> float | None:
    """What returns before it is used again, (users - 1) x prompt, over the tokens that the tiers retain.

    A tier that holds what HBM drops adds HBM's pool to its own; one that repeats HBM does not.
    """
    if sample.below is None or not sample.working_set or not sample.concurrency:
        return None
    retained = sample.below + (sample.pool or 0 if arm.write_policy in _EXCLUSIVE else 0)
    return _ratio(sample.working_set * (sample.concurrency - 1) / sample.concurrency, retained)


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def regime_of(
    sample: Sample,
    lighter: Sequence[Sample],
    heavier: Sequence[Sample],
    pair: Pair | None,
    hbm: float | None,
    tier: float | None,
) -> tuple[str, str]:
    """A regime and its reason in words, judged beside the points of its arm at lighter and at heavier load."""
    reloaded, held = sample.reloaded, achieved(sample)
    verdict = pair.throughput.verdict if pair else "unknown"
    change = pair.throughput.change if pair else None
    if reloaded is None:
        return _by_speed(sample, verdict, change, hbm, tier)
    if reloaded < IDLE_SHARE and not (hbm is not None and hbm > 1 and tier is not None and tier > 1):
        return "idle", f"{share_text(reloaded)} of the prompt tokens come from below HBM"
    served = f"{share_text(reloaded)} of the prompt tokens come from below HBM"
    falls = reloaded < max((other.reloaded or 0.0 for other in lighter), default=0.0) - FALLING
    if held is not None and held < HELD and (falls or (tier is not None and tier > 1)):
        why = f"cached share is {share_text(held)} of its ceiling"
        why += ", and the tier serves less than at lighter load" if falls else ""
        why += (
            f", {times_text(tier)} what the pool below HBM retains is in use{_estimated(sample)}"
            if tier is not None and tier > 1
            else ""
        )
        return "thrash", why
    if reloaded >= LOADED_SHARE and verdict == "worse" and change is not None:
        return "link", f"{served}, yet throughput is {change_text(change)} against recomputing them"
    need = reload_per_chip(sample)
    if need is not None and need > USUAL.bytes_per_s:
        return "link", f"reloading needs about {need / 1e9:.0f} GB/s a chip, and {USUAL.label} carries {USUAL.gb_s:g}"
    waits = _waiting(sample, lighter, heavier)
    if reloaded >= LOADED_SHARE and waits and (held is None or held >= HELD):
        return "queue", _queue_text(sample, served, held, waits, hbm, need)
    if reloaded >= LOADED_SHARE and waits:
        return "unknown", f"{served}, and {waits}; misses and waiting may both limit"
    if verdict == "better" and change is not None:
        return "sweet", f"{served}, and throughput is {change_text(change)}"
    if held is not None and held >= HELD and reloaded >= IDLE_SHARE:
        return "sweet", f"{served}, which keeps the cached share at {share_text(held)} of its ceiling"
    return "unknown", f"{served}; what limits cannot be told from this record"


def _by_speed(
    sample: Sample, verdict: str, change: float | None, hbm: float | None, tier: float | None
) -> tuple[str, str]:
    """Where tiers are not counted: pool sizes and speed alone, and said to be so."""
    note = "by speed alone, since the tiers' shares are not reported"
    if tier is not None and tier > 1 and hbm is not None and hbm > 1:
        return (
            "thrash",
            f"the sessions need {times_text(tier)} what the tiers below HBM retain{_estimated(sample)}; {note}",
        )
    if verdict == "better" and change is not None and (hbm is None or hbm > 1):
        press = f"the sessions need {times_text(hbm)} the HBM pool" if hbm is not None else "HBM's pool is not reported"
        return "sweet", f"throughput is {change_text(change)}, {press}; {note}"
    if hbm is not None and hbm <= 1 and verdict != "better":
        return "idle", f"the sessions need {times_text(hbm)} the HBM pool; {note}"
    return "unknown", "the tiers' shares are not reported"


def _estimated(sample: Sample) -> str:
    return ", by an estimate from bytes" if sample.estimate else ""


def achieved(sample: Sample) -> float | None:
    """Cached share over the ceiling of its own trace."""
    cached, ceiling = sample.value(CACHED_SHARE), sample.value(CEILING_SHARE)
    return cached / ceiling if cached is not None and ceiling and not sample.doubt else None


def _queue_text(
    sample: Sample, served: str, held: float | None, waits: str, hbm: float | None, need: float | None
) -> str:
    share = f"the cached share is {share_text(held)} of its ceiling" if held is not None else served
    text = f"{share}, throughput has stopped growing, and {waits}"
    if need is not None and need < USUAL.bytes_per_s / 2:
        text += f"; reloading needs at most {need / 1e9:.2g} GB/s a chip, where {USUAL.label} carries {USUAL.gb_s:g}"
    if hbm is not None and hbm > 1 and sample.concurrency:
        text += f"; HBM has room for the context of about {sample.concurrency / hbm:.0f} of {sample.concurrency:g}"
    return text


def reload_per_chip(sample: Sample) -> float | None:
    """Bytes a second that each chip must load, its state counted in BF16: with FP8 state it is half.

    None where the model's geometry, the layout or the input rate is not known, or chips have roles of their own.
    """
    row = sample.values
    model, tp, chips = MODELS.get(row["model"]), row["tp"], row["chip_count"]
    rate, reloaded = sample.value(INPUT_TPUT), sample.reloaded
    if model is None or model.geometry is None or not tp or not chips or row["disaggregated"] or rate is None:
        return None
    # With data-parallel attention each rank serves sessions of its own, and holds all of their state.
    ranks = 1 if "DPA" in (row["layout"] or "") else int(tp)
    state = model.geometry.per_rank(ranks, "bf16")
    return None if state is None or reloaded is None else rate * reloaded * state * ranks / chips


def _waiting(sample: Sample, lighter: Sequence[Sample], heavier: Sequence[Sample]) -> str:
    """That throughput stalls while requests wait, in words; empty where it does not or cannot be told."""
    if not _stalled(sample, lighter, heavier):
        return ""
    for key in (ttft("p50"), ttft("p90"), TTFT_MEAN_S):
        waits = [value for other in lighter if (value := other.value(key))]
        here = sample.value(key)
        if waits and here is not None:
            if here < WAITING * waits[0]:
                return ""
            return f"{METRICS[key].label} is {seconds_text(here)} against {seconds_text(waits[0])} at the lightest load"
    return ""


def _stalled(sample: Sample, lighter: Sequence[Sample], heavier: Sequence[Sample]) -> bool:
    """Whether a lighter load had as much throughput, and no heavier one has more."""
    for key in THROUGHPUT:
        here = sample.value(key)
        before, after = (
            [value for other in others if (value := other.value(key)) is not None] for others in (lighter, heavier)
        )
        if here is not None and before:
            return here <= max(before) * STALLED and max(after, default=0.0) <= here * STALLED
    return False
