"""The points of a view as the study takes them: recipes, each with its arms, a config over concurrency."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.catalog.dimensions import DIMENSIONS
from app.catalog.engines import symbol_of
from app.catalog.geometry import KV_FORMATS
from app.catalog.metrics import COMPUTED_SHARE, HBM_POOL_TOKENS, INPUT_TOKENS_MEAN
from app.catalog.offload import BACKENDS, DENOMINATORS, SHARE_OF_PROMPT, TIER_SHARES, TIERS
from app.catalog.oklch import Color
from app.catalog.precisions import PRECISIONS
from app.catalog.speculation import NONE
from app.catalog.token_bytes import TokenBytes, token_bytes_of, tokens_in
from app.question import GROUP, Question
from app.series import color_of_series, series_key, series_label
from app.store.doubts import NOT_STORED
from app.store.read import Row, parse_detail
from app.store.select import Selection
from app.store.standing import is_told_again

MOST = 20_000
"""Most points a study reads. It says so where a view holds more."""

OFFLOAD_FILTERS = ("backend", "tier")
"""Filters that choose among points with offload: what these are held against has none of either."""

_FASTEST = next(iter(TIERS)).key


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One point. `pool` and `below` are tokens that HBM and the tiers below it hold, `doubt` says why shares do not
    compare. `estimate` says in words how `below` follows from bytes where the record states no tokens."""

    id: str
    run: str
    rank: int
    cold: bool
    concurrency: float | None
    values: Mapping[str, Any]
    pool: float | None
    below: float | None
    doubt: str = ""
    estimate: str = ""

    def value(self, key: str) -> float | None:
        found: float | None = self.values[key]
        return found

    @property
    def reloaded(self) -> float | None:
        """Share of the prompt tokens that came from below HBM; None where no such tier is counted."""
        known = [value for key in TIER_SHARES[1:-1] if (value := self.value(key)) is not None]
        return sum(known) if known and not self.doubt else None

    @property
    def working_set(self) -> float | None:
        """Tokens that the sessions keep alive: concurrency times the mean prompt."""
        size = self.value(INPUT_TOKENS_MEAN)
        return self.concurrency * size if self.concurrency and size else None

    @property
    def ratio(self) -> float | None:
        """Tokens of the tiers below HBM over those of HBM."""
        return self.below / self.pool if self.below and self.pool else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One config: what it offloads, and its points by concurrency, of several at one the newest first."""

    id: str
    label: str
    short: str
    mode: str
    kinds: tuple[str, ...]
    media: tuple[str, ...]
    write_policy: str | None
    parameter: Mapping[str, Any]
    facts: Mapping[str, Any]
    samples: tuple[Sample, ...]

    @property
    def has_kv(self) -> bool:
        return "kv" in self.kinds

    @property
    def has_parameter(self) -> bool:
        return "parameter" in self.kinds

    @property
    def below(self) -> tuple[str, ...]:
        """Its media below HBM."""
        return tuple(medium for medium in self.media if medium != _FASTEST)

    def at(self, concurrency: float | None) -> list[Sample]:
        return [sample for sample in self.samples if sample.concurrency == concurrency]

    @property
    def newest(self) -> list[Sample]:
        """One point a concurrency."""
        found: dict[float | None, Sample] = {}
        for sample in self.samples:
            found.setdefault(sample.concurrency, sample)
        return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What arms have in common, on one workload and of one origin, and the series that the chart puts it in."""

    id: str
    label: str
    origin: str
    series: str
    series_label: str
    color: Color
    symbol: str
    hollow: bool
    values: Mapping[str, str | None]
    arms: tuple[Arm, ...]

    @property
    def group(self) -> tuple[str | None, ...]:
        """What its frontier never crosses."""
        return tuple(self.values[key] for key in GROUP)


def recipes_of(question: Question) -> tuple[tuple[Recipe, ...], tuple[str, ...]]:
    """The recipes of a view in catalog order, with every repeat of their points, and sentences about what was read."""
    notes: list[str] = []
    wanted = replace(question.selection, offload=(), newest=False)
    loose = {key: values for key, values in wanted.filters.items() if key not in OFFLOAD_FILTERS}
    rows = question.snapshot.rows(replace(wanted, filters=loose), limit=MOST + 1)
    if len(rows) > MOST:
        rows = rows[:MOST]
        notes.append(f"The study reads the first {MOST:,} points of this view: narrow it to have all.")
    if question.view.offload:
        notes.append("The offload filter is left aside here: a pair needs both of its sides.")
    if len(loose) < len(wanted.filters):
        chosen = {row["id"] for row in question.snapshot.rows(wanted, limit=MOST)}
        rows = [row for row in rows if row["offload_mode"] != "on" or row["id"] in chosen]
    return group(question, rows), tuple(notes)


def group(question: Question, rows: Sequence[Row]) -> tuple[Recipe, ...]:
    details = _details(question, rows)
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault((row["recipe_id"], row["workload"], row["origin"]), []).append(row)
    several = {key: len({row[key] for row in rows}) > 1 for key in ("model", "workload")}
    made = [_recipe(question, members, details, several) for members in found.values()]
    recipes = _told_apart(made, list(found.values()))
    order = (*GROUP, *question.group_by)
    return tuple(
        sorted(recipes, key=lambda recipe: (*(DIMENSIONS[key].order(recipe.values[key]) for key in order), recipe.id))
    )


def _told_apart(recipes: Sequence[Recipe], rows: Sequence[Sequence[Row]]) -> list[Recipe]:
    """Recipes that are called the same, with the engine's version, and with the format they stand in where it must."""
    found = list(recipes)
    for column, words in (("engine_version", "version not reported"), ("source", "format not reported")):
        said = [", ".join(sorted({row[column] for row in members if row[column]})) or words for members in rows]
        alike: dict[str, list[int]] = {}
        for place, recipe in enumerate(found):
            alike.setdefault(recipe.label, []).append(place)
        for places in alike.values():
            if len({said[place] for place in places}) > 1:
                for place in places:
                    found[place] = replace(found[place], label=f"{found[place].label} · {said[place]}")
    return found


def _details(question: Question, rows: Sequence[Row]) -> dict[str, Any]:
    numbers = [row["row"] for row in rows if row["row"] is not None]
    every = Selection(newest=False, prices=question.prices)
    picked = question.snapshot.pick(numbers, ("id", "detail"), every)
    return {key: parse_detail(text) for key, text in zip(picked["id"], picked["detail"], strict=True)}


def _recipe(question: Question, rows: Sequence[Row], details: Mapping[str, Any], several: Mapping[str, bool]) -> Recipe:
    first = rows[0]
    own = dict.fromkeys((*GROUP, *question.group_by))
    values = {key: _text(first[DIMENSIONS[key].column]) for key in own}
    configs: dict[str, list[Row]] = {}
    for row in rows:
        configs.setdefault(row["config_id"], []).append(row)
    precision = PRECISIONS.get(first["precision"])
    return Recipe(
        id=first["recipe_id"],
        label=recipe_label(first, several),
        origin=first["origin"],
        series=series_key(values, question, several),
        series_label=series_label(values, question, several),
        color=color_of_series(values, question.group_by),
        symbol=symbol_of(first["engine"]),
        hollow=precision is not None and precision.hollow,
        values=values,
        arms=tuple(sorted((_arm(members, details) for members in configs.values()), key=_arm_order)),
    )


def recipe_label(row: Row, several: Mapping[str, bool]) -> str:
    """`B200 × 8 · vLLM · FP4 · TP8`: what tells recipes apart; what is not reported is said once."""
    parts = [DIMENSIONS[key].label_of(row[key]) for key in ("model", "workload") if several[key]]
    missing = [DIMENSIONS[key].label.lower() for key in ("chip", "engine", "precision") if row[key] is None]
    if row["chip"]:
        chip = DIMENSIONS["chip"].label_of(row["chip"])
        parts.append(f"{chip} × {row['chip_count']}" if row["chip_count"] else chip)
    parts += [DIMENSIONS[key].label_of(row[key]) for key in ("engine", "precision") if row[key] is not None]
    parts += [row["layout"]] if row["layout"] else []
    parts += [DIMENSIONS["spec"].label_of(row["spec"])] if row["spec"] not in (None, NONE) else []
    parts += [f"{' and '.join(missing)} not reported"] if missing else []
    return " · ".join(parts)


def _arm_order(arm: Arm) -> tuple[Any, ...]:
    return arm.mode == "on", arm.kinds, len(arm.media), arm.label, arm.id


def _arm(rows: Sequence[Row], details: Mapping[str, Any]) -> Arm:
    # A previewed row is looked at before the stored one that it is laid over.
    ordered = sorted(
        rows,
        key=lambda row: (row["concurrency"] or 0, row["newest_rank"], NOT_STORED not in row["flags"], row["id"]),
    )
    first = ordered[0]
    offload = details[first["id"]]["offload"]
    # A second telling of one run is no repeat of it.
    own = [row for row in ordered if not is_told_again(row)]
    below = [TIERS.label(medium) or medium for medium in offload_media(offload) if medium != _FASTEST]
    backend = BACKENDS.label(offload["backend"])
    return Arm(
        id=first["config_id"],
        label=first["offload_label"],
        short=" · ".join(part for part in (" + ".join(below), backend) if part) or first["offload_label"],
        mode=offload["mode"],
        kinds=tuple(offload["kinds"]),
        media=offload_media(offload),
        write_policy=offload["write_policy"],
        parameter=offload["parameter"] or {},
        facts=offload,
        samples=tuple(_sample(row, details[row["id"]]) for row in own),
    )


def offload_media(offload: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(tier["medium"] for tier in offload["tiers"])


def _sample(row: Row, detail: Mapping[str, Any]) -> Sample:
    tiers = detail["offload"]["tiers"] if "kv" in detail["offload"]["kinds"] else ()
    pools = {tier["medium"]: tier["capacity_tokens"] for tier in tiers}
    tokens = token_bytes_of(row, detail)
    lower = [tier for tier in tiers if tier["medium"] != _FASTEST]
    stated = [tier["capacity_tokens"] for tier in lower]
    below = [
        found if found is not None else tokens_in(tier, detail["layout"], tokens)
        for found, tier in zip(stated, lower, strict=True)
    ]
    known = [held for held in below if held is not None]
    whole = bool(lower) and len(known) == len(lower)
    return Sample(
        id=row["id"],
        run=row["run"],
        rank=row["newest_rank"],
        cold=bool(row["cold"]),
        concurrency=row["concurrency"],
        values=row,
        pool=row[HBM_POOL_TOKENS] or pools.get(_FASTEST),
        below=float(sum(known)) if whole else None,
        doubt=_doubt(row, detail["cache"]),
        estimate=_estimate(tokens) if whole and None in stated and tokens else "",
    )


def _estimate(tokens: TokenBytes) -> str:
    copies = f" × {tokens.copies:g} copies" if tokens.copies != 1 else ""
    form = KV_FORMATS[tokens.form] + ("" if tokens.stated else " assumed")
    return f"bytes ÷ ({tokens.value:,.0f} B a token{copies}, {form}; {tokens.words})"


def _doubt(row: Row, cache: Mapping[str, Any]) -> str:
    """Why its shares cannot stand beside others."""
    if "sum_gt_1" in row["flags"]:
        return "its shares add up to more than 100 %"
    if "external_includes_pd" in row["flags"]:
        return "its external share counts transfers from prefill to decode"
    others = {tier["denominator"] for tier in cache["tiers"]} - {SHARE_OF_PROMPT}
    if others:
        return f"its shares are of {', '.join(sorted(DENOMINATORS.label(word) or word for word in others))}"
    if not cache["tiers"] and row[COMPUTED_SHARE] is None:
        return "its shares are not reported"
    return ""


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)
