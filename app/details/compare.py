"""A comparison as one document: every number with how it was come by and the points it is of."""

from collections.abc import Sequence

from app.catalog.metrics import Metric
from app.compare.area import Area
from app.compare.compare import Comparison
from app.compare.lines import Line
from app.compare.matched import Load
from app.compare.readings import Cell, Value
from app.compare.service import Candidate, Class, Service
from app.curve import Span
from app.details.row import Document
from app.noise import CONFIDENCE, DRAWS, ENOUGH, SAME, Interval
from app.question import GROUP

METHOD = (
    "A reading is measured where a frontier has a point at that x, else interpolated on the straight line between its "
    "two neighbouring frontier points, which are named. Outside the range of a frontier nothing is told.",
    "Between two points, throughput goes straight. Cost, tokens per dollar, throughput per megawatt and energy follow "
    "from that throughput and from price, power or measured power per chip, which go straight as well; energy only "
    "between two points that both measured it.",
    "Scales change no number: on a log axis the drawn segment bends away from what is read.",
    "The area under a frontier is taken over the stretch in common, under the same line that readings go along.",
    f"Repeats give least and most, and from {ENOUGH} on the bootstrap interval of their mean at {CONFIDENCE:.0%} "
    f"({DRAWS:,} draws, fixed seed). Where intervals overlap, a difference is noise; where neither side has repeats, "
    f"one below {SAME:.0%} is called the same.",
)
"""How the numbers of a comparison are made, sentence by sentence."""


def compare_document(found: Comparison) -> Document:
    question = found.question
    chosen = {"model": question.models, "workload": question.workloads, "origin": question.origins}
    return {
        "snapshot": question.snapshot.id,
        "title": question.title,
        "group": {key: list(chosen[key]) for key in GROUP},
        "x": _metric(question.x),
        "y": _metric(question.y),
        "prices": question.prices.name_version,
        "notes": [*question.notes, *found.notes],
        "method": list(METHOD),
        "base": found.base.key if found.base else None,
        "series": [_series(line) for line in found.lines],
        "hidden": list(found.hidden),
        "columns": [_metric(metric) for metric in found.columns],
        "readings": [
            {"x": x, "chosen": found.chosen, "cells": [_cell(cell) for cell in found.at(x)]} for x in found.readings
        ],
        "area": {
            "common": _span(found.areas.common),
            "rows": [_area(area) for area in found.areas.rows],
        },
        "service": _service(found.service, found) if found.service else None,
        "matched": {
            "concurrencies": list(found.matched.levels),
            "rows": [
                {"series": line.key, "cells": [_load(load) if load else None for load in loads]}
                for line, loads in found.matched.rows
            ],
            "without_concurrency": found.matched.without,
            "left_out": found.matched.left,
        },
    }


def _metric(metric: Metric) -> Document:
    return {"key": metric.key, "label": metric.label, "unit": metric.unit, "better": metric.better}


def _span(span: Span | None) -> list[float] | None:
    return list(span) if span else None


def _series(line: Line) -> Document:
    return {
        "key": line.key,
        "label": line.label,
        "origin": line.series.origin,
        "values": dict(line.series.values),
        "points": len(line.series.members),
        "frontier": [{"id": corner.id, "x": corner.x, "y": corner.y} for corner in line.corners],
        "range": _span(line.span),
        "definitions": list(line.definitions),
    }


def _cell(cell: Cell) -> Document:
    return {
        "series": cell.line.key,
        "state": cell.state,
        "points": list(cell.points),
        "way": cell.way,
        "range": _span(cell.line.span),
        "values": [_value(value) for value in cell.values],
        "interval": list(cell.bounds) if cell.bounds else None,
        "repeats": _repeats(cell.intervals),
        "difference": cell.told,
    }


def _value(value: Value) -> Document:
    return {
        "key": value.metric.key,
        "value": value.value,
        "how": value.how,
        "ratio": value.ratio,
        "why": value.why or None,
    }


def _repeats(intervals: Sequence[Interval | None]) -> list[Document | None]:
    return [interval_document(interval) for interval in intervals]


def interval_document(interval: Interval | None) -> Document | None:
    if interval is None:
        return None
    return {
        "n": interval.n,
        "low": interval.low,
        "high": interval.high,
        "mean": list(interval.mean) if interval.mean else None,
    }


def _area(area: Area) -> Document:
    return {
        "series": area.line.key,
        "common": _span(area.common),
        "area": area.area,
        "mean": area.mean,
        "base_area": area.base,
        "ratio": area.ratio,
        "whole": area.whole,
        "why": area.why or None,
    }


def _service(service: Service, found: Comparison) -> Document:
    return {
        "levels": [
            {**_metric(level.metric), "bound": "at most" if level.at_most else "at least", "value": level.value}
            for level in service.levels
        ],
        "meeting": list(service.meeting),
        "counts": {"meeting": len(service.meeting), "failing": service.failing, "unknown": service.unknown},
        "missing": [{"key": metric.key, "count": count} for metric, count in service.missing],
        "classes": [_class(one, service, found) for one in service.classes],
    }


def _class(one: Class, service: Service, found: Comparison) -> Document:
    return {
        "label": one.label,
        "values": dict(one.values),
        "counts": {"meeting": one.meeting, "failing": one.failing, "unknown": one.unknown},
        "best": _candidate(one.best, service, found) if one.best else None,
        "nearest": _candidate(one.nearest, service, found) if one.nearest else None,
    }


def _candidate(candidate: Candidate, service: Service, found: Comparison) -> Document:
    fact = candidate.fact
    return {
        "id": candidate.id,
        "config_id": fact["config_id"],
        "series": candidate.series,
        "concurrency": fact["concurrency"],
        "offload": fact["offload_label"],
        "x": fact[found.question.x.key],
        "y": fact[found.question.y.key],
        "values": {level.metric.key: fact[level.metric.key] for level in service.levels},
        "misses": [{"key": miss.level.metric.key, "value": miss.value, "by": miss.by} for miss in candidate.misses],
    }


def _load(load: Load) -> Document:
    return {
        "id": load.id,
        "value": load.value,
        "count": load.count,
        "ratio": load.ratio,
        "interval": interval_document(load.interval),
        "difference": load.told,
        "why": load.why or None,
    }
