"""Exports in every format: the rows of the API, units, and where the file comes from, as ordinary readers see them."""

import base64
import csv
import io
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from app.catalog.metrics import METRICS
from app.details.row import COLUMNS, unit_of
from app.store.arrow import Told, arrow_file
from app.store.exports import parquet_file
from app.store.exports import told as columns_told
from app.web.errors import PROBLEM
from app.web.exports.routes import MEDIA
from app.web.exports.stamp import STAMP
from tests.served import client, demo_store, odd_store

Row = dict[str, Any]
EVERY = {"runs": "all"}


@pytest.fixture(scope="module", params=[demo_store, odd_store], ids=["demo", "odd"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(request.param(tmp_path_factory.mktemp("store")))


def export(served: TestClient, kind: str, **query: Any) -> Response:
    answer = served.get(f"/api/v1/points.{kind}", params={**EVERY, **query})
    assert answer.status_code == 200, answer.text
    return answer


def rows(served: TestClient, **query: Any) -> list[Row]:
    found: list[Row] = served.get("/api/v1/points", params={**EVERY, "limit": 10_000, **query}).json()["rows"]
    return found


def polars_parquet(answer: Response) -> list[Row]:
    return pl.read_parquet(io.BytesIO(answer.content)).to_dicts()


def polars_arrow(answer: Response) -> list[Row]:
    return pl.read_ipc(io.BytesIO(answer.content)).to_dicts()


def lines(answer: Response) -> list[Row]:
    return [json.loads(line) for line in answer.text.splitlines()]


READERS: dict[str, Callable[[Response], list[Row]]] = {
    "parquet": polars_parquet,
    "arrow": polars_arrow,
    "ndjson": lines,
}


@pytest.mark.parametrize("kind", READERS)
def test_a_file_holds_the_rows_of_the_api(served: TestClient, kind: str) -> None:
    found = READERS[kind](export(served, kind))
    assert [{name: row[name] for name in COLUMNS} for row in found] == rows(served)
    assert set(found[0]) - set(COLUMNS) == (set(STAMP) if kind == "ndjson" else set())


@pytest.mark.parametrize("kind", READERS)
def test_filters_sort_and_limit_hold_in_every_format(served: TestClient, kind: str) -> None:
    query = {"sort": "-total_tput_per_chip", "limit": 3, "offload": "kv"}
    found = READERS[kind](export(served, kind, **query))
    assert [row["id"] for row in found] == [row["id"] for row in rows(served, **query)]
    assert found


@pytest.mark.parametrize("kind", MEDIA)
def test_an_export_is_a_file_of_its_type_named_after_the_snapshot(served: TestClient, kind: str) -> None:
    answer = export(served, kind)
    snapshot = served.get("/healthz").json()["snapshot"]
    assert answer.headers["content-type"].split(";")[0] == MEDIA[kind]
    assert answer.headers["content-disposition"] == f'attachment; filename="halo-{snapshot}.{kind}"'


def metadata(answer: Response) -> dict[str, str]:
    return dict(pl.read_parquet_metadata(io.BytesIO(answer.content)))


@pytest.mark.parametrize("frozen", [False, True])
def test_every_format_says_its_view_its_snapshot_and_when_it_was_made(served: TestClient, frozen: bool) -> None:
    snapshot = served.get("/healthz").json()["snapshot"]
    query = {"precision": "fp4", **({"snapshot": snapshot} if frozen else {})}
    view = "precision=fp4&runs=all"
    (line, *_) = lines(export(served, "ndjson", **query))
    (row, *_) = csv.DictReader(io.StringIO(export(served, "csv", **query).text))
    for told in (line, row):
        assert (told["halo_snapshot"], told["halo_view"]) == (snapshot, view)
        assert bool(told["halo_made"]) is not frozen
    words = metadata(export(served, "parquet", **query))
    assert (words["halo.snapshot"], words["halo.view"]) == (snapshot, view)
    assert ("halo.made" in words) is not frozen
    if not frozen:
        assert datetime.fromisoformat(words["halo.made"]).tzinfo is not None
    arrow = export(served, "arrow", **query).content
    assert arrow.count(view.encode()) == 2, "in the schema and in the footer"
    assert (b"halo.made" in arrow) is not frozen
    head = export(served, "md", **query).text.splitlines()[0]
    assert snapshot in head
    assert view in head
    assert (", made 20" in head) is not frozen


def test_units_stand_in_the_fields_and_once_more_for_readers_that_hide_those(served: TestClient) -> None:
    words = metadata(export(served, "parquet"))
    units = json.loads(words["halo.units"])
    assert units == {name: unit for name in COLUMNS if (unit := unit_of(name))}
    assert set(units) == {metric.key for metric in METRICS}
    schema = base64.b64decode(words["ARROW:schema"])
    arrow = export(served, "arrow").content
    for metric in METRICS:
        for file in (schema, arrow):
            assert metric.text.encode() in file


def test_csv_has_units_in_its_header_when_asked(served: TestClient) -> None:
    plain = export(served, "csv").text.splitlines()[0].split(",")
    headed = next(csv.reader(io.StringIO(export(served, "csv", units=1).text)))
    assert plain == [*COLUMNS, *STAMP]
    assert [name.split(" (")[0] for name in headed] == plain
    assert "interactivity_p50 (tok/s/user)" in headed
    assert "hbm_share (fraction of 1)" in headed
    wrong = served.get("/api/v1/points.csv?units=yes")
    assert (wrong.status_code, wrong.json()["parameter"]) == (400, "units")


def test_duckdb_reads_each_file_as_it_is(served: TestClient, tmp_path: Path) -> None:
    count = len(rows(served))
    for kind, reader in (("parquet", "read_parquet"), ("csv", "read_csv"), ("ndjson", "read_json")):
        path = tmp_path / f"rows.{kind}"
        path.write_bytes(export(served, kind).content)
        found = duckdb.sql(f"SELECT count(*), count(DISTINCT id) FROM {reader}('{path}')").fetchall()
        assert found == [(count, count)], kind


def test_markdown_has_every_row_and_each_column_that_says_something(served: TestClient) -> None:
    every = rows(served)
    _, _, head, rule, *body = export(served, "md").text.splitlines()
    names = [name.strip().split(" (")[0].replace("\\", "") for name in head.strip("|").split(" | ")]
    assert names == [name for name in COLUMNS if any(row[name] not in (None, []) for row in every)]
    assert len(rule.strip("|").split("|")) == len(names)
    assert len(body) == len(every)
    at = names.index("total_tput_per_chip")
    texts = [line.strip("|").replace("\\|", "").split(" | ")[at].strip() for line in body]
    assert texts == ["" if row["total_tput_per_chip"] is None else str(row["total_tput_per_chip"]) for row in every]


@pytest.mark.parametrize("kind", MEDIA)
def test_no_match_is_a_file_without_rows(served: TestClient, kind: str) -> None:
    answer = export(served, kind, concurrency=987654)
    if kind in READERS:
        assert READERS[kind](answer) == []
    if kind == "parquet":
        assert pl.read_parquet(io.BytesIO(answer.content)).columns == list(COLUMNS)


def test_an_arrow_file_is_made_page_by_page_and_reads_as_one() -> None:
    columns = [Told("id", "VARCHAR", {"unit": "é"}), Told("x", "DOUBLE"), Told("n", "INTEGER"), Told("l", "VARCHAR[]")]
    pages = [
        [{"id": f"p{i}", "x": None if i % 3 else i / 7, "n": i, "l": ["a"] * (i % 4)} for i in range(at, at + 5)]
        for at in range(0, 20, 5)
    ]
    given = iter(pages)
    pieces = arrow_file(given, columns, {"halo.view": "x"})
    next(pieces)
    assert next(given) is pages[0], "nothing is read before it is asked for"
    file = b"".join(arrow_file(pages, columns, {"halo.view": "x"}))
    expected = [row for page in pages for row in page]
    assert pl.read_ipc(io.BytesIO(file)).to_dicts() == expected
    assert pl.read_ipc_stream(io.BytesIO(file[8:])).to_dicts() == expected


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("limit", "none"),
        ("limit", "0"),
        ("limit", "-1"),
        ("sort", "height"),
        ("price", "free@2020-01"),
        ("offload", "maybe"),
        ("slo", "height:1"),
        ("chip", "abacus"),
        ("color", "mood"),
        ("colour", "chip"),
        ("snapshot", "yesterday"),
    ],
)
@pytest.mark.parametrize("kind", MEDIA)
def test_what_cannot_be_answered_is_refused_before_a_byte_is_sent(
    served: TestClient, kind: str, parameter: str, value: str
) -> None:
    answer = served.get(f"/api/v1/points.{kind}", params={parameter: value})
    assert answer.headers["content-type"] == PROBLEM
    assert "content-disposition" not in answer.headers
    assert (answer.status_code, parameter in answer.text) == (404 if parameter == "snapshot" else 400, True)


def test_a_long_parquet_file_is_the_same_however_often_it_is_made() -> None:
    # Longer than three row groups: there threads would meet at other rows each time.
    row = dict.fromkeys(COLUMNS)
    listed = [{**row, "id": f"p{n:012x}", "run": f"run {n % 997}", "concurrency": n % 61} for n in range(40_000)]
    pages = [listed[n : n + 2_500] for n in range(0, len(listed), 2_500)]
    made = [b"".join(parquet_file(pages, columns_told(COLUMNS, {}), {})) for _ in range(3)]
    assert made[0] == made[1] == made[2]
    assert pl.read_parquet(io.BytesIO(made[0]), columns=["id"])["id"].to_list() == [row["id"] for row in listed]
