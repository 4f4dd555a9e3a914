"""What the InferenceX dialects share: latency and its inverse, rows that measured nothing, the point put together."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.catalog.metrics import REQUESTS_FAILED, REQUESTS_OK, STATISTICS
from app.catalog.point import Cache, Json, Point
from ingest.sources.fields import Fields
from ingest.sources.inferencex_energy import energy_of
from ingest.sources.inferencex_offload import Stated
from ingest.sources.inferencex_recipe import Recipe
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT, TPUT_PER_CHIP

_OLD_NAMES = {"p50": "median"}
_SLACK = 0.01
_FAILED = 0.01
"""Share of failed requests from which on they are worth a word."""


class Unusable(Exception):
    """A row that gives no point. Its text is the reason, for whoever looks after the file."""


@dataclass(slots=True)
class Measured:
    """What a row measured, while it is being read."""

    metrics: dict[str, float] = field(default_factory=dict)
    interactivity_def: str | None = None
    facts: dict[str, Json] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)


def latencies(values: Fields, quantity: str, measured: Measured, *, affixed: bool) -> dict[str, float]:
    """Seconds at each statistic, stored and returned. `affixed` for `median_ttft`, else a block's own `p50`.

    A negative time is a broken clock and is dropped with a flag; a mean of zero means that nothing was timed.
    """
    found: dict[str, float] = {}
    for statistic in STATISTICS:
        value = _statistic(values, statistic, f"_{quantity}" if affixed else "")
        if value is None:
            continue
        if value <= 0:
            measured.flags.append("latency_not_positive")
            values.note(f"{quantity} {statistic}", f"is {value:g}, which no time can be: left out")
            continue
        found[statistic] = value
    keys = LATENCY[quantity]
    measured.metrics.update((keys[statistic], value) for statistic, value in found.items())
    return found


def interactivity(pace: Fields, quantity: str, measured: Measured, *, affixed: bool) -> None:
    """1 / latency at the same statistic, so that p90 is the slow tail, and its definition.

    Raises Unusable when a latency to be inverted is zero or negative: the row timed no tokens.
    """
    name = f"_{quantity}" if affixed else ""
    for statistic in STATISTICS:
        value = _statistic(pace, statistic, name)
        if value is None:
            continue
        if value <= 0:
            words = f"{quantity.upper()} {statistic} is {value:g} s"
            raise Unusable(f"{words}, so no pace can be worked out; a measured one is above zero")
        measured.metrics[INTERACTIVITY[statistic]] = 1 / value
        measured.interactivity_def = f"1/{quantity}"


def _statistic(values: Fields, statistic: str, suffix: str) -> float | None:
    old = _OLD_NAMES.get(statistic)
    if old and f"{old}{suffix}" in values.row:
        return values.number(f"{old}{suffix}")
    return values.number(f"{statistic}{suffix}")


def refuse_failed(row: Fields) -> None:
    """Raises Unusable for a run that failed, whatever else its row holds: its hit rates mean nothing either."""
    outcome = row.row.get("benchmark_outcome")
    if isinstance(outcome, dict) and str(outcome.get("status", "")).strip().lower() == "failed":
        done, asked = outcome.get("completed"), outcome.get("requested")
        raise Unusable(
            f"the run is marked as failed ({done} of {asked} requests completed); only passed runs are drawn"
        )
    if row.integer("num_requests_successful") == 0:
        raise Unusable("no request succeeded, so nothing was measured; a point needs at least one")


def throughput(measured: Measured, whole: Mapping[str, float | None], per_chip: Mapping[str, float | None]) -> None:
    """Stores what is given of both. Raises Unusable when there is no total, or when it is not above zero."""
    for keys, given in ((TPUT, whole), (TPUT_PER_CHIP, per_chip)):
        measured.metrics.update((keys[kind], value) for kind, value in given.items() if value is not None)
    total = per_chip.get("total")
    total = whole.get("total") if total is None else total
    if total is None:
        raise Unusable("it has no throughput (tput_per_gpu or tokens per second), so there is nothing to draw")
    if total <= 0:
        raise Unusable(
            f"its throughput is {total:g} tokens per second, so nothing was served; a measured one is above zero"
        )


def check_chips(measured: Measured, recipe: Recipe, whole: float | None, per_chip: float | None) -> None:
    """Flags a chip count other than the one the file itself divided by."""
    if (
        whole
        and per_chip
        and recipe.chip_count
        and abs(whole / per_chip - recipe.chip_count) > _SLACK * recipe.chip_count
    ):
        measured.flags.append("chip_count_disputed")
        measured.facts["chips_divided_by"] = round(whole / per_chip, 2)


def _request_flags(measured: Measured) -> tuple[str, ...]:
    done, failed = measured.metrics.get(REQUESTS_OK), measured.metrics.get(REQUESTS_FAILED, 0)
    if done is None:
        return ()
    many = ("failed_share",) if failed > _FAILED * (done + failed) else ()
    return (*many, "single_request") if done == 1 else many


def point_of(
    row: Fields,
    *,
    dialect: str,
    recipe: Recipe,
    stated: Stated,
    measured: Measured,
    workload: str | None,
    concurrency: float | None,
    cache: Cache | None = None,
) -> Point:
    power, power_facts, power_flags = energy_of(row, recipe.chip_count)
    flags = (*recipe.flags, *stated.flags, *measured.flags, *_request_flags(measured), *power_flags, *row.flags)
    spellings = recipe.spellings
    if stated.offload.backend_raw:
        spellings = {**spellings, "backend": stated.offload.backend_raw}
    return Point(
        model=recipe.model,
        chip=recipe.chip,
        chip_count=recipe.chip_count,
        layout=recipe.layout,
        engine=recipe.framework.engine,
        orchestrator=recipe.framework.orchestrator,
        engine_version=recipe.engine_version,
        precision=recipe.precision,
        spec=recipe.spec,
        offload=stated.offload,
        workload=workload,
        concurrency=concurrency,
        dialect=dialect,
        metrics={**measured.metrics, **power},
        interactivity_def=measured.interactivity_def,
        cache=cache or Cache(),
        facts={**recipe.facts, **measured.facts, **power_facts},
        spellings=spellings,
        flags=tuple(dict.fromkeys(flags)),
        warnings=tuple(row.notes),
        raw=row.row,
    )
