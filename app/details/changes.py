"""What changed between two snapshots as a document: counts, the metrics that moved, and some points in full."""

from app.catalog.metrics import METRICS
from app.changes.between import Changes, Entry
from app.details.row import Document

_WHAT = ("model", "workload", "chip", "engine", "precision", "concurrency", "run", "origin")


def changes_document(found: Changes, start: int, limit: int) -> Document:
    """Everything but the cursor. `changes` holds `limit` of the entries behind the first `start`."""
    return {
        "snapshot": found.later.id,
        "from": found.earlier.id,
        "to": found.later.id,
        "prices": found.prices.name_version,
        "counts": dict(found.counts),
        "demo_left_aside": found.demo,
        "metrics": [
            {
                "metric": item.key,
                "label": METRICS[item.key].label,
                "unit": METRICS[item.key].unit,
                "points": item.points,
                "up": item.up,
                "down": item.down,
                "median_change": item.middle,
            }
            for item in found.metrics
        ],
        "count": found.total,
        "changes": [_entry(entry) for entry in found.entries(start, limit)],
    }


def _entry(entry: Entry) -> Document:
    return {
        "id": entry.id,
        "kind": entry.kind,
        "point": {name: entry.row[name] for name in _WHAT},
        "numbers": [
            {
                "metric": number.metric.key,
                "unit": number.metric.unit,
                "before": number.before,
                "after": number.after,
                "change": number.change,
                "better": number.better,
            }
            for number in entry.numbers
        ],
        "words": [{"name": word.name, "before": word.before, "after": word.after} for word in entry.words],
    }
