"""What the pools of a point hold, in words: ratio, what the write policy makes of it, and the load on them."""

from collections.abc import Iterator, Mapping

from app.catalog.point import Json
from app.web.blocks.facts import Fact, times_text, tokens_text
from app.web.blocks.numbers import number

Document = Mapping[str, Json]


def pool_facts(pools: Document | None) -> tuple[Fact, ...]:
    return tuple(_facts(pools)) if pools is not None else ()


def _facts(pools: Document) -> Iterator[Fact]:
    if pools["ratio"] is not None:
        yield _ratio(pools)
        yield _gain(pools)
    elif len(pools["tiers"]) > 1:
        yield Fact(
            label="Pool ratio r",
            term="pool-ratio",
            text=None,
            formula="offload pool / HBM pool, in tokens",
            note="One of the pools is not known in tokens.",
        )
    if pools["working_set"] is not None:
        yield _working_set(pools["working_set"], pools["hbm_tokens"])
    tokens = pools["bytes_per_token"]
    if tokens is not None and len(pools["tiers"]) > 1:
        yield _copies(tokens)


def _ratio(pools: Document) -> Fact:
    low, high = pools["band"]
    first = pools["ratios"][0]
    ratio = first["ratio"]
    where = "below" if ratio < low else "above" if ratio > high else "inside"
    more = [f"with {item['label']} {times_text(item['ratio'])}" for item in pools["ratios"][1:]]
    below = sum(tier["tokens"] or 0 for tier in pools["tiers"] if tier["medium"] != "hbm")
    estimated = any(item["estimated"] for item in pools["ratios"])
    return Fact(
        label="Pool ratio r",
        term="pool-ratio",
        text=", ".join((f"{first['label']} {times_text(ratio)}", *more)),
        formula=f"{tokens_text(below)} below HBM / {tokens_text(pools['hbm_tokens'])} in HBM",
        note="Worked out from bytes: the record states no tokens." if estimated else "",
        verdict=f"{first['label']} {where} the {low:g} to {high:g} band",
    )


def _gain(pools: Document) -> Fact:
    """Distinct tokens kept, over HBM alone."""
    gain, policy = pools["gain"], pools["policy"]
    several = len(pools["ratios"]) > 1
    inclusion = "largest pool / HBM" if several else "max(1, r)"
    rules = (
        f"inclusive {inclusion} = {times_text(gain['inclusive'])}; exclusive 1 + r = {times_text(gain['exclusive'])}"
    )
    if policy is None:
        return Fact(
            label="Distinct tokens kept",
            term="write-policy",
            text=f"{times_text(gain['inclusive'])} to {times_text(gain['exclusive'])}",
            formula=rules,
            note="The write policy is not reported, so which of the two holds is open.",
        )
    between = gain["here"] is None
    text = (
        f"{times_text(gain['inclusive'])} to {times_text(gain['exclusive'])}" if between else times_text(gain["here"])
    )
    kind = "between the two" if between else policy["inclusion"]
    return Fact(
        label="Distinct tokens kept",
        term="write-policy",
        text=text,
        formula=rules,
        note=f"{policy['label'].capitalize()}: {kind}. {policy['text']}",
    )


def _working_set(load: Document, hbm: float | None) -> Fact:
    parts = []
    if load["over_hbm"] is not None:
        parts.append(f"{times_text(load['over_hbm'])} the HBM pool")
    if load["over_kept"] is not None:
        parts.append(f"{times_text(load['over_kept'])} all that is kept")
    return Fact(
        label="Working set",
        term="working-set",
        text=f"{tokens_text(load['tokens'])}{', ' if parts else ''}{', '.join(parts)}",
        formula=f"{number(load['sessions'], 0)} sessions × {number(load['context'], 0)} tokens, the mean prompt",
        note="" if hbm else "The HBM pool is not reported.",
    )


def _copies(tokens: Document) -> Fact:
    """How often a token is held below HBM unless the engine keeps one copy."""
    ranks = tokens["ranks"]
    words = (
        f"{tokens['attention']}: each of {ranks} ranks holds all of it, unless the engine keeps one copy."
        if tokens["copies"] > 1.001
        else f"{tokens['attention']}: ranks hold parts of it."
        if ranks > 1
        else f"{tokens['attention']}: one rank holds all of it."
    )
    return Fact(
        label="Copies of a token",
        term="replication",
        text=f"{number(tokens['copies'], 0) if float(tokens['copies']).is_integer() else number(tokens['copies'], 2)}",
        formula=f"{ranks} ranks × bytes on a rank / {number(tokens['value'], 0)} B",
        note=words,
    )
