"""Figures as files: the halo is dashed in every one of them, parameters have bounds, a dead browser is replaced."""

import math
import os
import re
import signal
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.catalog.oklch import PAPER_DARK, PAPER_LIGHT
from app.figures import FIGURES, pareto
from app.figures.marks import RING_DASHES, RING_SIZE
from app.figures.picture import Frame, picture
from app.question import ask
from app.store.read import Store
from app.view import parse_query
from app.web.images import BusyImages, FailedImage, Images
from app.web.main import create_app
from tests.pixels import MAGIC, Pixel, pixels
from tests.points import kv, point, stored
from tests.served import client, demo_store

WIDTH, HEIGHT, SCALE = 740, 300, 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_store(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def served(folder: Path, chromium: str) -> Iterator[TestClient]:
    pytest.importorskip("kaleido", reason="pictures need the extra `images`")
    before = os.environ.get("HALO_CHROMIUM")
    os.environ["HALO_CHROMIUM"] = chromium
    with client(folder) as running:
        yield running
    if before is None:
        del os.environ["HALO_CHROMIUM"]
    else:
        os.environ["HALO_CHROMIUM"] = before


def hexed(color: str) -> Pixel:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def near(a: Pixel, b: Pixel, most: int = 60) -> bool:
    return sum(abs(x - y) for x, y in zip(a, b, strict=True)) <= most


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_ring_of_the_view_is_dashed_in_the_svg(served: TestClient, theme: str) -> None:
    answer = served.get(f"/figures/pareto.svg?theme={theme}")
    assert answer.headers["content-type"] == "image/svg+xml"
    figure = served.get("/api/v1/figures/pareto").json()["figure"]
    rings = sum(len(trace["ids"]) for trace in figure["data"] if trace["meta"]["role"] == "ring")
    assert rings > 10
    dashed = re.findall(r"<path[^>]*stroke-dasharray: ?[\d.]+px, ?[\d.]+px", answer.text)
    assert len(dashed) == rings + 1, "every ring, and the one in the legend"
    for text in ("dashed halo", figure["layout"]["xaxis"]["title"]["text"], figure["layout"]["yaxis"]["title"]["text"]):
        assert text in answer.text
    paper = {"light": PAPER_LIGHT, "dark": PAPER_DARK}[theme]
    assert f"rgb{hexed(paper)}" in answer.text


@pytest.mark.parametrize(("theme", "log"), [("light", ""), ("dark", "log=x&log=y")])
def test_a_ring_is_dashed_in_the_pixels_of_the_png(tmp_path: Path, chromium: str, theme: str, log: str) -> None:
    pytest.importorskip("kaleido", reason="pictures need the extra `images`")
    stored(tmp_path, point(8, offload=kv(), x=50.0, y=1000.0), point(4, x=100.0, y=400.0))
    view, _ = parse_query(log)
    figure = pareto.figure(ask(view, Store(tmp_path).snapshot()))
    made = picture(figure, view, Frame(width=WIDTH, height=HEIGHT, dark=theme == "dark"))
    with client(tmp_path) as running:
        png = running.get(
            f"/figures/pareto.png?width={WIDTH}&height={HEIGHT}&scale={SCALE}&theme={theme}&{log}"
        ).content
    assert struct.unpack(">II", png[16:24]) == (WIDTH * SCALE, HEIGHT * SCALE)
    rows = pixels(png)
    layout = made["layout"]
    paper = hexed(layout["paper_bgcolor"])
    assert rows[2][2] == paper

    def at(axis: str, value: float, length: float) -> float:
        low, high = layout[axis]["range"]
        place = math.log10(value) if layout[axis]["type"] == "log" else value
        return (place - low) / (high - low) * length

    margin = layout["margin"]
    x = margin["l"] + at("xaxis", 50.0, WIDTH - margin["l"] - margin["r"])
    y = HEIGHT - margin["b"] - at("yaxis", 1000.0, HEIGHT - margin["t"] - margin["b"])
    seen = []
    for step in range(720):
        turn = 2 * math.pi * step / 720
        left = round((x + RING_SIZE / 2 * math.cos(turn)) * SCALE)
        top = round((y + RING_SIZE / 2 * math.sin(turn)) * SCALE)
        seen.append(not near(rows[top][left], paper))
    changes = sum(a != b for a, b in zip(seen, seen[1:] + seen[:1], strict=True))
    # The frontier may leave through a gap and the grid may cross one, neither often.
    assert 2 * RING_DASHES - 4 <= changes <= 2 * RING_DASHES + 6, changes
    assert 0.35 < sum(seen) / len(seen) < 0.85


@pytest.mark.parametrize("name", [*FIGURES, "plan"])
def test_every_figure_is_a_picture_by_its_address(served: TestClient, name: str) -> None:
    answer = served.get(f"/figures/{name}.png?width=600&height=400")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.content.startswith(MAGIC)
    again = served.get(
        f"/figures/{name}.png?width=600&height=400",
        headers={"if-none-match": answer.headers["etag"], "accept-encoding": "br"},
    )
    assert again.status_code == 304
    assert "content-encoding" not in served.get(f"/figures/{name}.png?width=600&height=400").headers


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("width=10", "width"),
        ("width=9999", "width"),
        ("height=none", "height"),
        ("height=nan", "height"),
        ("scale=9", "scale"),
        ("width=2400&height=1800&scale=4", "scale"),
        ("theme=sepia", "theme"),
        ("x=speed", "x"),
        ("size=3", "size"),
    ],
)
@pytest.mark.parametrize("name", ["pareto", "plan"])
def test_what_is_out_of_bounds_is_refused_by_name(served: TestClient, name: str, query: str, parameter: str) -> None:
    answer = served.get(f"/figures/{name}.png?{query}")
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["parameter"] == parameter


@pytest.mark.parametrize("address", ["/figures/none.png", "/figures/pareto.gif", "/figures/pareto", "/figures/"])
def test_what_is_no_picture_is_not_found(served: TestClient, address: str) -> None:
    answer = served.get(address)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_without_a_browser_the_answer_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("kaleido", reason="pictures need the extra `images`")
    monkeypatch.delenv("HALO_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "")
    answer = client(folder).get("/figures/pareto.png")
    assert (answer.status_code, answer.headers["content-type"]) == (501, "application/problem+json")
    assert "apt-get install chromium" in answer.json()["detail"]
    monkeypatch.setenv("HALO_CHROMIUM", str(folder / "CURRENT"))
    assert client(folder).get("/figures/pareto.svg").status_code == 501


def test_a_browser_that_died_is_replaced_and_the_next_picture_is_drawn(folder: Path, chromium: str) -> None:
    pytest.importorskip("kaleido", reason="pictures need the extra `images`")
    app = create_app(folder)
    images: Images = app.routes.state.images
    with TestClient(app) as running:
        assert running.get("/figures/pareto.svg").status_code == 200
        first = images.pid()
        assert first is not None
        os.killpg(first, signal.SIGKILL)
        assert running.get("/figures/pareto.svg?log=x").status_code == 200
        second = images.pid()
        assert second not in (None, first)
    assert images.pid() is None, "the browser ends with the server"


def test_a_full_queue_and_a_slow_picture_are_told(folder: Path, chromium: str) -> None:
    pytest.importorskip("kaleido", reason="pictures need the extra `images`")
    figure = pareto.figure(ask(parse_query("")[0], Store(folder).snapshot()))
    made = picture(figure, parse_query("")[0], Frame(width=600, height=400))
    images = Images(patience=60, waiting=1)
    results: list[object] = []

    def draw() -> None:
        try:
            results.append(images.draw(made, "png"))
        except BusyImages as busy:
            results.append(busy)

    threads = [threading.Thread(target=draw) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(one, BusyImages) for one in results) == 2
    assert sum(isinstance(one, bytes) for one in results) == 1
    images.close()
    hasty = Images(patience=1e-4)
    with pytest.raises(FailedImage) as told:
        hasty.draw(made, "png")
    assert told.value.status == 504
    hasty.close()
