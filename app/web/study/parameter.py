"""The parameter offload section: what each table says of itself, and host memory against flash."""

from dataclasses import dataclass
from typing import Any

from app.catalog.metrics import METRICS, TOTAL_TOKENS_PER_USD
from app.catalog.offload import ACCESS_PATHS, GDS_STATES, PAGE_CACHE_STATES, TIERS
from app.catalog.origins import ORIGINS
from app.curve import Corner
from app.study.parameter import FIELDS, PAGE, Comparison, Table
from app.study.study import Study
from app.study.words import times_text
from app.web.blocks.heading import Glyph, concurrency_text, glyph_of
from app.web.blocks.numbers import byte_text, large_text, number, significant

_VOCABULARIES = {"access_path": ACCESS_PATHS, "page_cache": PAGE_CACHE_STATES, "gds": GDS_STATES, "medium": TIERS}
_TITLES = {
    "table": "Table",
    "table_bytes": "Size",
    "rows_per_token": "Rows a token",
    "row_bytes": "Bytes a row",
    "medium": "Lies in",
    "access_path": "Access path",
    "page_cache": "Page cache",
    "rowid_copy": "Row id copy",
    "dedupe": "Rows deduplicated",
    "gather_location": "Gathered by",
    "prefetch": "Prefetch",
    "graph_mode": "Graphs",
    "gds": "GPUDirect Storage",
}
WARM = (
    "The page cache was warm: storage was not read, but copying row ids, dropping duplicates and gathering were paid."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCard:
    label: str
    recipe: str
    badge: str
    glyph: Glyph
    points: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str | None], ...]
    missing: int
    warm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLine:
    x: str
    fast: str
    slow: str
    ratio: str
    fast_id: str
    slow_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonCard:
    recipe: str
    badge: str
    fast: str
    slow: str
    pace: str
    typed: tuple[str, str, str, str, str, str] | None
    """Both figures with their own pace and point, for a pair as it was published."""
    ratio: str
    lines: tuple[ReadLine, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSection:
    cards: tuple[TableCard, ...]
    comparisons: tuple[ComparisonCard, ...]
    elsewhere: bool
    unit: str


def parameter_section(study: Study) -> ParameterSection:
    return ParameterSection(
        cards=tuple(_card(table) for table in study.parameter.tables),
        comparisons=tuple(_comparison(item) for item in study.parameter.comparisons),
        elsewhere=study.parameter.elsewhere,
        unit=METRICS[TOTAL_TOKENS_PER_USD].unit,
    )


def _badge(origin: str) -> str:
    term = ORIGINS.get(origin)
    return term.badge if term else ""


def _card(table: Table) -> TableCard:
    facts = [(_TITLES[name], _fact(name, table.facts[name])) for name in FIELDS]
    if table.row_bytes and table.facts["row_bytes"] is None:
        place = FIELDS.index("row_bytes")
        facts[place] = (_TITLES["row_bytes"], f"{significant(table.row_bytes, 3)}, from bytes and rows a token")
    facts.append(("Bytes a token", byte_text(table.bytes_per_token) if table.bytes_per_token else None))
    if table.amplification is not None:
        row = significant(table.row_bytes or 0.0, 3)
        facts.append(("Read amplification", f"{times_text(table.amplification)}: {PAGE:,} B read for {row} B"))
    warm = table.facts["page_cache"] == "warm" and TIERS[table.facts["medium"]].flash
    return TableCard(
        label=table.arm.label,
        recipe=table.recipe.label,
        badge=_badge(table.recipe.origin),
        glyph=glyph_of(table.arm.samples[0].values),
        points=tuple((sample.id, concurrency_text(sample.concurrency)) for sample in table.arm.newest),
        facts=tuple(facts),
        missing=len(table.missing),
        warm=WARM if warm else "",
    )


def _fact(name: str, value: Any) -> str | None:
    if value is None:
        return None
    if name in _VOCABULARIES:
        return _VOCABULARIES[name].label(str(value)) or str(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "table_bytes":
        return byte_text(float(value))
    if isinstance(value, int | float):
        return number(float(value), 0)
    return str(value).replace("_", " ")


def _comparison(item: Comparison) -> ComparisonCard:
    medium = [TIERS.label(arm.parameter.get("medium")) or arm.short for arm in (item.fast, item.slow)]
    typed = None
    if item.typed:
        one, other = item.typed
        typed = (_money(one.y), _pace(one), one.id, _money(other.y), _pace(other), other.id)
    return ComparisonCard(
        recipe=item.recipe.label,
        badge=_badge(item.recipe.origin),
        fast=medium[0],
        slow=medium[1],
        pace=item.x.label,
        typed=typed,
        ratio=f"{item.ratio:.2f}" if item.ratio is not None else "",
        lines=tuple(
            ReadLine(
                x=number(read.x, 1),
                fast=_money(read.fast),
                slow=_money(read.slow),
                ratio=f"{read.ratio:.2f}",
                fast_id=_at(item.fast_line, read.x),
                slow_id=_at(item.slow_line, read.x),
            )
            for read in item.reads
        ),
        why=item.why,
    )


def _money(value: float) -> str:
    return " ".join(part for part in large_text(value) if part)


def _pace(corner: Corner) -> str:
    return number(corner.x, 0 if float(corner.x).is_integer() else 1)


def _at(line: tuple[Corner, ...], x: float) -> str:
    """The point that was measured at exactly this pace; empty where the figure lies between two."""
    return next((corner.id for corner in line if corner.x == x), "")
