"""What a form says beside its files: the run, and values that no file gives."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import FormData

from app.view import Problem
from app.web.errors import BadRequest
from ingest.supplied import NOTHING, Supplied, WrongCall, parse_sets

RUN = "run"
SET = "set"
FIELDS = (RUN, SET)
_RUN_LETTERS = 120


@dataclass(frozen=True, slots=True)
class Said:
    """`sets` are the `key=value` texts of `supplied`."""

    supplied: Supplied = NOTHING
    run: str | None = None
    sets: tuple[str, ...] = ()


def said_in(form: FormData, also: Sequence[str] = ()) -> Said:
    """What is said in a form; `also` are fields that its address takes besides. Raises BadRequest."""
    texts = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    for name, value in texts:
        if name not in (*FIELDS, *also):
            more = "".join(f", {field}" for field in also)
            raise _bad(
                name, value, f"there is no field {name!r}: there are files{more}, run, and set, which may be repeated"
            )
    runs = {value.strip() for name, value in texts if name == RUN and value.strip()}
    if len(runs) > 1:
        raise _bad(RUN, "", "run is given twice: one upload is one run, or leave it out where the files say it")
    run = next(iter(runs), None)
    if run is not None and not (len(run) <= _RUN_LETTERS and run.isprintable()):
        raise _bad(RUN, run[:_RUN_LETTERS], f"run: a name of {_RUN_LETTERS} printable letters at most is expected")
    sets = tuple(value for name, value in texts if name == SET)
    try:
        return Said(parse_sets(sets), run, sets)
    except WrongCall as error:
        raise _bad(SET, "", str(error).removeprefix("--")) from None


def _bad(name: str, value: str, detail: str) -> BadRequest:
    return BadRequest([Problem(name, value, detail)])
