"""`benchmark-config.txt`, which scripts around GuideLLM leave beside its report: hardware, model and settings."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from app.catalog.chips import CHIPS
from app.catalog.models import MODELS
from app.catalog.point import Point
from ingest.document import Document
from ingest.sources.companions import nearest, with_companion
from ingest.sources.guidellm import GuideLLM

_SIGNS = (b"Run ID:", b"Rate Type:", b"Max Seconds:")
_HEAD = 4096
_HARDWARE = re.compile(r"^(?:(\d{1,4})x)?(\d{1,4})x([A-Za-z][\w -]*)$")


class GuideLLMConfig:
    """Names the chips that the report does not. Its backend of the router is no offload, and is kept as a fact."""

    key = "guidellm-config"
    label = "GuideLLM run config"
    version = 1
    role: Literal["companion"] = "companion"

    def claims(self, document: Document) -> bool:
        head = document.data[:_HEAD]
        return all(sign in head for sign in _SIGNS) and head.lstrip()[:1] not in (b"{", b"[")

    def completes(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        return [other for other in nearest(document, others) if GuideLLM().claims(other)]

    def complete(self, document: Document, point: Point) -> Point:
        said = _said(document)
        model = said.get("Model")
        spellings = {"model": model} if model and point.model is None else {}
        chip, count = _hardware(said.get("Hardware", ""))
        completed = replace(
            point,
            model=point.model or MODELS.key_of(model),
            chip=point.chip or chip,
            chip_count=point.chip_count or count,
            spellings={**point.spellings, **spellings},
        )
        return with_companion(completed, self.key, {**said})


def _said(document: Document) -> dict[str, str]:
    pairs = (line.partition(":") for line in document.text.splitlines())
    return {key.strip(): value.strip() for key, colon, value in pairs if colon and value.strip()}


def _hardware(text: str) -> tuple[str | None, int | None]:
    """`1x2xL40S`: one server of two chips."""
    match = _HARDWARE.match(text)
    if match is None:
        return CHIPS.key_of(text), None
    return CHIPS.key_of(match[3]), int(match[1] or 1) * int(match[2])
