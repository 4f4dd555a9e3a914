"""Statistics of an llm-d benchmark report, `{"units": "ms", "mean": 12.5, "p90": 30.1}`, in Halo's units.

The declared unit is obeyed, whatever a number looks like; a block in a unit nobody knows is left out by name.
"""

from collections.abc import Mapping

from ingest.sources.benches import AS_OURS, seconds
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured

_TIMES = {
    **dict.fromkeys(("ns", "ns/token"), 1e-9),
    **dict.fromkeys(("us", "us/token", "µs", "µs/token"), 1e-6),
    **dict.fromkeys(("ms", "ms/token", "milliseconds"), 1e-3),
    **dict.fromkeys(("s", "s/token", "sec", "seconds"), 1.0),
    **dict.fromkeys(("min", "minutes"), 60.0),
}
_RATES = {
    f"{what}/{time}": factor
    for what in ("tokens", "token", "tok", "queries", "query", "requests", "request")
    for time, factor in (("s", 1.0), ("sec", 1.0), ("ms", 1e3), ("min", 1 / 60))
}
_COUNTS = dict.fromkeys(("count", "tokens", "token"), 1.0)
_LATENCIES = {
    "e2el": "request_latency",
    "ttft": "time_to_first_token",
    "tpot": "time_per_output_token",
    "itl": "inter_token_latency",
}


def latencies(latency: Fields, measured: Measured) -> None:
    """Stores every latency that the report has, in seconds."""
    for quantity, name in _LATENCIES.items():
        block = latency.inner(name)
        factor = _factor(latency, name, block, _TIMES)
        if factor is not None:
            seconds(measured, block, quantity, AS_OURS, unit=factor)


def rate(throughput: Fields, name: str) -> float | None:
    return _mean(throughput, name, _RATES)


def count(requests: Fields, name: str) -> float | None:
    return _mean(requests, name, _COUNTS)


def _mean(outer: Fields, name: str, units: Mapping[str, float]) -> float | None:
    block = outer.inner(name)
    factor = _factor(outer, name, block, units)
    mean = block.number("mean")
    return None if factor is None or mean is None else mean * factor


def _factor(outer: Fields, name: str, block: Fields, units: Mapping[str, float]) -> float | None:
    """What the block's numbers are multiplied by; None where there is no block, or its unit says nothing here."""
    if not block.row:
        return None
    unit = block.text("units") or block.text("unit")
    factor = units.get((unit or "").lower())
    if factor is None:
        outer.note(name, f"is in {unit!r}, a unit that is not known here: left out")
    return factor
