"""Repeats of one config in one file: each is kept, and the first, which met empty caches, is marked as cold."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from app.catalog.point import Point, digest, identity
from ingest.sources.base import Found, Reading
from ingest.sources.serving_stated import ITERATION, plain


def with_cold_marked(readings: Iterable[Reading]) -> Iterator[Reading]:
    """The readings, with the first iteration of every config that has several marked as cold."""
    kept = list(readings)
    iterations: defaultdict[str, set[int]] = defaultdict(set)
    for reading in kept:
        if isinstance(reading, Found) and reading.point.iteration is not None:
            iterations[_config(reading.point)].add(reading.point.iteration)
    for reading in kept:
        if isinstance(reading, Found) and _is_first(reading.point, iterations):
            point = replace(reading.point, cold=True, flags=(*reading.point.flags, "cold_iteration"))
            yield replace(reading, point=point)
        else:
            yield reading


def _is_first(point: Point, iterations: dict[str, set[int]]) -> bool:
    """Whether counting began here. A file that begins with iteration 7 is a part of one, and says nothing of it."""
    if point.iteration not in (0, 1):
        return False
    others = iterations[_config(point)]
    return len(others) > 1 and point.iteration == min(others)


def _config(point: Point) -> str:
    """The identity, and whatever else was set by hand: chunk sizes are no dimension, but are another config."""
    added = point.facts.get("metadata", {})
    fixed = {key: value for key, value in added.items() if plain(key) not in ITERATION}
    return digest([identity(point), fixed, point.facts.get("isl"), point.facts.get("request_rate")])
