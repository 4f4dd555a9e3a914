"""How long to wait before asking another machine again, and when to stop asking."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version

AGAIN = (429, 502, 503, 504)
"""Answers that say: not now."""
TRIES = 5
LONGEST_S = 120.0
"""Whoever asks to wait longer is asked another day."""
_FIRST_S = 0.5

AGENT = f"Halo/{version('halo-dashboard')} (halo-dashboard; benchmark results)"


def wait_s(attempt: int, headers: Mapping[str, str] | None = None) -> float | None:
    """Seconds before attempt number `attempt + 1`, counted from 0; None when there is to be none.

    What `Retry-After` asks for is kept, never shortened.
    """
    if attempt + 1 >= TRIES:
        return None
    asked = _asked((headers or {}).get("retry-after", ""))
    wait = max(asked, _FIRST_S * 2**attempt) if asked is not None else _FIRST_S * 2**attempt
    return wait if wait <= LONGEST_S else None


def why_no_longer(headers: Mapping[str, str] | None) -> str:
    """What to add where an answer asks for more patience than there is; else empty."""
    told = (headers or {}).get("retry-after", "")
    asked = _asked(told)
    if asked is None or asked <= LONGEST_S:
        return ""
    unit = " s" if told.strip().isdigit() else ""
    return f", and asks to wait {told}{unit}, longer than the {LONGEST_S:g} s that Halo waits"


def _asked(text: str) -> float | None:
    """`Retry-After` in seconds, from a number or a date."""
    if text.strip().isascii() and text.strip().isdigit():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def pause(seconds: float) -> None:
    time.sleep(seconds)
