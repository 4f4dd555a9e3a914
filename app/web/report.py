"""The report of a view, as JSON and as a page to keep."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from app.report.document import report, report_document
from app.view import PARAMETERS
from app.web.answer import answer
from app.web.deps import Asked, strictly
from app.web.operation import VIEW, Operation
from app.web.schemas.report import Report

router = APIRouter()

Viewed = Annotated[Asked, Depends(strictly())]


@router.get("/api/v1/report", name="report")
def report_json(asked: Viewed) -> Response:
    return answer(report_document(report(asked.question())))


REPORT = Operation(
    path="/api/v1/report",
    name="report",
    summary="A view as one document",
    text=f"{VIEW} Group, series with frontiers and readings, comparison, offload pairs with verdicts, what was left "
    "out, doubts in words, runs, method and links, all of one snapshot. `version` is that of the shape: under it keys "
    "may be added, none goes or changes its type (docs/report.md).",
    model=Report,
    query=PARAMETERS,
    wrong="?x=speed",
)
