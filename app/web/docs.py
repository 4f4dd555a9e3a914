"""The API's own page and its OpenAPI document, both made of the same description and of this store's answers."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

import orjson
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse
from starlette.types import ASGIApp, Message

from app.catalog.point import Json
from app.figures import FIGURES
from app.question import ask
from app.view import PARAMETERS
from app.web.deps import NOTHING, Asked, Loose, loosely, strictly
from app.web.openapi import Answer, Ask, document
from app.web.openapi_posts import COMMANDS
from app.web.origin import origin_of
from app.web.parameters import parameter
from app.web.snippets import snippets
from app.web.templates import render

router = APIRouter()


@router.get("/api/openapi.json")
async def openapi(request: Request, asked: Annotated[Asked, Depends(strictly(NOTHING))]) -> Response:
    described = await document(asked.snapshot, tuple(FIGURES), asking(request.app))
    return Response(orjson.dumps(described), media_type="application/json")


@router.get("/api/docs")
async def docs(request: Request, asked: Annotated[Loose, Depends(loosely)]) -> HTMLResponse:
    described = await document(asked.snapshot, tuple(FIGURES), asking(request.app))
    question = ask(asked.view, asked.snapshot)
    return HTMLResponse(
        render(
            "api.html",
            origin=origin_of(request.scope) or "http://127.0.0.1:8000",
            page=docs_page(described),
            snippets=snippets(question),
            snapshot=asked.snapshot.id,
            current="api",
        )
    )


def asking(app: ASGIApp) -> Ask:
    """A way to ask this application without a network."""

    async def ask(address: str) -> Answer:
        parts = urlsplit(address)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "root_path": "",
            "query_string": parts.query.encode(),
            "headers": [],
        }
        got: list[Message] = []

        async def receive() -> Message:
            # Nobody hangs up: who listens for that waits until the answer is complete.
            never: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
            return await never

        async def send(message: Message) -> None:
            got.append(message)

        await app(scope, receive, send)
        body = b"".join(message.get("body", b"") for message in got[1:])
        kind = dict(got[0]["headers"]).get(b"content-type", b"")
        return got[0]["status"], _read(body, kind)

    return ask


def _read(body: bytes, kind: bytes) -> Json:
    """JSON as it is meant, text as it is; of other bytes, how many."""
    if b"json" in kind and b"ndjson" not in kind:
        return orjson.loads(body)
    return body.decode() if kind.startswith(b"text/") or b"ndjson" in kind else f"({len(body):,} bytes)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A key of an answer, or a parameter: its type in words, and where that type is told."""

    name: str
    type: str
    href: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """An answer as this store gives it."""

    status: str
    text: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    key: str
    method: str
    path: str
    twin: str
    summary: str
    text: str
    command: str
    """What a reader may copy into a shell that knows $HALO."""
    shape: str
    viewed: bool
    """Whether it takes all parameters of a view; only others are listed with it."""
    parameters: tuple[Field, ...]
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    name: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocsPage:
    about: str
    addresses: tuple[Address, ...]
    parameters: tuple[Field, ...]
    shapes: tuple[Shape, ...]


def docs_page(described: dict[str, Any]) -> DocsPage:
    """What templates/api.html prints of an OpenAPI document."""
    operations = [(way, path, told) for path, ways in described["paths"].items() for way, told in ways.items()]
    twins = {found["operationId"]: path for _, path, found in operations}
    return DocsPage(
        about=described["info"]["description"],
        addresses=tuple(
            _address(way, path, found, twins.get(f"{found['operationId']}_page", ""))
            for way, path, found in operations
            if not found["operationId"].endswith("_page")
        ),
        parameters=tuple(_field(parameter(name)) for name in PARAMETERS),
        shapes=tuple(
            Shape(
                name=name,
                fields=tuple(
                    _key(key, schema, told.get("required", ())) for key, schema in told.get("properties", {}).items()
                ),
            )
            for name, told in described["components"]["schemas"].items()
        ),
    )


def _address(method: str, path: str, found: dict[str, Any], twin: str) -> Address:
    names = {item["name"] for item in found["parameters"]}
    viewed = set(PARAMETERS) <= names
    told = [item for item in found["parameters"] if not (viewed and item["name"] in PARAMETERS)]
    media = next(iter(found["responses"]["200"]["content"].values()))
    return Address(
        key=found["operationId"],
        method=method.upper(),
        path=path,
        twin=twin,
        summary=found["summary"],
        text=found["description"],
        command=COMMANDS.get(found["operationId"]) or f'curl -s "$HALO{found["x-example"]}"',
        shape=_type(media["schema"])[1],
        viewed=viewed,
        parameters=tuple(_field(item) for item in told),
        samples=tuple(_sample(status, answer) for status, answer in found["responses"].items()),
    )


def _sample(status: str, answer: dict[str, Any]) -> Sample:
    media = next(iter(answer["content"].values()))
    return Sample(status=status, text=answer["description"], body=_printed(media.get("example")))


def _printed(example: Json) -> str:
    if example is None or isinstance(example, str):
        return example or ""
    return orjson.dumps(example, option=orjson.OPT_INDENT_2).decode()


def _field(told: dict[str, Any]) -> Field:
    kind, _ = _type(told["schema"])
    return Field(name=told["name"], type=kind, href="", text=told["description"])


def _key(name: str, schema: dict[str, Any], required: Any) -> Field:
    kind, shape = _type(schema)
    text = schema.get("description", "")
    return Field(
        name=name,
        type=kind if name in required else f"{kind}, may be absent",
        href=f"#shape-{shape}" if shape else "",
        text=text,
    )


def _type(schema: dict[str, Any]) -> tuple[str, str]:
    """A schema in words, and the name of the shape that it refers to."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return name, name
    if "anyOf" in schema:
        found = [_type(item) for item in schema["anyOf"]]
        return " or ".join(text for text, _ in found), next((shape for _, shape in found if shape), "")
    if schema.get("type") == "array":
        text, shape = _type(schema["items"])
        return f"list of {text}", shape
    words = {"string": "text", "integer": "whole number", "boolean": "true or false"}
    kind = schema.get("type", "anything")
    return words.get(kind, kind), ""
