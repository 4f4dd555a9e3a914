"""Whose data a point is, where those who publish it ask to be named wherever it is shown."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """What is to be said, and of which sources: the dialects that only that publisher's own answers have."""

    text: str
    href: str
    sources: tuple[str, ...]


ATTRIBUTIONS: tuple[Attribution, ...] = (
    # The lines at the head of the site's own CSV export, 2026.
    Attribution(
        text="InferenceX data, © 2026 SemiAnalysis LLC, Apache-2.0",
        href="https://github.com/SemiAnalysisAI/InferenceX",
        sources=("inferencex-api", "inferencex-site-csv"),
    ),
)


def attribution_of(source: str | None) -> Attribution | None:
    return next((each for each in ATTRIBUTIONS if source in each.sources), None)


def attribution_text(source: str | None) -> str | None:
    """The words with the address, as JSON has them; None for one's own results."""
    found = attribution_of(source)
    return f"{found.text}, {found.href}" if found else None


def attributions_of(sources: Iterable[str | None]) -> tuple[Attribution, ...]:
    """Each that some of these sources asks for, once."""
    wanted = set(sources)
    return tuple(each for each in ATTRIBUTIONS if wanted.intersection(each.sources))
