"""Numbers of a report as text."""

from app.catalog.metrics import Metric


def value_text(metric: Metric, value: float | None, *, unit: bool = False) -> str:
    """A value to the metric's own digits; a dash where it is not known."""
    if value is None:
        return "–"
    text = f"{100 * value if metric.is_share else value:,.{metric.digits}f}"
    return f"{text} {metric.unit}" if unit else text


def ratio_text(ratio: float | None) -> str | None:
    return None if ratio is None else f"{ratio:.2f}×"
