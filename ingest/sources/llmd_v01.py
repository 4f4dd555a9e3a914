"""Version 0.1 of the llm-d benchmark report: host, platform and model side by side, metrics below."""

from collections.abc import Iterator

from app.catalog.metrics import DURATION_S
from app.catalog.point import Json, Point
from app.catalog.workloads import workload_key
from ingest.sources.benches import accounts, in_flight, keep, lengths, moment, pace, throughput, told
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable
from ingest.sources.llmd_blocks import count, latencies
from ingest.sources.llmd_point import point_of, succeeded
from ingest.sources.llmd_stack import Engine, role_of, stack_of

_USERS = ("max_concurrency", "max-concurrency", "concurrency")
_RATES = ("qps_values", "request_rate", "request-rate", "rate")


def read(report: Fields, dialect: str) -> Point:
    """The point of a report. Raises Unusable."""
    metrics, scenario = report.inner("metrics"), report.inner("scenario")
    measured = Measured()
    requests = metrics.inner("requests")
    accounts(measured, *succeeded(requests))
    inputs, outputs = count(requests, "input_length"), count(requests, "output_length")
    lengths(measured, inputs, outputs)
    rates = metrics.inner("throughput")
    throughput(
        measured,
        total=rates.number("total_tokens_per_sec"),
        output=rates.number("output_tokens_per_sec"),
        inputs=rates.number("input_tokens_per_sec"),
    )
    latencies(metrics.inner("latency"), measured)
    pace(measured, "tpot", tokens=outputs)
    start = _window(metrics.inner("time"), measured)
    load = scenario.inner("load")
    args = load.inner("args")
    rated = any(isinstance(args.row.get(name), int | float) for name in _RATES)
    users = next((number for name in _USERS if not rated and (number := args.number(name)) and number > 0), None)
    facts = {
        "description": scenario.text("description"),
        "load": told({"name": load.text("name"), "type": load.text("type"), "args": args.row}),
        "requests_incomplete": requests.integer("incomplete") or None,
        "resources": metrics.row.get("resources"),
    }
    return point_of(
        report,
        dialect=dialect,
        stack=stack_of(list(_engines(scenario))),
        measured=measured,
        workload=workload_key(load.text("type")),
        concurrency=users or in_flight(measured, rates.number("requests_per_sec")),
        run=None,
        run_time=moment(start),
        facts=told(facts),
    )


def _window(time: Fields, measured: Measured) -> float | None:
    """When the run started. An end before the start is told, and neither is then believed."""
    start, stop, duration = time.number("start"), time.number("stop"), time.number("duration")
    if duration is not None and duration <= 0:
        raise Unusable(f"its duration is {duration:g} s, so no throughput can be worked out; a run takes time")
    if start is not None and stop is not None and stop < start:
        measured.flags.append("clock_reversed")
    keep(measured, DURATION_S, duration)
    return start


def _engines(scenario: Fields) -> Iterator[Engine]:
    """Roles, accelerators and engines are lists that go together, one entry a pod."""
    host, platform, model = scenario.inner("host"), scenario.inner("platform"), scenario.inner("model")
    roles, accelerators = _listed(host.row.get("type")), _listed(host.row.get("accelerator"))
    engines = _listed(platform.row.get("engine"))
    for at in range(max(len(accelerators), len(engines))):
        chip, engine = _at(accelerators, at), _at(engines, at)
        yield Engine(
            role=role_of(str(roles[min(at, len(roles) - 1)]) if roles else None),
            tool=engine.text("name"),
            version=engine.text("version"),
            model=model.text("name"),
            chip=chip.text("model"),
            chips=chip.integer("count"),
            replicas=1,
            parallelism=chip.inner("parallelism"),
            precision=model.text("quantization"),
            args=engine.inner("args").row,
        )


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _at(items: list[Json], at: int) -> Fields:
    item = items[at] if at < len(items) else None
    return Fields(item if isinstance(item, dict) else {})
