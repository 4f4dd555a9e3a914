"""Requests one by one from vLLM, SGLang and GuideLLM: what is kept adds up to what the same file sums up."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.catalog.point import Json
from app.details.recorded import keep
from app.store.happened import Happened
from app.store.read import Store
from app.store.select import Selection
from app.store.series import series_of
from ingest.pipeline import ingest
from ingest.sources.measures import INTERACTIVITY, LATENCY
from ingest.sources.serving_details import named, requests
from tests.conftest import ROOT
from tests.served import client

SAMPLES = ROOT / "tests" / "samples"
VLLM = SAMPLES / "vllm_bench" / "saved_with_details.json"
SGLANG = SAMPLES / "sglang_bench" / "with_output_details.jsonl"
GUIDELLM = SAMPLES / "guidellm" / "v1_requests_and_a_window.json"


def runs(db: Path) -> list[tuple[dict[str, Any], Happened]]:
    """Each point that has requests, with what happened during its run."""
    snapshot = Store(db).snapshot()
    rows = [snapshot.point(row["id"]) for row in snapshot.rows(Selection(newest=False))]
    found = [(row, row["detail"]["facts"]) for row in rows if row is not None]
    return [(row, snapshot.recorded(facts).happened()) for row, facts in found if series_of(facts)]


def summed_up(db: Path, *, exactly: bool) -> int:
    """Compares requests with the summary beside them; how many points were compared.

    Tools that take the nearest request for a percentile are within the next one of it.
    """
    found = runs(db)
    for row, run in found:
        assert run.totals is not None
        spread = run.distributions
        assert run.totals.measured == row["requests_ok"]
        assert spread["ttft"].mean == pytest.approx(row[LATENCY["ttft"]["mean"]], rel=1e-6)
        assert spread["isl"].mean == pytest.approx(row["input_tokens_mean"], rel=1e-9)
        assert spread["osl"].mean == pytest.approx(row["output_tokens_mean"], rel=1e-9)
        for quantity, keys in (("ttft", LATENCY["ttft"]), ("pace", INTERACTIVITY)):
            for statistic in ("p50", "p99") if quantity in spread else ():
                told = row[keys[statistic]]
                # The clock of a whole request stops a little after its last chunk.
                tolerance = 1e-5 if exactly else 0.06
                assert told is None or getattr(spread[quantity], statistic) == pytest.approx(told, rel=tolerance)
    return len(found)


@pytest.mark.parametrize("path", [VLLM, SGLANG], ids=["vllm", "sglang"])
def test_the_requests_of_a_row_add_up_to_the_row(tmp_path: Path, path: Path) -> None:
    ingest([path], tmp_path / "db")
    assert summed_up(tmp_path / "db", exactly=True) == len(path.read_text().splitlines())


def test_each_row_of_a_file_has_its_own_requests(tmp_path: Path) -> None:
    ingest([VLLM], tmp_path / "db")
    (one, first), (two, second) = sorted(runs(tmp_path / "db"), key=lambda run: run[0]["concurrency"])
    assert (one["concurrency"], two["concurrency"]) == (2, 4)
    assert first.totals is not None
    assert second.totals is not None
    assert first.totals.errors == {"ClientPayloadError": 1}
    # Sent two and two in one, all at once in the other: counted from the first, whatever the clock's zero.
    assert first.span == (0.0, pytest.approx(0.78))
    assert second.span == (0.0, pytest.approx(0.52))
    assert first.load is not None
    assert first.load.measured
    assert first.lanes is not None
    assert not first.lanes.bars


def test_what_lies_outside_the_measured_window_is_kept_apart(tmp_path: Path) -> None:
    ingest([GUIDELLM], tmp_path / "db")
    ((_, run),) = runs(tmp_path / "db")
    totals = run.totals
    assert totals is not None
    assert (totals.requests, totals.measured, totals.warmup, totals.cooldown, totals.failed) == (7, 3, 1, 2, 1)
    assert totals.errors == {"ReadTimeout": 1}
    assert totals.warmup_end_s == pytest.approx(2.0)
    assert run.distributions["ttft"].mean == pytest.approx(1.1 / 3)


def test_a_conversation_is_told_where_the_report_names_it(tmp_path: Path) -> None:
    ingest([SAMPLES / "guidellm" / "v2_requests_of_a_conversation.json"], tmp_path / "db")
    ((_, run),) = runs(tmp_path / "db")
    assert run.lanes is not None
    assert run.lanes.names == ["talk-1"]
    assert len(run.lanes.bars) == 5


def test_a_median_has_no_requests_of_its_own(tmp_path: Path) -> None:
    single = json.loads(VLLM.read_text().splitlines()[0])
    folder = tmp_path / "in"
    folder.mkdir()
    for number in (1, 2, 3):
        (folder / f"run{number}.json").write_text(json.dumps(single | {"duration": 0.92 + number / 100}))
    names = [f"run{number}.json" for number in (1, 2, 3)]
    median = {"aggregation_method": "median", "aggregated_repetitions": 3, "individual_result_files": names}
    (folder / "median.json").write_text(json.dumps(single | median))
    report = ingest([folder], tmp_path / "db")
    assert [file.of is not None for file in report.files].count(True) == 3
    assert runs(tmp_path / "db") == []


@pytest.mark.parametrize(
    "change",
    [
        {"output_lens": [5, 5]},
        {"ttfts": "none"},
        {"ttfts": None},
        {"aggregation_method": "median"},
    ],
)
def test_lists_that_do_not_fit_give_no_requests(change: dict[str, Json]) -> None:
    row = json.loads(VLLM.read_text().splitlines()[0])
    assert list(requests(row | change)) == []


def test_a_list_that_does_not_fit_costs_only_what_it_tells() -> None:
    row = json.loads(VLLM.read_text().splitlines()[0])
    first, *_ = requests(row | {"itls": [["x"], None, [], []], "start_times": [1.0]})
    assert (first.ttft_s, first.itl_s, first.e2el_s, first.start_ns) == (0.2, None, None, None)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Traceback (most recent call last):\n  File x\nasyncio.exceptions.TimeoutError\n", "TimeoutError"),
        ("aiohttp.ClientResponseError: 500, message='api_key=abcdefgh12345'", "ClientResponseError"),
        ("Internal Server Error", "Internal Server Error"),
        ("refused with api_key=abcdefgh12345", "refused with api_key=[redacted]"),
        ("", "not named"),
    ],
)
def test_an_error_is_named_in_few_words_without_secrets(text: str, name: str) -> None:
    assert named(text) == name


def test_the_page_of_a_point_shows_its_requests(tmp_path: Path) -> None:
    ingest([VLLM, SGLANG], tmp_path / "db")
    with client(tmp_path / "db") as asked:
        rows = asked.get("/api/v1/points").json()["rows"]
        assert {row["source"] for row in rows} == {"vllm-bench-serve", "sglang-bench-serving"}
        for row in rows:
            page = asked.get(f"/points/{row['id']}").text
            assert 'data-figure="ttft_distribution"' in page
            assert "3 measured requests" in page
            assert "conversation" not in page.split('id="time"')[1].split("</section>")[0]
            assert ('data-figure="under_way"' in page) == (row["source"] == "vllm-bench-serve")
            assert ("When each request was sent is not in the file" in page) == (row["source"] != "vllm-bench-serve")


@pytest.mark.parametrize(
    ("dialect", "flag"),
    [
        ("vllm-bench-serve", "--save-detailed"),
        ("inferencex-benchmark-serving", "--save-detailed"),
        ("sglang-bench-serving", "--output-details"),
        ("guidellm-v2", "JSON report"),
        ("aiperf", "profile_export.jsonl"),
        ("llmd-prism", "of another format"),
    ],
)
def test_a_page_without_requests_says_how_to_keep_them(dialect: str, flag: str) -> None:
    assert flag in " ".join(keep(dialect, None))


def test_given_files_keep_what_they_sum_up(shared_data: Path, tmp_path: Path) -> None:
    ingest([shared_data / "vllm_bench_serve"], tmp_path / "vllm")
    assert summed_up(tmp_path / "vllm", exactly=True) == 275
    raw = shared_data / "inferencex_bench_serving_raw" / "nebius__results_exp__gt_c256.json"
    ingest([raw], tmp_path / "raw")
    assert summed_up(tmp_path / "raw", exactly=True) == 1
    ingest([shared_data / "guidellm"], tmp_path / "guidellm")
    assert summed_up(tmp_path / "guidellm", exactly=False) == 3


def test_a_file_of_gaps_takes_no_more_than_a_second_time_its_size(tmp_path: Path) -> None:
    """So 400 MB of them stay within 1 GB: their text, and doubles of a third of it, twice."""
    row = json.loads(VLLM.read_text().splitlines()[0])
    gaps = [[(1 + place % 97) / 3217 for place in range(1000)]] * 2000
    count = len(gaps)
    row |= {"itls": gaps, "ttfts": [0.5] * count, "output_lens": [1001] * count, "input_lens": [1000] * count}
    row |= {
        "generated_texts": ["word " * 100] * count,
        "errors": [""] * count,
        "num_prompts": count,
        "completed": count,
    }
    path = tmp_path / "long" / "run.json"
    path.parent.mkdir()
    path.write_text(json.dumps(row))
    size = path.stat().st_size
    assert size > 40_000_000
    program = (
        "import resource, sys; from pathlib import Path; from ingest.pipeline import ingest\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        "folder = Path(sys.argv[1])\n"
        f"ingest([Path({str(VLLM)!r})], folder / 'db')\n"
        "before = peak()\n"
        "print(ingest([folder / 'long'], folder / 'db').totals()['points'])\n"
        "print(peak() - before)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    points, took = map(int, answer.stdout.split())
    assert points == 1
    assert took < 2 * size
    assert any(run.totals.measured == count for _, run in runs(tmp_path / "db") if run.totals is not None)
