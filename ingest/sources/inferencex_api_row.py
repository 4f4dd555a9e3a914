"""One row of the InferenceX API as a point: turned back into the aggregate it was made of, and read as that.

Single-node rows are served with tp * ep chips for prefill and as many for decode, which is wrong wherever ep
is not 1. Their chips are tp * pp * pcp; only multinode rows count by role.
"""

import re
from dataclasses import replace
from datetime import date

from app.catalog.metrics import HBM_POOL_TOKENS
from app.catalog.point import Cache, Json, Point
from app.catalog.workloads import agentic_workload
from ingest import tiers
from ingest.checks import checked
from ingest.invariants import Setting
from ingest.sources import inferencex_cache, inferencex_fixed
from ingest.sources.fields import Fields
from ingest.sources.inferencex_flat import dataset_of
from ingest.sources.inferencex_offload import offload_of
from ingest.sources.inferencex_recipe import recipe_of
from ingest.sources.inferencex_row import Measured, interactivity, latencies, point_of, refuse_failed, throughput
from ingest.sources.measures import INTERACTIVITY

DIALECT = "inferencex-api"
_RENAMED = {"hardware": "hw", "spec_method": "spec_decoding"}
_ROLE = ("tp", "ep", "dp_attention")
_COUNTED = ("num_prefill_gpu", "num_decode_gpu")
_BY_ROLE = (*_COUNTED, *(f"{role}_{name}" for role in ("prefill", "decode") for name in (*_ROLE, "num_workers")))
_PER_CHIP = {"total": "tput_per_gpu", "output": "output_tput_per_gpu", "input": "input_tput_per_gpu"}
_RATES = tuple(f"{tier}_cache_hit_rate" for tier in ("gpu", "cpu", "external", "overall"))
_FACTS = ("id", "run_url", "curve_date", "curve_workflow_run_id", "curve_run_started_at", "workers")
_RUN = re.compile(r"/runs/(\d+)(?:/attempts/(\d+))?")
_SLACK = 0.01


def point_of_row(value: dict[str, Json]) -> Point:
    """The point of a row. Raises Unusable."""
    served = Fields(value)
    row = Fields(aggregate_of(value))
    single_roles = row.boolean("is_multinode") is not True and row.boolean("disagg") is True
    agentic = "agentic" in (served.text("benchmark_type") or "")
    point = _agentic(row) if agentic else inferencex_fixed.read(row)
    metrics = dict(point.metrics)
    if (pool := row.integer("kv_cache_pool_tokens")) is not None and pool > 0:
        metrics[HBM_POOL_TOKENS] = pool
    day = day_of(served)
    completed = replace(
        point,
        dialect=DIALECT,
        run=run_of(served) or day,
        run_time=day,
        metrics=metrics,
        cache=_cache(row, point),
        facts={**point.facts, **_facts(served, point)},
        # One node has no chips for two roles that each count all of them.
        flags=(*point.flags, "chip_count_disputed") if single_roles else point.flags,
        warnings=tuple(dict.fromkeys((*row.notes, *served.notes))),
        raw=value,
    )
    return checked(completed)


def aggregate_of(value: dict[str, Json]) -> dict[str, Json]:
    """The row in the words of the aggregates: metrics beside the recipe, one parallelism where there is one node."""
    metrics: dict[str, Json] = value["metrics"]
    row = {(f"{key[:-4]}e2el" if key.endswith("_ttlt") else key): item for key, item in metrics.items()}
    row |= {_RENAMED.get(key, key): item for key, item in value.items() if key != "metrics"}
    if "router_name" in metrics:
        row["router"] = {"name": metrics["router_name"], "version": metrics.get("router_version")}
    return one_node(row)


def one_node(row: dict[str, Json]) -> dict[str, Json]:
    """A row without the counts by role, unless it says that it ran on several nodes."""
    said = Fields(row)
    multinode = said.boolean("is_multinode")
    if multinode if multinode is not None else said.boolean("disagg"):
        return row
    whole = {name: row.get(f"prefill_{name}") or row.get(f"decode_{name}") for name in _ROLE}
    single = {key: item for key, item in row.items() if key not in _BY_ROLE}
    single |= {name: item for name, item in whole.items() if item is not None and name not in single}
    if said.boolean("disagg") and "num_gpus" not in single:
        one = Fields(single)
        single["num_gpus"] = (one.integer("tp") or 0) * (one.integer("pp") or 1) * (one.integer("pcp_size") or 1)
    return single


def run_of(served: Fields) -> str | None:
    """`20200037154-2`: the workflow's run and its attempt."""
    if match := _RUN.search(served.text("run_url") or ""):
        return "-".join(part for part in match.groups() if part)
    curve = served.text("curve_workflow_run_id")
    return f"curve-{curve}" if curve else None


def day_of(served: Fields, key: str = "date") -> str | None:
    """The day of the run; the hour is not told."""
    text = served.text(key)
    if text is None:
        return None
    try:
        return date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        served.note(key, f"is {text[:40]!r}, which is no day: read as not reported")
        return None


def _facts(served: Fields, point: Point) -> dict[str, Json]:
    facts = {key: served.row[key] for key in _FACTS if served.row.get(key) not in (None, "", [])}
    counts = [served.integer(key) for key in _COUNTED]
    if point.layout.whole is not None and any(count and count != point.chip_count for count in counts):
        facts["chips_as_served"] = {"prefill": counts[0], "decode": counts[1]}
    return facts


def _agentic(row: Fields) -> Point:
    """Traces of agents, whose pace is 1 / ITL and whose figures per chip are over all chips, whatever the roles."""
    refuse_failed(row)
    recipe = recipe_of(row)
    stated = offload_of(
        row,
        recipe.framework.engine,
        disaggregated=recipe.disaggregated,
        unstated="unknown",
        hbm_tokens=row.integer("kv_cache_pool_tokens"),
    )
    measured = Measured()
    per_chip = {kind: row.number(key) for kind, key in _PER_CHIP.items()}
    if recipe.disaggregated and not _adds_up(per_chip):
        # Without the input nothing shows which chips the output was divided by.
        per_chip |= {"output": None, "input": None}
    count = recipe.chip_count
    whole = {kind: value * count if count and value is not None else None for kind, value in per_chip.items()}
    throughput(measured, whole, per_chip)
    for quantity in ("ttft", "e2el", "tpot"):
        latencies(row, quantity, measured, affixed=True)
    interactivity(row, "itl", measured, affixed=True)
    median = row.number("median_intvty")
    if measured.interactivity_def is None and median is not None and median > 0:
        # Of all percentiles the median alone is the same whichever way it was worked out.
        measured.metrics[INTERACTIVITY["p50"]] = median
        measured.interactivity_def = "1/itl"
        measured.flags.append("as_reported")
    return point_of(
        row,
        dialect=DIALECT,
        recipe=recipe,
        stated=stated,
        measured=measured,
        workload=agentic_workload(dataset_of(row)),
        concurrency=row.number("conc"),
    )


def _adds_up(per_chip: dict[str, float | None]) -> bool:
    total, output, inputs = per_chip["total"], per_chip["output"], per_chip["input"]
    if total is None or output is None or inputs is None:
        return False
    return abs(total - output - inputs) <= _SLACK * total


def _cache(row: Fields, point: Point) -> Cache:
    """Hit rates without counts, by what the engine's adapter means by them."""
    rates = {name: rate for name in _RATES if (rate := row.fraction(f"server_{name}")) is not None}
    ceiling = row.fraction("theoretical_cache_hit_rate")
    if not rates and ceiling is None:
        return point.cache
    connector = offload_of(
        row, point.engine, disaggregated=point.layout.disaggregated is True, unstated=point.offload.mode
    ).connector
    setting = Setting(
        mode=point.offload.mode,
        connector=connector,
        disaggregated=point.layout.disaggregated is True,
        ceiling=ceiling,
    )
    hbm, host = rates.get("gpu_cache_hit_rate"), rates.get("cpu_cache_hit_rate")
    if point.engine == "atom" and hbm is not None and host is not None:
        # ATOM counts what LMCache loaded among its own hits too.
        shares = {"hbm": hbm - host, "host_dram": host}
        return tiers.reported(setting, shares, "ATOM cached and loaded / full tokens, as fractions without counts")
    return inferencex_cache.cache_of(Fields({"cache": rates}, row, "server"), setting, point.engine)
