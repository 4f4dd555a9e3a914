"""The filter column and the axis pickers: what may be chosen in a view, how many points each choice gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.catalog.dimensions import DIMENSIONS, SERIES_DIMENSIONS, Dimension
from app.catalog.metrics import METRICS, Metric
from app.catalog.offload import TIERS
from app.catalog.prices import DEFAULT_PRICES
from app.question import Question
from app.store.select import OFFLOAD_WORDS, UNKNOWN, Selection
from app.view import COLORS
from app.web import links

FACETS = ("chip", "engine", "precision", "spec", "tier", "backend", "origin")
FOLDED = ("orchestrator", "engine_version", "chip_count", "layout", "disaggregated", "concurrency", "run", "source")
"""Shown shut, and only where there is something to choose or something is chosen."""
_LISTED = 40
"""Most values a folded filter lists; a ticked one is always among them."""
_FASTEST = next(iter(TIERS)).key
_SHORT = {"on": "on", "off": "off", UNKNOWN: "not reported", "kv": "KV", "parameter": "parameter"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    value: str
    label: str
    count: int | None = None
    ticked: bool = False
    without: str = ""
    """A filter that has to go for this choice to have points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """One filter: its parameter, its options, and one line that says its state when it is shut."""

    name: str
    label: str
    options: tuple[Option, ...]
    state: str
    shut: bool = False
    narrow: bool = False

    @property
    def active(self) -> bool:
        return any(option.ticked for option in self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A parameter with exactly one value. The default stands without a value, so that links leave it out."""

    name: str
    label: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """An axis picker: metrics in groups, and the other statistics of the chosen quantity as links."""

    groups: tuple[tuple[str, tuple[Option, ...]], ...]
    statistics: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    model: Choice
    workload: Choice
    facets: tuple[Facet, ...]
    color: Choice
    runs: Choice
    price: Choice | None
    x: Menu
    y: Menu


def controls(question: Question, known: Mapping[str, int]) -> Controls:
    """`known` counts the points of the view that have each metric."""
    offload = _offload(question)
    counts = question.snapshot.counts_of(question.selection, (*FACETS, *FOLDED))
    facets = [facet for key in FACETS if (facet := _facet(question, key, counts[key])) is not None]
    folded = [facet for key in FOLDED if (facet := _facet(question, key, counts[key], shut=True)) is not None]
    at = next((place for place, facet in enumerate(facets) if facet.name == "tier"), len(facets))
    priced = any(metric.made == "priced" for metric in (question.x, question.y))
    return Controls(
        model=model_choice(question),
        workload=workload_choice(question),
        facets=(*facets[:at], *([offload] if offload else []), *facets[at:], *folded),
        color=_color(question),
        runs=_runs(question),
        price=_price(question) if priced else None,
        x=_menu(question, "x", question.x, known),
        y=_menu(question, "y", question.y, known),
    )


def _facet(question: Question, key: str, found: Mapping[str | None, int], *, shut: bool = False) -> Facet | None:
    dimension = DIMENSIONS[key]
    ticked = question.view.filter.get(key, ())
    counts = {value or UNKNOWN: count for value, count in found.items()}
    if key == "tier":
        counts.pop(_FASTEST, None) if _FASTEST not in ticked else None
    values = sorted({*counts, *ticked}, key=lambda value: dimension.order(None if value == UNKNOWN else value))
    if len(values) < 2 and not ticked and (shut or len(values) == 0):
        return None
    if len(values) > _LISTED:
        often = sorted(values, key=lambda value: (value not in ticked, -counts.get(value, 0)))[:_LISTED]
        values = [value for value in values if value in often]
    options = tuple(
        Option(value=value, label=_label(dimension, value), count=counts.get(value, 0), ticked=value in ticked)
        for value in values
    )
    return Facet(name=key, label=dimension.label, options=options, state=_state(options), shut=shut)


def _offload(question: Question) -> Facet | None:
    ticked = question.view.offload
    counts = question.snapshot.offload_counts(question.selection)
    options = tuple(
        Option(value=word, label=_SHORT[word], count=counts[word], ticked=word in ticked)
        for word in OFFLOAD_WORDS
        if counts[word] or word in ticked
    )
    if not options:
        return None
    return Facet(name="offload", label="Offload", options=options, state=_state(options), narrow=True)


def _label(dimension: Dimension, value: str) -> str:
    return dimension.label_of(None if value == UNKNOWN else value)


def _state(options: Sequence[Option]) -> str:
    ticked = [option.label for option in options if option.ticked]
    if not ticked:
        return options[0].label if len(options) == 1 else "all"
    return ticked[0] if len(ticked) == 1 else f"{len(ticked)} of {len(options)}"


def model_choice(question: Question) -> Choice:
    """Every model that other filters leave; where only the workload rules one out, choosing it drops the workload."""
    here = question.snapshot.counts(question.everything, "model")
    others: Mapping[str | None, int] = {}
    if "workload" in question.view.filter:
        others = question.snapshot.counts(_without(question.everything, "workload"), "model")
    return Choice(
        name="model",
        label="Model",
        options=_choices(question, "model", {**others, **here}, question.models, without=set(others) - set(here)),
    )


def _without(selection: Selection, key: str) -> Selection:
    return replace(selection, filters={name: values for name, values in selection.filters.items() if name != key})


def workload_choice(question: Question) -> Choice:
    here = question.snapshot.counts(question.selection, "workload")
    return Choice(
        name="workload",
        label="Workload",
        options=_choices(question, "workload", here, question.workloads, without=set()),
    )


def _choices(
    question: Question,
    key: str,
    counts: Mapping[str | None, int],
    chosen: Sequence[str],
    without: set[str | None],
) -> tuple[Option, ...]:
    dimension = DIMENSIONS[key]
    wanted = question.view.filter.get(key) or chosen
    values = {value or UNKNOWN: count for value, count in counts.items()}
    options = [
        Option(
            value=value,
            label=_label(dimension, value),
            count=values.get(value, 0),
            ticked=len(wanted) == 1 and value in wanted,
            without="workload" if value in without else "",
        )
        for value in sorted({*values, *wanted}, key=lambda value: dimension.order(None if value == UNKNOWN else value))
    ]
    if len(wanted) > 1:
        options.insert(0, Option(value="", label=f"{len(wanted)} chosen", ticked=True))
    return tuple(options)


def _color(question: Question) -> Choice:
    names = " × ".join(DIMENSIONS[key].label.lower() for key in SERIES_DIMENSIONS)
    color = question.view.color
    options = [Option(value="", label=names, ticked=color is None)]
    options += [Option(value=key, label=DIMENSIONS[key].label.lower(), ticked=key == color) for key in COLORS]
    return Choice(name="color", label="Color by", options=tuple(options))


def _runs(question: Question) -> Choice:
    newest = question.view.runs == "newest"
    return Choice(
        name="runs",
        label="Runs",
        options=(
            Option(value="", label="newest of each config", ticked=newest),
            Option(value="all", label="all repeats", ticked=not newest),
        ),
    )


def _price(question: Question) -> Choice:
    return Choice(
        name="price",
        label="Price and power table",
        options=tuple(
            Option(
                value="" if table == DEFAULT_PRICES else table.name_version,
                label=table.title,
                ticked=table.name_version == question.prices.name_version,
            )
            for table in question.snapshot.prices.tables
        ),
    )


def _menu(question: Question, name: str, chosen: Metric, known: Mapping[str, int]) -> Menu:
    """Metrics that some point of the view has, and the chosen one."""
    groups: dict[str, list[Option]] = {}
    for metric in METRICS:
        if metric.axis and (known.get(metric.key) or metric.key == chosen.key):
            option = Option(value=metric.key, label=metric.label, ticked=metric.key == chosen.key)
            groups.setdefault(metric.group, []).append(option)
    zoom = {"xr": None} if name == "x" else {"yr": None}
    statistics = tuple(
        (metric.statistic, links.page(question.view, **{name: metric.key}, **zoom), metric.key == chosen.key)
        for metric in METRICS
        if metric.statistic and metric.family == chosen.family and known.get(metric.key)
    )
    return Menu(
        groups=tuple((group, tuple(options)) for group, options in groups.items()),
        statistics=statistics if len(statistics) > 1 else (),
    )
