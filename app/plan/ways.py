"""Recomputing against every way of reloading."""

from app.catalog.links import DRAM_LINKS, LINKS, NETWORK, Link
from app.plan import formulas as f
from app.plan.parts import Way
from app.plan.settled import Settled

MOST_DRIVES = 8


def compute_of(settled: Settled) -> f.Compute | None:
    """What recomputing costs here: as measured, else from parameters and peak."""
    measured = settled.number("trec")
    if measured is not None:
        return f.Compute(active=0.5, attention=0, flops=1e6 / measured)
    active, peak, eta, chips = (settled.number(name) for name in ("active", "tflops", "eta", "chips"))
    if not (active and peak and eta and chips):
        return None
    return f.Compute(active=active * 1e9, attention=settled.number("attention") or 0, flops=eta * peak * 1e12 * chips)


def ways_of(settled: Settled, compute: f.Compute | None) -> tuple[Way, ...]:
    """Host memory by every link, one to eight drives and those of the server, the network."""
    if settled.number("rank_bytes") is None:
        return ()
    drives = sorted({1, MOST_DRIVES, int(settled.number("drives") or 1)})
    drive, ports = LINKS[settled.word("drive")], int(settled.number("ports") or 1)
    asked = [(LINKS[key], 1, key == settled.word("link")) for key in DRAM_LINKS]
    asked += [(drive, count, count == settled.number("drives")) for count in drives]
    asked += [(LINKS[NETWORK], ports, False)]
    return tuple(_way(settled, compute, link, count, chosen) for link, count, chosen in asked)


def _way(settled: Settled, compute: f.Compute | None, link: Link, count: int, chosen: bool) -> Way:
    """Ranks load at once. Chips have links of their own; what the server shares is also bounded by those."""
    rank, whole = settled.number("rank_bytes") or 0.0, settled.number("bytes") or 0.0
    tp, state = settled.number("tp") or 1.0, (settled.number("state") or 0.0) * 1e6
    lane = link.bytes_per_s
    per_token, fixed = rank / lane, state / tp / lane
    if link.owner != "chip":
        shared = link.bytes_per_s * count
        own = LINKS[settled.word("link")].bytes_per_s
        read = rank * tp if settled.word("copies") == "each" else whole
        per_token, fixed = max(read / shared, rank / own), max(state / shared, state / tp / own)
        lane = rank / per_token
    load = f.Load(start=(settled.number("start_ms") or 0) / 1e3, per_token=per_token, fixed=fixed)
    context = settled.number("context") or 0
    peak, chips = settled.number("tflops"), settled.number("chips") or 1
    total = lane * chips if link.owner == "chip" else link.bytes_per_s * count
    return Way(
        key=link.key if link.owner == "chip" else f"{link.key}x{count}",
        label=link.label if link.owner == "chip" else f"{count} × {link.label}",
        link=link,
        count=count,
        chosen=chosen,
        lane=lane,
        per_token=per_token,
        load=load,
        at_context=load.time(context),
        break_even=f.break_even_length(load, compute) if compute else None,
        benefit=f.benefit(load.time(context), compute.time(context)) if compute and context else None,
        flop_per_byte=f.flop_per_link_byte(peak * 1e12 * chips, total) if peak else None,
    )
