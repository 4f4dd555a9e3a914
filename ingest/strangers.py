"""Files that lie beside results without being any, told by content, with a word on what they are."""

import re

from app.catalog.point import Json
from ingest.document import Document

ANYTHING_ELSE = "What no format fits can be typed into a Halo table: docs/halo_table.md"


def stranger(document: Document) -> str | None:
    """What a well-known file is, and why nothing is read from it; None for one that is not known."""
    records = document.parsed.records
    record = records[0].value if records else None
    if isinstance(record, dict):
        known = next((sentence for signs, sentence in _STRANGERS if _has(record, signs)), None)
        return known or next((sentence for signs, sentence in _BY_GROUP if _groups_have(record, signs)), None)
    head = document.text[:_HEAD].lstrip()
    return next((sentence for pattern, sentence in _TEXTS if pattern.match(head)), None)


def _has(record: dict[str, Json], signs: tuple[str, ...]) -> bool:
    return all(sign in record for sign in signs)


def _groups_have(record: dict[str, Json], signs: tuple[str, ...]) -> bool:
    """Whether the object holds groups, by whatever name, whose first member looks so."""
    groups = list(record.values())
    firsts = [group[0] if isinstance(group, list) and group else group for group in groups]
    return bool(firsts) and all(isinstance(first, dict) and _has(first, signs) for first in firsts)


_HEAD = 4096
_STRANGERS = (
    (
        ("fio version", "jobs"),
        "fio's report on a storage device: it says how fast the medium of an offload is, but nothing of a server of "
        "tokens, so there is no point in it",
    ),
    (
        ("benchmark", "model", "metric"),
        "a copy of a vLLM result for PyTorch's dashboard, one metric a record: give the result itself, which lies "
        "beside it under the same name without .pytorch",
    ),
    (
        ("$defs", "properties"),
        "a JSON schema: it describes what results look like, and holds none",
    ),
    (
        ("n_gpu", "per_gpu"),
        "a summary of the power and load of GPUs, without tokens or latency: there is no point in it",
    ),
    (
        ("hardware", "task", "metrics"),
        "scores of an accuracy evaluation: they say how well a model answers, but nothing of speed",
    ),
    (
        ("hardware", "spec_method", "date"),
        "a list of what the InferenceX site has results for, without the results: its answer to /api/v1/benchmarks "
        "holds them",
    ),
    (
        ("runs", "changelogs"),
        "a list of the workflow's runs and what changed between them, without results",
    ),
)

_BY_GROUP = (
    (
        ("n_success", "total"),
        "a count of which jobs succeeded, chip by chip, without figures of any of them",
    ),
    (
        ("Conc", "Interactivity_tok_s_user"),
        "the data of one chart, series by series: it names neither model nor workload, and its TTFT says ms over "
        "seconds. Give the results that it was drawn from",
    ),
)

_TEXTS = (
    (
        re.compile(r"window\.BENCHMARK_DATA\s*="),
        "the data of a CI dashboard: each figure stands alone under a free text, and which mean or percentile a "
        "latency is, on which chips, is not said. Give the results that it was made from",
    ),
    (
        re.compile(r"timestamp, ?index,.*power\.draw|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?, ?\d+, ?[\d.]+(?: W)?,"),
        "samples of GPU power from nvidia-smi: they do not say which of them fall into the measured window of which "
        "run, so no energy is worked out. Results that state their power are read with it",
    ),
)
