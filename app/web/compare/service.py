"""The table of service levels as text: what meets every bound, chip by chip, and by how much others miss."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog.metrics import Metric
from app.compare.compare import Comparison
from app.compare.service import Class, Level
from app.report.text import config_text, miss_text
from app.web.blocks.metrics import metric_text


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLine:
    """A chip and engine: the config that meets every level, or the nearest miss, told metric by metric."""

    label: str
    counts: str
    verdict: str
    id: str
    config: str
    config_id: str
    concurrency: str
    own: tuple[str | None, ...]
    """The axes that no level is on."""
    values: tuple[tuple[str | None, str], ...]
    """A value a level, and by how much it misses; empty where it holds."""


def service_lines(found: Comparison) -> tuple[ServiceLine, ...]:
    if found.service is None:
        return ()
    return tuple(_service_line(found, one, found.service.levels) for one in found.service.classes)


def _service_line(found: Comparison, one: Class, levels: Sequence[Level]) -> ServiceLine:
    told = one.best or one.nearest
    counts = [f"{one.meeting} of {one.meeting + one.failing + one.unknown}"]
    if one.unknown:
        counts.append(f"{one.unknown} unknown")
    verdict = "meets" if one.best else "misses" if one.nearest else "unknown"
    if told is None:
        return ServiceLine(
            label=one.label,
            counts=", ".join(counts),
            verdict=verdict,
            id="",
            config="",
            config_id="",
            concurrency="",
            own=(),
            values=tuple((None, "") for _ in levels),
        )
    fact = told.fact
    return ServiceLine(
        label=one.label,
        counts=", ".join(counts),
        verdict=verdict,
        id=told.id,
        config=config_text(told),
        config_id=fact["config_id"],
        concurrency=f"{fact['concurrency']:g}" if fact["concurrency"] is not None else "not reported",
        own=tuple(metric_text(metric, fact[metric.key]) for metric in own_heads(found, levels)),
        values=tuple((metric_text(level.metric, fact[level.metric.key]), miss_text(told, level)) for level in levels),
    )


def own_heads(found: Comparison, levels: Sequence[Level]) -> tuple[Metric, ...]:
    """The axes of the view, y first, that no level is on: those stand in columns of their own."""
    bound = [level.metric for level in levels]
    return tuple(metric for metric in (found.question.y, found.question.x) if metric not in bound)
