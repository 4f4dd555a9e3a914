"""Offload to flash: how it was read, what that proves, and what a record would have to say besides."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.catalog.metrics import TTFT_MEAN_S, ttft
from app.catalog.offload import ACCESS_PATHS, GDS_STATES, PAGE_CACHE_STATES, TIERS
from app.catalog.point import Json
from app.catalog.vocabulary import Term, Vocabulary
from app.details.row import Document, Row
from app.details.traffic import STORAGE

DEVICE = ("model", "drives", "capacity_bytes", "read_bps", "write_bps", "dwpd", "interface", "raid")
_DIRECT = frozenset({"o_direct", "gds_cufile", "gds_hipfile", "ugds", "nvme_kv"})
_UNKNOWN = "unknown"


def nvme_document(row: Row, detail: Json, repeats: Sequence[Row]) -> Document | None:
    """None where no tier lies on flash."""
    offload = detail["offload"]
    flash = [tier for tier in offload["tiers"] if tier["medium"] in TIERS and TIERS[tier["medium"]].flash]
    if not flash:
        return None
    parameter = "kv" not in offload["kinds"]
    table: Mapping[str, Any] = offload["parameter"] or {}
    own = {name: offload[name] or (table.get(name) if parameter else None) for name in _WORDS}
    media = [tier["medium"] for tier in offload["tiers"]]
    device = detail["facts"].get(STORAGE) or {}
    document: Document = {
        "kinds": list(offload["kinds"]),
        "evidence_for_kv": not parameter,
        "tiers": [
            {
                "medium": tier["medium"],
                "label": TIERS.label(tier["medium"]),
                "text": TIERS[tier["medium"]].text,
                "share": _share(detail["cache"], tier["medium"]),
                "tokens": tier["capacity_tokens"],
                "bytes": tier["capacity_bytes"],
            }
            for tier in flash
        ],
        **{name: _word(words, own[name]) for name, words in _WORDS.items()},
        "staged_through": "host_dram" if "host_dram" in media and not parameter else None,
        "device": {name: device.get(name) for name in DEVICE} if device else None,
        "iterations": [_iteration(other, row["id"]) for other in _ordered(repeats)],
    }
    return {**document, "needed": _needed(own, device, document["iterations"], parameter)}


_WORDS: Mapping[str, Vocabulary[Term]] = {
    "access_path": ACCESS_PATHS,
    "gds": GDS_STATES,
    "page_cache": PAGE_CACHE_STATES,
}


def _word(words: Vocabulary[Term], key: str | None) -> Document:
    """A state with its meaning. What is not reported is unknown, which is a state of its own."""
    term = words.get(key) or words.get(_UNKNOWN)
    return {
        "key": key or _UNKNOWN,
        "reported": key not in (None, _UNKNOWN),
        "label": words.label(key) or (term.label if term else "not reported"),
        "text": term.text if term else "",
    }


def _share(cache: Json, medium: str) -> float | None:
    share: float | None = next((tier["share"] for tier in cache["tiers"] if tier["medium"] == medium), None)
    return share


def _ordered(repeats: Sequence[Row]) -> list[Row]:
    return sorted(repeats, key=lambda row: (row["run_time"] or "", row["iteration"] or 0, row["newest_rank"]))


def _iteration(row: Row, here: str) -> Document:
    return {
        "id": row["id"],
        "here": row["id"] == here,
        "run": row["run_label"] or row["run"],
        "iteration": row["iteration"],
        "cold": bool(row["cold"]) if row["cold"] or row["iteration"] is not None else None,
        ttft("p50"): row[ttft("p50")],
        TTFT_MEAN_S: row[TTFT_MEAN_S],
    }


def _needed(
    own: Mapping[str, Json], device: Mapping[str, Any], iterations: Sequence[Document], parameter: bool
) -> list[str]:
    """What to keep next time, for each thing that this record leaves open."""
    needed = []
    if own["access_path"] is None:
        needed.append("How the files are read: buffered, O_DIRECT, mmap or GDS. The launch command says so.")
    if own["page_cache"] in (None, _UNKNOWN):
        needed.append(
            "Whether the page cache was cold, warm or bypassed: drop it before the run, or read around it, and say so. "
            "Without that a figure of flash may be one of DRAM."
        )
    if own["gds"] in (None, _UNKNOWN, "requested_unverified"):
        needed.append(
            "Whether GPUDirect Storage took effect: the driver's own read counters, since a configured one falls back "
            "without an error."
        )
    if not device:
        needed.append("Which drives, how many, and the bandwidth they reach alone: columns storage_… of a Halo table.")
    if not parameter and all(item["cold"] is None for item in iterations):
        needed.append(
            "Cold and warm iterations apart: in a first pass a prefix cache is filled, in the next it is read, and a "
            "mean of both is neither."
        )
    return needed
