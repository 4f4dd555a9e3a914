"""One config whole: recipe and offload in words, its points over concurrency, its twins and its runs."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from app.catalog.dimensions import DIMENSIONS
from app.details.row import Document, Row, api_row
from app.details.standing import series_view
from app.details.words import dimension_documents, layout_document, offload_document, recipe_words
from app.store.read import Snapshot
from app.view import View

_SHARED = ("model", "chip", "chip_count", "engine", "orchestrator", "precision", "spec", "layout", "disaggregated")


def config_document(snapshot: Snapshot, config_id: str, view: View) -> Document | None:
    """The document of a config, or None where the snapshot holds no point of it."""
    prices = snapshot.prices.resolve(view.price)
    rows = snapshot.siblings(config_id=config_id, prices=prices)
    if not rows:
        return None
    first = min(rows, key=lambda row: (row["newest_rank"], row["row"]))
    whole = snapshot.point(first["id"])
    detail = whole["detail"] if whole else {}
    return {
        "snapshot": snapshot.id,
        "id": config_id,
        "recipe_id": first["recipe_id"],
        "title": recipe_words(first),
        "offload_label": first["offload_label"],
        "offload": offload_document(first["offload_label"], detail["offload"]),
        "layout": layout_document(first["layout"], detail["layout"]),
        "dimensions": [entry for entry in dimension_documents(first) if entry["key"] in _SHARED],
        "engine_versions": sorted({row["engine_version"] for row in rows if row["engine_version"]}),
        "workloads": [_workload(group, view) for group in _grouped(rows, "workload", "origin")],
        "twins": _twins(first, rows, snapshot.siblings(newest=True, recipe_id=first["recipe_id"], prices=prices)),
        "runs": [_run(group) for group in _grouped(rows, "run")],
        "prices": prices.name_version,
    }


def _grouped(rows: Iterable[Row], *keys: str) -> list[list[Row]]:
    """Rows by their values of `keys`, in the order of the catalog."""

    def place(row: Row) -> tuple[object, ...]:
        return tuple(DIMENSIONS[key].order(row[key]) for key in keys)

    return [list(group) for _, group in groupby(sorted(rows, key=place), key=place)]


def _workload(rows: list[Row], view: View) -> Document:
    """The config on one workload: one point a concurrency, and every repeat among `repeats`."""
    first = rows[0]
    newest = [row for row in rows if row["newest_rank"] == 1]
    return {
        "workload": first["workload"],
        "label": DIMENSIONS["workload"].label_of(first["workload"]),
        "origin": first["origin"],
        "query": series_view(first, view).query(),
        "points": [api_row(row) for row in newest],
        "repeats": [api_row(row) for row in rows if row["newest_rank"] != 1],
    }


def _twins(first: Row, rows: Sequence[Row], recipe: Sequence[Row]) -> list[Document]:
    """Other configs of the recipe, those that share most load levels first, each with its points."""
    levels = {(row["workload"], row["origin"], row["concurrency"]) for row in rows}
    found: dict[str, list[Row]] = {}
    for row in recipe:
        if row["config_id"] != first["config_id"]:
            found.setdefault(row["config_id"], []).append(row)
    twins = [
        {
            "id": config_id,
            "offload_label": members[0]["offload_label"],
            "offload_mode": members[0]["offload_mode"],
            "offload_kind": members[0]["offload_kind"],
            "shared": sum((row["workload"], row["origin"], row["concurrency"]) in levels for row in members),
            "points": [api_row(row) for row in members],
        }
        for config_id, members in found.items()
    ]
    return sorted(twins, key=lambda twin: (-twin["shared"], twin["id"]))


def _run(rows: list[Row]) -> Document:
    first = rows[0]
    return {
        "run": first["run"],
        "label": first["run_label"],
        "time": max((row["run_time"] for row in rows if row["run_time"]), default=None),
        "source": first["source"],
        "origin": first["origin"],
        "points": [row["id"] for row in rows],
    }
