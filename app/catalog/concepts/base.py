"""What the page of a concept is made of: explanations in the order a reader asks, views of real data, and sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Page = Literal["chart", "point", "offload", "plan"]
Shows = Literal["", "flows", "ratio", "gds", "page_cache"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Something published. `date` is as exact as it is known, and empty where nobody noted it."""

    title: str
    publisher: str
    date: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A view that shows the concept: which points it is about, and on what page.

    `needs` are metrics that a point must have, and `shows` what else its record must tell: bytes moved, both pools in
    tokens, the state of GPUDirect Storage or of the page cache. `agentic` asks for traces of agents, or for anything
    but. A view whose filters match nothing in the store is not offered. On a point's page, the study's and the plan's
    `anchor` is where to look; the study needs pairs, the plan begins with a point.
    """

    text: str
    page: Page = "chart"
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    offload: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    shows: Shows = ""
    agentic: bool | None = None
    x: str | None = None
    y: str | None = None
    color: str | None = None
    anchor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A term explained at length. `key` is its key in the glossary, whose short text comes first."""

    key: str
    also: tuple[str, ...]
    plain: str
    precise: str
    details: tuple[str, ...]
    matters: str
    reading: str
    looks: tuple[Look, ...]
    sources: tuple[Source, ...]
