"""InferenceX power audits, `power_validation_*.json`: how the energy of one aggregate was measured, and when."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from app.catalog.point import Json
from ingest.document import Document
from ingest.sources.fields import Fields

_KEYS = frozenset(("power_valid", "reasons", "observed_gpu_count", "benchmark_window"))
_OWN, _RESULT = "power_validation_", "agg_"
_COUNTS = ("expected_gpu_count", "observed_gpu_count")
_WINDOW = ("completed", "total_input_tokens", "total_output_tokens")


class InferenceXPower:
    """An audit has no result of its own: it completes the aggregate whose run it watched."""

    key = "inferencex-power"
    label = "InferenceX power audit"
    version = 1
    role: Literal["companion"] = "companion"

    def claims(self, document: Document) -> bool:
        value = document.parsed.value
        return isinstance(value, dict) and value.keys() >= _KEYS

    def completes(self, document: Document, others: Sequence[Document]) -> Document | None:
        """The aggregate named after the same result file; of several, the one in the same folder."""
        stems = {stem for stem in (_stem(document.name.removeprefix(_OWN)), _watched(document)) if stem}
        named = [other for other in others if _stem(other.name.removeprefix(_RESULT)) in stems]
        beside = [other for other in named if _folder(other) == _folder(document)]
        found = beside or named
        return found[0] if len({_folder(other) for other in found}) == 1 else None

    def facts(self, document: Document) -> dict[str, Json]:
        row = Fields(document.parsed.value if isinstance(document.parsed.value, dict) else {})
        window = row.inner("benchmark_window")
        start, end = window.number("start_time_unix"), window.number("end_time_unix")
        facts: dict[str, Json] = {
            "valid": row.boolean("power_valid"),
            "reasons": row.row.get("reasons") or [],
            "integration": row.text("integration_method"),
            **{key: row.integer(key) for key in _COUNTS},
            "start": _moment(start),
            "end": _moment(end),
            "seconds": window.number("integration_duration_s"),
            **{key: window.integer(key) for key in _WINDOW},
            "largest_sample_gap_s": _largest(row.inner("per_gpu_max_sample_gap_s")),
            "device_issues": row.row.get("device_issues") or {},
        }
        return {key: value for key, value in facts.items() if value is not None}


def _watched(document: Document) -> str:
    """The result file that the audit names."""
    value = document.parsed.value
    return _stem((Fields(value).text("benchmark_result") or "") if isinstance(value, dict) else "")


def _stem(name: str) -> str:
    return name.rsplit("/", 1)[-1].removesuffix(".json")


def _folder(document: Document) -> str:
    return document.resolved.rpartition("/")[0]


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _largest(gaps: Fields) -> float | None:
    return max((gap for key in gaps.row if (gap := gaps.number(key)) is not None), default=None)
