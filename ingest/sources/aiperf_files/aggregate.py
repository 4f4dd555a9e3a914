"""AIPerf's figures over several runs: the mean of each run's own figure, with a confidence interval.

`profile_export_aiperf_aggregate.json` is one point; `profile_export_aiperf_sweep.json` one for each setting.
Both are read only where the runs themselves are not at hand, since those know their config.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from app.catalog.point import Json, Point
from ingest.sources.aiperf_files.summary import read as read_summary
from ingest.sources.fields import Fields

_STATISTICS = ("avg", "min", "max", "std", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "count", "sum")
_TOLD = ("num_profile_runs", "num_successful_runs", "confidence_level", "failed_runs", "scenario")
_KEPT = ("schema_version", "aiperf_version", "metadata", "run_info")
_INTERVAL = ("ci_low", "ci_high")
_SHOWN = (
    "total_token_throughput_avg",
    "output_token_throughput_avg",
    "inter_token_latency_p50",
    "time_to_first_token_p50",
)


def is_aggregate(value: Json) -> bool:
    """Whether a document is the aggregate of one setting."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return isinstance(metadata, dict) and metadata.get("aggregation_type") == "confidence" and _held(value)


def is_sweep(value: Json) -> bool:
    """Whether a document lists the aggregates of a sweep."""
    return (
        isinstance(value, dict) and "aiperf_version" in value and isinstance(value.get("per_combination_metrics"), list)
    )


def _held(value: dict[str, Json]) -> bool:
    return isinstance(value.get("metrics"), dict)


def read(value: dict[str, Json]) -> Point:
    """The point of an aggregate. Raises Unusable."""
    return _point(value, value["metrics"], Fields(value).inner("metadata"))


def combinations(value: dict[str, Json]) -> Iterator[tuple[str, dict[str, Json]]]:
    """Each setting of a sweep as an aggregate of its own, and where it stood."""
    for number, item in enumerate(value["per_combination_metrics"], start=1):
        held = item if isinstance(item, dict) else {}
        parameters, metrics = held.get("parameters"), held.get("metrics")
        yield (
            f"combination {number}",
            {
                "schema_version": value.get("schema_version"),
                "aiperf_version": value.get("aiperf_version"),
                "metadata": value.get("metadata"),
                "run_info": {"variation_values": parameters if isinstance(parameters, dict) else {}},
                "metrics": metrics if isinstance(metrics, dict) else {},
            },
        )


def _point(value: dict[str, Json], metrics: Mapping[str, Json], metadata: Fields) -> Point:
    blocks: dict[str, Json] = {}
    for name, figures in metrics.items():
        key, _, statistic = name.rpartition("_")
        if statistic in _STATISTICS and isinstance(figures, dict):
            blocks.setdefault(key, {"unit": figures.get("unit")})[statistic] = figures.get("mean")
    kept: dict[str, Json] = {name: value[name] for name in _KEPT if name in value}
    config = metadata.row.get("benchmark_config") or metadata.row.get("config")
    point = read_summary({**blocks, **kept, "input_config": config}, "aiperf-aggregate")
    return replace(point, facts={**point.facts, **spread(value)}, raw=value)


def spread(value: dict[str, Json]) -> dict[str, Json]:
    """How many runs an aggregate is over, and the confidence intervals of a few figures."""
    metadata, metrics = Fields(value).inner("metadata").row, Fields(value).inner("metrics").row
    facts: dict[str, Json] = {name: metadata[name] for name in _TOLD if metadata.get(name) not in (None, [])}
    facts["confidence_intervals"] = {
        name: [figures.get(end) for end in _INTERVAL]
        for name in _SHOWN
        if isinstance(figures := metrics.get(name), dict)
    }
    return facts
