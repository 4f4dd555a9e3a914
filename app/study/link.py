"""How much a chip can compute in the time that its link to host memory takes to move a byte."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.catalog.chips import CHIPS
from app.catalog.links import LINKS
from app.catalog.precisions import PRECISIONS
from app.plan.formulas import flop_per_link_byte


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRatio:
    """FLOP per byte of the link; the higher, the sooner recomputing beats reloading. `worked` says of what."""

    value: float
    worked: str


def link_ratio(values: Mapping[str, Any]) -> LinkRatio | None:
    """Of a point's chip and number format; None where either is not known or the catalog lists no rate for them."""
    chip, precision = CHIPS.get(values["chip"] or ""), PRECISIONS.get(values["precision"] or "")
    if chip is None or precision is None or chip.links is None:
        return None
    link = LINKS[chip.links.host]
    found = chip.rates.of(precision)
    if found is None:
        return None
    name, tflops = found
    return LinkRatio(
        value=flop_per_link_byte(tflops * 1e12, link.bytes_per_s),
        worked=f"{chip.label}, dense {name}: {tflops:,g} TFLOPS ÷ {link.gb_s:g} GB/s over {link.label}",
    )
