"""`halo template`: the header of a Halo table to fill in, for figures that no file of a known format holds."""

import csv
import io

from app.catalog.chips import CHIPS
from app.catalog.engines import ENGINES
from app.catalog.models import MODELS
from app.catalog.offload import BACKENDS, TIERS
from app.catalog.precisions import PRECISIONS
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT
from ingest.table.groups import GROUPS

_MEDIAN = "p50"
_TAIL = "p90"
_HOST = list(TIERS)[1]
_EXAMPLE = {
    "model": next(iter(MODELS)).key,
    "chip": next(iter(CHIPS)).key,
    "chip_count": "8",
    "engine": next(iter(ENGINES)).key,
    "engine_version": "",
    "precision": next(iter(PRECISIONS)).key,
    "spec": "none",
    "workload": "1k/1k",
    "concurrency": "16",
    "run": "nightly",
    "run_time": "2026-11-03T14:05:00+01:00",
    TPUT["total"]: "9200",
    TPUT["output"]: "4600",
    INTERACTIVITY[_MEDIAN]: "55.5",
    INTERACTIVITY[_TAIL]: "50",
    LATENCY["ttft"][_MEDIAN]: "0.42",
    LATENCY["ttft"][_TAIL]: "0.9",
    "offload_mode": "on",
    "offload_kind": "kv",
    "offload_tiers": f"hbm>{_HOST.key}",
    "offload_backend": next(iter(BACKENDS)).key,
    "prompt_tokens": "1000000",
    "hbm_tokens": "300000",
    f"{_HOST.key}_tokens": "500000",
    "computed_tokens": "200000",
    "note": "",
}
"""The columns that most tables need, each with a value that would do."""


def template(*, every: bool = False, example: bool = False) -> str:
    """A header as CSV: the columns that most tables need, or all; with a row to show what they hold."""
    names = list(_EXAMPLE)
    if every:
        read = [column.name for group in GROUPS.values() for column in group if column.reads != "unused"]
        names = [*names, *(name for name in read if name not in _EXAMPLE)]
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(names)
    if example:
        rows.writerow([_EXAMPLE.get(name, "") for name in names])
    return out.getvalue()
