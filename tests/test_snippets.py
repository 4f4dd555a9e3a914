"""What the API page offers to copy, run as it stands against a live server."""

import html
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import plotly.graph_objects as go
import plotly.io
import pytest

from tests.browser.conftest import Site, served
from tests.points import kv, point, stored
from tests.served import client

VIEW = "engine=vllm&offload=kv&offload=off&y=output_tput_per_chip&all=0"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("store")
    own = {"metrics": {"output_tput_per_chip": 90.0}, "engine_version": 'a "b" $HOME `x` {y}'}
    stored(folder, *(point(n, x=50.0 - n, y=900.0 + n, offload=kv() if n % 2 else None, **own) for n in range(1, 9)))
    stored(folder, point(64, engine="sglang"))
    with served(folder) as running:
        yield running


def snippet(site: Site, key: str, view: str = VIEW) -> str:
    """A snippet as a reader copies it: the browser puts the address in, here we do."""
    with urlopen(site(f"/api/docs?{view}")) as answer:
        page = answer.read().decode()
    found = re.search(rf'<code id="copy-{key}">(.*?)</code>', page, re.S)
    assert found is not None
    code = re.sub(r"<span data-origin>.*?</span>", site.address, found[1])
    return html.unescape(code)


def ran(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("view", [VIEW, "engine_version=a+%22b%22+%24HOME+%60x%60+%7By%7D"])
def test_curl_prints_the_rows_and_keeps_the_report(site: Site, tmp_path: Path, view: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    rows = json.loads(ran(["sh", "-c", snippet(site, "curl", view)], tmp_path))["rows"]
    assert len(rows) == 8
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert sum(len(series["points"]) for series in report["series"]) == (
        8 if view != VIEW else report["counts"]["on_frontier"]
    )


def test_python_prints_the_rows(site: Site, tmp_path: Path) -> None:
    assert ran([sys.executable, "-c", snippet(site, "python")], tmp_path).startswith("8 [{'id': 'p")


def test_polars_reads_the_parquet_file(site: Site, tmp_path: Path) -> None:
    printed = ran([sys.executable, "-c", snippet(site, "polars")], tmp_path)
    assert "vllm" in printed
    assert "90.0" in printed


def test_duckdb_reads_what_was_fetched(site: Site, tmp_path: Path) -> None:
    printed = ran([sys.executable, "-c", snippet(site, "duckdb")], tmp_path)
    assert re.search(r"b200.*vllm.*8.*90\.0", printed)


def test_a_notebook_gets_the_figure_with_its_halos(site: Site, tmp_path: Path) -> None:
    code = snippet(site, "plotly").replace("\nfigure\n", "\n").removesuffix("figure") + "print(figure.to_json())"
    figure = plotly.io.from_json(ran([sys.executable, "-c", code], tmp_path))
    assert isinstance(figure, go.Figure)
    rings = [trace for trace in figure.data if trace.meta["role"] == "ring"]
    assert sum(len(trace.ids) for trace in rings) == 4
    assert all(trace.marker.line.dash for trace in rings)


@pytest.mark.parametrize("name", ["pareto", "curve", "offload_pairs"])
def test_the_plotly_address_of_a_figure_is_that_figure_alone(site: Site, name: str) -> None:
    with urlopen(site(f"/api/v1/figures/{name}.plotly.json?{VIEW}")) as answer:
        text = answer.read().decode()
    assert json.loads(text) == site.json(f"/api/v1/figures/{name}?{VIEW}")["figure"]
    assert isinstance(plotly.io.from_json(text), go.Figure)


def test_without_javascript_the_commands_name_the_host_that_was_asked(tmp_path: Path) -> None:
    stored(tmp_path, point(8))
    halo = client(tmp_path)
    for host in ("halo.example:8000", "other.example"):
        page = halo.get("/api/docs", headers={"host": host}).text
        assert f'HALO="http://{host}"' in page
        assert f"<span data-origin>http://{host}</span>" in page
