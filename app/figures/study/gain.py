"""Each series' frontier with KV offload over its frontier without, as staircases, what lies between them shaded."""

from collections.abc import Sequence
from itertools import pairwise

from app.curve import Corner, reach
from app.figures.figure import Figure, Plain
from app.figures.study.board import X_MARKS, Y_MARKS, dots, figure, metric_axis, trace, value_text
from app.study.gain import Gain
from app.study.study import Study

_FILL = 0.14


def figure_of(study: Study) -> Figure:
    x, y = study.question.x, study.question.y
    found = [gain for gain in study.gains if gain.with_offload and gain.without]
    data: list[Plain] = []
    for gain in found:
        data += _series(gain, study)
    corners = [corner for gain in found for corner in (*gain.with_offload, *gain.without)]
    return figure(
        study,
        title=f"{study.question.title}: the frontier with and without offload",
        data=data,
        x=metric_axis(x, study.question.price_words, [corner.x for corner in corners], count=X_MARKS),
        y=metric_axis(y, study.question.price_words, [corner.y for corner in corners], count=Y_MARKS),
        colors=[gain.color for gain in found],
        summary=f"{y.label} against {x.label}: the frontier of {len(found)} series with KV offload and without",
        more={"series": [{"key": gain.key, "label": gain.label, "area": gain.area} for gain in found]},
    )


def _series(gain: Gain, study: Study) -> list[Plain]:
    x, y = study.question.x, study.question.y
    color = gain.color.light
    higher = x.better == "higher"
    above, below = stairs(gain.with_offload, higher=higher), stairs(gain.without, higher=higher)
    boxes = _boxes(gain, study)
    data = [
        trace(
            "area",
            gain.label,
            [at for at, _ in boxes],
            [value for _, value in boxes],
            mode="lines",
            fill="toself",
            fillcolor=color,
            opacity=_FILL,
            line={"width": 0, "color": color},
            hoverinfo="skip",
        )
    ]
    for name, steps, dash in (("without", below, "4px,3px"), ("with", above, "")):
        line = {"color": color, "width": 1.75, **({"dash": dash} if dash else {})}
        data.append(
            trace(
                "line",
                f"{gain.label}, {name} KV offload",
                [at for at, _ in steps],
                [value for _, value in steps],
                mode="lines",
                line=line,
                hoverinfo="skip",
            )
        )
        data[-1]["showlegend"] = True
    every = {corner.id: corner for corner in (*gain.without, *gain.with_offload)}.values()
    for halo in (False, True):
        places = [
            (corner.id, corner.x, corner.y, f"{gain.label} · {value_text(y, corner.y)} at {value_text(x, corner.x)}")
            for corner in every
            if corner.halo == halo
        ]
        data += dots(gain.label, places, gain.symbol, color, hollow=gain.hollow, halo=halo)
    return data


def _boxes(gain: Gain, study: Study) -> list[tuple[float | None, float | None]]:
    """What lies between both staircases where offload owns the upper one: an outline for each step, None after it."""
    x, y = study.question.x, study.question.y
    outlines: list[tuple[float | None, float | None]] = []
    for part in gain.owned:
        inner = {corner.x for corner in (*gain.with_offload, *gain.without) if part.low < corner.x < part.high}
        for left, right in pairwise(sorted({part.low, part.high, *inner})):
            high, low = (reach(line, (left + right) / 2, x, y) for line in (gain.with_offload, gain.without))
            if high is not None and low is not None:
                outlines += [(left, low), (left, high), (right, high), (right, low), (None, None)]
    return outlines[:-1]


def stairs(corners: Sequence[Corner], *, higher: bool) -> list[tuple[float, float]]:
    """The staircase through a frontier: what is reached at least at each x, and nothing between points that is not."""
    if not corners:
        return []
    steps = [(corners[0].x, corners[0].y)]
    for left, right in pairwise(corners):
        # Up to a better x the better point serves all that ask for less.
        steps += [(left.x, right.y), (right.x, right.y)] if higher else [(right.x, left.y), (right.x, right.y)]
    return steps
