"""What the API's description says of one address."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.web.deps import NOTHING
from app.web.parameters import parameter
from app.web.schemas.rows import Model

JSON = "application/json"

VIEW = (
    "A view in a query: filters by dimension (repeat a parameter for several values), axes, color, prices, snapshot. "
    "Pages and API take the same parameters, so the query of any page can be put behind this address."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An address: what it answers, with which parameters, and a request that works on any store with data.

    `path` holds the names of its path parameters; `twin` is the page address that answers the same.
    """

    path: str
    name: str
    summary: str
    text: str
    model: type[Model] | None
    query: tuple[str, ...] = NOTHING
    example: str = ""
    wrong: str = ""
    twin: str = ""
    media: str = JSON
    told: Callable[[str], dict[str, Any]] = parameter
    """What describes a query parameter of it."""
