"""How a flash tier was read, in words, with cold and warm iterations apart and what the record leaves open."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.catalog.metrics import METRICS, TTFT_MEAN_S, ttft
from app.catalog.offload import TIERS
from app.catalog.point import Json
from app.web.blocks.facts import rate_text
from app.web.blocks.metrics import metric_text
from app.web.blocks.numbers import byte_text

Document = Mapping[str, Json]
CAVEAT = "Parameter-offload results do not establish NVMe KV offload."


@dataclass(frozen=True, slots=True, kw_only=True)
class StateLine:
    name: str
    term: str
    label: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    id: str
    here: bool
    name: str
    state: str | None
    wait: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NvmeBlock:
    medium: str
    lead: str
    states: tuple[StateLine, ...]
    passes: tuple[Pass, ...]
    wait: str
    needed: tuple[str, ...]


def nvme_block(nvme: Document | None) -> NvmeBlock | None:
    if nvme is None:
        return None
    staged = TIERS.label(nvme["staged_through"])
    medium = ", ".join(f"{tier['label']}: {tier['text'][:1].lower()}{tier['text'][1:]}" for tier in nvme["tiers"])
    states = [StateLine(name="Medium", term=nvme["tiers"][0]["medium"], label=medium.rstrip("."), text="")]
    states += [
        StateLine(
            name=name,
            term=term,
            label=nvme[key]["label"] if nvme[key]["reported"] else None,
            text=nvme[key]["text"],
        )
        for key, name, term in (
            ("access_path", "Access path", "nvme-offload"),
            ("gds", "GPUDirect Storage", "gpudirect"),
            ("page_cache", "Page cache", "page-cache"),
        )
    ]
    if staged:
        text = f"A {staged} tier lies before it; unless GDS is active, blocks pass through host memory."
        states.append(StateLine(name="On the way", term="nvme-offload", label=staged, text=text))
    states.append(StateLine(name="Device", term="nvme-offload", label=_device(nvme["device"]), text=""))
    key = ttft("p50") if any(item[ttft("p50")] is not None for item in nvme["iterations"]) else TTFT_MEAN_S
    return NvmeBlock(
        medium=" and ".join(tier["label"] for tier in nvme["tiers"]),
        lead=CAVEAT if nvme["evidence_for_kv"] else f"This is a parameter table on flash. {CAVEAT}",
        states=tuple(states),
        passes=tuple(_pass(item, key) for item in nvme["iterations"]) if len(nvme["iterations"]) > 1 else (),
        wait=f"{METRICS[key].label}, {METRICS[key].unit}",
        needed=tuple(nvme["needed"]),
    )


def _device(device: Document | None) -> str | None:
    if device is None:
        return None
    count = f"{device['drives']} × " if device["drives"] else ""
    parts = [f"{count}{byte_text(device['capacity_bytes'])}" if device["capacity_bytes"] else f"{count}drives"]
    parts = [part for part in (device["model"], *parts, device["interface"], device["raid"]) if part]
    parts += [f"reads {rate_text(device['read_bps'])}"] if device["read_bps"] else []
    parts += [f"writes {rate_text(device['write_bps'])}"] if device["write_bps"] else []
    if not device["read_bps"]:
        parts.append("bandwidth not reported")
    return ", ".join(parts)


def _pass(item: Document, key: str) -> Pass:
    number = f"iteration {item['iteration']}" if item["iteration"] is not None else item["run"]
    state = {True: "cold", False: "warm", None: None}[item["cold"]]
    return Pass(id=item["id"], here=item["here"], name=number, state=state, wait=metric_text(METRICS[key], item[key]))
