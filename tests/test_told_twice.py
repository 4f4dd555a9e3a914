"""The same runs under two workloads: the report asks which of them is meant."""

import json
from pathlib import Path
from typing import Any

from ingest.pipeline import ingest
from ingest.supplied import parse_sets
from tests.conftest import ROOT
from tests.rows import fixed, write

WORDS = "under another workload"


def warnings(folder: Path, *rows: list[dict[str, Any]], **more: Any) -> list[str]:
    """What is said of each file of rows, in their order."""
    for number, content in enumerate(rows):
        write(folder / "in" / f"{number}.json", content)
    report = ingest([folder / "in"], folder / "db", dry_run=True, **more)
    return [" ".join(text for text in file.warnings if WORDS in text) for file in report.files]


def test_equal_runs_under_two_workloads_are_told_with_both_names(tmp_path: Path) -> None:
    sweep = [fixed(load, duration=60.0) for load in (4, 8, 16)]
    again = [row | {"isl": 1000, "osl": 1000, "tput_per_gpu": round(row["tput_per_gpu"], 3)} for row in sweep]
    first, second = warnings(tmp_path, sweep, again)
    assert first == ""
    assert second.startswith("3 points have the figures of others (")
    assert "0.json) under another workload, here 1000/1000. " in second
    assert second.endswith("If they are the same runs, --set 'workload=1k/1k' makes them one")


def test_saying_the_workload_makes_an_end_of_it(tmp_path: Path) -> None:
    other = fixed(8, isl=1000, osl=1000)
    assert warnings(tmp_path, [fixed(8)], [other], supplied=parse_sets(["workload=1k/1k"])) == ["", ""]


def test_runs_that_differ_in_anything_are_two_runs(tmp_path: Path) -> None:
    other = {"isl": 1000, "osl": 1000}
    changes: list[dict[str, Any]] = [
        {"median_ttft": 0.21},
        {"tput_per_gpu": 108.2, "input_tput_per_gpu": 54.2},
        {"conc": 9},
        {"hw": "b200-nv"},
        {"model": "openai/gpt-oss-120b", "infmax_model_prefix": "gptoss"},
    ]
    for number, change in enumerate(changes):
        folder = tmp_path / str(number)
        assert warnings(folder, [fixed(8)], [fixed(8, **other) | change]) == ["", ""], change
    assert warnings(tmp_path / "none", [fixed(8)], [fixed(8, **other)])[1]


def test_figures_too_few_to_tell_runs_apart_prove_nothing(tmp_path: Path) -> None:
    few = fixed(8, mean_ttft=None, median_ttft=None, mean_tpot=None)
    assert warnings(tmp_path, [few], [few | {"isl": 1000, "osl": 1000}]) == ["", ""]


def test_runs_that_an_earlier_call_stored_are_told_in_one_line_for_all_files(tmp_path: Path) -> None:
    for load in (4, 8):
        write(tmp_path / "a" / f"{load}.json", [fixed(load, duration=60.0)])
        write(tmp_path / "b" / f"{load}.json", [fixed(load, duration=60.0, isl=1000, osl=1000)])
    stored = [ingest([tmp_path / "a"], tmp_path / "db").files, ingest([tmp_path / "a"], tmp_path / "db").files]
    assert all(not file.warnings for files in stored for file in files)
    report = ingest([tmp_path / "b"], tmp_path / "db")
    [told] = {text for file in report.files for text in file.warnings}
    assert all(told in file.warnings for file in report.files)
    assert told.startswith("2 points have the figures of points already stored (")
    assert "/a) under another workload, here 1000/1000. " in told
    assert told.endswith("--set 'workload=1k/1k' makes them one")
    again = ingest([tmp_path / "b"], tmp_path / "db", supplied=parse_sets(["workload=1k/1k"]))
    assert all(not file.warnings for file in again.files)


def test_runs_that_were_stored_without_a_chip_are_told(tmp_path: Path) -> None:
    bare = json.loads((ROOT / "tests/samples/vllm_bench/with_metadata.json").read_text(encoding="utf-8"))
    del bare["chip"]
    write(tmp_path / "a" / "run.json", bare)
    ingest([tmp_path / "a"], tmp_path / "db")
    write(tmp_path / "b" / "run.json", bare)
    report = ingest([tmp_path / "b"], tmp_path / "db", supplied=parse_sets(["chip=b200"]))
    [told] = [text for text in report.files[0].warnings if "figures of" in text]
    assert told.startswith("1 point has the figures of points already stored that name no chip (")
    assert told.endswith("a/run.json). If they are the same runs, ingest those again with --set chip=b200")
