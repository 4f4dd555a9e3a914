"""The point of an llm-d benchmark report, whichever its version."""

from dataclasses import replace

from app.catalog.point import Json, Point
from ingest.checks import checked
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured
from ingest.sources.llmd_stack import Stack


def succeeded(requests: Fields) -> tuple[float | None, float | None]:
    """How many requests came through and how many failed, those that were cut off counted as neither."""
    total, failed, cut = (requests.integer(name) for name in ("total", "failures", "incomplete"))
    if total is None:
        return None, failed
    return float(total - (failed or 0) - (cut or 0)), failed


def point_of(
    report: Fields,
    *,
    dialect: str,
    stack: Stack,
    measured: Measured,
    workload: str | None,
    concurrency: float | None,
    run: str | None,
    run_time: str | None,
    facts: dict[str, Json],
) -> Point:
    """The point put together, with every flag that its figures give ground for."""
    point = Point(
        model=stack.model,
        chip=stack.chip,
        chip_count=stack.chip_count,
        layout=stack.layout,
        engine=stack.framework.engine,
        orchestrator=stack.framework.orchestrator,
        engine_version=stack.version,
        precision=stack.precision,
        offload=stack.offload,
        workload=workload,
        concurrency=concurrency,
        run=run,
        run_time=run_time,
        dialect=dialect,
        metrics=measured.metrics,
        interactivity_def=measured.interactivity_def,
        facts={**stack.facts, **facts, **measured.facts},
        spellings=dict(stack.spellings),
        flags=(*stack.flags, *measured.flags, *report.flags),
        warnings=tuple(dict.fromkeys(report.notes)),
        raw=report.row,
    )
    checked_point = checked(point)
    return replace(checked_point, flags=tuple(dict.fromkeys(checked_point.flags)))
