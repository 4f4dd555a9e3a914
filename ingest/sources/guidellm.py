"""GuideLLM reports, versions 1 and 2, as JSON or YAML: one point a benchmark.

Its TPOT is whole request over output tokens, first token included, which is the inverse of end-to-end
interactivity; pace comes from its inter-token latency, (last - first) / (tokens - 1) of each request.
"""

from collections.abc import Iterator
from typing import Literal

from app.catalog.models import MODELS
from app.catalog.point import Json, Point
from app.store.series import Request
from ingest.checks import checked
from ingest.document import Document
from ingest.sources import guidellm_requests
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.benches import (
    WITH_MEDIAN,
    accounts,
    lasted,
    lengths,
    loaded,
    moment,
    pace,
    seconds,
    throughput,
    told,
)
from ingest.sources.fields import Fields
from ingest.sources.guidellm_asked import workload_of
from ingest.sources.inferencex_row import Measured, Unusable
from ingest.sources.measures import E2E_INTERACTIVITY
from ingest.yamltext import YamlFlaw, documents

_VERSIONS = (1, 2)
_SIGNS = (b'"guidellm_version"', b'"inter_token_latency_ms"')
_YAML_SIGN = b"guidellm_version:"
_HEAD = 8192
_MS = 1e-3


class GuideLLM:
    """A report names the model and the load; engine, chip and precision it does not know."""

    key = "guidellm"
    label = "GuideLLM report"
    version = 2
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        if _is_yaml(document):
            return True
        if not any(sign in document.data for sign in _SIGNS):
            return False
        value = document.parsed.value
        if not isinstance(value, dict) or not isinstance(value.get("benchmarks"), list):
            return False
        return "guidellm_version" in Fields(value).inner("metadata") or any(map(_is_benchmark, value["benchmarks"]))

    def read(self, document: Document) -> Iterator[Reading]:
        try:
            reports = documents(document.data) if _is_yaml(document) else [document.parsed.value]
        except YamlFlaw as flaw:
            yield Refused("file", str(flaw))
            return
        for report in reports:
            yield from _report(report)

    def has_requests(self, document: Document) -> bool:
        return b"requests" in document.data

    def requests_in(self, document: Document, where: str | None) -> Iterator[Request]:
        """Those of one benchmark. Several reports in one file count their benchmarks alike, so none is meant."""
        try:
            reports = documents(document.data) if _is_yaml(document) else [document.parsed.value]
        except YamlFlaw:
            return
        if len(reports) != 1 or not isinstance(reports[0], dict):
            return
        benchmarks = reports[0].get("benchmarks")
        for number, benchmark in enumerate(benchmarks if isinstance(benchmarks, list) else (), start=1):
            if where == f"benchmark {number}":
                yield from guidellm_requests.requests(benchmark)


def _is_yaml(document: Document) -> bool:
    data = document.data
    return _YAML_SIGN in data[:_HEAD] and b"\nbenchmarks:" in data and data.lstrip()[:1] not in (b"{", b"[")


def _is_benchmark(value: Json) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("metrics"), dict):
        return False
    metrics: dict[str, Json] = value["metrics"]
    return "inter_token_latency_ms" in metrics and "request_concurrency" in metrics


def _report(report: Json) -> Iterator[Reading]:
    if not isinstance(report, dict):
        yield Refused("file", "it is no GuideLLM report: an object with benchmarks was expected")
        return
    head = Fields(report).inner("metadata")
    version, tool = head.row.get("version"), head.text("guidellm_version")
    if version not in _VERSIONS:
        said = "without a version" if version is None else f"of version {version}"
        by = f", written by GuideLLM {tool}" if tool else ""
        reads = "Halo reads versions 1 and 2, which GuideLLM 0.5 and 0.8 write"
        yield Refused("file", f"a GuideLLM report {said}{by}; {reads}")
        return
    benchmarks = report.get("benchmarks")
    for number, benchmark in enumerate(benchmarks if isinstance(benchmarks, list) else (), start=1):
        where = f"benchmark {number}"
        if not isinstance(benchmark, dict):
            yield Refused(where, "it is no object with the results of a benchmark")
            continue
        try:
            yield Found(where, _point(Fields(report), Fields(benchmark), f"guidellm-v{version}", tool))
        except Unusable as unusable:
            yield Refused(where, str(unusable))


def _point(report: Fields, benchmark: Fields, dialect: str, tool: str | None) -> Point:
    measured = Measured()
    metrics = benchmark.inner("metrics")
    requests = metrics.inner("request_totals")
    accounts(measured, requests.number("successful"), requests.number("errored"))
    lasted(measured, benchmark.number("duration"))
    sizes = {kind: _of(metrics, f"{kind}_token_count") for kind in ("prompt", "output")}
    lengths(measured, sizes["prompt"].number("mean"), sizes["output"].number("mean"))
    throughput(
        measured,
        total=_rate(benchmark, "total", "tokens_per_second"),
        output=_rate(benchmark, "output", "output_tokens_per_second"),
        inputs=_rate(benchmark, "prompt", "prompt_tokens_per_second"),
    )
    seconds(measured, _statistics(metrics, "request_latency"), "e2el", WITH_MEDIAN)
    seconds(measured, _statistics(metrics, "time_to_first_token_ms"), "ttft", WITH_MEDIAN, unit=_MS)
    seconds(measured, _statistics(metrics, "inter_token_latency_ms"), "itl", WITH_MEDIAN, unit=_MS)
    pace(measured, "itl", tokens=sizes["output"].number("mean"))
    _whole_pace(measured, _statistics(metrics, "time_per_output_token_ms"))
    config = benchmark.inner("config")
    strategy = config.inner("strategy")
    concurrency = _concurrency(strategy, metrics, measured)
    model = config.inner("backend").text("model") or report.inner("args").text("model")
    workload, asked = workload_of(report)
    point = Point(
        model=MODELS.key_of(model),
        workload=workload,
        concurrency=concurrency,
        run=config.text("run_id"),
        run_time=moment(benchmark.number("start_time")),
        dialect=dialect,
        metrics=measured.metrics,
        interactivity_def=measured.interactivity_def,
        facts={**asked, **told(_facts(benchmark, strategy, requests)), **told({"guidellm_version": tool})},
        spellings={"model": model} if model else {},
        flags=tuple(dict.fromkeys((*measured.flags, *benchmark.flags, *report.flags))),
        warnings=tuple(dict.fromkeys((*report.notes, *benchmark.notes))),
        raw={
            **{key: value for key, value in report.row.items() if key != "benchmarks"},
            "benchmark": {key: value for key, value in benchmark.row.items() if key != "requests"},
        },
    )
    return checked(point)


def _of(metrics: Fields, name: str) -> Fields:
    """A metric over successful requests; an empty one where it has no samples, which are written as zeros."""
    block = metrics.inner(name).inner("successful")
    return block if block.number("count") else Fields({})


def _statistics(metrics: Fields, name: str) -> Fields:
    block = _of(metrics, name)
    return Fields({**block.inner("percentiles").row, **block.row}, metrics, name)


def _rate(benchmark: Fields, kind: str, name: str) -> float | None:
    """The mean of a rate over time, which its sum is not; else tokens over duration."""
    metrics = benchmark.inner("metrics")
    mean = _of(metrics, name).number("mean")
    if mean:
        return mean
    tokens, duration = _of(metrics, f"{kind}_token_count").number("total_sum"), benchmark.number("duration")
    return tokens / duration if tokens is not None and duration else mean


def _whole_pace(measured: Measured, block: Fields) -> None:
    """Output tokens over the whole request, the inverse of what GuideLLM calls its time per output token."""
    for statistic, name in WITH_MEDIAN.items():
        value = block.number(name)
        if value is not None and value > 0:
            measured.metrics[E2E_INTERACTIVITY[statistic]] = 1 / (value * _MS)


def _concurrency(strategy: Fields, metrics: Fields, measured: Measured) -> float | None:
    """What was set where concurrency was the load. Elsewhere `max_concurrency` is a cap, and the mean counts."""
    kind = strategy.text("type_") or strategy.text("kind")
    if kind == "synchronous":
        return 1
    streams = strategy.number("streams") or strategy.number("max_concurrency")
    if kind == "concurrent" and streams and streams > 0:
        return streams
    return loaded(measured, _of(metrics, "request_concurrency").number("mean"))


def _facts(benchmark: Fields, strategy: Fields, requests: Fields) -> dict[str, Json]:
    return {
        "benchmark_id": benchmark.inner("config").text("id_"),
        "strategy": strategy.text("type_") or strategy.text("kind"),
        "request_rate": strategy.number("rate"),
        "requests_incomplete": requests.number("incomplete") or None,
        "warmup_s": benchmark.number("warmup_duration") or None,
        "cooldown_s": benchmark.number("cooldown_duration") or None,
    }
