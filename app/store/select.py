"""Which rows a question is about, as SQL. Names come from the catalog; values are always bound."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS
from app.catalog.prices import DEFAULT_PRICES, PriceTable

UNKNOWN = "unknown"
"""The filter value that means: the record does not say."""

OFFLOAD_WORDS: Mapping[str, str] = {
    "on": "offload_mode = 'on'",
    "off": "offload_mode = 'off'",
    "unknown": "offload_mode = 'unknown'",
    "kv": "offload_kind IN ('kv', 'kv+parameter')",
    "parameter": "offload_kind IN ('parameter', 'kv+parameter')",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Filters by dimension key (a value is any of those listed), offload words, and newest or all repeats."""

    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    offload: Sequence[str] = ()
    newest: bool = True
    prices: PriceTable = DEFAULT_PRICES

    def where(self, *, without: str | None = None) -> tuple[str, list[object]]:
        """A condition and its bound values; `without` leaves one filter out, to count its alternatives."""
        clauses: list[str] = []
        bound: list[object] = []
        for key, values in self.filters.items():
            if key == without or not values:
                continue
            clauses.append(_matches(key, values, bound))
        if self.offload and without != "offload":
            clauses.append("(" + " OR ".join(OFFLOAD_WORDS[word] for word in self.offload) + ")")
        return " AND ".join(clauses) or "true", bound


def _matches(key: str, values: Sequence[str], bound: list[object]) -> str:
    dimension = DIMENSIONS[key]
    column = f'"{dimension.column}"'
    named = [value for value in values if value != UNKNOWN]
    parts = []
    if named and dimension.many:
        parts.append(f"list_has_any({column}, ?::VARCHAR[])")
        bound.append(named)
    elif named and dimension.number:
        parts.append(f"{column} IN (SELECT unnest(?::DOUBLE[]))")
        bound.append([float(value) for value in named])
    elif named:
        parts.append(f"{column}::VARCHAR IN (SELECT unnest(?::VARCHAR[]))")
        bound.append(named)
    if UNKNOWN in values:
        parts.append(f"len({column}) = 0" if dimension.many else f"{column} IS NULL")
    return "(" + " OR ".join(parts) + ")"


def metric_sql(key: str) -> str:
    """The expression that yields a metric. A priced one is worked out by its formula unless the source stated it."""
    metric = METRICS[key]
    return f'coalesce("{key}", {metric.formula})' if metric.made == "priced" else f'"{key}"'


def is_priced(keys: Sequence[str]) -> bool:
    return any(METRICS[key].made == "priced" for key in keys)


PRICE_CTE = "prices AS (SELECT unnest(?::VARCHAR[]) AS chip, unnest(?::DOUBLE[]) AS usd, unnest(?::DOUBLE[]) AS kw)"
"""Bind `price_values`. Goes before `PRICED`."""

_TWO_CHIPS = """t.prefill_chip IS NOT NULL AND t.decode_chip IS NOT NULL AND t.chip_count > 0
    AND t.decode_chips > 0 AND t.prefill_chips + t.decode_chips = t.chip_count"""


def _blend(column: str) -> str:
    return f"""CASE WHEN {_TWO_CHIPS}
        THEN (pp.{column} * t.prefill_chips + pd.{column} * t.decode_chips) / t.chip_count ELSE pc.{column} END"""


PRICED = f"""(SELECT t.*, {_blend("usd")} AS usd_per_chip_hour, {_blend("kw")} AS kw_per_chip
    FROM {{table}} AS t
    LEFT JOIN prices AS pc ON pc.chip = t.chip
    LEFT JOIN prices AS pp ON pp.chip = t.prefill_chip
    LEFT JOIN prices AS pd ON pd.chip = t.decode_chip)"""
"""Rows with the price and power of their chips; where roles have chips of their own, blended by their counts."""


def price_values(prices: PriceTable) -> list[object]:
    chips = sorted({*prices.usd_per_chip_hour, *prices.kw_per_chip})
    return [
        chips,
        [prices.usd_per_chip_hour.get(chip) for chip in chips],
        [prices.kw_per_chip.get(chip) for chip in chips],
    ]
