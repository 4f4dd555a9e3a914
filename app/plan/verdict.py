"""What a plan comes to, in sentences: the regime with its reasons, and the prompts that are better recomputed."""

from collections.abc import Sequence

from app.plan import formulas as f
from app.plan.numbers import t
from app.plan.parts import Number, Way, policy_of
from app.plan.settled import Settled


def verdict_of(settled: Settled, numbers: Sequence[Number], ways: Sequence[Way]) -> tuple[f.Regime | None, str]:
    value = {number.key: number.value for number in numbers}
    on_hbm, on_pool = value["pressure_hbm"], value["pressure_pool"]
    if on_hbm is None:
        return None, f"No verdict without the HBM pool. {settled.known['hbm_tokens'].said}"
    if on_pool is None:
        return None, "No verdict without the size of the pool below HBM: give KV bytes, or the pool in tokens."
    needed, there = value["reload_gb_s"], value["reload_available_gb_s"]
    regime = f.regime(on_hbm, on_pool, needed, there)
    said = [_reasons(settled, regime, value), _flash(settled, regime, value), _unchecked(settled, regime)]
    return regime, " ".join(text for text in said if text)


def _reasons(s: Settled, regime: f.Regime, value: dict[str, float | None]) -> str:
    fits = f"The working set is {_times(value['pressure_hbm'])} the HBM pool"
    pool = f"the reuse set is {_times(value['pressure_pool'])} what HBM and DRAM retain"
    if regime == "idle":
        return f"{fits}, so it fits: offload stays idle and costs a little."
    if regime == "sweet spot":
        return f"{fits}, so it does not fit, and {pool}, so the pool still has a conversation when it comes back."
    if regime == "link-bound":
        return (
            f"{fits}, so it does not fit, and reloading takes {t(value['reload_gb_s'])} GB/s where the links carry "
            f"{t(value['reload_available_gb_s'])}: DRAM reload already limits, so a slower tier would not help."
        )
    mirror = policy_of(s) == "inclusive" and (value["ratio"] or 0) <= 1
    why = " The DRAM pool only repeats what HBM holds, as it is no larger." if mirror else ""
    return f"{fits}, and {pool}: the pool lets go of a conversation before it comes back, and writes without gain.{why}"


def _times(value: float | None) -> str:
    return "less than 0.01 times" if 0 < (value or 0) < 0.01 else f"{value or 0:,.2f} times"


def _unchecked(s: Settled, regime: f.Regime) -> str:
    if regime == "idle" or s.number("read") is not None:
        return ""
    return "Whether the links carry the reloads is not checked: nothing says how many tokens are reloaded a second."


def _flash(s: Settled, regime: f.Regime, value: dict[str, float | None]) -> str:
    """Whether NVMe would help: only where DRAM is too small, and only if its drives carry the reloads."""
    nvme = s.number("nvme_tokens")
    if regime != "thrash" or nvme is None:
        return ""
    hbm, dram, again = s.number("hbm_tokens") or 0, s.number("dram_tokens") or 0, value["reuse_set"] or 0
    held = f.retained((hbm, dram, nvme), policy_of(s))
    if held < again:
        return "Even with the NVMe pool it would not."
    needed, there = value["reload_gb_s"], value["reload_nvme_gb_s"]
    if needed is not None and there is not None and needed > there:
        return f"The NVMe pool would hold it, but its drives carry {t(there)} GB/s of the {t(needed)} needed."
    return "With the NVMe pool it would be held" + ("." if needed is not None else ", if its drives carry the reloads.")


def short_prompts(settled: Settled, compute: f.Compute | None, ways: Sequence[Way]) -> str:
    """Where short prompts turn the answer round, for the links that this server has."""
    if compute is None or not ways:
        return "Without a recompute time nothing can be said about break-even."
    return " ".join(_turn(way) for way in ways if way.chosen)


def _turn(way: Way) -> str:
    where = f"From {'DRAM by' if way.link.owner == 'chip' else ''} {way.label}".replace("  ", " ")
    if way.break_even is None:
        return f"{where}, recomputing is faster at every length."
    if way.break_even < 1:
        return f"{where}, reloading is faster at every length."
    if way.break_even > 1e7:
        return f"{where}, recomputing is faster at every length that a model takes."
    return f"{where}, reloading is faster from {way.break_even:,.0f} tokens on; below that, recomputing is."
