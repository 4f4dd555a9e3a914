"""genai-perf's `profile_export_genai_perf.json`: metric blocks like those of AIPerf, which followed it.

It has no total throughput: input is requests per second times mean prompt. Without streaming its time to first
token is that of the whole answer, and is not read.
"""

from collections.abc import Iterator
from typing import Literal

from app.catalog.engines import ENGINES
from app.catalog.models import MODELS
from app.catalog.point import Json, Point
from app.catalog.workloads import fixed_workload
from ingest.checks import checked
from ingest.document import Document
from ingest.sources.aiperf_files.blocks import COUNTS, RATES, Blocks, is_block
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.benches import AS_OURS, accounts, in_flight, lengths, pace, seconds, throughput, told
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable

_SIGN = b'"input_config"'
_OWN = ("subcommand", "perf_analyzer", "genai_perf", "service_kind", "formatted_model_name", "model_selection_strategy")
_MEANT = "_tokens_mean"
"""What older releases called the lengths that were asked for; not the mean of those that came."""
_AIPERF = ("schema_version", "aiperf_version", "was_cancelled", "error_summary", "benchmark_id")
_LATENCIES = {"e2el": "request_latency", "ttft": "time_to_first_token", "itl": "inter_token_latency"}


class GenaiPerf:
    """The file names the model and the load, sometimes the engine behind Triton; chips it does not know."""

    key = "genai-perf"
    label = "genai-perf export"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        if _SIGN not in document.data:
            return False
        value = document.parsed.value
        if not isinstance(value, dict) or not isinstance(value.get("input_config"), dict):
            return False
        foreign = any(key in value["input_config"] for key in _OWN[:3])
        known = foreign or any(key in value["input_config"] for key in _OWN)
        return known and (foreign or not any(key in value for key in _AIPERF)) and any(map(is_block, value.values()))

    def read(self, document: Document) -> Iterator[Reading]:
        try:
            yield Found("file", _point(Fields(document.parsed.value or {})))
        except Unusable as unusable:
            yield Refused("file", str(unusable))


def _point(record: Fields) -> Point:
    measured = Measured()
    blocks, config = Blocks(record), record.inner("input_config")
    accounts(measured, blocks.value("request_count", COUNTS), blocks.value("error_request_count", COUNTS))
    inputs, outputs = (_length(blocks, kind) for kind in ("input", "output"))
    lengths(measured, inputs, outputs)
    per_second = blocks.value("request_throughput", RATES)
    throughput(
        measured,
        total=None,
        output=blocks.value("output_token_throughput", RATES),
        inputs=per_second * inputs if per_second and inputs else None,
    )
    streaming = _setting(config, "endpoint", "streaming").boolean("streaming")
    for quantity, name in _LATENCIES.items():
        if quantity != "ttft" or streaming is not False:
            seconds(measured, blocks.seconds(name), quantity, AS_OURS)
    pace(measured, "itl", tokens=outputs)
    model = _model(config)
    backend = _setting(config, "endpoint", "backend").text("backend")
    engine = ENGINES.resolve((backend or "").split(".")[-1].lower().removesuffix("_engine"))
    workload, asked = _workload(config)
    point = Point(
        model=MODELS.key_of(model),
        engine=engine.key if engine else None,
        workload=workload,
        concurrency=_concurrency(config) or in_flight(measured, per_second),
        dialect="genai-perf",
        metrics=measured.metrics,
        interactivity_def=measured.interactivity_def,
        facts={**asked, **told({"streaming": streaming, "requests_per_second": per_second})},
        spellings=told({"model": model, "engine": backend}),
        flags=tuple(dict.fromkeys((*measured.flags, *record.flags))),
        warnings=tuple(record.notes),
        raw=record.row,
    )
    return checked(point)


def _length(blocks: Blocks, kind: str) -> float | None:
    """Mean tokens of prompt or answer; the first releases called them otherwise."""
    value = blocks.value(f"{kind}_sequence_length", COUNTS)
    return blocks.value(f"num_{kind}_token", COUNTS) if value is None else value


def _setting(config: Fields, section: str, name: str) -> Fields:
    """Where a setting stands: newer releases sort them into sections."""
    inner = config.inner(section) if isinstance(config.row.get(section), dict) else config
    return inner if name in inner else config


def _model(config: Fields) -> str | None:
    """The one model that was asked; several are a mixture, which no single name describes."""
    names = config.row.get("model_names") or config.row.get("model") or config.row.get("formatted_model_name")
    if isinstance(names, list):
        names = names[0] if len(names) == 1 else None
    return names.strip() or None if isinstance(names, str) else None


def _concurrency(config: Fields) -> float | None:
    stimulus = config.inner("perf_analyzer").inner("stimulus")
    for said in (config, stimulus):
        if (
            isinstance(said.row.get("concurrency"), int | float | str)
            and (number := said.number("concurrency") or 0) > 0
        ):
            return number
    return None


def _workload(config: Fields) -> tuple[str | None, dict[str, Json]]:
    """The lengths that synthetic prompts were made to and answers were asked for."""
    given = config.inner("input") if isinstance(config.row.get("input"), dict) else Fields({})
    isl = config.integer(f"synthetic_input{_MEANT}") or given.inner("synthetic_tokens").integer("mean")
    osl = config.integer(f"output{_MEANT}") or given.inner("output_tokens").integer("mean")
    if not isl or not osl or isl < 0 or osl < 0:
        return None, {}
    return fixed_workload(isl, osl), {"isl": isl, "osl": osl}
