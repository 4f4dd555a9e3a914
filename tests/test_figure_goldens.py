"""Every figure has a golden file: the main charts' are made here, the others beside what they draw."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from app.figures import FIGURES
from app.figures.recorded import OF_RUN
from app.question import ask
from app.store.read import Store
from app.view import parse_query
from tests.conftest import GOLDEN
from tests.page_points import PARAMETER
from tests.points import kv, point, shares, stored

OF_A_RUN = "run_figures.json"
MADE_HERE = ("pareto", "curve")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stored(
        tmp_path,
        point(4, x=80.0, y=300.0),
        point(8, x=60.0, y=500.0, precision="fp8"),
        point(16, x=40.0, y=900.0, offload=kv(), cache=shares(hbm=400, host_dram=300), flags=("sum_gt_1",)),
        point(16, x=38.0, y=700.0),
        point(32, x=20.0, y=1000.0, chip="h200", offload=PARAMETER),
        point(64, x=None, y=1200.0),
    )
    return tmp_path


@pytest.mark.parametrize("name", MADE_HERE)
def test_a_main_chart_is_what_it_was(name: str, folder: Path, golden: Callable[[str, str], None]) -> None:
    view, _ = parse_query("log=x")
    figure = FIGURES[name](ask(view, Store(folder).snapshot()))
    text = orjson.dumps(figure.document(), option=orjson.OPT_INDENT_2).decode()
    text = re.sub(r'"p[0-9a-f]{12}"', '"id"', re.sub(r'"\d{6}-[0-9a-f]{8}"', '"snapshot"', text))
    golden(f"{name}.json", text + "\n")


def test_no_figure_goes_without(golden: Callable[[str, str], None]) -> None:
    assert [name for name in (*FIGURES, "plan") if not (GOLDEN / f"{name}.json").exists()] == []
    assert set(json.loads((GOLDEN / OF_A_RUN).read_text())) == set(OF_RUN)
