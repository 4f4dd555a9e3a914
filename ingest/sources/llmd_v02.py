"""Versions 0.2 and 0.2.1 of the llm-d benchmark report: a run, a stack of components, a load, and results."""

from collections.abc import Iterator

from app.catalog.metrics import DURATION_S, REQUESTS_OK
from app.catalog.point import Json, Point
from app.catalog.vocabulary import other
from app.catalog.workloads import fixed_workload
from ingest.sources.benches import accounts, in_flight, iso, keep, lengths, pace, span, throughput, told
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable
from ingest.sources.llmd_blocks import count, latencies, rate
from ingest.sources.llmd_point import point_of, succeeded
from ingest.sources.llmd_stack import Engine, role_of, stack_of

_ENGINE = "inference_engine"
_NOMINAL = ("fixed", "gaussian", "normal", "uniform")


def read(report: Fields, dialect: str) -> Point:
    """The point of a report. Raises Unusable."""
    results = report.inner("results")
    aggregate = results.inner("request_performance").inner("aggregate")
    if not aggregate.row:
        raise Unusable("it has no results.request_performance.aggregate: only what requests saw makes a point")
    measured = Measured()
    requests = aggregate.inner("requests")
    accounts(measured, *succeeded(requests))
    inputs, outputs = count(requests, "input_length"), count(requests, "output_length")
    lengths(measured, inputs, outputs)
    rates = aggregate.inner("throughput")
    throughput(
        measured,
        total=rate(rates, "total_token_rate"),
        output=rate(rates, "output_token_rate"),
        inputs=rate(rates, "input_token_rate"),
    )
    latencies(aggregate.inner("latency"), measured)
    pace(measured, "tpot", tokens=outputs)
    scenario, run = report.inner("scenario"), report.inner("run")
    per_second = rate(rates, "request_rate")
    # The run's own duration covers every stage and what lay between them.
    if per_second and (done := measured.metrics.get(REQUESTS_OK)):
        keep(measured, DURATION_S, done / per_second)
    load = scenario.inner("load")
    workload, asked = _workload(load.inner("standardized"))
    time = run.inner("time")
    start, end = iso(time.text("start")), iso(time.text("end"))
    if start and end and end < start and start[19:] == end[19:]:
        measured.flags.append("clock_reversed")
    facts = {
        **{name: run.text(name) for name in ("uid", "eid", "description", "user")},
        "run_duration_s": span(time.text("duration")),
        "load": load.row,
        "observability": _observed(results.inner("observability")),
    }
    return point_of(
        report,
        dialect=dialect,
        stack=stack_of(list(_engines(scenario))),
        measured=measured,
        workload=workload,
        concurrency=_concurrency(load.inner("standardized"), measured, per_second),
        run=run.text("eid") or run.text("uid"),
        run_time=start,
        facts={**asked, **told(facts)},
    )


def _engines(scenario: Fields) -> Iterator[Engine]:
    stack = scenario.row.get("stack")
    for component in stack if isinstance(stack, list) else ():
        if not isinstance(component, dict):
            continue
        said = Fields(component)
        standard, native = said.inner("standardized"), said.inner("native")
        if standard.text("kind") != _ENGINE:
            continue
        accelerator = standard.inner("accelerator")
        yield Engine(
            role=role_of(standard.text("role")),
            tool=standard.text("tool"),
            version=standard.text("tool_version"),
            model=standard.inner("model").text("name"),
            chip=accelerator.text("model"),
            chips=accelerator.integer("count"),
            replicas=max(replicas, 0) if (replicas := standard.integer("replicas")) is not None else 1,
            parallelism=accelerator.inner("parallelism"),
            args=native.inner("args").row,
            envars=native.inner("envars").row,
        )


def _concurrency(load: Fields, measured: Measured, per_second: float | None) -> float | None:
    """What was set, unless requests were sent at a rate: then it is a cap, and the mean in flight counts."""
    stated, rated = load.number("concurrency"), load.number("rate_qps")
    if stated and stated > 0 and not rated:
        return stated
    return in_flight(measured, per_second)


def _workload(load: Fields) -> tuple[str | None, dict[str, Json]]:
    """Input and output lengths where they were asked for. Several turns are no fixed workload: prompts grow."""
    sizes = [load.inner(f"{kind}_seq_len") for kind in ("input", "output")]
    if any(size.text("distribution") not in _NOMINAL for size in sizes):
        return None, {}
    isl, osl = (size.integer("value") for size in sizes)
    fixed = fixed_workload(isl, osl)
    if fixed is None:
        return None, {}
    if load.inner("multi_turn").boolean("enabled"):
        return other(f"{fixed} in several turns"), {}
    return fixed, {"isl": isl, "osl": osl}


def _observed(observability: Fields) -> dict[str, Json]:
    """The server's own metrics, each by its mean and its unit. Means of counters are no counts."""
    found: dict[str, Json] = {}
    components = observability.row.get("components")
    for component in components if isinstance(components, list) else ():
        if isinstance(component, dict):
            said = Fields(component)
            name = said.text("component_label") or "component"
            found |= {f"{name} {key}": block for key, block in _means(said.inner("aggregate"))}
    return found


def _means(aggregate: Fields) -> Iterator[tuple[str, Json]]:
    for key, block in aggregate.row.items():
        if isinstance(block, dict) and isinstance(block.get("mean"), int | float):
            yield key, {"mean": block["mean"], "units": block.get("units")}
