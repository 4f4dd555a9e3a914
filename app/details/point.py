"""One point whole: every field, where it comes from, what is doubtful about it, and what belongs beside it."""

from app.catalog.places import sender_of
from app.catalog.token_bytes import token_bytes_of
from app.details.misses import misses_document
from app.details.nvme import nvme_document
from app.details.pools import pools_document
from app.details.row import Document, Row, api_row
from app.details.standing import standing_of
from app.details.traffic import traffic_document
from app.details.twin import twins_of
from app.details.words import (
    cache_document,
    dimension_documents,
    flag_documents,
    layout_document,
    metric_documents,
    offload_document,
    recipe_words,
)
from app.store.read import Snapshot
from app.store.rows import instant
from app.view import View


def point_document(snapshot: Snapshot, point_id: str, view: View) -> Document | None:
    """The document of a point, or None where the snapshot holds no such point.

    It begins with the flat row; `layout` and `flags` are told whole here, by role and with their texts.
    """
    prices = snapshot.prices.resolve(view.price)
    row = snapshot.point(point_id, prices)
    if row is None:
        return None
    detail = row["detail"]
    same = {"workload": row["workload"], "origin": row["origin"], "prices": prices}
    config = snapshot.siblings(newest=True, config_id=row["config_id"], **same)
    recipe = snapshot.siblings(recipe_id=row["recipe_id"], concurrency=row["concurrency"], **same)
    repeats = snapshot.siblings(identity=row["identity"], prices=prices)
    tokens = token_bytes_of(row, detail)
    return {
        "snapshot": snapshot.id,
        "title": recipe_words(row),
        **api_row(row),
        "offload": offload_document(row["offload_label"], detail["offload"]),
        "cache": cache_document(detail["cache"]),
        "pools": pools_document(row, detail, tokens),
        "misses": misses_document(detail["cache"]),
        "traffic": traffic_document(row, detail, tokens),
        "nvme": nvme_document(row, detail, repeats),
        "layout": layout_document(row["layout"], detail["layout"]),
        "dimensions": dimension_documents(row),
        "metrics": metric_documents(row),
        "flags": flag_documents(row["flags"]),
        "facts": detail["facts"],
        "provenance": _provenance(row, snapshot),
        "prices": prices.name_version,
        "standing": standing_of(row, snapshot, view),
        "twins": twins_of(row, recipe),
        "neighbours": _neighbours(row, config),
        "repeats": [api_row(other) for other in sorted(repeats, key=lambda other: other["newest_rank"])],
        "history": _history(snapshot, point_id),
        "raw": row["raw"],
    }


def _provenance(row: Row, snapshot: Snapshot) -> Document:
    """Where the record lay, who read it, what it said of itself and what was supplied for it."""
    detail = row["detail"]
    moment = row["run_time"]
    return {
        "places": [{"place": place, "where": spot} for place, spot in row["places"]],
        "sent_by": sorted({name for place, _ in row["places"] if (name := sender_of(place)) is not None}),
        "source": row["source"],
        "format": detail["format"],
        "reader": row["reader"],
        "run": row["run"],
        "run_label": row["run_label"],
        "run_time": moment,
        "zone_known": None if instant(moment) is None else _has_zone(moment),
        "iteration": row["iteration"],
        "cold": row["cold"],
        "image": detail["facts"].get("image"),
        "n": row["n"],
        "identity": row["identity"],
        "supplied": detail["supplied"],
        "spellings": detail["spellings"],
        "needs": detail["needs"],
        "warnings": detail["warnings"],
        "since": snapshot.names().get(row["since"]),
    }


def _has_zone(text: str) -> bool:
    clock = text.partition("T")[2] or text.partition(" ")[2]
    return clock.endswith(("Z", "z")) or "+" in clock or "-" in clock


def _neighbours(row: Row, config: list[Document]) -> Document:
    """The same config at the next lower and higher concurrency, and at all of them."""
    here = row["concurrency"]
    rated = [other for other in config if other["concurrency"] is not None]
    below = [other for other in rated if here is not None and other["concurrency"] < here]
    above = [other for other in rated if here is not None and other["concurrency"] > here]
    return {
        "before": api_row(below[-1]) if below else None,
        "after": api_row(above[0]) if above else None,
        "all": [{"id": other["id"], "concurrency": other["concurrency"]} for other in config],
    }


def _history(snapshot: Snapshot, point_id: str) -> list[Document]:
    """Former contents of the address, newest first, by the snapshots that they lived in."""
    names = snapshot.names()
    return [
        {"since": names.get(entry["since"]), "until": names.get(entry["until"])}
        for entry in snapshot.history(point_id)
        if entry["until"] is not None
    ]
