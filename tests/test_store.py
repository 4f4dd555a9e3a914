"""Publishing, superseding, and asking earlier snapshots."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.store import files
from app.store.publish import publish, retire
from app.store.read import EMPTY, SnapshotNotFound, Store
from app.store.rows import Rejection
from app.store.select import Selection
from app.web.pointer import Pointer
from tests.points import arrival, kv, point, stored

ROOT = Path(__file__).parents[1]
ALL = Selection(newest=False)


def numbers(folder: Path, snapshot: str | None = None, selection: Selection = ALL) -> str:
    """Everything a snapshot answers, as one text."""
    shot = Store(folder).snapshot(snapshot)
    rows = shot.rows(selection)
    whole = [shot.point(row["id"]) for row in rows]
    return json.dumps([rows, whole, shot.snapshots(), shot.rejections(), shot.sources()], default=str)


def test_an_empty_store_answers_with_nothing(tmp_path: Path) -> None:
    shot = Store(tmp_path).snapshot()
    assert (shot.id, shot.rows(ALL), shot.snapshots()) == (EMPTY, [], [])


def test_publishing_the_same_records_twice_changes_nothing(tmp_path: Path) -> None:
    first = stored(tmp_path, point(8), point(16))
    before = numbers(tmp_path)
    second = stored(tmp_path, point(8), point(16))
    assert first.verdicts == ["new", "new"]
    assert second.verdicts == ["duplicate", "duplicate"]
    assert second.snapshot == first.snapshot
    assert numbers(tmp_path) == before


def test_an_equal_record_elsewhere_is_a_duplicate_and_adds_its_place(tmp_path: Path) -> None:
    stored(tmp_path, point(8))
    again = publish(tmp_path, [arrival(point(8), run="run-b", place="b/copy.json")])
    row = Store(tmp_path).snapshot().rows(ALL)[0]
    whole = Store(tmp_path).snapshot().point(row["id"])
    assert again.verdicts == ["duplicate"]
    assert whole is not None
    assert [place for place, _ in whole["places"]] == ["a.json", "b/copy.json"]


def test_a_corrected_file_keeps_the_addresses_of_its_points(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=900.0), point(16, y=1200.0))
    before = {row["concurrency"]: row["id"] for row in Store(tmp_path).snapshot().rows(ALL)}
    after = stored(tmp_path, point(8, y=905.0), point(16, y=1200.0))
    rows = Store(tmp_path).snapshot().rows(ALL)
    assert after.verdicts == ["superseded", "duplicate"]
    assert {row["concurrency"]: row["id"] for row in rows} == before
    assert {row["concurrency"]: row["total_tput_per_chip"] for row in rows} == {8: 905.0, 16: 1200.0}


def test_a_correction_taken_back_supersedes_again(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=900.0))
    stored(tmp_path, point(8, y=905.0))
    back = stored(tmp_path, point(8, y=900.0))
    assert back.verdicts == ["superseded"]
    assert [row["total_tput_per_chip"] for row in Store(tmp_path).snapshot().rows(ALL)] == [900.0]


def test_a_newer_reader_or_other_supplied_facts_supersede(tmp_path: Path) -> None:
    publish(tmp_path, [arrival(point(8))])
    newer = publish(tmp_path, [arrival(point(8), reader="by-hand/2")])
    told = publish(tmp_path, [arrival(point(8), reader="by-hand/2", supplied={"note": "x"})])
    assert (newer.verdicts, told.verdicts) == (["superseded"], ["superseded"])
    assert Store(tmp_path).snapshot().count(ALL) == 1


def test_told_later_what_the_file_did_not_say_a_point_moves_and_keeps_its_address(tmp_path: Path) -> None:
    publish(tmp_path, [arrival(point(8, engine=None, raw="r"))])
    before = Store(tmp_path).snapshot().rows(ALL)
    told = replace(point(8, engine=None, raw="r"), engine="vllm")
    after = publish(tmp_path, [arrival(told, supplied={"engine": "vllm"})])
    rows = Store(tmp_path).snapshot().rows(ALL)
    assert after.verdicts == ["superseded"]
    assert [row["id"] for row in rows] == [row["id"] for row in before]
    assert [row["engine"] for row in rows] == ["vllm"]
    assert publish(tmp_path, [arrival(told, supplied={"engine": "vllm"})]).verdicts == ["duplicate"]


def test_a_companion_that_arrives_later_completes_the_stored_point(tmp_path: Path) -> None:
    publish(tmp_path, [arrival(point(8))])
    completed = [arrival(point(8), run="run-b", place="b.json", supplied={"companion:power": "d1"})]
    bare = [arrival(point(8), run="run-c", place="c.json")]
    assert publish(tmp_path, completed).verdicts == ["superseded"]
    assert publish(tmp_path, bare).verdicts == ["duplicate"]
    assert publish(tmp_path, completed).verdicts == ["duplicate"]
    assert Store(tmp_path).snapshot().count(ALL) == 1


def test_an_address_kept_by_a_point_that_moved_is_not_given_away(tmp_path: Path) -> None:
    publish(tmp_path, [arrival(point(8, engine=None, raw="r"))])
    moved = arrival(replace(point(8, engine=None, raw="r"), engine="vllm"), supplied={"engine": "vllm"})
    other = arrival(point(8, engine=None, raw="other"), supplied={"note": "x"}, where="row 2")
    assert publish(tmp_path, [moved, other]).verdicts == ["superseded", "new"]
    rows = Store(tmp_path).snapshot().rows(ALL)
    assert sorted(row["engine"] or "" for row in rows) == ["", "vllm"]
    assert len({row["id"] for row in rows}) == 2


def test_repeats_in_one_run_and_in_another_are_kept_and_the_newest_is_shown(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=900.0), point(8, y=910.0), run="one")
    stored(tmp_path, point(8, y=920.0), run="two")
    shot = Store(tmp_path).snapshot()
    assert [row["total_tput_per_chip"] for row in shot.rows(ALL)] == [900.0, 910.0, 920.0]
    assert [row["total_tput_per_chip"] for row in shot.rows(Selection())] == [920.0]
    older = shot.rows(Selection(filters={"run": ("one",)}))
    assert [row["total_tput_per_chip"] for row in older] == [910.0]


def test_time_in_the_file_decides_what_is_newest(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=900.0, run_time="2026-09-02T00:00:00+00:00"), run="one")
    stored(tmp_path, point(8, y=800.0, run_time="2026-08-01T00:00:00+00:00"), run="two")
    assert [row["total_tput_per_chip"] for row in Store(tmp_path).snapshot().rows(Selection())] == [900.0]


def test_a_cold_iteration_is_not_the_newest_while_a_warm_one_exists(tmp_path: Path) -> None:
    stored(tmp_path, point(8, y=900.0), point(8, y=300.0, cold=True))
    assert [row["total_tput_per_chip"] for row in Store(tmp_path).snapshot().rows(Selection())] == [900.0]


def test_two_dialects_of_one_run_are_both_kept_and_the_richer_is_shown(tmp_path: Path) -> None:
    rich = point(8, dialect="nested", raw="v3", metrics={"ttft_p90_s": 1.0})
    poor = point(8, dialect="flat", raw="v2", y=900.004)
    publish(tmp_path, [arrival(rich, run="v3"), arrival(poor, run="v2")])
    shot = Store(tmp_path).snapshot()
    assert {row["source"]: row["flags"] for row in shot.rows(ALL)} == {"nested": ["same_run"], "flat": ["same_run"]}
    assert [row["source"] for row in shot.rows(Selection())] == ["nested"]


def test_a_prediction_is_no_repeat_of_a_measurement(tmp_path: Path) -> None:
    stored(tmp_path, point(8), point(8, origin="predicted", y=950.0))
    assert len(Store(tmp_path).snapshot().rows(Selection())) == 2


def test_an_earlier_snapshot_answers_with_the_same_bytes_after_anything_later(tmp_path: Path) -> None:
    rejected = Rejection(path="bad.json", where="file", reason="not JSON")
    first = stored(tmp_path, point(8), point(16), point(8, y=2.0), rejections=(rejected,))
    frozen = {first.snapshot: (numbers(tmp_path), numbers(tmp_path, selection=Selection()))}
    for y in (901.0, 902.0, 903.0):
        later = stored(tmp_path, point(8, y=y), point(32, y=y), kv_point(y), run=f"run-{int(y) % 2}")
        frozen[later.snapshot] = (numbers(tmp_path), numbers(tmp_path, selection=Selection()))
    retire(tmp_path, "measured")
    for snapshot, (every, newest) in frozen.items():
        assert numbers(tmp_path, snapshot) == every
        assert numbers(tmp_path, snapshot, Selection()) == newest


def kv_point(y: float) -> object:
    return point(8, y=y + 50, offload=kv())


def test_retired_points_leave_the_live_snapshot_and_stay_in_earlier_ones(tmp_path: Path) -> None:
    first = stored(tmp_path, point(8), point(8, origin="synthetic"))
    assert retire(tmp_path, "synthetic") == 1
    store = Store(tmp_path)
    assert [row["origin"] for row in store.snapshot().rows(ALL)] == ["measured"]
    assert len(store.snapshot(first.snapshot).rows(ALL)) == 2


def test_an_unknown_snapshot_is_named_in_the_error(tmp_path: Path) -> None:
    stored(tmp_path, point(8))
    with pytest.raises(SnapshotNotFound, match="no snapshot 'nope'"):
        Store(tmp_path).snapshot("nope")


def test_a_dry_run_judges_and_writes_nothing(tmp_path: Path) -> None:
    stored(tmp_path, point(8))
    before = sorted(path.name for path in tmp_path.iterdir())
    judged = publish(tmp_path, [arrival(point(8)), arrival(point(16))], dry_run=True)
    assert judged.verdicts == ["duplicate", "new"]
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_running_reader_follows_the_pointer(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.snapshot().count(ALL) == 0
    stored(tmp_path, point(8))
    assert store.snapshot().count(ALL) == 1
    stored(tmp_path, point(16))
    assert store.snapshot().count(ALL) == 2


CRASH = """
import os, sys
from pathlib import Path
from app.store import files
from tests.points import point, stored
files.{victim} = lambda *_: os._exit(9)  # dies where a power cut would hurt
stored(Path(sys.argv[1]), point(16))
"""

HOLD = """
import sys
from dataclasses import replace
from pathlib import Path
from app.store import files
with files.publisher(Path(sys.argv[1]), wait=True, on_wait=None):
    print("held", flush=True)
    sys.stdin.read()
"""


def run(script: str, folder: Path) -> subprocess.Popen[str]:
    """Another process, as a second ingest is: a fork of this one would share DuckDB's threads."""
    return subprocess.Popen(
        [sys.executable, "-c", script, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("victim", ["point_at", "sync_file"])
def test_a_crash_leaves_the_former_snapshot_served(tmp_path: Path, victim: str) -> None:
    first = stored(tmp_path, point(8))
    crashed = run(CRASH.format(victim=victim), tmp_path)
    crashed.communicate(timeout=60)
    assert crashed.returncode == 9
    assert Store(tmp_path).snapshot().id == first.snapshot
    again = stored(tmp_path, point(16))
    assert again.verdicts == ["new"]
    assert Store(tmp_path).snapshot().count(ALL) == 2
    assert not list(tmp_path.glob("*.tmp"))


@pytest.mark.parametrize("text", [None, "", "\n"])
def test_a_lost_pointer_costs_no_snapshot(tmp_path: Path, text: str | None) -> None:
    stored(tmp_path, point(8))
    live = stored(tmp_path, point(16))
    pointer = tmp_path / files.POINTER
    pointer.unlink() if text is None else pointer.write_text(text)
    assert Store(tmp_path).snapshot().id == live.snapshot
    assert Pointer(tmp_path)() == f"snap-{live.snapshot}.duckdb"
    assert stored(tmp_path, point(32)).verdicts == ["new"]
    assert Store(tmp_path).snapshot().count(ALL) == 3
    assert len(Store(tmp_path).snapshot().snapshots()) == 3


def test_a_store_that_cannot_be_read_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / files.POINTER).write_bytes(b"\xff\xfe")
    for name, words in (("file", "not a folder"), ("torn", "CURRENT is not text")):
        with pytest.raises(files.StoreError, match=words):
            Store(tmp_path / name).snapshot()
        assert Pointer(tmp_path / name)() is None


FULL = """
import resource, signal, sys
from pathlib import Path
from app.store.files import StoreError
from tests.points import point, stored
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # a file that may not grow, as on a full disk
try:
    stored(Path(sys.argv[1]), point(16))
except StoreError as error:
    print(error)
"""


def test_a_disk_that_is_full_leaves_the_former_snapshot_and_no_litter(tmp_path: Path) -> None:
    first = stored(tmp_path, point(8))
    before = {path.name for path in tmp_path.iterdir()}
    said, _ = run(FULL, tmp_path).communicate(timeout=60)
    assert said.startswith("the new snapshot could not be written, so the former one stays: ")
    assert {path.name for path in tmp_path.iterdir()} == before
    assert Store(tmp_path).snapshot().id == first.snapshot
    assert stored(tmp_path, point(16)).verdicts == ["new"]


def test_a_second_publisher_is_told_who_holds_the_lock_and_waits(tmp_path: Path) -> None:
    holder = run(HOLD, tmp_path)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    said: list[str] = []
    with pytest.raises(files.StoreBusy, match=f"process {holder.pid} is publishing"):
        publish(tmp_path, [arrival(point(8))], wait=False)

    def on_wait(text: str) -> None:
        said.append(text)
        holder.communicate(timeout=60)

    assert publish(tmp_path, [arrival(point(8))], on_wait=on_wait).verdicts == ["new"]
    assert said == [f"process {holder.pid} is publishing to this store; waiting for it"]
