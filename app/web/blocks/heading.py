"""What a point is called on its page, the mark it has on charts, and the four figures it leads with."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.catalog.colors import series_color
from app.catalog.dimensions import DIMENSIONS
from app.catalog.engines import NO_ORCHESTRATOR, symbol_of
from app.catalog.metrics import (
    INTERACTIVITY_P50,
    INTERACTIVITY_P90,
    METRICS,
    STATISTICS,
    TOTAL_TOKENS_PER_USD,
    TOTAL_TPUT_PER_CHIP,
    Metric,
    ttft,
)
from app.catalog.oklch import Color
from app.catalog.origins import ORIGINS
from app.catalog.point import Json
from app.catalog.precisions import PRECISIONS
from app.catalog.prices import PriceTable
from app.catalog.workloads import workload_kind
from app.figures.sprite import mark_id
from app.web.blocks.metrics import metric_text
from app.web.blocks.numbers import large_text, number

Row = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyph:
    """The point's mark: shape in the sprite, color, ring and notch."""

    shape: str
    color: Color
    halo: bool
    notch: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    name: str
    tail: str
    parts: tuple[str, ...]
    badge: str
    badge_text: str
    glyph: Glyph


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A figure: what it is, its text or None, and a line of context."""

    label: str
    term: str
    text: str | None
    unit: str
    context: str


def flat(document: Row) -> Row:
    """A whole document read as a flat row: its layout is the label again."""
    return {**document, "layout": document["layout"]["label"]}


def heading(row: Row, standing: str) -> Heading:
    """`B200 × 8`, `vLLM 0.14.1 · FP4 · concurrency 128`, and a line of what else tells it from others."""
    origin = ORIGINS.get(row["origin"])
    return Heading(
        name=chips_name(row),
        tail=" · ".join((engine_name(row), precision_name(row), concurrency_name(row))),
        parts=(*group_parts(row), *recipe_parts(row), *((standing,) if standing else ())),
        badge=origin.badge if origin else "",
        badge_text=origin.text if origin else "",
        glyph=glyph_of(row),
    )


def glyph_of(row: Row) -> Glyph:
    kinds = (row["offload_kind"] or "").split("+")
    return Glyph(
        shape=mark_id("dot", symbol_of(row["engine"]), {"hollow": is_hollow(row), "standing": "frontier"}),
        color=series_color(row["chip"], row["engine"]),
        halo="kv" in kinds,
        notch="parameter" in kinds,
    )


def is_hollow(row: Row) -> bool:
    precision = PRECISIONS.get(row["precision"])
    return precision is not None and precision.hollow


def chips_name(row: Row) -> str:
    chip = DIMENSIONS["chip"].label_of(row["chip"]) if row["chip"] else "Chip not reported"
    return f"{chip} × {row['chip_count']}" if row["chip_count"] else chip


def engine_name(row: Row) -> str:
    engine = DIMENSIONS["engine"].label_of(row["engine"]) if row["engine"] else "engine not reported"
    engine = f"{engine} {row['engine_version']}" if row["engine_version"] else engine
    orchestrator = row["orchestrator"]
    if orchestrator and orchestrator != NO_ORCHESTRATOR:
        return f"{DIMENSIONS['orchestrator'].label_of(orchestrator)} + {engine}"
    return engine


def precision_name(row: Row) -> str:
    return DIMENSIONS["precision"].label_of(row["precision"]) if row["precision"] else "precision not reported"


def concurrency_name(row: Row) -> str:
    value = row["concurrency"]
    return f"concurrency {concurrency_text(value)}" if value is not None else "concurrency not reported"


def concurrency_text(value: float | None) -> str:
    if value is None:
        return "not reported"
    return number(value, 0) if float(value).is_integer() else number(value, 2)


def group_parts(row: Row) -> tuple[str, ...]:
    """Model, workload and origin: what its chart has in common."""
    return (
        DIMENSIONS["model"].label_of(row["model"]) if row["model"] else "model not reported",
        DIMENSIONS["workload"].label_of(row["workload"]) if row["workload"] else "workload not reported",
        DIMENSIONS["origin"].label_of(row["origin"]).lower(),
    )


def recipe_parts(row: Row) -> tuple[str, ...]:
    """The rest of the recipe: parallelism and speculation."""
    parts = [row["layout"]] if row["layout"] else []
    if row["disaggregated"]:
        parts.append("prefill and decode apart")
    if row["spec"] is not None:
        parts.append(DIMENSIONS["spec"].label_of(row["spec"]))
    return tuple(parts)


def default_interactivity(workload: str | None) -> Metric:
    """The chart's own default: the slow tail for agentic work, the median otherwise."""
    return METRICS[INTERACTIVITY_P90 if workload_kind(workload) == "agentic" else INTERACTIVITY_P50]


def tiles(document: Row, prices: PriceTable, rank: str) -> tuple[Tile, ...]:
    """Throughput per chip, interactivity, time to first token, tokens per dollar."""
    row = document
    pace = default_interactivity(row["workload"])
    wait = METRICS[ttft(pace.statistic or "p50")]
    dollars = METRICS[TOTAL_TOKENS_PER_USD]
    value = row.get(dollars.key)
    text, letter = large_text(value) if value is not None else (None, "")
    return (
        _tile(METRICS[TOTAL_TPUT_PER_CHIP], row, rank),
        _tile(known(pace, row), row, ""),
        _tile(known(wait, row), row, ""),
        Tile(
            label=dollars.label,
            term=dollars.family,
            text=f"{text} {letter}".strip() if text is not None else None,
            unit=dollars.unit,
            context=price_words(document, prices),
        ),
    )


def known(metric: Metric, row: Row) -> Metric:
    """The metric, or its quantity at the first statistic that the row has, slow tail and median first."""
    if row.get(metric.key) is not None:
        return metric
    family = {other.statistic: other for other in METRICS if other.family == metric.family}
    order = ("p90", "p50", *STATISTICS)
    return next((family[s] for s in order if s in family and row.get(family[s].key) is not None), metric)


def _tile(metric: Metric, row: Row, context: str) -> Tile:
    others = [
        f"{other.statistic} {metric_text(other, row[other.key])}"
        for other in METRICS
        if other.family == metric.family
        and other.statistic in ("p50", "p90", "p99", "mean")
        and other.key != metric.key
        and row.get(other.key) is not None
    ]
    return Tile(
        label=metric.label,
        term=metric.family,
        text=metric_text(metric, row.get(metric.key)),
        unit=metric.unit,
        context=context or " · ".join(others[:3]),
    )


def price_words(document: Row, prices: PriceTable) -> str:
    """Which price stands behind the figure: as stated by its source, of one chip, or of both roles."""
    if TOTAL_TOKENS_PER_USD in document["facts"].get("stated", {}):
        return f"as published; price basis: {document['facts'].get('price_basis', 'not stated')}"
    usd, table = prices.usd_per_chip_hour, f"price table {prices.name_version}"
    layout = document["layout"]
    chips = [layout[role]["chip"] for role in ("prefill", "decode") if layout[role] and layout[role]["chip"]]
    if len(set(chips)) == 2 and all(chip in usd for chip in chips):
        return f"{' and '.join(f'${usd[chip]:.2f}' for chip in chips)} per chip-hour by role, {table}"
    if document["chip"] in usd:
        return f"${usd[document['chip']]:.2f} per chip-hour, {table}"
    return f"no price for this chip in {prices.name_version}"
