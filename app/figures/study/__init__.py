"""The figures of the offload study: what each draws is worked out in `app.study`, how, is said here once."""

from collections.abc import Callable

from app.figures.figure import Figure
from app.figures.study import arrows, gain, parameter, pressure, waterfall
from app.question import Question
from app.study.study import Study, study

OF_STUDY: dict[str, Callable[[Study], Figure]] = {
    "offload_pairs": arrows.figure_of,
    "offload_gain": gain.figure_of,
    "offload_waterfall": waterfall.figure_of,
    "offload_pressure": pressure.by_working_set,
    "offload_ratio": pressure.by_ratio,
    "parameter_offload": parameter.figure_of,
}
"""Every figure of the study by the name in its address."""


def of_question(name: str) -> Callable[[Question], Figure]:
    """The figure of a view, with everything that a study leaves open at its default."""

    def figure(question: Question) -> Figure:
        return OF_STUDY[name](study(question))

    return figure
