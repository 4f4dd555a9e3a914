"""AIPerf's collection of the server's metrics, `server_metrics_export.json` and its table twin, as one Scrape.

Totals are over the profiling phase: AIPerf leaves warm-up out of them, or keeps it in a block of its own.
"""

from collections.abc import Iterator

from app.catalog.point import Json
from ingest.scrape import Scrape, Series
from ingest.sources.aiperf_files.tables import rows_of
from ingest.sources.fields import Fields

_TITLE = "# AIPerf Server Metrics Export"
_HEADER = "Endpoint,Type,Metric,Unit"
_FIGURES = frozenset(
    (
        *("Endpoint", "Type", "Metric", "Unit", "Description", "buckets", "count", "sum", "total", "rate"),
        *("avg", "min", "max", "std", "count_rate", "sum_rate", "rate_avg", "rate_min", "rate_max", "rate_std"),
    )
)
_ID = "benchmark_id"


def is_table(text: str) -> bool:
    start = text[:200].lstrip("\ufeff")
    return start.startswith((_TITLE, _HEADER))


def is_object(value: Json) -> bool:
    """Whether a document holds series by metric: for the whole, or for each endpoint as early releases did."""
    return any(isinstance(metrics, dict) and _is_series(metrics) for metrics, _ in _groups(value))


def _is_series(metrics: dict[str, Json]) -> bool:
    first = next(iter(metrics.values()), None)
    return isinstance(first, dict) and isinstance(first.get("series"), list) and "type" in first


def _groups(value: Json) -> Iterator[tuple[Json, str]]:
    if not isinstance(value, dict):
        return
    yield value.get("metrics"), ""
    endpoints = value.get("endpoints")
    for address, held in endpoints.items() if isinstance(endpoints, dict) else ():
        if isinstance(held, dict):
            yield held.get("metrics"), address


def scrape_of(value: Json) -> tuple[Scrape, str | None]:
    """The series of the JSON form, and the id of the run they belong to."""
    found = tuple(series_of(name, item, address) for name, item, address in listed(value))
    record = Fields(value if isinstance(value, dict) else {})
    return Scrape(found), record.text(_ID)


def listed(value: Json) -> Iterator[tuple[str, dict[str, Json], str]]:
    """Every series as it stands, with the name of its metric and its address where that is told apart."""
    for metrics, address in _groups(value):
        for name, held in metrics.items() if isinstance(metrics, dict) else ():
            series = held.get("series") if isinstance(held, dict) else None
            for item in series if isinstance(series, list) else ():
                if isinstance(item, dict):
                    yield name, item, address


def series_of(name: str, item: dict[str, Json], address: str) -> Series:
    record = Fields(item)
    stats, labels = record.inner("stats"), record.inner("labels").row
    constant = record.number("value")
    return Series(
        name=name,
        labels={key: str(value) for key, value in labels.items()},
        endpoint=record.text("endpoint_url") or address,
        total=next((stats.number(key) for key in ("total", "delta", "sum") if key in stats), None),
        mean=stats.number("avg") if "avg" in stats else constant,
        peak=stats.number("max") if "max" in stats else constant,
        least=stats.number("min") if "min" in stats else constant,
    )


def scrape_in(text: str) -> tuple[Scrape, str | None]:
    """The series of the table form: sections with headers of their own, the last one of labels without a value."""
    found: list[Series] = []
    told: dict[tuple[str, str], list[dict[str, str]]] = {}
    columns: list[str] = []
    run: str | None = None
    for row in rows_of(text):
        if not row:
            continue
        if row[0].startswith("#"):
            name, _, value = row[0].lstrip("# ").partition(":")
            run = value.strip() if name.strip() == _ID else run
        elif row[0] == "Endpoint":
            columns = row
        elif "Key" in columns:
            _tell(told, dict(zip(columns, row, strict=False)))
        elif "Metric" in columns:
            found.append(_row(dict(zip(columns, row, strict=False))))
    for (address, name), workers in told.items():
        found += [Series(name=name, labels=labels, endpoint=address) for labels in workers]
    return Scrape(tuple(found)), run


def _tell(told: dict[tuple[str, str], list[dict[str, str]]], cells: dict[str, str]) -> None:
    """Adds a label to the worker being told of; a key met again begins the next one."""
    workers = told.setdefault((cells.get("Endpoint", ""), cells.get("Metric", "")), [{}])
    if cells.get("Key", "") in workers[-1]:
        workers.append({})
    workers[-1][cells.get("Key", "")] = cells.get("Value", "")


def _row(cells: dict[str, str]) -> Series:
    record = Fields(cells)
    labels = {
        key: cell
        for key, cell in cells.items()
        if cell and key not in _FIGURES and not (key[:1] == "p" and key[1:2].isdigit())
    }
    return Series(
        name=cells.get("Metric", ""),
        labels=labels,
        endpoint=cells.get("Endpoint", ""),
        total=record.number("total") if "total" in cells else record.number("sum"),
        mean=record.number("avg"),
        peak=record.number("max"),
        least=record.number("min"),
    )
