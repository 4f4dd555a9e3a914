"""Routes of the history of a view."""

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import HTMLResponse, Response

from app.changes.history import history
from app.details.history import history_document
from app.figures.history import figure_of
from app.web import links
from app.web.answer import answer
from app.web.deps import Asked, Loose, loosely, strictly
from app.web.history_page import history_page
from app.web.templates import render

router = APIRouter()
pages = APIRouter(default_response_class=HTMLResponse, include_in_schema=False)


@router.get("/api/v1/history", name="history")
@router.get("/history.json", name="history_page_json")
def told(asked: Annotated[Asked, Depends(strictly())]) -> Response:
    found = history(asked.question())
    return answer({**history_document(found), "figure": figure_of(found).document()})


@pages.get("/history")
def page(asked: Annotated[Loose, Depends(loosely)]) -> str:
    suffix = links.suffix(asked.view)
    made = history_page(asked.view, asked.problems, asked.snapshot, suffix)
    return render(
        "history.html", current="history", snapshot=asked.snapshot.id, as_of=asked.as_of, suffix=suffix, page=made
    )
