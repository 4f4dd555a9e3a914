"""The form of a plan: each input with its usual value, where that comes from, and the way back to it."""

from dataclasses import dataclass, replace

from app.plan.inputs import GROUPS, Amount, Group, Inputs, Pick, amounts_of, picks_of
from app.plan.settled import Known, Settled
from app.view import number_text
from app.web.blocks.plan_text import plain

_OPEN: tuple[Group, ...] = ("Where from", "Load")


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A number or a choice of the form. `own` where the reader gave it; `undo` is the plan without."""

    name: str
    label: str
    unit: str
    text: str
    said: str
    origin: str
    value: str
    usual: str
    options: tuple[tuple[str, str], ...]
    own: bool
    undo: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FormGroup:
    name: str
    open: bool
    own: int
    fields: tuple[FormField, ...]


def form_groups(settled: Settled) -> tuple[FormGroup, ...]:
    return tuple(_group(name, settled) for name in GROUPS)


def address(inputs: Inputs) -> str:
    query = inputs.query()
    return f"/plan?{query}" if query else "/plan"


def _group(name: Group, settled: Settled) -> FormGroup:
    fields = tuple(
        [_choice(pick, settled.known[pick.name], settled.inputs) for pick in picks_of(name)]
        + [_amount(amount, settled.known[amount.name], settled.inputs) for amount in amounts_of(name)]
    )
    own = sum(field.own for field in fields)
    return FormGroup(name=name, open=name in _OPEN or own > 0, own=own, fields=fields)


def _without(inputs: Inputs, name: str) -> str:
    return address(
        replace(
            inputs,
            words=tuple(pair for pair in inputs.words if pair[0] != name),
            numbers=tuple(pair for pair in inputs.numbers if pair[0] != name),
        )
    )


def _choice(pick: Pick, known: Known, inputs: Inputs) -> FormField:
    own = known.origin == "yours"
    usual = "" if own else pick.words.get(str(known.value), "not known")
    return FormField(
        name=pick.name,
        label=pick.label,
        unit="",
        text=pick.text,
        said=known.said,
        origin=known.origin,
        value=str(known.value) if own else "",
        usual=usual,
        options=tuple(pick.words.items()),
        own=own,
        undo=_without(inputs, pick.name) if own else "",
    )


def _amount(amount: Amount, known: Known, inputs: Inputs) -> FormField:
    own = known.origin == "yours"
    value = known.value if isinstance(known.value, int | float) else None
    return FormField(
        name=amount.name,
        label=amount.label,
        unit=amount.unit,
        text=amount.text,
        said=known.said,
        origin=known.origin,
        value=number_text(float(value)) if own and value is not None else "",
        usual="not known" if value is None else plain(float(value)),
        options=(),
        own=own,
        undo=_without(inputs, amount.name) if own else "",
    )
