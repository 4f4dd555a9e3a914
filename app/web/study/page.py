"""The offload page of a view: verdicts first, then what they rest on."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog.attributions import Attribution
from app.details.attributed import attributions
from app.figures.study import OF_STUDY
from app.question import ask
from app.store.read import Snapshot
from app.study.study import Study, study
from app.view import Pair, Problem, View, short
from app.web import links
from app.web.blocks.figures import FigurePart, figure_part
from app.web.blocks.filters import filter_chips
from app.web.controls import Choice, Option, model_choice, workload_choice
from app.web.remarks import badge_of, demo_note
from app.web.study.pairs import PairTable, pair_table
from app.web.study.parameter import ParameterSection, parameter_section
from app.web.study.parts import (
    GainLine,
    RecipeVerdict,
    RegimeLine,
    SidesPart,
    WaterfallPart,
    gain_lines,
    regime_lines,
    sides_part,
    verdicts,
    waterfall_part,
)
from app.web.study.places import OWN, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class OffloadPage:
    title: tuple[str, ...]
    badges: tuple[str, ...]
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    attributions: tuple[Attribution, ...]
    chart: str
    json: str
    model: Choice
    workload: Choice
    hidden: tuple[Pair, ...]
    """Parameters that the picker of model and workload carries along."""
    filters: tuple[tuple[str, str], ...]
    """Other filters in words, each with the address without it."""
    verdicts: tuple[RecipeVerdict, ...]
    pairs: PairTable
    figures: dict[str, FigurePart]
    gains: tuple[GainLine, ...]
    arm: Choice
    arm_hidden: tuple[Pair, ...]
    waterfall: WaterfallPart | None
    regimes: tuple[RegimeLine, ...]
    sides: SidesPart | None
    a: Choice
    b: Choice
    sides_hidden: tuple[Pair, ...]
    parameter: ParameterSection
    points: int
    is_empty_store: bool

    @property
    def has_offload(self) -> bool:
        return bool(self.verdicts)


def offload_page(
    view: View, own: Sequence[Pair], problems: Sequence[Problem], snapshot: Snapshot, suffix: str
) -> OffloadPage:
    question = ask(view, snapshot, paired=True)
    given = dict(own)
    found = study(question, **{name: given.get(name) for name in OWN})
    place = Place(view=view, own=tuple(own))
    return OffloadPage(
        title=tuple(part for part in question.title.split(" · ") if part),
        badges=tuple(badge for key in question.origins if (badge := badge_of(key))),
        notes=(*question.notes, *found.notes, *demo_note(question)),
        problems=(*(problem.detail for problem in problems), *(p.detail for p in own_problems(found, given))),
        chart=links.page(view),
        json=f"/api/v1{place.href()}",
        model=model_choice(question),
        workload=workload_choice(question),
        hidden=place.pairs("model", "workload", *OWN),
        filters=tuple(filter_chips(place.view, place.href)),
        verdicts=verdicts(found),
        pairs=pair_table(found, place),
        figures={name: figure_part(name, OF_STUDY[name](found), suffix) for name in OF_STUDY},
        gains=gain_lines(found),
        arm=_arms(found),
        arm_hidden=place.pairs("arm"),
        waterfall=waterfall_part(found.waterfall) if found.waterfall else None,
        regimes=regime_lines(found),
        sides=sides_part(found.sides) if found.sides else None,
        a=_series(found, "a", given, found.sides.a.recipe.series if found.sides else ""),
        b=_series(found, "b", given, found.sides.b.recipe.series if found.sides else ""),
        sides_hidden=place.pairs("a", "b"),
        parameter=parameter_section(found),
        points=sum(len(arm.samples) for recipe in found.recipes for arm in recipe.arms),
        attributions=attributions(question),
        is_empty_store=not snapshot.origins(),
    )


def own_problems(found: Study, given: dict[str, str]) -> list[Problem]:
    """Parameters of this address that name nothing in the view."""
    problems = []
    arm = given.get("arm")
    if arm and (found.waterfall is None or found.waterfall.arm.id != arm):
        known = ", ".join(one.id for _, one in found.arms) or "none"
        problems.append(
            Problem("arm", arm, f"arm={short(arm)}: no config of this view with known shares; there are {known}")
        )
    keys = [key for key, _ in found.series]
    for name in ("a", "b"):
        value = given.get(name)
        if value and value not in keys:
            known = ", ".join(keys) or "none"
            problems.append(Problem(name, value, f"{name}={short(value)}: no series of this view; there are {known}"))
    return problems


def _arms(found: Study) -> Choice:
    chosen = found.waterfall.arm.id if found.waterfall else ""
    return Choice(
        name="arm",
        label="Config",
        options=tuple(
            Option(value=arm.id, label=f"{recipe.label} · {arm.short}", ticked=arm.id == chosen)
            for recipe, arm in found.arms
        ),
    )


def _series(found: Study, name: str, given: dict[str, str], chosen: str) -> Choice:
    wanted = given.get(name) or chosen
    return Choice(
        name=name,
        label="First series" if name == "a" else "Second series",
        options=tuple(Option(value=key, label=label, ticked=key == wanted) for key, label in found.series),
    )
