"""Charts as Plotly JSON, one module a figure. The page, the API, notebooks and exports draw the same one."""

from app.figures import curve, history, pareto
from app.figures.figure import Figure
from app.figures.study import OF_STUDY, of_question

FIGURES = {
    "pareto": pareto.figure,
    "curve": curve.figure,
    "history": history.figure,
    **{name: of_question(name) for name in OF_STUDY},
}
"""Every figure by the name in its address: from a question to a figure."""

__all__ = ["FIGURES", "Figure"]
