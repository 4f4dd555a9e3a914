"""Files that lie beside results without being any, told by content, with a word on what they are."""

from app.catalog.point import Json
from ingest.document import Document

ANYTHING_ELSE = "What no format fits can be typed into a Halo table: docs/halo_table.md"


def stranger(document: Document) -> str | None:
    """What a well-known file is, and why nothing is read from it; None for one that is not known."""
    records = document.parsed.records
    record = records[0].value if records else None
    if not isinstance(record, dict):
        return None
    return next((sentence for signs, sentence in _STRANGERS if _has(record, signs)), None)


def _has(record: dict[str, Json], signs: tuple[str, ...]) -> bool:
    return all(sign in record for sign in signs)


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
)
