"""InferenceX fixed-sequence aggregates: one load of requests with set input and output lengths.

The first shape has one topology; the second describes prefill and decode apart. There, disaggregated rows
divide output by decode chips and input by prefill chips, so both are brought back to all chips here.
"""

from app.catalog.metrics import (
    INPUT_TPUT_PER_PREFILL_CHIP,
    OUTPUT_TPUT_PER_DECODE_CHIP,
    REQUESTS_FAILED,
    REQUESTS_OK,
    STATISTICS,
)
from app.catalog.point import Point
from app.catalog.workloads import fixed_workload
from ingest.sources.fields import Fields
from ingest.sources.inferencex_offload import offload_of
from ingest.sources.inferencex_recipe import Recipe, has_roles, recipe_of
from ingest.sources.inferencex_row import (
    Measured,
    interactivity,
    latencies,
    point_of,
    refuse_failed,
    throughput,
)
from ingest.sources.measures import INTERACTIVITY

_SLACK = 0.01
_PER_CHIP = {"total": "tput_per_gpu", "output": "output_tput_per_gpu", "input": "input_tput_per_gpu"}


def read(row: Fields) -> Point:
    """The point of a fixed-sequence row. Raises Unusable."""
    refuse_failed(row)
    recipe = recipe_of(row)
    stated = offload_of(row, recipe.framework.engine, disaggregated=recipe.disaggregated, unstated="off")
    measured = Measured()
    _throughput(row, recipe, measured)
    _latency(row, measured)
    _requests(row, measured)
    isl, osl = row.integer("isl"), row.integer("osl")
    measured.facts.update((name, value) for name, value in (("isl", isl), ("osl", osl)) if value is not None)
    return point_of(
        row,
        dialect="inferencex-fixed-v2" if has_roles(row) else "inferencex-fixed-v1",
        recipe=recipe,
        stated=stated,
        measured=measured,
        workload=fixed_workload(isl, osl),
        concurrency=row.number("conc"),
    )


def _throughput(row: Fields, recipe: Recipe, measured: Measured) -> None:
    given = {kind: row.number(key) for kind, key in _PER_CHIP.items()}
    per_chip = _over_all_chips(given, recipe, measured) if recipe.disaggregated else given
    count = recipe.chip_count
    whole = {kind: value * count if count and value is not None else None for kind, value in per_chip.items()}
    throughput(measured, whole, per_chip)


def _over_all_chips(given: dict[str, float | None], recipe: Recipe, measured: Measured) -> dict[str, float | None]:
    """Output and input over all chips, from figures per decode and per prefill chip.

    Total times all chips equals input times prefill plus output times decode chips, which is checked. Some
    rows of December 2025 had divided by all chips already; theirs are taken as they stand, with the flag.
    """
    total, output, inputs = given["total"], given["output"], given["input"]
    plain = output is not None and inputs is not None and total is not None and _close(total, inputs + output)
    prefill = recipe.layout.prefill.chips if recipe.layout.prefill else None
    decode = recipe.layout.decode.chips if recipe.layout.decode else None
    if not prefill or not decode or total is None:
        return given if plain else {"total": total, "output": None, "input": None}
    if output is not None:
        measured.metrics[OUTPUT_TPUT_PER_DECODE_CHIP] = output
    if inputs is not None:
        measured.metrics[INPUT_TPUT_PER_PREFILL_CHIP] = inputs
    chips = prefill + decode
    if output is not None and inputs is not None and not _close(total * chips, inputs * prefill + output * decode):
        measured.flags.append("disagg_identity_violated")
        if plain:
            del measured.metrics[OUTPUT_TPUT_PER_DECODE_CHIP], measured.metrics[INPUT_TPUT_PER_PREFILL_CHIP]
            return given
    return {
        "total": total,
        "output": None if output is None else output * decode / chips,
        "input": None if inputs is None else inputs * prefill / chips,
    }


def _latency(row: Fields, measured: Measured) -> None:
    for quantity in ("ttft", "itl", "e2el"):
        latencies(row, quantity, measured, affixed=True)
    interactivity(row, "tpot", measured, affixed=True)
    if measured.interactivity_def:
        return
    # Rows that kept the pace alone give it as 1/TPOT at the same statistic, which is the same definition.
    for statistic in STATISTICS:
        name = "median" if statistic == "p50" and "median_intvty" in row else statistic
        value = row.number(f"{name}_intvty")
        if value is not None and value > 0:
            measured.metrics[INTERACTIVITY[statistic]] = value
            measured.interactivity_def = "1/tpot"
    if measured.interactivity_def:
        measured.flags.append("as_reported")


def _requests(row: Fields, measured: Measured) -> None:
    """How many requests came through; rows before September 2026 do not say, and up to 5 % may have failed."""
    outcome = row.inner("benchmark_outcome")
    for key, name in ((REQUESTS_OK, "completed"), (REQUESTS_FAILED, "failed")):
        if (value := outcome.number(name)) is not None:
            measured.metrics[key] = value


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= _SLACK * max(abs(one), abs(other))
