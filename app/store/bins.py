"""How finely things are told: round stretches of time, and bins of equal width on a log scale."""

import math

BUCKETS = 60
"""About so many stretches of time a run is told in."""
_WIDTHS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0)
_PER_DECADE = (40, 20, 10, 5, 2, 1)
"""Bins in a decade."""
_COARSE = 5
"""Of whole numbers below ten, so that none of the bins is empty for lack of numbers in it."""
_MOST = 32


def per_decade(low: float, most: float, count: int, *, whole: bool) -> int:
    """Bins in a decade: as many as can be told apart, and fewer where there are few values."""
    bins = min(_MOST, max(6, 2 * math.isqrt(count)))
    span = math.log10(most) - math.log10(low) if low > 0 else 0.0
    found = next((n for n in _PER_DECADE if span * n <= bins - 1), 1)
    return min(found, _COARSE) if whole else found


def width_for(span: float, buckets: int = BUCKETS) -> float:
    """Seconds that part a span into about so many stretches, in numbers that a clock has."""
    return next((width for width in _WIDTHS if width * buckets >= span), math.ceil(span / buckets / 3600) * 3600.0)
