"""`halo check`: what counts as worse, what as noise, and what a script can rely on."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import app
from app.commands import Told
from app.commands.check import threshold_of, view_of
from app.store.read import Store
from tests.points import point, stored

LATER = "2026-02-01T00:00:00Z"


def checked(folder: Path, *more: str, view: str = "") -> tuple[int, dict[str, Any]]:
    """The exit status and the JSON of a call."""
    done = CliRunner().invoke(app, ["check", view, "--db", str(folder), "--json", *more])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, json.loads(done.stdout)


def live(folder: Path) -> str:
    return Store(folder).snapshot().id


def test_a_fall_beyond_the_threshold_fails_and_one_within_it_does_not(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=1000.0), point(16, y=2000.0), run="a")
    before = live(tmp_path)
    stored(tmp_path, point(8, y=960.0), point(16, y=1990.0), run="b")
    status, found = checked(tmp_path, "--baseline", before)
    assert (status, found["ok"]) == (1, False)
    assert [line["verdict"] for line in found["points"]] == ["regression", "same"]
    assert found["points"][0]["change"] == pytest.approx(-0.04)
    assert checked(tmp_path, "--baseline", before, "--fail-on", "5%")[0] == 0
    assert checked(tmp_path, "--baseline", "a")[0] == 1


@pytest.mark.parametrize(
    ("key", "before", "now"),
    [
        ("total_tput_per_chip", 100.0, 97.0),
        ("total_tput_per_chip", 1.0, 0.97),
        ("total_tput_per_chip", 970.0, 940.9),
        ("total_tput_per_chip", 0.1, 0.097),
        ("ttft_p90_s", 1.0, 1.03),
        ("ttft_p90_s", 0.01, 0.0103),
    ],
)
def test_a_change_of_just_the_threshold_is_not_beyond_it(tmp_path: Path, key: str, before: float, now: float) -> None:
    for run, value in (("a", before), ("b", now)):
        more = {"y": value} if key == "total_tput_per_chip" else {"metrics": {key: value}}
        stored(tmp_path, point(8, raw=run, **more), run=run)
    status, found = checked(tmp_path, "--baseline", "a", "--metric", key)
    assert (status, found["points"][0]["verdict"]) == (0, "same")
    assert checked(tmp_path, "--baseline", "a", "--metric", key, "--fail-on", "2.999%")[0] == 1


def test_direction_comes_from_the_metric(tmp_path: Path) -> None:
    stored(tmp_path, point(8, metrics={"ttft_p90_s": 1.0}), run="a")
    stored(tmp_path, point(8, metrics={"ttft_p90_s": 2.0}, raw="slow"), run="b")
    assert checked(tmp_path, "--baseline", "a", "--metric", "ttft_p90_s")[0] == 1
    stored(tmp_path, point(8, metrics={"ttft_p90_s": 0.5}, raw="fast"), run="c")
    status, found = checked(tmp_path, "--baseline", "a", "--metric", "ttft_p90_s")
    assert (status, found["points"][0]["verdict"]) == (0, "better")


def test_ranges_of_repeats_that_meet_are_noise_which_fails_only_when_strict(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=900.0), run="a")
    stored(tmp_path, point(8, y=1000.0), run="b")
    before = live(tmp_path)
    stored(tmp_path, point(8, y=920.0), run="c")
    status, found = checked(tmp_path, "--baseline", before)
    assert (status, found["points"][0]["verdict"]) == (0, "noise")
    assert found["points"][0]["before_range"] == [900.0, 1000.0]
    assert checked(tmp_path, "--baseline", before, "--strict")[0] == 1
    stored(tmp_path, point(8, y=700.0), run="d")
    assert checked(tmp_path, "--baseline", "b", view="run=b&run=d")[0] == 1


def test_a_view_of_one_run_is_checked_against_another(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=1000.0), point(16, y=2000.0), run="a")
    before = live(tmp_path)
    stored(tmp_path, point(8, y=900.0), run="b")
    stored(tmp_path, point(8, y=1100.0), run="c")
    for baseline in (before, "a"):
        status, found = checked(tmp_path, "--baseline", baseline, view="run=b")
        assert status == 1
        assert [(line["before"], line["now"]) for line in found["points"]] == [(1000.0, 900.0)]
        assert found["vanished"] == []
        assert checked(tmp_path, "--baseline", baseline, view="run=c")[0] == 0


def test_an_upgrade_is_compared_with_the_version_before_it(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=1000.0, engine_version="0.14.1"), run="a")
    before = live(tmp_path)
    stored(tmp_path, point(8, y=800.0, engine_version="0.15.0"), run="b")
    status, found = checked(tmp_path, "--baseline", before)
    assert status == 1
    assert found["points"][0]["versions"] == ["0.14.1", "0.15.0"]
    assert found["counts"]["added"] == 0


def test_points_that_vanished_are_told_and_fail_only_when_strict(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=1000.0), run="a")
    stored(tmp_path, point(16, y=1000.0, origin="predicted"), run="p")
    before = live(tmp_path)
    from app.store.publish import retire

    retire(tmp_path, "predicted")
    status, found = checked(tmp_path, "--baseline", before, view="origin=predicted&origin=measured")
    assert (status, len(found["vanished"])) == (0, 1)
    assert checked(tmp_path, "--baseline", before, "--strict", view="origin=predicted&origin=measured")[0] == 1


def test_a_series_has_the_change_of_its_frontier(tmp_path: Path) -> None:
    stored(tmp_path, point(8, x=60.0, y=1000.0), point(16, x=40.0, y=2000.0), run="a")
    before = live(tmp_path)
    stored(tmp_path, point(8, x=60.0, y=1100.0), point(16, x=40.0, y=2200.0), run="b")
    _, found = checked(tmp_path, "--baseline", before)
    assert found["frontiers"][0]["change"] == pytest.approx(0.1)
    assert (found["frontiers"][0]["from"], found["frontiers"][0]["to"]) == (40.0, 60.0)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--baseline", "nope"), "neither a snapshot of this store nor a run"),
        (("--baseline", "a", "--fail-on", "3"), "a percentage is expected"),
        (("--baseline", "a", "--metric", "speed"), "unknown metric"),
        (("--baseline", "a", "--metric", "concurrency"), "neither better higher nor lower"),
    ],
)
def test_a_wrong_call_says_what_would_be_right(tmp_path: Path, more: tuple[str, ...], said: str) -> None:
    stored(tmp_path, point(8), run="a")
    with pytest.raises(Told, match=said):
        checked(tmp_path, *more)


def test_a_link_and_its_query_are_one_view() -> None:
    for link in (
        "http://halo.test/offload?chip=b200&y=ttft_p50_s#x",
        "/?chip=b200&y=ttft_p50_s",
        "chip=b200&y=ttft_p50_s",
    ):
        assert view_of(link).query() == "chip=b200&y=ttft_p50_s"
    assert view_of("http://halo.test/").query() == view_of("").query() == ""
    with pytest.raises(Told, match="cannot be read"):
        view_of("chip=b999")
    assert threshold_of("2.5%") == pytest.approx(0.025)
