"""InferenceX power audits, `power_validation_*.json`: how the energy of one aggregate was measured, and when."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from app.catalog.point import Json, Point
from ingest.document import Document
from ingest.sources.companions import folder_of, others_of, with_companion
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
        value = document.parsed.value if document.may_hold(*_KEYS) else None
        return isinstance(value, dict) and value.keys() >= _KEYS

    def completes(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """What is named after the same result file; of several, what lies in the same folder."""
        stems = {stem for stem in (_stem(document.name.removeprefix(_OWN)), _watched(document)) if stem}
        by_name = others_of(others).by_name
        names = [f"{start}{stem}.json" for start in (_RESULT, "") for stem in sorted(stems)]
        named = [other for name in names for other in by_name.get(name, ())]
        near = [other for other in named if folder_of(other) == folder_of(document)] or named
        return near if len({folder_of(other) for other in near}) == 1 else []

    def complete(self, document: Document, point: Point) -> Point:
        """The audit watched this very run, so its start is the run's time where the row states none."""
        facts = self._facts(document)
        return replace(with_companion(point, self.key, facts), run_time=point.run_time or facts.get("start"))

    def _facts(self, document: Document) -> dict[str, Json]:
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


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _largest(gaps: Fields) -> float | None:
    return max((gap for key in gaps.row if (gap := gaps.number(key)) is not None), default=None)
