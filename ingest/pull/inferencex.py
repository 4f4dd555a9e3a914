"""`/api/v1/benchmarks` of the InferenceX site, and with a first day the earlier days that `/availability` lists."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from urllib.parse import urlencode

import orjson

from app.catalog.point import Json
from ingest.pull.fetch import Fetcher, NotFetched
from ingest.pull.state import Basket, Pulls

URL = "https://inferencex.semianalysis.com"
_SETTLED = timedelta(days=7)
"""Days before the newest one after which an earlier day is not asked again: its runs are done."""

_NEEDED = frozenset(("hardware", "framework", "model", "precision", "spec_method", "conc", "metrics"))
_KNOWN = _NEEDED | frozenset(
    (
        *(
            "id",
            "disagg",
            "is_multinode",
            "benchmark_type",
            "isl",
            "osl",
            "offload_mode",
            "image",
            "recipe_fingerprint",
        ),
        *("workers", "date", "run_url", "power_audit", "power_invalid_reasons"),
        *("num_prefill_gpu", "num_decode_gpu"),
        *("curve_date", "curve_workflow_run_id", "curve_run_started_at"),
        *(
            f"{role}_{name}"
            for role in ("prefill", "decode")
            for name in ("tp", "ep", "dp_attention", "num_workers", "pp", "dp")
        ),
    )
)
_NAMED = 6


@dataclass(slots=True)
class Asked:
    """What asking gave, for people: sentences, and the addresses at which nothing is new."""

    notes: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)


def collect(
    fetcher: Fetcher,
    pulls: Pulls,
    basket: Basket,
    models: Sequence[str],
    *,
    url: str = URL,
    since: date | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Asked:
    """Puts the answers for these models into the basket. Raises NotFetched; what was kept before then stays."""
    asked = Asked()
    base = url.rstrip("/")
    kept = {each["url"] for each in basket.kept}
    for model in models:
        address = f"{base}/api/v1/benchmarks?{urlencode({'model': model})}"
        if address not in kept:
            tell(f"asking for {model}")
            _keep(fetcher, pulls, basket, address, since, asked)
        if since is None:
            continue
        days = _days(fetcher, base, _model_keys(pulls, basket, address), since)
        settled = max(days, default=since) - _SETTLED
        # The newest day is what the address without a day gives.
        for day in days[:-1]:
            dated = f"{base}/api/v1/benchmarks?{urlencode({'model': model, 'date': day.isoformat()})}"
            if dated in kept or (day < settled and _covers(pulls, dated, since)):
                continue
            tell(f"asking for {model} as of {day}")
            _keep(fetcher, pulls, basket, dated, since, asked)
    return asked


def _keep(fetcher: Fetcher, pulls: Pulls, basket: Basket, address: str, since: date | None, asked: Asked) -> None:
    found = fetcher.get(address, pulls.validators(address) if _covers(pulls, address, since) else None)
    if found.unchanged:
        asked.unchanged.append(address)
        return
    rows = rows_of(found.value, address)
    asked.notes += [note for note in drift(rows) if note not in asked.notes]
    newer = [row for row in rows if since is None or not _is_older(row, since)]
    keys = sorted({str(row["model"]) for row in rows if isinstance(row, dict) and row.get("model")})
    first = since.isoformat() if since else ""
    basket.keep(address, orjson.dumps(newer), found.validators, models=keys, rows=len(newer), since=first)


def _covers(pulls: Pulls, address: str, since: date | None) -> bool:
    """Whether what was read of an address before holds all that is wanted of it now."""
    known = pulls.done.get(address)
    return known is not None and (not known.get("since") or (since is not None and known["since"] <= since.isoformat()))


def rows_of(value: Json, address: str) -> list[Json]:
    """The rows of an answer. Raises NotFetched where it is something else: then the API is another one by now."""
    if not isinstance(value, list):
        keys = f" with the keys {', '.join(list(value)[:_NAMED])}" if isinstance(value, dict) else ""
        what = "an object" if isinstance(value, dict) else "null" if value is None else type(value).__name__
        raise NotFetched(f"{address} answered with {what}{keys}, where a list of rows is expected: nothing was read")
    return value


def drift(rows: Iterable[Json]) -> list[str]:
    """Sentences on keys that rows lack, and on keys that nobody here knows. Refusing such rows is the reader's."""
    missing: dict[str, int] = {}
    strange: dict[str, int] = {}
    for row in rows:
        if isinstance(row, dict):
            for key in _NEEDED - row.keys():
                missing[key] = missing.get(key, 0) + 1
            for key in row.keys() - _KNOWN:
                strange[key] = strange.get(key, 0) + 1
    notes = [f"{count} rows lack {key!r}, which every row had" for key, count in sorted(missing.items())]
    if strange:
        notes.append(f"rows hold keys that this Halo does not know, kept as they came: {', '.join(sorted(strange))}")
    return notes


def _model_keys(pulls: Pulls, basket: Basket, address: str) -> set[str]:
    """The API's own words for a model, which its list of days uses instead of the name asked for."""
    told: Mapping[str, Json] = next(
        (each for each in basket.kept if each["url"] == address), pulls.done.get(address, {})
    )
    return set(told.get("models") or ())


def _days(fetcher: Fetcher, base: str, models: set[str], since: date) -> list[date]:
    """Days from `since` on at which a model was measured, in order."""
    address = f"{base}/api/v1/availability"
    found = {
        day
        for row in rows_of(fetcher.get(address).value, address)
        if isinstance(row, dict) and row.get("model") in models and (day := _day(row)) is not None
    }
    return sorted(day for day in found if day >= since)


def _is_older(row: Json, since: date) -> bool:
    """Whether it says that it is of an earlier day. What is no row is left to the reader, which refuses it."""
    day = _day(row) if isinstance(row, dict) else None
    return day is not None and day < since


def _day(row: Mapping[str, Json]) -> date | None:
    try:
        return date.fromisoformat(str(row.get("date"))[:10])
    except ValueError:
        return None
