"""What a refused or failed request is answered with: a sentence and a way out, as problem+json or as a page."""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from app.catalog.renamed import new_page
from app.store.files import StoreError
from app.store.read import SnapshotNotFound
from app.view import Problem
from app.web.templates import render

PROBLEM = "application/problem+json"
KINDS = "/api/docs#problems"

_log = logging.getLogger("halo.web")
BROKEN = "something went wrong here; the server's log says what"
_DETAILS = {
    404: "there is nothing at this address; /api/docs lists the addresses there are",
    405: "this address answers GET and HEAD only",
}


class RequestError(Exception):
    """A request that cannot be answered, with the sentence to say so. `problems` name the parameters at fault."""

    def __init__(
        self, status: int, detail: str, problems: Sequence[Problem] = (), headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.problems = tuple(problems)
        self.headers = headers or {}


class BadRequest(RequestError):
    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(400, problems[0].detail, problems)


class NotFound(RequestError):
    def __init__(self, detail: str) -> None:
        super().__init__(404, detail)


class Moved(Exception):
    """The same page under the address that it has today."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


def problem(status: int, detail: str, instance: str, problems: Sequence[Problem] = ()) -> bytes:
    """A problem document. The first parameter at fault stands in `parameter`, all of them in `problems`."""
    document: dict[str, object] = {
        "type": KINDS,
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": instance,
    }
    if problems:
        document["parameter"] = problems[0].parameter
        document["problems"] = [
            {"parameter": item.parameter, "value": item.value, "detail": item.detail} for item in problems
        ]
    return orjson.dumps(document)


def speaks_json(path: str) -> bool:
    """Whether an address answers scripts rather than readers."""
    return path.startswith(("/api/", "/figures/")) or path.endswith(".json") or path in ("/healthz", "/oembed")


def failure(path: str, status: int, detail: str, problems: Sequence[Problem] = ()) -> Response:
    """The answer to a request that failed, in the form that its address speaks."""
    if speaks_json(path):
        return Response(problem(status, detail, path, problems), status, media_type=PROBLEM)
    page = render("error.html", status=status, title=HTTPStatus(status).phrase, detail=detail, current="", snapshot="")
    return Response(page, status, media_type="text/html")


def install(app: FastAPI) -> None:
    """Answers every kind of failure in the one shape; no traceback ever leaves the process."""

    @app.exception_handler(RequestError)
    def refused(request: Request, error: RequestError) -> Response:
        answer = failure(request.url.path, error.status, error.detail, error.problems)
        answer.headers.update(error.headers)
        return answer

    @app.exception_handler(Moved)
    def moved(request: Request, error: Moved) -> Response:
        return RedirectResponse(error.address, 308)

    @app.exception_handler(SnapshotNotFound)
    def no_snapshot(request: Request, error: SnapshotNotFound) -> Response:
        value = request.query_params.get("snapshot", "")
        return failure(request.url.path, 404, str(error), [Problem("snapshot", value, str(error))])

    @app.exception_handler(StoreError)
    def no_store(request: Request, error: StoreError) -> Response:
        _log.error("the store cannot be read: %s", error)
        return failure(request.url.path, 503, str(error))

    @app.exception_handler(HTTPException)
    def turned_away(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404 and (page := new_page(request.url.path)) is not None:
            return RedirectResponse(page + (f"?{request.url.query}" if request.url.query else ""), 308)
        detail = _DETAILS.get(error.status_code, str(error.detail))
        if error.status_code == 405 and (methods := (error.headers or {}).get("Allow")) and "GET" not in methods:
            detail = f"this address answers {methods} only; /api/docs says what it takes"
        answer = failure(request.url.path, error.status_code, detail)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(RequestValidationError)
    def unreadable(request: Request, error: RequestValidationError) -> Response:
        problems = [
            Problem(str(item["loc"][-1]), str(item.get("input", "")), f"{item['loc'][-1]}: {item['msg']}")
            for item in error.errors()
        ]
        return failure(request.url.path, 400, problems[0].detail, problems)

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> Response:
        return failure(request.url.path, 500, BROKEN)
