"""The JSON API: each route reads its query strictly, asks one question and sends the answer as bytes."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from app.compare.compare import compare
from app.details.compare import compare_document
from app.details.config import config_document
from app.details.curves import frontier_document
from app.details.point import point_document
from app.details.recorded import recorded_document
from app.details.row import Document
from app.details.study import study_document
from app.details.vocabulary import vocabulary_document
from app.figures import FIGURES
from app.figures import plan as plan_figure
from app.figures.recorded import figures_of
from app.plan.document import plan_document
from app.series import chart
from app.study.study import study
from app.view import PARAMETERS
from app.web.answer import answer
from app.web.deps import HISTORY, NOTHING, WHOLE, Asked, store_of, strictly
from app.web.errors import BadRequest, NotFound
from app.web.listing import rejections_document, rows_document
from app.web.plan_asked import Planned, plan_strictly
from app.web.study.page import own_problems
from app.web.study.places import OWN

router = APIRouter()

Viewed = Annotated[Asked, Depends(strictly())]
Listed = Annotated[Asked, Depends(strictly(PARAMETERS, ("limit", "cursor")))]
Whole = Annotated[Asked, Depends(strictly(WHOLE))]
Studied = Annotated[Asked, Depends(strictly(PARAMETERS, OWN))]
Dated = Annotated[Asked, Depends(strictly(HISTORY))]
Paged = Annotated[Asked, Depends(strictly(HISTORY, ("limit", "cursor")))]
Plain = Annotated[Asked, Depends(strictly(NOTHING))]


@router.get("/api/v1/points", name="points")
def points(request: Request, asked: Listed) -> Response:
    return answer(rows_document(asked, store_of(request)))


@router.get("/api/v1/points/{point_id}", name="point")
@router.get("/points/{point_id}.json", name="point_page_json")
def point(point_id: str, asked: Whole) -> Response:
    document = point_document(asked.snapshot, point_id, asked.view)
    if document is None:
        raise NotFound(f"snapshot {asked.snapshot.id} has no point {point_id!r}; /api/v1/points lists those it has")
    return answer(document)


@router.get("/api/v1/points/{point_id}/series", name="series")
@router.get("/points/{point_id}/series.json", name="series_page_json")
def series(point_id: str, asked: Dated) -> Response:
    found = recorded_document(asked.snapshot, point_id)
    if found is None:
        raise NotFound(f"snapshot {asked.snapshot.id} has no point {point_id!r}; /api/v1/points lists those it has")
    document, run = found
    figures = {name: figure.document() for name, figure in figures_of(run).items()} if run else {}
    return answer({**document, "figures": figures})


@router.get("/api/v1/configs/{config_id}", name="config")
@router.get("/configs/{config_id}.json", name="config_page_json")
def config(config_id: str, asked: Whole) -> Response:
    document = config_document(asked.snapshot, config_id, asked.view)
    if document is None:
        raise NotFound(f"snapshot {asked.snapshot.id} has no config {config_id!r}; /api/v1/points lists those it has")
    return answer(document)


@router.get("/api/v1/frontier", name="frontier")
def frontier(asked: Viewed) -> Response:
    return answer(frontier_document(chart(asked.question())))


@router.get("/api/v1/figures/{name}.plotly.json", name="figure_plotly")
def figure_plotly(name: str, asked: Viewed) -> Response:
    return answer(_figure(name, asked)["figure"])


@router.get("/api/v1/figures/{name}", name="figure")
def figure(name: str, asked: Viewed) -> Response:
    return answer(_figure(name, asked))


def _figure(name: str, asked: Asked) -> Document:
    if name not in FIGURES:
        raise NotFound(f"there is no figure {name!r}; there are {', '.join(FIGURES)}")
    return FIGURES[name](asked.question()).document()


@router.get("/api/v1/plan", name="plan")
@router.get("/plan.json", name="plan_page_json")
def plan(asked: Annotated[Planned, Depends(plan_strictly)]) -> Response:
    figure = plan_figure.figure(asked.plan).document()
    return answer({**plan_document(asked.plan, asked.snapshot.id), "figure": figure})


@router.get("/api/v1/offload", name="offload")
def offload(asked: Studied) -> Response:
    found = study(asked.question(paired=True), **{name: asked.own.get(name) for name in OWN})
    if problems := own_problems(found, dict(asked.own)):
        raise BadRequest(problems)
    return answer(study_document(found))


@router.get("/api/v1/compare", name="compare")
@router.get("/compare.json", name="compare_page_json")
def compared(asked: Viewed) -> Response:
    found = compare(asked.question())
    if found.problems:
        raise BadRequest(found.problems)
    return answer(compare_document(found))


@router.get("/api/v1/vocabulary", name="vocabulary")
def vocabulary(asked: Plain) -> Response:
    return answer(vocabulary_document(asked.snapshot.prices))


@router.get("/api/v1/snapshots", name="snapshots")
def snapshots(asked: Dated) -> Response:
    found = asked.snapshot.snapshots()
    return answer({"snapshot": asked.snapshot.id, "count": len(found), "snapshots": found})


@router.get("/api/v1/rejections", name="rejections")
def rejections(asked: Paged, request: Request) -> Response:
    return answer(rejections_document(asked, store_of(request)))


@router.get("/healthz", name="health")
def health(asked: Plain) -> Response:
    return answer({"status": "ok", "snapshot": asked.snapshot.id})
