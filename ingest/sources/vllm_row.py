"""One row of `vllm bench serve`, alone, in a list, or in the table of a sweep."""

from app.catalog.models import MODELS
from app.catalog.point import Json, Point
from app.catalog.workloads import fixed_workload, workload_key
from ingest.checks import checked
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable
from ingest.sources.serving_requests import LISTS, Requests, fill, requests_of, slim
from ingest.sources.serving_row import (
    Spelling,
    WarmUp,
    counts,
    equal_lengths,
    latencies,
    load_of,
    pace,
    throughput,
    time_of,
)
from ingest.sources.serving_stated import Stated, engine_of, stated_of

_PREFIXES = ("mean_", "median_", "std_", "p", "spec_decode_", "rtfx", "ramp_up_", "steady_state_", "probe_")
_OWN = frozenset(
    (
        *("date", "endpoint_type", "backend", "label", "model_id", "tokenizer_id", "tokenizer_mode", "num_prompts"),
        *("best_of", "request_rate", "burstiness", "max_concurrency", "duration", "completed", "failed"),
        *("good_completed", "benchmark_start_time_unix", "benchmark_end_time_unix", "start_time", "end_time"),
        *("total_input_tokens", "total_output_tokens", "request_throughput", "request_goodput", "request_goodput:"),
        *("input_throughput", "output_throughput", "total_token_throughput", "max_output_tokens_per_s"),
        *("max_concurrent_requests", "run_number", "type", "dataset_name", "goodput"),
        *("aggregation_method", "aggregated_repetitions", "individual_result_files"),
        *LISTS,
    )
)
_FACTS = (
    *("label", "burstiness", "request_goodput", "max_concurrent_requests", "dataset_name", "good_completed"),
    *("aggregation_method", "aggregated_repetitions", "individual_result_files"),
)


class _Own:
    """Every key that the tool writes itself; what is not among them was added by hand."""

    def __contains__(self, key: object) -> bool:
        name = str(key)
        return name in _OWN or (name.startswith(_PREFIXES) and _is_statistic(name))


_OWN_KEYS = _Own()


def _is_statistic(name: str) -> bool:
    """`p99_ttft_ms`, `std_e2el`: `pp` and `precision` begin with a p too."""
    head = name.partition("_")[0]
    number = head[1:].replace(".", "", 1)
    return head in ("mean", "median", "std", "spec", "rtfx", "ramp", "steady", "probe") or number.isdecimal()


def read(row: Fields, *, dialect: str, spelling: Spelling | None = None, names_engine: bool = True) -> Point:
    """The point of a row. Raises WarmUp and Unusable."""
    refuse_warm_up(row)
    if "total_input_sequences" in row or "input_sequence_throughput" in row:
        raise Unusable("it measured embeddings, which have no output tokens; Halo charts generated tokens")
    measured = Measured()
    counts(row, measured)
    throughput(row, measured)
    latencies(row, measured, spelling or Spelling())
    requests = requests_of(row.row)
    if requests is not None:
        fill(measured, requests)
    pace(measured)
    client = row.text("backend") or row.text("endpoint_type")
    stated = stated_of(row, _OWN_KEYS, engine_of(client) if names_engine else None)
    workload = workload_of(row, stated, requests, measured)
    concurrency = load_of(row, measured)
    facts = {name: row.row[name] for name in _FACTS if row.row.get(name) not in (None, "")}
    facts |= {key: value for key, value in row.row.items() if key.startswith("spec_decode_") and _is_scalar(value)}
    if client:
        facts["client_backend"] = client
    return point_of(
        row,
        dialect=dialect,
        stated=stated,
        measured=measured,
        workload=workload,
        concurrency=concurrency,
        facts=facts,
    )


def _is_scalar(value: Json) -> bool:
    return isinstance(value, int | float)


def refuse_warm_up(row: Fields) -> None:
    """Raises WarmUp for a record marked as one: by a word of whoever ran it, or by a sweep's number -1."""
    kind = str(row.row.get("type", "")).strip().lower().replace("-", "").replace("_", "")
    if kind == "warmup":
        raise WarmUp("a warm-up, marked so by its type: not a result")
    if row.row.get("run_number") == -1:
        raise WarmUp("the warm-up of a sweep, run number -1: not a result")


def workload_of(row: Fields, stated: Stated, requests: Requests | None, measured: Measured) -> str | None:
    """What was asked for where it is said; else what the tokens of the requests show."""
    isl, osl = stated.isl, stated.osl
    if isl is None or osl is None:
        shown = equal_lengths(row) if requests is None else requests.sizes
        isl, osl = isl or shown[0], osl or shown[1]
        if isl and osl:
            measured.flags.append("workload_inferred")
    if isl and osl:
        measured.facts.update(isl=isl, osl=osl)
        return fixed_workload(isl, osl)
    return workload_key(row.text("dataset_name"))


def point_of(
    row: Fields,
    *,
    dialect: str,
    stated: Stated,
    measured: Measured,
    workload: str | None,
    concurrency: float | None,
    facts: dict[str, Json],
) -> Point:
    """The point put together, with every flag that its figures give ground for."""
    model = row.text("model_id") or row.text("model")
    spellings = {**stated.spellings, **({"model": model} if model else {})}
    if stated.offload.backend_raw:
        spellings["backend"] = stated.offload.backend_raw
    point = Point(
        model=MODELS.key_of(model),
        chip=stated.chip,
        chip_count=stated.chip_count,
        layout=stated.layout,
        engine=stated.engine,
        engine_version=stated.engine_version,
        precision=stated.precision,
        spec=stated.spec,
        offload=stated.offload,
        workload=workload,
        concurrency=concurrency,
        run_time=time_of(row),
        iteration=stated.iteration,
        variant=stated.variant,
        dialect=dialect,
        metrics=measured.metrics,
        interactivity_def=measured.interactivity_def,
        facts={**stated.facts, **facts, **measured.facts},
        spellings=spellings,
        flags=tuple(dict.fromkeys((*stated.flags, *measured.flags, *row.flags))),
        warnings=tuple(dict.fromkeys(row.notes)),
        raw=slim(row.row),
    )
    return checked(point)
