"""Numbers of a report as text."""

from app.catalog.metrics import Metric
from app.compare.service import Candidate, Level


def value_text(metric: Metric, value: float | None, *, unit: bool = False) -> str:
    """A value to the metric's own digits; a dash where it is not known."""
    if value is None:
        return "–"
    text = f"{100 * value if metric.is_share else value:,.{metric.digits}f}"
    return f"{text} {metric.unit}" if unit else text


def ratio_text(ratio: float | None) -> str | None:
    return None if ratio is None else f"{ratio:.2f}×"


def config_text(candidate: Candidate) -> str:
    """Parallelism and offload of a point: what tells its config from others of its chip and engine."""
    return " · ".join(part for part in (candidate.fact["layout"], candidate.fact["offload_label"]) if part)


def miss_text(candidate: Candidate, level: Level) -> str:
    """`12 % too high`; empty where the level holds."""
    miss = next((miss for miss in candidate.misses if miss.level == level), None)
    return f"{miss.by * 100:.2g} % too {'high' if level.at_most else 'low'}" if miss else ""
