"""The pages beside the dashboard: a point, a config, the store, the glossary, and what went wrong."""

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.details.config import config_document
from app.details.point import point_document
from app.web import links
from app.web.blocks.time import time_block
from app.web.card import Card, card, counted, group_view
from app.web.config_page import config_page
from app.web.data_page import data_page
from app.web.deps import Loose, loosely, loosely_with
from app.web.errors import NotFound
from app.web.glossary_page import concepts, sections, see_also, term_page
from app.web.plan_asked import Planned, plan_loosely
from app.web.plan_page import plan_page
from app.web.point_page import point_page
from app.web.study.page import OffloadPage, offload_page
from app.web.study.places import OWN
from app.web.templates import render

router = APIRouter(default_response_class=HTMLResponse, include_in_schema=False)
Asked = Annotated[Loose, Depends(loosely)]
Stored = Annotated[Loose, Depends(loosely_with("before"))]
Studied = Annotated[Loose, Depends(loosely_with(*OWN))]


@router.get("/points/{point_id:path}")
def point(point_id: str, asked: Asked) -> str:
    return point_html(point_id, asked)


@router.get("/configs/{config_id:path}")
def config(config_id: str, asked: Asked) -> str:
    return config_html(config_id, asked)


@router.get("/offload")
def offload(asked: Studied) -> str:
    page = offload_page(asked.view, asked.own, asked.problems, asked.snapshot, links.suffix(asked.view))
    return render(
        "offload.html",
        current="offload",
        snapshot=asked.snapshot.id,
        suffix=links.suffix(asked.view),
        page=page,
        as_of=asked.as_of,
        card=_study_card(asked, page),
    )


def _study_card(asked: Loose, page: OffloadPage) -> Card | None:
    """The first verdicts in their own words."""
    said = [f"{recipe.label}: {sentence.text}" for recipe in page.verdicts for sentence in recipe.sentences[:1]]
    title = f"Did offload pay? {' · '.join(page.title) or 'No points'}"
    words = " ".join(said[:2]) or "No point of this view used KV-cache offload."
    return card(asked, title, words, asked.view, figure="offload_gain")


@router.get("/data")
def data(asked: Stored) -> str:
    return rendered("data.html", "data", asked, page=data_page(asked.snapshot, dict(asked.own).get("before")))


@router.get("/glossary")
def glossary(asked: Asked) -> str:
    return rendered("glossary.html", "glossary", asked, sections=sections(), see_also=see_also, concepts=concepts())


@router.get("/glossary/{word:path}")
def term(word: str, asked: Asked) -> str:
    return term_html(word, asked)


@router.get("/plan")
def plan(asked: Annotated[Planned, Depends(plan_loosely)]) -> Response:
    return plan_html(asked)


def plan_html(asked: Planned) -> Response:
    """A form sends every field, most of them empty: the reader is led to the address that says only what was given."""
    if asked.shorter is not None:
        return RedirectResponse(f"/plan?{asked.shorter}" if asked.shorter else "/plan", 303)
    problems = [problem.detail for problem in asked.problems]
    return HTMLResponse(
        render(
            "plan.html",
            current="plan",
            snapshot=asked.snapshot.id,
            as_of=asked.as_of,
            problems=problems,
            page=plan_page(asked),
        )
    )


def point_html(point_id: str, asked: Loose) -> str:
    document = point_document(asked.snapshot, point_id, asked.view)
    if document is None:
        raise NotFound(_no_point(point_id, asked))
    prices = asked.snapshot.prices.resolve(asked.view.price)
    page = point_page(document, asked.snapshot, asked.view, prices)
    known = [f"{tile.label} {tile.text} {tile.unit}".strip() for tile in page.tiles if tile.text is not None]
    told = card(
        asked,
        f"{page.heading.name} {page.heading.tail}",
        f"{' · '.join(known)}. {page.heading.badge}".strip() if known else " · ".join(page.heading.parts),
        group_view(document, (page.id,)),
        figure="pareto",
    )
    return rendered("point.html", "point", asked, page=page, time=time_block(document, asked.snapshot), card=told)


def config_html(config_id: str, asked: Loose) -> str:
    document = config_document(asked.snapshot, config_id, asked.view)
    if document is None:
        raise NotFound(
            f"There is no config “{config_id}” in snapshot {asked.snapshot.id}. Open one from a point's page."
        )
    page = config_page(document, asked.view)
    found = f"{counted(page.points, 'point')} in {counted(len(page.runs), 'run')}. {page.ending}"
    told = card(asked, page.title, found, group_view(document["workloads"][0]["points"][0]), figure="pareto")
    return rendered("config.html", "config", asked, page=page, card=told)


def term_html(word: str, asked: Loose) -> str:
    page = term_page(word, asked.snapshot)
    if page is None:
        raise NotFound(f"The glossary has no word “{word}”.")
    return rendered("term.html", "glossary", asked, page=page)


def _no_point(point_id: str, asked: Loose) -> str:
    """That there is none, and where it was if there was one."""
    past = asked.snapshot.history(point_id)
    sentence = f"There is no point “{point_id}” in snapshot {asked.snapshot.id}"
    if not past:
        return f"{sentence}. It may belong to another store."
    names = asked.snapshot.names()
    return f"{sentence}: it was removed. Snapshot {names.get(past[0]['since'])} still has it."


def rendered(template: str, current: str, asked: Loose, **context: object) -> str:
    """A page of the asked snapshot. Links of a named snapshot stay in it; what could not be read is said."""
    return render(
        template,
        current=current,
        snapshot=asked.snapshot.id,
        as_of=asked.as_of,
        suffix=links.suffix(asked.view),
        problems=[problem.detail for problem in asked.problems],
        **context,
    )
