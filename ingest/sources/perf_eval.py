"""Rows of vllm-project/perf-eval, as sent to its dashboard: like an InferenceX row, with differences that mislead.

`tp` is tensor times data parallelism. `disagg`, `is_multinode` and `spec_decoding` are always the text "false",
`ep` is always 1, and interactivity is 0 where there was no time per output token.
"""

from collections.abc import Iterator
from typing import Literal

from app.catalog.chips import CHIPS
from app.catalog.engines import split_framework, version_of_image
from app.catalog.models import MODELS
from app.catalog.point import Layout, Point, Role
from app.catalog.precisions import PRECISIONS
from app.catalog.workloads import fixed_workload
from ingest.checks import checked
from ingest.document import Document
from ingest.sources.base import Reading
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable
from ingest.sources.measures import TPUT, TPUT_PER_CHIP
from ingest.sources.serving_dialect import dialect_of_document
from ingest.sources.serving_row import Spelling, latencies, pace, readings, time_of

_SECONDS = Spelling(suffix="", seconds=1.0)
_FACTS = ("image", "nightly", "aggregation_method", "aggregated_repetitions", "individual_result_files")


class PerfEval:
    """Latency is in seconds, throughput per chip; what was divided by is `tp`."""

    key = "perf-eval"
    label = "vLLM perf-eval"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return dialect_of_document(document) == "perf_eval"

    def read(self, document: Document) -> Iterator[Reading]:
        yield from readings(document.parsed.records, _read)


def _read(row: Fields) -> Point:
    measured = Measured()
    chips = row.integer("tp")
    chips = chips if chips and chips > 0 else None
    for kind, key in (("total", "tput_per_gpu"), ("output", "output_tput_per_gpu"), ("input", "input_tput_per_gpu")):
        value = row.number(key)
        if value is None:
            continue
        if value <= 0 and kind != "input":
            raise Unusable(f"its {kind} throughput is {value:g} tokens per second; a measured one is above zero")
        measured.metrics[TPUT_PER_CHIP[kind]] = value
        if chips:
            measured.metrics[TPUT[kind]] = value * chips
    if not measured.metrics:
        raise Unusable("it has no throughput (tput_per_gpu), so there is nothing to draw")
    latencies(row, measured, _SECONDS)
    pace(measured)
    isl, osl = row.integer("isl"), row.integer("osl")
    measured.facts.update((name, size) for name, size in (("isl", isl), ("osl", osl)) if size)
    measured.facts.update((name, row.row[name]) for name in _FACTS if row.row.get(name) not in (None, ""))
    measured.facts["tp_times_dp"] = chips
    framework, chip, image = split_framework(row.text("framework")), CHIPS.key_of(row.text("device")), row.text("image")
    spelled = {"chip": "device", "model": "model", "engine": "framework", "precision": "precision"}
    return checked(
        Point(
            model=MODELS.key_of(row.text("model")),
            chip=chip,
            chip_count=chips,
            layout=Layout(whole=Role(chip=chip, chips=chips)),
            engine=framework.engine,
            orchestrator=framework.orchestrator,
            engine_version=version_of_image(image),
            precision=PRECISIONS.key_of(row.text("precision")),
            workload=fixed_workload(isl, osl),
            concurrency=row.number("conc"),
            run_time=time_of(row),
            dialect="vllm-perf-eval",
            metrics=measured.metrics,
            interactivity_def=measured.interactivity_def,
            facts=measured.facts,
            spellings={name: text for name, key in spelled.items() if (text := row.text(key)) is not None},
            flags=tuple(dict.fromkeys((*measured.flags, *row.flags))),
            warnings=tuple(dict.fromkeys(row.notes)),
            raw=row.row,
        )
    )
