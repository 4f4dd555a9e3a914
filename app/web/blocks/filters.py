"""The filters of a view beside its model and workload, each with the address that drops it."""

from collections.abc import Callable

from app.catalog.dimensions import DIMENSIONS
from app.view import View
from app.web import links


def filter_chips(view: View, address: Callable[..., str]) -> list[tuple[str, str]]:
    """`address` makes the address of a page from what changes in the view."""
    return [
        (
            f"{DIMENSIONS[key].label} {', '.join(DIMENSIONS[key].label_of(value) for value in values)}",
            address(filters=links.filters_with(view, key, ())),
        )
        for key, values in view.filters
        if key not in ("model", "workload")
    ]


def offload_chip(view: View, address: Callable[..., str]) -> list[tuple[str, str]]:
    """The filter by offload, which the study of offload leaves aside."""
    return [(f"Offload {', '.join(view.offload)}", address(offload=()))] if view.offload else []
