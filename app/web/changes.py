"""Routes of what changed between two snapshots."""

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import HTMLResponse, Response

from app.changes.between import Changes
from app.details.changes import changes_document
from app.web.answer import answer
from app.web.changes_asked import Between, between_loosely, between_strictly
from app.web.changes_page import changes_page
from app.web.deps import Asked, Loose
from app.web.listing import USUAL, read_limit
from app.web.pages import rendered

router = APIRouter()
pages = APIRouter(default_response_class=HTMLResponse, include_in_schema=False)


@router.get("/api/v1/changes", name="changes")
@router.get("/data/changes.json", name="changes_page_json")
def changes(found: Annotated[tuple[Between, Asked], Depends(between_strictly)]) -> Response:
    between, asked = found
    limit = read_limit(asked.own.get("limit")) or USUAL
    return answer({**changes_document(between.found, between.start, limit), "next": between.next(limit)})


@pages.get("/data/changes")
def changes_html(found: Annotated[tuple[Changes, Loose], Depends(between_loosely)]) -> str:
    changed, asked = found
    page = changes_page(changed, asked.view, dict(asked.own).get("page"))
    return rendered("changes.html", "data", asked, page=page)
