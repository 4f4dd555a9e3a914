"""AIPerf's requests one by one, read line by line so that any length of file fits in memory."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import orjson

from app.catalog.point import Json
from ingest.document import Document
from ingest.jsontext import parse, utf8
from ingest.sources.aiperf_files.blocks import COUNTS, TIMES
from ingest.sources.fields import Fields

_HUGE = 10**21
_MOST = 2**53
"""No request has so many tokens."""
_HEAD = 65_536
_LATENCIES = {"ttft": "time_to_first_token", "itl": "inter_token_latency", "e2el": "request_latency"}
_LENGTHS = {
    "input": "input_sequence_length",
    "output": "output_sequence_length",
    "cached": "usage_prompt_cache_read_tokens",
}


class Request(NamedTuple):
    """One request. Times of day are nanoseconds since 1970, latencies seconds; None where not recorded."""

    start_ns: int | None
    end_ns: int | None
    phase: str | None
    outcome: str
    """`ok`, `failed`, `cancelled` or `skipped`, the last for prompts beyond the context window."""
    error: str | None
    conversation: str | None
    turn: int | None
    depth: int | None
    """0 for the agent itself, 1 and up for its sub-agents."""
    input_tokens: int | None
    output_tokens: int | None
    ttft_s: float | None
    itl_s: float | None
    e2el_s: float | None
    cached_tokens: int | None = None
    """Tokens of the prompt that a cache served, where the server says so in its answer."""
    worker: str | None = None

    @property
    def measured(self) -> bool:
        return self.outcome == "ok" and self.phase != "warmup"


class Broken(NamedTuple):
    """A line that is no record, and why."""

    line: int
    reason: str


def is_records(data: bytes) -> bool:
    """Whether the first line is a record; whether the head of it looks like one where the line is cut or very long."""
    head = data[:_HEAD]
    return b'"metadata"' in head and b'"request_start_ns"' in head and b'"metrics"' in head + data[_HEAD : 2 * _HEAD]


def records(document: Document) -> Iterator[Request | Broken]:
    """Every line of the file in its order. Holds one line at a time besides the bytes of the file."""
    data = utf8(document.data)
    at, number, view = 0, 0, memoryview(data)
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        number += 1
        line = view[at:end]
        at = end + 1
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            text = bytes(line)
            if not text.strip():
                continue
            parsed = parse(text)
            value = parsed.value
            if value is None:
                yield Broken(number, parsed.problems[0].reason if parsed.problems else "it is not JSON")
                continue
        if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
            yield Broken(number, "it is not an AIPerf record: an object with 'metadata' and 'metrics' was expected")
            continue
        yield _request(value, value["metadata"])


def _request(value: dict[str, Json], metadata: dict[str, Json]) -> Request:
    said, metrics = Fields(metadata), value.get("metrics")
    metrics = metrics if isinstance(metrics, dict) else {}
    error = value.get("error")
    times = {name: _number(metrics, key, TIMES) for name, key in _LATENCIES.items()}
    tokens = {name: _number(metrics, key, COUNTS) for name, key in _LENGTHS.items()}
    return Request(
        start_ns=said.integer("request_start_ns"),
        end_ns=said.integer("request_end_ns"),
        phase=said.text("benchmark_phase"),
        outcome=_outcome(said, metrics, error),
        error=(Fields(error).text("type") or "not named") if isinstance(error, dict) else None,
        conversation=said.text("conversation_id") or said.text("x_correlation_id"),
        turn=said.integer("turn_index"),
        depth=said.integer("agent_depth"),
        input_tokens=_whole(tokens["input"]),
        output_tokens=_whole(tokens["output"]),
        ttft_s=times["ttft"],
        itl_s=times["itl"],
        e2el_s=times["e2el"],
        cached_tokens=_whole(tokens["cached"]),
        worker=said.text("worker_id"),
    )


def _outcome(said: Fields, metrics: Mapping[str, Json], error: Json) -> str:
    if said.boolean("context_overflow_skip"):
        return "skipped"
    if error:
        return "failed"
    if said.boolean("was_cancelled"):
        return "cancelled"
    return "ok" if metrics else "failed"


def _number(metrics: Mapping[str, Json], key: str, units: Mapping[str, float]) -> float | None:
    block = metrics.get(key)
    if not isinstance(block, dict):
        return None
    value, factor = block.get("value"), units.get(str(block.get("unit", "")).lower())
    if factor is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value * factor if abs(value) < _HUGE else None


def _whole(number: float | None) -> int | None:
    return None if number is None or abs(number) >= _MOST else round(number)
