"""Links keep their meaning when words change, and junk in a link stays small on the page."""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pytest
from starlette.testclient import TestClient

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS
from app.catalog.renamed import RENAMED, Renamed, new_page, respelled
from app.view import LONGEST, MOST, PARAMETERS, TOLD, bounded, parse, parse_query
from tests.points import point, stored
from tests.served import client

PAGES = ("/", "/offload", "/compare", "/history", "/plan", "/data", "/glossary", "/embed")

MADE_UP = (
    Renamed(what="parameter", old="gpu", new="hardware", date="2026-01-01"),
    Renamed(what="parameter", old="hardware", new="chip", date="2026-02-01"),
    Renamed(what="metric", old="tput", new="total_tput_per_chip", date="2026-02-01"),
    Renamed(what="value", old="b200-nv", new="b200", date="2026-03-01", dimension="chip"),
    Renamed(what="page", old="/pareto", new="/curve", date="2026-01-01"),
    Renamed(what="page", old="/curve", new="/", date="2026-03-01"),
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("gpu=h200", "chip=h200"),
        ("hardware=b200-nv", "chip=b200"),
        ("y=tput&sort=-tput", "y=total_tput_per_chip&sort=-total_tput_per_chip"),
        ("slo=tput:2000", "slo=total_tput_per_chip:2000"),
        ("hide=b200-nv.vllm.fp4.none~predicted", "hide=b200.vllm.fp4.none~predicted"),
        ("engine=b200-nv&run=tput", "engine=b200-nv&run=tput"),
    ],
)
def test_a_former_spelling_becomes_todays(old: str, new: str) -> None:
    assert respelled(parse_qsl(old), MADE_UP) == parse_qsl(new)


def test_a_page_that_moved_twice_is_found_at_once() -> None:
    assert new_page("/pareto", MADE_UP) == "/"
    assert new_page("/offload", MADE_UP) is None


def wrong(entries: Sequence[Renamed]) -> list[str]:
    """The entries that are not dated, or lead to no word there is, or would take today's word away."""
    found = []
    for entry in entries:
        words = {
            "parameter": PARAMETERS,
            "metric": tuple(metric.key for metric in METRICS),
            "value": tuple(term.key for term in DIMENSIONS[entry.dimension].vocabulary or ())
            if entry.dimension
            else (),
            "page": PAGES,
        }[entry.what]
        if not (re.fullmatch(r"20\d\d-\d\d-\d\d", entry.date) and entry.new in words and entry.old not in words):
            found.append(entry.old)
    return found


def test_every_entry_is_dated_and_leads_to_a_word_there_is() -> None:
    assert wrong(RENAMED) == []
    day = "2026-02-01"
    assert wrong(
        (
            Renamed(what="metric", old="tput", new="total_tput_per_chip", date=day),
            Renamed(what="page", old="/pareto", new="/", date=day),
            Renamed(what="metric", old="undated", new="total_tput_per_chip", date="last week"),
            Renamed(what="parameter", old="nowhere", new="hardware", date=day),
            Renamed(what="value", old="h200", new="b200", date=day, dimension="chip"),
        )
    ) == ["undated", "nowhere", "h200"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    folder: Path = tmp_path_factory.mktemp("store")
    stored(folder, *(point(2**n, y=100.0 + n, engine_version=f"0.{n}") for n in range(12)))
    return client(folder)


def test_an_old_link_is_led_to_todays_address(served: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.web.deps.respelled", lambda pairs: respelled(pairs, MADE_UP))
    monkeypatch.setattr("app.web.errors.new_page", lambda path: new_page(path, MADE_UP))
    answer = served.get("/offload?gpu=b200&y=tput", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, "/offload?chip=b200&y=total_tput_per_chip")
    assert served.get("/api/v1/points?gpu=b200").json()["count"] == 12
    moved = served.get("/pareto?chip=b200", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (308, "/?chip=b200")


JUNK = {
    "unknown words": [("chip", f"junk{n}") for n in range(4000)],
    "unknown parameters": [(f"nope{n}", "1") for n in range(5000)],
    "one long value": [("chip", "x" * 59_000)],
    "long names": [("y" * 59_000, "1")],
    "series to hide": [("hide", f"series-{n}") for n in range(3400)],
    "pins": [("point", f"p{n:012d}") for n in range(3000)],
    "runs": [("run", f"run-{n}") for n in range(5000)],
    "a snapshot": [("slo", "z" * 59_000)],
}


@pytest.mark.parametrize("place", ["/", "/offload", "/compare", "/history", "/plan", "/data"])
@pytest.mark.parametrize("junk", JUNK)
def test_sixty_kilobytes_of_junk_give_a_page_of_ordinary_size(served: TestClient, place: str, junk: str) -> None:
    usual = len(served.get(place).content)
    answer = served.get(f"{place}?{urlencode(JUNK[junk])}")
    assert answer.status_code == 200
    # A view of full length stands in every link of a page, of which there are a few dozen.
    assert len(answer.content) < usual + 70 * MOST
    if junk != "pins" and place not in ("/plan", "/data") and JUNK[junk][0][0] not in ("hide", "run"):
        assert len(answer.content) < 2 * usual + 30_000


@pytest.mark.parametrize("junk", [name for name in JUNK if name not in ("series to hide", "pins", "runs")])
def test_the_api_names_some_of_what_is_wrong_and_counts_the_rest(served: TestClient, junk: str) -> None:
    answer = served.get(f"/api/v1/points?{urlencode(JUNK[junk])}")
    assert answer.status_code == 400
    assert len(answer.content) < 12_000
    assert len(answer.json()["problems"]) <= TOLD + 1


def test_problems_are_told_once_and_the_rest_is_counted() -> None:
    _, problems = parse([("chip", f"junk{n % 40}") for n in range(400)])
    told = bounded(problems)
    assert len(told) == TOLD + 1
    assert told[-1].detail.startswith("30 more parts cannot be read, of chip")
    assert bounded(told[:3]) == told[:3]


def test_a_view_keeps_what_fits_and_says_what_does_not() -> None:
    view, problems = parse([("hide", f"{n:0>100}") for n in range(200)])
    assert 0 < len(view.query()) <= MOST
    assert len(view.hide) + len(problems) == 200
    assert parse_query(view.query()) == (view, [])
    _, problems = parse([("run", "r" * (LONGEST + 1))])
    assert f"{LONGEST} are the most" in problems[0].detail
