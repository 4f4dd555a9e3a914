"""Requests by conversation: a lane each, bars from start to end, pale until the first token, sub-agents below."""

from collections.abc import Iterable

from app.figures.figure import Figure, Plain
from app.figures.panel import LOST, PALE, SOFT, STRONG, WARMUP, area, panel, seconds
from app.figures.study.board import axis
from app.store.happened import Bar, Happened, Lanes

_AGENT, _SUB = (0.08, 0.56), (0.62, 0.88)
"""Where in its lane, counted from above, the agent itself and its sub-agents are drawn."""
_THIN = 0.0015
"""Least width of a bar, as a part of the axis, so that it can be seen."""
_NAMED = 12
"""So many lanes have room for a number each."""
_WHICH = {
    "all": "Every conversation, the first to begin on top",
    "largest": "{shown:,} of {of:,} conversations: those with the most requests",
    "middle": "{shown:,} of {of:,} conversations: those that began one after the other in the middle of the run",
}


def timeline(run: Happened) -> Figure | None:
    lanes = run.lanes
    if lanes is None or not lanes.bars:
        return None
    start = min(bar.start_s for bar in lanes.bars)
    end = max(bar.end_s for bar in lanes.bars)
    room = 0.01 * (end - start or 1.0)
    span = (max(0.0, start - room) if start >= 0 else start - room, end + room)
    least = _THIN * (span[1] - span[0])
    kinds = (
        ("Until the first token", PALE, [_cut(bar) for bar in lanes.bars if _is_split(bar)]),
        ("Agent", STRONG, [_rest(bar) for bar in lanes.bars if _is_plain(bar) and not bar.sub_agent]),
        ("Sub-agents", SOFT, [_rest(bar) for bar in lanes.bars if _is_plain(bar) and bar.sub_agent]),
        ("Warm-up", WARMUP, [_whole(bar) for bar in lanes.bars if bar.warmup and not bar.failed]),
        ("With a failed request", LOST, [_whole(bar) for bar in lanes.bars if bar.failed]),
    )
    return panel(
        "Requests by conversation",
        [_bars(name, color, bars, least) for name, color, bars in kinds if bars],
        seconds(span),
        _lanes(lanes),
        _summary(lanes),
        note=_note(lanes),
    )


Piece = tuple[Bar, float, float]


def _is_plain(bar: Bar) -> bool:
    return not bar.warmup and not bar.failed


def _is_split(bar: Bar) -> bool:
    return _is_plain(bar) and bar.first_token_s is not None


def _cut(bar: Bar) -> Piece:
    return bar, bar.start_s, min(bar.first_token_s or bar.start_s, bar.end_s)


def _rest(bar: Bar) -> Piece:
    return bar, min(bar.first_token_s or bar.start_s, bar.end_s), bar.end_s


def _whole(bar: Bar) -> Piece:
    return bar, bar.start_s, bar.end_s


def _bars(name: str, color: str, pieces: Iterable[Piece], least: float) -> Plain:
    xs: list[float | None] = []
    ys: list[float | None] = []
    for bar, start, end in pieces:
        top, bottom = _SUB if bar.sub_agent else _AGENT
        right = max(end, start + least)
        xs += [start, right, right, start, None]
        ys += [-bar.lane - top, -bar.lane - top, -bar.lane - bottom, -bar.lane - bottom, None]
    return area(name, xs[:-1], ys[:-1], color)


def _lanes(lanes: Lanes) -> Plain:
    """Downward: the conversation that began first is on top. Lanes are numbered, since names are long."""
    count = len(lanes.names)
    every = max(1, -(-count // _NAMED))
    shown = range(0, count, every)
    return {
        **axis("Conversation", [], count=1, bounds=(-float(count), 0.0)),
        "tickvals": [-lane - 0.5 for lane in shown],
        "ticktext": [str(lane + 1) for lane in shown],
        "showgrid": False,
    }


def _summary(lanes: Lanes) -> str:
    subs = sum(bar.requests for bar in lanes.bars if bar.sub_agent)
    return (
        f"Requests of {len(lanes.names):,} of {lanes.of:,} conversations over time: {lanes.requests:,} requests, "
        f"{subs:,} of them by sub-agents"
    )


def _note(lanes: Lanes) -> str:
    parts = [f"{_WHICH[lanes.chosen]}.".format(shown=len(lanes.names), of=lanes.of)]
    joined = sum(bar.requests for bar in lanes.bars if bar.requests > 1)
    if joined:
        parts.append(f"{joined:,} requests that began at about the same time share bars.")
    return " ".join(parts)
