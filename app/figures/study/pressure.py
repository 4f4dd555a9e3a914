"""What offload gained against how hard the sessions press on HBM, and against how large the pool below it is."""

from collections.abc import Callable, Sequence

from app.catalog.offload import POOL_BAND
from app.figures.figure import Figure, Plain, rounded
from app.figures.study.board import band, change_axis, dots, figure, level, ratio_axis, trace
from app.study.pressure import REGIMES, Pressure
from app.study.study import Study
from app.study.words import change_text, times_text

Of = Callable[[Pressure], float | None]


def by_working_set(study: Study) -> Figure:
    """Left of 1 HBM holds the sessions: that stretch is shaded."""
    found = _placed(study.pressures, lambda item: item.hbm)
    x = ratio_axis("Working set over HBM pool, in tokens", [_num(item.hbm) for item in found], least=(0.5, 2.0))
    shapes = [band(_exponent(x["range"][0]), 1.0), level(0.0)]
    return _figure(study, found, lambda item: item.hbm, x, shapes, "gain against pressure on HBM", "idle")


def by_ratio(study: Study) -> Figure:
    """The band of the empirical guide is shaded."""
    found = _placed(study.pressures, lambda item: item.ratio)
    x = ratio_axis("Pool below HBM over HBM pool, in tokens", [_num(item.ratio) for item in found], least=(0.5, 4.0))
    shapes = [band(*POOL_BAND), level(0.0)]
    return _figure(study, found, lambda item: item.ratio, x, shapes, "gain against the size of the pool", "guide")


def _placed(items: Sequence[Pressure], of: Of) -> list[Pressure]:
    return [item for item in items if item.gain is not None and (value := of(item)) is not None and value > 0]


def _num(value: float | None) -> float:
    return value or 0.0


def _exponent(place: float) -> float:
    return float(rounded(10**place) or 0.0)


def _figure(
    study: Study, found: Sequence[Pressure], of: Of, x: Plain, shapes: list[Plain], title: str, shaded: str
) -> Figure:
    arms: dict[tuple[str, str], list[Pressure]] = {}
    for item in found:
        assert item.pair is not None
        arms.setdefault((item.pair.recipe.label, item.arm.id), []).append(item)
    data: list[Plain] = []
    for members in arms.values():
        pair = members[0].pair
        assert pair is not None
        recipe, color = pair.recipe, pair.recipe.color.light
        name = f"{recipe.series_label} · {members[0].arm.short}"
        xs, ys = [of(item) for item in members], [item.gain for item in members]
        data.append(trace("line", name, xs, ys, mode="lines", line={"color": color, "width": 1.2}, hoverinfo="skip"))
        places = [(item.sample.id, _num(of(item)), _num(item.gain), _words(item, recipe.label)) for item in members]
        data += dots(name, places, recipe.symbol, color, hollow=recipe.hollow, halo=True, legend=True)
    gains = [_num(item.gain) for item in found]
    what = found[0].pair.throughput.metric.label.lower() if found and found[0].pair else "throughput"
    return figure(
        study,
        title=f"{study.question.title}: {title}",
        data=data,
        x=x,
        y=change_axis(f"Change of {what}, off to on", gains),
        colors=[item.pair.recipe.color for item in found if item.pair],
        summary=f"Change of {what} from offload off to on: {len(found)} points, {title}",
        shapes=shapes,
        more={"shaded": shaded, "drawn": len(found), "of": len(study.pressures)},
    )


def _words(item: Pressure, label: str) -> str:
    parts = [label, f"concurrency {item.sample.concurrency:g}"]
    parts += [f"{change_text(item.gain)}, {REGIMES.label(item.regime)}"] if item.gain is not None else []
    parts += [f"working set {times_text(item.hbm)} the HBM pool"] if item.hbm is not None else []
    estimated = ", estimated from bytes" if item.sample.estimate else ""
    parts += [f"pool below {times_text(item.ratio)}{estimated}"] if item.ratio is not None else []
    return " · ".join(parts)
