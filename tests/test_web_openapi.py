"""The description of the API is true: every route is in it, its examples work, and answers have the shapes it tells."""

import re
from html import unescape
from typing import Any

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from app.web.main import DESCRIBED
from app.web.openapi import OPERATIONS, Operation
from app.web.schemas.state import Problem
from tests.served import client, demo_store, odd_store

Document = dict[str, Any]


@pytest.fixture(scope="module", params=[demo_store, odd_store], ids=["demo", "odd"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(request.param(tmp_path_factory.mktemp("store")))


@pytest.fixture(scope="module")
def document(served: TestClient) -> Document:
    found: Document = served.get("/api/openapi.json").json()
    return found


def test_every_route_of_the_api_is_described_and_nothing_else(document: Document) -> None:
    routes = {route.path for router in DESCRIBED for route in router.routes if isinstance(route, APIRoute)}
    assert set(document["paths"]) == routes


def test_every_operation_has_words_parameters_and_examples(document: Document) -> None:
    operations = [(path, told) for path, methods in document["paths"].items() for told in methods.values()]
    ids = [told["operationId"] for _, told in operations]
    assert len(ids) == len(set(ids))
    for path, told in operations:
        assert told["summary"]
        assert told["description"]
        assert {item["name"] for item in told["parameters"] if item["in"] == "path"} == set(
            re.findall(r"{(\w+)}", path)
        )
        for item in told["parameters"]:
            assert item["description"]
            assert "example" in item
            assert item["schema"]["type"]
        assert {"200", "400"} <= set(told["responses"])
        for status, answer in told["responses"].items():
            media = next(iter(answer["content"].values()))
            assert media["example"], (path, status)


def test_every_reference_leads_somewhere(document: Document) -> None:
    names = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert names <= set(document["components"]["schemas"])


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_documented_example_can_be_tried_as_it_stands(
    served: TestClient, document: Document, operation: Operation
) -> None:
    told = document["paths"][operation.path]["get"]
    answer = served.get(told["x-example"])
    assert answer.status_code == 200
    assert answer.headers["content-type"].split(";")[0] == operation.media
    if operation.model is not None:
        operation.model.model_validate_json(answer.content, strict=True)
    address = told["x-example"].partition("?")[0]
    wrong = served.get(address + operation.wrong)
    assert wrong.status_code == 400
    Problem.model_validate_json(wrong.content, strict=True)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_documented_parameter_is_taken(served: TestClient, document: Document, operation: Operation) -> None:
    told = document["paths"][operation.path]["get"]
    address = told["x-example"].partition("?")[0]
    for item in told["parameters"]:
        if item["in"] == "query" and item["example"] != "":
            answer = served.get(address, params={item["name"]: item["example"]})
            assert answer.status_code == 200, (item["name"], answer.text)


def test_every_whole_point_and_config_has_the_shape_that_is_told(served: TestClient) -> None:
    shapes = {operation.name: operation.model for operation in OPERATIONS}
    rows = served.get("/api/v1/points", params={"runs": "all", "limit": 10_000}).json()["rows"]
    for row in rows[:: max(1, len(rows) // 40)]:
        for name, key in (("point", row["id"]), ("config", row["config_id"])):
            model = shapes[name]
            assert model is not None
            model.model_validate_json(served.get(f"/api/v1/{name}s/{key}").content, strict=True)


def test_the_page_shows_every_address_with_a_command_to_try_it(served: TestClient) -> None:
    page = unescape(served.get("/api/docs").text)
    for operation in OPERATIONS:
        assert f"<code>GET {operation.path}</code>" in page
        assert f'id="{operation.name}"' in page
    assert page.count('curl -s "$HALO') == len(OPERATIONS)
    targets = set(re.findall(r' id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= targets
