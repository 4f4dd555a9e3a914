"""How big a pool below HBM has to be for every conversation to stay resumable, and what the usual ratios come to."""

from collections.abc import Sequence

from app.catalog.offload import POOL_BAND
from app.plan import formulas as f
from app.plan.parts import Number, policy_of
from app.plan.settled import Settled


def pool_numbers(s: Settled) -> list[Number]:
    """The pool that keeps all conversations, as bytes and as a ratio to HBM's, and the bytes of the guide's ratios."""
    each, hbm, needed = s.stored_per_token, s.number("hbm_tokens"), _needed(s)
    live = f"{_text(s.number('sessions'))} · {_text(s.number('context'))}"
    added = policy_of(s) == "exclusive"
    tokens = f"({live} − {_text(hbm)})" if added else live
    return [
        Number(
            key="pool_needed_bytes",
            label="Pool that keeps all resumable",
            value=needed * each if needed is not None and each is not None else None,
            unit="B",
            formula=f"{_rule(s)} · bytes stored a token",
            worked=f"{tokens} · {_text(each)} B",
            missing="KV bytes" if each is None else "HBM pool",
        ),
        Number(
            key="pool_needed_ratio",
            label="Its ratio to the HBM pool, r",
            value=needed / hbm if needed is not None and hbm else None,
            unit="×",
            formula=f"{_rule(s)} ÷ HBM pool, in tokens after copies",
            worked=f"{tokens} ÷ {_text(hbm)}",
            missing="HBM pool",
        ),
        *(
            Number(
                key=key,
                label=f"Pool of r = {ratio:g}",
                value=ratio * hbm * each if hbm and each is not None else None,
                unit="B",
                formula="r · HBM pool · bytes stored a token",
                worked=f"{ratio:g} · {_text(hbm)} · {_text(each)} B",
                missing="KV bytes" if each is None else "HBM pool",
            )
            for key, ratio in zip(("pool_low_bytes", "pool_high_bytes"), POOL_BAND, strict=True)
        ),
    ]


def _rule(s: Settled) -> str:
    exclusive = policy_of(s) == "exclusive"
    return "(conversations · context − HBM pool)" if exclusive else "conversations · context"


def _needed(s: Settled) -> float | None:
    """Tokens below HBM: a tier that repeats HBM holds the whole set, one that adds to it what HBM does not."""
    live = f.working_set(s.number("sessions") or 0, s.number("context") or 0)
    if policy_of(s) == "inclusive":
        return live
    hbm = s.number("hbm_tokens")
    return None if hbm is None else max(0.0, live - hbm)


def pool_size(s: Settled, numbers: Sequence[Number]) -> str:
    """The answer in a sentence, with its formula; what is missing where it cannot be told."""
    found = {number.key: number for number in numbers}
    needed, ratio = found["pool_needed_bytes"], found["pool_needed_ratio"]
    low, high = found["pool_low_bytes"], found["pool_high_bytes"]
    about = f"these {_text(s.number('sessions'))} conversations of {_text(s.number('context'))} tokens"
    if needed.value is None:
        return f"How big a pool {about} need cannot be told: it needs {needed.missing}."
    live, hbm = f.working_set(s.number("sessions") or 0, s.number("context") or 0), s.number("hbm_tokens")
    if needed.value == 0:
        return f"HBM alone keeps {about} resumable: tiers that add to it have nothing to hold."
    if hbm and live <= hbm:
        lead = f"HBM alone keeps {about} resumable; a copy of them below it takes"
    else:
        lead = f"To keep {about} resumable below HBM you need"
    text = f"{lead} about {gigabytes(needed.value)} ({needed.worked})"
    if ratio.value is None:
        return f"{text}. Which r that is cannot be told: it needs the HBM pool."
    text += f", i.e. r = {_text(round(ratio.value, 2))}."
    ends = " and ".join(f"r = {ratio:g}" for ratio in POOL_BAND)
    return f"{text} The usual guide, {ends}, is {gigabytes(low.value)} and {gigabytes(high.value)} here."


def _text(value: float | None) -> str:
    """A number inside a formula: whole from a thousand on, else four digits that matter."""
    return "?" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def gigabytes(value: float | None) -> str:
    """`325 GB`, `4.2 TB`: bytes in decimal units, to three digits."""
    if value is None:
        return "?"
    scale, unit = (1e12, "TB") if value >= 1e12 else (1e9, "GB")
    size = value / scale
    return f"{size:,.0f} {unit}" if size >= 100 else f"{size:.3g} {unit}"
