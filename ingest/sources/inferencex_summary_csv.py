"""Tables that sum up agentic sweeps of InferenceX: `summary.csv` of its collector, and published aggregates as a table.

Their latency per token is AIPerf's ITL of each request, whatever the column is called. Chip, model and precision
stand in the name of each result alone.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal

from app.catalog.metrics import INPUT_TOKENS_MEAN, OUTPUT_TOKENS_MEAN, REQUESTS_OK
from app.catalog.point import Json, Point
from app.catalog.workloads import agentic_workload
from ingest.checks import checked
from ingest.document import Document
from ingest.names import FROM_NAME, NAMED
from ingest.sources import benches
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.benches import AS_OURS, seconds
from ingest.sources.fields import Fields
from ingest.sources.inferencex_offload import offload_of
from ingest.sources.inferencex_recipe import recipe_of
from ingest.sources.inferencex_result_name import result_name
from ingest.sources.inferencex_row import Measured, Unusable, point_of
from ingest.sources.tables import Cut, Row, header_of, rows_of

_MS = 1e-3
_DONE = ("success", "ok", "passed", "completed")
_RUN = re.compile(r"(?:^|[/_])run_(\d{6,})(?=[/_]|$)")
_BY_NAME = {"chip": "hw", "model": "infmax_model_prefix", "engine": "framework", "precision": "precision"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """How one of the tables names its columns. `latency` is the column of a statistic of a quantity."""

    dialect: str
    signs: frozenset[str]
    name: str
    latency: str
    quantities: Mapping[str, str]
    plain: Mapping[str, str]
    whole: Mapping[str, str]
    ok: str
    paths: tuple[str, ...] = ()


_SHAPES = (
    _Shape(
        dialect="inferencex-agentic-summary",
        signs=frozenset(("exp_name", "tp", "conc", "offload", "status", "total_throughput_tps", "mean_tpot_ms")),
        name="exp_name",
        latency="{statistic}_{quantity}_ms",
        quantities={"ttft": "ttft", "itl": "tpot", "e2el": "latency"},
        plain={"tp": "tp", "conc": "conc", "offload": "offloading"},
        whole={"total": "total_throughput_tps", "output": "output_throughput_tps", "inputs": "input_throughput_tps"},
        ok="num_requests",
    ),
    _Shape(
        dialect="inferencex-published-table",
        signs=frozenset(("artifact_name", "published_total_throughput_tps", "published_gpu_count")),
        name="artifact_name",
        latency="published_{statistic}_{quantity}_ms",
        quantities={"ttft": "ttft", "itl": "itl", "e2el": "e2e"},
        plain={
            "concurrency": "conc",
            "published_gpu_count": "num_gpus",
            "published_target_model": "model",
            "published_precision": "precision",
            "published_framework": "framework",
        },
        whole={kind: f"published_{kind}_throughput_tps" for kind in ("total", "output")}
        | {"inputs": "published_input_throughput_tps"},
        ok="published_successful_profiled_request_count",
        paths=("source_file_path",),
    ),
)


class InferenceXSummaryCsv:
    """One row a run; a row whose run failed is refused."""

    key = "inferencex-summary-csv"
    label = "InferenceX agentic summary"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return _shape(document) is not None

    def read(self, document: Document) -> Iterator[Reading]:
        shape = _shape(document)
        for line, row in rows_of(document):
            if isinstance(row, Cut) or shape is None:
                yield Refused(f"line {line}", str(row))
                continue
            try:
                yield Found(f"line {line}", _point(row, shape))
            except Unusable as unusable:
                yield Refused(f"line {line}", str(unusable))


def _shape(document: Document) -> _Shape | None:
    columns = set(header_of(document))
    return next((shape for shape in _SHAPES if columns >= shape.signs), None)


def _point(cells: Row, shape: _Shape) -> Point:
    said = Fields(cells)
    _refuse_failed(said)
    stated: dict[str, Json] = {ours: cells[name] for name, ours in shape.plain.items() if cells.get(name) is not None}
    named = {key: value for key, value in result_name(said.text(shape.name) or "").items() if key not in stated}
    row = Fields({**named, **stated})
    measured = Measured()
    benches.accounts(measured, said.number(shape.ok), None)
    benches.throughput(measured, **{kind: said.number(column) for kind, column in shape.whole.items()})
    for ours, theirs in shape.quantities.items():
        columns = {
            statistic: shape.latency.format(statistic=spelling, quantity=theirs)
            for statistic, spelling in AS_OURS.items()
        }
        seconds(measured, said, ours, columns, unit=_MS)
    benches.pace(measured, "itl")
    _published(said, measured)
    recipe = recipe_of(row)
    offload = offload_of(row, recipe.framework.engine, disaggregated=recipe.disaggregated, unstated="unknown")
    if offload.offload.mode != "unknown" and "offload" not in cells:
        offload = replace(offload, offload=replace(offload.offload, evidence="name"))
        named["offload"] = offload.offload.mode
    point = point_of(
        row,
        dialect=shape.dialect,
        recipe=recipe,
        stated=offload,
        measured=measured,
        workload=agentic_workload(None),
        concurrency=row.number("conc"),
    )
    from_names = [ours for ours, theirs in {**_BY_NAME, "offload": "offload"}.items() if theirs in named]
    raw = {key: _last(value) if key in shape.paths else value for key, value in cells.items()}
    run = _RUN.search(" ".join(cells.get(key) or "" for key in shape.paths))
    completed = replace(
        point,
        run=run[1] if run else None,
        facts={**point.facts, "result": _last(said.text(shape.name)), NAMED: sorted(from_names)},
        flags=tuple(dict.fromkeys((*point.flags, *([FROM_NAME] if from_names else []), *said.flags))),
        warnings=tuple(dict.fromkeys((*point.warnings, *said.notes))),
        raw=raw,
    )
    return checked(completed)


def _refuse_failed(said: Fields) -> None:
    status = said.text("status")
    if status is not None and status.lower() not in _DONE:
        raise Unusable(f"the run is marked as {status}; only successful runs are drawn")
    match = said.text("artifact_match_status")
    if match is not None and match.lower() != "unambiguous":
        raise Unusable(f"which run these figures belong to is marked as {match}; they must belong to one")


def _published(said: Fields, measured: Measured) -> None:
    """What only published aggregates tell: the window, and tokens of all requests."""
    duration, done = said.number("published_duration_s"), measured.metrics.get(REQUESTS_OK)
    if duration is not None:
        benches.lasted(measured, duration)
    for key, column in ((INPUT_TOKENS_MEAN, "input"), (OUTPUT_TOKENS_MEAN, "output")):
        tokens = said.number(f"published_total_{column}_tokens")
        if tokens is not None and done:
            measured.metrics[key] = tokens / done


def _last(path: str | None) -> str | None:
    """A file's own name: the folders around it are those of somebody's home."""
    return None if path is None else PurePosixPath(PureWindowsPath(path).as_posix()).name
