"""The glossary as pages: every word by kind, and one word with its facts and what belongs with it."""

from collections.abc import Iterator
from dataclasses import dataclass

from app.catalog.chips import CHIPS, Chip
from app.catalog.concepts import CONCEPTS, Concept
from app.catalog.glossary import Entry, entries, entry_of
from app.catalog.metrics import METRICS, Metric
from app.catalog.prices import Prices
from app.store.read import Snapshot
from app.web.looks import Shown, shown

_HEADINGS = {
    "word": "Words of Halo",
    "metric": "Metrics",
    "tier": "Tiers",
    "offload kind": "Kinds of offload",
    "offload use": "Uses of offload",
    "offload backend": "Offload backends",
    "write policy": "Write policies",
    "access path": "Access paths",
    "speculation": "Speculation",
    "origin": "Origins",
    "precision": "Precisions",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    anchor: str
    heading: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """One metric of a quantity, with the link that puts it on the chart."""

    label: str
    key: str
    unit: str
    direction: str
    formula: str
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TermPage:
    entry: Entry
    heading: str
    see: tuple[Entry, ...]
    metrics: tuple[Statistic, ...]
    facts: tuple[tuple[str, str | None], ...]
    prices: tuple[tuple[str, str, str], ...]
    around: tuple[Entry, ...]
    chart: str
    """The link to the points that this word tells apart; empty where it tells none apart."""
    concept: Concept | None
    looks: tuple[Shown, ...]
    """Views of the store that show the concept; those it has nothing for are left out."""


def sections() -> tuple[Section, ...]:
    kinds: dict[str, list[Entry]] = {}
    for entry in entries():
        kinds.setdefault(entry.kind, []).append(entry)
    return tuple(
        Section(anchor=f"kind-{kind.replace(' ', '-')}", heading=heading(kind), entries=tuple(found))
        for kind, found in kinds.items()
    )


def heading(kind: str) -> str:
    return _HEADINGS.get(kind, f"{kind.capitalize()}s")


def see_also(entry: Entry) -> tuple[Entry, ...]:
    return tuple(other for key in entry.see if (other := entry_of(key)) is not None)


def concepts() -> tuple[Entry, ...]:
    """Words with a page at length, in reading order."""
    return tuple(entry for key in CONCEPTS if (entry := entry_of(key)) is not None)


def term_page(word: str, snapshot: Snapshot) -> TermPage | None:
    """The page of a word by its key, label or any other spelling. None where the glossary has no such word."""
    entry = entry_of(word)
    if entry is None:
        return None
    concept = CONCEPTS.get(entry.key)
    chip = CHIPS.get(entry.key) if entry.kind == "chip" else None
    return TermPage(
        entry=entry,
        heading=heading(entry.kind),
        see=see_also(entry),
        metrics=tuple(_statistics(entry)) if entry.kind == "metric" else (),
        facts=_chip_facts(chip) if chip else (),
        prices=_prices(chip, snapshot.prices) if chip else (),
        around=tuple(other for other in entries() if other.kind == entry.kind and other.key != entry.key),
        chart=_chart(entry),
        concept=concept,
        looks=shown(concept, snapshot) if concept else (),
    )


def _statistics(entry: Entry) -> Iterator[Statistic]:
    for metric in METRICS:
        if metric.family == entry.key:
            yield Statistic(
                label=metric.label,
                key=metric.key,
                unit=metric.unit,
                direction=metric.direction,
                formula=metric.formula,
                href=_axis(metric) if metric.axis else "",
            )


def _axis(metric: Metric) -> str:
    """On the vertical axis, but for what the horizontal one is for."""
    return f"/?{'x' if metric.group in ('Interactivity', 'Latency') else 'y'}={metric.key}"


def _chart(entry: Entry) -> str:
    words = {"chip": "chip", "model": "model", "engine": "engine", "precision": "precision", "tier": "tier"}
    words |= {"offload backend": "backend", "origin": "origin", "orchestrator": "orchestrator", "speculation": "spec"}
    word = words.get(entry.kind)
    key = entry.names[-1] if entry.key.endswith(f"-{entry.kind.replace(' ', '-')}") and entry.names else entry.key
    return f"/?{word}={key}" if word else ""


def _chip_facts(chip: Chip) -> tuple[tuple[str, str | None], ...]:
    memory, links = chip.memory, chip.links
    power = f"{chip.kw[max(chip.kw)]:g} kW ({max(chip.kw)})" if chip.kw else None
    return (
        ("Vendor", chip.vendor),
        ("Architecture", chip.architecture or None),
        ("Memory", f"{memory.usable_gb:g} GB usable of {memory.physical_gb:g} GB {memory.kind}" if memory else None),
        ("Memory bandwidth", f"{memory.tb_s:g} TB/s" if memory and memory.tb_s else None),
        *((f"Dense {name}", f"{rate:,.0f} TFLOPS" if rate else None) for name, rate in _rates(chip)),
        (
            "Scale-up link",
            f"{links.scale_up_gb_s:g} GB/s one way, {links.scale_up}" if links and links.scale_up_gb_s else None,
        ),
        ("Chips so linked", f"{links.domain}, {links.topology}" if links and links.domain else None),
        ("Network beyond", links.scale_out if links else None),
        ("Board power", f"{chip.tdp_w:,} W" if chip.tdp_w else None),
        ("All-in power", power),
        ("Devices of a package", str(chip.devices)),
    )


def _rates(chip: Chip) -> tuple[tuple[str, float | None], ...]:
    return (("FP4", chip.rates.fp4), ("FP8", chip.rates.fp8), ("BF16", chip.rates.bf16))


def _prices(chip: Chip, prices: Prices) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (table.title, f"${table.usd_per_chip_hour[chip.key]:.2f}", table.source)
        for table in prices.tables
        if chip.key in table.usd_per_chip_hour
    )
