"""The offload study of a view: pairs, what they add to the frontiers, the tiers, the pressure, and the verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.question import Question
from app.store.select import Selection
from app.study.arms import Arm, Recipe, group, recipes_of
from app.study.gain import Gain, gains_of
from app.study.nvme import Nvme, nvme_of
from app.study.pairs import Apart, Pair, pairs_of
from app.study.parameter import Comparison, Table, comparisons_of, tables_of
from app.study.pays import Pays, pays_of
from app.study.pressure import Pressure, pressures_of
from app.study.sides import Sides, sides_of
from app.study.waterfall import Waterfall, arms_with_shares, waterfall_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterStudy:
    """`elsewhere` when the view holds no parameter offload, and the store's own is shown instead."""

    tables: tuple[Table, ...]
    comparisons: tuple[Comparison, ...]
    elsewhere: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    question: Question
    recipes: tuple[Recipe, ...]
    pairs: tuple[Pair, ...]
    apart: tuple[Apart, ...]
    pays: tuple[Pays, ...]
    gains: tuple[Gain, ...]
    pressures: tuple[Pressure, ...]
    nvme: tuple[Nvme, ...]
    waterfall: Waterfall | None
    arms: tuple[tuple[Recipe, Arm], ...]
    """Arms that a waterfall can be asked of."""
    sides: Sides | None
    series: tuple[tuple[str, str], ...]
    """Key and label of the series that can be put side by side."""
    parameter: ParameterStudy
    notes: tuple[str, ...]


def study(question: Question, *, arm: str | None = None, a: str | None = None, b: str | None = None) -> Study:
    """`arm` names the config of the waterfall, `a` and `b` the series that are put side by side."""
    recipes, notes = recipes_of(question)
    pairs, apart = pairs_of(recipes)
    by_arm = {
        (recipe.id, recipe.origin, recipe.values["workload"], one.id): pressures_of(
            one, [pair for pair in pairs if pair.recipe is recipe and pair.arm is one]
        )
        for recipe in recipes
        for one in recipe.arms
        if one.has_kv
    }
    drawable = arms_with_shares(recipes)
    chosen = next((item for item in drawable if item[1].id == arm), drawable[0] if drawable else None)
    return Study(
        question=question,
        recipes=recipes,
        pairs=pairs,
        apart=apart,
        pays=pays_of(pairs),
        gains=gains_of(recipes, pairs, question.x, question.y),
        pressures=tuple(item for members in by_arm.values() for item in members),
        nvme=tuple(_nvme(recipes, by_arm)),
        waterfall=waterfall_of(*chosen) if chosen else None,
        arms=tuple(drawable),
        sides=sides_of(recipes, a, b),
        series=tuple({recipe.series: (recipe.series, recipe.series_label) for recipe in recipes}.values()),
        parameter=_parameter(question, recipes),
        notes=notes,
    )


Key = tuple[str, str, str | None, str]


def _nvme(recipes: Sequence[Recipe], by_arm: Mapping[Key, Sequence[Pressure]]) -> list[Nvme]:
    found = []
    for recipe in recipes:
        own = {key[3]: members for key, members in by_arm.items() if key[:3] == _key(recipe)}
        verdict = nvme_of(recipe, own)
        if verdict is not None:
            found.append(verdict)
    return found


def _key(recipe: Recipe) -> tuple[str, str, str | None]:
    return recipe.id, recipe.origin, recipe.values["workload"]


def _parameter(question: Question, recipes: Sequence[Recipe]) -> ParameterStudy:
    tables = tables_of(recipes)
    elsewhere = not tables
    if elsewhere:
        origins = {"origin": question.selection.filters["origin"]} if question.demo_hidden else {}
        store = Selection(filters=origins, offload=("parameter",), prices=question.prices)
        recipes = group(question, question.snapshot.rows(store))
        tables = tables_of(recipes)
    return ParameterStudy(
        tables=tables, comparisons=comparisons_of(recipes, question.x), elsewhere=elsewhere and bool(tables)
    )
