"""Figures as files by address: `/figures/pareto.png?…view…`, for reports, issues and the cards that links unfold to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request, Response

from app.figures import FIGURES
from app.figures import plan as plan_figure
from app.figures.figure import Figure
from app.figures.picture import Frame, picture
from app.view import PARAMETERS, Problem, View
from app.web.deps import Asked, pairs_of, strictly
from app.web.errors import BadRequest, NotFound
from app.web.images import Images, Kind
from app.web.plan_asked import plan_strictly

router = APIRouter()

OWN = ("width", "height", "scale", "theme")
KINDS: dict[str, Kind] = {"svg": "svg", "png": "png"}
MEDIA = {"svg": "image/svg+xml", "png": "image/png"}
PLAN = "plan"
NAMES = (*FIGURES, PLAN)
THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Bound:
    """What a number may be, and what it is where nobody says."""

    low: float
    high: float
    usual: float


SIDES = {"width": Bound(240, 2400, 960), "height": Bound(180, 1800, 600)}
SCALE = Bound(0.5, 4, 1)
PIXELS = 12_000_000
"""Most pixels of a picture, after scaling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A picture as it is asked for."""

    frame: Frame
    scale: float


@router.get("/figures/plan.{kind}", name="plan_picture")
def plan_picture(kind: str, request: Request) -> Response:
    pairs = pairs_of(request)
    asked = wished({name: value for name, value in pairs if name in OWN})
    rest = urlencode([pair for pair in pairs if pair[0] not in OWN]).encode("ascii")
    planned = plan_strictly(Request({**request.scope, "query_string": rest}))
    return _drawn(request, _kind(kind), plan_figure.figure(planned.plan), View(), asked)


@router.get("/figures/{name}.{kind}", name="picture")
def figure_picture(
    name: str, kind: str, request: Request, asked: Annotated[Asked, Depends(strictly(PARAMETERS, OWN))]
) -> Response:
    if name not in FIGURES:
        raise NotFound(f"there is no figure {name!r}; there are {', '.join(NAMES)}")
    wish = wished(asked.own)
    return _drawn(request, _kind(kind), FIGURES[name](asked.question()), asked.view, wish)


def images_of(request: Request) -> Images:
    images: Images = request.app.state.images
    return images


def wished(own: Mapping[str, str]) -> Wish:
    """Size, scale and theme of a picture. Raises BadRequest with every parameter that is out of bounds."""
    problems: list[Problem] = []
    width, height = (_number(name, own.get(name), bound, problems) for name, bound in SIDES.items())
    scale = _number("scale", own.get("scale"), SCALE, problems)
    theme = own.get("theme", THEMES[0])
    if theme not in THEMES:
        problems.append(Problem("theme", theme, f"theme={theme}: expected one of {', '.join(THEMES)}"))
    if not problems and width * height * scale**2 > PIXELS:
        detail = f"scale={scale:g}: {width:g} x {height:g} at this scale is beyond {PIXELS:,} pixels"
        problems.append(Problem("scale", own.get("scale", ""), detail))
    if problems:
        raise BadRequest(problems)
    return Wish(frame=Frame(width=round(width), height=round(height), dark=theme == THEMES[1]), scale=scale)


def _number(name: str, text: str | None, bound: Bound, problems: list[Problem]) -> float:
    if text is None:
        return bound.usual
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not bound.low <= value <= bound.high:
        detail = f"{name}={text}: a number from {bound.low:g} to {bound.high:g} is expected"
        problems.append(Problem(name, text, detail))
        return bound.usual
    return value


def _kind(text: str) -> Kind:
    if text not in KINDS:
        raise NotFound(f"there are no pictures of kind {text!r}; there are {', '.join(KINDS)}")
    return KINDS[text]


def _drawn(request: Request, kind: Kind, figure: Figure, view: View, wish: Wish) -> Response:
    made = images_of(request).draw(picture(figure, view, wish.frame), kind, wish.scale)
    return Response(made, media_type=MEDIA[kind])
