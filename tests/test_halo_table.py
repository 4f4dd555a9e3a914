"""The Halo table: its columns are those of the catalog, and what people type is read or refused with the reason."""

import io
import re
from dataclasses import asdict, replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS
from app.catalog.offload import TIERS
from app.catalog.point import Point
from ingest.document import Document
from ingest.finish import finish
from ingest.sources.base import Found, Reading
from ingest.sources.halo_table import HaloTable
from ingest.table.cells import Misread, read_cell, read_tiers
from ingest.table.columns import COLUMNS, nearest
from ingest.table.describe import described
from tests.conftest import ROOT

TABLE = HaloTable()
SAMPLES = ROOT / "tests" / "samples" / "halo_table"
PAGE = ROOT / "docs" / "halo_table.md"


def document(data: bytes | str, name: str = "results.txt") -> Document:
    content = data.encode() if isinstance(data, str) else data
    return Document(place=name, resolved=f"/{name}", name=name, folders=(), data=content)


def readings(data: bytes | str) -> list[Reading]:
    return list(TABLE.read(document(data)))


def point(header: str, row: str) -> Point:
    (reading,) = readings(f"{header}\n{row}\n")
    assert isinstance(reading, Found), reading
    return reading.point


def refusal(header: str, row: str) -> str:
    (reading,) = readings(f"{header}\n{row}\n")
    assert not isinstance(reading, Found)
    return reading.reason


def test_every_metric_dimension_and_tier_is_a_column() -> None:
    assert {metric.key for metric in METRICS} <= set(COLUMNS)
    assert {dimension.column for dimension in DIMENSIONS} <= set(COLUMNS)
    assert {f"{tier.key}_tokens" for tier in TIERS} <= set(COLUMNS)


def test_the_page_lists_every_column(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text(encoding="utf-8")
    if request.config.getoption("regold"):
        PAGE.write_text(described(text), encoding="utf-8")
        text = described(text)
    assert text == described(text), "make regold writes the columns anew"
    assert all(f"| `{name}` |" in text for name in COLUMNS)


def test_the_example_of_the_page_is_a_pair_of_twins() -> None:
    example = re.search(r"```csv\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    assert TABLE.claims(document(example[1]))
    off, on = (finish(found.point) for found in readings(example[1]) if isinstance(found, Found))
    assert (off.needs, on.needs, off.warnings, on.warnings) == ((), (), (), ())
    assert (off.offload.mode, on.offload.label) == ("off", "KV offload · HBM→DRAM · vLLM SimpleCPU")


@pytest.mark.parametrize(
    ("spelling", "key"),
    [
        ("hbm>host_dram>local_nvme", ("hbm", "host_dram", "local_nvme")),
        ("GPU → CPU → SSD", ("hbm", "host_dram", "local_nvme")),
        ("hbm+dram", ("hbm", "host_dram")),
        ("hbm host_dram", ("hbm", "host_dram")),
        ("gpu, cpu ram", ("hbm", "host_dram")),
        ("hbm -> Remote flash", ("hbm", "remote_flash")),
        ("host memory", ("host_dram",)),
        ("hbm|tape", ("hbm", "other:tape")),
    ],
)
def test_tiers_are_read_in_any_spelling(spelling: str, key: tuple[str, ...]) -> None:
    assert read_tiers(spelling) == key


@given(st.floats(min_value=0, max_value=1e15, allow_nan=False))
def test_a_number_is_read_as_it_was_written(value: float) -> None:
    assert read_cell(COLUMNS["duration_s"], repr(value), []) == value


@pytest.mark.parametrize(
    "text", ["1,000", "1'000.5", "1 000", "12 GB", "95%", "$3", "0,5", "n/a", "-1", "1_000", "1e999"]
)
def test_what_is_not_a_plain_number_is_refused(text: str) -> None:
    with pytest.raises(Misread):
        read_cell(COLUMNS["total_tput"], text, [])


@pytest.mark.parametrize("text", ["NaN", "nan", "-inf", "Infinity"])
def test_a_number_that_is_not_finite_is_missing_and_said_so(text: str) -> None:
    warnings: list[str] = []
    assert read_cell(COLUMNS["total_tput"], text, warnings) is None
    assert warnings == [f"total_tput: {text} was read as missing"]


def test_empty_is_missing_and_zero_is_zero() -> None:
    known = point("concurrency,hbm_share,dram_share,requests_failed,output_tput", "8,0,,0,900")
    assert [(tier.medium, tier.share) for tier in known.cache.tiers] == [("hbm", 0.0)]
    assert known.metrics["requests_failed"] == 0.0
    assert "ttft_p50_s" not in known.metrics


def test_an_agentic_point_inverts_itl_and_any_other_tpot() -> None:
    header = "workload,itl_p90_s,tpot_p90_s,interactivity_p90,interactivity_p50"
    agentic, fixed = point(header, "agentic,0.02,0.04,7,9"), point(header, "1k/1k,0.02,0.04,7,9")
    assert (agentic.metrics["interactivity_p90"], agentic.interactivity_def) == (50.0, "1/itl")
    assert (fixed.metrics["interactivity_p90"], fixed.interactivity_def) == (25.0, "1/tpot")
    assert "interactivity_p50" not in agentic.metrics  # it would have another definition


def test_an_agentic_point_without_itl_inverts_tpot() -> None:
    known = point("workload,tpot_p50_s", "agentic,0.05")
    assert (known.metrics["interactivity_p50"], known.interactivity_def) == (20.0, "1/tpot")


def test_a_token_that_takes_no_time_is_refused() -> None:
    assert "tpot_p50_s" in refusal("workload,tpot_p50_s", "1k/1k,0")


def test_interactivity_without_its_latency_is_taken_as_published() -> None:
    known = point("workload,interactivity_p50,interactivity_def", "1k/1k,40,")
    assert (known.metrics["interactivity_p50"], known.interactivity_def) == (40.0, "as published")


def test_chips_come_from_counts_and_never_from_expert_parallelism() -> None:
    header = "chip_count,prefill_chips,decode_chips,tp,pp,workers,ep,output_tput"
    assert point(header, "6,,,8,,,,1").chip_count == 6
    assert point(header, ",4,12,8,,,,1").chip_count == 16
    assert point(header, ",,,4,2,3,32,1").chip_count == 24
    assert point(header, ",,,,,,32,1").chip_count is None


def test_system_throughput_is_divided_by_all_chips() -> None:
    known = finish(point("prefill_chips,decode_chips,output_tput,input_tput", "4,12,1600,14400"))
    assert known.metrics["total_tput_per_chip"] == 1000.0
    assert known.metrics["output_tput_per_decode_chip"] == 1600 / 12


def test_a_parameter_table_has_no_hit_rate_and_no_halo() -> None:
    known = point("offload_kind,offload_tiers,offload_backend,output_tput", "parameter,ssd,engram,900")
    assert not known.offload.has_halo
    assert known.offload.label == "Parameter offload · NVMe · Engram"
    assert "kv+parameter" in refusal("offload_kind,offload_tiers,dram_share", "parameter,dram,0.3")


def test_hits_below_hbm_without_offload_are_flagged_and_not_charted() -> None:
    known = finish(point("offload_mode,hbm_share,dram_share", "off,0.6,0.2"))
    assert known.cache.flags == ("stale_tier_rate",)
    assert "dram_share" not in known.metrics


def test_stated_prices_need_their_basis() -> None:
    known = point("total_tokens_per_usd,price_basis", "121000000,not stated")
    assert known.metrics == {"total_tokens_per_usd": 121e6}
    dropped = point("total_tokens_per_usd,output_tput", "121000000,900")
    assert "total_tokens_per_usd" not in dropped.metrics
    assert "price_basis" in dropped.warnings[0]


def test_words_nobody_knows_are_kept_as_they_came() -> None:
    known = finish(point("model,chip,engine,output_tput", "Weird-9B,Gaudi 3,weirdserve,900"))
    assert (known.model, known.chip, known.engine) == ("other:weird-9b", "other:gaudi 3", "other:weirdserve")
    again = point("model,chip,engine,output_tput", f"{known.model},{known.chip},{known.engine},900")
    assert (again.model, again.chip, again.engine) == (known.model, known.chip, known.engine)


@pytest.mark.parametrize(
    ("name", "meant"), [("ttft_p50_ms", "ttft_p50_s"), ("backend", "offload_backend"), ("outputtput", "output_tput")]
)
def test_a_wrong_column_is_answered_with_the_right_one(name: str, meant: str) -> None:
    assert nearest(name) == meant


def test_parquet_is_read_as_the_same_table_in_csv(tmp_path: Path) -> None:
    text = (SAMPLES / "twins.csv").read_text(encoding="utf-8")
    frame = pl.read_csv(io.StringIO(text), comment_prefix="#")
    frame.write_parquet(tmp_path / "twins.parquet")
    typed = readings((tmp_path / "twins.parquet").read_bytes())
    plain = readings(text)
    assert len(typed) == len(plain) == 2
    for one, other in zip(typed, plain, strict=True):
        assert isinstance(one, Found)
        assert isinstance(other, Found)
        assert asdict(replace(one.point, raw=None)) == asdict(replace(other.point, raw=None))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n\n# only a comment\n",
        "output_tput\n900\n",
        "model,chip,note\ndsr1,b200,no metric\n",
        "Metric,avg,min,max\nTTFT,1,2,3\n",
        '{"output_tput": 900}',
        "concurrency,completed_turns,request_throughput_per_s,ttft_p50_ms\n4,1,2,3\n",
        b"PAR1 is how Parquet starts, but this is none",
        b"\xff\xfe\x00\x01,\x02",
    ],
)
def test_what_is_not_a_halo_table_is_not_claimed(content: str | bytes) -> None:
    assert not TABLE.claims(document(content))


def test_quotes_that_never_close_are_refused_and_cost_nothing_before() -> None:
    first, second = readings('model,output_tput,note\ndsr1,900,fine\ndsr1,900,"open\n')
    assert isinstance(first, Found)
    assert not isinstance(second, Found)
    assert "quotes" in second.reason


def test_no_real_result_file_is_taken_for_a_halo_table(shared_data: Path) -> None:
    tables = [path for path in shared_data.rglob("*") if path.suffix in (".csv", ".tsv", ".parquet")]
    assert tables
    assert not [path.name for path in tables if TABLE.claims(document(path.read_bytes(), path.name))]
