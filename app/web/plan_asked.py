"""What the addresses of a plan are given: inputs read strictly or leniently, the point they begin with, the plan."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from fastapi import Request

from app.details.words import recipe_words
from app.plan.inputs import Inputs, parse
from app.plan.result import Plan, plan
from app.plan.settled import settle
from app.store.read import Snapshot
from app.view import Problem, bounded, short
from app.web.deps import AsOf, as_of_request, pairs_of, snapshot_asked
from app.web.errors import BadRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan in a snapshot, what could not be read of the request, and the shortest address that says the same."""

    plan: Plan
    snapshot: Snapshot
    problems: tuple[Problem, ...]
    shorter: str | None
    """The query to go to instead, where the one asked says more than it must."""
    as_of: AsOf | None = None


def plan_strictly(request: Request) -> Planned:
    """The plan that a query asks for, or a refusal that names what is wrong."""
    found = plan_loosely(request)
    if found.problems:
        raise BadRequest(found.problems)
    return found


def plan_loosely(request: Request) -> Planned:
    """The plan of a page: what cannot be read is left out and told."""
    pairs = pairs_of(request)
    inputs, problems = parse(pairs)
    snapshot, misnamed = snapshot_asked(request, inputs.snapshot)
    if misnamed:
        inputs, problems = replace(inputs, snapshot=None), [*problems, *misnamed]
    row = snapshot.point(inputs.point) if inputs.point else None
    if inputs.point and row is None:
        detail = (
            f"point={short(inputs.point)}: snapshot {snapshot.id} has no such point; /api/v1/points lists those it has"
        )
        problems.append(Problem("point", inputs.point, detail))
        inputs = replace(inputs, point=None)
    made = plan(settle(inputs, row, recipe_words(row) if row else None))
    shorter = None if problems or sorted(pairs) == sorted(inputs.pairs()) else _query(inputs)
    as_of = as_of_request(request, snapshot)
    return Planned(plan=made, snapshot=snapshot, problems=tuple(bounded(problems)), shorter=shorter, as_of=as_of)


def _query(inputs: Inputs) -> str:
    return urlencode(inputs.pairs())
