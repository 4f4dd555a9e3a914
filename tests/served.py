"""The application over a store of demo, published and hand-made points, for tests that ask it things."""

from pathlib import Path

from starlette.testclient import TestClient

from app.catalog.point import Cache, Layout, Role
from app.store.rows import Rejection
from app.web.main import create_app
from ingest.demo import demo_tables, published_tables
from ingest.pipeline import ingest
from tests.points import kv, point, shares, stored

ODD_NAMES = (
    "a//b",
    "run #7",
    "what?",
    "100%",
    "two words",
    "性能テスト",
    "🚀 launch",
    "a&b=c",
    "+plus",
    "x\\y",
    "'; DROP",
    "..",
)
"""Names that links mangle when they are put together carelessly."""


def demo_store(folder: Path) -> Path:
    """The demo and published figures, as the first start of the dashboard loads them."""
    ingest([*demo_tables(), *published_tables()], folder)
    return folder


def odd_store(folder: Path) -> Path:
    """Hand-made points with all that real files hold: strange names, missing numbers, NaN, repeats, refusals."""
    for number, name in enumerate(ODD_NAMES):
        stored(folder, point(8 + number, engine_version=name, y=900.0 + number), run=f"run {name}")
    parts = Layout(prefill=Role(chips=4, tp=4), decode=Role(chips=8, tp=8), disaggregated=True)
    stored(
        folder,
        point(4, offload=kv(), cache=shares(hbm=300, host_dram=200), x=60.0, y=800.0),
        point(4, x=58.0, y=700.0),
        point(8, x=None, y=None, raw="neither axis"),
        point(16, x=float("nan"), y=float("inf"), raw="not finite"),
        point(32, y=114.0),
        point(64, y=1785.0),
        point(128, y=181.0),
        point(4, model=None, chip=None, chip_count=None, engine=None, precision=None, spec=None, workload=None),
        point(2, layout=parts, chip_count=12, workload="agentic:traces", cache=Cache(flags=("sum_gt_1",))),
        run="sweep",
        rejections=(Rejection(path="broken.json", where="row 3", reason="no throughput", source="by-hand"),),
    )
    stored(folder, point(4, offload=kv(), x=61.0, y=810.0), run="again")
    return folder


def client(folder: Path) -> TestClient:
    return TestClient(create_app(folder))
