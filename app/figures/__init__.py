"""Charts as Plotly JSON, one module a figure. The page, the API, notebooks and exports draw the same one."""

from app.figures import curve, pareto
from app.figures.figure import Figure

FIGURES = {"pareto": pareto.figure, "curve": curve.figure}
"""Every figure by the name in its address: from a question to a figure."""

__all__ = ["FIGURES", "Figure"]
