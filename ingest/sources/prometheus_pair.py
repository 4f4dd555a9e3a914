"""A server's /metrics page from before and from after a run: the difference says where its prompt tokens came from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from app.catalog.metrics import INPUT_TOKENS_MEAN, REQUESTS_OK
from app.catalog.point import Point
from ingest.document import Document, Reopened
from ingest.exposition import between, is_exposition, page_of
from ingest.sources.aiperf_server import with_server
from ingest.sources.companions import above, beside, folder_of, nearest, with_companion

_HALVES = (("m0", "m1"), ("before", "after"), ("pre", "post"), ("start", "end"), ("begin", "end"), ("t0", "t1"))
_WORDS = re.compile(r"[._\- ]+")
_SAYS_NOTHING = frozenset(("metrics", "prometheus", "prom", "server", "vllm", "sglang", "txt", "text", "log"))
_LEAST, _MOST = 0.75, 1.5
"""How many of the point's own prompt tokens the counters may have counted: warm-ups are few, other runs are not."""


class PrometheusPair:
    """Halves are told by their names, `run.m0` and `run.m1`, `metrics_before.txt` and `metrics_after.txt`."""

    key = "prometheus-pair"
    label = "Prometheus pages before and after"
    version = 1
    role: Literal["companion"] = "companion"

    def claims(self, document: Document) -> bool:
        return is_exposition(document.data)

    def partner(self, document: Document, alike: Sequence[Document]) -> Document | str:
        halves = list(_halves(document))
        if not halves:
            return (
                "one page of a server's metrics: a counter says nothing without its value at the start of the run. A "
                "pair is known by its names, such as run.m0 and run.m1, or metrics_before.txt and metrics_after.txt"
            )
        for rest, _, others in halves:
            for other in beside(document, alike):
                if any(found == rest and mark in others for found, mark, _ in _halves(other)):
                    return other
        _, mark, others = halves[0]
        return (
            f"one half of a pair of metrics pages, marked {mark}: the half marked {' or '.join(others)} does not lie "
            "beside it, and a counter says nothing without its value at the other end of the run"
        )

    def completes(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """The results beside the pair; of several, those named as it is."""
        own = folder_of(document)
        found = [
            other
            for other in nearest(document, others)
            if own in (folder_of(other), above(folder_of(other))) or above(own) == folder_of(other)
        ]
        if len(found) <= 1:
            return found
        name = _run(document)
        return [other for other in found if name and _parts(other)[: len(name)] == name]

    def complete(self, document: Document, point: Point) -> Point:
        """One half alone says nothing."""
        return point

    def complete_with(self, other: Document, document: Document, point: Point) -> Point:
        """Read once, with the later half, and only where the point has no counters of its own."""
        if point.cache.tiers or not _is_later(document):
            return point
        scrape = between(page_of(other.text), page_of(document.text))
        if isinstance(other, Reopened):
            other.forget()
        completed = with_server(point, scrape)
        counted, own = completed.cache.prompt_tokens, _prompt_tokens(point)
        if counted and own and not _LEAST <= counted / own <= _MOST:
            words = (
                f"{document.name} counts {counted:,} prompt tokens where this result has {round(own):,}: it covers "
                "other requests too, so it was not used"
            )
            return replace(point, warnings=(*point.warnings, words))
        facts = {"before": other.name, "after": document.name}
        return with_companion(completed, self.key, facts)


def _parts(document: Document) -> list[str]:
    return [part for part in _WORDS.split(document.name.lower()) if part]


def _halves(document: Document) -> Iterator[tuple[tuple[str, ...], str, tuple[str, ...]]]:
    """The rest of a name, its mark, and the marks that the other half may have."""
    parts = _parts(document)
    for early, late in _HALVES:
        for mark, other in ((early, late), (late, early)):
            if parts.count(mark) == 1:
                yield tuple(part for part in parts if part != mark), mark, (other,)


def _is_later(document: Document) -> bool:
    parts = _parts(document)
    return any(late in parts for _, late in _HALVES)


def _run(document: Document) -> list[str]:
    """What of a name may be that of the run."""
    marks = {mark for pair in _HALVES for mark in pair}
    return [part for part in _parts(document) if part not in marks and part not in _SAYS_NOTHING]


def _prompt_tokens(point: Point) -> float | None:
    mean, done = point.metrics.get(INPUT_TOKENS_MEAN), point.metrics.get(REQUESTS_OK)
    return mean * done if mean and done else None
