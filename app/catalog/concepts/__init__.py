"""Terms explained at length, in the order a reader asks. Short explanations of every word are in the glossary."""

from app.catalog.concepts.base import Concept, Look, Source
from app.catalog.concepts.machinery import MACHINERY
from app.catalog.concepts.measures import MEASURES
from app.catalog.concepts.offload import OFFLOAD
from app.catalog.concepts.work import WORK

CONCEPTS: dict[str, Concept] = {concept.key: concept for concept in (*WORK, *OFFLOAD, *MEASURES, *MACHINERY)}

__all__ = ["CONCEPTS", "Concept", "Look", "Source"]
