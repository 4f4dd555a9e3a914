"""The parameters of a plan as OpenAPI describes them, read off its inputs."""

from typing import Any

from app.plan.inputs import AMOUNTS, PICKS, Amount, Pick, bounds_text

Schema = dict[str, Any]

_PICK = {pick.name: pick for pick in PICKS}
_AMOUNT = {amount.name: amount for amount in AMOUNTS}
_OTHERS = {
    "point": "The point to begin with: what it reports stands where nothing is given.",
    "snapshot": "An earlier state of the store, by id. Default: the live one.",
    "preview": "Files that were dropped to be looked at, by the id that POST /api/v1/preview gave.",
}


def plan_parameter(name: str) -> Schema:
    """The OpenAPI description of one query parameter of a plan."""
    if name in _PICK:
        text, schema, example = _pick(_PICK[name])
    elif name in _AMOUNT:
        text, schema, example = _amount(_AMOUNT[name])
    else:
        text, schema, example = _OTHERS[name], {"type": "string"}, ""
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": text,
        "schema": schema,
        "example": example,
    }


def _pick(pick: Pick) -> tuple[str, Schema, object]:
    words = list(pick.words)
    return f"{pick.label}. {pick.text}", {"type": "string", "enum": words}, words[0]


def _amount(amount: Amount) -> tuple[str, Schema, object]:
    unit = f", {amount.unit}" if amount.unit else ""
    kind = "integer" if amount.whole else "number"
    text = f"{amount.label}{unit}: {bounds_text(amount)}. {amount.text}"
    return text, {"type": kind, "minimum": amount.least}, min(amount.most, max(amount.least, 1))
