"""InferenceX agentic rows of spring 2026: every statistic a key of its own, such as `p90_itl`.

Their own interactivity is the percentile of each request's 1/ITL, which at p90 is the fast tail; it is
dropped and worked out from ITL. The first of them wrote `users` and `offload_mode`.
"""

from app.catalog.metrics import (
    DURATION_S,
    HBM_USAGE_MAX,
    INPUT_TOKENS_MEAN,
    OUTPUT_TOKENS_MEAN,
    REQUESTS_OK,
)
from app.catalog.point import Cache, Point
from app.catalog.workloads import agentic_workload
from ingest.invariants import Setting
from ingest.sources.fields import Fields
from ingest.sources.inferencex_offload import offload_of
from ingest.sources.inferencex_recipe import recipe_of
from ingest.sources.inferencex_row import (
    Measured,
    check_chips,
    interactivity,
    latencies,
    point_of,
    refuse_failed,
    throughput,
)
from ingest.tiers import query_rate, reported

_WHOLE = {"total": "total_tput_tps", "output": "output_tput_tps", "input": "input_tput_tps"}
_PER_CHIP = {"total": "tput_per_gpu", "output": "output_tput_per_gpu", "input": "input_tput_per_gpu"}
_PLAIN = {
    DURATION_S: "duration_seconds",
    INPUT_TOKENS_MEAN: "mean_input_tokens",
    OUTPUT_TOKENS_MEAN: "mean_output_tokens_actual",
    REQUESTS_OK: "num_requests_successful",
}
_COUNTERS = (
    "total_prompt_tokens",
    "total_generation_tokens",
    "total_requests_completed",
    "server_gpu_cache_hit_rate",
    "server_cpu_cache_hit_rate",
    "server_external_cache_hit_rate",
    "server_overall_cache_hit_rate",
    "response_cache_hit_rate",
    "cpu_kv_cache_usage_pct",
    "kv_offload_bytes_gpu_to_cpu",
    "kv_offload_bytes_cpu_to_gpu",
    "kv_offload_time_gpu_to_cpu",
    "kv_offload_time_cpu_to_gpu",
)
_ACTIVITY = ("kv_offload_bytes_cpu_to_gpu", "kv_offload_bytes_gpu_to_cpu", "cpu_kv_cache_usage_pct")


def read(row: Fields) -> Point:
    """The point of a flat agentic row. Raises Unusable."""
    refuse_failed(row)
    recipe = recipe_of(row)
    stated = offload_of(row, recipe.framework.engine, disaggregated=recipe.disaggregated, unstated="unknown")
    measured = Measured()
    whole = {kind: row.number(key) for kind, key in _WHOLE.items()}
    per_chip = {kind: row.number(key) for kind, key in _PER_CHIP.items()}
    throughput(measured, whole, per_chip)
    check_chips(measured, recipe, whole["total"], per_chip["total"])
    measured.metrics.update((key, value) for key, name in _PLAIN.items() if (value := row.number(name)) is not None)
    if (used := row.fraction("gpu_kv_cache_usage_pct")) is not None:
        measured.metrics[HBM_USAGE_MAX] = used
    for quantity in ("ttft", "e2el", "tpot"):
        latencies(row, quantity, measured, affixed=True)
    interactivity(row, "itl", measured, affixed=True)
    setting = Setting(
        mode=stated.offload.mode,
        connector=stated.connector,
        disaggregated=recipe.disaggregated,
        ceiling=row.fraction("theoretical_cache_hit_rate"),
    )
    return point_of(
        row,
        dialect="inferencex-agentic-v0" if "users" in row or "offload_mode" in row else "inferencex-agentic-v2",
        recipe=recipe,
        stated=stated,
        measured=measured,
        workload=agentic_workload(dataset_of(row)),
        concurrency=row.number("conc") if "conc" in row else row.number("users"),
        cache=_cache(row, setting),
    )


def dataset_of(row: Fields) -> str | None:
    """The data set's address or its loader, from a block or from plain text."""
    value = row.row.get("dataset")
    if isinstance(value, dict):
        block = row.inner("dataset")
        return block.text("hf_dataset_name") or block.text("loader")
    return row.text("dataset")


def _cache(row: Fields, setting: Setting) -> Cache:
    """Rates without counts. Prefix queries are the prompt tokens, retries counted again, so HBM's rate is a share;
    what external queries are changed between versions of vLLM, so that rate keeps the name of its denominator.
    """
    counters = {key: value for key in _COUNTERS if (value := row.number(key)) is not None}
    external = counters.get("server_external_cache_hit_rate", counters.get("server_cpu_cache_hit_rate"))
    return reported(
        setting,
        {"hbm": counters.get("server_gpu_cache_hit_rate")},
        "vLLM prefix_cache hits / queries, as a fraction without counts",
        prompt_tokens=counters.get("total_prompt_tokens"),
        other_rates=query_rate(setting, external),
        counters=counters,
        activity=[external, *(counters.get(key) for key in _ACTIVITY)],
        flags=("stale_tier_rate",) if external and setting.mode == "off" else (),
    )
