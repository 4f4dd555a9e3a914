"""A layout read back from its label, which is all that a flat row says of it."""

import re
from typing import Any

from app.catalog.point import Layout, Role

_COUNTS = re.compile(r"(\d+|\?)P\+(\d+|\?)D")
_DEGREE = re.compile(r"(TP|PP|PCP|DCP|EP)(\d{1,6})")
_BETWEEN = " · "


def layout_of(label: str | None, *, disaggregated: bool | None) -> Layout | None:
    """The layout that has this label; None for a label that is no layout of this Halo."""
    if not label:
        return Layout(disaggregated=disaggregated)
    head, _, words = label.partition(_BETWEEN)
    if (counts := _COUNTS.fullmatch(head)) is None:
        whole = _role(label)
        return Layout(whole=whole, disaggregated=disaggregated) if whole else None
    sides = words.split("/") if words else ["", ""]
    roles = [_role(side, chips) for side, chips in zip(sides, counts.groups(), strict=False)]
    if len(sides) != 2 or None in roles:
        return None
    layout = Layout(prefill=roles[0], decode=roles[1], disaggregated=disaggregated)
    return layout if layout.label == label else None


def _role(words: str, chips: str = "?") -> Role | None:
    degrees: dict[str, Any] = {}
    attention = None
    for word in words.split():
        if word == "DPA":
            attention = True
        elif (match := _DEGREE.fullmatch(word)) is not None:
            degrees[match[1].lower()] = int(match[2])
        else:
            return None
    return Role(chips=int(chips) if chips.isdigit() else None, dp_attention=attention, **degrees)
