"""The arguments of a call as the API's parameters, and what is wrong with them in words that help to mend it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any
from urllib.parse import quote, urlencode

from app.catalog.point import Json
from app.catalog.prices import Prices
from app.view import Pair, View, number_text, parse
from app.web.assist.tools import BY_NAME, ID, Tool, input_schema
from app.web.cursors import Place
from app.web.deps import SEVERAL
from app.web.errors import RequestError
from app.web.listing import read_cursor

_OURS = ("parts", "columns", "limit", "cursor")
_CLOSE = 5


class Refused(Exception):
    """A call that cannot be answered: one sentence for each thing that is wrong."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__("\n".join(sentences))


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A readable call: what to ask the API, and what of its answer to give."""

    tool: Tool
    id: str
    pairs: tuple[Pair, ...]
    parts: tuple[str, ...]
    columns: tuple[str, ...]
    limit: int
    cursor: str | None
    place: Place | None
    """Where the page begins, for lists that the API itself gives whole."""
    prices: Prices

    @property
    def view(self) -> View:
        return parse((pair for pair in self.pairs if pair[0] in self.tool.query), self.prices)[0]

    @property
    def address(self) -> str:
        """The address of the API that answers the call."""
        pairs = [*self.pairs]
        if self.tool.columns:
            pairs += [("limit", str(self.limit)), *([("cursor", self.cursor)] if self.cursor else [])]
        elif self.place and not self.view.snapshot:
            pairs.append(("snapshot", self.place.snapshot))
        path = self.tool.address.format(id=quote(self.id, safe=""))
        return f"{path}?{urlencode(pairs)}" if pairs else path


def read(name: str, arguments: Mapping[str, Any], prices: Prices) -> Call:
    """The call that arguments make to a store with these price tables.

    Raises Refused, KeyError for a tool that there is not.
    """
    tool = BY_NAME[name]
    schema = input_schema(tool)["properties"]
    given = {key: value for key, value in arguments.items() if value is not None}
    wrong = [_unknown(key, tuple(schema)) for key in given if key not in schema]
    wrong += (
        [f"{ID}: the `id` of a row is needed; the tool `points` lists rows"]
        if tool.needs_id and not given.get(ID)
        else []
    )
    texts: dict[str, list[str]] = {}
    for key, value in given.items():
        if key in schema:
            try:
                texts[key] = list(_texts(key, value))
            except ValueError as error:
                wrong.append(str(error))
    for key in ("parts", "columns"):
        words = schema.get(key, {}).get("items", {}).get("enum", ())
        wrong += [f"{key}={word}: {_instead(word, words)}" for word in texts.get(key, ()) if word not in words]
    limit = _limit(tool, texts.get("limit", []), wrong)
    if wrong:
        raise Refused(wrong)
    pairs = [(key, text) for key, found in texts.items() if key not in (ID, *_OURS) for text in found]
    pairs += [(key, text) for key, text in tool.given.items() if key not in texts]
    cursor = next(iter(texts.get("cursor", ())), None)
    call = Call(
        tool=tool,
        id="".join(texts.get(ID, ())),
        pairs=tuple(pairs),
        parts=tuple(name for name in tool.parts if name in texts.get("parts", tool.usual)),
        columns=tuple(dict.fromkeys(texts.get("columns", ()))),
        limit=limit,
        cursor=cursor,
        place=None,
        prices=prices,
    )
    return _placed(call) if tool.lists and cursor else call


def refusal(problem: Mapping[str, Json], tool: Tool) -> Refused:
    """What the API said of a call, with the words that come near those it did not know."""
    schema = input_schema(tool)["properties"]
    sentences = []
    problems: Any = problem.get("problems") or [{"detail": problem.get("detail"), "parameter": "", "value": ""}]
    for item in problems:
        told = schema.get(item["parameter"], {})
        near = get_close_matches(item["value"], told.get("items", told).get("enum", ()), _CLOSE)
        sentences.append(item["detail"] + (f". Near it: {', '.join(near)}" if near else ""))
    if problem.get("status") == 400:
        sentences.append("The tool `vocabulary` tells every word there is.")
    return Refused(sentences)


def _placed(call: Call) -> Call:
    try:
        place = read_cursor(call.view, call.cursor)
    except RequestError as error:
        raise Refused([error.detail]) from error
    return replace(call, place=place)


def _texts(key: str, value: Any) -> Iterator[str]:
    """An argument as the texts that a query would hold. Raises ValueError with a sentence."""
    values = value if isinstance(value, list) else [value]
    if isinstance(value, list) and key not in (*SEVERAL, "parts", "columns"):
        raise ValueError(f"{key}: one value is expected, not a list")
    for item in values:
        if isinstance(item, bool):
            yield "1" if item else "0"
        elif isinstance(item, int | float):
            yield number_text(float(item))
        elif isinstance(item, str):
            yield item
        else:
            raise ValueError(f"{key}: a text or a number is expected, not {type(item).__name__}")


def _limit(tool: Tool, texts: list[str], wrong: list[str]) -> int:
    text = texts[0] if texts else str(tool.limit)
    if text.isascii() and text.isdigit() and len(text) < 9 and (1 <= int(text) <= tool.most or not tool.limit):
        return int(text)
    wrong.append(f"limit={text}: a whole number from 1 to {tool.most} is expected")
    return tool.limit


def _unknown(key: str, known: tuple[str, ...]) -> str:
    return f"there is no argument {key!r}: {_instead(key, known)}"


def _instead(word: str, words: Sequence[str]) -> str:
    near = get_close_matches(word, words, _CLOSE) or words
    return f"there are {', '.join(near)}" if words else "there are none"
