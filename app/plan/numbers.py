"""The single numbers of a plan, each with its formula in words and worked out."""

from collections.abc import Sequence

from app.plan import formulas as f
from app.plan.parts import Number, TierPlan, Way, policy_of, retained_of
from app.plan.settled import Settled

_NEED_POOL = "HBM pool"


def numbers_of(
    settled: Settled, compute: f.Compute | None, ways: Sequence[Way], tiers: Sequence[TierPlan]
) -> list[Number]:
    return [*_set(settled), *_pools(settled), *_time(settled, compute, ways), *_traffic(settled, ways)]


def t(value: float | None) -> str:
    """A number inside a worked formula: whole from a thousand on, else four digits that matter."""
    if value is None:
        return "?"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _set(s: Settled) -> list[Number]:
    sessions, context, hbm = (s.number(name) for name in ("sessions", "context", "hbm_tokens"))
    live = f.working_set(sessions or 0, context or 0)
    again = f.reuse_set(sessions or 0, context or 0)
    each = s.stored_per_token
    below = _held(s)
    return [
        Number(
            key="working_set",
            label="Working set",
            value=live,
            unit="tokens",
            formula="conversations · context",
            worked=f"{t(sessions)} · {t(context)}",
        ),
        Number(
            key="reuse_set",
            label="Reuse set",
            value=again,
            unit="tokens",
            formula="(conversations − 1) · context: what others bring in before one comes back",
            worked=f"({t(sessions)} − 1) · {t(context)}",
        ),
        Number(
            key="reuse_bytes",
            label="Reuse set below HBM",
            value=again * each if each is not None else None,
            unit="B",
            formula="reuse set · bytes stored a token",
            worked=f"{t(again)} · {t(each)} B",
            missing="KV bytes",
        ),
        Number(
            key="pressure_hbm",
            label="Pressure on HBM, γ",
            value=f.pressure(live, hbm) if hbm else None,
            unit="",
            formula="working set ÷ HBM pool; above 1 it does not fit",
            worked=f"{t(live)} ÷ {t(hbm)}",
            missing=_NEED_POOL,
        ),
        Number(
            key="pressure_pool",
            label="Pressure on the pool, γ",
            value=f.pressure(again, below) if below else None,
            unit="",
            formula="reuse set ÷ tokens that HBM and the tiers below retain; above 1 an LRU tier has let go of it",
            worked=f"{t(again)} ÷ {t(below)}",
            missing=_NEED_POOL,
        ),
    ]


def _held(s: Settled) -> float | None:
    """Tokens retained by HBM with the DRAM pool: the pool that offload begins with."""
    return retained_of([s.number("hbm_tokens"), s.number("dram_tokens")], policy_of(s))


def _stored_rule(s: Settled) -> str:
    rule = "bytes a rank · ranks" if s.word("copies") == "each" else "one full copy, whatever the number of ranks"
    return f"{rule} + state · checkpoints ÷ context" if s.number("state") else rule


def _stored_worked(s: Settled) -> str:
    each = s.word("copies") == "each"
    copies = f"{t(s.number('rank_bytes'))} · {t(s.number('tp'))}" if each else t(s.number("bytes"))
    if not s.number("state"):
        return copies if each else ""
    return f"{copies} + {t(s.number('state'))} MB · {t(s.number('checkpoints'))} ÷ {t(s.number('context'))}"


def _pools(s: Settled) -> list[Number]:
    hbm, dram, nvme = (s.number(name) for name in ("hbm_tokens", "dram_tokens", "nvme_tokens"))
    ratio = dram / hbm if hbm and dram is not None else None
    policy = policy_of(s)
    return [
        Number(
            key="stored_bytes",
            label="Stored a token",
            value=s.stored_per_token,
            unit="B",
            formula=_stored_rule(s),
            worked=_stored_worked(s),
            missing="KV bytes",
        ),
        Number(
            key="ratio",
            label="Pool ratio, r",
            value=ratio,
            unit="×",
            formula="DRAM pool ÷ HBM pool, in tokens after copies; 1.5 to 3 is the usual guide",
            worked=f"{t(dram)} ÷ {t(hbm)}",
            missing=_NEED_POOL,
        ),
        Number(
            key="gain",
            label="Retained, against HBM alone",
            value=f.gain(ratio, policy) if ratio is not None else None,
            unit="×",
            formula="max(1, r), as the tier repeats HBM" if policy == "inclusive" else "1 + r, as the tier adds to HBM",
            worked=f"r = {t(ratio)}",
            missing=_NEED_POOL,
        ),
        Number(
            key="ratio_nvme",
            label="NVMe pool ÷ HBM pool",
            value=nvme / hbm if hbm and nvme is not None else None,
            unit="×",
            formula="in tokens after copies",
            worked=f"{t(nvme)} ÷ {t(hbm)}",
            missing=_NEED_POOL,
        ),
    ]


def _time(s: Settled, compute: f.Compute | None, ways: Sequence[Way]) -> list[Number]:
    context, rank, whole = (s.number(name) for name in ("context", "rank_bytes", "bytes"))
    way = next((way for way in ways if way.chosen and way.link.owner == "chip"), None)
    each = compute.per_token() if compute else None
    long = compute.per_token(context or 0) if compute else None
    need = "active parameters and peak, or a measured time"
    measured = s.number("trec") is not None
    rule = "as measured" if measured else "2 · active parameters ÷ (η · peak · chips)"
    worked = (
        f"2 · {t(s.number('active'))}e9 ÷ ({t(s.number('eta'))} · {t(s.number('tflops'))}e12 · {t(s.number('chips'))})"
    )
    return [
        Number(
            key="recompute_us",
            label="Recompute, weights alone",
            value=each * 1e6 if each else None,
            unit="µs/token",
            formula=rule,
            worked="" if measured else worked,
            missing=need,
        ),
        Number(
            key="recompute_context_us",
            label="Recompute at this context",
            value=long * 1e6 if long else None,
            unit="µs/token",
            formula="the same, with attention · context added to the FLOP",
            worked=f"+ {t(s.number('attention'))} · {t(context)} FLOP",
            missing=need,
        ),
        Number(
            key="recompute_s",
            label="Recompute this context",
            value=compute.time(context or 0) if compute else None,
            unit="s",
            formula="context · (2 · active parameters + attention · context) ÷ (η · peak · chips)",
            missing=need,
        ),
        Number(
            key="reload_s",
            label=f"Reload it by {way.label}" if way else "Reload it",
            value=way.at_context if way else None,
            unit="s",
            formula="start + context · bytes a rank ÷ link + state ÷ link; ranks load at once",
            worked=f"{t(s.number('start_ms'))} ms + {t(context)} · {t(rank)} B ÷ {t(way.link.gb_s)} GB/s"
            if way
            else "",
            missing="KV bytes",
        ),
        Number(
            key="break_even_tokens",
            label="Break-even length, N*",
            value=way.break_even if way else None,
            unit="tokens",
            formula="start ÷ (recompute − reload of a token), attention included; shorter prompts: recompute",
            missing="" if compute else need,
        ),
        Number(
            key="break_even_gb_s",
            label="Break-even bandwidth, BW*",
            value=f.break_even_bandwidth(whole, each) / 1e9 if whole and each else None,
            unit="GB/s",
            formula="bytes of one full copy ÷ recompute of a token, weights alone",
            worked=f"{t(whole)} B ÷ {t(each * 1e6 if each else None)} µs",
            missing=need,
        ),
        Number(
            key="break_even_rank_gb_s",
            label="The same for each rank",
            value=f.break_even_bandwidth(rank, each) / 1e9 if rank and each else None,
            unit="GB/s",
            formula="bytes a rank ÷ recompute of a token, weights alone",
            worked=f"{t(rank)} B ÷ {t(each * 1e6 if each else None)} µs",
            missing=need,
        ),
        Number(
            key="benefit",
            label="Time saved at this context",
            value=100 * way.benefit if way and way.benefit is not None else None,
            unit="%",
            formula="1 − reload ÷ recompute",
            missing="" if compute else need,
        ),
        Number(
            key="flop_per_byte",
            label="FLOP per link byte",
            value=way.flop_per_byte if way else None,
            unit="FLOP/B",
            formula="peak ÷ link, a chip: the higher, the less a reload is worth",
            missing="peak",
        ),
    ]


def _traffic(s: Settled, ways: Sequence[Way]) -> list[Number]:
    each, write, read = s.stored_per_token, s.number("write"), s.number("read")
    day = f.written_per_day(write, each) if write is not None and each is not None else None
    flash = (s.number("nvme_tb") or 0) * 1e12
    need = "tokens computed a second"
    rated = s.number("dwpd") or 0
    wear = f.drive_writes_per_day(day, flash) if day is not None and flash else None
    return [
        Number(
            key="reload_gb_s",
            label="Reload bandwidth needed",
            value=f.required_bandwidth(read, each) / 1e9 if read is not None and each is not None else None,
            unit="GB/s",
            formula="tokens reloaded a second · bytes stored a token",
            worked=f"{t(read)} · {t(each)} B",
            missing="tokens reloaded a second",
        ),
        Number(
            key="reload_available_gb_s",
            label="Reload bandwidth there is, from DRAM",
            value=available(s, ways, "chip"),
            unit="GB/s",
            formula="link · chips",
            missing="KV bytes",
        ),
        Number(
            key="reload_nvme_gb_s",
            label="Reload bandwidth there is, from NVMe",
            value=available(s, ways, "drive"),
            unit="GB/s",
            formula="drive · drives",
            missing="KV bytes",
        ),
        Number(
            key="write_gb_s",
            label="Write bandwidth",
            value=f.required_bandwidth(write, each) / 1e9 if write is not None and each is not None else None,
            unit="GB/s",
            formula="tokens computed a second · bytes stored a token, each written once",
            worked=f"{t(write)} · {t(each)} B",
            missing=need,
        ),
        Number(
            key="written_tb_day",
            label="Written a day",
            value=day / 1e12 if day is not None else None,
            unit="TB",
            formula="write bandwidth · 86,400 s",
            missing=need,
        ),
        Number(
            key="drive_writes",
            label="Drive writes a day",
            value=wear,
            unit="DWPD",
            formula=f"written a day ÷ NVMe pool; these drives are rated for {t(rated)}",
            worked=f"{t(day / 1e12 if day is not None else None)} TB ÷ {t(flash / 1e12)} TB",
            missing=need,
        ),
    ]


def available(s: Settled, ways: Sequence[Way], owner: str) -> float | None:
    """Gigabytes a second that the chosen links of this kind carry together."""
    way = next((way for way in ways if way.chosen and way.link.owner == owner), None)
    if way is None:
        return None
    return way.link.gb_s * ((s.number("chips") or 1) if owner == "chip" else way.count)
