"""The page of a config, put together from its document: what it is, its points over concurrency, its twin's curve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.catalog.attributions import Attribution, attributions_of
from app.catalog.engines import symbol_of
from app.catalog.flags import flag_words
from app.catalog.metrics import (
    CACHED_SHARE,
    CEILING_SHARE,
    COMPUTED_SHARE,
    HBM_POOL_TOKENS,
    METRICS,
    TOTAL_TOKENS_PER_USD,
    TOTAL_TPUT,
    TOTAL_TPUT_PER_CHIP,
    Metric,
    ttft,
)
from app.catalog.offload import BACKENDS, KINDS, TIERS
from app.catalog.origins import ORIGINS
from app.catalog.point import Json
from app.figures.small import Curve, SmallChart, Tone, rows_curve, small_chart
from app.view import View
from app.web.blocks import heading as heads
from app.web.blocks.metrics import metric_text
from app.web.blocks.offload import OffloadBlock, offload_block
from app.web.blocks.provenance import time_texts
from app.web.blocks.roles import RoleLine, role_lines
from app.web.blocks.twin import change_of

Document = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The config at one concurrency. `change` is of throughput per chip, from offload off to on."""

    id: str
    concurrency: str
    figures: tuple[str | None, ...]
    twin: str | None
    change: str | None
    tone: str
    flags: int
    doubts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One workload of the config: a table over concurrency and a chart with the twin's curve."""

    label: str
    badge: str
    href: str
    columns: tuple[Metric, ...]
    loads: tuple[Load, ...]
    repeats: int
    chart: SmallChart | None
    keys: tuple[tuple[str, str, str], ...]
    """Curves of the chart: their tone, what they are, and the page of the config; this one has none."""
    twin_id: str
    versus: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    label: str
    when: str | None
    zone: str
    source: str
    points: int
    first: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    id: str
    label: str
    shared: int
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigPage:
    id: str
    title: str
    ending: str
    glyph: heads.Glyph
    offload: OffloadBlock
    roles: tuple[RoleLine, ...]
    facts: tuple[tuple[str, str | None], ...]
    sweeps: tuple[Sweep, ...]
    twins: tuple[Twin, ...]
    runs: tuple[Run, ...]
    points: int
    attributions: tuple[Attribution, ...]


def config_page(document: Document, view: View) -> ConfigPage:
    rows = [row for group in document["workloads"] for row in (*group["points"], *group["repeats"])]
    first = rows[0]
    pool = next((row[HBM_POOL_TOKENS] for row in rows if row[HBM_POOL_TOKENS]), None)
    return ConfigPage(
        id=document["id"],
        title=document["title"],
        ending=offload_words(document["offload"]),
        glyph=heads.glyph_of(first),
        offload=offload_block(document["offload"], NO_CACHE, pool, ()),
        roles=role_lines(document["layout"], first["chip"], first["chip_count"]),
        facts=_facts(document),
        sweeps=tuple(_sweep(document, group, view) for group in document["workloads"]),
        twins=tuple(
            Twin(id=twin["id"], label=twin["offload_label"], shared=twin["shared"], points=len(twin["points"]))
            for twin in document["twins"]
        ),
        runs=tuple(_run(run) for run in document["runs"]),
        points=len(rows),
        attributions=attributions_of(row["source"] for row in rows),
    )


NO_CACHE: Document = {
    "prompt_tokens": None,
    "tiers": (),
    COMPUTED_SHARE: None,
    CACHED_SHARE: None,
    CEILING_SHARE: None,
    "other_rates": (),
}
"""A config has no shares of its own: its points do."""


def offload_words(offload: Document) -> str:
    """`with KV offload to DRAM and NVMe by LMCache 0.5.3`: the end of the sentence that names a config."""
    if offload["mode"] == "off":
        return "without offload"
    if offload["mode"] == "unknown":
        return "offload not reported"
    kinds = " and ".join(term.label for term in KINDS if term.key in offload["kinds"])
    words = f"with {kinds.replace(' offload and', ' and')}"
    below = [TIERS.label(tier["medium"]) or "" for tier in offload["tiers"] if tier["medium"] != "hbm"]
    if below:
        words += f" to {' and '.join(below)}"
    backend = BACKENDS.label(offload["backend"]["key"])
    return f"{words} by {backend}" if backend else words


def _facts(document: Document) -> tuple[tuple[str, str | None], ...]:
    """The recipe, dimension by dimension."""
    facts: list[tuple[str, str | None]] = []
    for entry in document["dimensions"]:
        text = entry["text"] if entry["value"] is not None else None
        facts.append((entry["label"], text))
    versions = document["engine_versions"]
    facts.append(("Engine versions" if len(versions) > 1 else "Engine version", ", ".join(versions) or None))
    return tuple(facts)


def _sweep(document: Document, group: Document, view: View) -> Sweep:
    points: Sequence[Document] = group["points"]
    pace = _pace(points, view, group["workload"])
    columns = _columns(points, pace)
    twin, twin_rows = _twin(document, group)
    at = {row["concurrency"]: row for row in twin_rows}
    origin = ORIGINS.get(group["origin"])
    curves, keys = _curves(document, points, twin, twin_rows, pace)
    return Sweep(
        label=group["label"],
        badge=origin.badge if origin else "",
        href=f"/?{group['query']}",
        columns=columns,
        loads=tuple(_load(row, columns, at.get(row["concurrency"])) for row in points),
        repeats=len(group["repeats"]),
        chart=small_chart(curves, pace, METRICS[TOTAL_TPUT_PER_CHIP], prices=document["prices"]),
        keys=keys,
        # A change of throughput says nothing where neither knows it.
        twin_id=twin["id"] if twin and any(row[TOTAL_TPUT_PER_CHIP] for row in points) else "",
        versus="On against off" if twin and _opposite(document, twin) else "Against its twin",
    )


def _columns(points: Sequence[Document], pace: Metric) -> tuple[Metric, ...]:
    """Throughput per chip always; of the others those that some point knows."""
    per_chip = METRICS[TOTAL_TPUT_PER_CHIP]
    known = {metric.key for metric in METRICS if any(row[metric.key] is not None for row in points)}
    whole = () if per_chip.key in known else (TOTAL_TPUT,)
    wanted = (*whole, pace.key, _wait(points, pace).key, TOTAL_TOKENS_PER_USD, CACHED_SHARE)
    return (per_chip, *(METRICS[key] for key in wanted if key in known))


def _pace(points: Sequence[Document], view: View, workload: str | None) -> Metric:
    """The view's own horizontal axis where it is a pace, else the chart's default, at a statistic that is known."""
    metric = METRICS[view.x] if view.x else heads.default_interactivity(workload)
    return heads.known(metric, points[0]) if points else metric


def _wait(points: Sequence[Document], pace: Metric) -> Metric:
    metric = METRICS[ttft(pace.statistic or "p50")]
    return heads.known(metric, points[0]) if points else metric


def _twin(document: Document, group: Document) -> tuple[Document | None, list[Document]]:
    """The config that shares most load levels with this one on this workload, and its points there."""
    best: tuple[Document | None, list[Document]] = (None, [])
    levels = {row["concurrency"] for row in group["points"]}
    most = 0
    for twin in document["twins"]:
        rows = [
            row for row in twin["points"] if (row["workload"], row["origin"]) == (group["workload"], group["origin"])
        ]
        score = 2 * sum(row["concurrency"] in levels for row in rows) + (_opposite(document, twin) and bool(rows))
        if score > most:
            best, most = (twin, rows), score
    return best


def _opposite(document: Document, twin: Document) -> bool:
    """Whether one of the two used offload and the other did not."""
    return bool((twin["offload_mode"] == "on") != (document["offload"]["mode"] == "on"))


def _curves(
    document: Document,
    points: Sequence[Document],
    twin: Document | None,
    twin_rows: Sequence[Document],
    pace: Metric,
) -> tuple[list[Curve], tuple[tuple[str, str, str], ...]]:
    """This config and its twin. Offload has the color of the series, what it is held against has that of text."""
    here_plain = twin is not None and document["offload"]["mode"] != "on" and twin["offload_mode"] == "on"
    tones: tuple[Tone, Tone] = ("plain", "series") if here_plain else ("series", "plain")
    total = METRICS[TOTAL_TPUT_PER_CHIP]
    curves, keys = [], []
    sides = [(points, tones[0], document["offload_label"], document["offload"]["mode"], "")]
    if twin is not None:
        sides.append((twin_rows, tones[1], twin["offload_label"], twin["offload_mode"], twin["id"]))
    same_mode = len({mode for *_, mode, _ in sides}) < len(sides)
    for rows, tone, label, mode, href in sides:
        if not rows:
            continue
        glyph = heads.glyph_of(rows[0])
        short = ("twin" if href else "this config") if same_mode else f"offload {mode}"
        curves.append(
            rows_curve(
                rows,
                pace,
                total,
                label=short,
                tone=tone,
                color=glyph.color,
                symbol=symbol_of(rows[0]["engine"]),
                hollow=heads.is_hollow(rows[0]),
            )
        )
        keys.append((tone, label, href))
    return curves, tuple(keys)


def _load(row: Document, columns: Sequence[Metric], twin: Document | None) -> Load:
    total = METRICS[TOTAL_TPUT_PER_CHIP]
    change, verdict = None, ""
    if twin is not None:
        off, on = (row, twin) if twin["offload_mode"] == "on" and row["offload_mode"] != "on" else (twin, row)
        change, verdict = change_of(total, off[total.key], on[total.key])
    return Load(
        id=row["id"],
        concurrency=heads.concurrency_text(row["concurrency"]),
        figures=tuple(metric_text(metric, row[metric.key]) for metric in columns),
        twin=twin["id"] if twin else None,
        change=f"{change} {verdict}".strip() if change else None,
        tone={"better": "good", "worse": "bad"}.get(verdict, ""),
        flags=len(row["flags"]),
        doubts=flag_words(row["flags"]),
    )


def _run(run: Document) -> Run:
    when = time_texts(run["time"])
    return Run(
        label=run["label"] or run["run"],
        when=when[0] if when else None,
        zone=when[1] if when else "",
        source=run["source"],
        points=len(run["points"]),
        first=run["points"][0],
    )
