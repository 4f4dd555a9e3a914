"""Times of day by a load generator's clock."""

from datetime import UTC, datetime


def moment(seconds: float | None) -> str | None:
    """Seconds since 1970 as ISO 8601 in UTC; None for what no calendar holds."""
    try:
        return None if not seconds else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return None
