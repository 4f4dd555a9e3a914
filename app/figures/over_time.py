"""A run over time: the pool of the chips, requests under way, where prompt tokens came from, TTFT, interactivity."""

from collections.abc import Callable, Sequence

from app.catalog.metrics import CACHED_SHARE, COMPUTED_SHARE, METRICS
from app.catalog.offload import TIERS
from app.figures.figure import Figure, Plain
from app.figures.panel import (
    DASH,
    DOTS,
    SOFT,
    STRONG,
    WARMUP,
    area,
    line,
    middles,
    panel,
    seconds,
    upward,
    warm_band,
)
from app.figures.study.waterfall import COLORS, HATCHED, hatch
from app.store.happened import Column, Happened, Pace

_PACE_UNIT = "tok/s/user"


def usage(run: Happened) -> Figure | None:
    """How full the KV pool of the chips is."""
    if run.server is None or run.span is None or not _any(run.server.columns["kv_usage"]):
        return None
    ys = run.server.columns["kv_usage"]
    most = max(y for y in ys if y is not None)
    return panel(
        "KV pool of the chips in use",
        [line("In use", middles(run.server.start_s, run.server.width_s), ys, STRONG)],
        seconds(run.span),
        upward("Share of the pool", ys, share=True, most=1.02),
        f"KV pool of the chips in use over time: at most {100 * most:.0f} %",
        shapes=_warm(run),
    )


def under_way(run: Happened) -> Figure | None:
    """Requests that the server runs and lets wait, and those that the clients have open."""
    data: list[Plain] = []
    if run.load is not None:
        xs = middles(run.load.start_s, run.width_s)
        data.append(line("Open, as the clients see it", xs, run.load.measured, SOFT))
        if any(run.load.warmup):
            data.append(line("Open, warm-up", xs, [open or None for open in run.load.warmup], WARMUP, dash=DOTS))
    if run.server is not None:
        xs = middles(run.server.start_s, run.server.width_s)
        names = [("running", "Running on the server", STRONG, ""), ("waiting", "Waiting on the server", STRONG, DASH)]
        names += [] if run.load is not None else [("in_flight", "Open, as the clients see it", SOFT, "")]
        data += [
            line(label, xs, run.server.columns[name], color, dash=dash)
            for name, label, color, dash in names
            if _any(run.server.columns[name])
        ]
    if run.span is None or not data:
        return None
    every = [y for drawn in data for y in drawn["y"] if y is not None]
    return panel(
        "Requests under way",
        data,
        seconds(run.span),
        upward("Requests", every),
        f"Requests under way over time: at most {max(every):.0f}",
        shapes=_warm(run),
        note="As the clients see it." if len(data) == 1 else "",
    )


def sources(run: Happened) -> Figure | None:
    """Which memory the prompt tokens of each stretch came from, stacked: below the recomputed ones is the hit share."""
    if run.server is None or run.span is None or not run.server.tokens:
        return _cached(run)
    server = run.server
    known = [n for n, tokens in enumerate(server.columns["prompt_tokens"]) if tokens]
    if not known:
        return _cached(run)
    prompt = [server.columns["prompt_tokens"][n] or 1.0 for n in known]
    below = [0.0] * len(known)
    data = []
    parts: list[tuple[str, str, Column]] = [
        (TIERS.label(medium) or medium, TIERS[medium].share_metric or CACHED_SHARE, column)
        for medium, column in server.tokens.items()
        if any(column)
    ]
    if _any(server.columns["computed_tokens"]):
        parts.append(("Recomputed", COMPUTED_SHARE, server.columns["computed_tokens"]))
    for name, key, column in parts:
        above = [low + (column[n] or 0.0) / of for low, n, of in zip(below, known, prompt, strict=True)]
        data.append(_steps(name, [server.start_s[n] for n in known], server.width_s, below, above, key))
        below = above
    return panel(
        "Where prompt tokens came from",
        data,
        seconds(run.span),
        upward("Share of prompt tokens", [], share=True, most=1.02),
        f"Where prompt tokens came from over time: {', '.join(name for name, _, _ in parts)}",
        twins=dict(COLORS.values()),
        note="Prompt tokens that the server counted in each stretch of time.",
    )


def _cached(run: Happened) -> Figure | None:
    """The hit share as the server answered it to each request, where its own counters are not there."""
    if run.pace is None or run.span is None or not _any(run.pace.cached):
        return None
    xs = middles(run.pace.start_s, run.width_s)
    return panel(
        METRICS[CACHED_SHARE].label,
        [line("Cached, as the server answered", xs, run.pace.cached, STRONG)],
        seconds(run.span),
        upward("Share of prompt tokens", [], share=True, most=1.02),
        "Share of the prompt tokens that a cache served, over time",
        shapes=_warm(run),
    )


def first_token(run: Happened) -> Figure | None:
    return _percentiles(
        run,
        "Time to first token",
        "TTFT (s)",
        (lambda pace: pace.ttft_p50, lambda pace: pace.ttft_p90),
        ("ttft_50_s", "ttft_90_s"),
        lambda value: value,
    )


def interactivity(run: Happened) -> Figure | None:
    return _percentiles(
        run,
        "Interactivity",
        f"Interactivity ({_PACE_UNIT})",
        (lambda pace: pace.pace_p50, lambda pace: pace.pace_p90),
        ("itl_50_s", "itl_90_s"),
        lambda value: 1 / value if value else None,
    )


def _percentiles(
    run: Happened,
    title: str,
    unit: str,
    of: Sequence[Callable[[Pace], Column]],
    sliced: Sequence[str],
    turned: Callable[[float], float | None],
) -> Figure | None:
    """Median and slow tail by the time at which requests were sent, the warm-up apart."""
    data: list[Plain] = []
    note = "By the time at which a request was sent."
    names, colors = ("p50", "p90, the slow tail"), ((STRONG, ""), (SOFT, DASH))
    if run.pace is not None:
        for name, (color, dash), column in zip(names, colors, of, strict=True):
            if _any(column(run.pace)):
                data.append(line(name, middles(run.pace.start_s, run.width_s), column(run.pace), color, dash=dash))
        if run.warmup is not None and _any(of[0](run.warmup)):
            xs = middles(run.warmup.start_s, run.width_s)
            data.append(line("Warm-up, p50", xs, of[0](run.warmup), WARMUP, dash=DOTS))
    elif run.server is not None:
        note = "Means over the slices of each stretch; requests one by one would give the percentiles."
        for name, (color, dash), key in zip(names, colors, sliced, strict=True):
            ys = [None if value is None else turned(value) for value in run.server.columns[key]]
            if _any(ys):
                data.append(line(name, middles(run.server.start_s, run.server.width_s), ys, color, dash=dash))
    if run.span is None or not data:
        return None
    every = [y for drawn in data for y in drawn["y"] if y is not None]
    return panel(
        f"{title} over time",
        data,
        seconds(run.span),
        upward(unit, every),
        f"{title} over time, {', '.join(drawn['name'] for drawn in data)}: from {min(every):.3g} to {max(every):.3g}",
        shapes=_warm(run),
        note=note,
    )


def _steps(
    name: str, starts: Sequence[float], width: float, below: Sequence[float], above: Sequence[float], key: str
) -> Plain:
    """A layer of a stack: a step for each stretch of time, a gap where nothing was counted."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    run: list[tuple[float, float, float]] = []
    for start, low, high in [*zip(starts, below, above, strict=True), (float("inf"), 0.0, 0.0)]:
        if run and start > run[-1][0] + width * 1.01:
            top = [(x, high) for begin, _, high in run for x in (begin, begin + width)]
            bottom = [(x, low) for begin, low, _ in run for x in (begin, begin + width)]
            outline = [*top, *reversed(bottom)]
            xs += [*(x for x, _ in outline), None]
            ys += [*(y for _, y in outline), None]
            run = []
        run.append((start, low, high))
    return area(name, xs[:-1], ys[:-1], COLORS[key][0], hatch=hatch(key) if key in HATCHED else None)


def _warm(run: Happened) -> list[Plain]:
    if run.span is None or run.totals is None:
        return []
    return warm_band(run.span, run.totals.warmup_end_s)


def _any(column: Sequence[float | None]) -> bool:
    return any(value is not None for value in column)
