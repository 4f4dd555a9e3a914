"""Where the prompt tokens of a point went, against what its trace would allow: a bar whose parts are the whole."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.catalog.offload import DENOMINATORS
from app.catalog.point import Json
from app.web.blocks.numbers import percent

Document = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A share of all prompt tokens, with its formula."""

    key: str
    label: str
    share: float
    width: float
    formula: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MissBlock:
    parts: tuple[Part, ...]
    achieved: str | None
    formula: str
    above: bool
    reason: str
    prediction: str

    @property
    def words(self) -> str:
        return ", ".join(f"{part.label} {percent(part.share)}" for part in self.parts)


def miss_block(misses: Document) -> MissBlock:
    ceiling, cached, achieved = misses["ceiling"], misses["cached"], misses["achieved"]
    return MissBlock(
        parts=tuple(
            Part(
                key=part["key"],
                label=part["label"],
                share=part["share"],
                width=round(100 * part["share"], 3),
                formula=part["formula"],
                text=part["text"],
            )
            for part in misses["parts"]
        ),
        achieved=percent(achieved) if achieved is not None else None,
        formula=f"{percent(cached)} cached / {percent(ceiling)} ceiling" if achieved is not None else "",
        above=misses["above_ceiling"],
        reason=misses["reason"],
        prediction=_prediction(misses["prediction"]),
    )


def _prediction(found: Document | None) -> str:
    """Set beside the bar, never in it: a mean over requests is no share of tokens."""
    if found is None:
        return ""
    of = DENOMINATORS.label(found["denominator"]) or found["denominator"]
    delivered = f"; the engine delivered {percent(found['delivered'])} of all tokens" if found["delivered"] else ""
    return (
        f"The router expected {percent(found['value'])} ({of}, a mean over requests){delivered}. The two have "
        "different denominators, so their difference hints at misrouting and does not measure it."
    )
