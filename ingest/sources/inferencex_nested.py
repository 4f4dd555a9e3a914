"""InferenceX agentic rows since July 2026: `request_metrics` and `server_metrics` in blocks.

Interactivity is 1 / per-request ITL at the same statistic, from the full response where the row has it,
which counts reasoning and tool tokens too. Per-chip figures divide by all chips, disaggregated or not.
"""

from app.catalog.metrics import (
    DURATION_S,
    HBM_POOL_TOKENS,
    HBM_USAGE_MAX,
    INPUT_TOKENS_MEAN,
    OUTPUT_TOKENS_MEAN,
    REQUESTS_FAILED,
    REQUESTS_OK,
    STATISTICS,
)
from app.catalog.point import Json, Point
from app.catalog.workloads import agentic_workload
from ingest.invariants import Setting
from ingest.sources.fields import Fields
from ingest.sources.inferencex_cache import cache_of
from ingest.sources.inferencex_flat import dataset_of
from ingest.sources.inferencex_offload import offload_of
from ingest.sources.inferencex_recipe import Recipe, recipe_of
from ingest.sources.inferencex_row import (
    Measured,
    check_chips,
    interactivity,
    latencies,
    point_of,
    refuse_failed,
    throughput,
)
from ingest.sources.measures import E2E_INTERACTIVITY, INTERACTIVITY

_PER_CHIP = {"total": "total_tput_tps", "output": "output_tput_tps", "input": "input_tput_tps"}
_FACTS = ("dataset", "allocated_cpu_dram_gb", "num_requests_total")


def read(row: Fields) -> Point:
    """The point of a nested agentic row. Raises Unusable."""
    refuse_failed(row)
    recipe = recipe_of(row)
    requests, server = row.inner("request_metrics"), row.inner("server_metrics")
    kv_cache = server.inner("kv_cache")
    pool = kv_cache.integer("gpu_total_tokens") or row.integer("kv_cache_pool_tokens")
    stated = offload_of(
        row,
        recipe.framework.engine,
        disaggregated=recipe.disaggregated,
        unstated="unknown",
        hbm_tokens=pool,
    )
    measured = Measured(facts=_facts(row, server))
    _throughput(requests.inner("throughput"), recipe, measured)
    _latency(requests.inner("latency"), measured)
    _load(row, requests, measured)
    if pool:
        measured.metrics[HBM_POOL_TOKENS] = pool
    if (used := kv_cache.fraction("gpu_usage_pct")) is not None:
        measured.metrics[HBM_USAGE_MAX] = used
    setting = Setting(
        mode=stated.offload.mode,
        connector=stated.connector,
        disaggregated=recipe.disaggregated,
        ceiling=requests.inner("cache").fraction("theoretical_cache_hit_rate"),
    )
    return point_of(
        row,
        dialect="inferencex-agentic-v3",
        recipe=recipe,
        stated=stated,
        measured=measured,
        workload=agentic_workload(dataset_of(row)),
        concurrency=row.number("conc"),
        cache=cache_of(server, setting, recipe.framework.engine),
    )


def _throughput(block: Fields, recipe: Recipe, measured: Measured) -> None:
    figures = block.inner("per_gpu")
    whole = {kind: block.inner(kind).number("tokens_per_second") for kind in _PER_CHIP}
    per_chip = {kind: figures.number(key) for kind, key in _PER_CHIP.items()}
    throughput(measured, whole, per_chip)
    check_chips(measured, recipe, whole["total"], per_chip["total"])
    if (duration := block.number("duration_seconds")) is not None:
        measured.metrics[DURATION_S] = duration


def _latency(block: Fields, measured: Measured) -> None:
    for quantity in ("ttft", "e2el", "tpot"):
        latencies(block.inner(quantity), quantity, measured, affixed=False)
    full = block.inner("full_response_itl")
    pace = full if full.row else block.inner("itl")
    if full.row:
        measured.facts["itl_basis"] = "full response, reasoning and tool tokens included"
    interactivity(pace, "itl", measured, affixed=False)
    if measured.interactivity_def is None:
        _given_interactivity(block, measured)
    normalised = block.inner("e2e_norm_intvty")
    for statistic in STATISTICS:
        value = normalised.number(statistic)
        if value is not None and value > 0:
            measured.metrics[E2E_INTERACTIVITY[statistic]] = value


def _given_interactivity(block: Fields, measured: Measured) -> None:
    """The row's own figures, which are 1/ITL at the same statistic, where ITL itself is gone."""
    full = block.inner("full_response_intvty")
    given = full if full.row else block.inner("intvty")
    for statistic in STATISTICS:
        value = given.number(statistic)
        if value is not None and value > 0:
            measured.metrics[INTERACTIVITY[statistic]] = value
            measured.interactivity_def = "1/itl"
    if measured.interactivity_def:
        measured.flags.append("as_reported")


def _load(row: Fields, requests: Fields, measured: Measured) -> None:
    tokens, accounts = requests.inner("tokens"), row.inner("request_accounting")
    for key, value in (
        (INPUT_TOKENS_MEAN, tokens.inner("input").number("mean")),
        (OUTPUT_TOKENS_MEAN, tokens.inner("output_actual").number("mean")),
        (REQUESTS_OK, row.number("num_requests_successful")),
        (REQUESTS_FAILED, accounts.number("records_error_dropped")),
    ):
        if value is not None:
            measured.metrics[key] = value


def _facts(row: Fields, server: Fields) -> dict[str, Json]:
    facts: dict[str, Json] = {name: row.row[name] for name in _FACTS if row.row.get(name) not in (None, "", 0)}
    if accounts := row.row.get("request_accounting"):
        facts["requests"] = accounts
    if said := row.row.get("warnings"):
        facts["file_warnings"] = said
    if adapter := server.text("adapter"):
        facts["server_metrics_adapter"] = adapter
    if stability := row.inner("request_metrics").inner("cache").row.get("stability"):
        facts["cache_stability"] = stability
    return facts
