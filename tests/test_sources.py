"""Every sample has exactly one claimant, and is read as the document beside it says."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from app.catalog.flags import FLAGS
from app.catalog.metrics import METRICS
from app.catalog.point import Json, Point
from ingest.document import Document
from ingest.sources import SOURCES
from ingest.sources.base import Companion, Found, Recording, Refused, Skipped, Source
from tests.conftest import ROOT

SAMPLES = ROOT / "tests" / "samples"
EXPECTED = ".points.json"
FILES = sorted(path for path in SAMPLES.glob("*/*") if path.is_file() and not path.name.endswith(EXPECTED))


def document_of(path: Path) -> Document:
    place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    return Document(
        place=place, resolved=str(path), name=path.name, folders=(path.parent.name,), data=path.read_bytes()
    )


def claimants(document: Document) -> list[Source | Companion]:
    return [source for source in SOURCES if source.claims(document)]


def told(value: Json) -> Json:
    """A value as a reader of the expected file wants to see it: nothing empty, numbers to nine digits."""
    if isinstance(value, dict):
        inner = {key: told(item) for key, item in value.items()}
        return {key: item for key, item in inner.items() if item not in (None, "", [], {})}
    if isinstance(value, list | tuple):
        return [told(item) for item in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def reading_of(document: Document) -> Json:
    """What the one claimant makes of a document, as JSON."""
    (source,) = claimants(document)
    if source.role == "companion":
        return {"source": source.key, "completed": told(asdict(source.complete(document, Point(dialect="sample"))))}
    readings = list(source.read(document))
    skipped = {reading.where: reading.reason for reading in readings if isinstance(reading, Skipped)}
    return {
        "source": source.key,
        "points": [
            {"where": reading.where, **told({**asdict(reading.point), "raw": None})}
            for reading in readings
            if isinstance(reading, Found)
        ],
        "refused": {reading.where: reading.reason for reading in readings if isinstance(reading, Refused)},
        **({"skipped": skipped} if skipped else {}),
        **requests_of(source, document, [reading.where for reading in readings if isinstance(reading, Found)]),
    }


def requests_of(source: Source, document: Document, places: list[str]) -> Json:
    """The requests of each result that has any, as they go into the store; empty for other formats."""
    if not isinstance(source, Recording) or not source.has_requests(document):
        return {}
    found = {where: [told(each._asdict()) for each in source.requests_in(document, where)] for where in places}
    listed = {where: requests for where, requests in found.items() if requests}
    return {"requests": listed} if listed else {}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_sample_is_read_as_expected(path: Path, request: pytest.FixtureRequest) -> None:
    expected = path.with_name(path.stem + EXPECTED)
    reading = reading_of(document_of(path))
    if request.config.getoption("regold"):
        expected.write_text(json.dumps(reading, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    assert expected.exists(), f"{expected.name} is missing: make regold writes it, then read it as if it were code"
    assert reading == json.loads(expected.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_metrics_and_flags_of_a_sample_are_in_the_catalog_and_its_figures_finite(path: Path) -> None:
    (source,) = claimants(document_of(path))
    if source.role == "companion":
        return
    for reading in source.read(document_of(path)):
        if isinstance(reading, Found):
            metrics = reading.point.metrics
            assert not [flag for flag in (*reading.point.flags, *reading.point.cache.flags) if flag not in FLAGS]
            assert not [key for key in metrics if key not in METRICS]
            assert all(abs(value) < float("inf") for value in metrics.values())


def test_every_source_has_a_sample() -> None:
    assert {source.key for path in FILES for source in claimants(document_of(path))} == {s.key for s in SOURCES}


def test_no_expected_file_outlives_its_sample() -> None:
    stems = {path.with_name(path.stem + EXPECTED) for path in FILES}
    assert set(SAMPLES.glob(f"*/*{EXPECTED}")) == stems
