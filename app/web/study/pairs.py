"""The table of pairs, and what could not be compared: one line a pair, sorted by the server."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.catalog.metrics import CONCURRENCY, METRICS, Metric
from app.study.pairs import Change, Pair
from app.study.study import Study
from app.study.words import count_text
from app.web.blocks.heading import Glyph, concurrency_text, glyph_of
from app.web.blocks.metrics import metric_text
from app.web.blocks.numbers import number
from app.web.blocks.twin import change_of
from app.web.study.places import Place

PAGE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeCell:
    """`+76.8 %` and what stands behind it; None where it was not compared, and `note` says why."""

    text: str | None
    tone: str
    word: str
    before: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLine:
    glyph: Glyph
    recipe: str
    arm: str
    arm_id: str
    concurrency: str
    off: str
    on: str
    link: str
    """FLOP per link byte; empty where it is not known."""
    link_of: str
    cells: tuple[ChangeCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    label: str
    small: str
    term: str
    href: str
    sorted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why points were not compared, with each of them."""

    text: str
    points: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTable:
    heads: tuple[Head, ...]
    lines: tuple[PairLine, ...]
    total: int
    all_href: str
    reasons: tuple[Reason, ...]


def pair_table(study: Study, place: Place) -> PairTable:
    columns = _columns(study.pairs)
    ordered = _sorted(study.pairs, place.view.sort, columns)
    limit = None if place.view.rows == "all" else PAGE
    return PairTable(
        heads=tuple(_heads(columns, place)),
        lines=tuple(_line(pair, columns) for pair in ordered[:limit]),
        total=len(ordered),
        all_href=place.href(rows="all") if limit and len(ordered) > limit else "",
        reasons=_reasons(study),
    )


def _columns(pairs: Sequence[Pair]) -> list[Metric]:
    """Quantities that some pair compares, in catalog order; throughput under whichever name a pair has it."""
    known = [change.metric for pair in pairs for change in pair.changes if change.change is not None]
    every = [change.metric for pair in pairs for change in pair.changes]
    return list({metric.key: metric for metric in METRICS if metric in (known or every)}.values())


def _found(pair: Pair, metric: Metric) -> Change | None:
    return next((change for change in pair.changes if change.metric is metric), None)


def _sorted(pairs: Sequence[Pair], sort: str | None, columns: Sequence[Metric]) -> list[Pair]:
    """By the change of a metric, or by concurrency; what was not compared comes last. Else recipe by recipe."""
    key = (sort or "").removeprefix("-")
    descending = (sort or "").startswith("-")
    metric = next((metric for metric in columns if metric.key == key), None)
    if metric is None and key != CONCURRENCY:
        return list(pairs)

    def value(pair: Pair) -> float | None:
        if metric is None:
            return pair.concurrency
        change = _found(pair, metric)
        return change.change if change else None

    return sorted(pairs, key=_last(value, descending))


def _last(value: Callable[[Pair], float | None], descending: bool) -> Callable[[Pair], tuple[bool, float]]:
    def key(pair: Pair) -> tuple[bool, float]:
        found = value(pair)
        return (True, 0.0) if found is None else (False, -found if descending else found)

    return key


def _heads(columns: Sequence[Metric], place: Place) -> list[Head]:
    heads = [_head(METRICS[CONCURRENCY], "", place)]
    return heads + [_head(metric, "points" if metric.is_share else "change", place) for metric in columns]


def _head(metric: Metric, small: str, place: Place) -> Head:
    sort = place.view.sort
    descending = sort == f"-{metric.key}"
    turned = metric.key if descending else f"-{metric.key}"
    return Head(
        label=metric.label,
        small=small,
        term=metric.family,
        href=place.href(sort=turned),
        sorted="descending" if descending else "ascending" if sort == metric.key else "",
    )


def _line(pair: Pair, columns: Sequence[Metric]) -> PairLine:
    return PairLine(
        glyph=glyph_of(pair.on.values),
        recipe=pair.recipe.label,
        arm=pair.arm.short,
        arm_id=pair.arm.id,
        concurrency=concurrency_text(pair.concurrency),
        off=pair.off.id,
        on=pair.on.id,
        link=count_text(pair.link.value) if pair.link else "",
        link_of=pair.link.worked if pair.link else "",
        cells=tuple(_cell(_found(pair, metric), metric) for metric in columns),
    )


_WORDS = {"same": "the same", "noise": "within noise"}


def _cell(change: Change | None, metric: Metric) -> ChangeCell:
    if change is None or change.change is None:
        why = change.why if change else "not reported on both sides"
        return ChangeCell(text=None, tone="", word="", before="", note=why)
    text, _ = change_of(metric, change.off, change.on)
    return ChangeCell(
        text=text,
        tone={"better": "good", "worse": "bad"}.get(change.verdict, ""),
        word=_WORDS.get(change.verdict, ""),
        before=f"{metric_text(metric, change.off)} → {metric_text(metric, change.on)} {metric.unit}",
        note=_spread(change, metric),
    )


def _spread(change: Change, metric: Metric) -> str:
    parts = []
    for word, bounds in (("off", change.off_range), ("on", change.on_range)):
        if bounds:
            parts.append(f"{word} {metric_text(metric, bounds[0])} to {metric_text(metric, bounds[1])}")
    return f"repeats: {', '.join(parts)}" if parts else ""


def _reasons(study: Study) -> tuple[Reason, ...]:
    found: dict[str, list[tuple[str, str]]] = {}
    for apart in study.apart:
        level = apart.sample.concurrency
        text = f"{apart.recipe.label}, {apart.arm.short}: {_general(apart.reason, level)}"
        found.setdefault(text, []).append((apart.sample.id, concurrency_text(level)))
    return tuple(Reason(text=text, points=tuple(points)) for text, points in found.items())


def _general(reason: str, level: float | None) -> str:
    """The reason without the load, which its links tell."""
    return reason.removesuffix(f" at concurrency {number(level, 0) if level is not None else ''}")
