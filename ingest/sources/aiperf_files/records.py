"""What the requests of `profile_export.jsonl` add up to: a point by itself, or more about the point of its summary.

Percentiles are interpolated as AIPerf does it, so that a summary and its records agree to the last digit.
"""

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from app.catalog.metrics import (
    DURATION_S,
    INPUT_TOKENS_MEAN,
    OUTPUT_TOKENS_MEAN,
    REQUESTS_FAILED,
    REQUESTS_OK,
    STATISTICS,
)
from app.catalog.point import Point
from app.store import series as store
from ingest.document import Document, Reopened
from ingest.sources.aiperf_files.moments import moment
from ingest.sources.aiperf_files.stream import Broken, Request, records
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable, interactivity, latencies
from ingest.sources.measures import E2E_INTERACTIVITY, TPUT

_NANO = 1e-9
_QUANTITIES = ("ttft", "itl", "e2el")
_KINDS = ("input", "output")
_SUMMED = "summed"
"""Under this a document remembers what its requests added up to."""


@dataclass(slots=True)
class _Tally:
    """What the measured requests add up to."""

    seen: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    warmup: int = 0
    phased: bool = False
    sub_agents: int = 0
    start_ns: int | None = None
    end_ns: int | None = None
    tokens: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_KINDS, 0))
    times: dict[str, "array[float]"] = field(default_factory=lambda: {name: array("d") for name in _QUANTITIES})
    pace: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, request: Request) -> None:
        self.seen += 1
        self.phased = self.phased or request.phase is not None
        if request.phase == "warmup":
            self.warmup += 1
            return
        self.outcomes[request.outcome] += 1
        if request.outcome == "failed":
            self.errors[request.error or "not named"] += 1
        if request.outcome != "ok":
            return
        self.sub_agents += bool(request.depth)
        if request.start_ns is not None and request.end_ns is not None:
            self.start_ns = min(request.start_ns, self.start_ns or request.start_ns)
            self.end_ns = max(request.end_ns, self.end_ns or request.end_ns)
        self.tokens["input"] += request.input_tokens or 0
        self.tokens["output"] += request.output_tokens or 0
        for quantity, value in (("ttft", request.ttft_s), ("itl", request.itl_s), ("e2el", request.e2el_s)):
            if value is not None:
                self.times[quantity].append(value)
        if request.e2el_s is not None and request.output_tokens:
            self.pace.append(request.e2el_s / request.output_tokens)


class Summed(NamedTuple):
    """What the point of a summary takes over from the requests."""

    done: int
    pace: dict[str, float]
    """Seconds from asking to the end for each output token, by statistic."""
    sub_agents: int


def read(document: Document) -> Iterator[Broken | Point]:
    """The broken lines, then the point that the others make. Raises Unusable."""
    tally = _Tally()
    for request in records(document):
        if isinstance(request, Broken):
            yield request
        else:
            tally.add(request)
    document.__dict__[_SUMMED] = _summed(tally)
    yield _point(document, tally)


def note(document: Document) -> Summed:
    """What `add` needs of a file. It costs nothing where the file was read before."""
    if _SUMMED not in document.__dict__:
        tally = _Tally()
        for request in records(document):
            if isinstance(request, Request):
                tally.add(request)
        document.__dict__[_SUMMED] = _summed(tally)
    summed: Summed = document.__dict__[_SUMMED]
    return summed


def _summed(tally: _Tally) -> Summed:
    return Summed(tally.outcomes["ok"], statistics(tally.pace), tally.sub_agents)


def add(document: Document, point: Point) -> Point:
    """The point of a summary with what only its records tell: the end-to-end pace, and who asked."""
    noted = document.noted if isinstance(document, Reopened) else None
    summed = noted if isinstance(noted, Summed) else note(document)
    if summed.done != point.metrics.get(REQUESTS_OK):
        return point
    pace = {E2E_INTERACTIVITY[name]: 1 / value for name, value in summed.pace.items() if value > 0}
    return replace(
        point,
        metrics={**point.metrics, **pace},
        facts={**point.facts, "sub_agent_requests": summed.sub_agents},
    )


def requests(document: Document) -> Iterator[store.Request]:
    """The requests as the store keeps them, those of the warm-up among them."""
    for request in records(document):
        if isinstance(request, Request):
            ok = request.outcome == "ok"
            yield store.Request(
                start_ns=request.start_ns,
                end_ns=request.end_ns,
                ttft_s=request.ttft_s,
                itl_s=request.itl_s,
                e2el_s=request.e2el_s,
                isl=request.input_tokens,
                osl=request.output_tokens,
                cached=request.cached_tokens,
                conversation=request.conversation,
                turn=request.turn,
                depth=request.depth,
                phase=request.phase,
                ok=ok,
                error=None if ok else request.error or request.outcome,
                worker=request.worker,
            )


def _point(document: Document, tally: _Tally) -> Point:
    done, failed = tally.outcomes["ok"], tally.outcomes["failed"]
    if not done:
        kinds = ", ".join(f"{name} {count}" for name, count in tally.errors.most_common())
        raise Unusable(
            f"no request succeeded ({failed} failed{f': {kinds}' if kinds else ''}), so nothing was measured; "
            "a point needs at least one"
        )
    if tally.start_ns is None or tally.end_ns is None or tally.end_ns <= tally.start_ns:
        raise Unusable("its requests have no start and end times, so no throughput can be worked out")
    seconds = (tally.end_ns - tally.start_ns) * _NANO
    measured = Measured()
    metrics = measured.metrics
    rates = {kind: count / seconds for kind, count in tally.tokens.items() if count}
    if not rates:
        raise Unusable("its requests state no tokens, so no throughput can be worked out")
    metrics.update((TPUT[kind], rate) for kind, rate in rates.items())
    if len(rates) == len(_KINDS):
        metrics[TPUT["total"]] = sum(rates.values())
    metrics |= {DURATION_S: seconds, REQUESTS_OK: float(done), REQUESTS_FAILED: float(failed)}
    metrics[INPUT_TOKENS_MEAN] = tally.tokens["input"] / done
    metrics[OUTPUT_TOKENS_MEAN] = tally.tokens["output"] / done
    for quantity in ("ttft", "e2el"):
        latencies(Fields(statistics(tally.times[quantity])), quantity, measured, affixed=False)
    interactivity(Fields(statistics(tally.times["itl"])), "itl", measured, affixed=False)
    for statistic, value in statistics(tally.pace).items():
        if value > 0:
            metrics[E2E_INTERACTIVITY[statistic]] = 1 / value
    accounts = {"ok": done, **{name: count for name, count in tally.outcomes.items() if name != "ok"}}
    accounts |= {"warmup": tally.warmup} if tally.phased else {}
    busy = sum(tally.times["e2el"])
    return Point(
        run_time=moment(tally.start_ns * _NANO),
        dialect="aiperf-records",
        metrics=metrics,
        interactivity_def=measured.interactivity_def,
        facts={
            "requests": {**accounts, **({"errors": dict(tally.errors)} if tally.errors else {})},
            "sub_agent_requests": tally.sub_agents,
            "effective_concurrency": busy / seconds,
        },
        flags=tuple(dict.fromkeys((*measured.flags, *(() if tally.phased else ("warmup_included",))))),
        raw={"records": tally.seen, "sha256": hashlib.sha256(document.data).hexdigest()},
    )


def statistics(values: "array[float]") -> dict[str, float]:
    """Mean and percentiles, by linear interpolation between the two nearest; empty for no values."""
    if not values:
        return {}
    ranked = sorted(values)
    found = {"mean": sum(ranked) / len(ranked)}
    for name in STATISTICS:
        if name != "mean":
            place = int(name[1:]) / 100 * (len(ranked) - 1)
            low = int(place)
            high = min(low + 1, len(ranked) - 1)
            found[name] = ranked[low] + (ranked[high] - ranked[low]) * (place - low)
    return found
