"""What must stay true of the whole repository: each word in one place, honest locks, a wheel with the product in it."""

import ast
import gzip
import hashlib
import re
import subprocess
import sys
import tomllib
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import brotli
import pytest
from plotly.offline import get_plotlyjs_version

from app.catalog.chips import CHIPS
from app.catalog.metrics import METRICS
from app.catalog.models import MODELS
from tests.conftest import ROOT

CATALOG = "app/catalog/"
PLOTLY = ROOT / "static" / "vendor" / "plotly-basic"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

ORDINARY_WORDS = {
    "concurrency",  # first a property of a point, a filter and a column; the metric only lets it be an axis
}


@cache
def tracked() -> list[Path]:
    """Files under version control that exist, so that a store or a scratch file in the checkout is not looked at."""
    # Checkouts that another user owns are common in containers, and reading a list of names is harmless.
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [path for name in listing.split("\0") if name and (path := ROOT / name).is_file()]


def texts() -> Iterator[tuple[str, str]]:
    for path in tracked():
        data = path.read_bytes()
        if b"\0" not in data and path.parent != PLOTLY:
            yield path.relative_to(ROOT).as_posix(), data.decode("utf-8", "replace")


def string_literals(source: str) -> Iterator[str]:
    """Every string in a Python file that is a value: docstrings tell, they do not declare."""
    tree = ast.parse(source)
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def words(text: str) -> set[str]:
    """Words with their dots and hyphens, and the parts between dots: `qwen3.5` is one, `point.ttft` holds two."""
    whole = set(re.findall(r"[A-Za-z0-9][\w.-]*\w", text))
    return whole | {part for word in whole for part in word.split(".")}


@cache
def places() -> dict[str, set[str]]:
    """Where each word is typed: in a string of Python, anywhere in JavaScript and templates."""
    found: dict[str, set[str]] = defaultdict(set)
    for top, pattern in (("app", "*.py"), ("ingest", "*.py"), ("static/js", "*.js"), ("templates", "*")):
        for path in sorted((ROOT / top).rglob(pattern)):
            if not path.is_file():
                continue
            source = path.read_text(encoding="utf-8")
            for text in string_literals(source) if path.suffix == ".py" else [source]:
                for word in words(text):
                    found[word].add(path.relative_to(ROOT).as_posix())
    return found


@pytest.mark.parametrize("key", [term.key for terms in (CHIPS, MODELS) for term in terms])
def test_a_chip_or_model_is_declared_in_exactly_one_file(key: str) -> None:
    assert len(places()[key]) == 1, f"{key} is typed in {sorted(places()[key])}"
    assert min(places()[key]).startswith(CATALOG)


@pytest.mark.parametrize("key", [metric.key for metric in METRICS if metric.key not in ORDINARY_WORDS])
def test_a_metric_is_typed_nowhere_but_in_the_catalog(key: str) -> None:
    # Most keys are put together there from quantity, statistic and unit, so that many are typed in no file at all.
    found = sorted(places().get(key, ()))
    assert len(found) <= 1, f"{key} is typed in {found}"
    assert all(place.startswith(CATALOG) for place in found), f"{key} is typed in {found}"


def test_a_word_that_is_typed_twice_would_be_seen() -> None:
    assert "app/catalog/offload.py" in places()["host_dram"]
    assert set(string_literals('"""about a"""\nx = f"{y}-b" + "c"')) == {"-b", "c"}
    assert {"point", "ttft_p50_s", "point.ttft_p50_s"} <= words("{{ point.ttft_p50_s }}")


@pytest.mark.parametrize("lock", ["run.txt", "dev.txt"])
def test_a_lock_pins_and_hashes_every_package_and_names_no_address(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    pins = re.findall(
        r"^(\S.*?)((?: \\\n    --hash=sha256:[0-9a-f]{64})*)$", re.sub(r"^ *#.*\n", "", text, flags=re.M), re.M
    )
    assert len(pins) > 20
    for pin, hashes in pins:
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+", pin), pin
        assert hashes, f"{pin} has no hash"
    assert "://" not in text
    assert not re.search(r"(?<![\w.])/\w", text), "a path of some machine"


def test_the_development_lock_holds_the_running_one() -> None:
    def pins(lock: str) -> set[str]:
        return set(re.findall(r"^\S+==\S+", (ROOT / "requirements" / lock).read_text(encoding="utf-8"), re.M))

    assert pins("run.txt") <= pins("dev.txt")


def test_the_npm_lock_names_no_address() -> None:
    text = (ROOT / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in text
    assert "://" not in text
    assert text.count('"version"') == text.count('"integrity"')


def test_no_tracked_file_names_the_place_of_the_checkout() -> None:
    here = (f"{ROOT}/", f"{ROOT.parent / 'shared'}/")
    assert [(name, place) for name, text in texts() for place in here if place in text] == []


def test_the_vendored_plotly_is_the_one_it_says_and_its_compressed_twins_are_the_same() -> None:
    digest, name = (PLOTLY / "CHECKSUM").read_text(encoding="utf-8").split()
    script = (PLOTLY / name).read_bytes()
    assert hashlib.sha256(script).hexdigest() == digest
    assert gzip.decompress((PLOTLY / f"{name}.gz").read_bytes()) == script
    assert brotli.decompress((PLOTLY / f"{name}.br").read_bytes()) == script
    assert name == f"plotly-basic-{get_plotlyjs_version()}.min.js", "figures are checked against another plotly.js"


def test_the_wheel_holds_code_assets_and_the_data_that_ships(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    names = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    folders = tuple(f"{folder}/" for folder in PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"])
    product = {name for path in tracked() if (name := path.relative_to(ROOT).as_posix()).startswith(folders)}
    assert {name.split("/")[0] for name in product} >= {"app", "ingest", "static"}
    assert product <= names, "missing from the wheel"
    assert all(name.startswith(folders) or ".dist-info/" in name for name in names), "more than the product"


def test_the_image_has_the_python_of_the_locks_and_copies_what_the_wheel_needs() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    locked = re.search(r"with Python (3\.\d+)", (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8"))
    assert locked is not None
    assert re.search(rf"^ARG PYTHON=python:{re.escape(locked[1])}\.\d+-slim-\w+$", dockerfile, re.M)
    for folder in PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        top = folder.split("/")[0]
        assert f"COPY {top} {top}\n" in dockerfile
        assert f"!{folder}\n" in (ROOT / ".dockerignore").read_text(encoding="utf-8")
