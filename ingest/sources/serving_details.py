"""The requests that vLLM's `--save-detailed` and SGLang's `--output-details` list, one by one, as the store keeps them.

A request is told by its place in lists side by side. Where it began is a reading of the client's clock, which
counts from no known day: only differences are meant.
"""

import re
from array import array
from collections.abc import Iterator, Mapping
from itertools import repeat

from app.catalog.point import Json
from app.store.series import Request
from ingest.document import Document
from ingest.redact import redacted

_MARK = "ttfts"
_NANO = 1e9
_LONGEST_S = 1e9
_NAMED = 80
_RAISED = re.compile(r"(?:[a-z_]\w*\.)*([A-Z]\w*)(?::|$|\()")


class ListsRequests:
    """What the sources of these formats share: each result of a file may have its lists."""

    def has_requests(self, document: Document) -> bool:
        return document.may_hold(f'"{_MARK}"')

    def requests_in(self, document: Document, where: str | None) -> Iterator[Request]:
        """Those of one row. A part is a repeat whose median stands elsewhere, and its requests are not the median's."""
        for row in document.parsed.records if where is not None else ():
            if row.where == where and isinstance(row.value, dict):
                yield from requests(row.value)


def requests(row: Mapping[str, Json]) -> Iterator[Request]:
    """Every request that the lists of a row tell of; none where they do not fit together."""
    ttfts, outputs = row.get(_MARK), row.get("output_lens")
    # A median over repeats keeps the lists of its first one.
    if not isinstance(ttfts, list) or not isinstance(outputs, list) or "aggregation_method" in row:
        return
    if len(ttfts) != len(outputs):
        return
    beside = (_beside(row.get(name), len(ttfts)) for name in ("itls", "input_lens", "start_times", "errors"))
    for ttft, tokens, gaps, prompt, start, error in zip(ttfts, outputs, *beside, strict=True):
        yield _request(ttft, tokens, gaps, prompt, start, error)


def _beside(values: Json, count: int) -> Iterator[Json]:
    return iter(values) if isinstance(values, list) and len(values) == count else repeat(None, count)


def _request(ttft: Json, tokens: Json, gaps: Json, prompt: Json, start: Json, error: Json) -> Request:
    osl = _count(tokens)
    ok = not error and bool(osl)
    first = _time(ttft) if ok else None
    rest = _rest(gaps) if first is not None else None
    whole = None if first is None or rest is None else first + rest
    begun = _clock(start)
    return Request(
        start_ns=begun,
        end_ns=None if begun is None or whole is None else begun + round(whole * _NANO),
        ttft_s=first,
        itl_s=rest / (osl - 1) if rest and osl and osl > 1 else None,
        e2el_s=whole,
        isl=_count(prompt),
        osl=osl,
        cached=None,
        conversation=None,
        turn=None,
        depth=None,
        phase=None,
        ok=ok,
        error=None if ok else named(error) if error else "no output token",
        worker=None,
    )


def _rest(gaps: Json) -> float | None:
    """Seconds from the first token to the last; gaps are those between chunks, which may hold several tokens."""
    if not isinstance(gaps, list | array):
        return None
    try:
        rest = float(sum(gaps))
    except TypeError:
        return None
    return rest if 0 <= rest < _LONGEST_S else None


def _time(value: Json) -> float | None:
    """Seconds. A zero stands for a first token that never came."""
    return float(value) if type(value) in (int, float) and 0 < value < _LONGEST_S else None


def _clock(value: Json) -> int | None:
    return round(value * _NANO) if type(value) in (int, float) and 0 <= value < 4 * _LONGEST_S else None


def _count(value: Json) -> int | None:
    return value if type(value) is int and value >= 0 else None


def named(error: Json) -> str:
    """What went wrong in a few words: the exception where a traceback was kept, else the last line of the text."""
    lines = str(error).strip().splitlines() or [""]
    raised = _RAISED.match(lines[-1].strip())
    text = raised.group(1) if raised else lines[-1].strip()[:_NAMED]
    return str(redacted(text)) or "not named"
