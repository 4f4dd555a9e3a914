"""A row of a Halo table as a point: words resolved, interactivity recomputed, offload decided, shares worked out."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from app.catalog.engines import split_framework, version_of_image
from app.catalog.metrics import HBM_POOL_TOKENS, METRICS
from app.catalog.point import Json, Layout, Point, Role
from app.catalog.workloads import AGENTIC, agentic_workload, workload_kind
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT, TPUT_PER_CHIP
from ingest.table.cells import Misread, read_cell
from ingest.table.columns import COLUMNS, FREE
from ingest.table.offload import offload_of
from ingest.table.shares import SHARES, cache_of

DIALECT = "halo-table"
_AS_PUBLISHED = "as published"


class BadRow(ValueError):
    """A row that holds something it cannot hold; the message names every column at fault."""


def point_of(cells: Mapping[str, str]) -> Point:
    """The point of a row. Raises BadRow with all that is wrong with it."""
    warnings: list[str] = []
    values = _values(cells, warnings)
    metrics = _metrics(values, warnings)
    if not metrics:
        raise BadRow("the row has no metric: fill at least one metric column")
    if (total := next((key for key in _TOTALS if metrics.get(key) == 0), None)) is not None:
        raise BadRow(
            f"{total} is 0: nothing was served, so there is nothing to draw; leave it empty if it is not known"
        )
    definition = _interactivity(metrics, _pace(values, metrics), values.get("interactivity_def"))
    layout = _layout(values)
    try:
        offload = offload_of(values, metrics.get(HBM_POOL_TOKENS))
        cache = cache_of(values, offload, disaggregated=bool(layout.disaggregated), warnings=warnings)
    except Misread as error:
        raise BadRow(str(error)) from None
    return Point(
        model=values.get("model"),
        chip=values.get("chip") or values.get("decode_chip") or values.get("prefill_chip"),
        chip_count=_chip_count(values),
        layout=layout,
        engine=values.get("engine"),
        orchestrator=values.get("orchestrator"),
        engine_version=values.get("engine_version"),
        precision=values.get("precision"),
        spec=values.get("spec"),
        offload=offload,
        workload=values.get("workload"),
        concurrency=values.get("concurrency"),
        origin=values.get("origin") or "measured",
        run=values.get("run"),
        run_time=values.get("run_time"),
        iteration=values.get("iteration"),
        cold=bool(values.get("cold")),
        dialect=DIALECT,
        metrics={key: value for key, value in metrics.items() if key not in SHARES},
        interactivity_def=definition,
        cache=cache,
        facts=_facts(cells, values, metrics),
        spellings=_spellings(cells, values),
        warnings=tuple(warnings),
        raw=dict(cells),
    )


def _values(cells: Mapping[str, str], warnings: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    wrong = []
    for name, text in cells.items():
        if name.startswith(FREE) or (column := COLUMNS[name]).reads == "unused":
            continue
        try:
            values[name] = read_cell(column, text, warnings)
        except Misread as error:
            wrong.append(f"{name}: {error}")
    if wrong:
        raise BadRow("; ".join(wrong))
    values = {name: value for name, value in values.items() if value is not None}
    return values | _implied(cells, values)


def _implied(cells: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, Any]:
    """What one column says of another that is empty."""
    framework = split_framework(cells.get("engine"))
    implied = {
        "orchestrator": framework.orchestrator,
        "disaggregated": framework.disaggregated_default,
        "engine_version": version_of_image(cells.get("image")),
    }
    found = {name: value for name, value in implied.items() if value is not None and name not in values}
    if values.get("workload") == AGENTIC and "dataset" in values:
        found["workload"] = agentic_workload(values["dataset"])
    return found


def _metrics(values: Mapping[str, Any], warnings: list[str]) -> dict[str, float]:
    """The metrics as stated, totals added up. Priced ones need to say what prices they rest on."""
    metrics = {}
    for metric in METRICS:
        if metric.key not in values or metric.key in _POINT_FIELDS:
            continue
        if metric.made == "priced" and "price_basis" not in values:
            warnings.append(f"{metric.key} was left out: it depends on prices, and price_basis is empty")
            continue
        metrics[metric.key] = float(values[metric.key])
    for tput in (TPUT, TPUT_PER_CHIP):
        total, outputs, inputs = tput["total"], tput["output"], tput["input"]
        if total not in metrics and outputs in metrics and inputs in metrics:
            metrics[total] = metrics[inputs] + metrics[outputs]
    return metrics


_TOTALS = (TPUT["total"], TPUT_PER_CHIP["total"])
_POINT_FIELDS = frozenset(field.name for field in fields(Point))
"""A metric that is a field of the point (concurrency) is kept there alone."""


def _pace(values: Mapping[str, Any], metrics: Mapping[str, float]) -> str:
    """The latency that interactivity inverts: per-request ITL in agentic work where it is given, else TPOT."""
    agentic = workload_kind(values.get("workload")) == "agentic"
    return "itl" if agentic and any(key in metrics for key in LATENCY["itl"].values()) else "tpot"


def _interactivity(metrics: dict[str, float], latency: str, stated: str | None) -> str | None:
    """Recompute interactivity from the latency at the same percentile; say what the result rests on."""
    seconds = {statistic: metrics[key] for statistic, key in LATENCY[latency].items() if key in metrics}
    if not seconds:
        return (stated or _AS_PUBLISHED) if any(key in metrics for key in INTERACTIVITY.values()) else None
    for statistic, key in INTERACTIVITY.items():
        metrics.pop(key, None)  # where its latency is missing, it would have another definition
        if statistic in seconds:
            if seconds[statistic] <= 0:
                raise BadRow(f"{LATENCY[latency][statistic]}: a token cannot take {seconds[statistic]:g} s")
            metrics[key] = 1 / seconds[statistic]
    return f"1/{latency}"


def _chip_count(values: Mapping[str, Any]) -> int | None:
    """The count that the row states, else the roles' together, else tp * pp * pcp * workers. Never ep or dcp."""
    if (stated := values.get("chip_count")) is not None:
        return int(stated)
    if "prefill_chips" in values and "decode_chips" in values:
        return int(values["prefill_chips"] + values["decode_chips"])
    if values.get("disaggregated") or values.get("tp") is None:
        return None
    return int(values["tp"] * values.get("pp", 1) * values.get("pcp", 1) * values.get("workers", 1))


def _layout(values: Mapping[str, Any]) -> Layout:
    prefill, decode = _role(values, "prefill_"), _role(values, "decode_")
    disaggregated = values.get("disaggregated")
    if disaggregated is None and prefill and decode and prefill.chips and decode.chips:
        disaggregated = True
    return Layout(
        whole=_role(values, ""),
        prefill=prefill,
        decode=decode,
        disaggregated=disaggregated,
        multinode=values.get("multinode"),
    )


def _role(values: Mapping[str, Any], start: str) -> Role | None:
    stated = {field.name: values[f"{start}{field.name}"] for field in fields(Role) if f"{start}{field.name}" in values}
    if not start:
        stated.pop("chip", None)
    return Role(**stated) if stated else None


_FACTS = (
    *("image", "dataset", "isl", "osl", "kv_cache_dtype"),
    *("source_title", "source_url", "source_date", "price_basis", "note"),
)
_STORAGE = "storage_"


def _facts(cells: Mapping[str, str], values: Mapping[str, Any], metrics: Mapping[str, float]) -> dict[str, Json]:
    facts: dict[str, Json] = {name: values[name] for name in _FACTS if name in values}
    facts |= {name: text for name, text in cells.items() if name.startswith(FREE)}
    storage = {name.removeprefix(_STORAGE): value for name, value in values.items() if name.startswith(_STORAGE)}
    if storage:
        facts[_STORAGE.removesuffix("_")] = storage
    stated = {m.key: metrics[m.key] for m in METRICS if m.made == "priced" and m.key in metrics}
    if stated:
        facts["stated"] = stated
    return facts


def _spellings(cells: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, str]:
    """Words as the file had them, where that is not the key itself."""
    return {
        name: text
        for name, text in cells.items()
        if name in values and COLUMNS[name].words is not None and str(values[name]) != text
    }
