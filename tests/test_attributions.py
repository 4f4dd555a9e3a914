"""Publishers who ask to be named are, wherever their points are shown, and nowhere else."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.catalog.attributions import ATTRIBUTIONS
from ingest.pipeline import ingest
from tests.conftest import ROOT
from tests.points import point, stored
from tests.served import client

TEXT = ATTRIBUTIONS[0].text
PLACES = ("/", "/compare", "/offload", "/history", "/embed", "/report.html", "/api/v1/report")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    folder = tmp_path_factory.mktemp("theirs")
    ingest([ROOT / "tests" / "samples" / "inferencex_api"], folder)
    return client(folder)


@pytest.mark.parametrize("place", PLACES)
def test_a_place_that_shows_their_points_names_them(theirs: TestClient, place: str) -> None:
    answer = theirs.get(place)
    assert answer.status_code == 200
    assert TEXT in answer.text
    assert ATTRIBUTIONS[0].href in answer.text


@pytest.mark.parametrize("place", PLACES)
def test_one_s_own_points_are_nobody_else_s(tmp_path: Path, place: str) -> None:
    stored(tmp_path, point(8))
    assert TEXT not in client(tmp_path).get(place).text


def test_a_view_without_their_points_does_not_name_them(tmp_path: Path) -> None:
    ingest([ROOT / "tests" / "samples" / "inferencex_api"], tmp_path)
    stored(tmp_path, point(8))
    served = client(tmp_path)
    mine = [row for row in served.get("/api/v1/points?runs=all").json()["rows"] if row["attribution"] is None]
    view = {"model": mine[0]["model"], "workload": mine[0]["workload"], "run": mine[0]["run"]}
    assert [place for place in PLACES if TEXT in served.get(place, params=view).text] == []
