"""The server's metrics by slice of time: each slice is read as if it were a run of its own.

Where prompt tokens came from is therefore told by the same rules as for the whole run.
"""

from collections.abc import Iterator

from app.catalog.point import Cache, Json
from app.store.series import Slice
from ingest.engine_counters import cache_of
from ingest.invariants import SHARE_OF_PROMPT, Setting
from ingest.scrape import RUNNING, USAGE, WAITING, Scrape, Series
from ingest.sources.aiperf_files.server import listed, series_of
from ingest.sources.fields import Fields

Window = tuple[int, int]


def slices(value: Json, setting: Setting) -> Iterator[Slice]:
    """The slices of an export, in order of time; none where it has totals only."""
    windows: dict[Window, list[Series]] = {}
    whole: list[Series] = []
    for name, item, address in listed(value):
        series = series_of(name, item, address)
        found = item.get("timeslices")
        if not isinstance(found, list):
            whole += _of_all(series)
            continue
        for part in (Fields(entry) for entry in found if isinstance(entry, dict)):
            start, end = part.integer("start_ns"), part.integer("end_ns")
            if start is not None and end is not None and end > start:
                windows.setdefault((start, end), []).append(_part(series, part))
    for window, parts in sorted(windows.items()):
        yield _slice(window, Scrape((*parts, *whole)), setting)


def _of_all(series: Series) -> list[Series]:
    """A series without slices, as far as it holds for each: it never changed, or it only has labels."""
    if series.total:
        return []
    still = series.peak is not None and series.peak == series.least
    return [series] if series.total == 0 or still or (series.mean is None and series.peak is None) else []


def _part(series: Series, part: Fields) -> Series:
    return Series(
        name=series.name,
        labels=series.labels,
        endpoint=series.endpoint,
        total=next((part.number(key) for key in ("total", "sum") if key in part), None),
        mean=part.number("avg"),
        peak=part.number("max"),
        least=part.number("min"),
    )


def _slice(window: Window, scrape: Scrape, setting: Setting) -> Slice:
    cache = cache_of(scrape, setting)
    usage = next((mean for name in USAGE if (mean := scrape.mean(name)) is not None), None)
    prompt = cache.prompt_tokens
    computed = cache.computed_share
    return Slice(
        start_ns=window[0],
        end_ns=window[1],
        kv_usage=usage if usage is not None and 0 <= usage <= 1 else None,
        running=scrape.summed(*RUNNING),
        waiting=scrape.summed(*WAITING),
        prompt_tokens=prompt,
        computed_tokens=None if prompt is None or computed is None else computed * prompt,
        tiers=_tokens(cache),
    )


def _tokens(cache: Cache) -> dict[str, float]:
    """Prompt tokens by the medium that served them."""
    found: dict[str, float] = {}
    for tier in cache.tiers:
        if tier.denominator != SHARE_OF_PROMPT or cache.prompt_tokens is None:
            continue
        tokens = tier.tokens if tier.tokens is not None else (tier.share or 0) * cache.prompt_tokens
        found[tier.medium] = found.get(tier.medium, 0.0) + tokens
    return found
