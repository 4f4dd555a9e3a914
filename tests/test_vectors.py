"""Numbers worked out by hand from real files, which the readers have to reproduce."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.catalog.metrics import HBM_POOL_TOKENS, POWER_PER_CHIP_W, TOTAL_TPUT_PER_CHIP, derive
from app.catalog.offload import TIERS
from app.catalog.point import Point
from app.catalog.workloads import workload_kind
from ingest.document import Document
from ingest.names import offload_named
from ingest.sources import SOURCES
from ingest.sources.base import Found, Refused, Skipped
from ingest.sources.inferencex import InferenceX
from ingest.sources.measures import E2E_INTERACTIVITY, INTERACTIVITY, JOULES, TPUT_PER_CHIP
from ingest.sources.vllm_bench import VllmBench
from ingest.tiers import share_metrics
from tests.conftest import ROOT
from tests.test_sources import document_of

FORMATS = {
    "inferencex_agg_agentic_v2": ("inferencex-agentic-v2", 114, 57, 0),
    "inferencex_agg_agentic_v2_single": ("inferencex-agentic-v2", 45, 22, 1),
    "inferencex_agg_agentic_v3_real": ("inferencex-agentic-v3", 1, 0, 0),
    "inferencex_agg_agentic_v3_regenerated": ("inferencex-agentic-v3", 50, 25, 0),
    "inferencex_agg_fixedseq_regenerated": ("inferencex-fixed-v1", 28, 0, 0),
}


def documents(folder: Path) -> list[Document]:
    return [document_of(path) for path in sorted(folder.rglob("*")) if path.is_file()]


def points(document: Document) -> list[Point]:
    return [reading.point for reading in InferenceX().read(document) if isinstance(reading, Found)]


def one(folder: Path, *parts: str) -> Document:
    """The only file whose name, or whose full name in the list of files, holds all parts."""
    (path,) = [path for path in sorted(folder.iterdir()) if all(part in path.name for part in parts)]
    return document_of(path)


@pytest.mark.parametrize("folder", FORMATS)
def test_every_record_of_a_folder_is_found_or_refused(shared_data: Path, folder: str) -> None:
    dialect, found, on, refused = FORMATS[folder]
    claimed = [document for document in documents(shared_data / folder) if InferenceX().claims(document)]
    readings = [reading for document in claimed for reading in InferenceX().read(document)]
    made = [reading.point for reading in readings if isinstance(reading, Found)]
    assert len(made) == found
    assert len(readings) - len(made) == refused
    assert {point.dialect for point in made} == {dialect}
    assert Counter(point.offload.mode for point in made)["on"] == on
    assert sum(point.offload.has_halo for point in made) == on


def test_no_other_file_is_claimed_and_none_by_two(shared_data: Path) -> None:
    for document in documents(shared_data):
        if len(document.data) > 5_000_000 or document.data[:2] == b"PK":
            continue
        claimants = [source.key for source in SOURCES if source.claims(document)]
        assert len(claimants) <= 1, document.place
        if "inferencex" in claimants:
            assert Path(document.resolved).parent.name in FORMATS


def test_a_fixed_row_with_its_power(shared_data: Path) -> None:
    (point,) = points(one(shared_data / "inferencex_agg_fixedseq_regenerated", "agg_dsr1_", "tp8_conc16_"))
    metrics = point.metrics
    assert (point.chip_count, point.model, point.workload, point.flags) == (8, "dsr1", "1k/1k", ())
    assert metrics[TOTAL_TPUT_PER_CHIP] == pytest.approx(217.3825, abs=1e-4)
    assert metrics[TPUT_PER_CHIP["output"]] == pytest.approx(108.1158, abs=1e-4)
    assert metrics[INTERACTIVITY["p50"]] == pytest.approx(55.6984, abs=1e-4)
    assert metrics[INTERACTIVITY["p99"]] == pytest.approx(53.5867, abs=1e-4)
    assert metrics[POWER_PER_CHIP_W] == 452.559
    assert metrics[JOULES["output"]] == 4.185878
    assert point.facts["power"]["boards"] == pytest.approx(8, abs=0.01)


def test_a_nested_row_as_it_was_published(shared_data: Path) -> None:
    (point,) = points(one(shared_data / "inferencex_agg_agentic_v3_real", "attempt2"))
    shares = share_metrics(point.cache)
    assert point.chip_count == 8
    assert point.metrics[TOTAL_TPUT_PER_CHIP] == pytest.approx(396.14743)
    assert point.metrics[INTERACTIVITY["p90"]] == pytest.approx(66.181, abs=1e-3)
    assert point.cache.ceiling_share == 0.96964
    assert shares[TIERS["hbm"].share_metric] == pytest.approx(0.286672, abs=1e-6)
    assert point.cache.flags == ("computed_exceeds_prompt",)


def test_a_nested_row_with_offload_on(shared_data: Path) -> None:
    folder = shared_data / "inferencex_agg_agentic_v3_regenerated"
    (point,) = points(one(folder, "kimik2.5_tp4_conc1_offloadlmcache", "mia1"))
    assert (point.chip_count, point.concurrency) == (4, 1)
    assert point.metrics[TOTAL_TPUT_PER_CHIP] == pytest.approx(1735.76658)
    # The row was inverted before it was rounded, so its own figure differs in the fifth digit.
    assert point.metrics[INTERACTIVITY["p90"]] == pytest.approx(82.265, rel=2e-3)
    assert point.metrics[E2E_INTERACTIVITY["p90"]] == pytest.approx(37.912, abs=1e-3)
    assert point.metrics[HBM_POOL_TOKENS] == 3_640_828
    assert (point.offload.mode, point.offload.media, point.offload.backend) == ("on", ("hbm", "host_dram"), "lmcache")


def test_a_flat_rows_fast_tail_is_not_its_interactivity(shared_data: Path) -> None:
    found = [
        point
        for document in documents(shared_data / "inferencex_agg_agentic_v2")
        for point in points(document)
        if round(point.metrics[TOTAL_TPUT_PER_CHIP], 3) == 5594.693
    ]
    assert found
    for point in found:
        assert point.offload.backend == "hicache"
        assert point.metrics[INTERACTIVITY["p90"]] == pytest.approx(20.862, abs=1e-3)
        assert point.raw["p90_intvty"] == pytest.approx(45.297, abs=1e-3)


def test_a_failed_run_is_refused_with_its_hit_rate(shared_data: Path) -> None:
    refused = [
        reading.reason
        for document in documents(shared_data / "inferencex_agg_agentic_v2_single")
        for reading in InferenceX().read(document)
        if not isinstance(reading, Found)
    ]
    assert refused == ["no request succeeded, so nothing was measured; a point needs at least one"]


def test_the_same_run_in_two_dialects_has_the_same_throughput(shared_data: Path) -> None:
    """84 runs were packaged twice: the per-chip total does not depend on who wrote the row."""
    totals = {
        key: {
            round(point.metrics[TOTAL_TPUT_PER_CHIP], 3)
            for document in documents(shared_data / folder)
            for point in points(document)
        }
        for key, folder in (
            ("flat", "inferencex_agg_agentic_v2"),
            ("flat_single", "inferencex_agg_agentic_v2_single"),
            ("nested", "inferencex_agg_agentic_v3_regenerated"),
        )
    }
    shared = totals["nested"] & (totals["flat"] | totals["flat_single"])
    assert len(shared) >= 20


def test_what_holds_for_every_real_row(shared_data: Path) -> None:
    for folder in FORMATS:
        for document in documents(shared_data / folder):
            if not InferenceX().claims(document):
                continue
            for point in points(document):
                assert point.chip in ("h100", "h200", "b200", "mi300x", "mi355x")
                assert workload_kind(point.workload) in ("fixed", "agentic")
                assert point.chip_count
                assert not (point.offload.mode == "on" and point.offload.evidence != "field")
                metrics = derive({**point.metrics, **share_metrics(point.cache)})
                json.dumps(metrics, allow_nan=False)
                assert all(0 <= value <= 1 for key, value in metrics.items() if key.endswith("_share"))


def test_an_old_folder_name_states_the_medium() -> None:
    offload = offload_named(["kimik2.5_tp4_conc16_offloadssd"], None)
    assert offload is not None
    assert (offload.mode, offload.media, offload.evidence) == ("on", ("hbm", "local_nvme"), "name")


# Figures of files that are in nobody's collection any more, on rows made by hand around them


def nested_row(latency: dict[str, Any], per_gpu: float, **changes: Any) -> dict[str, Any]:
    sample = json.loads((ROOT / "tests/samples/inferencex_nested/sglang_off_with_full_response.json").read_text())
    sample["request_metrics"]["latency"] = latency
    sample["request_metrics"]["throughput"] = {"per_gpu": {"total_tput_tps": per_gpu}}
    return {**sample, **changes}


def read_row(row: dict[str, Any]) -> Found | Refused:
    document = Document("row.json", "/row.json", "row.json", (), json.dumps(row).encode())
    (reading,) = InferenceX().read(document)
    assert isinstance(reading, Found | Refused)
    return reading


def test_the_first_attempt_of_the_published_nested_row() -> None:
    accounts = {"records_total": 144, "records_profiled": 100, "records_warmup_dropped": 44, "records_error_dropped": 0}
    latency = {"itl": {"p90": 0.01615}, "e2e_norm_intvty": {"p90": 0.61802}}
    reading = read_row(nested_row(latency, 405.2768, request_accounting=accounts))
    assert isinstance(reading, Found)
    point = reading.point
    assert point.metrics[TOTAL_TPUT_PER_CHIP] == 405.2768
    assert point.metrics[INTERACTIVITY["p90"]] == pytest.approx(61.92, abs=5e-3)
    assert point.metrics[E2E_INTERACTIVITY["p90"]] == 0.61802
    assert "failed_share" not in point.flags


def test_a_nested_row_of_thirty_two_errors_is_refused() -> None:
    errors = {"ClientConnectorError": 25, "ValueError": 6, "Internal Server Error": 1}
    accounts = {"records_total": 32, "records_profiled": 0, "records_error_dropped": 32, "error_categories": errors}
    reading = read_row(nested_row({}, 0, num_requests_total=32, num_requests_successful=0, request_accounting=accounts))
    assert isinstance(reading, Refused)
    assert "no request succeeded" in reading.reason


def test_sixteen_lines_of_which_one_is_a_warm_up_are_fifteen_points() -> None:
    run = json.loads((ROOT / "tests/samples/vllm_bench/with_metadata.json").read_text())
    warmup = {**run, "type": "warmup", "mean_tpot_ms": 0.0, "median_tpot_ms": 0.0, "p99_tpot_ms": 0.0}
    lines = "\n".join(json.dumps(row) for row in [warmup, *({**run, "iteration": str(n)} for n in range(15))])
    readings = list(VllmBench().read(Document("r.json", "/r.json", "r.json", (), lines.encode())))
    assert len(readings) == 16
    assert [type(reading) for reading in readings] == [Skipped, *[Found] * 15]
    assert [reading.point.cold for reading in readings if isinstance(reading, Found)] == [True, *[False] * 14]
