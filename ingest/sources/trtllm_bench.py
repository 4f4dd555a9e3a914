"""`trtllm-bench --report_json`: one run of TensorRT-LLM's own benchmark, which runs the engine in its process.

Its throughput per user includes the wait for the first token, so pace comes from the time per output token,
which only a run with `--streaming` has.
"""

from collections.abc import Iterator
from typing import Literal

from app.catalog.chips import CHIPS
from app.catalog.engines import ENGINES, NO_ORCHESTRATOR
from app.catalog.models import MODELS
from app.catalog.point import Json, Layout, Point, Role
from app.catalog.precisions import PRECISIONS
from app.catalog.speculation import SPECULATIONS
from app.catalog.workloads import fixed_workload
from ingest.checks import checked
from ingest.document import Document
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.benches import AS_OURS, accounts, lasted, lengths, loaded, pace, seconds, throughput, told
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable
from ingest.sources.measures import LATENCY

_SHAPE = ("engine", "world_info", "performance")
_NAMES = {**AS_OURS, "mean": "average"}
_MS = 1e-3

_LONGEST = 10**9
"""A sequence of more tokens than this is a mistake."""


class TrtllmBench:
    """The report knows engine, chips and parallelism; of offload it says nothing."""

    key = "trtllm-bench"
    label = "trtllm-bench report"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        if b'"world_info"' not in document.data:
            return False
        value = document.parsed.value
        return isinstance(value, dict) and all(isinstance(value.get(key), dict) for key in _SHAPE)

    def read(self, document: Document) -> Iterator[Reading]:
        try:
            yield Found("file", _point(Fields(document.parsed.value or {})))
        except Unusable as unusable:
            yield Refused("file", str(unusable))


def _point(report: Fields) -> Point:
    measured = Measured()
    requests, work = report.inner("request_info"), report.inner("performance")
    accounts(measured, requests.number("num_requests"), None)
    lengths(measured, requests.number("avg_input_length"), requests.number("avg_output_length"))
    total_ms = work.number("total_latency_ms")
    lasted(measured, None if total_ms is None else total_ms * _MS)
    throughput(
        measured,
        total=work.number("system_total_throughput_tok_s"),
        output=work.number("system_output_throughput_tok_s"),
        inputs=None,
    )
    _latencies(work, report.inner("streaming_metrics"), measured)
    pace(measured, "tpot", tokens=requests.number("avg_output_length"))
    engine, world = report.inner("engine"), report.inner("world_info")
    words = {
        "model": engine.text("model"),
        "chip": report.inner("machine").text("name"),
        "precision": engine.text("quantization") or engine.text("dtype"),
        "spec": report.inner("decoding_stats").text("mode"),
    }
    chips, chip = world.integer("world_size"), CHIPS.key_of(words["chip"])
    workload, asked = _workload(report.inner("dataset"), measured)
    facts = {
        "runtime": engine.text("backend"),
        "kv_cache_dtype": engine.text("kv_cache_dtype"),
        "max_batch_size": world.integer("max_batch_size"),
        "kv_cache_percentage": world.number("kv_cache_percentage"),
        "issue_rate": world.number("issue_rate"),
        "energy": report.row.get("energy"),
    }
    point = Point(
        model=MODELS.key_of(words["model"]),
        chip=chip,
        chip_count=chips if chips and chips > 0 else None,
        layout=Layout(
            whole=Role(
                chip=chip,
                chips=chips,
                tp=world.integer("tp_size") or None,
                pp=world.integer("pp_size") or None,
                ep=world.integer("ep_size") or None,
            )
        ),
        engine=ENGINES.key_of("trtllm"),
        orchestrator=NO_ORCHESTRATOR,
        engine_version=engine.text("version"),
        precision=PRECISIONS.key_of(words["precision"]),
        spec=SPECULATIONS.key_of(words["spec"]),
        workload=workload,
        concurrency=loaded(measured, requests.number("avg_num_concurrent_requests")),
        dialect="trtllm-bench",
        metrics=measured.metrics,
        interactivity_def=measured.interactivity_def,
        facts={**asked, **told(facts)},
        spellings={name: text for name, text in words.items() if text},
        flags=tuple(dict.fromkeys((*measured.flags, *report.flags))),
        warnings=tuple(report.notes),
        raw=report.row,
    )
    return checked(point)


def _latencies(work: Fields, streaming: Fields, measured: Measured) -> None:
    """Percentiles of each, and the average where percentiles are not given."""
    blocks = (
        ("e2el", work, "avg_request_latency_ms", "request_latency_percentiles_ms"),
        ("ttft", streaming, "avg_ttft_ms", "ttft_percentiles"),
        ("tpot", streaming, "avg_tpot_ms", "tpot_percentiles"),
    )
    for quantity, outer, mean, percentiles in blocks:
        seconds(measured, outer.inner(percentiles), quantity, _NAMES, unit=_MS)
        if LATENCY[quantity]["mean"] not in measured.metrics:
            seconds(measured, outer, quantity, {"mean": mean}, unit=_MS)


def _workload(dataset: Fields, measured: Measured) -> tuple[str | None, dict[str, Json]]:
    """Fixed lengths, where every request of the data set had the same."""
    sizes = []
    for name in ("isl", "osl"):
        least, mean, most = (dataset.number(f"{bound}_{name}") for bound in ("min", "avg", "max"))
        same = most is not None and most == (mean if least is None else least) == mean
        sizes.append(int(most) if same and most is not None and most < _LONGEST else None)
    workload = fixed_workload(*sizes)
    if workload is None:
        return None, {}
    measured.flags.append("workload_inferred")
    return workload, {"isl": sizes[0], "osl": sizes[1]}
