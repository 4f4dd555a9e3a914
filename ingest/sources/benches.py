"""What the readers of other benchmark tools share: blocks of latency, pace, rates, accounts, the point put together."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from app.catalog.metrics import (
    DURATION_S,
    INPUT_TOKENS_MEAN,
    OUTPUT_TOKENS_MEAN,
    REQUESTS_FAILED,
    REQUESTS_OK,
)
from app.catalog.point import Json
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT

Names = Mapping[str, str]
"""How a tool spells each statistic."""

AS_OURS: Names = {"mean": "mean", "p50": "p50", "p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99"}
WITH_MEDIAN: Names = {**AS_OURS, "p50": "median"}

_LEAST_S, _MOST_S = 1e-9, 1e9
_QUICKEST_S = 0.25e-3
_SLACK = 1.1
_TO_DATE = 4e9
_DURATION = re.compile(r"^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d*)?)S)?$")


def seconds(measured: Measured, block: Fields, quantity: str, names: Names = AS_OURS, *, unit: float = 1.0) -> None:
    """Stores a block's latency at each statistic. `unit` is how many seconds one of its numbers is."""
    for statistic, name in names.items():
        value = block.number(name)
        if value is not None:
            second(measured, block, name, LATENCY[quantity][statistic], value * unit)


def second(measured: Measured, said: Fields, name: str, key: str, value: float) -> None:
    """Stores one latency. Zero stands for one that was not taken, and less than zero for a broken clock."""
    if _LEAST_S < value < _MOST_S:
        measured.metrics[key] = value
    elif value == 0:
        measured.flags.append("zero_read_as_missing")
    else:
        measured.flags.append("latency_not_positive")
        said.note(name, f"is {said.row.get(name)}, which no time can be: left out")


def pace(measured: Measured, quantity: str, *, tokens: float | None = None) -> None:
    """Interactivity: 1 / latency at the same statistic, so that p90 is the slow tail.

    `tokens` is the mean output: where so many would take longer than the whole request, the latency is that of
    something else, and nothing is worked out from it.
    """
    keys, metrics = LATENCY[quantity], measured.metrics
    each, whole = metrics.get(keys["mean"]), metrics.get(LATENCY["e2el"]["mean"])
    if each and whole and tokens and each * (tokens - 1) > whole * _SLACK:
        measured.flags.append("pace_disputed")
        for key in keys.values():
            metrics.pop(key, None)
        return
    for statistic, key in keys.items():
        if key in metrics:
            metrics[INTERACTIVITY[statistic]] = 1 / metrics[key]
            measured.interactivity_def = f"1/{quantity}"
    if each is not None and each < _QUICKEST_S:
        measured.flags.append("pace_implausible")


def throughput(measured: Measured, *, total: float | None, output: float | None, inputs: float | None) -> None:
    """Stores whole-system tokens per second; a missing total is the sum of both others. Raises Unusable."""
    if output is None and total is not None and inputs is not None and total > inputs:
        output = total - inputs
    if output is None and total is None:
        raise Unusable("it has no throughput of tokens, so there is nothing to draw")
    if total is None and output is not None and inputs is not None:
        total = output + inputs
    if inputs is None and output is not None and total is not None and total > output:
        inputs = total - output
    for kind, value in (("total", total), ("output", output)):
        if value is not None and value <= 0:
            raise Unusable(f"its {kind} throughput is {value:g} tokens per second; a measured one is above zero")
    if total is not None and total == output == inputs:
        raise Unusable(
            f"its input, output and total throughput are all {total:g}: copied figures, as in an example of the format"
        )
    for kind, value in (("total", total), ("output", output), ("input", inputs)):
        if value is not None and value >= 0:
            measured.metrics[TPUT[kind]] = value


def accounts(measured: Measured, ok: float | None, failed: float | None) -> None:
    """Stores how many requests came through. Raises Unusable when none did."""
    if ok is not None and ok <= 0:
        lost = f" ({failed:g} failed)" if failed else ""
        raise Unusable(f"no request succeeded{lost}, so nothing was measured; a point needs at least one")
    keep(measured, REQUESTS_OK, ok)
    if ok is not None and failed is not None and failed >= 0:
        measured.metrics[REQUESTS_FAILED] = failed


def lengths(measured: Measured, inputs: float | None, outputs: float | None) -> None:
    """Stores mean tokens of prompt and answer. Raises Unusable for answers without tokens."""
    if outputs is not None and outputs <= 0:
        raise Unusable("no output token was counted, so it has no throughput; look for errors in the server's log")
    keep(measured, INPUT_TOKENS_MEAN, inputs if inputs and inputs > 0 else None)
    keep(measured, OUTPUT_TOKENS_MEAN, outputs)


def lasted(measured: Measured, duration: float | None) -> None:
    """Stores the measured window. Raises Unusable for one that has no length."""
    if duration is not None and duration <= 0:
        raise Unusable(f"its duration is {duration:g} s, so no throughput can be worked out; a run takes time")
    keep(measured, DURATION_S, duration)


def in_flight(measured: Measured, per_second: float | None) -> float | None:
    """The mean number of requests in flight: those finished per second times how long each takes."""
    whole = measured.metrics.get(LATENCY["e2el"]["mean"])
    return loaded(measured, per_second * whole) if per_second and whole else None


def loaded(measured: Measured, mean: float | None) -> float | None:
    """A mean number in flight as concurrency, flagged, since nobody set it."""
    if mean is None or mean <= 0:
        return None
    measured.flags.append("load_measured")
    return float(f"{mean:.4g}")


def keep(measured: Measured, key: str, value: float | None) -> None:
    if value is not None:
        measured.metrics[key] = value


def told(facts: Mapping[str, Json]) -> dict[str, Json]:
    """The facts that say something."""
    return {key: value for key, value in facts.items() if value not in (None, "", [], {})}


def moment(seconds_since_1970: float | None) -> str | None:
    """ISO 8601 in UTC."""
    if seconds_since_1970 is None or not 0 < seconds_since_1970 < _TO_DATE:
        return None
    return datetime.fromtimestamp(int(seconds_since_1970), UTC).isoformat()


def iso(text: str | None) -> str | None:
    """A time as every other is written; one without a zone stays so. None for what is no time."""
    try:
        return datetime.fromisoformat(text).isoformat() if text else None
    except ValueError:
        return None


def span(text: str | None) -> float | None:
    """The seconds of an ISO 8601 duration such as `PT49.97S`."""
    match = _DURATION.match((text or "").strip())
    if match is None or not any(match.groups()):
        return None
    days, hours, minutes, rest = (float(part or 0) for part in match.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=rest).total_seconds()
