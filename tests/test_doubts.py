"""Doubts that neighbours raise: every place that shows a point shows them, and no place stores them."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.catalog.flags import flag_of, flag_words
from app.store.doubts import FLAGS
from app.store.publish import publish
from app.store.read import Store
from ingest.pipeline import ingest
from tests.points import arrival, kv, point, stored
from tests.served import client

REAL = ("aiperf_runs", "inferencex_agg_agentic_v3_regenerated", "inferencex_api_rows")
"""Sweeps in which some wait falls as the load rises, and a file in which repeats differ."""

_LINE = re.compile(r'<tr data-id="([^"]+)".*?</tr>', re.DOTALL)
_TITLE = re.compile(r'class="doubt" title="([^"]*): see')


def labels(flags: Sequence[str]) -> str:
    return flag_words(flags)


def of_rows(client: TestClient, query: str = "") -> dict[str, list[str]]:
    found, cursor = {}, ""
    while cursor is not None:
        answer = client.get(f"/api/v1/points?limit=10000&{query}&cursor={cursor}").json()
        found |= {row["id"]: row["flags"] for row in answer["rows"]}
        cursor = answer["next"]
    return found


def in_csv(client: TestClient, query: str) -> dict[str, list[str]]:
    lines = csv.DictReader(io.StringIO(client.get(f"/api/v1/points.csv?{query}").text))
    return {line["id"]: line["flags"].split(";") if line["flags"] else [] for line in lines}


def in_table(client: TestClient, query: str) -> dict[str, str]:
    """The words behind each line's mark of doubt."""
    page = client.get(f"/?{query}&rows=all").text
    found = {}
    for line in _LINE.finditer(page):
        title = _TITLE.search(line.group())
        found[line.group(1)] = unescape(title.group(1)) if title else ""
    return found


def on_cards(client: TestClient, query: str) -> dict[str, str]:
    """The words on each point's card."""
    document = client.get(f"/api/v1/figures/pareto?{query}").json()
    dots = [trace for trace in document["figure"]["data"] if trace["meta"]["role"] == "dot"]
    ids = [key for trace in dots for key in trace["ids"]]
    doubts = document["meta"]["cards"]["words"]["doubts"]
    said = ["" if code is None else doubts["words"][code] for code in doubts["codes"]]
    assert [len(text.split(" · ")) if text else 0 for text in said] == document["meta"]["cards"]["flags"]
    return dict(zip(ids, said, strict=True))


def agree(client: TestClient, query: str) -> Mapping[str, list[str]]:
    """The flags of a view's rows, which export, table, cards and point pages must say as well."""
    rows = of_rows(client, query)
    assert in_csv(client, query) == rows
    words = {key: labels(flags) for key, flags in rows.items()}
    for shown in (in_table(client, query), on_cards(client, query)):
        assert shown
        assert shown == {key: words[key] for key in shown}
    return rows


def test_every_place_says_the_same_of_points_by_hand(tmp_path: Path) -> None:
    few, many = {"cached_share": 0.1}, {"cached_share": 0.5}
    stored(
        tmp_path,
        point(8, x=40.0, metrics={**few, "ttft_p50_s": 3.0}),
        point(8, x=40.0, metrics={**many, "ttft_p50_s": 3.0}, offload=kv()),
        point(16, x=30.0, metrics={"ttft_p50_s": 0.2}),
    )
    for number, y in enumerate((900.0, 1300.0, 1000.0)):
        publish(tmp_path, [arrival(point(32, y=y, raw=number), run=f"r{number}")])
    served = client(tmp_path)
    rows = agree(served, "model=dsr1&workload=1k/1k&runs=all")
    assert sorted({flag for flags in rows.values() for flag in flags}) == sorted(FLAGS)
    for key, flags in rows.items():
        assert [flag["key"] for flag in served.get(f"/points/{key}.json").json()["flags"]] == flags
        if flags:
            assert flag_of(flags[-1]).text in unescape(served.get(f"/points/{key}").text)


def test_every_place_says_the_same_of_real_points(tmp_path: Path, shared_data: Path) -> None:
    folders = [shared_data / name for name in REAL]
    if not all(folder.is_dir() for folder in folders):
        pytest.skip(f"not all of {', '.join(REAL)} are in ../shared/data")
    ingest(folders, tmp_path)
    served = client(tmp_path)
    every = of_rows(served, "runs=all")
    raised = {key: [flag for flag in flags if flag in FLAGS] for key, flags in every.items()}
    assert {flag for flags in raised.values() for flag in flags} >= {"ttft_falls_with_load", "noisy_repeats"}
    groups = {
        (row["model"], row["workload"], row["origin"])
        for row in served.get("/api/v1/points?runs=all&limit=10000").json()["rows"]
        if raised[row["id"]]
    }
    for model, workload, origin in sorted(groups, key=str)[:4]:
        agree(served, f"model={model or 'unknown'}&workload={workload or 'unknown'}&origin={origin}&runs=all")
    for flag in FLAGS:
        for key in [key for key, flags in raised.items() if flag in flags][:3]:
            assert [found["key"] for found in served.get(f"/points/{key}.json").json()["flags"]] == every[key]


def test_an_earlier_snapshot_keeps_the_doubts_it_had(tmp_path: Path) -> None:
    first = stored(tmp_path, point(8, metrics={"ttft_p50_s": 3.0})).snapshot
    publish(tmp_path, [arrival(point(16, metrics={"ttft_p50_s": 0.2}))])
    served = client(tmp_path)
    assert list(of_rows(served, f"snapshot={first}").values()) == [[]]
    assert sorted(of_rows(served).values()) == [[], ["ttft_falls_with_load"]]
    assert list(of_rows(served, f"snapshot={first}").values()) == [[]]


def test_an_empty_store_raises_nothing(tmp_path: Path) -> None:
    assert len(Store(tmp_path).snapshot().doubts().row) == 0
