"""What happened during the run of a point, as a document: aggregates only, and what to keep where there are none."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from app.catalog.point import Json
from app.details.row import Document
from app.store.happened import Happened
from app.store.read import Snapshot
from app.store.recorded import SeriesLost
from app.store.series import series_of

_REQUESTS = (
    "Keep profile_export.jsonl beside the summary (aiperf profile --export-level records writes it): from requests "
    "one by one come TTFT, interactivity and lengths as distributions and over time, and the conversations."
)
_SLICES = (
    "Keep server_metrics_export.json of a run with --slice-duration 10: from its slices come KV usage, running and "
    "waiting requests, and the sources of prompt tokens over time."
)
_DETAILS = {
    "vllm": "vLLM lists its requests one by one with --save-result --save-detailed, newer versions with the time at "
    "which each was sent: from them come TTFT, interactivity and lengths as distributions, and over time.",
    "inferencex-benchmark": "benchmark_serving.py lists its requests one by one with --save-result --save-detailed: "
    "from them come TTFT, interactivity and lengths as distributions.",
    "sglang": "SGLang's bench_serving lists its requests one by one with --output-details: from them come TTFT, "
    "interactivity and lengths as distributions.",
    "guidellm": "Keep the requests in GuideLLM's JSON report, as it does unless a sample size of 0 is asked for: "
    "from them come TTFT, interactivity and lengths as distributions and over time.",
}
"""How each other tool is asked for its requests, by how its dialects begin."""
_UNDATED = (
    "When each request was sent is not in the file, so nothing is drawn over time; newer versions of vLLM write it."
)
_OTHERS = (
    "Halo keeps what happened during a run from AIPerf run directories, and requests one by one from vLLM, SGLang and "
    "GuideLLM; this record is of another format."
)
_DIGITS = 7


def happened_of(snapshot: Snapshot, facts: Mapping[str, Json]) -> tuple[Happened | None, str]:
    """What happened, and a sentence where it cannot be told although it was recorded."""
    if not series_of(facts):
        return None, ""
    try:
        return snapshot.recorded(facts).happened(), ""
    except SeriesLost as lost:
        return None, f"{lost}. Ingest the run again with a new reader, or restore the file from a copy of the store."


def recorded_document(snapshot: Snapshot, point_id: str) -> tuple[Document, Happened | None] | None:
    """The document of a point's run, and the same as values for figures. None where there is no such point."""
    row = snapshot.point(point_id)
    if row is None:
        return None
    facts = row["detail"]["facts"]
    run, problem = happened_of(snapshot, facts)
    names = series_of(facts)
    document = {
        "snapshot": snapshot.id,
        "id": point_id,
        "files": {"requests": names.get("requests"), "timeline": names.get("timeline")},
        "keep": keep(row["source"], run),
        "problem": problem or None,
        **(_told(run) if run else dict.fromkeys(_PARTS)),
    }
    return document, run


_PARTS = ("span_s", "width_s", "requests", "distributions", "pace", "warmup", "load", "server", "conversations")


def _told(run: Happened) -> Document:
    told: Document = rounded_in(
        {
            "span_s": list(run.span) if run.span else None,
            "width_s": run.width_s,
            "requests": asdict(run.totals) if run.totals else None,
            "distributions": {name: asdict(found) for name, found in run.distributions.items()},
            "pace": asdict(run.pace) if run.pace else None,
            "warmup": asdict(run.warmup) if run.warmup else None,
            "load": asdict(run.load) if run.load else None,
            "server": asdict(run.server) if run.server else None,
            "conversations": _lanes(run),
        }
    )
    return told


def _lanes(run: Happened) -> Document | None:
    if run.lanes is None:
        return None
    lanes = run.lanes
    return {
        "shown": len(lanes.names),
        "of": lanes.of,
        "chosen": lanes.chosen,
        "requests": lanes.requests,
        "names": lanes.names,
        "bars": [asdict(bar) for bar in lanes.bars],
    }


def keep(dialect: str, run: Happened | None) -> list[str]:
    """What to keep of the next run, so that more can be told of it."""
    details = next((text for begin, text in _DETAILS.items() if dialect.startswith(begin)), None)
    if details is not None:
        if run is None or run.totals is None:
            return [details]
        return [_UNDATED] if run.span is None else []
    said = []
    if run is None or run.totals is None:
        said.append(_REQUESTS)
    if run is None or run.server is None or not any(value is not None for value in run.server.columns["kv_usage"]):
        said.append(_SLICES)
    return [_OTHERS, *said] if len(said) == 2 and "aiperf" not in dialect and "agentic" not in dialect else said


def rounded_in(value: Json) -> Json:
    """Numbers to the precision of figures: sums of many threads differ in their last digits."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, Mapping):
        return {key: rounded_in(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [rounded_in(item) for item in value]
    return value
