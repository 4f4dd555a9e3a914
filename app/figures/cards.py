"""What a point's card shows, as columns of the figure: words coded once, numbers as far as a card prints them."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.catalog.dimensions import DIMENSIONS
from app.catalog.flags import flag_words
from app.catalog.metrics import CEILING_SHARE, COMPUTED_SHARE, METRICS, ttft
from app.catalog.offload import TIER_SHARES
from app.figures.figure import Plain, coded, printed_all
from app.question import Question

_WORDS = ("chip", "engine", "precision", "spec", "layout", "run_label", "offload_label", "offload_kind")
_TITLE = ("chip", "chip_count")
_SUB = ("engine", "engine_version", "precision", "spec", "layout")
_EXTRA = tuple(ttft(statistic) for statistic in ("p90", "p50", "mean"))
"""Time to first token, the slow tail first; a card shows the first that is known."""

SHARES = (*TIER_SHARES, COMPUTED_SHARE, CEILING_SHARE)


@dataclass(frozen=True, slots=True)
class Combined:
    """A rate over several tiers at once: it stands in `column`, and the tiers it is over say nothing of their own."""

    column: str
    absent: tuple[str, ...]
    label: str


COMBINED = Combined(TIER_SHARES[-1], TIER_SHARES[:2], "combined")

COLUMNS: tuple[str, ...] = (
    "id",
    "interactivity_def",
    "chip_count",
    "engine_version",
    "flags",
    "concurrency",
    *_WORDS,
    *_EXTRA,
    *SHARES,
)


def columns(question: Question, picked: dict[str, list[Any]], dots: NDArray[np.int64]) -> Plain:
    """What cards show beyond the dot traces, which give id, place, series and standing: entries in their order.

    `dots` are places in the picked columns. A column in which nothing is known is left out.
    """
    rows = dots.tolist()

    def column(name: str) -> list[Any]:
        values = picked[name]
        return [values[row] for row in rows]

    flags = column("flags")
    words = {
        "title": _each(_title, zip(*map(column, _TITLE), strict=True)),
        "sub": _each(_sub, zip(*map(column, _SUB), strict=True)),
        "offload": column("offload_label"),
        "kind": column("offload_kind"),
        "run": column("run_label"),
        "doubts": [flag_words(own) or None for own in flags],
    }
    numbers = {name: column(name) for name in dict.fromkeys(("concurrency", *SHARES))} | _first_known(question, column)
    return {
        "flags": [len(own) for own in flags],
        "words": {name: coded(values) for name, values in words.items()},
        "numbers": {
            name: printed_all(values, METRICS[name].digits, share=METRICS[name].is_share)
            for name, values in numbers.items()
            if any(value is not None for value in values)
        },
    }


def _each(words: Callable[..., str], rows: Iterable[tuple[Any, ...]]) -> list[str]:
    """The words of each row; rows that are alike are worded once."""
    known = cache(words)
    return [known(*row) for row in rows]


def _extras(question: Question) -> list[str]:
    return [key for key in _EXTRA if key not in (question.x.key, question.y.key)]


def _first_known(question: Question, column: Callable[[str], list[Any]]) -> dict[str, list[Any]]:
    """Of numbers of which a card shows the first that is known, only that one."""
    found: dict[str, list[Any]] = {}
    for key in _extras(question):
        earlier = list(found.values())
        found[key] = [
            None if any(values[row] is not None for values in earlier) else value
            for row, value in enumerate(column(key))
        ]
    return found


def layout(question: Question) -> Plain:
    """How a card is laid out: labels and units of its numbers, and the tiers of its bar, fastest first."""
    numbers = [
        {"column": name, "label": metric.label, "unit": metric.unit, "digits": metric.digits, "share": metric.is_share}
        for name, metric in (("y", question.y), ("x", question.x))
    ]
    numbers.append(_number("concurrency"))
    numbers += [{**_number(key), "first_of": "ttft"} for key in _extras(question)]
    tiers = [
        {"column": share, "label": METRICS[share].label.removesuffix(" share"), "tier": share.removesuffix("_share")}
        for share in TIER_SHARES
    ]
    computed, ceiling = (
        {"column": share, "label": METRICS[share].label.removesuffix(" share").lower()}
        for share in (COMPUTED_SHARE, CEILING_SHARE)
    )
    return {"numbers": numbers, "tiers": tiers, "computed": computed, "ceiling": ceiling, "combined": asdict(COMBINED)}


def _number(key: str) -> Plain:
    metric = METRICS[key]
    return {
        "column": key,
        "label": metric.label,
        "unit": metric.unit,
        "digits": metric.digits,
        "share": metric.is_share,
    }


def _title(chip: str | None, count: int | None) -> str:
    name = DIMENSIONS["chip"].label_of(chip) if chip is not None else "Chip not reported"
    return f"{name} × {count}" if count else name


def _sub(
    engine: str | None, version: str | None, precision: str | None, spec: str | None, arrangement: str | None
) -> str:
    parts = [DIMENSIONS["engine"].label_of(engine) if engine else "engine not reported"]
    if version:
        parts[0] += f" {version}"
    if precision:
        parts.append(DIMENSIONS["precision"].label_of(precision))
    if spec and spec != "none":
        parts.append(DIMENSIONS["spec"].label_of(spec))
    if arrangement:
        parts.append(arrangement)
    return " · ".join(parts)
