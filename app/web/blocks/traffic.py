"""What a point's offload moved and what that asks of links and drives, with every formula in its numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.catalog.offload import TIERS
from app.catalog.point import Json
from app.web.blocks.facts import Fact, rate_text, times_text
from app.web.blocks.numbers import byte_text, number, percent, significant

Document = Mapping[str, Json]
_WAYS = {"load": "Loaded", "store": "Stored"}
_STATES = {
    "agrees": ("bytes and tokens agree", "good"),
    "disagrees": ("bytes and tokens disagree", "warn"),
    "unknown": ("not checked", ""),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowRow:
    way: str
    tier: str
    label: str
    bytes: str | None
    operations: str | None
    each: str | None
    seconds: str | None
    busy: str | None
    mean: str | None
    counters: str
    notes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficBlock:
    flows: tuple[FlowRow, ...]
    facts: tuple[Fact, ...]
    check: str
    tone: str


def traffic_block(traffic: Document | None) -> TrafficBlock | None:
    if traffic is None:
        return None
    check, tone = _STATES[traffic["cross_check"]["state"]]
    return TrafficBlock(
        flows=tuple(_flow(flow) for flow in traffic["flows"]),
        facts=tuple(_facts(traffic)),
        check=check,
        tone=tone,
    )


def _flow(flow: Document) -> FlowRow:
    size, count, each, seconds = (flow[name] for name in ("bytes", "operations", "bytes_per_operation", "seconds"))
    busy, mean = flow["bytes_per_s_busy"], flow["bytes_per_s_mean"]
    return FlowRow(
        way=_WAYS[flow["way"]],
        tier=flow["medium"],
        label=TIERS.label(flow["medium"]) or flow["medium"],
        bytes=byte_text(size) if size is not None else None,
        operations=number(count, 0) if count is not None else None,
        each=byte_text(each) if each is not None else None,
        seconds=f"{significant(seconds, 3)} s" if seconds is not None else None,
        busy=rate_text(busy) if busy is not None else None,
        mean=rate_text(mean) if mean is not None else None,
        counters=", ".join(flow["counters"]),
        notes="; ".join(flow["notes"]),
    )


def _facts(traffic: Document) -> Iterator[Fact]:
    yield _check(traffic["cross_check"], traffic["bytes_per_token"])
    yield _amplification(traffic)
    for wait in traffic["waits"]:
        each = f"; {significant(1000 * wait['seconds'] / wait['times'], 3)} ms each" if wait["times"] else ""
        yield Fact(
            label=wait["label"],
            term="reload",
            text=f"{significant(wait['seconds'], 3)} s over the run{each}",
            formula=", ".join(wait["counters"]),
        )
    if not traffic["waits"]:
        yield Fact(
            label="Looking up and scheduling", term="reload", text=None, formula="counters of the connector, where kept"
        )
    for needed in traffic["required"]:
        yield _required(needed, traffic["bytes_per_token"])
    if not traffic["required"]:
        yield Fact(
            label="Reload bandwidth needed",
            term="reload",
            text=None,
            formula="prompt tokens/s × share of the tier × bytes a token × copies",
        )
    if traffic["write"] is not None:
        yield from _writes(traffic["write"])


def _check(check: Document, tokens: Document | None) -> Fact:
    verdict, tone = _STATES[check["state"]]
    if check["counted"] is None:
        return Fact(
            label="Bytes a token",
            term="kv-cache",
            text=None if tokens is None else f"{number(tokens['value'], 0)} B by the model's geometry",
            formula=_geometry(tokens) or "loaded bytes / tokens from below HBM",
            note="Loaded bytes or the tokens they belong to are not in the record, so the two cannot be compared.",
            verdict=verdict,
            tone=tone,
        )
    formula = f"{number(check['loaded_bytes'], 0)} B loaded / {number(check['tokens'], 0)} tokens from below HBM"
    against = ""
    if check["expected"] is not None:
        copies = f" × {check['copies']:g} copies" if (check["copies"] or 1) > 1 else ""
        against = f"The model's geometry gives {number(check['expected'], 0)} B{copies}: {_geometry(tokens)}."
    return Fact(
        label="Bytes a token",
        term="kv-cache",
        text=f"{number(check['counted'], 0)} B counted",
        formula=formula,
        note=against,
        verdict=verdict,
        tone=tone,
    )


def _geometry(tokens: Document | None) -> str:
    if tokens is None:
        return ""
    assumed = "" if tokens["format_stated"] else ", format not reported and assumed"
    return f"{tokens['attention']}, {tokens['formula']}, {tokens['format_label']}{assumed}"


def _amplification(traffic: Document) -> Fact:
    value = traffic["write_amplification"]
    formula = "stored bytes / loaded bytes"
    if value is not None:
        formula = f"{byte_text(traffic['stored_bytes'])} stored / {byte_text(traffic['loaded_bytes'])} loaded"
    return Fact(
        label="Write amplification",
        term="write-amplification",
        text=times_text(value) if value is not None else None,
        formula=formula,
        note="" if value is None or value <= 1 else "More was written than ever came back.",
    )


def _required(needed: Document, tokens: Document | None) -> Fact:
    each = number(tokens["value"], 0) if tokens else ""
    copies = f" × {tokens['copies']:g} copies" if tokens and tokens["copies"] > 1 else ""
    load = needed["load_of_link"]
    note = ""
    if needed["link_bytes_per_s"]:
        count = f"{needed['links']} × " if needed["links"] and needed["links"] > 1 else ""
        note = (
            f"{percent(load)} of {rate_text(needed['link_bytes_per_s'])} over {count}{needed['link_label']} "
            f"({needed['source']})."
        )
    if tokens and tokens["copies"] > 1:
        note += f" Where one copy is kept and spread by the chips: {rate_text(needed['once_bytes_per_s'])}."
    assumed = "" if not tokens or tokens["format_stated"] else " (BF16 assumed; FP8 halves it)"
    return Fact(
        label=f"Reload bandwidth needed, {needed['label']}",
        term="reload",
        text=rate_text(needed["bytes_per_s"]),
        formula=(
            f"{number(needed['prompt_tput'], 0)} prompt tok/s × {percent(needed['share'])} × {each} B{copies}{assumed}"
        ),
        note=note.strip(),
        verdict="more than the link carries" if load is not None and load > 1 else "",
        tone="warn" if load is not None and load > 1 else "",
    )


def _writes(write: Document) -> Iterator[Fact]:
    yield Fact(
        label=f"Written, {TIERS.label(write['medium']) or 'below HBM'}",
        term="write-policy",
        text=rate_text(write["bytes_per_s"]),
        formula="stored bytes / duration"
        if write["basis"] == "counted"
        else "(prompt tok/s × recomputed share + output tok/s) × bytes a token",
        note="As counted." if write["basis"] == "counted" else f"Not counted: {write['basis']}.",
    )
    if not write["flash"]:
        return
    per_day = write["drive_writes_per_day"]
    rated = write["rated_drive_writes_per_day"]
    formula = f"{byte_text(write['bytes_per_day'])} a day"
    if per_day is not None:
        formula += f" / ({write['drives']} × {byte_text(write['drive_bytes'])})"
    worn = per_day is not None and rated is not None and per_day > rated
    yield Fact(
        label="Drive writes a day",
        term="drive-writes",
        text=f"{significant(per_day, 3)}" if per_day is not None else None,
        formula=formula,
        note=f"Rated for {rated:g} a day."
        if rated is not None
        else "The capacity of the drives is not reported."
        if per_day is None
        else "",
        verdict="more than rated" if worn else "",
        tone="warn" if worn else "",
    )
