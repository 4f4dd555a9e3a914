"""Numbers of a plan as its page prints them."""

from app.web.blocks.numbers import byte_text, number, significant


def plain(value: float) -> str:
    """A number as a reader would type it, thousands apart."""
    return number(value, 0) if abs(value) >= 1000 or value.is_integer() else f"{value:.4g}"


def duration(seconds: float) -> str:
    """`45 s`, `9 min`, `3.4 h`, `12 days`."""
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{significant(seconds / size, 2)} {unit}"
    return time_text(seconds)


def time_text(seconds: float) -> str:
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{significant(seconds / size, 3)} {unit}"
    return f"{significant(seconds * 1e6, 3)} µs"


def value_text(value: float, unit: str) -> str:
    """A result with its unit."""
    if unit == "B":
        return byte_text(value) if value >= 1e6 else f"{number(value, 0)} B"
    if unit == "s":
        return time_text(value)
    if unit == "tokens":
        return f"{number(value, 0)} tokens"
    return f"{significant(value, 4 if value >= 1000 else 3)} {unit}".strip()
