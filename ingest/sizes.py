"""Sizes of memories as people write them: `512 GiB per node`, `2TB`, `68719476736`."""

import re

from app.catalog.offload import SCOPES
from ingest.table.cells import Misread

_SIZE = re.compile(r"([\d.]+)\s*([kmgtp]?i?b?)(?:ytes?)?\b\s*(.*)", re.IGNORECASE)
_POWERS = "kmgtp"


def sized(text: str) -> tuple[int, str | None]:
    """Bytes, and what they are counted over where that is said. Raises Misread."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise Misread(_wrong(text))
    number, unit, rest = match[1], match[2].lower(), match[3].strip()
    try:
        count = float(number)
    except ValueError:
        raise Misread(_wrong(text)) from None
    letter = unit[:1] if unit[:1] in _POWERS else ""
    if letter and not unit.endswith("b"):
        raise Misread(f"{text!r} has half a unit: write {number} {letter.upper()}iB or {number} {letter.upper()}B")
    base = 1024 if "i" in unit else 1000
    scope = SCOPES.resolve(rest) if rest else None
    if rest and scope is None:
        raise Misread(f"{rest!r} is nothing a size is counted over: write {', '.join(term.label for term in SCOPES)}")
    factor = base ** (_POWERS.index(letter) + 1) if letter else 1
    return int(count * factor), scope.key if scope else None


def _wrong(text: str) -> str:
    return (
        f"{text!r} is no size: write 512 GiB, 2 TB or a number of bytes, and per node or per rank where that is known"
    )
