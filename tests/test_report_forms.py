"""Reports as files: what `halo report` takes and writes, and that all forms say the same."""

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.catalog.origins import SYNTHETIC
from app.cli import app
from app.commands import Told, chromium
from app.commands.report import asked_of, form_of, run_report
from app.report.gfm import cell
from app.store.publish import retire
from app.store.read import Store
from app.web.kept.bundle import bundle
from tests.points import kv, point, stored
from tests.served import client, demo_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_store(tmp_path_factory.mktemp("store"))


@pytest.fixture
def halo(store: Path) -> Callable[..., Result]:
    return lambda *arguments: CliRunner().invoke(app, ["report", *arguments, "--db", str(store)])


def snapshot_of(store: Path) -> str:
    return Store(store).snapshot().id


@pytest.mark.parametrize(
    ("link", "query", "base"),
    [
        ("http://h:8000/?model=dsv4&all=0", "model=dsv4&all=0", "http://h:8000"),
        ("https://h/offload?model=dsv4#h-pairs", "model=dsv4", "https://h"),
        ("/?model=dsv4", "model=dsv4", ""),
        ("?model=dsv4", "model=dsv4", ""),
        ("model=dsv4&hide=a:b", "model=dsv4&hide=a:b", ""),
        ("http://h:8000/", "", "http://h:8000"),
        ("", "", ""),
    ],
)
def test_a_link_may_be_an_address_a_path_or_a_query(link: str, query: str, base: str) -> None:
    asked = asked_of(link)
    assert (asked.query, asked.base) == (query, base)


def test_the_name_of_the_file_says_its_form() -> None:
    assert [form_of(name, None) for name in ("a.html", "b.MD", "c.json", "d.pdf", "-")] == [
        *("html", "md", "json", "pdf", "md"),
    ]
    assert form_of("-", "json") == "json"
    with pytest.raises(Told, match=r"\.html, \.md, \.json, \.pdf"):
        form_of("out.txt", None)


def test_the_json_is_the_answer_of_the_api_with_the_time_and_full_links(store: Path, tmp_path: Path) -> None:
    run_report("http://h:8000/?all=0", store, output=str(tmp_path / "out.json"))
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    answer = client(store).get("/api/v1/report?all=0").json()
    assert written.pop("made").endswith("Z")
    assert answer.pop("made") is None
    links, paths = written.pop("links"), answer.pop("links")
    assert links == {name: f"http://h:8000{path}" for name, path in paths.items()}
    assert written == answer


def test_markdown_names_every_series_with_its_counts_and_leads_back(halo: Callable[..., Result], store: Path) -> None:
    done = halo("http://h:8000/")
    assert done.exit_code == 0, done.output
    document = client(store).get("/api/v1/report").json()
    assert f"](http://h:8000{document['links']['frozen']})" in done.stdout
    for series in document["series"]:
        best = sum(spot["frontier"] for spot in series["points"])
        ringed = sum(spot["offload_kind"] == "kv" for spot in series["points"])
        assert f"| {series['label']} | {len(series['points'])} | {best} | {ringed} |" in done.stdout
    for pays in [item for item in document["offload"]["verdicts"] if item["question"] == "pays"][:12]:
        assert pays["text"] in done.stdout
    tables = [block for block in done.stdout.split("\n\n") if block.startswith("| ")]
    assert len(tables) == 2
    for block in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.strip().splitlines()}) == 1


def test_a_frozen_link_gives_the_report_of_its_snapshot(tmp_path: Path) -> None:
    stored(tmp_path, point(8), point(16, x=30.0, y=1200.0, offload=kv()))
    before = snapshot_of(tmp_path)
    stored(tmp_path, point(32, x=20.0, y=1500.0))
    run_report(f"/?snapshot={before}", tmp_path, output=str(tmp_path / "then.json"))
    run_report("", tmp_path, output=str(tmp_path / "now.json"))
    then, now = (json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8")) for name in ("then", "now"))
    assert (then["snapshot"], then["counts"]["points"]) == (before, 2)
    assert (now["snapshot"] != before, now["counts"]["points"]) == (True, 3)


@pytest.mark.parametrize("link", ["all=0&bogus=1", "model=typo", "/?chip=b2000", "http://halo.example/?x=speed"])
def test_a_view_that_cannot_be_read_gives_no_report(halo: Callable[..., Result], tmp_path: Path, link: str) -> None:
    done = halo(link, "-o", str(tmp_path / "out.md"))
    assert isinstance(done.exception, Told)
    assert "the view cannot be read: " in str(done.exception)
    assert re.split(r"[=&?]", link)[-1] in str(done.exception) or "bogus" in str(done.exception)
    assert not (tmp_path / "out.md").exists()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [(("", "-o", "out.txt"), "out.txt"), (("snapshot=none",), "none"), (("", "-o", "nowhere/out.md"), "nowhere")],
)
def test_a_wrong_call_is_a_sentence(halo: Callable[..., Result], arguments: tuple[str, ...], word: str) -> None:
    done = halo(*arguments)
    assert isinstance(done.exception, Told)
    assert word in str(done.exception)


def test_the_page_runs_the_scripts_it_was_written_with_and_asks_nobody(store: Path, tmp_path: Path) -> None:
    run_report("", store, output=str(tmp_path / "out.html"))
    text = (tmp_path / "out.html").read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    sums = [f"sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}" for one in scripts]
    assert re.findall(r"sha256-[\w+/=]+", policy[1].replace("&#39;", "'")) == sums
    assert len(sums) == 3
    assert "connect-src" not in policy[1]
    assert "default-src &#39;none&#39;" in policy[1]
    outside = re.sub(r"<script.*?</script>|<style>.*?</style>", "", text, flags=re.S)
    assert not re.search(r"(?:src|srcset|xlink:href)=|<link\b|<base\b|url\((?!#)", outside)
    assert not re.search(r'href="(?!#|https?://)', outside)


def test_links_of_a_page_lead_to_the_halo_that_the_address_names(store: Path, tmp_path: Path) -> None:
    run_report("http://h:8000/", store, output=str(tmp_path / "out.html"))
    led = (tmp_path / "out.html").read_text(encoding="utf-8")
    ids = [row["id"] for row in client(store).get("/api/v1/frontier").json()["series"][0]["points"]]
    assert f'href="http://h:8000/points/{ids[0]}' in led
    run_report("", store, output=str(tmp_path / "out.html"))
    text = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert 'href="http' not in re.sub(r"<script.*?</script>", "", text, flags=re.S)


def test_the_page_is_also_a_download(store: Path) -> None:
    answer = client(store).get("/report.html?all=0&bogus=1")
    assert answer.status_code == 200
    assert re.fullmatch(r'attachment; filename="halo-report-[\w-]+\.html"', answer.headers["content-disposition"])
    assert "bogus" in answer.text
    assert 'href="http://testserver/points/' in answer.text
    assert 'href="/report.html?' in client(store).get("/").text


def test_texts_of_files_stay_texts(tmp_path: Path) -> None:
    wild = "</script><script>alert(1)</script>|`*"
    stored(tmp_path, point(8, engine_version=wild), point(16, x=30.0, engine_version=wild), run=wild)
    run_report("color=engine_version", tmp_path, output=str(tmp_path / "out.html"))
    assert "<script>alert" not in (tmp_path / "out.html").read_text(encoding="utf-8")
    run_report("color=engine_version", tmp_path, output=str(tmp_path / "out.md"))
    text = (tmp_path / "out.md").read_text(encoding="utf-8")
    assert "\\|\\`\\*" in text


def test_names_from_files_call_nobody_and_link_nowhere_in_a_pull_request(tmp_path: Path) -> None:
    wild = "@octocat/team #12 o/r#3 GH-7 me@x.org HTTP://evil.example www.evil.example"
    stored(tmp_path, point(8, engine_version=wild), point(16, x=30.0, engine_version=wild), run=wild)
    run_report("color=engine_version", tmp_path, output=str(tmp_path / "out.md"))
    text = (tmp_path / "out.md").read_text(encoding="utf-8")
    assert "octocat" in text
    for bait in ("@octocat", "#12", "#3", "GH-7", "@x.org", "HTTP://", "www.evil"):
        assert bait not in text, bait
    assert cell("rent@2026-09") == "rent@2026-09"


def test_a_store_without_points_gives_a_report_of_nothing(tmp_path: Path) -> None:
    stored(tmp_path, point(8, origin=SYNTHETIC))
    assert retire(tmp_path, SYNTHETIC) == 1
    for kind in ("html", "md", "json"):
        [told] = run_report("", tmp_path, output=str(tmp_path / f"out.{kind}"))
        assert told.endswith("the store holds none. halo ingest PATH puts results there")
        assert "No points" in (tmp_path / f"out.{kind}").read_text(encoding="utf-8") or kind == "json"


def test_a_bundle_takes_every_module_the_pages_have() -> None:
    text = bundle("page.js", "figures.js", "plan.js", "report.js", "bar.js")
    assert not re.search(r"^(import|export) ", text, re.M)
    assert (
        text.index("modules['dom.js'] =") < text.index("modules['chart.js'] =") < text.index("modules['report.js'] =")
    )


def test_without_a_browser_a_pdf_says_what_to_do(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in chromium.NAMED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Told, match=r"install one, or name it in CHROME; -o out\.html needs none"):
        run_report("", store, output=str(tmp_path / "out.pdf"))
    monkeypatch.setenv("CHROME", "/nowhere/chrome")
    with pytest.raises(Told, match="/nowhere/chrome"):
        run_report("", store, output=str(tmp_path / "out.pdf"))
    assert not (tmp_path / "out.pdf").exists()


@pytest.mark.browser
def test_a_pdf_is_printed_by_the_installed_browser(
    store: Path, tmp_path: Path, chromium: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROME", shutil.which(chromium) or chromium)
    run_report("http://h:8000/", store, output=str(tmp_path / "out.pdf"))
    data = (tmp_path / "out.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) > 1


def test_without_a_store_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(Told, match="holds no store yet: halo ingest PATH"):
        run_report("http://h:8000/?all=0", tmp_path / "none", output=str(tmp_path / "out.md"))
    assert list(tmp_path.iterdir()) == []


def test_a_full_address_says_whose_figures_these_are(store: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out.md")
    assert run_report("all=0", store, output=out) == []
    [told] = run_report("http://h:8000/?all=0", store, output=out)
    assert told == (
        f"read from {store}; for that server's data: halo pull halo http://h:8000, or http://h:8000/report.html?all=0"
    )


def test_a_report_without_points_is_written_and_says_what_would_bring_some(store: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    [told] = run_report("model=dsr1&workload=17/17", store, output=str(out))
    assert told.startswith("the report has no point: none matches the view. What would bring some: drop ")
    assert re.search(r"workload 17/17 \([\d,]+ points\)", told), told
    assert "0 of 0 points are placed" in out.read_text(encoding="utf-8")
    stored(tmp_path / "few", point(8, y=1.0))
    [told] = run_report("x=nvme_share", tmp_path / "few", output=str(out))
    assert told.startswith("the report has no point: 1 of 1 left out: no ")
    assert "Another x or y places them" in told


def test_service_levels_doubts_and_figures_of_the_study_are_in_the_files(store: Path, tmp_path: Path) -> None:
    query = "model=kimik2.5&slo=ttft_p90_s:2&slo=interactivity_p90:30"
    told = {}
    for kind in ("md", "html"):
        run_report(query, store, output=str(tmp_path / f"out.{kind}"))
        told[kind] = (tmp_path / f"out.{kind}").read_text(encoding="utf-8")
    service = client(store).get(f"/api/v1/compare?{query}").json()["service"]
    for one in service["classes"]:
        counted = one["counts"]
        counts = f"{counted['meeting']} of {sum(counted.values())}"
        assert f"| {one['label']} | {counts} | {'meets' if one['best'] else 'misses'}: " in told["md"]
        assert re.search(rf"{re.escape(one['label'])}</th><td>{counts}[,<]", told["html"])
    assert re.search(r'class="doubt" title="[^"]+">\d+!', told["html"])
    for title in ("Frontier gain", "Where the prompt tokens came from", "Gain against pressure"):
        assert f"<h3>{title}</h3>" in told["html"]
