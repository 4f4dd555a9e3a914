"""Which memory served how much of the prompt: the bar, and the sentence under it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.catalog.metrics import CACHED_SHARE, CEILING_SHARE, COMPUTED_SHARE
from app.catalog.offload import SHARE_OF_PROMPT, TIERS
from app.catalog.point import Json
from app.figures.cards import COMBINED
from app.web.blocks.numbers import percent

Document = Mapping[str, Json]
Words = tuple[tuple[str, bool], ...]
"""A sentence in pieces, and whether each is stressed."""

RECOMPUTED = "recomputed"
_EQUAL = 0.0005
"""Two shares this close print alike, so neither is called the larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of the bar: its tier, what it is called, its share, and its width in percent of the bar."""

    tier: str
    label: str
    share: float
    width: float

    @property
    def roomy(self) -> bool:
        """Whether label and number fit inside, at the width of a phone too."""
        return self.width >= 14 + 1.6 * len(self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """`ceiling` is where its mark stands and `unknown` what no figure accounts for, both in percent of the bar;
    `stretched` is the sum of the shares where it exceeds 1 and the bar is scaled to it.
    """

    segments: tuple[Segment, ...]
    ceiling: float | None
    ceiling_fraction: float | None
    stretched: float | None
    unknown: float

    @property
    def words(self) -> str:
        parts = [f"{segment.label} {percent(segment.share)}" for segment in self.segments]
        if self.unknown > 0.05:
            parts.append("the rest not reported")
        if self.ceiling_fraction is not None:
            parts.append(f"ceiling {percent(self.ceiling_fraction)}")
        return ", ".join(parts)


def is_share(tier: Document) -> bool:
    """Whether a rate is of all prompt tokens; others are never drawn as shares."""
    return bool(tier["denominator"] == SHARE_OF_PROMPT)


def tier_label(medium: str) -> str:
    return TIERS.label(medium) or medium


def bar_of(cache: Document, flags: Sequence[str]) -> Bar | None:
    """The shares of all prompt tokens side by side. None where the record has none."""
    shares = _shares(cache)
    shares.sort(key=lambda tier: TIERS.order(tier["medium"]))
    computed = cache[COMPUTED_SHARE]
    if not shares and computed is None:
        return None
    parts = [(*_named(tier["medium"], flags), tier["share"]) for tier in shares]
    if computed is not None and "sum_gt_1" not in flags:
        parts.append((RECOMPUTED, RECOMPUTED, computed))
    total = sum(share for _, _, share in parts)
    whole = max(total, 1.0)
    ceiling = cache[CEILING_SHARE]
    return Bar(
        segments=tuple(
            Segment(tier=tier, label=label, share=share, width=round(100 * share / whole, 3))
            for tier, label, share in parts
            if share > 0
        ),
        ceiling=round(100 * ceiling / whole, 3) if ceiling is not None else None,
        ceiling_fraction=ceiling,
        stretched=total if total > 1.001 else None,
        unknown=round(max(0.0, 100 * (1 - total)), 3),
    )


def _named(medium: str, flags: Sequence[str]) -> tuple[str, str]:
    """The look and the words of a segment. One rate for HBM and slower memory together is called what it is."""
    if medium == "unattributed" and "combined_rate" in flags:
        return COMBINED.label, COMBINED.label
    return medium, tier_label(medium)


def sentence_of(cache: Document, flags: Sequence[str]) -> Words:
    """What the bar comes to, in words."""
    cached, ceiling = cache[CACHED_SHARE], cache[CEILING_SHARE]
    if "sum_gt_1" in flags:
        total = percent(sum(tier["share"] for tier in _shares(cache)))
        return (
            ("The tiers as reported add up to ", False),
            (total, True),
            (" of the prompt, so no total is given.", False),
        )
    if cached is None:
        return _without_total(ceiling)
    lead = "From a cache at least " if "offload_tier_unreported" in flags else "From a cache "
    words: list[tuple[str, bool]] = [(lead, False), (percent(cached), True)]
    if ceiling and cached <= ceiling + _EQUAL:
        words += [(", which is ", False), (percent(min(1.0, cached / ceiling)), True)]
        words.append((" of what an infinite cache could serve on this trace", False))
    elif ceiling:
        words += [(", more than the ", False), (percent(ceiling), True)]
        words.append((" that an infinite cache could serve within single sessions of this trace", False))
    return (*words, (_ending(cache, flags), False))


def _without_total(ceiling: float | None) -> Words:
    nothing = "What caches served is not reported."
    if ceiling is None:
        return ((nothing, False),)
    lead = f"{nothing} An infinite cache could have served "
    return ((lead, False), (percent(ceiling), True), (" of this trace.", False))


def _ending(cache: Document, flags: Sequence[str]) -> str:
    if "offload_tier_unreported" in flags:
        return "; what slower memory served is not reported."
    if "external_includes_pd" in flags:
        return "; the external part may be transfers from prefill, which are no cache hits."
    if any(tier["medium"] == "unattributed" and tier["share"] for tier in cache["tiers"]):
        return "; the tiers behind it are not told apart."
    return "."


def _shares(cache: Document) -> list[Document]:
    return [tier for tier in cache["tiers"] if tier["share"] is not None and is_share(tier)]
