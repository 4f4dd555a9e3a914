"""The address of the comparison page; its JSON twin is with the API."""

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.web.card import card
from app.web.compare.page import OWN, compare_page, shorter
from app.web.deps import Loose, loosely_with
from app.web.pages import rendered

router = APIRouter(include_in_schema=False)


@router.get("/compare")
def compare(asked: Annotated[Loose, Depends(loosely_with(*OWN))]) -> Response:
    """A form for a service level sends a metric and a value: the reader is led to the address that says `slo`."""
    address, problems = shorter(asked.view, asked.own)
    if address:
        return RedirectResponse(address, 303)
    page = compare_page(asked.view, (*asked.problems, *problems), asked.snapshot)
    told = card(
        asked,
        f"Compare {' · '.join(page.title) or 'no points'}",
        " ".join(page.notes) or "Series compared at equal service.",
        asked.view,
        figure="pareto",
    )
    return HTMLResponse(rendered("compare.html", "compare", asked, page=page, card=told))
