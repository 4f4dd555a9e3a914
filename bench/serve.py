"""Ready answers against a bare ASGI application that sends the same; the start of the server; bytes on the wire."""

import gzip
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import brotli

from bench.bare import keep
from bench.measure import Ratio
from bench.points import store_of
from bench.server import Running, bare, get, halo, rate

POINTS = 2_000
PAGES = {
    "frontier": "/api/v1/frontier",
    "points": "/api/v1/points?limit=1000",
    "page": "/",
}
CONNECTIONS = (1, 16)
_SECONDS, _ROUNDS = 1.0, 5
_START_S = 1.5
_ASSETS_KB, _FIGURE_KB = 420.0, 60.0
_PEER_KB = 1030.0


def run() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory(prefix="halo-bench-") as scratch:
        folder, answers = Path(scratch) / "db", Path(scratch) / "answers"
        store_of(folder, POINTS)
        answers.mkdir()
        with halo(folder) as ours:
            yield Ratio(
                name="server start", value=ours.started_s, limit=_START_S, unit="s", limit_name="the wish", wanted=1
            )
            for name, path in PAGES.items():
                headers, body = get(ours.port, path, "br")
                keep(answers, name, body, headers)
            with bare(answers) as limit:
                for name, path in PAGES.items():
                    for connections in CONNECTIONS:
                        yield _rates(ours, limit, name, path, connections)
            yield from _bytes(ours.port)


def _rates(ours: Running, limit: Running, name: str, path: str, connections: int) -> Ratio:
    """Requests for each second of the server's own processor time, in rounds that alternate."""
    found, rates = {"ours": 0.0, "limit": 0.0}, {"ours": 0.0, "limit": 0.0}
    for _ in range(_ROUNDS):
        for who, server, address in (("limit", limit, f"/{name}"), ("ours", ours, path)):
            before = server.cpu_s()
            a_second = rate(server.port, address, connections, _SECONDS)
            used = max(server.cpu_s() - before, 0.01)
            found[who] = max(found[who], a_second * _SECONDS / used)
            rates[who] = max(rates[who], a_second)
    return Ratio(
        name=f"ready answer {path}, {connections} open",
        value=found["ours"],
        limit=found["limit"],
        unit="req/cpu s",
        limit_name="bare ASGI, same headers and bytes",
        wanted=0.8,
        side="at least",
        note=f"by the clock {rates['ours']:,.0f} of {rates['limit']:,.0f} req/s",
    )


def _bytes(port: int) -> Iterator[Ratio]:
    page = get(port, "/")[1].decode()
    html = {encoding: len(get(port, "/", encoding)[1]) / 1e3 for encoding in ("br", "gzip")}
    assets = {path: get(port, path)[1] for path in _assets(port, page)}
    code = sum(len(get(port, path, "br")[1]) for path in assets) / 1e3
    smallest = sum(len(brotli.compress(body)) for body in assets.values()) / 1e3
    figure = get(port, "/api/v1/figures/pareto")[1]
    zipped = len(gzip.compress(figure, 6, mtime=0)) / 1e3
    yield Ratio(
        name="JS and CSS of the dashboard, brotli",
        value=code,
        limit=_ASSETS_KB,
        unit="kB",
        limit_name="the wish",
        wanted=1,
        note=f"{len(assets)} files; {smallest:.0f} kB at brotli's best",
    )
    yield Ratio(
        name=f"figure of {POINTS:,} points, gzip",
        value=zipped,
        limit=_FIGURE_KB,
        unit="kB",
        limit_name="the wish",
        wanted=1,
        note=f"{len(figure) / 1e3:.0f} kB raw, {len(brotli.compress(figure, quality=5)) / 1e3:.0f} kB brotli 5",
    )
    yield Ratio(
        name=f"HTML of the dashboard, {POINTS:,} points, brotli",
        value=html["br"],
        limit=_PEER_KB,
        unit="kB",
        limit_name="all that InferenceX-app sends for 720 rows",
        note=f"{len(page) / 1e3:.0f} kB raw, {html['gzip']:.0f} kB gzip, holds figure, first frame and table",
    )


def _assets(port: int, page: str) -> list[str]:
    """Scripts and style sheets that the page names, and the modules those import."""
    found = list(dict.fromkeys(re.findall(r'"(/static/[^"]+\.(?:js|css))"', page)))
    for path in found:
        if path.endswith(".js") and "/vendor/" not in path:
            text = get(port, path)[1].decode()
            folder = path.rsplit("/", 1)[0]
            found += [
                name
                for name in (f"{folder}/{part}" for part in re.findall(r"^import .*?from '\./([\w.]+)'", text, re.M))
                if name not in found
            ]
    return found
