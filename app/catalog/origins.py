"""Where a point's numbers come from. A frontier never crosses from one origin to another."""

from dataclasses import dataclass

from app.catalog.vocabulary import Term, Vocabulary


@dataclass(frozen=True, kw_only=True)
class Origin(Term):
    """`badge` is printed beside points that nobody measured here; `opacity` dims their marks and lines."""

    badge: str = ""
    opacity: float = 1.0
    dashed_line: bool = False


DEFAULT_ORIGIN = "measured"
SYNTHETIC = "synthetic"
PUBLISHED = "published"

ORIGINS: Vocabulary[Origin] = Vocabulary(
    "origin",
    [
        Origin(key=DEFAULT_ORIGIN, label="Measured", text="Read from a result file that a benchmark run wrote."),
        Origin(
            key="predicted",
            label="Predicted",
            aliases=("estimated", "simulated", "projected"),
            badge="predicted",
            opacity=0.75,
            dashed_line=True,
            text="Computed by a performance model; nobody ran it.",
        ),
        Origin(
            key=PUBLISHED,
            label="Published",
            aliases=("reported",),
            badge="published",
            text="Typed from a public report, which the point page names.",
        ),
        Origin(
            key=SYNTHETIC,
            label="Synthetic",
            aliases=("demo",),
            badge="demo data",
            opacity=0.75,
            text="Made by a small serving model, to have something to look at. Says nothing about real hardware.",
        ),
    ],
)
