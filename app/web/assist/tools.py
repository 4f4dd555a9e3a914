"""The tools there are: which address of the API each asks, what it takes, and how much it answers unasked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.catalog.metrics import CACHED_SHARE, INTERACTIVITY_P50, INTERACTIVITY_P90, TOTAL_TPUT_PER_CHIP, ttft
from app.details.row import COLUMNS
from app.view import FILTERS
from app.web.deps import NOTHING, WHOLE
from app.web.parameters import Schema, parameter
from app.web.study.places import OWN

ID = "id"
ALL = "all"

_MEANT = (*FILTERS, "offload", "runs", "price", "snapshot")
"""Which points are meant, and at which prices."""

_SHOWN = ("log", "xr", "yr", "hide", "point", "at")
"""What changes no number, but the page that the answer links to."""

BRIEF = (
    *("id", "config_id", "model", "workload", "chip", "chip_count", "engine", "precision", "spec", "concurrency"),
    *("origin", "offload_mode", "offload_label", "flags"),
)
"""Columns of a row that stand for the rest, beside its metrics."""

USUAL_METRICS = (TOTAL_TPUT_PER_CHIP, INTERACTIVITY_P50, INTERACTIVITY_P90, ttft("p50"), CACHED_SHARE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that asks `address` of the API, and links to `page`.

    `parts` are keys of that answer that come when named, with what they hold; `usual` those that come unasked.
    Lists at the paths in `lists` are given in pages; `a.b` is the list `b` of `a`, or those of its items on end.
    """

    name: str
    title: str
    text: str
    address: str
    page: str
    query: tuple[str, ...] = NOTHING
    given: Mapping[str, str] = field(default_factory=dict)
    """Parameters whose value is another than the API's where none is given."""
    parts: Mapping[str, str] = field(default_factory=dict)
    usual: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    columns: bool = False
    limit: int = 0
    """Items of a page where no number is given; 0 for an answer that has no pages."""
    most: int = 0

    @property
    def needs_id(self) -> bool:
        return "{" in self.address


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="vocabulary",
        title="Words and metrics",
        text="What every word means and which there are: metrics with unit, definition and direction, dimensions, "
        "chips, engines, models, offload words, flags, price tables. Their keys are what other tools take. Without "
        "`parts` it lists the keys alone.",
        address="/api/v1/vocabulary",
        page="/glossary",
        parts={
            "metrics": "axes, columns and `sort`, with units and formulas",
            "dimensions": "what points are filtered and colored by",
            "chips": "",
            "engines": "",
            "orchestrators": "",
            "models": "",
            "precisions": "",
            "speculations": "",
            "origins": "measured, predicted, published, synthetic",
            "offload": "modes, kinds, tiers, backends, write policies",
            "flags": "named doubts about a point's numbers",
            "prices": "$ and kW per chip, by source and date",
        },
    ),
    Tool(
        name="points",
        title="Benchmark points",
        text="Rows of points that match the filters, one per config, workload and concurrency. Every match counts, "
        "whatever its model or workload: name them. `sort` by a metric to get the best first.",
        address="/api/v1/points",
        page="/",
        query=(*_MEANT, "x", "y", "sort"),
        columns=True,
        limit=20,
        most=200,
    ),
    Tool(
        name="point",
        title="One point",
        text="A point whole, by its `id`: its row, which offload it used and on what evidence, which tier served which "
        "share of its prompt, flags in words, where the record lies. `parts` adds more.",
        address="/api/v1/points/{id}",
        page="/points/{id}",
        query=WHOLE,
        parts={
            "offload": "mode, kind, tiers, backend, evidence",
            "cache": "prompt tokens by memory tier, with denominators",
            "pools": "sizes of the pools against the working set",
            "misses": "why prompt tokens were computed",
            "traffic": "bytes and tokens that offload moved",
            "nvme": "what the drives did",
            "dimensions": "every word of its config",
            "metrics": "every metric with unit and definition",
            "facts": "command line, server settings, versions",
            "provenance": "file, place, reader, what was supplied",
            "standing": "its place on its curve",
            "twins": "the same recipe with other offload, and the differences",
            "neighbours": "the same config at lower and higher load",
            "repeats": "other measurements of the same",
            "history": "former contents of this address",
            "raw": "the record as it came",
        },
        usual=("offload", "cache", "provenance", "standing"),
    ),
    Tool(
        name="frontier",
        title="Pareto frontier",
        text="Series of one model and workload with their frontier on two metrics: what nothing in a series beats on "
        "both. Without a model or workload it takes the newest that has data and says which. `all=1` gives dominated "
        "points as well. Parameters that change no number change the chart that it links to.",
        address="/api/v1/frontier",
        page="/",
        query=(*_MEANT, "x", "y", "color", "all", *_SHOWN),
        given={"all": "0"},
        lists=("series.points",),
        limit=40,
        most=500,
    ),
    Tool(
        name="compare",
        title="Series against each other",
        text="Series of one model and workload at equal x (`at`), each reading measured, interpolated between "
        "two named points, or outside the range, with its ratio to `base`; areas under the frontiers; what meets the "
        "service levels `slo`. `parts` adds equal concurrency.",
        address="/api/v1/compare",
        page="/compare",
        query=(*_MEANT, "x", "y", "color", "hide", "at", "base", "slo"),
        parts={
            "series": "each with its frontier and range",
            "readings": "every series at each x, with ratios",
            "area": "under each frontier over the common range",
            "service": "the best config of each kind within the service levels",
            "matched": "equal concurrency",
        },
        usual=("readings", "area", "service"),
        lists=("series", "readings.cells", "area.rows", "service.classes", "matched.rows"),
        limit=20,
        most=200,
    ),
    Tool(
        name="offload_study",
        title="Whether KV offload paid",
        text="Pairs of points with and without KV-cache offload at equal load, and verdicts with the points they rest "
        "on: whether offload paid, since which load, and whether NVMe added to DRAM. Without `parts` it gives the "
        "verdicts.",
        address="/api/v1/offload",
        page="/offload",
        query=(*_MEANT, "x", "y", *OWN),
        parts={
            "verdicts": "answers in words, with their points",
            "pairs": "each metric with offload against without, at equal load",
            "not_compared": "what has no twin, and why",
            "gains": "what offload adds to each frontier",
            "pressure": "working set against pools, and the regime",
            "nvme": "whether NVMe added to DRAM, by stretches of load",
            "waterfall": "prompt tokens tier by tier of one config (`arm`)",
            "sides": "two series side by side (`a`, `b`)",
            "arms": "configs that `arm` takes",
            "series": "keys that `a` and `b` take",
            "parameter": "parameter offload (Engram)",
        },
        usual=("verdicts",),
        lists=("verdicts", "pairs", "not_compared", "gains", "pressure.points", "nvme", "arms", "series"),
        limit=20,
        most=200,
    ),
)

BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}


def input_schema(tool: Tool) -> Schema:
    """What the tool takes, as JSON Schema. A view's parameters are described as in the API."""
    properties: dict[str, Schema] = {}
    if tool.needs_id:
        properties[ID] = {"type": "string", "description": "The `id` of a row."}
    for name in tool.query:
        told = parameter(name)
        usual = {"default": tool.given[name]} if name in tool.given else {}
        properties[name] = {"description": told["description"], **told["schema"], **usual}
    if tool.parts:
        properties["parts"] = _several(tuple(tool.parts), _parts_text(tool), list(tool.usual))
    if tool.columns:
        text = f"Columns of a row; `{ALL}` for every one. Default: those that name the point, and a few metrics."
        properties["columns"] = _several((ALL, *COLUMNS), text, None)
    if tool.limit:
        properties["limit"] = {
            "type": "integer",
            "minimum": 1,
            "maximum": tool.most,
            "default": tool.limit,
            "description": "Most rows, or items of each list, in this answer.",
        }
        properties["cursor"] = {
            "type": "string",
            "description": "`next` of the answer before, with the same other arguments. It stays in that snapshot.",
        }
    required = {"required": [ID]} if tool.needs_id else {}
    return {"type": "object", "properties": properties, "additionalProperties": False, **required}


def output_schema(tool: Tool) -> Schema:
    """The keys that every answer of the tool has. The shape of the rest stands in the API's description."""
    texts: dict[str, Schema] = {
        "links": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "The page and the JSON of this answer: live, and frozen in its snapshot.",
        }
    }
    if tool.name != "vocabulary":
        texts["snapshot"] = {"type": "string", "description": "The state of the store that answered."}
    if tool.limit:
        texts["next"] = {
            "type": ["string", "null"],
            "description": "The `cursor` of the next page; null when there is none.",
        }
    if tool.parts:
        texts["other_parts"] = {
            "type": "array",
            "items": {"type": "string"},
            "description": "Parts that were not asked for.",
        }
    return {"type": "object", "properties": texts, "required": list(texts), "additionalProperties": True}


def _several(words: tuple[str, ...], text: str, usual: list[str] | None) -> Schema:
    found: dict[str, Any] = {"type": "array", "items": {"type": "string", "enum": list(words)}, "description": text}
    return found if usual is None else {**found, "default": usual}


def _parts_text(tool: Tool) -> str:
    told = (f"`{name}` ({text})" if text else f"`{name}`" for name, text in tool.parts.items())
    return f"Parts of the answer: {', '.join(told)}."
