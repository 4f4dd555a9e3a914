"""Everything that a view says, in one document: what `/api/v1/report` answers and every other form is made of."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from app.catalog.prices import PriceTable
from app.compare.compare import Comparison, compare_chart
from app.details.attributed import attributions
from app.details.compare import METHOD as COMPARE_METHOD
from app.details.compare import compare_document
from app.details.curves import frontier_document
from app.details.row import Document
from app.details.study import study_document
from app.details.words import flag_documents
from app.question import Question, settled
from app.report.links import links_of
from app.series import Chart, chart
from app.study.study import Study, study

VERSION = 1
"""Of the document's shape. Keys may be added under a version; none goes or changes its type."""

METHOD = (
    "A frontier holds the points that nothing else of their series beats on both axes. It never crosses a model, a "
    "workload or an origin (measured, predicted, published, synthetic), and is computed before any rounding.",
    "Interactivity is 1 / latency at the same percentile: p90 is the slow tail.",
    "Per-chip figures divide by all chips. Shares of memory tiers are of all prompt tokens.",
    "What a result does not report is missing, never zero: points that lack an axis are left out and counted.",
    "A halo marks a point that used KV-cache offload; a notch, parameter offload.",
)
"""How the numbers come about, sentence by sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A view answered: what is drawn, compared and studied, all of one group."""

    question: Question
    placed: Chart
    comparison: Comparison
    study: Study


def report(question: Question) -> Report:
    placed = chart(question)
    return Report(question=question, placed=placed, comparison=compare_chart(placed), study=study(question))


def report_document(found: Report, *, made: str | None = None, base: str = "") -> Document:
    """The report as JSON. `made` is when, where a file says so; `base` is the address that links begin with."""
    question = found.question
    curves = frontier_document(found.placed)
    compared = compare_document(found.comparison)
    readings: dict[str, list[Document]] = {}
    for reading in compared["readings"]:
        for cell in reading["cells"]:
            readings.setdefault(cell["series"], []).append({"x": reading["x"], **cell})
    points = [point for series in curves["series"] for point in series["points"]]
    return {
        "version": VERSION,
        "snapshot": question.snapshot.id,
        "made": made,
        "view": settled(question).query(),
        "title": question.title,
        "group": curves["group"],
        "axes": curves["axes"],
        "prices": prices_document(question.prices),
        "notes": curves["notes"],
        "counts": {
            "points": found.placed.total,
            "placed": len(found.placed.row),
            "on_frontier": int(found.placed.frontier.sum()) if found.placed.has_frontier else 0,
            "with_kv_offload": int(found.placed.has_halo.sum()),
            "with_parameter_offload": int(found.placed.has_notch.sum()),
        },
        "has_frontier": curves["has_frontier"],
        "series": [{**series, "readings": readings.get(series["key"], [])} for series in curves["series"]],
        "left_out": curves["left_out"],
        "compare": compared,
        "offload": study_document(found.study),
        "flags": _flags(points),
        "attributions": [{"text": each.text, "href": each.href} for each in attributions(question)],
        "runs": _runs(found),
        "method": [*METHOD, *COMPARE_METHOD],
        "links": links_of(question, base),
    }


def prices_document(prices: PriceTable) -> Document:
    return {"table": prices.name_version, "source": prices.source, "date": prices.date}


def flags_of(found: Report) -> list[Document]:
    """Every doubt about a point of the report, in words, with the points it is about."""
    return _flags([point for series in frontier_document(found.placed)["series"] for point in series["points"]])


def _flags(points: list[Document]) -> list[Document]:
    """Every doubt about a listed point, in words, with the points it is about."""
    of: dict[str, list[str]] = {}
    for point in points:
        for key in dict.fromkeys(point["flags"]):
            of.setdefault(key, []).append(point["id"])
    return [{**told, "points": of[told["key"]]} for told in flag_documents(sorted(of))]


def _runs(found: Report) -> list[Document]:
    """Where the points come from."""
    question = found.question
    columns = ("run", "run_label", "run_time", "source", "origin")
    rows = [int(row) for row in found.placed.row]
    picked: dict[str, list[Any]] = question.snapshot.pick(rows, columns, question.selection)
    counted = Counter(zip(*(picked[name] for name in columns), strict=True))
    return [
        {**dict(zip(columns, values, strict=True)), "points": count}
        for values, count in sorted(counted.items(), key=lambda item: tuple(str(part) for part in item[0]))
    ]
