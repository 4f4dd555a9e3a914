"""Whether two files tell of one measurement: the same figures to the digits that both were written with."""

from app.catalog.metrics import REQUESTS_OK
from app.catalog.point import Point
from ingest.sources.measures import LATENCY, TPUT

_KEYS = (TPUT["output"], LATENCY["e2el"]["mean"], LATENCY["ttft"]["mean"], TPUT["total"])
_CLOSE = 1e-6
_ENOUGH = 2


def figures(point: Point) -> list[float]:
    """The figures that no two measurements share by chance."""
    return [point.metrics[key] for key in _KEYS if key in point.metrics]


def says_the_same(one: Point, other: Point) -> bool:
    """Whether every figure that both have is equal, and there are enough of them."""
    both = [key for key in (*_KEYS, REQUESTS_OK) if key in one.metrics and key in other.metrics]
    return len(both) > _ENOUGH and all(_close(one.metrics[key], other.metrics[key]) for key in both)


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= _CLOSE * max(abs(one), abs(other))
