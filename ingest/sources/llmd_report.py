"""llm-d benchmark reports 0.1, 0.2 and 0.2.1, as YAML or JSON: one point a report.

A run leaves several tellings of the same measurement: one report a version, a copy in JSON, and the file of the
tool that the report was made from. The report with the most to say stands for all of them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from app.catalog.point import Json, Point
from ingest.document import Document, Reopened
from ingest.sources import llmd_v01, llmd_v02
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.companions import beside
from ingest.sources.fields import Fields
from ingest.sources.inference_perf import InferencePerf
from ingest.sources.inferencex_row import Unusable
from ingest.sources.retold import figures, says_the_same
from ingest.yamltext import YamlFlaw, documents

_READERS = {"0.1": llmd_v01.read, "0.2": llmd_v02.read, "0.2.1": llmd_v02.read}
_DIALECT = "llm-d-report-v"
_YAML = (
    re.compile(rb"^version:", re.MULTILINE),
    re.compile(rb"^scenario:", re.MULTILINE),
    re.compile(rb"^(?:metrics|results):", re.MULTILINE),
)


class LlmdReport:
    """A report names its stack: chips by role, engines, launch arguments, and the load that was put on it."""

    key = "llm-d-report"
    label = "llm-d benchmark report"
    version = 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return _is_yaml(document) or (b'"scenario"' in document.data and _is_report(document.parsed.value))

    def read(self, document: Document) -> Iterator[Reading]:
        try:
            reports = documents(document.data) if _is_yaml(document) else [document.parsed.value]
        except YamlFlaw as flaw:
            yield Refused("file", str(flaw))
            return
        for number, report in enumerate(reports, start=1):
            where = "file" if len(reports) == 1 else f"document {number}"
            try:
                yield Found(where, _point(report))
            except Unusable as unusable:
                yield Refused(where, str(unusable))

    def absorbs(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """Files of the same folder with the same figures, which say no more than this one does."""
        own = list(self.read(document))
        points = [reading.point for reading in own if isinstance(reading, Found)]
        if len(points) != 1 or not (mark := _mark(points[0])):
            return ()
        parts = []
        for other in beside(document, others):
            if other.resolved == document.resolved:
                continue
            told = _told(other) if mark in other.data else []
            if len(told) == 1 and says_the_same(points[0], told[0]) and _says_less(other, told[0], document, points[0]):
                parts.append(other)
            if isinstance(other, Reopened):
                other.forget()
        return parts

    def absorb(self, part: Document, point: Point) -> Point:
        """Another telling of the measurement adds nothing."""
        return point


def _told(document: Document) -> list[Point]:
    """The points of a report, or of a file that reports are made from."""
    source = next((source for source in (LlmdReport(), InferencePerf()) if source.claims(document)), None)
    return [] if source is None else [item.point for item in source.read(document) if isinstance(item, Found)]


def _says_less(other: Document, told: Point, document: Document, point: Point) -> bool:
    """Whether a report outranks another telling; any report outranks the file it was made from."""
    return not told.dialect.startswith(_DIALECT) or _rank(other, told) < _rank(document, point)


def _is_yaml(document: Document) -> bool:
    data = document.data
    return data.lstrip()[:1] not in (b"{", b"[") and b"scenario:" in data and all(sign.search(data) for sign in _YAML)


def _is_report(value: Json) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("scenario"), dict) or "version" not in value:
        return False
    return isinstance(value.get("metrics"), dict) or isinstance(value.get("results"), dict)


def _point(report: Json) -> Point:
    if not _is_report(report):
        raise Unusable("it is no benchmark report: an object with a version, a scenario and results was expected")
    version = str(report["version"]).strip().lower().removeprefix("v")
    reader = _READERS.get(version)
    if reader is None:
        raise Unusable(f"it is a benchmark report of version {version[:20]}; Halo reads {', '.join(_READERS)}")
    return reader(Fields(report), f"{_DIALECT}{version}")


def _mark(point: Point) -> bytes | None:
    """A figure of the report as any telling of it in the same unit spells it: a cheap look before a file is read."""
    numbers = figures(point)
    return repr(numbers[0]).encode() if numbers else None


def _rank(document: Document, point: Point) -> tuple[str, bool, str]:
    """The newest version has the most to say; of equal ones the YAML, which the tool wrote first."""
    return point.dialect, _is_yaml(document), document.resolved
