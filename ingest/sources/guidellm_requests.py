"""The requests of a GuideLLM benchmark one by one, as the store keeps them.

A report lists every request that was sent, and sums up those under way within its measured window: what ended
before it was warm-up, what began after it cool-down.
"""

from collections.abc import Iterator

from app.catalog.point import Json
from app.store.series import Request
from ingest.sources.fields import Fields
from ingest.sources.serving_details import named

_OUTCOMES = {"successful": None, "errored": "errored", "incomplete": "cancelled"}
"""The lists of a report, with what is said of a request that names no error of its own."""
_MS, _NANO = 1e-3, 1e9
_LONGEST_S = 1e9


def requests(benchmark: Json) -> Iterator[Request]:
    """Those that succeeded, then those that failed, then those that were cut short."""
    said = Fields(benchmark if isinstance(benchmark, dict) else {})
    window = said.inner("scheduler_metrics")
    start = window.number("measure_start_time") or said.number("start_time")
    end = window.number("measure_end_time") or said.number("end_time")
    for outcome, error in _OUTCOMES.items():
        listed = said.inner("requests").row.get(outcome)
        for value in listed if isinstance(listed, list) else ():
            if isinstance(value, dict):
                yield _request(Fields(value), error, start, end)


def _request(said: Fields, error: str | None, start: float | None, end: float | None) -> Request:
    info = said.inner("info")
    timings = info.inner("timings")
    begun = said.number("request_start_time") or timings.number("request_start") or timings.number("resolve_start")
    ended = said.number("request_end_time") or timings.number("request_end") or timings.number("resolve_end")
    if error is not None and info.text("error"):
        error = named(info.row["error"])
    return Request(
        start_ns=_nanoseconds(begun),
        end_ns=_nanoseconds(ended),
        ttft_s=_latency(said.number("time_to_first_token_ms"), _MS),
        itl_s=_latency(said.number("inter_token_latency_ms"), _MS),
        e2el_s=_latency(said.number("request_latency"), 1.0),
        isl=_tokens(said, "prompt_tokens", "input_metrics"),
        osl=_tokens(said, "output_tokens", "output_metrics"),
        cached=None,
        conversation=info.text("conversation_id"),
        turn=info.integer("turn_index") if "conversation_id" in info else None,
        depth=None,
        phase=_phase(begun, ended, start, end),
        ok=error is None,
        error=error,
        worker=None,
    )


def _phase(begun: float | None, ended: float | None, start: float | None, end: float | None) -> str | None:
    if begun is None or ended is None or start is None or end is None:
        return None
    return "warmup" if ended < start else "cooldown" if begun > end else "profiling"


def _latency(value: float | None, unit: float) -> float | None:
    return value * unit if value is not None and 0 < value * unit < _LONGEST_S else None


def _nanoseconds(seconds: float | None) -> int | None:
    return round(seconds * _NANO) if seconds is not None and 0 < seconds < 4 * _LONGEST_S else None


def _tokens(said: Fields, name: str, block: str) -> int | None:
    found = said.integer(name)
    return said.inner(block).integer("total_tokens") if found is None else found
