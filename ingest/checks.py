"""What must hold between the figures of one point, whichever tool wrote them, and the flag for where it does not.

Rules of the cache are in `invariants`. What needs the neighbors of a point is judged where they are known.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from app.catalog.metrics import (
    DURATION_S,
    INPUT_TOKENS_MEAN,
    INPUT_TPUT,
    ITL_MEAN_S,
    ITL_P50_S,
    OUTPUT_TOKENS_MEAN,
    OUTPUT_TPUT,
    REQUESTS_FAILED,
    REQUESTS_OK,
    TOTAL_TPUT,
    TPOT_MEAN_S,
)
from app.catalog.point import Point

FAILED_SHARE = 0.05
SUM_SLACK = 0.02
RATE_SLACK = 0.05
LENGTH_SLACK = 0.15
BURST = 10
"""How many times the mean gap between chunks may exceed the median one."""
BUNDLE = 1.5
"""How many times the gap between chunks may exceed the time per token; it is equal where a chunk is a token."""

PEAK_OUTPUT_TPUT = "peak_output_tput"
"""The fact under which a source keeps the most output tokens of any one second."""
REQUESTS_SENT = "requests_sent"
"""The fact under which a source keeps how many requests were sent."""

Check = Callable[[Point], bool]


def flags_of(point: Point) -> tuple[str, ...]:
    """The flags that a point's own figures give ground for."""
    return tuple(flag for flag, holds in CHECKS.items() if holds(point))


def checked(point: Point) -> Point:
    """The point with those flags added to its own."""
    return replace(point, flags=tuple(dict.fromkeys((*point.flags, *flags_of(point)))))


def _failed_share(point: Point) -> bool:
    done, failed = point.metrics.get(REQUESTS_OK, 0), point.metrics.get(REQUESTS_FAILED, 0)
    return failed > FAILED_SHARE * (done + failed)


def _single_request(point: Point) -> bool:
    return point.metrics.get(REQUESTS_OK) == 1


def _counts_mismatch(point: Point) -> bool:
    sent, done = point.facts.get(REQUESTS_SENT), point.metrics.get(REQUESTS_OK)
    if not isinstance(sent, int | float) or done is None:
        return False
    return done + point.metrics.get(REQUESTS_FAILED, 0) != sent


def _total_mismatch(point: Point) -> bool:
    total, output, inputs = map(point.metrics.get, (TOTAL_TPUT, OUTPUT_TPUT, INPUT_TPUT))
    if total is None or output is None or inputs is None:
        return False
    return _apart(inputs + output, total, SUM_SLACK)


def _tokens_mismatch(point: Point) -> bool:
    """Throughput against what the requests' tokens over the duration make."""
    done, duration = point.metrics.get(REQUESTS_OK), point.metrics.get(DURATION_S)
    if not done or not duration or duration <= 0:
        return False
    pairs = ((INPUT_TPUT, INPUT_TOKENS_MEAN), (OUTPUT_TPUT, OUTPUT_TOKENS_MEAN))
    return any(
        _apart(point.metrics[rate], point.metrics[mean] * done / duration, RATE_SLACK)
        for rate, mean in pairs
        if rate in point.metrics and mean in point.metrics
    )


def _peak_below_mean(point: Point) -> bool:
    peak, mean = point.facts.get(PEAK_OUTPUT_TPUT), point.metrics.get(OUTPUT_TPUT)
    return isinstance(peak, int | float) and mean is not None and 0 < peak < mean


def bursts(metrics: Mapping[str, float]) -> bool:
    """Whether chunks arrive in bursts: most gaps between them are far shorter than the mean one."""
    mean, median = metrics.get(ITL_MEAN_S), metrics.get(ITL_P50_S)
    return mean is not None and median is not None and mean > BURST * median


def _bundled_chunks(point: Point) -> bool:
    """Bursts, or gaps between chunks that are longer than a token takes."""
    gap, pace = point.metrics.get(ITL_MEAN_S), point.metrics.get(TPOT_MEAN_S)
    return bursts(point.metrics) or (gap is not None and pace is not None and gap > BUNDLE * pace)


def _lengths_vary(point: Point) -> bool:
    pairs = (("isl", INPUT_TOKENS_MEAN), ("osl", OUTPUT_TOKENS_MEAN))
    return any(
        _apart(point.metrics[mean], nominal, LENGTH_SLACK)
        for name, mean in pairs
        if mean in point.metrics and isinstance(nominal := point.facts.get(name), int | float) and nominal > 0
    )


def _apart(one: float, other: float, slack: float) -> bool:
    return abs(one - other) > slack * max(abs(one), abs(other))


CHECKS: Mapping[str, Check] = {
    "failed_share": _failed_share,
    "single_request": _single_request,
    "counts_mismatch": _counts_mismatch,
    "total_mismatch": _total_mismatch,
    "tokens_mismatch": _tokens_mismatch,
    "peak_below_mean": _peak_below_mean,
    "bundled_chunks": _bundled_chunks,
    "lengths_vary": _lengths_vary,
}
