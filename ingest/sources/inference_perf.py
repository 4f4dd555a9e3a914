"""inference-perf: one point a stage, each with a rate of its own. Latencies are seconds.

Stages are the points of a curve. The summary runs all of them together, so it is read only where none of its
stages is given. Requests are sent at a rate; the number in flight follows from what was achieved.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from app.catalog.metrics import DURATION_S
from app.catalog.point import Json, Point
from ingest.checks import REQUESTS_SENT, checked
from ingest.document import Document
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.benches import WITH_MEDIAN, accounts, in_flight, lengths, pace, seconds, throughput, told
from ingest.sources.companions import beside
from ingest.sources.fields import Fields
from ingest.sources.inference_perf_names import run_prefix, stage_number
from ingest.sources.inferencex_row import Measured, Unusable

_SIGN = b'"load_summary"'
_SHAPE = ("load_summary", "successes", "failures")
_RATED = ("requested_rate", "achieved_rate", "send_duration")
_LATENCIES = {
    "e2el": "request_latency",
    "ttft": "time_to_first_token",
    "tpot": "time_per_output_token",
    "itl": "inter_token_latency",
}


class InferencePerf:
    """The files hold what clients saw; model, engine and chip are in the run's config, which is not read."""

    key = "inference-perf"
    label = "inference-perf stage"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return lifecycle_of(document) is not None

    def read(self, document: Document) -> Iterator[Reading]:
        try:
            yield Found("file", _point(Fields(lifecycle_of(document) or {}), document))
        except Unusable as unusable:
            yield Refused("file", str(unusable))

    def whole(self, document: Document) -> str | None:
        """The stages of a folder are one run, unless their names begin differently."""
        prefix = run_prefix(document.name)
        return None if prefix is None else prefix.rstrip("_-. ")

    def absorbs(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """The summary of the run that a stage belongs to: it tells of the same requests again."""
        if stage_number(document.name) is None:
            return ()
        prefix = run_prefix(document.name)
        return [
            other
            for other in beside(document, others)
            if other.resolved != document.resolved and run_prefix(other.name) == prefix and "summary" in other.name
        ]

    def absorb(self, part: Document, point: Point) -> Point:
        """A summary adds nothing to a stage."""
        return point


def lifecycle_of(document: Document) -> dict[str, Json] | None:
    """The object of a stage or summary as clients saw it. What servers reported has the same three keys."""
    if _SIGN not in document.data:
        return None
    value = document.parsed.value
    if not isinstance(value, dict) or not all(isinstance(value.get(key), dict) for key in _SHAPE):
        return None
    load, successes, failures = (value[key] for key in _SHAPE)
    return value if load or failures or "latency" in successes else None


def _point(record: Fields, document: Document) -> Point:
    measured = Measured()
    load, good, bad = (record.inner(key) for key in _SHAPE)
    accounts(measured, good.number("count"), bad.number("count"))
    lengths(measured, good.inner("prompt_len").number("mean"), good.inner("output_len").number("mean"))
    rates = good.inner("throughput")
    throughput(
        measured,
        total=rates.number("total_tokens_per_sec"),
        output=rates.number("output_tokens_per_sec"),
        inputs=rates.number("input_tokens_per_sec"),
    )
    for quantity, name in _LATENCIES.items():
        seconds(measured, good.inner("latency").inner(name), quantity, WITH_MEDIAN)
    pace(measured, "tpot", tokens=good.inner("output_len").number("mean"))
    per_second, done = rates.number("requests_per_sec"), good.number("count")
    if per_second and done:
        measured.metrics[DURATION_S] = done / per_second
    stated = load.number("concurrency")
    concurrency = stated if stated and stated > 0 else in_flight(measured, per_second)
    if stage_number(document.name) is None and load.row and not any(key in load for key in (*_RATED, "concurrency")):
        measured.flags.append("loads_merged")
    facts = {
        "stage": stage_number(document.name),
        "requested_rate": load.number("requested_rate"),
        "achieved_rate": load.number("achieved_rate"),
        "requests_per_second": per_second,
        REQUESTS_SENT: load.integer("count"),
    }
    point = Point(
        concurrency=concurrency,
        dialect="inference-perf",
        metrics=measured.metrics,
        interactivity_def=measured.interactivity_def,
        facts=told(facts),
        flags=tuple(dict.fromkeys((*measured.flags, *record.flags))),
        warnings=tuple(record.notes),
        raw=record.row,
    )
    return checked(point)
