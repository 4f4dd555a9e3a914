"""Exports of llm-d Prism, an array of runs. Latencies are milliseconds, and a zero stands for one it does not have.

`throughput` is total tokens in one archive and output tokens in another under the same name. Which it is follows
from the request rate: times all tokens of a request it makes the total, times the output tokens the output.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from app.catalog.chips import CHIPS
from app.catalog.engines import split_framework
from app.catalog.models import MODELS
from app.catalog.point import Json, Layout, Point, Role
from app.catalog.precisions import PRECISIONS
from app.catalog.workloads import fixed_workload
from ingest.checks import checked
from ingest.document import Document
from ingest.sources.base import Reading
from ingest.sources.benches import pace, second, throughput, told
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable
from ingest.sources.measures import LATENCY
from ingest.sources.serving_row import readings

_SIGNS = (b'"source_info"', b'"pd_ratio"', b'"_diagnostics"')
_MS = 1e-3
_CLOSE = 0.02
_ORCHESTRATOR = "llm-d"


class LlmdPrism:
    """Each record names model, chips and load; precision is mostly unknown to it."""

    key = "llm-d-prism"
    label = "llm-d Prism export"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        if not any(sign in document.data for sign in _SIGNS):
            return False
        records = document.parsed.records
        return document.parsed.shape != "object" and bool(records) and _is_record(records[0].value)

    def read(self, document: Document) -> Iterator[Reading]:
        return readings(document.parsed.records, _point)


def _is_record(value: Json) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("metrics"), dict):
        return False
    return isinstance(value.get("source_info"), dict) or "pd_ratio" in value or "_diagnostics" in value


def _point(record: Fields) -> Point:
    measured = Measured()
    metrics, load, about = record.inner("metrics"), record.inner("workload"), record.inner("metadata")
    origin = record.inner("source_info")
    _throughput(record, metrics, load, measured)
    _latencies(metrics, measured)
    pace(measured, "tpot", tokens=load.number("output_tokens"))
    isl, osl = load.integer("input_tokens"), load.integer("output_tokens")
    count, users = record.integer("accelerator_count"), load.number("concurrency")
    model, chip = record.text("model_name") or record.text("model"), record.text("hardware")
    backend = about.text("backend") or record.text("backend")
    precision = record.text("precision") or about.text("precision")
    words = {"model": model, "chip": chip, "engine": backend, "precision": precision}
    facts = {
        "isl": isl,
        "osl": osl,
        "configuration": record.text("configuration"),
        "requests_per_second": metrics.number("request_rate"),
        "errors": metrics.number("error_count"),
        "origin": origin.text("origin"),
        "file": origin.text("file_identifier") or record.text("filename"),
    }
    point = Point(
        model=MODELS.key_of(model),
        chip=CHIPS.key_of(chip),
        chip_count=count if count and count > 0 else None,
        layout=_layout(record, about, CHIPS.key_of(chip), count),
        engine=split_framework(backend).engine,
        orchestrator=_ORCHESTRATOR,
        precision=PRECISIONS.key_of(precision),
        workload=fixed_workload(isl, osl),
        concurrency=users if users and users > 0 else None,
        run=origin.text("origin"),
        run_time=_time(record.text("timestamp")),
        dialect="llm-d-prism",
        metrics=measured.metrics,
        interactivity_def=measured.interactivity_def,
        facts=told(facts),
        spellings={name: text for name, text in words.items() if text},
        flags=tuple(dict.fromkeys((*measured.flags, *record.flags))),
        warnings=tuple(record.notes),
        raw=record.row,
    )
    return checked(point)


def _throughput(record: Fields, metrics: Fields, load: Fields, measured: Measured) -> None:
    """Raises Unusable where a throughput is neither that of all tokens nor that of the output."""
    value, per_second = metrics.number("throughput"), metrics.number("request_rate")
    inputs, outputs = load.number("input_tokens"), load.number("output_tokens")
    if value is None or value <= 0:
        raise Unusable("it has no throughput above zero, so there is nothing to draw")
    if per_second and outputs and _close(value, per_second * outputs):
        throughput(measured, total=None, output=value, inputs=None)
    elif per_second and inputs and outputs and _close(value, per_second * (inputs + outputs)):
        throughput(measured, total=value, output=per_second * outputs, inputs=per_second * inputs)
    elif record.text("source") == "llm-d-benchmark":
        throughput(measured, total=value, output=None, inputs=None)
    elif "_diagnostics" in record:
        throughput(measured, total=None, output=value, inputs=None)
    else:
        raise Unusable(
            f"its throughput of {value:g} tokens per second is neither its request rate times the output tokens nor "
            "times all tokens, so nothing tells which tokens it counts"
        )


def _latencies(metrics: Fields, measured: Measured) -> None:
    for quantity, name in (("e2el", "latency"), ("ttft", "ttft")):
        block = metrics.inner(name)
        for statistic, key in LATENCY[quantity].items():
            if (value := block.number(statistic)) is not None:
                second(measured, block, statistic, key, value * _MS)
    for quantity, names in (("e2el", ("e2e_latency",)), ("ttft", ("ttft_ms",)), ("tpot", ("tpot", "tpot_ms"))):
        key = LATENCY[quantity]["mean"]
        value = next((number for name in names if (number := metrics.number(name))), None)
        if value is not None and key not in measured.metrics:
            second(measured, metrics, names[0], key, value * _MS)


def _layout(record: Fields, about: Fields, chip: str | None, count: int | None) -> Layout:
    """Nodes times parallelism by role, where that makes all chips. Other layouts write 0 nodes for both roles."""
    apart = record.text("architecture") == "disaggregated"
    if not apart:
        tp = about.integer("tensor_parallelism") or None
        workers = count // tp if count and tp and count % tp == 0 else None
        return Layout(whole=Role(chip=chip, chips=count, workers=workers, tp=tp), disaggregated=False)
    prefill, decode = (_role(record, name, chip) for name in ("prefill", "decode"))
    known = (prefill.chips or 0) + (decode.chips or 0)
    if known != count and prefill.chips and decode.chips:
        record.note("accelerator_count", f"is {count}, but the roles have {known} chips: taken as stated")
    return Layout(prefill=prefill, decode=decode, disaggregated=True)


def _role(record: Fields, name: str, chip: str | None) -> Role:
    workers, tp = record.integer(f"{name}_node_count") or None, record.integer(f"{name}_tp") or None
    return Role(chip=chip, chips=workers * tp if workers and tp else None, workers=workers, tp=tp)


def _time(text: str | None) -> str | None:
    for form in ("%Y%m%d-%H%M%S", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S.%f%z"):
        try:
            return datetime.strptime(text or "", form).isoformat()
        except ValueError:
            continue
    return None


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= _CLOSE * max(abs(one), abs(other))
