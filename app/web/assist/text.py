"""An answer in a few lines, for assistants that read no structured content and for people who look on."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from app.catalog.dimensions import DIMENSIONS, NOT_REPORTED
from app.catalog.metrics import CONCURRENCY, METRICS, Metric
from app.details.row import Document
from app.web.assist.arguments import Call
from app.web.blocks.numbers import percent, significant

_LINES = 20
_METRICS = 5
_WORDS = ("model", "workload", "chip", "engine", "precision", CONCURRENCY)


def lines(call: Call, found: Document) -> list[str]:
    """What was found, item by item up to a few, and where to look."""
    told = list(_TEXTS[call.tool.name](found))
    shown = told[: _LINES + 1]
    if len(told) > len(shown):
        shown.append(f"… and {len(told) - len(shown)} more in the structured content.")
    links = found["links"]
    if "snapshot" in found:
        frozen = f"; frozen in snapshot {found['snapshot']}: {links['page_frozen']}"
        return [*shown, f"Page: {links['page']}{frozen}"]
    return [*shown, f"Page: {links['page']}"]


def _vocabulary(found: Document) -> Iterator[str]:
    if "keys" in found:
        yield "Keys by part; ask a part by name for what its words mean."
        for name, keys in found["keys"].items():
            listed = keys if isinstance(keys, list) else [f"{key}: {' '.join(words)}" for key, words in keys.items()]
            yield f"{name}: {', '.join(listed)}"
        return
    for name, value in found.items():
        if name not in ("links", "other_parts"):
            yield f"{name}: {len(value)} entries"


def _points(found: Document) -> Iterator[str]:
    more = "; `next` goes on" if found["next"] else ""
    yield f"{len(found['rows'])} of {found['count']} points{more}."
    for row in found["rows"]:
        words = " · ".join(_word(key, row[key]) for key in _WORDS if key in row)
        yield f"{row['id']}: {' · '.join(filter(None, (words, row.get('offload_label'), _measured(row))))}"


def _point(found: Document) -> Iterator[str]:
    yield f"{found['id']}: {found['title']} · {found['offload_label']}"
    yield _measured(found)
    for flag in found["flags"]:
        yield f"Flag: {flag['label']}"


def _frontier(found: Document) -> Iterator[str]:
    y, x = (found["axes"][key]["label"] for key in ("y", "x"))
    yield " ".join((f"{y} against {x}: {found['count']} points.", *found["notes"]))
    for series in found["series"]:
        for point in series["points"]:
            place = f"{_value(METRICS[found['y']], point['y'])} at {_value(METRICS[found['x']], point['x'])}"
            yield f"{point['id']}: {series['label']} · {place} · {point['offload_label']}"


def _compare(found: Document) -> Iterator[str]:
    base = f"Ratios are to {found['base']}." if found["base"] else ""
    yield " ".join(filter(None, (f"{found['title']}.", base, *found["notes"])))
    for reading in found.get("readings", ()):
        for cell in reading["cells"]:
            told = [
                f"{METRICS[one['key']].label} {_value(METRICS[one['key']], one['value'])}{_ratio(one['ratio'])}"
                for one in cell["values"]
                if one["value"] is not None
            ]
            place = f"{found['x']['label']} {_value(METRICS[found['x']['key']], reading['x'])}"
            yield f"{cell['series']} at {place}: {', '.join((cell['state'], *told[:_METRICS]))}"
    for one in (found.get("service") or {}).get("classes", ()):
        yield f"{one['label']}: {'best is ' + one['best']['id'] if one['best'] else 'none meets the service levels'}"


def _ratio(value: float | None) -> str:
    return "" if value is None else f" ({value:.2f} times)"


def _study(found: Document) -> Iterator[str]:
    yield " ".join((f"{found['title']}.", *found["notes"]))
    for verdict in found.get("verdicts", ()):
        yield f"{verdict['recipe']} · {verdict['offload']}: {verdict['text']}"
    for name, value in found.items():
        if name in ("pairs", "not_compared", "gains", "nvme", "arms", "series"):
            yield f"{name}: {len(value)} entries"


_TEXTS = {
    "vocabulary": _vocabulary,
    "points": _points,
    "point": _point,
    "frontier": _frontier,
    "compare": _compare,
    "offload_study": _study,
}


def _word(key: str, value: Any) -> str:
    if value is None:
        return NOT_REPORTED
    return f"{value:g} at once" if key == CONCURRENCY else DIMENSIONS[key].label_of(str(value))


def _measured(row: Document) -> str:
    found = (
        metric for metric in METRICS if metric.axis and metric.key != CONCURRENCY and row.get(metric.key) is not None
    )
    return ", ".join(f"{metric.label} {_value(metric, row[metric.key])}" for metric in islice(found, _METRICS))


def _value(metric: Metric, value: float) -> str:
    return percent(value) if metric.is_share else f"{significant(value)} {metric.unit or ''}".rstrip()
