"""The report of a view, as JSON and as a page to keep."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from fastapi.responses import HTMLResponse

from app.question import ask
from app.report.document import report, report_document
from app.view import PARAMETERS
from app.web.answer import answer
from app.web.deps import Asked, Loose, loosely, strictly
from app.web.exports.stamp import now
from app.web.kept.page import kept_page
from app.web.operation import VIEW, Operation
from app.web.schemas.report import Report

router = APIRouter()
pages = APIRouter()

Viewed = Annotated[Asked, Depends(strictly())]


@router.get("/api/v1/report", name="report")
def report_json(asked: Viewed) -> Response:
    return answer(report_document(report(asked.question())))


@pages.get("/report.html", response_class=HTMLResponse, include_in_schema=False)
def report_html(asked: Annotated[Loose, Depends(loosely)]) -> Response:
    """The report as a file to save: what it holds inside, the policy of this site would not let run."""
    question = ask(asked.view, asked.snapshot)
    problems = [problem.detail for problem in asked.problems]
    text = kept_page(report(question), made=now(), base=asked.origin, problems=problems)
    headers = {"content-disposition": f'attachment; filename="halo-report-{asked.snapshot.id}.html"'}
    return HTMLResponse(text, headers=headers)


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
