"""Every parameter of a query as OpenAPI describes it, read off the catalog."""

from typing import Any

from app.catalog.dimensions import DIMENSIONS, UNKNOWN
from app.catalog.metrics import METRICS
from app.catalog.prices import DEFAULT_PRICES, PRICE_TABLES
from app.store.read import EMPTY
from app.store.select import OFFLOAD_WORDS
from app.view import AXES, COLORS, FILTERS, RUNS, SLO_EXAMPLE
from app.web.deps import SEVERAL
from app.web.listing import MOST, USUAL

Schema = dict[str, Any]

_AXES = [metric.key for metric in METRICS if metric.axis]
_RANGE = {"type": "string", "pattern": r"^[^,]+,[^,]+$"}


def parameter(name: str) -> Schema:
    """The OpenAPI description of one query parameter."""
    text, schema, example = _filter(name) if name in FILTERS else _OTHERS[name]
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": text,
        "schema": {"type": "array", "items": schema} if name in SEVERAL else schema,
        "example": [example] if name in SEVERAL else example,
        **({"style": "form", "explode": True} if name in SEVERAL else {}),
    }


def path_parameter(name: str, text: str, example: str) -> Schema:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": text,
        "schema": {"type": "string"},
        "example": example,
    }


def _filter(name: str) -> tuple[str, Schema, object]:
    dimension = DIMENSIONS[name]
    words = [term.key for term in dimension.vocabulary] if dimension.vocabulary else []
    text = f"{dimension.label}: keep points with any of these values; `{UNKNOWN}` means not reported."
    if dimension.closed:
        return text, {"type": "string", "enum": [*words, UNKNOWN]}, words[0]
    if words:
        known = ", ".join(f"`{word}`" for word in words)
        return f"{text} Known: {known}; any other as `other:<word>`.", {"type": "string"}, words[0]
    return text, {"type": "string"}, "8" if dimension.number else UNKNOWN


_OTHERS: dict[str, tuple[str, Schema, object]] = {
    "offload": (
        "Keep points whose offload is any of these; `kv` is what a halo marks.",
        {"type": "string", "enum": list(OFFLOAD_WORDS)},
        "kv",
    ),
    "x": (
        "Metric of the horizontal axis. Default: interactivity, at p90 for agentic workloads and at p50 for others.",
        {"type": "string", "enum": _AXES},
        _AXES[0],
    ),
    "y": (
        "Metric of the vertical axis. Default: total throughput per chip.",
        {"type": "string", "enum": _AXES},
        _AXES[0],
    ),
    "color": (
        "The dimension that makes a series. Default: chip x engine x precision x speculation.",
        {"type": "string", "enum": list(COLORS)},
        COLORS[0],
    ),
    "runs": (
        "`newest`: one point per config, workload and concurrency. `all`: every repeat.",
        {"type": "string", "enum": list(RUNS), "default": RUNS[0]},
        RUNS[1],
    ),
    "all": (
        "`0` leaves dominated points out of the frontier's series; figures always carry them.",
        {"type": "string", "enum": ["0", "1"], "default": "1"},
        "0",
    ),
    "log": ("Axes on a logarithmic scale.", {"type": "string", "enum": list(AXES)}, "y"),
    "xr": ("Window on x: lower and upper end.", _RANGE, "10,80"),
    "yr": ("Window on y: lower and upper end.", _RANGE, "0,9000"),
    "hide": (
        "Series that the page hides and a comparison leaves out, by key. Changes no other number.",
        {"type": "string"},
        "any-series",
    ),
    "point": ("Points that the page pins, by id. Changes no number.", {"type": "string"}, "p0123456789ab"),
    "at": (
        "Readings on x: where the page draws its lines and a comparison reads the frontiers. Changes no other number.",
        {"type": "number"},
        40,
    ),
    "base": (
        "The series that ratios of a comparison are against, by key. Default: the one that overlaps most others on x.",
        {"type": "string"},
        "",
    ),
    "slo": (
        "A service level as `metric:value`: at most the value where lower is better, at least it where higher is.",
        {"type": "string", "pattern": r"^[a-z0-9_]+:[^:]+$"},
        SLO_EXAMPLE.removeprefix("slo="),
    ),
    "price": (
        "Price table, as `name@version`, or the name alone for its newest version: one of "
        f"{', '.join(table.name_version for table in PRICE_TABLES)}, or of the store's own, which /data lists.",
        {"type": "string", "default": DEFAULT_PRICES.name_version},
        DEFAULT_PRICES.name_version,
    ),
    "sort": (
        "Order of rows: a metric or dimension, `-` before it for descending. Default: order of arrival.",
        {"type": "string"},
        f"-{_AXES[0]}",
    ),
    "rows": ("Length of the page's own table. Changes no answer here.", {"type": "string", "enum": ["all"]}, "all"),
    "snapshot": (
        "An earlier state of the store, by id. It answers with the same bytes for ever. Default: the live one.",
        {"type": "string"},
        "",
    ),
    "preview": (
        "Files that were dropped to be looked at, laid over the store, by the id that POST /api/v1/preview gave. Kept "
        "for an hour at most, in this server alone.",
        {"type": "string"},
        "",
    ),
    "arm": (
        "The config whose prompt tokens are told tier by tier. Default: the one that reports most.",
        {"type": "string"},
        "",
    ),
    "a": ("First of two series side by side, by key. Default: the two with most in common.", {"type": "string"}, ""),
    "b": ("Second of two series side by side, by key.", {"type": "string"}, ""),
    "from": ("The earlier snapshot, by id. Default: the one before `to`.", {"type": "string"}, EMPTY),
    "to": ("The later snapshot, by id. Default: the newest.", {"type": "string"}, ""),
    "limit": ("Most rows to send.", {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL}, 2),
    "units": (
        "`1` writes the unit of each column behind its key in the header.",
        {"type": "string", "enum": ["0", "1"], "default": "0"},
        "1",
    ),
    "cursor": (
        "Where the next page begins: `next` of the page before. It stays in that page's snapshot.",
        {"type": "string"},
        "",
    ),
}
