"""What no point may hold, whichever source read it: figures below zero, loads of nobody, more chips than there are.

Such a figure is left out with a word, and the rest of its record stays. Sources refuse what cannot be drawn at all;
this is what is left for a record that is wrong in a place where nobody looked.
"""

import math
from collections.abc import Mapping
from dataclasses import fields, replace

from app.catalog.metrics import REQUESTS_OK
from app.catalog.offload import Offload
from app.catalog.point import Layout, Point, Role
from ingest.sources.measures import E2E_INTERACTIVITY, INTERACTIVITY, LATENCY, TOKEN_KINDS, TPUT, TPUT_PER_CHIP

MOST_CHIPS = 1_000_000
"""More chips than any deployment has; products of such counts leave 64 bits."""
MOST_BYTES = 2**60
"""An exabyte."""
COUNT_SLACK = 0.02
DISPUTED = "chip_count_disputed"

_NEVER_ZERO = frozenset(key for keys in (*LATENCY.values(), INTERACTIVITY, E2E_INTERACTIVITY) for key in keys.values())


def plausible(point: Point) -> Point:
    """The point without what cannot be. The same object where nothing is amiss, which is nearly always."""
    dropped: list[str] = []
    metrics = point.metrics
    if any(_cannot_be(key, value) for key, value in metrics.items()):
        metrics = {key: value for key, value in metrics.items() if not _impossible(key, value, dropped)}
    concurrency = point.concurrency
    if concurrency is not None and not (concurrency > 0 and math.isfinite(concurrency)):
        dropped.append(f"concurrency is {concurrency:g}")
        concurrency = None
    layout = _layout(point.layout, dropped)
    chip_count = _count("chip_count", point.chip_count, dropped)
    offload = _offload(point.offload, dropped)
    iteration = _count("iteration", point.iteration, dropped, least=0)
    if not dropped:
        return point
    words = tuple(f"{what}, which cannot be: read as not reported" for what in dropped)
    return replace(
        point,
        metrics=metrics,
        concurrency=concurrency,
        layout=layout,
        chip_count=chip_count,
        offload=offload,
        iteration=iteration,
        warnings=tuple(dict.fromkeys((*point.warnings, *words))),
    )


def _cannot_be(key: str, value: float) -> bool:
    """Whether a figure is below zero, no time at all, or a part of a request."""
    return value < 1 and (value < 0 or (value == 0 and key in _NEVER_ZERO) or (value > 0 and key == REQUESTS_OK))


def _impossible(key: str, value: float, dropped: list[str]) -> bool:
    if _cannot_be(key, value):
        dropped.append(f"{key} is {value:g}")
        return True
    return False


def _layout(layout: Layout, dropped: list[str]) -> Layout:
    known = len(dropped)
    whole = _role("whole", layout.whole, dropped)
    prefill, decode = _role("prefill", layout.prefill, dropped), _role("decode", layout.decode, dropped)
    return layout if len(dropped) == known else replace(layout, whole=whole, prefill=prefill, decode=decode)


def _role(name: str, role: Role | None, dropped: list[str]) -> Role | None:
    if role is None:
        return None
    wrong = {
        field.name: None
        for field in fields(Role)
        if type(value := getattr(role, field.name)) is int and not 0 <= value <= MOST_CHIPS
    }
    dropped += [f"{field} of {name} is {getattr(role, field):,}" for field in wrong]
    return replace(role, **wrong) if wrong else role


def _count(name: str, count: int | None, dropped: list[str], least: int = 1) -> int | None:
    if count is None or least <= count <= MOST_CHIPS:
        return count
    dropped.append(f"{name} is {count:,}")
    return None


def _offload(offload: Offload, dropped: list[str]) -> Offload:
    known = len(dropped)
    tiers = tuple(
        replace(
            tier,
            capacity_bytes=_size(f"capacity_bytes of {tier.medium}", tier.capacity_bytes, dropped),
            capacity_tokens=_size(f"capacity_tokens of {tier.medium}", tier.capacity_tokens, dropped),
        )
        for tier in offload.tiers
    )
    return offload if len(dropped) == known else replace(offload, tiers=tiers)


def _size(name: str, size: int | None, dropped: list[str]) -> int | None:
    if size is None or 0 <= size <= MOST_BYTES:
        return size
    dropped.append(f"{name} is {size:,}")
    return None


def disputed(metrics: Mapping[str, float], chips: int | None) -> bool:
    """Whether a throughput of the whole system is not that of a chip times the chips."""
    return bool(chips) and any(
        abs(metrics[whole] - metrics[each] * (chips or 0)) > COUNT_SLACK * max(metrics[whole], 1e-6)
        for whole, each in ((TPUT[kind], TPUT_PER_CHIP[kind]) for kind in TOKEN_KINDS)
        if whole in metrics and each in metrics
    )
