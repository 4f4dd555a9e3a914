"""AIPerf's summary of one run, `profile_export_aiperf.json`: metric blocks, the config that was run, the accounts.

Interactivity is 1 / inter-token latency at the same percentile, which AIPerf takes per request. Its own
`output_token_throughput_per_user` is a distribution of the inverse, whose p90 is the fast tail, and is not read.
"""

from app.catalog.metrics import DURATION_S, INPUT_TOKENS_MEAN, OUTPUT_TOKENS_MEAN, REQUESTS_FAILED, REQUESTS_OK
from app.catalog.point import Cache, Json, Point
from ingest.sources.aiperf_files.blocks import COUNTS, FRACTIONS, RATES, TIMES, Blocks, blocks_of
from ingest.sources.aiperf_files.config import asked
from ingest.sources.aiperf_files.moments import moment
from ingest.sources.aiperf_files.telemetry import telemetry
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable, interactivity, latencies
from ingest.sources.measures import E2E_INTERACTIVITY, TPUT

_LATENCIES = {"ttft": "time_to_first_token", "e2el": "request_latency"}
_MIRRORED = {"p50": "p50", "p75": "p25", "p90": "p10", "p95": "p5", "p99": "p1"}
"""A percentile of output tokens over latency is the opposite percentile of latency over output tokens."""
_TOTALS = {"input": "total_isl", "output": "total_osl"}
_LENGTHS = {"input": "input_sequence_length", "output": "output_sequence_length"}
_FACTS = ("benchmark_id", "aiperf_version", "schema_version", "end_time", "branch_stats")
_METADATA = ("submission_valid", "submission_invalid_reasons")
_MAJOR = "1"


def read(value: dict[str, Json], dialect: str | None = None) -> Point:
    """The point of a summary. Raises Unusable."""
    record = Fields(value)
    version = record.text("schema_version")
    if version is not None and version.split(".")[0] != _MAJOR:
        raise Unusable(
            f"it is an AIPerf export of schema version {version}, which Halo does not read; "
            "it reads exports without a version and those of version 1"
        )
    blocks = blocks_of(record)
    measured = Measured()
    _requests(record, blocks, measured)
    _throughput(blocks, measured)
    _latency(blocks, measured)
    request = asked(record)
    concurrency = request.concurrency
    if concurrency is None and "request_rate" in request.facts:
        concurrency = blocks.raw("effective_concurrency").number("avg")
        measured.flags += [] if concurrency is None else ["load_measured"]
    boards = telemetry(record.inner("telemetry_data"))
    measured.facts |= {**request.facts, **_facts(record, blocks), **boards.facts}
    return Point(
        model=request.model,
        chip=boards.chip,
        chip_count=boards.chip_count,
        workload=request.workload,
        concurrency=concurrency,
        run_time=record.text("start_time") or moment(blocks.value("min_request_timestamp", TIMES)),
        dialect=dialect or f"aiperf-v{version or '0'}",
        metrics={**measured.metrics, **boards.metrics},
        interactivity_def=measured.interactivity_def,
        cache=Cache(ceiling_share=_ceiling(blocks)),
        facts=measured.facts,
        spellings={"model": request.spelling} if request.spelling else {},
        flags=tuple(dict.fromkeys((*measured.flags, *boards.flags, *record.flags))),
        warnings=tuple(record.notes),
        raw=value,
    )


def _requests(record: Fields, blocks: Blocks, measured: Measured) -> None:
    """How many requests came through. Raises Unusable when none did: AIPerf then leaves the count out."""
    done = blocks.value("request_count", COUNTS)
    errors = _errors(record)
    failed = blocks.value("error_request_count", COUNTS)
    if failed is None and errors is not None:
        failed = float(sum(errors.values()))
    if done is None or done <= 0:
        raise Unusable(_why_none(done, failed, errors))
    measured.metrics[REQUESTS_OK] = done
    if failed is not None and failed >= 0:
        measured.metrics[REQUESTS_FAILED] = failed
    warmup = Blocks(record.inner("warmup_metrics")).value("request_count", COUNTS)
    accounts: dict[str, Json] = {"ok": done, "failed": failed, "warmup": warmup, "errors": errors}
    measured.facts["requests"] = {key: count for key, count in accounts.items() if count not in (None, {})}
    if record.boolean("was_cancelled"):
        measured.facts["cancelled"] = True
        record.notes.append("the run was cancelled before its end")


def _why_none(done: float | None, failed: float | None, errors: dict[str, int] | None) -> str:
    said = "request_count is absent" if done is None else f"request_count is {done:g}"
    kinds = ", ".join(f"{name} {count}" for name, count in sorted((errors or {}).items(), key=lambda kind: -kind[1]))
    lost = f", {failed:g} failed" if failed else ""
    return (
        f"no request succeeded ({said}{lost}{f': {kinds}' if kinds else ''}), so nothing was measured; "
        "a point needs at least one"
    )


def _errors(record: Fields) -> dict[str, int] | None:
    """Failed requests by kind of error; None where the file does not account for them."""
    listed = record.row.get("error_summary")
    if not isinstance(listed, list):
        return None
    errors: dict[str, int] = {}
    for item in listed:
        if isinstance(item, dict):
            entry = Fields(item, record, "error_summary")
            kind = entry.inner("error_details").text("type") or "not named"
            errors[kind] = errors.get(kind, 0) + (entry.integer("count") or 0)
    return errors


def _throughput(blocks: Blocks, measured: Measured) -> None:
    """Whole-system tokens per second as reported, else tokens over duration. Raises Unusable without any."""
    metrics = measured.metrics
    duration = blocks.value("benchmark_duration", TIMES)
    rates = {kind: blocks.value(f"{kind}_token_throughput", RATES) for kind in TPUT}
    for kind, total in _TOTALS.items():
        length = blocks.value(_LENGTHS[kind], COUNTS)
        if length is not None and length >= 0:
            metrics[INPUT_TOKENS_MEAN if kind == "input" else OUTPUT_TOKENS_MEAN] = length
        tokens = blocks.value(total, COUNTS)
        if tokens is None and length is not None:
            tokens = length * metrics[REQUESTS_OK]
        if rates[kind] is None and tokens is not None and duration:
            rates[kind] = tokens / duration
        elif rates[kind] is None and length is not None:
            pace = blocks.value("request_throughput", RATES)
            rates[kind] = None if pace is None else length * pace
    if rates["total"] is None and rates["input"] is not None and rates["output"] is not None:
        rates["total"] = rates["input"] + rates["output"]
    if duration is not None and duration > 0:
        metrics[DURATION_S] = duration
    found = {TPUT[kind]: rate for kind, rate in rates.items() if rate is not None}
    if not found:
        raise Unusable("it has no token throughput and no token counts over a duration, so there is nothing to draw")
    worst = found.get(TPUT["total"], max(found.values()))
    if worst <= 0 or min(found.values()) < 0:
        worst = min(worst, *found.values())
        raise Unusable(f"its throughput is {worst:g} tokens per second; a measured one is above zero")
    metrics.update(found)


def _latency(blocks: Blocks, measured: Measured) -> None:
    for quantity, key in _LATENCIES.items():
        latencies(blocks.seconds(key), quantity, measured, affixed=False)
    interactivity(blocks.seconds("inter_token_latency"), "itl", measured, affixed=False)
    for statistic, mirrored in _MIRRORED.items():
        pace = blocks.value("e2e_output_token_throughput", RATES, mirrored)
        if pace is not None and pace > 0:
            measured.metrics[E2E_INTERACTIVITY[statistic]] = pace


def _ceiling(blocks: Blocks) -> float | None:
    """The share that an infinite cache could have served, from blocks where they are counted."""
    block = blocks.raw("theoretical_prefix_cache_hit")
    hit, counted = block.number("sum"), block.number("count")
    share = hit / counted if hit is not None and counted else None
    if share is None or not 0 <= share <= 1:
        share = blocks.value("theoretical_prefix_cache_hit", FRACTIONS)
    return share if share is not None and 0 <= share <= 1 else None


def _facts(record: Fields, blocks: Blocks) -> dict[str, Json]:
    metadata, endpoint = record.inner("metadata"), record.inner("input_config").inner("endpoint")
    facts: dict[str, Json] = {key: record.row.get(key) for key in _FACTS}
    facts |= {key: metadata.row.get(key) for key in _METADATA}
    achieved = blocks.raw("effective_concurrency")
    facts["effective_concurrency"] = achieved.number("avg")
    facts["effective_concurrency_max"] = achieved.number("max")
    facts["tokens_in_flight"] = blocks.value("tokens_in_flight", COUNTS)
    facts["context_overflows"] = blocks.value("context_overflow_count", COUNTS)
    facts["requested_output_tokens"] = blocks.value("requested_osl", COUNTS)
    facts["cached_per_api_usage"] = blocks.value("overall_usage_prompt_cache_read_pct", FRACTIONS)
    facts["streaming"] = endpoint.boolean("streaming")
    if (counted := endpoint.boolean("use_server_token_count")) is not None:
        facts["tokens_counted_by"] = "server" if counted else "client"
    return {key: value for key, value in facts.items() if value not in (None, [], {})}
