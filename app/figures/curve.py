"""A small chart of one series, for the point and config pages: the same marks, one point singled out by the page."""

from app.figures import pareto
from app.figures.figure import Figure
from app.question import Question


def figure(question: Question) -> Figure:
    """The series of a question without legend or title: the page around it names what it shows."""
    drawn = pareto.figure(question)
    layout = {**drawn.layout, "showlegend": False, "margin": {"l": 40, "r": 8, "t": 8, "b": 32}}
    del layout["title"]
    return Figure(data=drawn.data, layout=layout, meta=drawn.meta)
