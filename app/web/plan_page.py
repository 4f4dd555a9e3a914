"""The page of a plan: the form, the verdict with its four figures, and the blocks of results."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from markupsafe import Markup

from app.figures.plan import figure
from app.figures.plan_svg import plan_svg
from app.plan.anchors import ANCHORS, ELSEWHERE
from app.plan.inputs import Inputs
from app.plan.parts import Way, policy_of
from app.plan.result import Plan
from app.plan.settled import DRAM
from app.web.blocks.numbers import number
from app.web.blocks.plan_form import FormGroup, address, form_groups
from app.web.blocks.plan_text import plain
from app.web.blocks.plan_tiers import Bars, TierLine, bars_of, ratio_scale, tier_line
from app.web.blocks.plan_times import SECTIONS, AnchorLine, Line, WayLine, anchor_line, number_line, way_line
from app.web.blocks.pools import Ratio
from app.web.plan_asked import Planned

_POOLS = {"point": "HBM pool reported", "estimated": "HBM pool estimated", "yours": "HBM pool as given"}
_WORDS = {
    "idle": "Offload would stay idle",
    "sweet spot": "Offload should pay",
    "thrash": "The pool would thrash",
    "link-bound": "The link would limit",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    label: str
    term: str
    text: str | None
    unit: str
    context: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPage:
    title: str
    tail: str
    point: str | None
    point_title: str | None
    forget: str
    hidden: tuple[tuple[str, str], ...]
    groups: tuple[FormGroup, ...]
    changed: int
    reset: str
    tiles: tuple[Tile, ...]
    heading: str
    regime: str | None
    verdict: str
    pool_size: str
    short_prompts: str
    needs: tuple[str, ...]
    bars: Bars | None
    tiers: tuple[TierLine, ...]
    policy: str
    ratio: Ratio | None
    chart: Markup
    ways: tuple[WayLine, ...]
    sections: tuple[tuple[str, tuple[Line, ...]], ...]
    anchors: tuple[AnchorLine, ...]
    elsewhere: str
    sources: tuple[tuple[str, str], ...]
    json: str


def plan_page(asked: Planned) -> PlanPage:
    made = asked.plan
    settled = made.settled
    inputs = settled.inputs
    query = inputs.query()
    return PlanPage(
        title=settled.model.label if settled.model else "A model that is not in the catalog",
        tail=_tail(made),
        point=settled.point_id,
        point_title=settled.title,
        forget=address(replace(inputs, point=None)),
        hidden=tuple((name, value) for name, value in inputs.pairs() if name in ("point", "snapshot", "preview")),
        groups=form_groups(settled),
        changed=len(inputs.words) + len(inputs.numbers),
        reset=address(Inputs(point=inputs.point, snapshot=inputs.snapshot)),
        tiles=_tiles(made),
        heading=_WORDS.get(made.regime or "", "No verdict yet"),
        regime=made.regime,
        verdict=made.verdict,
        pool_size=made.pool_size,
        short_prompts=made.short_prompts,
        needs=made.needs,
        bars=bars_of(made),
        tiers=tuple(tier_line(tier) for tier in made.tiers),
        policy=policy_of(settled),
        ratio=ratio_scale(made),
        chart=Markup(plan_svg(figure(made))),
        ways=tuple(way_line(way) for way in made.ways),
        sections=tuple((name, tuple(number_line(made.number(key)) for key in keys)) for name, keys in SECTIONS),
        anchors=tuple(anchor_line(anchor) for anchor in ANCHORS),
        elsewhere=ELSEWHERE,
        sources=_sources(made),
        json=f"/plan.json?{query}" if query else "/plan.json",
    )


def _tail(made: Plan) -> str:
    chip = made.settled.chip
    chips = made.settled.number("chips")
    return f"on {chips:g} × {chip.label}" if chip and chips else ""


def _tiles(made: Plan) -> tuple[Tile, ...]:
    settled = made.settled
    open_now = plain(settled.number("sessions") or 0)
    deepest = next((tier for tier in made.tiers if tier.medium == DRAM), None)
    kept = deepest.conversations[policy_of(settled)] if deepest else None
    even = made.number("break_even_tokens")
    return (
        Tile(
            label="Working set ÷ HBM pool",
            term="working-set",
            text=_maybe(made.value("pressure_hbm"), 2),
            unit="×",
            context=_POOLS.get(settled.known["hbm_tokens"].origin, "HBM pool not known"),
        ),
        Tile(
            label="Offload pool ÷ HBM pool, r",
            term="pool-ratio",
            text=_maybe(made.value("ratio"), 2),
            unit="×",
            context="DRAM, in tokens after copies; the guide is 1.5 to 3",
        ),
        Tile(
            label="Resumable with DRAM",
            term="kv-offload",
            text=None if kept is None else ("≥ " if deepest and deepest.at_least else "") + number(kept, 0),
            unit="conversations",
            context=f"of {plain(settled.number('context') or 0)} tokens; {open_now} are open",
        ),
        Tile(
            label="Reloading pays from",
            term="reload",
            text=None if even.value is None else number(even.value, 0),
            unit="tokens",
            context=_even_context(made),
        ),
    )


def _even_context(made: Plan) -> str:
    way = next((way for way in made.ways if way.chosen and way.link.owner == "chip"), None)
    if way is None or made.compute is None:
        return "needs KV bytes and a recompute time"
    return f"from DRAM by {way.label}" + ("" if way.break_even else ": recomputing is always faster")


def _maybe(value: float | None, digits: int) -> str | None:
    return None if value is None else number(value, digits if value < 100 else 0)


def _sources(made: Plan) -> tuple[tuple[str, str], ...]:
    found = made.settled.geometry
    lines: list[tuple[str, str]] = []
    if found:
        lines = [
            ("Attention", f"{found.kind}: {found.words}. From {found.source}, {found.date}."),
            *((("Checked", f"{found.checked}."),) if found.checked else ()),
            *((("Note", found.note),) if found.note else ()),
        ]
    links: Mapping[str, Way] = {way.link.key: way for way in made.ways}
    rates = "; ".join(f"{way.link.label} {way.link.gb_s:g} GB/s ({way.link.source})" for way in links.values())
    return (*lines, ("Links", f"{rates}. One direction, {next(iter(links.values())).link.date}." if links else "none"))
