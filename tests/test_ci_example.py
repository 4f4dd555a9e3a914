"""The CI job in the docs: its YAML is sound, halo takes every line of it, and its steps do what they say."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from app.cli import app
from app.view import parse_query
from tests.conftest import ROOT
from tests.rows import fixed, write

Job = dict[str, Any]
PLACES = ("docs/ci.md", "README.md")


def jobs(place: str) -> list[Job]:
    """Workflows in the YAML blocks of a page."""
    text = (ROOT / place).read_text(encoding="utf-8")
    found = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.M | re.S)]
    return [workflow for workflow in found if "jobs" in workflow]


def halo_lines(place: str) -> list[str]:
    """Every command of halo in the steps of a page's workflows, without pipes and redirections."""
    lines = []
    for workflow in jobs(place):
        for job in workflow["jobs"].values():
            for step in job["steps"]:
                whole = step.get("run", "").replace("\\\n", " ")
                lines += [line.strip() for line in whole.splitlines() if line.strip().startswith("halo ")]
    return [re.split(r" [|>] ?| >> ", line)[0] for line in lines]


LINES = [(place, line) for place in PLACES for line in halo_lines(place)]


def test_each_page_has_a_workflow_that_ingests_or_pushes_checks_and_reports() -> None:
    for place in PLACES:
        words = {line.split()[1] for line in halo_lines(place)}
        assert words & {"ingest", "push"}, place
        assert {"check", "report"} <= words, place


@pytest.mark.parametrize(("place", "line"), LINES)
def test_every_line_is_one_that_halo_takes(place: str, line: str) -> None:
    group = typer.main.get_command(app)
    _, name, *arguments = shlex.split(line)
    commands: dict[str, Any] = getattr(group, "commands")  # noqa: B009
    assert name in commands, f"{place}: there is no command halo {name}"
    commands[name].make_context(name, arguments)


@pytest.mark.parametrize("place", PLACES)
def test_the_view_of_the_job_can_be_read(place: str) -> None:
    for workflow in jobs(place):
        for job in workflow["jobs"].values():
            view, problems = parse_query(job["env"]["VIEW"])
            assert problems == []
            assert view.filters


def halo(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "app.cli", *arguments]
    environment = {"PYTHONPATH": str(ROOT), "HALO_DB": "halo-db", "PATH": "/usr/bin:/bin", "COLUMNS": "160"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_steps_of_the_job_fail_a_worse_pull_request_and_report_it(tmp_path: Path) -> None:
    view = "y=total_tput_per_chip"
    good, worse = fixed(8), fixed(8)
    worse = {key: value * 0.8 if "tput" in key and isinstance(value, float) else value for key, value in worse.items()}
    for run, row in (("main", good), ("pr-7", worse)):
        write(tmp_path / "results" / "agg_bmk.json", [row])
        done = halo("ingest", "results", "--run", run, "--strict", folder=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    checked = halo("check", view, "--baseline", "main", "--fail-on", "3%", folder=tmp_path)
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert "-20" in checked.stdout.replace("−", "-")
    done = halo("report", view, "--base", "https://halo.example.com", "-o", "report.md", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "](https://halo.example.com/" in (tmp_path / "report.md").read_text(encoding="utf-8")


def saved_by_vllm(path: Path) -> None:
    """A result as `vllm bench serve` saves it without --metadata: no chip, no precision, no parallelism."""
    told = json.loads((ROOT / "tests/samples/vllm_bench/with_metadata.json").read_text(encoding="utf-8"))
    for key in ("chip", "tp", "precision", "input_len", "output_len", "vllm_version"):
        del told[key]
    write(path, told | {"model_id": "deepseek-ai/DeepSeek-R1", "tokenizer_id": "deepseek-ai/DeepSeek-R1"})


@pytest.mark.parametrize("place", PLACES)
def test_the_ingest_line_says_what_the_view_asks_for_and_vllm_leaves_out(place: str, tmp_path: Path) -> None:
    saved_by_vllm(tmp_path / "results" / "run.json")
    [view] = [job["env"]["VIEW"] for workflow in jobs(place) for job in workflow["jobs"].values()]
    [ingest, *_] = [line for line in halo_lines(place) if line.startswith("halo ingest")]
    for run in ("main", "pr-7"):
        words = [run if "$" in word else word for word in shlex.split(re.sub(r"pr-\$\{\{.*?\}\}", "$RUN", ingest))]
        done = halo(*words[1:], folder=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    for line in halo_lines(place):
        words = [view if word == "$VIEW" else word for word in shlex.split(line)]
        if words[1] in ("check", "report"):
            done = halo(*words[1:], folder=tmp_path)
            assert done.returncode == 0, line + done.stdout + done.stderr
    assert "1 of 1 points are placed" in (tmp_path / "report.md").read_text(encoding="utf-8")
