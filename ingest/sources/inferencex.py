"""InferenceX aggregates: single rows, and the `agg_bmk.json` arrays that mix every dialect of them."""

from collections.abc import Iterator
from typing import Literal

from app.catalog.point import Json, Point
from ingest.document import Document
from ingest.sources import inferencex_fixed, inferencex_flat, inferencex_nested
from ingest.sources.base import Found, Reading, Refused
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Unusable

_SIGNS = ("tput_per_gpu", "request_metrics", "scenario_type")
_KINDS = {list: "a list", str: "text", type(None): "null", bool: "true or false"}


class InferenceX:
    """Rows are told apart one by one: each file of a sweep may have been written by another version."""

    key = "inferencex"
    label = "InferenceX aggregate"
    version = 2
    role: Literal["results"] = "results"

    def claims(self, document: Document) -> bool:
        return document.may_hold('"hw"') and any(_is_row(record.value) for record in document.parsed.records)

    def read(self, document: Document) -> Iterator[Reading]:
        for where, value in document.parsed.records:
            try:
                yield Found(where, _read(value))
            except Unusable as unusable:
                yield Refused(where, str(unusable))


def _is_row(value: Json) -> bool:
    if not isinstance(value, dict) or "hw" not in value:
        return False
    return any(sign in value for sign in _SIGNS) or {"conc", "isl", "infmax_model_prefix"} <= value.keys()


def _read(value: Json) -> Point:
    if not isinstance(value, dict):
        raise Unusable(f"it is {_KINDS.get(type(value), 'a number')} where an InferenceX row, an object, was expected")
    if "hw" not in value:
        raise Unusable("it is not an InferenceX row: the key 'hw', which names the chip, is missing")
    if not _is_row(value):
        raise Unusable(f"it is not an InferenceX row: none of the keys {', '.join(map(repr, _SIGNS))} is there")
    row = Fields(value)
    if isinstance(value.get("request_metrics"), dict):
        return inferencex_nested.read(row)
    if "scenario_type" in value:
        return inferencex_flat.read(row)
    return inferencex_fixed.read(row)
