"""The traffic of a point's KV offload: what moved, how fast, and what its throughput asks of links and drives."""

from collections.abc import Mapping, Sequence
from typing import Any

from app import traffic
from app.catalog.chips import CHIPS
from app.catalog.links import LINKS, NETWORK, USUAL_DRIVE, Link
from app.catalog.metrics import COMPUTED_SHARE, DURATION_S, INPUT_TPUT, OUTPUT_TPUT
from app.catalog.offload import SHARE_OF_PROMPT, TIERS
from app.catalog.point import Json
from app.catalog.token_bytes import TokenBytes
from app.details.moved import Flow, flows_of, waits_of
from app.details.row import Document, Row
from app.plan import formulas

STORAGE = "storage"
"""The fact that holds what is known of the drives: model, drives, capacity_bytes, read_bps, write_bps, dwpd."""


def traffic_document(row: Row, detail: Json, tokens: TokenBytes | None) -> Document | None:
    """None where the point used no KV offload."""
    offload, cache = detail["offload"], detail["cache"]
    if "kv" not in offload["kinds"]:
        return None
    below = [tier["medium"] for tier in offload["tiers"] if tier["medium"] != "hbm"]
    flows = flows_of(cache["counters"], below)
    loaded, stored = (_total(flows, way) for way in ("load", "store"))
    storage = detail["facts"].get(STORAGE) or {}
    return {
        "flows": [_flow(flow, row[DURATION_S]) for flow in flows],
        "waits": [
            {"key": w.key, "label": w.label, "seconds": w.seconds, "times": w.times, "counters": list(w.names)}
            for w in waits_of(cache["counters"])
        ],
        "loaded_bytes": loaded,
        "stored_bytes": stored,
        "write_amplification": (
            traffic.write_amplification(stored, loaded) if loaded is not None and stored is not None else None
        ),
        "cross_check": _cross_check(flows, cache, tokens),
        "required": _required(row, cache, tokens, storage),
        "write": _write(row, flows, below, tokens, storage),
        "bytes_per_token": tokens.document() if tokens else None,
    }


def _total(flows: Sequence[Flow], way: str) -> float | None:
    """Bytes over all memories. What lies behind host memory passes through it, so only the nearest counts."""
    known = [flow.bytes for flow in flows if flow.way == way and flow.bytes is not None]
    return known[0] if known else None


def _flow(flow: Flow, duration: float | None) -> Document:
    each = flow.bytes / flow.operations if flow.bytes is not None and flow.operations else None
    return {
        "way": flow.way,
        "medium": flow.medium,
        "label": TIERS.label(flow.medium),
        "bytes": flow.bytes,
        "operations": flow.operations,
        "tokens": flow.tokens,
        "seconds": flow.seconds,
        "bytes_per_operation": each,
        "bytes_per_s_busy": flow.bytes / flow.seconds if flow.bytes is not None and flow.seconds else None,
        "bytes_per_s_mean": flow.bytes / duration if flow.bytes is not None and duration else None,
        "counters": flow.names,
        "notes": flow.notes,
    }


def _cross_check(flows: Sequence[Flow], cache: Json, tokens: TokenBytes | None) -> Document:
    """Loaded bytes against what the tokens that came from below HBM weigh: the two are counted apart."""
    loads = [flow for flow in flows if flow.way == "load" and flow.bytes]
    counted = sum(t["tokens"] for t in _below(cache) if t["tokens"])
    document: Document = {
        "state": "unknown",
        "loaded_bytes": loads[0].bytes if loads else None,
        "tokens": counted or None,
        "counted": None,
        "expected": tokens.value if tokens else None,
        "copies": None,
        "formula": "loaded bytes / tokens from below HBM, against bytes a token × copies",
    }
    if not loads or not counted or loads[0].bytes is None:
        return document
    document["counted"] = traffic.bytes_per_token(loads[0].bytes, counted)
    if tokens is None or document["counted"] is None:
        return document
    copies = traffic.agreeing_copies(document["counted"], tokens.value, tokens.copies)
    if copies is None and not tokens.stated:
        halved = traffic.agreeing_copies(document["counted"], tokens.value / 2, tokens.copies)
        document["state"] = "unknown" if halved is not None else "disagrees"
        return document
    return {**document, "state": "disagrees" if copies is None else "agrees", "copies": copies}


def _below(cache: Json) -> list[Mapping[str, Any]]:
    """Tiers whose tokens came from below HBM."""
    return [
        tier
        for tier in cache["tiers"]
        if tier["medium"] not in ("hbm", "unattributed") and tier["denominator"] == SHARE_OF_PROMPT
    ]


def _required(row: Row, cache: Json, tokens: TokenBytes | None, storage: Mapping[str, Any]) -> list[Document]:
    """For each tier below HBM: the bandwidth that this throughput asks of it, and the link that could carry it."""
    prompt = row[INPUT_TPUT]
    if tokens is None or prompt is None or "external_includes_pd" in cache["flags"]:
        return []
    found = []
    for tier in _below(cache):
        if tier["share"] is None:
            continue
        needed = traffic.reload_bandwidth(prompt, tier["share"], tokens.held)
        link, count, stated = _link(row, tier["medium"], storage)
        offered = None if link is None and stated is None else (stated or link.bytes_per_s * count)  # type: ignore[union-attr]  # one of them is there
        found.append(
            {
                "medium": tier["medium"],
                "label": TIERS.label(tier["medium"]),
                "prompt_tput": prompt,
                "share": tier["share"],
                "bytes_per_s": needed,
                "once_bytes_per_s": traffic.reload_bandwidth(prompt, tier["share"], tokens.value),
                "link": link.key if link else None,
                "link_label": "as the record states" if stated else link.label if link else None,
                "links": count if link and not stated else None,
                "link_bytes_per_s": offered,
                "load_of_link": needed / offered if offered else None,
                "source": "the record" if stated else f"{link.source}, {link.date}" if link else None,
            }
        )
    return found


def _link(row: Row, medium: str, storage: Mapping[str, Any]) -> tuple[Link | None, int, float | None]:
    """The usual link to a memory, how many of them there are, and the bandwidth where the record states it."""
    if medium == "host_dram":
        chip = CHIPS.get(row["chip"])
        link = LINKS.get(chip.links.host) if chip and chip.links else None
        return link, row["chip_count"] or 1, None
    if medium == "local_nvme":
        stated = storage.get("read_bps")
        return LINKS[USUAL_DRIVE], int(storage.get("drives") or 1), float(stated) if stated else None
    if medium in ("remote_dram", "remote_flash", "object"):
        return LINKS[NETWORK], 1, None
    return None, 0, None


def _write(
    row: Row, flows: Sequence[Flow], below: Sequence[str], tokens: TokenBytes | None, storage: Mapping[str, Any]
) -> Document | None:
    """Writes to the slowest flash tier: as counted, else as write-through would need, and the wear of the drives."""
    flash = next((medium for medium in reversed(below) if medium in TIERS and TIERS[medium].flash), None)
    counted = next((f.bytes for f in flows if f.way == "store" and f.medium == flash and f.bytes is not None), None)
    if counted is not None and row[DURATION_S]:
        rate, basis = counted / row[DURATION_S], "counted"
    else:
        computed = _computed_tput(row)
        if computed is None or tokens is None:
            return None
        rate, basis = formulas.required_bandwidth(computed, tokens.value), "write-through of every computed token, once"
    a_day = rate * formulas.SECONDS_A_DAY
    capacity = storage.get("capacity_bytes")
    drives = storage.get("drives") or 1
    return {
        "medium": flash or (below[0] if below else None),
        "flash": flash is not None,
        "basis": basis,
        "bytes_per_s": rate,
        "bytes_per_day": a_day if flash else None,
        "drives": drives if flash and capacity else None,
        "drive_bytes": capacity if flash else None,
        "drive_writes_per_day": formulas.drive_writes_per_day(a_day, capacity * drives) if flash and capacity else None,
        "rated_drive_writes_per_day": storage.get("dwpd") if flash else None,
    }


def _computed_tput(row: Row) -> float | None:
    """Tokens a second whose state is new: prompt tokens that no cache served, and generated ones."""
    prompt, share, output = row[INPUT_TPUT], row[COMPUTED_SHARE], row[OUTPUT_TPUT]
    if prompt is None or share is None or share > 1:
        return None
    return float(prompt * share + (output or 0.0))
