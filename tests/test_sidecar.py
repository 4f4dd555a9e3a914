"""What a halo.toml says reaches the files below it, and what is wrong with one costs no result."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ingest.document import Document
from ingest.pipeline import gather, ingest
from ingest.report import FileReport
from ingest.sidecar import SIDECAR, read_sidecar
from ingest.sizes import sized
from ingest.starter import AlreadyThere, write_starter
from ingest.supplied import NOTHING, parse_sets
from ingest.table.cells import Misread
from ingest.table.template import template
from tests.rows import agentic, fixed, write
from tests.test_companions import by_name, counts, live

BARE = {"hw": "", "framework": "", "precision": ""}


def sidecar(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / SIDECAR
    path.write_text(text, encoding="utf-8")
    return path


def read(text: str) -> Any:
    return read_sidecar(Document(SIDECAR, f"/d/{SIDECAR}", SIDECAR, (), text.encode()))


def test_a_sidecar_speaks_for_all_below_it_and_a_nearer_one_wins_key_by_key(tmp_path: Path) -> None:
    sidecar(tmp_path / "in", 'chip = "h200"\nengine = "vllm"\nprecision = "fp8"\n')
    sidecar(tmp_path / "in" / "b", 'chip = "b200"\n')
    for folder in ("a", "b/c"):
        write(tmp_path / "in" / folder / "r.json", fixed(8, **BARE))
    gathered = gather([tmp_path / "in"])
    assert [(a.point.chip, a.point.engine, a.point.precision) for a in gathered.arrivals] == [
        ("h200", "vllm", "fp8"),
        ("b200", "vllm", "fp8"),
    ]
    near = gathered.arrivals[1].supplied
    assert (near["said-in:chip"], near["said-in:engine"]) == ("../halo.toml", "../../halo.toml")
    files = [file for file in gathered.files if Path(file.path).name == SIDECAR]
    assert [(file.role, file.of, file.warnings) for file in files] == [
        ("companion", None, ["said chip of 1 file"]),
        ("companion", None, ["said chip, engine, precision of 2 files"]),
    ]


def test_the_call_wins_over_every_sidecar(tmp_path: Path) -> None:
    sidecar(tmp_path, 'chip = "h200"\nworkload = "1k/1k"\nchip_count = 8\n[offload]\nbackend = "lmcache"\n')
    write(tmp_path / "r.json", fixed(8, **BARE))
    supplied = parse_sets(["chip=b200", "isl=8192", "osl=1024", "offload_mode=off"])
    (arrival,) = gather([tmp_path], supplied=supplied).arrivals
    point = arrival.point
    assert (point.chip, point.workload, point.chip_count, point.offload.mode) == ("b200", "8k/1k", 8, "off")
    assert "said-in:chip" not in arrival.supplied
    assert arrival.supplied["said-in:chip_count"] == "halo.toml"


def test_a_sidecar_found_above_a_file_counts_as_if_its_folder_had_been_given(tmp_path: Path) -> None:
    sidecar(tmp_path / "in", 'chip = "h200"\n')
    result = write(tmp_path / "in" / "deep" / "r.json", fixed(8, **BARE))
    tmp_path.chmod(0o700)
    first = ingest([tmp_path / "in"], tmp_path / "db")
    again = ingest([result], tmp_path / "db")
    assert (counts(first), counts(again)) == ((1, 0, 0), (0, 1, 0))
    assert [file.path for file in again.files] == [f"{tmp_path}/in/halo.toml", f"{tmp_path}/in/deep/r.json"]


def test_what_lies_in_a_folder_open_to_everybody_is_not_asked(tmp_path: Path) -> None:
    sidecar(tmp_path / "open", 'chip = "h200"\n')
    result = write(tmp_path / "open" / "mine" / "r.json", fixed(8, **BARE))
    (tmp_path / "open").chmod(0o777)
    assert gather([result]).arrivals[0].point.chip is None


def test_a_changed_sidecar_supersedes_and_a_moved_one_changes_nothing(tmp_path: Path) -> None:
    sidecar(tmp_path / "in", 'chip = "h200"\n')
    write(tmp_path / "in" / "a" / "r.json", fixed(8, **BARE))
    ingest([tmp_path / "in"], tmp_path / "db")
    (tmp_path / "in" / SIDECAR).rename(tmp_path / "in" / "a" / SIDECAR)
    assert counts(ingest([tmp_path / "in"], tmp_path / "db")) == (0, 1, 0)
    sidecar(tmp_path / "in" / "a", 'chip = "b200"\n')
    assert counts(ingest([tmp_path / "in"], tmp_path / "db")) == (0, 0, 1)
    (row,) = live(tmp_path / "db")
    assert row["supplied"]["chip"] == "b200"


def test_a_sidecar_in_an_archive_speaks_for_what_is_packed_with_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        archive.writestr("halo.toml", 'chip = "h200"\n')
        archive.writestr("results/r.json", json.dumps(fixed(8, **BARE)))
    write(tmp_path / "other.json", fixed(16, **BARE))
    assert [arrival.point.chip for arrival in gather([tmp_path]).arrivals] == [None, "h200"]


def test_an_offload_table_gives_tiers_with_sizes_and_all_else(tmp_path: Path) -> None:
    sidecar(
        tmp_path,
        """
        [offload]
        kind = "kv"
        backend = "lmcache"
        version = "0.3.1"
        write_policy = "write-back"
        access_path = "o_direct"
        gds = "active"
        page_cache = "bypassed"
        tiers.dram = "512 GiB per node"
        tiers.nvme = { capacity = "2 TB", scope = "cluster" }
        [prefill]
        chips = 4
        [decode]
        chips = 8
        """,
    )
    write(tmp_path / "r.json", {**agentic(4), "offloading": "unheard of"})
    (arrival,) = gather([tmp_path]).arrivals
    offload = arrival.point.offload
    assert [(tier.medium, tier.capacity_bytes, tier.scope) for tier in offload.tiers] == [
        ("hbm", None, None),
        ("host_dram", 512 * 2**30, "per_node"),
        ("local_nvme", 2 * 10**12, "cluster"),
    ]
    assert (offload.backend, offload.backend_version, offload.evidence) == ("lmcache", "0.3.1", "supplied")
    assert (offload.write_policy, offload.access_path) == ("write_back", "o_direct")
    assert (offload.gds, offload.page_cache) == ("active", "bypassed")
    assert arrival.point.chip_count == 12


def test_a_sidecar_over_a_sweep_turns_on_no_run_that_says_it_was_off(tmp_path: Path) -> None:
    sidecar(tmp_path, '[offload]\nbackend = "lmcache"\nversion = "0.3.1"\n')
    write(tmp_path / "r.json", [agentic(4, "none"), agentic(8, "lmcache")])
    modes = [(a.point.offload.mode, a.point.offload.backend_version) for a in gather([tmp_path]).arrivals]
    assert modes == [("off", None), ("on", "0.3.1")]
    sidecar(tmp_path, '[offload]\nmode = "on"\nbackend = "lmcache"\n')
    assert [a.point.offload.mode for a in gather([tmp_path]).arrivals] == ["on", "on"]


def test_a_run_and_a_zone_may_be_said(tmp_path: Path) -> None:
    sidecar(tmp_path, 'run = "nightly"\ntimezone = "+02:00"\nrun_time = 2026-11-03T14:05:00\n')
    write(tmp_path / "r.json", fixed(8))
    (arrival,) = gather([tmp_path]).arrivals
    assert (arrival.run, arrival.point.run_time) == ("nightly", "2026-11-03T14:05:00+02:00")
    assert gather([tmp_path], run="other").arrivals[0].run == "other"


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ('chip = "h200"\nchips = ', "line 2", "it is not TOML"),
        ('\nchp = "h200"', "line 2", "chp: there is nothing of that name to set (did you mean chip?)"),
        ("[prefill]\nchips = 0", "line 2", "prefill.chips: 0 is no count"),
        ("[offload]\ncolour = 1", "line 2", "offload.colour: there is nothing of that name"),
        ('[offload]\nmode = "off"\nbackend = "lmcache"', "line 1", "offload_mode is off"),
        ('[offload.tiers]\nmoon = "1 GB"', "line 1", "moon is no memory: write hbm, host_dram"),
        ('[offload.tiers]\nhost_dram = "big"', "line 1", "is no size: write 512 GiB"),
        ("chip = [1, 2]", "line 1", "a list says nothing here"),
        ('chip = ""', "line 1", "it is empty"),
        ('chip = "h200"\nhw = "b200"', "line 2", "chip is given twice, as h200 and as b200"),
        ('timezone = "Mars"', "line 1", "is no time zone"),
    ],
)
def test_what_is_wrong_with_a_sidecar_is_told_with_its_line(text: str, where: str, words: str) -> None:
    said = read(text)
    assert said.supplied == NOTHING
    (refusal,) = said.refused
    assert refusal[0] == where
    assert words in refusal[1]


def test_a_refused_sidecar_costs_no_result_and_is_told_on_each(tmp_path: Path) -> None:
    sidecar(tmp_path, 'chip = "h200"\nchp = 1\n')
    write(tmp_path / "r.json", fixed(8))
    files: dict[str, FileReport] = by_name(ingest([tmp_path], tmp_path / "db", dry_run=True))
    assert files[SIDECAR].role == "refused"
    assert files[SIDECAR].refused[0][0] == "line 2"
    assert files["r.json"].verdicts["new"] == 1
    assert files["r.json"].warnings == ["halo.toml was refused, so what it says of this file is missing"]


def test_an_idle_sidecar_says_why(tmp_path: Path) -> None:
    sidecar(tmp_path / "a", "# nothing\n")
    sidecar(tmp_path / "b", 'chip = "h200"\n')
    write(tmp_path / "a" / "r.json", fixed(8))
    warnings = [file.warnings for file in gather([tmp_path]).files if file.role == "ignored"]
    assert warnings == [["it says nothing yet: every line is empty or a comment"], ["no result lies below it"]]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512 GiB", (512 * 2**30, None)),
        ("1.5TB per rank", (1_500_000_000_000, "per_rank")),
        ("1024", (1024, None)),
        ("2 tib per node", (2 * 2**40, "per_node")),
        ("64 bytes", (64, None)),
    ],
)
def test_sizes_as_people_write_them(text: str, size: tuple[int, str | None]) -> None:
    assert sized(text) == size


@pytest.mark.parametrize("text", ["big", "12 G", "1..5 GB", "3 GB per moon", "", "-4 GB"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(Misread):
        sized(text)


def test_names_fill_in_what_neither_record_nor_sidecar_says(tmp_path: Path) -> None:
    folder = tmp_path / "h100-sxm_tp4_fp8"
    row = fixed(8, **BARE, tp=None, conc=None)
    write(folder / "run_conc32.json", row)
    (arrival,) = gather([folder]).arrivals
    point = arrival.point
    assert (point.chip, point.precision, point.concurrency, point.chip_count) == ("h100", "fp8", 32, 4)
    assert point.facts["from_names"] == ["chip", "concurrency", "layout", "precision"]
    assert "from_name" in point.flags
    sidecar(folder, 'chip = "h200"\nprecision = "fp4"\nconcurrency = 1\ntp = 8\n')
    (arrival,) = gather([folder]).arrivals
    assert (arrival.point.chip, arrival.point.chip_count) == ("h200", 8)
    assert "from_name" not in arrival.point.flags


@pytest.mark.parametrize(
    "name", ["h100_vs_h200.json", "prefill-tp4-decode-tp8.json", "tp4_then_tp8.json", "notes.json"]
)
def test_a_name_that_says_two_things_says_nothing(tmp_path: Path, name: str) -> None:
    write(tmp_path / "runs" / name, fixed(8, **BARE, tp=None))
    (arrival,) = gather([tmp_path / "runs"]).arrivals
    assert (arrival.point.chip, arrival.point.chip_count) == (None, None)


def test_a_first_sidecar_holds_the_guesses_and_is_never_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "h100_runs"
    write(folder / "a.json", [fixed(8, **BARE), fixed(16, **BARE)])
    path, filled = write_starter(folder, [arrival.point for arrival in gather([folder]).arrivals])
    assert filled == ["chip"]
    text = path.read_text(encoding="utf-8")
    assert 'chip = "h100"  # guessed' in text
    assert "# Missing in 2 of 2 results." in text
    assert [arrival.point.flags for arrival in gather([folder]).arrivals] == [(), ()]
    with pytest.raises(AlreadyThere, match="not overwritten"):
        write_starter(folder, [])
    assert path.read_text(encoding="utf-8") == text


def test_every_line_of_a_first_sidecar_counts_once_its_mark_is_taken_away(tmp_path: Path) -> None:
    path, _ = write_starter(tmp_path, [])
    lines = path.read_text(encoding="utf-8").splitlines()
    said = read("\n".join(line.removeprefix("# ") if "= " in line or "[" in line else line for line in lines[3:]))
    assert said.refused == ()
    assert {"chip", "offload_backend", "host_dram_capacity_bytes", "timezone", "tp"} <= set(said.supplied.values)
    assert said.run == "nightly"


def test_the_template_is_a_table_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(template(every=True, example=True), encoding="utf-8")
    gathered = gather([tmp_path / "t.csv"])
    (arrival,) = gathered.arrivals
    assert arrival.point.needs == ()
    assert not gathered.files[0].refused
    assert template().count("\n") == 1
