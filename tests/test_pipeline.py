"""From files to verdicts: nothing is dropped in silence, nothing counts twice, one bad part costs itself."""

import json
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.catalog.point import Point
from app.store.files import live_file
from ingest.document import Document
from ingest.pipeline import ingest, run_of
from ingest.reading import claim
from ingest.report import Report
from ingest.sources import SOURCES
from ingest.sources.base import Found, Reading
from ingest.supplied import parse_sets
from tests.rows import agentic, fixed, write


def files(report: Report) -> dict[str, dict[str, Any]]:
    """The report by base name."""
    return {Path(file["path"]).name: file for file in report.document()["files"]}


def test_the_report_has_the_shape_of_the_contract(tmp_path: Path) -> None:
    write(
        tmp_path / "in" / "agg_bmk.json", [fixed(8), agentic(4, "lmcache"), agentic(4), {"hw": "h200", "nonsense": 1}]
    )
    report = ingest([tmp_path / "in"], tmp_path / "db").document()
    assert list(report) == ["snapshot", "files", "totals"]
    (file,) = report["files"]
    assert file == {
        "path": f"{tmp_path}/in/agg_bmk.json",
        "source": "inferencex",
        "role": "results",
        "of": None,
        "points": 3,
        "new": 3,
        "duplicates": 0,
        "superseded": 0,
        "refused": [{"where": "row 4", "reason": file["refused"][0]["reason"]}],
        "needs": file["needs"],
        "warnings": file["warnings"],
    }
    assert report["totals"] == {
        "files": 1,
        "points": 3,
        "new": 3,
        "duplicates": 0,
        "superseded": 0,
        "refused": 1,
        "offload": {"on": 1, "off": 2, "unknown": 0},
    }
    json.dumps(report)


def test_reading_the_same_files_again_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.json", [fixed(8), fixed(16)])
    (tmp_path / "in" / "b.json").write_bytes(b"")
    first = ingest([tmp_path / "in"], tmp_path / "db")
    again = ingest([tmp_path / "in"], tmp_path / "db")
    assert again.snapshot == first.snapshot
    assert again.totals() | {"offload": None} == {
        "files": 2,
        "points": 2,
        "new": 0,
        "duplicates": 2,
        "superseded": 0,
        "refused": 1,
        "offload": None,
    }
    assert not any(again.offload.values())


def test_a_corrected_file_supersedes_its_points(tmp_path: Path) -> None:
    path = write(tmp_path / "in" / "a.json", [fixed(8), fixed(16)])
    ingest([path], tmp_path / "db")
    write(path, [fixed(8), fixed(16, tput_per_gpu=500.0)])
    totals = ingest([path], tmp_path / "db").totals()
    assert (totals["new"], totals["duplicates"], totals["superseded"]) == (0, 1, 1)


def test_equal_names_in_two_folders_are_two_runs(tmp_path: Path) -> None:
    write(tmp_path / "a" / "agg_bmk.json", fixed(8))
    write(tmp_path / "b" / "agg_bmk.json", fixed(8, tput_per_gpu=500.0))
    assert ingest([tmp_path / "a", tmp_path / "b"], tmp_path / "db").totals()["new"] == 2


def test_a_run_is_named_by_the_user_else_by_the_file_and_never_by_an_absolute_path() -> None:
    lone = Document("x/agg.json", "/home/me/secret/x/agg.json", "agg.json", ("x",), b"")
    label, run = run_of(lone, None)
    assert label == "x/agg.json"
    assert run.startswith("x/agg.json~")
    assert len(run) == len(label) + 7
    member = Document("z.zip!s/agg.json", "/home/me/z.zip!s/agg.json", "agg.json", ("z",), b"")
    assert run_of(member, None)[0] == "z.zip!agg.json"
    assert run_of(member, "nightly") == ("nightly", "nightly")
    long = Document("x", f"/home/me/{'f' * 90}/{'n' * 90}.json", f"{'n' * 90}.json", (), b"")
    assert len(run_of(long, None)[0]) < 80


def test_a_name_given_to_the_call_is_the_run_of_all_its_files(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.json", fixed(8))
    write(tmp_path / "in" / "b.json", fixed(8, tput_per_gpu=500.0))
    assert ingest([tmp_path / "in"], tmp_path / "db", run="nightly").totals()["new"] == 2


def test_a_dry_run_judges_and_writes_nothing(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.json", [fixed(8), fixed(8)])
    report = ingest([tmp_path / "in"], tmp_path / "db", dry_run=True)
    assert report.totals()["new"] == 1
    assert report.totals()["duplicates"] == 1
    assert report.snapshot is None
    assert live_file(tmp_path / "db") is None


def test_members_of_archives_are_files_of_their_own(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bmk.zip", "w") as archive:
        archive.writestr("agg_bmk.json", json.dumps([fixed(8)]))
        archive.writestr("empty.json", "")
    report = files(ingest([tmp_path / "bmk.zip"], tmp_path / "db"))
    assert list(report) == ["bmk.zip!agg_bmk.json", "bmk.zip!empty.json"]
    assert report["bmk.zip!agg_bmk.json"]["new"] == 1
    assert report["bmk.zip!empty.json"]["role"] == "refused"


def test_the_same_record_in_two_places_is_one_point(tmp_path: Path) -> None:
    write(tmp_path / "in" / "agg_bmk.json", [fixed(8), fixed(16)])
    write(tmp_path / "in" / "agg_one.json", dict(reversed(fixed(8).items())))
    totals = ingest([tmp_path / "in"], tmp_path / "db").totals()
    assert (totals["new"], totals["duplicates"]) == (2, 1)


def test_what_no_source_knows_is_refused_with_what_was_found(tmp_path: Path) -> None:
    write(tmp_path / "in" / "other.json", {"alpha": 1, "beta": 2})
    (tmp_path / "in" / "notes.txt").write_text("hello\n")
    (tmp_path / "in" / "cut.json").write_text('{"hw": "h200", "isl": ')
    report = files(ingest([tmp_path / "in"], tmp_path / "db"))
    assert all(file["role"] == "refused" and file["points"] == 0 for file in report.values())
    reasons = {name: file["refused"][0]["reason"] for name, file in report.items()}
    assert "keys alpha, beta" in reasons["other.json"]
    assert "begins 'hello'" in reasons["notes.txt"]
    assert "cut off" in reasons["cut.json"]


def test_a_bad_row_costs_itself(tmp_path: Path) -> None:
    rows = [json.dumps(fixed(8)), '{"hw": "h200", "hw": "h100"}', json.dumps(fixed(16)), '{"hw": "h200", "is']
    (tmp_path / "lines.json").write_text("\n".join(rows))
    (tmp_path / "cut.json").write_text("[" + ", ".join([json.dumps(fixed(32)), rows[-1]]))
    report = files(ingest([tmp_path / "lines.json", tmp_path / "cut.json"], tmp_path / "db"))
    assert report["lines.json"]["points"] == 2
    assert [spot["where"] for spot in report["lines.json"]["refused"]] == ["line 2", "line 4"]
    assert report["cut.json"]["points"] == 1
    assert [spot["where"] for spot in report["cut.json"]["refused"]] == ["row 2"]


def test_missing_and_unknown_words_are_kept_and_told(tmp_path: Path) -> None:
    row = fixed(8, hw="quantum9-lab", framework="", precision="", infmax_model_prefix="", model="")
    report = files(ingest([write(tmp_path / "a.json", row)], tmp_path / "db"))["a.json"]
    assert report["new"] == 1
    assert report["needs"] == ["model", "engine", "precision"]
    assert any(text.startswith("unknown chip") for text in report["warnings"])


def test_what_is_supplied_reaches_the_points(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", fixed(8, framework="", precision=""))
    supplied = parse_sets(["engine=vllm", "precision=fp8"])
    assert files(ingest([path], tmp_path / "db", supplied=supplied))["a.json"]["needs"] == []


def test_secrets_do_not_reach_the_store(tmp_path: Path) -> None:
    secret = "q7RtYp2LxWv9"
    write(tmp_path / "a.json", fixed(8, server_args=f"vllm serve m --api-key {secret}", api_key=secret))
    ingest([tmp_path / "a.json"], tmp_path / "db")
    stored = live_file(tmp_path / "db")
    assert stored is not None
    assert secret.encode() not in stored.read_bytes()


class Everything:
    """A source that wants every file and stumbles over the third record."""

    key, label, version = "everything", "Everything", 1
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return True

    def read(self, document: Document) -> Iterator[Reading]:
        for row in document.parsed.records:
            yield Found(row.where, Point(dialect="everything", raw=row.value, concurrency=row.value["n"]))


def test_two_claimants_are_a_refusal_that_names_them(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", fixed(8))
    document = Document(str(path), str(path), path.name, (), path.read_bytes())
    answer = claim(document, (*SOURCES, Everything()))
    assert isinstance(answer, str)
    assert "Everything" in answer
    assert "InferenceX" in answer


def test_a_source_that_fails_costs_its_file_alone(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.json", [{"n": 1}, {"n": 2}, {"oops": 3}, {"n": 4}])
    write(tmp_path / "in" / "b.json", [{"n": 1, "other": 1}])
    report = files(ingest([tmp_path / "in"], tmp_path / "db", sources=[Everything()]))
    assert report["a.json"]["points"] == 2
    assert report["a.json"]["refused"] == [
        {"where": "after row 2", "reason": "could not be read: Everything failed after row 2 (KeyError: 'n')"}
    ]
    assert report["b.json"]["points"] == 1


def test_power_audits_complete_their_results_or_say_that_there_is_none(tmp_path: Path) -> None:
    audit = {"power_valid": True, "reasons": [], "observed_gpu_count": 8, "benchmark_window": {"completed": 80}}
    write(tmp_path / "in" / "agg_run_conc8.json", fixed(8))
    write(tmp_path / "in" / "power_validation_run_conc8.json", audit | {"benchmark_result": "run_conc8.json"})
    write(tmp_path / "in" / "power_validation_lost.json", audit | {"benchmark_result": "lost.json"})
    report = files(ingest([tmp_path / "in"], tmp_path / "db"))
    completing = report["power_validation_run_conc8.json"]
    assert completing["role"] == "companion"
    assert completing["of"] == f"{tmp_path}/in/agg_run_conc8.json"
    assert report["power_validation_lost.json"]["role"] == "ignored"
    assert "not among these files" in report["power_validation_lost.json"]["warnings"][0]


ROWS = st.lists(
    st.one_of(
        st.builds(fixed, st.integers(1, 4), tput_per_gpu=st.sampled_from([100.0, 200.0])),
        st.builds(agentic, st.integers(1, 4), st.sampled_from(["none", "lmcache"])),
        st.just({"hw": "h200", "tput_per_gpu": None}),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ROWS, min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_twice_equals_once_and_any_order_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, contents: list[list[dict[str, Any]]], order: random.Random
) -> None:
    base = tmp_path_factory.mktemp("orders")
    paths = [write(base / "in" / f"{number}.json", rows) for number, rows in enumerate(contents)]
    first = ingest(paths, base / "one")
    order.shuffle(paths)
    other = ingest(paths, base / "two")
    assert other.document() == first.document()
    again = ingest(paths, base / "one")
    assert again.snapshot == first.snapshot
    assert again.totals()["new"] == again.totals()["superseded"] == 0
    assert again.totals()["points"] == first.totals()["points"]


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("inferencex_agg_agentic_v2", {"files": 12, "new": 114, "duplicates": 0, "refused": 0, "on": 57}),
        ("inferencex_agg_agentic_v2_single", {"files": 46, "new": 45, "duplicates": 0, "refused": 1}),
        ("inferencex_agg_agentic_v3_regenerated", {"files": 50, "new": 50, "duplicates": 0, "refused": 0, "on": 25}),
        ("inferencex_agg_fixedseq_regenerated", {"files": 29, "new": 14, "duplicates": 14, "refused": 0}),
        ("inferencex_artifact_zip", {"files": 5, "new": 28, "duplicates": 0, "refused": 0}),
    ],
)
def test_real_folders_give_the_counts_that_were_counted_by_hand(
    shared_data: Path, tmp_path: Path, folder: str, expected: dict[str, int]
) -> None:
    report = ingest([shared_data / folder], tmp_path)
    totals = report.totals()
    assert {key: totals["offload"]["on"] if key == "on" else totals[key] for key in expected} == expected
    again = ingest([shared_data / folder], tmp_path)
    assert again.snapshot == report.snapshot
    assert again.totals()["duplicates"] == totals["points"]


def test_the_power_files_of_a_real_folder_are_companions(shared_data: Path, tmp_path: Path) -> None:
    report = ingest([shared_data / "inferencex_agg_fixedseq_regenerated"], tmp_path)
    companions = [file for file in report.files if file.role == "companion"]
    assert len(companions) == 14
    assert len({file.of for file in companions}) == 14


def test_every_real_file_is_accounted_for(shared_data: Path, tmp_path: Path) -> None:
    report = ingest([shared_data], tmp_path)
    paths = [file.path.partition("!")[0] for file in report.files]
    assert sorted(set(paths)) == sorted(str(path) for path in shared_data.rglob("*") if path.is_file())
    for file in report.files:
        assert file.points or file.refused or file.of or file.warnings, file.path
        assert not any("could not be read" in reason for _, reason in file.refused), file.refused
    assert ingest([shared_data], tmp_path).snapshot == report.snapshot
