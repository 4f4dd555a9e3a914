"""Every word of Halo explained once. What other catalogs declare is read from them, so it cannot be stale."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from app.catalog.chips import CHIPS, Chip
from app.catalog.engines import ENGINES, ORCHESTRATORS
from app.catalog.flags import FLAGS
from app.catalog.metrics import METRICS, Metric
from app.catalog.models import MODELS, Model
from app.catalog.offload import ACCESS_PATHS, BACKENDS, KINDS, TIERS, USES, WRITE_POLICIES
from app.catalog.origins import ORIGINS
from app.catalog.precisions import PRECISIONS
from app.catalog.prices import PRICE_TABLES
from app.catalog.speculation import SPECULATIONS
from app.catalog.vocabulary import Term, Vocabulary, folded
from app.catalog.words import WORDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One word: its key in the address of its page, what it is called, what it means, and what belongs with it.

    `names` are further keys and spellings that lead here, such as the percentiles of one latency.
    """

    key: str
    label: str
    text: str
    kind: str
    see: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@cache
def entries() -> tuple[Entry, ...]:
    """Every entry, by kind and then in the order of its catalog. A key that two kinds share is joined with the kind."""
    found = list(_declared())
    times = Counter(entry.key for entry in found)
    return tuple(
        replace(entry, key=f"{entry.key}-{entry.kind.replace(' ', '-')}", names=(*entry.names, entry.key))
        if times[entry.key] > 1
        else entry
        for entry in found
    )


def entry_of(term: str) -> Entry | None:
    """The entry for a key, label or other spelling; keys go before spellings, earlier kinds before later ones."""
    return _by_key().get(term) or _by_spelling().get(folded(term))


@cache
def _by_key() -> dict[str, Entry]:
    return {entry.key: entry for entry in entries()}


@cache
def _by_spelling() -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in entries():
        for spelling in (entry.key, entry.label, *entry.names):
            found.setdefault(folded(spelling), entry)
    return found


def _declared() -> Iterator[Entry]:
    for word in WORDS:
        yield Entry(key=word.key, label=word.label, text=word.text, kind="word", see=word.see, names=word.aliases)
    yield from _metrics()
    yield from _terms("tier", TIERS, see=("tier-share",))
    yield from _terms("offload kind", KINDS, see=("halo", "notch"))
    yield from _terms("offload use", USES)
    yield from _terms("offload backend", BACKENDS)
    yield from _terms("write policy", WRITE_POLICIES)
    yield from _terms("access path", ACCESS_PATHS)
    for chip in CHIPS:
        yield Entry(key=chip.key, label=chip.label, text=_chip_facts(chip), kind="chip", names=chip.aliases)
    yield from _terms("engine", ENGINES)
    yield from _terms("orchestrator", ORCHESTRATORS)
    for model in MODELS:
        yield Entry(key=model.key, label=model.label, text=_model_facts(model), kind="model", names=model.aliases)
    yield from _terms("precision", PRECISIONS)
    yield from _terms("speculation", SPECULATIONS)
    yield from _terms("origin", ORIGINS)
    yield from _terms("flag", FLAGS)
    for table in PRICE_TABLES:
        text = f"Dollars per chip and hour for {len(table.usd_per_chip_hour)} chips. Source: {table.source}."
        yield Entry(key=table.name_version, label=table.label, text=text, kind="price table", see=("price-table",))


def _terms(kind: str, vocabulary: Vocabulary[Term], see: tuple[str, ...] = ()) -> Iterable[Entry]:
    """What a catalog says of its words; those that need no explanation beyond their label are left out."""
    for term in (term for term in vocabulary if term.text):
        yield Entry(key=term.key, label=term.label, text=term.text, kind=kind, see=see, names=term.aliases)


def _metrics() -> Iterator[Entry]:
    """One entry for each quantity; the statistics it is kept at lead to the same entry."""
    families: dict[str, list[Metric]] = {}
    for metric in METRICS:
        families.setdefault(metric.family, []).append(metric)
    for family, members in families.items():
        first = members[0]
        label = first.label.removesuffix(f" {first.statistic}") if first.statistic else first.label
        names = tuple(name for metric in members for name in (metric.key, metric.label, *metric.aliases))
        typical = next((metric for metric in members if metric.statistic == "p50"), first)
        yield Entry(key=family, label=label, text=_metric_text(typical, members), kind="metric", names=names)


def _metric_text(metric: Metric, members: list[Metric]) -> str:
    parts = [metric.text, f"Unit: {metric.unit}."]
    if metric.direction:
        parts.append(f"{metric.direction.capitalize()}.")
    statistics = [member.statistic for member in members if member.statistic]
    if statistics:
        parts.append(f"Kept at: {', '.join(statistics)}.")
    if metric.formula:
        parts.append(f"Formula: {metric.formula}.")
    return " ".join(parts)


def _chip_facts(chip: Chip) -> str:
    facts = [f"{chip.vendor} {chip.architecture}".strip()]
    if chip.memory:
        bandwidth = f" at {chip.memory.tb_s:g} TB/s" if chip.memory.tb_s else ""
        facts.append(f"{chip.memory.usable_gb:g} GB of {chip.memory.kind}{bandwidth}")
    rates = (("FP4", chip.rates.fp4), ("FP8", chip.rates.fp8), ("BF16", chip.rates.bf16))
    facts += [f"{rate:,.0f} dense TFLOPS in {name}" for name, rate in rates if rate]
    if chip.links and chip.links.scale_up_gb_s:
        facts.append(f"{chip.links.scale_up_gb_s:g} GB/s one way by {chip.links.scale_up}")
    if chip.links and chip.links.domain:
        facts.append(f"{chip.links.domain} chips in one domain")
    if chip.tdp_w:
        facts.append(f"{chip.tdp_w} W")
    return "; ".join(facts) + "."


def _model_facts(model: Model) -> str:
    family = "" if model.family == model.label else f" One of the {model.family} family."
    addresses = f" Also known as {', '.join(model.hf)}." if model.hf else ""
    return f"A model by {model.developer}.{family}{addresses}"
