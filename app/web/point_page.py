"""The page of a point, put together from its document and from the chart it belongs to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import orjson

from app.catalog.metrics import (
    HBM_POOL_TOKENS,
    METRICS,
    TOTAL_TPUT,
    TOTAL_TPUT_PER_CHIP,
    TTFT_MEAN_S,
    Metric,
    ttft,
)
from app.catalog.point import Json
from app.catalog.prices import PriceTable
from app.details.standing import series_view
from app.figures.small import Curve, SmallChart, series_curve, small_chart
from app.plan.inputs import Inputs
from app.question import HIDDEN_BY_REAL, Question, ask
from app.store.read import Snapshot
from app.store.select import UNKNOWN
from app.view import View
from app.web.blocks import heading as heads
from app.web.blocks.deep import DeepBlock, deep_block
from app.web.blocks.flags import FlagLine, flag_lines
from app.web.blocks.metrics import MetricGroup, metric_groups, metric_text
from app.web.blocks.numbers import number
from app.web.blocks.offload import OffloadBlock, offload_block
from app.web.blocks.plan_form import address
from app.web.blocks.provenance import Provenance, provenance, time_texts
from app.web.blocks.roles import RoleLine, role_lines
from app.web.blocks.twin import TwinBlock, change_of, twin_block

Document = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A way to another point of the same config."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """An earlier content of the address: the snapshot it came with, and the one that superseded it."""

    since: str | None
    until: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    id: str
    run: str
    when: str | None
    figures: tuple[str | None, ...]
    here: bool
    newest: bool
    change: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Chart, twins and repeats: what the store holds around the point."""

    chart: SmallChart | None
    label: str
    view: str
    twins: tuple[TwinBlock, ...]
    twin_title: str
    twin_note: str
    repeats: tuple[Repeat, ...]
    repeat_metrics: tuple[Metric, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PointPage:
    id: str
    config_id: str
    heading: heads.Heading
    tiles: tuple[heads.Tile, ...]
    offload: OffloadBlock
    deep: DeepBlock
    roles: tuple[RoleLine, ...]
    related: Related
    groups: tuple[MetricGroup, ...]
    missing: int
    flags: tuple[FlagLine, ...]
    provenance: Provenance
    before: Step | None
    after: Step | None
    history: tuple[Past, ...]
    raw: str
    plan: str
    """The plan that begins with this point."""


def point_page(document: Document, snapshot: Snapshot, view: View, prices: PriceTable) -> PointPage:
    """The page of a point, from the document that the API sends for it."""
    row = heads.flat(document)
    keys = [flag["key"] for flag in document["flags"]]
    pace = heads.known(_x(view, row), row)
    question = ask(series_view(row, view), snapshot)
    curve = series_curve(question)
    before, after = (_step(document["neighbours"][side]) for side in ("before", "after"))
    groups = metric_groups(row)
    return PointPage(
        id=row["id"],
        config_id=row["config_id"],
        heading=heads.heading(row, _standing(document["standing"])),
        tiles=heads.tiles(document, prices, _rank(document["id"], curve, question.y)),
        offload=offload_block(document["offload"], document["cache"], row[HBM_POOL_TOKENS], keys),
        deep=deep_block(document),
        roles=role_lines(document["layout"], row["chip"], row["chip_count"]),
        related=_related(document, row, curve, question, pace, view),
        groups=groups,
        missing=sum(group.total - group.reported for group in groups),
        flags=flag_lines(keys),
        provenance=provenance(document),
        before=before,
        after=after,
        history=tuple(Past(**past) for past in document["history"]),
        raw=raw_text(document["raw"]),
        plan=address(Inputs(point=row["id"], snapshot=view.snapshot)),
    )


def _step(other: Document | None) -> Step | None:
    return Step(id=other["id"], text=heads.concurrency_text(other["concurrency"])) if other else None


def _standing(standing: Document) -> str:
    if standing["drawn"]:
        return {True: "on the frontier", False: "dominated"}.get(standing["frontier"], "")
    return f"not on the chart: {standing['reason']}" if standing["reason"] else ""


def _rank(point_id: str, curve: Curve | None, y: Metric) -> str:
    """Its place in throughput among the points of its curve, where that is what the curve shows upwards."""
    dot = next((dot for dot in curve.dots if dot.id == point_id), None) if curve else None
    if curve is None or dot is None or y.key != TOTAL_TPUT_PER_CHIP or len(curve.dots) < 2:
        return ""
    rank = 1 + sum(other.y > dot.y for other in curve.dots)
    place = "highest" if rank == 1 else f"rank {number(rank, 0)}"
    return f"{place} of {number(len(curve.dots), 0)} on its curve"


def point_view(row: Document, view: View, *, newest: bool) -> View:
    """The chart that this point is on: its model, workload and origin, with what the reader's view adds."""
    filters = {
        "model": (row["model"] or UNKNOWN,),
        "workload": (row["workload"] or UNKNOWN,),
    }
    if row["origin"] == HIDDEN_BY_REAL:
        filters["origin"] = (row["origin"],)
    return replace(
        view,
        filters=tuple(filters.items()),
        offload=(),
        runs="newest" if newest else "all",
        hide=(),
        xr=None,
        yr=None,
        at=(),
        sort=None,
        point=(row["id"],),
    )


def _related(
    document: Document, row: Document, curve: Curve | None, question: Question, pace: Metric, view: View
) -> Related:
    named = {twin["id"]: f"twin, {_short(twin)}" for twin in document["twins"][:1]}
    twins = tuple(twin_block(row, twin, pace) for twin in document["twins"])
    compared = _compared(document, pace)
    link = point_view(row, view, newest=row["newest_rank"] == 1).query()
    return Related(
        chart=small_chart([curve], question.x, question.y, prices=question.price_words, this=row["id"], twins=named)
        if curve
        else None,
        label=curve.label if curve else "",
        view=f"/?{link}",
        twins=twins,
        twin_title="Against its twin" if twins and not twins[0].opposite else "Offload on against off",
        twin_note=_twin_note(document),
        repeats=_repeats(document, compared),
        repeat_metrics=compared,
    )


def _short(row: Document) -> str:
    return {"on": "offload on", "off": "offload off"}.get(row["offload_mode"], "offload not reported")


def _twin_note(row: Document) -> str:
    if row["twins"]:
        return ""
    if row["offload_mode"] == "unknown":
        return "Whether this point used offload is not reported, so it has no twin."
    other = "without offload" if row["offload_mode"] == "on" else "with offload"
    return f"No twin in the store: no result of this recipe {other} at this concurrency and workload."


def _compared(document: Document, pace: Metric) -> tuple[Metric, ...]:
    """Two metrics that repeats are told apart by: of those a reader asks for first, the ones that some repeat has."""
    wanted = (METRICS[TOTAL_TPUT_PER_CHIP], METRICS[TOTAL_TPUT], pace, METRICS[ttft("p50")], METRICS[TTFT_MEAN_S])
    known = [metric for metric in wanted if any(row[metric.key] is not None for row in document["repeats"])]
    if known[:2] == list(wanted[:2]):
        known.pop(1)
    return tuple(known[:2]) or (wanted[0], pace)


def _repeats(document: Document, metrics: tuple[Metric, ...]) -> tuple[Repeat, ...]:
    """Every run of this identity, newest first, each with its change against this point. None where it is alone."""
    if len(document["repeats"]) < 2:
        return ()
    first = metrics[0]
    return tuple(
        Repeat(
            id=other["id"],
            run=other["run_label"] or other["run"],
            when=" ".join(time_texts(other["run_time"]) or ()) or None,
            figures=tuple(metric_text(metric, other[metric.key]) for metric in metrics),
            here=other["id"] == document["id"],
            newest=other["newest_rank"] == 1,
            change=None
            if other["id"] == document["id"]
            else change_of(first, document[first.key], other[first.key])[0],
        )
        for other in document["repeats"]
    )


def _x(view: View, row: Document) -> Metric:
    metric = METRICS[view.x] if view.x else None
    return metric if metric and metric.family == "interactivity" else heads.default_interactivity(row["workload"])


def raw_text(raw: Json) -> str:
    return orjson.dumps(raw, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS, default=str).decode()
