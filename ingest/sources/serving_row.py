"""What the benchmark scripts of vLLM, SGLang and InferenceX share: they descend from one, and write one row a run.

Latency and its inverse, tokens, request counts and the load, in whichever unit and under whichever suffix.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from app.catalog.metrics import (
    DURATION_S,
    INPUT_TOKENS_MEAN,
    OUTPUT_TOKENS_MEAN,
    REQUESTS_FAILED,
    REQUESTS_OK,
    STATISTICS,
)
from app.catalog.point import Json, Point
from ingest.checks import PEAK_OUTPUT_TPUT, REQUESTS_SENT, bursts
from ingest.jsontext import Row
from ingest.sources.base import Found, Reading, Refused, Skipped
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT

_LEAST_S, _MOST_S = 1e-9, 1e9
_TOTALS = ("total_token_throughput", "total_throughput")
_CAP_REACHED = 0.95
"""Share of the limit from which on the limit, not the rate of sending, was the load."""
_SURE = 8
"""Requests of one length from which on it is no accident."""


class WarmUp(Exception):
    """A record that was never meant as a result. Its text says what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """How a dialect writes latency: what ends a key, how many seconds its unit is, how it calls a whole request."""

    suffix: str = "_ms"
    seconds: float = 1e-3
    whole: str = "e2el"


def readings(records: Sequence[Row], point_of: Callable[[Fields], Point]) -> Iterator[Reading]:
    """Each record as a point, a refusal or something passed over."""
    for where, value in records:
        if not isinstance(value, dict):
            yield Refused(where, f"it is {_kind(value)} where an object with the results of one run was expected")
            continue
        try:
            yield Found(where, point_of(Fields(value)))
        except WarmUp as warm_up:
            yield Skipped(where, str(warm_up))
        except Unusable as unusable:
            yield Refused(where, str(unusable))


def _kind(value: Json) -> str:
    kinds = {list: "a list", str: "text", type(None): "null", bool: "true or false"}
    return kinds.get(type(value), "a number")


def counts(row: Fields, measured: Measured) -> None:
    """Requests and tokens. Raises Unusable where no request succeeded, or nothing came back."""
    done, sent, failed = row.integer("completed"), row.integer("num_prompts"), row.integer("failed")
    if done is not None and done <= 0:
        of = f" of {sent}" if sent else ""
        raise Unusable(f"no request{of} succeeded, so nothing was measured; a point needs at least one")
    duration = row.number("duration")
    if duration is not None and duration <= 0:
        raise Unusable(f"its duration is {duration:g} s, so no throughput can be worked out; a run takes time")
    inputs, outputs = row.number("total_input_tokens"), row.number("total_output_tokens")
    if outputs is not None and outputs <= 0:
        raise Unusable("no output token was counted, so it has no throughput; look for errors in the server's log")
    if failed is None and sent is not None and done is not None:
        failed = max(sent - done, 0)
    _keep(measured, REQUESTS_OK, done)
    _keep(measured, REQUESTS_FAILED, failed)
    _keep(measured, DURATION_S, duration)
    if done and inputs is not None:
        measured.metrics[INPUT_TOKENS_MEAN] = inputs / done
    if done and outputs is not None:
        measured.metrics[OUTPUT_TOKENS_MEAN] = outputs / done
    if sent is not None:
        measured.facts[REQUESTS_SENT] = sent
    if (peak := row.number("max_output_tokens_per_s")) is not None:
        measured.facts[PEAK_OUTPUT_TPUT] = peak


def throughput(row: Fields, measured: Measured) -> None:
    """Tokens per second of the whole system: as stated, else tokens over duration. Raises Unusable without any."""
    duration = measured.metrics.get(DURATION_S)
    total = next((value for name in _TOTALS if (value := row.number(name)) is not None), None)
    rates = {"total": total, "output": row.number("output_throughput"), "input": row.number("input_throughput")}
    for kind in ("output", "input"):
        tokens = row.number(f"total_{kind}_tokens")
        if rates[kind] is None and tokens is not None and duration:
            rates[kind] = tokens / duration
    inputs, outputs = rates["input"], rates["output"]
    if total is None and inputs is not None and outputs is not None:
        rates["total"] = inputs + outputs
    if outputs is None and total is None:
        raise Unusable("it has no throughput of output tokens, so there is nothing to draw")
    for kind, value in rates.items():
        if value is None:
            continue
        if value <= 0 and kind != "input":
            raise Unusable(f"its {kind} throughput is {value:g} tokens per second; a measured one is above zero")
        measured.metrics[TPUT[kind]] = value


def latencies(row: Fields, measured: Measured, spelling: Spelling) -> None:
    """Seconds at each statistic. These scripts write 0 where there was nothing to time, which is no latency."""
    for quantity, keys in LATENCY.items():
        name = spelling.whole if quantity == "e2el" else quantity
        for statistic in STATISTICS:
            spelled = ("median", "p50") if statistic == "p50" else (statistic,)
            for word in spelled:
                key = f"{word}_{name}{spelling.suffix}"
                if (value := row.number(key)) is None:
                    continue
                _latency(row, measured, keys[statistic], key, value * spelling.seconds)
                break


def _latency(row: Fields, measured: Measured, metric: str, key: str, seconds: float) -> None:
    if _LEAST_S < seconds < _MOST_S:
        measured.metrics[metric] = seconds
    elif seconds == 0:
        measured.flags.append("zero_read_as_missing")
    else:
        measured.flags.append("latency_not_positive")
        row.note(key, f"is {row.number(key):g}, which no time can be: left out")


def pace(measured: Measured) -> None:
    """Interactivity: 1 / TPOT at the same statistic; from the gaps between chunks only where no TPOT is given.

    Chunks that visibly hold several tokens give no pace at all.
    """
    for quantity in ("tpot",) if bursts(measured.metrics) else ("tpot", "itl"):
        for statistic, key in LATENCY[quantity].items():
            if key in measured.metrics:
                measured.metrics[INTERACTIVITY[statistic]] = 1 / measured.metrics[key]
                measured.interactivity_def = f"1/{quantity}"
        if measured.interactivity_def:
            if quantity == "itl":
                measured.flags.append("pooled_itl")
            return


def rate_of(row: Fields) -> float | None:
    """The requests sent per second; None when they were sent as fast as the limit let them, or it is not said."""
    value = row.row.get("request_rate")
    if isinstance(value, str) and value.strip().lower() in ("inf", "infinity"):
        return None
    return row.number("request_rate")


def load_of(row: Fields, measured: Measured) -> float | None:
    """Requests kept in flight: the limit where it was the load, else the mean that latency and duration make."""
    limit, rate = row.number("max_concurrency"), rate_of(row)
    if rate is not None:
        measured.facts["request_rate"] = rate
    sent = row.number("num_prompts")
    if limit is not None and sent is not None and 0 < sent < limit:
        row.note("max_concurrency", f"is {limit:g}, but only {sent:g} requests were sent: taken as {sent:g}")
        limit = sent
    if limit is not None and limit > 0 and rate is None:
        return limit
    in_flight = row.number("concurrency") or _in_flight(measured)
    if not in_flight or in_flight < 0:
        return limit or None
    if limit and in_flight >= _CAP_REACHED * limit:
        return limit
    measured.flags.append("load_measured")
    return float(f"{in_flight:.3g}")


def _in_flight(measured: Measured) -> float | None:
    done, duration = measured.metrics.get(REQUESTS_OK), measured.metrics.get(DURATION_S)
    whole = measured.metrics.get(LATENCY["e2el"]["mean"])
    return done * whole / duration if done and whole and duration else None


def equal_lengths(row: Fields) -> tuple[int, int] | tuple[None, None]:
    """Input and output tokens of every request, where the totals show that all had the same."""
    done = row.integer("completed")
    inputs, outputs = row.integer("total_input_tokens"), row.integer("total_output_tokens")
    if not done or not inputs or not outputs or done < _SURE or inputs % done or outputs % done:
        return None, None
    return inputs // done, outputs // done


def time_of(row: Fields) -> str | None:
    """ISO 8601: with its zone where the file counts seconds, without one where it only has the clock on the wall."""
    seconds = row.number("benchmark_start_time_unix")
    if seconds is not None and 0 < seconds < 4e9:
        return datetime.fromtimestamp(math.floor(seconds), UTC).isoformat()
    text = row.text("date")
    if text is None:
        return None
    for form in ("%Y%m%d-%H%M%S", "%Y-%m-%d %H:%M:%S"):
        try:
            return datetime.strptime(text, form).isoformat()
        except ValueError:
            continue
    row.note("date", f"is {text[:40]!r}, which is no time that Halo knows: left out")
    return None


def _keep(measured: Measured, key: str, value: float | None) -> None:
    if value is not None:
        measured.metrics[key] = value
