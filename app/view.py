"""What a reader asked to see, as a value. Its text form is the query string, and there is no other state."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from urllib.parse import parse_qsl, urlencode

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS, ttft
from app.catalog.prices import OF_HALO, Prices
from app.catalog.renamed import respelled
from app.catalog.vocabulary import is_other
from app.store.select import OFFLOAD_WORDS, UNKNOWN

Pair = tuple[str, str]
Range = tuple[float, float]
Bound = tuple[str, float]
"""A metric and the value that a point must reach or stay below: the metric's better side says which."""

FILTERS: tuple[str, ...] = tuple(
    dimension.key for dimension in DIMENSIONS if dimension.link and dimension.key != "offload"
)
COLORS: tuple[str, ...] = tuple(dimension.key for dimension in DIMENSIONS if dimension.color)
RUNS = ("newest", "all")
AXES = ("x", "y")

NARROWEST = 1e-300
"""Least width of a window: below it, as beyond the largest number, axes have no marks to carry."""

SLO_EXAMPLE = f"slo={ttft('p90')}:2"

LONGEST = 300
"""Characters of a value: beyond, it names nothing that a store holds."""

MOST = 8000
"""Characters of a view's query, as links spell it. Every link of a page repeats it."""

TOLD = 10
"""Problems that a page or an answer tells one by one."""

_KNOWN = 12
_QUOTED = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a query that could not be read: parameter, value, and a sentence with what would be right."""

    parameter: str
    value: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Filters, axes and presentation. Absent parts are defaults, which a link leaves out.

    `filters` holds (dimension, values) in catalog order; values are keys, sorted. `at` are readings on x from low
    to high, `slo` one bound a metric in catalog order, `base` the key of the series that ratios are against.
    """

    filters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    offload: tuple[str, ...] = ()
    x: str | None = None
    y: str | None = None
    color: str | None = None
    runs: str = "newest"
    all: bool = True
    log: tuple[str, ...] = ()
    xr: Range | None = None
    yr: Range | None = None
    hide: tuple[str, ...] = ()
    point: tuple[str, ...] = ()
    at: tuple[float, ...] = ()
    base: str | None = None
    slo: tuple[Bound, ...] = ()
    price: str | None = None
    sort: str | None = None
    rows: str | None = None
    snapshot: str | None = None
    preview: str | None = None

    @property
    def filter(self) -> dict[str, tuple[str, ...]]:
        return dict(self.filters)

    def pairs(self) -> list[Pair]:
        """The shortest parameters that parse back to this view, in a fixed order."""
        pairs: list[Pair] = [(key, value) for key, values in self.filters for value in values]
        pairs += [("offload", word) for word in self.offload]
        pairs += [(name, value) for name in ("x", "y", "color") if (value := getattr(self, name)) is not None]
        if self.runs != "newest":
            pairs.append(("runs", self.runs))
        if not self.all:
            pairs.append(("all", "0"))
        pairs += [("log", axis) for axis in self.log]
        for name in ("xr", "yr"):
            bounds: Range | None = getattr(self, name)
            if bounds is not None:
                pairs.append((name, f"{number_text(bounds[0])},{number_text(bounds[1])}"))
        pairs += [("hide", key) for key in self.hide]
        pairs += [("point", point_id) for point_id in self.point]
        pairs += [("at", number_text(value)) for value in self.at]
        pairs += [("base", self.base)] if self.base is not None else []
        pairs += [("slo", f"{metric}:{number_text(value)}") for metric, value in self.slo]
        pairs += [
            (name, value)
            for name in ("price", "sort", "rows", "snapshot", "preview")
            if (value := getattr(self, name)) is not None
        ]
        return pairs

    def query(self) -> str:
        return urlencode(self.pairs())


PARAMETERS: tuple[str, ...] = (
    *FILTERS,
    *(field.name for field in fields(View) if field.name != "filters"),
)
"""Every parameter a view may have."""


def parse(pairs: Iterable[Pair], prices: Prices = OF_HALO) -> tuple[View, list[Problem]]:
    """The view that parameters ask for, and what could not be read of them. Never raises."""
    problems: list[Problem] = []
    given: dict[str, list[str]] = {}
    length = 0
    for name, value in respelled(pairs):
        if name not in PARAMETERS:
            known = ", ".join(PARAMETERS)
            problems.append(Problem(name, value, f"there is no parameter {short(name)!r}; there are {known}"))
        elif value != "":
            # A value that is given twice stands in links once.
            length += len(urlencode([(name, value)])) + 1 if value not in given.get(name, ()) else 0
            if len(value) > LONGEST:
                detail = f"{name}={short(value)}: a value of {len(value)} characters, where {LONGEST} are the most"
                problems.append(Problem(name, value, detail))
            elif length > MOST:
                detail = f"{name}={short(value)}: beyond the {MOST} characters that a view may take; name fewer values"
                problems.append(Problem(name, value, detail))
            else:
                given.setdefault(name, []).append(value)

    filters: list[tuple[str, tuple[str, ...]]] = []
    for key in FILTERS:
        values = sorted({found for value in given.get(key, ()) if (found := _filter_value(key, value, problems))})
        if values:
            filters.append((key, tuple(values)))
    single = {name: values[-1] for name, values in given.items()}
    return (
        View(
            filters=tuple(filters),
            offload=_listed("offload", given.get("offload", ()), tuple(OFFLOAD_WORDS), problems),
            x=_axis("x", single.get("x"), problems),
            y=_axis("y", single.get("y"), problems),
            color=_one_of("color", single.get("color"), COLORS, problems),
            runs=_one_of("runs", single.get("runs"), RUNS, problems) or "newest",
            all=_one_of("all", single.get("all"), ("0", "1"), problems) != "0",
            log=_listed("log", given.get("log", ()), AXES, problems),
            xr=_range("xr", single.get("xr"), problems),
            yr=_range("yr", single.get("yr"), problems),
            hide=tuple(sorted(set(given.get("hide", ())))),
            point=tuple(dict.fromkeys(given.get("point", ()))),
            at=_readings(given.get("at", ()), problems),
            base=single.get("base"),
            slo=_bounds(given.get("slo", ()), problems),
            price=_price(single.get("price"), prices, problems),
            sort=_sort(single.get("sort"), problems),
            rows=_one_of("rows", single.get("rows"), ("all",), problems),
            snapshot=single.get("snapshot"),
            preview=single.get("preview"),
        ),
        problems,
    )


def parse_query(text: str, prices: Prices = OF_HALO) -> tuple[View, list[Problem]]:
    return parse(parse_qsl(text, keep_blank_values=True), prices)


def short(text: str) -> str:
    """The beginning of a text that somebody sent, to be quoted."""
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


def bounded(problems: Sequence[Problem]) -> list[Problem]:
    """The first problems, one of each, with values cut to what can be quoted; a last one counts those left out."""
    distinct = list(dict.fromkeys(Problem(short(p.parameter), short(p.value), p.detail) for p in problems))
    if len(distinct) <= TOLD:
        return distinct
    rest = distinct[TOLD:]
    names = ", ".join(list(dict.fromkeys(problem.parameter for problem in rest))[:_KNOWN])
    detail = f"{len(rest)} more parts cannot be read, of {names}"
    return [*distinct[:TOLD], Problem(rest[0].parameter, rest[0].value, detail)]


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _filter_value(key: str, value: str, problems: list[Problem]) -> str | None:
    """The stored value a filter asks for. A word that its vocabulary does not know is a problem, save `other:` ones."""
    dimension = DIMENSIONS[key]
    if value == UNKNOWN:
        return value
    found = dimension.resolve(value)
    vocabulary = dimension.vocabulary
    if found is None and dimension.number:
        problems.append(Problem(key, value, f"{key}={short(value)}: a whole number is expected, or '{UNKNOWN}'"))
    elif vocabulary is not None and (found is None or (is_other(found) and not is_other(value))):
        keys = [term.key for term in vocabulary]
        more = f" and {len(keys) - _KNOWN} more, which /glossary lists" if len(keys) > _KNOWN else ""
        known = f"known are {', '.join(keys[:_KNOWN])}{more}"
        problems.append(Problem(key, value, f"{key}={short(value)}: unknown {vocabulary.name}; {known}"))
        return None
    return found


def _axis(name: str, value: str | None, problems: list[Problem]) -> str | None:
    if value is None:
        return None
    metric = METRICS.get(value)
    if metric is None or not metric.axis:
        problems.append(Problem(name, value, f"{name}={short(value)}: unknown metric; /glossary lists those there are"))
        return None
    return metric.key


def _one_of(name: str, value: str | None, words: Sequence[str], problems: list[Problem]) -> str | None:
    if value is None or value in words:
        return value
    problems.append(Problem(name, value, f"{name}={short(value)}: expected one of {', '.join(words)}"))
    return None


def _listed(name: str, values: Iterable[str], words: Sequence[str], problems: list[Problem]) -> tuple[str, ...]:
    found = {word for value in values if (word := _one_of(name, value, words, problems))}
    return tuple(word for word in words if word in found)


def _readings(values: Iterable[str], problems: list[Problem]) -> tuple[float, ...]:
    found = set()
    for value in values:
        number = finite(value)
        if number is None:
            problems.append(Problem("at", value, f"at={short(value)}: a number is expected"))
        else:
            found.add(number)
    return tuple(sorted(found))


def _bounds(values: Iterable[str], problems: list[Problem]) -> tuple[Bound, ...]:
    """Of two bounds on one metric the stricter stays: both must hold."""
    found: dict[str, float] = {}
    for value in values:
        key, _, text = value.rpartition(":")
        metric, number = METRICS.get(key), finite(text)
        if metric is None or metric.better == "none":
            known = "a metric that has a better side; /glossary lists them"
            problems.append(Problem("slo", value, f"slo={short(value)}: before the colon {known}: {SLO_EXAMPLE}"))
        elif number is None:
            problems.append(
                Problem("slo", value, f"slo={short(value)}: a number is expected after the colon: {SLO_EXAMPLE}")
            )
        else:
            stricter = min if metric.better == "lower" else max
            found[key] = stricter(found.get(key, number), number)
    return tuple((metric.key, found[metric.key]) for metric in METRICS if metric.key in found)


def finite(text: str) -> float | None:
    """The number that a text spells; None when it spells none, or one that is not finite."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _range(name: str, value: str | None, problems: list[Problem]) -> Range | None:
    if value is None:
        return None
    parts = value.split(",")
    try:
        low, high = (float(part) for part in parts)
    except ValueError:
        low = high = math.nan
    if not NARROWEST < high - low < math.inf:
        problems.append(
            Problem(name, value, f"{name}={short(value)}: two numbers are expected, the lower one first: {name}=10,80")
        )
        return None
    return low, high


def _price(value: str | None, prices: Prices, problems: list[Problem]) -> str | None:
    if value is None:
        return None
    try:
        return prices.resolve(value).name_version
    except KeyError as error:
        problems.append(Problem("price", value, f"price={short(value)}: {error.args[0]}"))
        return None


def _sort(value: str | None, problems: list[Problem]) -> str | None:
    if value is None:
        return None
    key = value.removeprefix("-")
    if key in METRICS or key in DIMENSIONS:
        return value
    problems.append(
        Problem("sort", value, f"sort={short(value)}: expected a metric or a dimension, '-' before it for descending")
    )
    return None
