"""What the InferenceX dialects share: latency and its inverse, rows that measured nothing, the point put together."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.catalog.chips import CHIPS
from app.catalog.metrics import REQUESTS_FAILED, REQUESTS_OK, STATISTICS
from app.catalog.point import Cache, Json, Point
from ingest.checks import FAILED_SHARE
from ingest.sources.fields import Fields
from ingest.sources.inferencex_energy import energy_of
from ingest.sources.inferencex_offload import SERVER_GB, Stated
from ingest.sources.inferencex_recipe import Recipe
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT, TPUT_PER_CHIP

_LEAST_S, _MOST_S = 1e-9, 1e9
"""A latency lies between a nanosecond and thirty years; what does not is no latency."""
_SLACK = 0.01
"""Share of failed requests from which on they are worth a word."""


_ON_A_SERVER = {8: 8, 72: 4}  # NVIDIA, DGX and GB200 NVL72 pages, 2026-08: a rack of 72 is 18 trays of 4
"""Chips on one server by the size of their link domain."""


class Unusable(Exception):
    """A row that gives no point. Its text is the reason, for whoever looks after the file."""


@dataclass(slots=True)
class Measured:
    """What a row measured, while it is being read."""

    metrics: dict[str, float] = field(default_factory=dict)
    interactivity_def: str | None = None
    facts: dict[str, Json] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)


def _names(quantity: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each statistic with the keys it is met under: `p50_itl` and `median_itl`, or without the quantity in a block."""
    ending = f"_{quantity}" if quantity else ""
    return tuple(
        (statistic, (f"median{ending}", f"p50{ending}") if statistic == "p50" else (f"{statistic}{ending}",))
        for statistic in STATISTICS
    )


_AFFIXED = {quantity: _names(quantity) for quantity in LATENCY}
_IN_BLOCK = _names("")


def latencies(values: Fields, quantity: str, measured: Measured, *, affixed: bool) -> list[str]:
    """Stores seconds at each statistic. `affixed` for keys such as `median_ttft`, else for a block's own `p50`.

    A time of zero or less comes of a broken clock: it is dropped with a flag, and returned in words.
    """
    keys, metrics, get = LATENCY[quantity], measured.metrics, values.row.get
    broken: list[str] = []
    for statistic, names in _AFFIXED[quantity] if affixed else _IN_BLOCK:
        for name in names:
            value = get(name)
            if value is None:
                continue
            if type(value) is float and _LEAST_S < value < _MOST_S:
                metrics[keys[statistic]] = value
            elif (number := values.number(name)) is None:
                continue
            elif _LEAST_S < number < _MOST_S:
                metrics[keys[statistic]] = number
            else:
                broken.append(f"{quantity.upper()} {statistic} is {number:g} s")
                measured.flags.append("latency_not_positive")
                values.notes.append(f"{broken[-1]}, which no time can be: left out")
            break
    return broken


def interactivity(pace: Fields, quantity: str, measured: Measured, *, affixed: bool) -> None:
    """Stores the latency and 1 / latency at the same statistic, so that p90 is the slow tail, and its definition.

    Raises Unusable when a latency to be inverted is zero or negative: the row timed no tokens.
    """
    if broken := latencies(pace, quantity, measured, affixed=affixed):
        raise Unusable(f"{broken[0]}, so no pace can be worked out; a measured one is above zero")
    for statistic, key in LATENCY[quantity].items():
        if key in measured.metrics:
            measured.metrics[INTERACTIVITY[statistic]] = 1 / measured.metrics[key]
            measured.interactivity_def = f"1/{quantity}"


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
    many = ("failed_share",) if failed > FAILED_SHARE * (done + failed) else ()
    return (*many, "single_request") if done == 1 else many


def _over_budget(stated: Stated, recipe: Recipe) -> tuple[str, ...]:
    """AgentX rules grant the share of a server's memory that the run has of its chips."""
    host = next((tier.capacity_bytes for tier in stated.offload.tiers if tier.medium == "host_dram"), None)
    chip, whole = CHIPS.get(recipe.chip), recipe.layout.whole
    chips = _ON_A_SERVER.get(chip.links.domain or 0) if chip is not None and chip.links is not None else None
    if not host or not chips or recipe.disaggregated or recipe.layout.multinode or whole is None or not whole.tp:
        return ()
    granted = SERVER_GB * 10**9 * min(1.0, whole.tp / chips)
    return ("over_budget",) if host > granted else ()


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
    flags = (
        *recipe.flags,
        *stated.flags,
        *_over_budget(stated, recipe),
        *measured.flags,
        *_request_flags(measured),
        *power_flags,
        *row.flags,
    )
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
