"""docs/formats.md tells of every source, and its table of real results is what ingest says of them."""

import re
from collections import Counter
from pathlib import Path

import pytest

from ingest.document import Document
from ingest.pipeline import ingest
from ingest.reading import claim
from ingest.report import FileReport, Report
from ingest.sources import SOURCES
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "formats.md"
SECTION = re.compile(r"^### (.+) \(`([a-z0-9-]+)`\)$", re.MULTILINE)
TABLE = re.compile(r"(?<=<!-- real results -->\n).*?(?=<!-- end of real results -->)", re.DOTALL)
WORDS = {
    "results": ("Tried", "Recognised by", "Read", "You add"),
    "companion": ("Tried", "Recognised by", "Completes"),
}


def sections() -> dict[str, tuple[str, str]]:
    """Label and text of each section by the key of its source."""
    parts = SECTION.split(PAGE.read_text(encoding="utf-8"))[1:]
    return {key: (label, text) for label, key, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)}


def test_every_source_has_a_section_and_every_section_a_source() -> None:
    assert {key: label for key, (label, _) in sections().items()} == {source.key: source.label for source in SOURCES}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.key)
def test_a_section_says_what_was_tried_what_is_read_and_what_to_add(source: object) -> None:
    key, role = source.key, source.role  # type: ignore[attr-defined]
    _, text = sections()[key]
    assert [word for word in WORDS[role] if f"**{word}:**" not in text] == []


def test_the_readme_leads_to_the_page() -> None:
    assert "docs/formats.md" in (ROOT / "README.md").read_text(encoding="utf-8")


def table_of(report: Report, root: str) -> str:
    """One line a folder, and the totals below."""
    folders: dict[str, list[FileReport]] = {}
    for file in report.files:
        folder, slash, _ = file.path.removeprefix(root).lstrip("/").partition("/")
        folders.setdefault(folder if slash else "(beside the folders)", []).append(file)
    lines = [
        "| folder | files | read by | points | companions | set aside | refused | needs | why refused |",
        "|---|--:|---|--:|--:|--:|--:|---|---|",
    ]
    for folder, files in sorted(folders.items()):
        roles = Counter(file.role for file in files)
        keys = sorted({file.source for file in files if file.source and file.role != "refused"})
        needs = Counter(name for file in files for name in file.needs)
        cells = (
            f"`{folder}`",
            len(files),
            ", ".join(keys) or "–",
            sum(file.points for file in files),
            roles["companion"],
            roles["ignored"],
            sum(len(file.refused) for file in files),
            ", ".join(f"{name} {count}" for name, count in needs.items()) or "–",
            "; ".join(reasons(files)) or "–",
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    totals = report.totals()
    lines.append(
        f"\n{totals['files']} files, {totals['points']} points ({totals['duplicates']} of them of records that lie "
        f"there twice), {totals['refused']} refusals. Offload on {totals['offload']['on']}, off "
        f"{totals['offload']['off']}, not reported {totals['offload']['unknown']}.\n"
    )
    return "\n".join(lines)


def reasons(files: list[FileReport]) -> list[str]:
    """Why files were refused, in the first words of each reason: names and keys of the files stay out of it."""
    said = (reason.removeprefix("no result: ") for file in files for _, reason in file.refused)
    return list(dict.fromkeys(re.split(r"[:;(]", reason)[0].strip() for reason in said))


def test_the_table_of_real_results_is_that_of_today(
    shared_data: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    report = ingest([shared_data], tmp_path, dry_run=True)
    table = table_of(report, str(shared_data))
    page = PAGE.read_text(encoding="utf-8")
    if request.config.getoption("regold"):
        PAGE.write_text(TABLE.sub(lambda _: table, page), encoding="utf-8")
        return
    found = TABLE.search(page)
    assert found is not None
    assert found[0] == table, "make regold writes the table anew; read it before you commit it"


def test_a_halo_table_stands_back_where_a_format_of_its_own_columns_claims_the_file() -> None:
    header = (
        "iteration,input_len,cache_type,mean_ttft_ms,total_token_throughput,"
        "model,chip,chip_count,engine,precision,concurrency,total_tput,tp"
    )
    document = Document(
        "a.csv", "/a.csv", "a.csv", (), f"{header}\n1,512,cpu,20,900,m,h100,8,vllm,fp8,8,900,8\n".encode()
    )
    claimants = [source.key for source in SOURCES if source.claims(document)]
    assert claimants == ["halo-table", "offload-compare"]
    answer = claim(document, SOURCES)
    assert not isinstance(answer, str)
    assert answer.key == "offload-compare"
