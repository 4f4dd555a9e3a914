"""The OpenAPI document. Its examples are what this store answers, so that each can be tried as it stands."""

from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

from pydantic.json_schema import models_json_schema

from app.catalog.point import Json
from app.plan.inputs import PARAMETERS as PLAN_PARAMETERS
from app.store.read import Snapshot
from app.store.select import Selection
from app.view import PARAMETERS
from app.web.changes_asked import FILTERED
from app.web.changes_asked import OWN as OWN_CHANGES
from app.web.deps import HISTORY, WHOLE
from app.web.errors import PROBLEM
from app.web.exports.operations import EXPORTS
from app.web.openapi_posts import POST_MODELS, posts
from app.web.operation import VIEW, Operation
from app.web.parameters import path_parameter
from app.web.plan_parameters import plan_parameter
from app.web.report import REPORT
from app.web.schemas.changes import Changes
from app.web.schemas.compare import Comparison
from app.web.schemas.curves import Figure, Frontier, PlotlyFigure, Points
from app.web.schemas.history import History
from app.web.schemas.plan import Plan
from app.web.schemas.rows import Model
from app.web.schemas.series import RunSeries
from app.web.schemas.state import Health, Problem, Rejections, Snapshots, Vocabulary
from app.web.schemas.study import Study
from app.web.schemas.whole import Config, Point
from app.web.study.places import OWN

Answer = tuple[int, Json]
Ask = Callable[[str], Awaitable[Answer]]
"""Asks an address of this application: status, and the answer parsed, or its first lines where it is text."""

_ITEMS = 2
_LETTERS = 400

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        path="/api/v1/points",
        name="points",
        summary="Flat rows of all points that match",
        text=f"{VIEW} Without a model or workload it gives every match. A page holds `limit` rows; `next` is the "
        "cursor of the following one, which goes on in the same snapshot, whatever was ingested meanwhile.",
        model=Points,
        query=(*PARAMETERS, "limit", "cursor"),
        example="?limit=1",
        wrong="?limit=0",
    ),
    *EXPORTS,
    REPORT,
    Operation(
        path="/api/v1/points/{point_id}",
        name="point",
        summary="One point whole",
        text="Its row, its offload and cache by tier, layout by role, every metric with unit and definition, "
        "provenance, flags in words, twins with the differences, neighbours, repeats, its place on its curve, and "
        "the raw record.",
        model=Point,
        query=WHOLE,
        wrong="?price=free",
        twin="/points/{point_id}.json",
    ),
    Operation(
        path="/api/v1/points/{point_id}/series",
        name="series",
        summary="What happened during the run of a point",
        text="Aggregates of its requests and of its server over time: totals, distributions on log bins, percentiles "
        "and load by stretches of `width_s` seconds, prompt tokens by medium, conversations with their turns, and the "
        "figures that the page draws. Where nothing was recorded, parts are null and `keep` says what to keep. "
        "Seconds count from the first request; interactivity p90 is the slow tail.",
        model=RunSeries,
        query=HISTORY,
        wrong="?limit=1",
        twin="/points/{point_id}/series.json",
    ),
    Operation(
        path="/api/v1/configs/{config_id}",
        name="config",
        summary="One config whole",
        text="Recipe and offload in words, its points over concurrency on each workload, its twins, its runs.",
        model=Config,
        query=WHOLE,
        wrong="?limit=1",
        twin="/configs/{config_id}.json",
    ),
    Operation(
        path="/api/v1/frontier",
        name="frontier",
        summary="Series with their frontiers",
        text=f"{VIEW} Without a model or workload it takes the newest that has data and says which in `notes`. The "
        "frontier is computed before any rounding, and never crosses a model, a workload or an origin.",
        model=Frontier,
        query=PARAMETERS,
        example="?all=0",
        wrong="?x=speed",
    ),
    Operation(
        path="/api/v1/figures/{name}",
        name="figure",
        summary="A chart as Plotly JSON",
        text="The figure that the page draws, halos included, and what the page knows of it in `meta`. The address "
        "with `.plotly.json` at its end answers with the figure alone.",
        model=Figure,
        query=PARAMETERS,
        wrong="?log=z",
    ),
    Operation(
        path="/api/v1/figures/{name}.plotly.json",
        name="figure_plotly",
        summary="A chart alone, for notebooks",
        text="`data` and `layout`, halos included: `plotly.io.from_json(text)` makes a figure of it.",
        model=PlotlyFigure,
        query=PARAMETERS,
        wrong="?log=z",
    ),
    Operation(
        path="/api/v1/plan",
        name="plan",
        summary="Reload or recompute, and how big a pool",
        text="Arithmetic over a point, or over a model and a chip. Every input may be given; `inputs` says where each "
        "value comes from, `results` holds each number with its formula, `figure` the chart. What is not known is "
        "null and named in `needs`: the HBM pool of a hybrid is never estimated.",
        model=Plan,
        query=PLAN_PARAMETERS,
        example="?sessions=64&context=100000",
        wrong="?sessions=none",
        twin="/plan.json",
        told=plan_parameter,
    ),
    Operation(
        path="/api/v1/offload",
        name="offload",
        summary="Whether offload paid",
        text=f"{VIEW} Pairs of points with and without KV offload at equal concurrency, what offload adds to each "
        "frontier, where prompt tokens came from, how hard sessions press on the pools, and verdicts with the points "
        "they rest on. What could not be compared is listed with the reason.",
        model=Study,
        query=(*PARAMETERS, *OWN),
        wrong="?arm=none",
    ),
    Operation(
        path="/api/v1/compare",
        name="compare",
        summary="Series against each other",
        text=f"{VIEW} Each series at the readings `at` (measured, interpolated between two named points, or outside), "
        "area under the frontiers, what meets the service levels `slo`, and equal concurrency; ratios to `base`. "
        "`method` says how each number is made.",
        model=Comparison,
        query=PARAMETERS,
        wrong="?base=none",
        twin="/compare.json",
    ),
    Operation(
        path="/api/v1/vocabulary",
        name="vocabulary",
        summary="Every word there is",
        text="Metrics with unit and definition, dimensions, chips, engines, models, precisions, offload words, flags "
        "and price tables. The keys are the words that filters, links and `--set` take.",
        model=Vocabulary,
        wrong="?model=any",
    ),
    Operation(
        path="/api/v1/snapshots",
        name="snapshots",
        summary="History of the store",
        text="Every published state, newest first. Put an `id` behind `snapshot=` to ask that state.",
        model=Snapshots,
        query=HISTORY,
        wrong="?limit=1",
    ),
    Operation(
        path="/api/v1/rejections",
        name="rejections",
        summary="Everything that was refused",
        text="Each refused file or row with the place and the reason, newest first, `limit` of them at once.",
        model=Rejections,
        query=(*HISTORY, "limit", "cursor"),
        wrong="?limit=0",
    ),
    Operation(
        path="/api/v1/history",
        name="history",
        summary="Run after run",
        text=f"{VIEW} What each series reached in each run: the best y that meets the service levels, else y where "
        "the frontier of the run is read at the first `at`, else the best y. Changes of version are marked; what got "
        "worse by more than runs of one version scatter is listed in `falls`. Runs without a date stand by order of "
        "ingest.",
        model=History,
        query=PARAMETERS,
        wrong="?x=speed",
        twin="/history.json",
    ),
    Operation(
        path="/api/v1/changes",
        name="changes",
        summary="What changed between two snapshots",
        text="Which points were added or retired, and which state other numbers, each with before, after and relative "
        "change; filters hold a point that matches before or after. `to` is the newest snapshot unless it is named, "
        "`from` the one before it; `from=empty` is the beginning.",
        model=Changes,
        query=(*FILTERED, *OWN_CHANGES),
        example="?from=empty&limit=1",
        wrong="?limit=0",
        twin="/data/changes.json",
    ),
    Operation(
        path="/healthz",
        name="health",
        summary="Whether the store can be read",
        text="503 when it cannot.",
        model=Health,
        wrong="?deep=1",
    ),
)


async def document(snapshot: Snapshot, figures: tuple[str, ...], ask: Ask) -> dict[str, Any]:
    """The document for a snapshot: parameters from the catalog, shapes from the models, examples from the store."""
    paths = _ids(snapshot, figures)
    models: list[type[Model]] = [operation.model for operation in OPERATIONS if operation.model]
    models += [Problem, *POST_MODELS]
    _, schemas = models_json_schema(
        [(model, "serialization") for model in models],
        ref_template="#/components/schemas/{model}",
    )
    described: dict[str, Any] = {}
    for operation in OPERATIONS:
        described[operation.path] = {"get": await _operation(operation, paths, ask)}
        if operation.twin:
            described[operation.twin] = {
                "get": {**described[operation.path]["get"], "operationId": f"{operation.name}_page"}
            }
    described |= posts()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Halo",
            "version": version("halo-dashboard"),
            "summary": "Pareto curves of LLM-inference benchmarks, with KV-cache offload on every point.",
            "description": "Everything that a page shows, as JSON. Addresses that answer are public and "
            "take GET and HEAD; one that is sent files says so. An answer has an ETag; If-None-Match gives 304. "
            "br, zstd and gzip are ready. Beside the JSON there are pictures of any figure (/figures/{name}.png and "
            ".svg), the chart for a frame (/embed) and its card (/oembed): docs/pictures.md. Latencies are seconds, "
            "shares are fractions of 1, and what is not known is null, never 0.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": described,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _ids(snapshot: Snapshot, figures: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Path parameters: what each is, and a value that exists in this store where anything does."""
    rows = snapshot.rows(Selection(), limit=1)
    return {
        "point_id": ("The `id` of a row.", rows[0]["id"] if rows else "p0123456789ab"),
        "config_id": ("The `config_id` of a row.", rows[0]["config_id"] if rows else "c0123456789"),
        "name": (f"Which figure: {', '.join(figures)}.", figures[0]),
    }


async def _operation(operation: Operation, paths: dict[str, tuple[str, str]], ask: Ask) -> dict[str, Any]:
    own = {name: told for name, told in paths.items() if f"{{{name}}}" in operation.path}
    address = operation.path.format(**{name: value for name, (_, value) in own.items()})
    status, found = await ask(address + operation.example)
    wrong_status, wrong = await ask(address + operation.wrong)
    answers: dict[str, Any] = {"200": _content("The answer.", operation, found if status == 200 else None)}
    if own:
        _, missing = await ask(operation.path.format(**dict.fromkeys(own, "none")))
        answers["404"] = _problem("There is no such thing in this snapshot.", missing)
    answers[str(wrong_status)] = _problem("A parameter that cannot be read; `parameter` names it.", wrong)
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": operation.text,
        "parameters": [
            *(path_parameter(name, text, value) for name, (text, value) in own.items()),
            *(operation.told(name) for name in operation.query),
        ],
        "responses": answers,
        "x-example": address + operation.example,
    }


def _content(text: str, operation: Operation, example: Json) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{operation.model.__name__}"} if operation.model else {"type": "string"}
    media: dict[str, Any] = {"schema": schema}
    if example is not None:
        media["example"] = shortened(example)
    return {"description": text, "content": {operation.media: media}}


def _problem(text: str, example: Json) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{Problem.__name__}"}
    return {"description": text, "content": {PROBLEM: {"schema": schema, "example": shortened(example)}}}


def shortened(value: Json) -> Json:
    """A long answer cut to what shows its shape: two items of each list, the beginning of each text."""
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shortened(item) for item in value[:_ITEMS]]
    if isinstance(value, str) and len(value) > _LETTERS:
        return f"{value[:_LETTERS]}…"
    return value
