"""The Pareto chart with an arrow from each point without KV offload to its counterpart with it."""

from app.figures import marks
from app.figures.figure import Figure, Plain
from app.figures.study.board import X_MARKS, Y_MARKS, dots, figure, metric_axis, notches, trace, words_of
from app.study.arms import Sample
from app.study.pairs import Pair
from app.study.study import Study

Place = tuple[str, float, float, str]

_HEAD = 9
_SHORT = 0.02
"""Part of an axis below which two marks touch."""


def figure_of(study: Study) -> Figure:
    """Pairs that have both axes; a pair that lacks one is in the table, not here."""
    x, y = study.question.x, study.question.y
    found = [pair for pair in study.pairs if _is_placed(pair, x.key, y.key)]
    series: dict[str, list[Pair]] = {}
    for pair in found:
        series.setdefault(pair.recipe.series, []).append(pair)
    values = [(side.value(x.key) or 0.0, side.value(y.key) or 0.0) for pair in found for side in (pair.off, pair.on)]
    spans = max((value for value, _ in values), default=1.0), max((value for _, value in values), default=1.0)
    lines, points = [], []
    for members in series.values():
        first = members[0].recipe
        color = first.color.light
        moved = [pair for pair in members if _moves(pair, x.key, y.key, spans)]
        if moved:
            lines.append(_arrows(moved, x.key, y.key, color, first.series_label))
        offs = [_place(pair.off, study, "off") for pair in members]
        ons = [_place(pair.on, study, f"on, {pair.arm.short}") for pair in members]
        points += dots(first.series_label, _once(offs), first.symbol, color, hollow=first.hollow, halo=False)
        points += dots(first.series_label, ons, first.symbol, color, hollow=first.hollow, halo=True, legend=True)
        notched = [place for pair, place in zip(members, offs, strict=True) if pair.base.has_parameter]
        notched += [place for pair, place in zip(members, ons, strict=True) if pair.arm.has_parameter]
        points += notches(first.series_label, _once(notched), color)
    return figure(
        study,
        title=f"{study.question.title}: offload off to on",
        data=[*lines, *points],
        x=metric_axis(x, study.question.price_words, [value for value, _ in values], count=X_MARKS),
        y=metric_axis(y, study.question.price_words, [value for _, value in values], count=Y_MARKS),
        colors=[pair.recipe.color for pair in found],
        summary=f"{y.label} against {x.label}: an arrow from off to on for {len(found)} of {len(study.pairs)} pairs",
        more={"drawn": len(found), "pairs": len(study.pairs), "series": _legend(series)},
    )


def _is_placed(pair: Pair, x: str, y: str) -> bool:
    return all(side.value(key) is not None for side in (pair.off, pair.on) for key in (x, y))


def _place(sample: Sample, study: Study, side: str) -> Place:
    x, y = study.question.x, study.question.y
    return sample.id, sample.value(x.key) or 0.0, sample.value(y.key) or 0.0, f"{side} · {words_of(sample, y, x)}"


def _once(places: list[Place]) -> list[Place]:
    """A point that several arms are held against is drawn once."""
    return list({place[0]: place for place in places}.values())


def _moves(pair: Pair, x: str, y: str, spans: tuple[float, float]) -> bool:
    """Whether an arrow between the two marks would be longer than the marks themselves."""
    return any(
        abs((pair.on.value(key) or 0.0) - (pair.off.value(key) or 0.0)) > _SHORT * span
        for key, span in zip((x, y), spans, strict=True)
    )


def _arrows(pairs: list[Pair], x: str, y: str, color: str, name: str) -> Plain:
    xs: list[float | None] = []
    ys: list[float | None] = []
    sizes: list[int] = []
    for pair in pairs:
        xs += [pair.off.value(x), pair.on.value(x), None]
        ys += [pair.off.value(y), pair.on.value(y), None]
        sizes += [0, _HEAD, 0]
    return trace(
        "arrow",
        name,
        xs,
        ys,
        mode="lines+markers",
        hoverinfo="skip",
        line={"color": color, "width": 1.2},
        marker={
            "symbol": "arrow",
            "size": sizes,
            "color": color,
            "angleref": "previous",
            "standoff": marks.SIZE["circle"] / 2,
            "line": {"width": 0},
        },
    )


def _legend(series: dict[str, list[Pair]]) -> list[Plain]:
    return [
        {"key": key, "label": members[0].recipe.series_label, "pairs": len(members)} for key, members in series.items()
    ]
