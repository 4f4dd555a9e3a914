"""The offload study on points made by hand: what a pair, a frontier, a regime and a verdict may and may not say."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog.metrics import (
    HBM_POOL_TOKENS,
    INPUT_TPUT,
    INTERACTIVITY_P50,
    INTERACTIVITY_P90,
    METRICS,
    TOTAL_TPUT_PER_CHIP,
    ttft,
)
from app.catalog.offload import Offload, Tier
from app.catalog.point import Cache, Layout, OtherRate, Point, Role, TierShare
from app.curve import Corner, interpolated, reach
from app.details.study import study_document
from app.question import ask
from app.store.publish import publish
from app.store.read import Store
from app.study.gain import Gain, gain_text
from app.study.pairs import Change, Pair
from app.study.parameter import amplification
from app.study.study import Study, study
from app.study.words import change_text, levels_text
from app.view import parse_query
from ingest.finish import finish
from tests.points import arrival, kv, point, shares, stored

WORKLOAD = "agentic:traces"
PROMPT = 100_000.0
POOL = 1_000_000.0


def made(concurrency: float, y: float, *, wait: float = 0.5, x: float = 40.0, **more: Any) -> Point:
    """An agentic point with a pool of a million tokens and prompts of 100,000."""
    metrics = {
        "input_tokens_mean": PROMPT,
        HBM_POOL_TOKENS: POOL,
        ttft("p50"): wait,
        ttft("p90"): 2 * wait,
        **more.pop("metrics", {}),
    }
    fields = {"workload": WORKLOAD, "interactivity_def": "1/itl", **more}
    return finish(point(concurrency, x=x, y=y, metrics=metrics, **fields))


OFF = Offload(mode="off", evidence="field")


def dram(tokens: int | None = 2_000_000, *media: str, policy: str = "write_through") -> Offload:
    sized = tuple(Tier(medium=medium, capacity_tokens=tokens) for medium in ("host_dram", *media))
    tiers = (Tier(medium="hbm", capacity_tokens=int(POOL)), *sized)
    return replace(kv(media=("host_dram", *media)), tiers=tiers, write_policy=policy)


def cache(*, ceiling: float = 0.95, **tokens: int) -> Cache:
    return replace(shares(**tokens), ceiling_share=ceiling)


def studied(folder: Path, *points: Point, query: str = "", **own: str) -> Study:
    if points:
        stored(folder, *points)
    view, problems = parse_query(query)
    assert not problems
    return study(ask(view, Store(folder).snapshot()), **own)  # type: ignore[arg-type]


def change(pair: Pair, key: str) -> Change:
    return next(item for item in pair.changes if item.metric.key == key)


def regimes(found: Study) -> list[tuple[float | None, str]]:
    return [(item.sample.concurrency, item.regime) for item in found.pressures]


def test_a_pair_holds_one_recipe_at_one_concurrency_and_says_what_changed(tmp_path: Path) -> None:
    found = studied(
        tmp_path,
        made(16, 1000.0, wait=4.0, x=20.0, cache=cache(hbm=300)),
        made(16, 1500.0, wait=1.0, x=25.0, offload=dram(), cache=cache(hbm=300, host_dram=600)),
        made(32, 1600.0, offload=dram()),
        made(64, 900.0, precision="fp8"),
    )
    (pair,) = found.pairs
    assert (pair.concurrency, pair.off.values["offload_mode"], pair.on.values["offload_mode"]) == (16, "off", "on")
    assert (pair.throughput.metric.key, pair.throughput.change) == (TOTAL_TPUT_PER_CHIP, 0.5)
    assert change(pair, INTERACTIVITY_P50).change == 0.25
    assert (change(pair, ttft("p50")).change, change(pair, ttft("p50")).verdict) == (-0.75, "better")
    assert change(pair, "cached_share").change == pytest.approx(0.6)
    assert [(apart.sample.concurrency, apart.reason) for apart in found.apart] == [
        (32.0, "no result without KV offload at concurrency 32")
    ]


def test_arms_with_other_tiers_are_pairs_of_their_own_against_the_same_off(tmp_path: Path) -> None:
    found = studied(
        tmp_path,
        made(16, 1000.0),
        made(16, 1100.0, offload=dram()),
        made(16, 1300.0, offload=dram(2_000_000, "local_nvme")),
    )
    assert len({pair.off.id for pair in found.pairs}) == 1
    assert sorted(pair.throughput.change or 0 for pair in found.pairs) == pytest.approx([0.1, 0.3])
    assert {pair.arm.below for pair in found.pairs} == {("host_dram",), ("host_dram", "local_nvme")}


def test_a_pair_without_counters_still_compares_speed_and_stays_unknown_elsewhere(tmp_path: Path) -> None:
    found = studied(tmp_path, made(16, 1000.0), made(16, 1500.0, offload=dram(None)))
    (pair,) = found.pairs
    assert pair.throughput.verdict == "better"
    cached = change(pair, "cached_share")
    assert (cached.change, cached.verdict) == (None, "unknown")
    assert "not reported" in cached.why
    assert found.waterfall is None
    (pressure,) = found.pressures
    assert (pressure.ratio, pressure.tier) == (None, None)
    assert "by speed alone" in pressure.reason


def test_interactivity_of_two_definitions_is_not_compared(tmp_path: Path) -> None:
    found = studied(tmp_path, made(16, 1000.0), made(16, 1500.0, offload=dram(), interactivity_def="1/tpot"))
    (pair,) = found.pairs
    item = change(pair, INTERACTIVITY_P50)
    assert (item.change, item.why) == (None, "defined apart: 1/itl against 1/tpot")
    assert pair.throughput.change == 0.5


def test_shares_of_another_denominator_are_not_compared_and_not_drawn(tmp_path: Path) -> None:
    blocks = Cache(tiers=(TierShare(medium="unattributed", share=0.7, denominator="blocks_reused"),))
    found = studied(
        tmp_path,
        made(16, 1000.0, cache=cache(hbm=300)),
        made(16, 1500.0, offload=dram(), cache=blocks),
        made(32, 1500.0, offload=dram(), cache=cache(hbm=100, host_dram=800)),
    )
    (pair,) = found.pairs
    assert "blocks, all tiers together" in change(pair, "cached_share").why
    assert found.waterfall is not None
    assert [stack.concurrency for stack in found.waterfall.stacks] == [32]
    ((_, level, reason),) = found.waterfall.left_out
    assert (level, reason) == (16, "its shares are of blocks, all tiers together")


def test_a_waterfall_says_why_one_memory_goes_by_two_names(tmp_path: Path) -> None:
    on = [made(8, 900.0, offload=dram(), cache=cache(hbm=300, external=600))]
    found = studied(tmp_path, *on).waterfall
    assert found is not None
    assert found.proof == ""
    proved = made(16, 900.0, offload=dram(), cache=cache(hbm=300, host_dram=600))
    publish(tmp_path, [arrival(proved)])
    again = studied(tmp_path)
    assert again.waterfall is not None
    assert again.waterfall.proof.startswith("At concurrency 16 the record proves which memory served (DRAM);")
    assert study_document(again)["waterfall"]["note"] == again.waterfall.proof


@pytest.mark.parametrize(
    ("flag", "words"), [("sum_gt_1", "more than 100 %"), ("external_includes_pd", "from prefill to decode")]
)
def test_doubtful_shares_stay_out_of_every_sum(tmp_path: Path, flag: str, words: str) -> None:
    doubtful = replace(cache(hbm=300, host_dram=600), flags=(flag,))
    found = studied(tmp_path, made(16, 1000.0), made(16, 1500.0, offload=dram(), cache=doubtful))
    assert found.waterfall is None
    assert found.pressures[0].sample.reloaded is None
    assert words in found.pressures[0].sample.doubt


def test_other_prompts_are_another_load(tmp_path: Path) -> None:
    long = made(1, 1750.0, metrics={"input_tokens_mean": 146_000.0})
    found = studied(tmp_path, made(1, 720.0), made(1, 1730.0, offload=dram(), metrics={"input_tokens_mean": 146_000.0}))
    assert found.pairs == ()
    assert found.apart[0].reason == "its prompts are of another size, 146k against 100k tokens in the mean"
    # An older repeat that carried the same load is what it is held against.
    found = studied(tmp_path, long)
    (pair,) = found.pairs
    assert pair.throughput.change == pytest.approx(1730 / 1750 - 1)


def repeated(folder: Path, offload: Offload, *values: float) -> None:
    for number, value in enumerate(values):
        of = made(16, value, offload=offload, raw=f"{offload.mode} {number}")
        publish(folder, [arrival(of, run=f"{offload.mode}-{number}")])


def test_a_change_inside_the_spread_of_repeats_is_noise(tmp_path: Path) -> None:
    off = Offload(mode="off", evidence="field")
    repeated(tmp_path, off, 1000.0, 1100.0)
    repeated(tmp_path, dram(), 1090.0)
    (pair,) = studied(tmp_path, query="runs=all").pairs
    assert (pair.throughput.off_range, pair.throughput.on_range) == ((1000.0, 1100.0), None)
    assert pair.throughput.verdict == "noise"
    assert "run-to-run noise" in studied(tmp_path).pays[0].text


def test_a_small_change_outside_the_spread_of_repeats_is_one(tmp_path: Path) -> None:
    off = Offload(mode="off", evidence="field")
    repeated(tmp_path, off, 1000.0, 1002.0)
    repeated(tmp_path, dram(), 1020.0, 1021.0)
    (pair,) = studied(tmp_path).pairs
    assert pair.throughput.verdict == "better"
    assert abs(pair.throughput.change or 0) < 0.03


def test_without_repeats_less_than_three_percent_is_the_same(tmp_path: Path) -> None:
    found = studied(tmp_path, made(16, 1000.0), made(16, 1029.0, offload=dram()))
    assert found.pairs[0].throughput.verdict == "same"
    assert found.pays[0].text.startswith("Changes nothing at the loads measured (16)")


def test_pays_from_the_load_on_that_every_heavier_one_confirms(tmp_path: Path) -> None:
    off = [made(level, 1000.0) for level in (4, 8, 16, 32)]
    on = [made(level, y, offload=dram()) for level, y in ((4, 990.0), (8, 1200.0), (16, 1500.0), (32, 2000.0))]
    (pays,) = studied(tmp_path, *off, *on).pays
    assert (pays.since, pays.tone) == (8, "good")
    assert pays.text == (
        "Pays from concurrency 8 on: +20 % to +100 % total throughput per chip up to 32. "
        "Below that it changes less than 1.0 %, too little to tell from noise at 4. "
        "Best against best, whatever the load: +100 % "
        "(2,000.0 tok/s/chip at concurrency 32 with offload against 1,000.0 at 4 without)."
    )
    assert [pair.concurrency for pair in pays.evidence] == [8, 16, 32]


def test_a_gain_over_a_collapsed_twin_is_held_against_the_best_without_offload(tmp_path: Path) -> None:
    """Beyond 8 the side without offload falls apart: offload then gains at each load, and nothing over its best."""
    off = [made(level, y) for level, y in ((8, 1000.0), (16, 500.0), (32, 400.0))]
    on = [made(level, y, offload=dram()) for level, y in ((8, 970.0), (16, 980.0), (32, 1010.0))]
    found = studied(tmp_path, *off, *on)
    (pays,) = found.pays
    assert (pays.since, pays.tone) == (16, "plain")
    assert pays.text.endswith(
        "Best against best, whatever the load: +1.0 %, less than the 3 % that single runs can tell "
        "(1,010.0 tok/s/chip at concurrency 32 with offload against 1,000.0 at 8 without)."
    )
    verdict = study_document(found)["verdicts"][0]
    best = verdict["best"]
    assert (verdict["answer"], best["verdict"], best["on_concurrency"], best["off_concurrency"]) == (
        "partly",
        "same",
        32,
        8,
    )
    assert best["change"] == pytest.approx(0.01)


def test_bests_whose_prompts_differ_are_named_without_a_percentage(tmp_path: Path) -> None:
    long = {"metrics": {"input_tokens_mean": 2 * PROMPT}}
    (pays,) = studied(
        tmp_path,
        *(made(4, 600.0), made(4, 600.0, offload=dram())),
        *(made(16, 300.0, **long), made(16, 900.0, offload=dram(), **long)),
    ).pays
    assert pays.text.endswith("but their prompts are of another size, 200k against 100k tokens in the mean.")


def test_throughput_at_the_price_of_interactivity_does_not_pay(tmp_path: Path) -> None:
    (pays,) = studied(tmp_path, made(16, 1000.0, x=40.0), made(16, 1500.0, x=20.0, offload=dram())).pays
    assert pays.since is None
    assert "at the price of interactivity" in pays.text


def test_what_costs_is_said_to_cost(tmp_path: Path) -> None:
    (pays,) = studied(tmp_path, made(16, 1000.0), made(16, 500.0, offload=dram())).pays
    assert (pays.since, pays.tone) == (None, "bad")
    assert "costs −50 %" in pays.text


def test_a_frontier_gain_is_exact_on_staircases(tmp_path: Path) -> None:
    view = f"x={INTERACTIVITY_P50}"
    found = studied(
        tmp_path,
        made(1, 100.0, x=100.0),
        made(8, 200.0, x=50.0),
        made(8, 300.0, x=60.0, offload=dram()),
        made(16, 400.0, x=20.0, offload=dram()),
        query=view,
    )
    (gain,) = found.gains
    assert [(corner.x, corner.y) for corner in gain.without] == [(50, 200), (100, 100)]
    assert [(corner.x, corner.y, corner.halo) for corner in gain.with_offload] == [
        (20, 400, True),
        (60, 300, True),
        (100, 100, False),
    ]
    # From 50 to 60: 300 against 100; from 60 to 100 both have 100.
    assert gain.common == (50, 100)
    assert gain.area == pytest.approx((10 * 300 + 40 * 100) / (50 * 100))
    assert [(part.low, part.high, part.beyond) for part in gain.owned] == [(20, 60, False)]


def test_what_only_offload_reaches_is_told_apart(tmp_path: Path) -> None:
    found = studied(
        tmp_path,
        made(8, 200.0, x=50.0),
        made(4, 150.0, x=90.0, offload=dram()),
        query=f"x={INTERACTIVITY_P50}",
    )
    assert [(part.low, part.high, part.beyond) for part in found.gains[0].owned] == [(50, 90, True)]


def test_what_offload_owns_reaches_to_the_slowest_point(tmp_path: Path) -> None:
    found = studied(
        tmp_path,
        made(8, 200.0, x=50.0),
        made(32, 100.0, x=2.0),
        made(16, 400.0, x=10.0, offload=dram()),
        query=f"x={INTERACTIVITY_P50}",
    )
    assert [(part.low, part.high, part.beyond) for part in found.gains[0].owned] == [(2, 10, False)]


def test_no_frontier_where_an_axis_has_no_better_side(tmp_path: Path) -> None:
    (gain,) = studied(tmp_path, made(8, 200.0), made(8, 250.0, offload=dram()), query="x=concurrency").gains
    assert (gain.area, gain.why) == (None, "one of the axes has no better side")


def test_a_lower_better_axis_is_read_from_its_own_side() -> None:
    wait, up = METRICS[ttft("p50")], METRICS[TOTAL_TPUT_PER_CHIP]
    line = [Corner(id="a", x=1.0, y=100.0, halo=False), Corner(id="b", x=3.0, y=300.0, halo=True)]
    assert [reach(line, at, wait, up) for at in (0.5, 1.0, 2.9, 3.0, 9.0)] == [None, 100, 100, 300, 300]


def test_a_point_without_offload_that_beats_all_with_it_is_named(tmp_path: Path) -> None:
    points = [
        made(8, 500.0, x=60.0),
        made(16, 400.0, x=50.0, offload=dram()),
        made(32, 450.0, x=30.0, offload=dram()),
        made(64, 900.0, x=20.0),
    ]
    (gain,) = studied(tmp_path / "a", *points).gains
    assert gain.beaten_by is not None
    assert (gain.beaten_by.x, gain.beaten_by.y) == (60.0, 500.0)
    x, y = METRICS[INTERACTIVITY_P90], METRICS[TOTAL_TPUT_PER_CHIP]
    assert gain_text(gain, x, y).startswith("One point without offload beats every point with it, on both axes: 500")
    (gain,) = studied(tmp_path / "b", *points, made(48, 600.0, x=25.0, offload=dram())).gains
    assert gain.beaten_by is None


def test_a_frontier_takes_the_runs_that_its_pairs_compare(tmp_path: Path) -> None:
    """Of two undated runs without offload the one shown carried another load: no gain may come of that."""
    long = {"metrics": {"input_tokens_mean": 146_000.0}}
    publish(tmp_path, [arrival(made(1, 1750.0, x=80.0, **long), run="first"), arrival(made(4, 3000.0))])
    publish(tmp_path, [arrival(made(1, 720.0, x=80.0), run="second")])
    found = studied(tmp_path, made(1, 1740.0, x=80.0, offload=dram(), **long))
    assert [sample.values[TOTAL_TPUT_PER_CHIP] for sample in found.pairs[0].base.at(1)] == [720.0, 1750.0]
    (gain,) = found.gains
    assert [corner.y for corner in gain.without] == [3000, 1750]
    assert gain.why == "no point with KV offload is on its frontier"


def test_a_gain_that_another_repeat_undoes_is_within_noise(tmp_path: Path) -> None:
    studied(tmp_path, made(8, 200.0, x=80.0), made(32, 900.0, x=20.0))
    repeated(tmp_path, OFF, 500.0, 450.0)
    repeated(tmp_path, dram(), 400.0, 520.0)
    found = studied(tmp_path)
    (gain,) = found.gains
    # From 20 to 80; the repeats stand at 40, so that they serve 20 of the 60, and 200 the rest.
    worst, best = (20 * 500 + 40 * 200) / (20 * 500 + 40 * 200), (20 * 520 + 40 * 200) / (20 * 450 + 40 * 200)
    assert gain.spread == pytest.approx((worst, best))
    assert gain.is_noise
    x, y = found.question.x, found.question.y
    assert "(0 % to +8.2 % by the choice of repeats: within run-to-run noise)" in gain_text(gain, x, y)
    document = study_document(found)["gains"][0]
    assert (document["area_range"], document["within_noise"]) == (list(gain.spread or ()), True)
    repeated(tmp_path / "b", OFF, 450.0, 500.0)
    repeated(tmp_path / "b", dram(), 600.0, 650.0)
    (gain,) = studied(tmp_path / "b", made(8, 200.0, x=80.0)).gains
    assert gain.spread is not None
    assert not gain.is_noise


def test_the_pool_ratio_follows_from_bytes_where_the_model_says_what_a_token_weighs(tmp_path: Path) -> None:
    """DeepSeek-R1 on eight ranks: 61 layers x 576 x 2 B, and every rank holds all of a token."""
    sized = replace(
        kv(),
        tiers=(
            Tier(medium="hbm", capacity_tokens=int(POOL)),
            Tier(medium="host_dram", capacity_bytes=2 * 10**12, scope="per_node"),
        ),
    )
    found = studied(tmp_path, made(16, 1000.0), made(16, 1500.0, offload=sized))
    (item,) = found.pressures
    assert item.sample.below == pytest.approx(2e12 / (70_272 * 8))
    assert item.ratio == pytest.approx(2e12 / (70_272 * 8) / POOL)
    assert "70,272 B a token × 8 copies, BF16 assumed" in item.sample.estimate
    (other,) = studied(tmp_path / "b", made(16, 1000.0), made(16, 1500.0, offload=dram())).pressures
    assert (other.ratio, other.sample.estimate) == (2.0, "")


def test_series_without_offload_have_no_gain(tmp_path: Path) -> None:
    gains: tuple[Gain, ...] = studied(tmp_path, made(8, 200.0)).gains
    assert gains == ()


def test_pressures_are_tokens_over_tokens(tmp_path: Path) -> None:
    on = made(16, 1500.0, offload=dram(2_000_000), cache=cache(hbm=300, host_dram=600))
    (item,) = studied(tmp_path, made(16, 1000.0), on).pressures
    assert item.hbm == pytest.approx(1.6)
    assert item.ratio == 2.0
    # What comes back before it is used again, against a tier that repeats HBM.
    assert item.tier == pytest.approx(15 * PROMPT / 2_000_000)


def test_a_tier_that_holds_what_hbm_drops_retains_both(tmp_path: Path) -> None:
    on = made(16, 1500.0, offload=dram(2_000_000, policy="on_evict"), cache=cache(hbm=300, host_dram=600))
    (item,) = studied(tmp_path, made(16, 1000.0), on).pressures
    assert item.tier == pytest.approx(15 * PROMPT / 3_000_000)


def arms(*loads: tuple[float, float, float, int, int, float]) -> list[Point]:
    """Off and DRAM at each load: throughput of both, HBM and DRAM tokens of 1,000, and the wait with DRAM."""
    points = []
    for level, off, on, hbm, below, wait in loads:
        points.append(made(level, off, cache=cache(hbm=hbm)))
        points.append(made(level, on, wait=wait, offload=dram(), cache=cache(hbm=hbm, host_dram=below)))
    return points


HELD = arms(
    (4, 1000.0, 1000.0, 940, 5, 0.3),
    (16, 1100.0, 1500.0, 600, 340, 0.4),
    (32, 600.0, 1510.0, 300, 640, 5.0),
)
"""Idle, then DRAM holds what HBM drops, then requests wait although the hits are there."""


def test_regimes_are_named_from_what_was_measured(tmp_path: Path) -> None:
    found = studied(tmp_path, *HELD)
    assert regimes(found) == [(4, "idle"), (16, "sweet"), (32, "queue")]
    assert "TTFT p50 is 5 s against 0.3 s at the lightest load" in found.pressures[-1].reason


def test_a_stall_that_heavier_load_overcomes_is_none(tmp_path: Path) -> None:
    found = studied(tmp_path, *HELD, *arms((64, 500.0, 2500.0, 100, 840, 9.0)))
    assert regimes(found)[2] == (32, "sweet")


def test_thrash_is_hits_that_fall_below_the_ceiling(tmp_path: Path) -> None:
    found = studied(tmp_path, *HELD, *arms((64, 500.0, 700.0, 50, 250, 20.0)))
    assert regimes(found)[-1] == (64, "thrash")
    (nvme,) = found.nvme
    assert (nvme.answer, nvme.measured) == ("yes", False)
    assert nvme.text.startswith("Perhaps. At concurrency 64 DRAM is outgrown")


def test_dram_reload_that_costs_more_than_computing_rules_a_slower_tier_out(tmp_path: Path) -> None:
    (nvme,) = studied(tmp_path, *arms((16, 1000.0, 1000.0, 900, 45, 0.3), (32, 900.0, 600.0, 300, 640, 9.0))).nvme
    assert nvme.answer == "no"
    assert nvme.text.startswith(
        "No. At concurrency 32 DRAM reload already limits TTFT here: a slower tier would not help "
        "(64 % of the prompt tokens come from below HBM, yet throughput is −33 % against recomputing them)"
    )


def test_dram_that_no_counter_proves_is_said_to_be_a_name(tmp_path: Path) -> None:
    off, on = arms((32, 900.0, 600.0, 300, 640, 9.0))
    assert on.cache is not None
    served = replace(on, cache=replace(cache(hbm=300, external=640), flags=("external_unspecified",)))
    (nvme,) = studied(tmp_path, off, served).nvme
    assert nvme.answer == "no"
    assert nvme.text.endswith("the counters do not say which it was.")
    (proved,) = studied(tmp_path / "proved", off, on).nvme
    assert "counters do not say" not in proved.text


def test_a_link_that_cannot_carry_the_reload_is_named(tmp_path: Path) -> None:
    # DeepSeek R1: 61 layers of 576 values in BF16 are 70,272 B a token, whole on each of eight ranks.
    metrics = {INPUT_TPUT: 2_000_000.0}
    on = made(16, 1500.0, offload=dram(), cache=cache(hbm=300, host_dram=640), metrics=metrics)
    found = studied(tmp_path, made(16, 1000.0), on)
    assert regimes(found) == [(16, "link")]
    assert found.pressures[0].reason == "reloading needs about 90 GB/s a chip, and PCIe 5 x16 carries 55"


def test_nothing_to_gain_below_pressure(tmp_path: Path) -> None:
    (nvme,) = studied(tmp_path, *arms((4, 1000.0, 1000.0, 940, 5, 0.3))).nvme
    assert (nvme.answer, nvme.measured) == ("nothing", False)
    assert "HBM still holds the sessions" in nvme.text


def test_unknown_says_what_to_measure(tmp_path: Path) -> None:
    (nvme,) = studied(tmp_path, made(16, 1000.0), made(16, 1500.0, offload=dram(None))).nvme
    assert nvme.answer == "unknown"
    assert "Measure: prompt tokens by tier" in nvme.text


def test_off_dram_and_nvme_arms_answer_from_measurement(tmp_path: Path) -> None:
    both = [
        made(level, y, offload=dram(9_000_000, "local_nvme"), cache=cache(hbm=100, host_dram=400, local_nvme=440))
        for level, y in ((16, 1500.0), (32, 1515.0), (64, 1400.0))
    ]
    found = studied(tmp_path, *HELD, *arms((64, 500.0, 700.0, 50, 250, 20.0)), *both)
    (nvme,) = found.nvme
    assert (nvme.answer, nvme.measured) == ("yes", True)
    assert nvme.text == (
        "Yes, and it was measured: +100 % throughput against DRAM alone at concurrency 64. "
        "Up to 32 it adds at most +0.3 %."
    )
    # What DRAM alone leads one to expect, load by load.
    assert [(stretch.levels, stretch.answer) for stretch in nvme.stretches] == [
        ((4.0,), "nothing"),
        ((16.0,), "nothing"),
        ((32.0,), "no"),
        ((64.0,), "yes"),
    ]


def test_a_measured_nvme_arm_that_adds_nothing_is_a_no(tmp_path: Path) -> None:
    both = made(32, 1500.0, offload=dram(9_000_000, "local_nvme"), cache=cache(hbm=300, host_dram=640, local_nvme=1))
    (nvme,) = studied(tmp_path, *HELD, both).nvme
    assert (nvme.answer, nvme.measured) == ("no", True)


def test_arms_that_may_have_run_on_two_machines_prove_nothing_about_nvme(tmp_path: Path) -> None:
    both = made(32, 1500.0, offload=dram(9_000_000, "local_nvme"), cache=cache(hbm=300, host_dram=640, local_nvme=1))
    unknown = [replace(made_point, chip=None, chip_count=None, layout=Layout()) for made_point in (*HELD, both)]
    (nvme,) = studied(tmp_path, *unknown).nvme
    assert (nvme.answer, nvme.measured) == ("unknown", False)
    assert "--set chip=" in nvme.text


def test_both_ninety_four_and_six_percent_are_true(tmp_path: Path) -> None:
    # The storage run of kvreap: 947,616 of 14,991,384 prompt tokens, 66,364 of 70,301 chunks looked up.
    share, conditional = 947_616 / 14_991_384, 66_364 / 70_301
    told = Cache(
        prompt_tokens=14_991_384,
        tiers=(TierShare(medium="external", share=share, tokens=947_616),),
        cached_share=share,
        computed_share=1 - share,
        other_rates=(OtherRate(name="fs chunk hits", value=conditional, denominator="conditional_on_miss"),),
    )
    found = studied(tmp_path, made(16, 1000.0, offload=kv(media=("host_dram", "remote_flash")), cache=told))
    assert found.waterfall is not None
    (stack,) = found.waterfall.stacks
    parts = dict(stack.parts)
    assert parts["external_share"] == pytest.approx(0.0632, abs=5e-5)
    assert conditional == pytest.approx(0.944, abs=5e-4)
    assert 108_680_183_808 / 947_616 == 114_688
    # The conditional rate is no part of the stack: the stack is whole without it.
    assert sum(parts.values()) == pytest.approx(1)


KIMI_K3 = [
    # Output tokens a second off and on, TTFT p50 off and on: Kimi K3 on B300 TP8 (InferenceX #2371 and #2397).
    # Below concurrency 8 they say "within a few percent", so the first row is made up to fit that.
    (4, 100.0, 102.0, 0.80, 0.80),
    (16, 49.6, 245.0, 86.0, 0.85),
    (24, 54.9, 260.6, 191.0, 6.2),
]


def test_the_published_rows_of_kimi_k3_pay_from_concurrency_16(tmp_path: Path) -> None:
    points = [
        made(load, y, wait=wait, chip="b300", model="kimik3", offload=offload, metrics={HBM_POOL_TOKENS: 3_249_215.0})
        for load, off, on, slow, fast in KIMI_K3
        for y, wait, offload in ((off, slow, OFF), (on, fast, kv()))
    ]
    found = studied(tmp_path, *points)
    by_load = {pair.concurrency: pair for pair in found.pairs}
    assert by_load[16].throughput.change == pytest.approx(3.94, abs=0.01)
    assert by_load[24].throughput.change == pytest.approx(3.75, abs=0.01)
    assert change(by_load[16], ttft("p50")).change == pytest.approx(-0.99, abs=0.001)
    assert change(by_load[24], ttft("p50")).change == pytest.approx(-0.968, abs=0.001)
    (pays,) = found.pays
    assert (pays.since, pays.tone) == (16, "good")


def test_the_published_pair_of_glm_5_2_is_beyond_its_noise(tmp_path: Path) -> None:
    # ATOM #2231: 257 to 401 output tok/s, TTFT p50 4,286 to 438 ms, repeats 1.4 % apart.
    offs = [made(16, y, wait=4.286, raw=f"off {y}", run_time=f"2026-08-0{n}") for n, y in enumerate((257, 260.6), 1)]
    found = studied(tmp_path, *offs, made(16, 401.0, wait=0.438, offload=kv()))
    (pair,) = found.pairs
    assert pair.throughput.change == pytest.approx(401 / 260.6 - 1)
    assert pair.throughput.verdict == "better"
    assert change(pair, ttft("p50")).change == pytest.approx(-0.898, abs=0.001)


def test_a_pair_says_what_its_chip_computes_while_the_link_moves_a_byte(tmp_path: Path) -> None:
    points = [
        made(16, y, chip=chip, precision=precision, offload=offload)
        for chip, precision in (("h100", "bf16"), ("gb300", "fp8"), ("h100", "fp4"), ("h20", "fp8"))
        for y, offload in ((100.0, OFF), (110.0, kv()))
    ]
    found = studied(tmp_path, *points)
    told = {(pair.on.values["chip"], pair.on.values["precision"]): pair.link for pair in found.pairs}
    # FP4 weights are multiplied in FP8 where there is no FP4; Grace reaches its memory at 400 GB/s.
    values = {key: link.value if link else None for key, link in told.items()}
    assert values == {
        ("h100", "bf16"): pytest.approx(989e12 / 55e9),
        ("h100", "fp4"): pytest.approx(1979e12 / 55e9),
        ("gb300", "fp8"): pytest.approx(5000e12 / 400e9),
        ("h20", "fp8"): None,
    }
    link = told["gb300", "fp8"]
    assert link is not None
    assert link.worked == "GB300 NVL72, dense FP8: 5,000 TFLOPS ÷ 400 GB/s over NVLink-C2C"


def test_the_arm_of_the_waterfall_and_two_series_can_be_named(tmp_path: Path) -> None:
    bigger = Layout(whole=Role(chip="b300", chips=8, tp=8), disaggregated=False, multinode=False)
    b300 = [replace(one, chip="b300", layout=bigger, raw=f"b300 {n}") for n, one in enumerate(HELD)]
    found = studied(tmp_path, *HELD, *b300, made(16, 900.0, chip="h200", raw="third"))
    assert found.sides is not None
    assert {found.sides.a.recipe.values["chip"], found.sides.b.recipe.values["chip"]} == {"b200", "b300"}
    assert found.sides.differ == ("chip",)
    assert found.sides.shared == 3
    assert found.sides.a.arm.has_kv
    first, second = found.sides.a.recipe.series, found.sides.b.recipe.series
    turned = studied(tmp_path, a=second, b=first)
    assert turned.sides is not None
    assert (turned.sides.a.recipe.series, turned.sides.b.recipe.series) == (second, first)
    off = found.arms[-1][1]
    chosen = studied(tmp_path, arm=off.id)
    assert chosen.waterfall is not None
    assert (off.mode, chosen.waterfall.arm.id) == ("off", off.id)


def test_the_offload_filter_is_left_aside_and_other_filters_hold(tmp_path: Path) -> None:
    both = made(16, 1300.0, offload=dram(2_000_000, "local_nvme"))
    found = studied(tmp_path, made(16, 1000.0), made(16, 1100.0, offload=dram()), both, query="offload=on")
    assert len(found.pairs) == 2
    assert "needs both of its sides" in found.notes[0]
    only = studied(tmp_path, query="tier=local_nvme")
    assert [pair.arm.below for pair in only.pairs] == [("host_dram", "local_nvme")]


def engram(medium: str, **facts: Any) -> Offload:
    table = {"table": "engram", "rows_per_token": 48, "row_bytes": 264, "medium": medium, **facts}
    return Offload(mode="on", kinds=("parameter",), backend="engram", tiers=(Tier(medium=medium),), parameter=table)


def test_parameter_offload_is_no_pair_and_has_no_pressure(tmp_path: Path) -> None:
    found = studied(tmp_path, made(16, 1000.0), made(16, 900.0, offload=engram("host_dram")))
    assert found.pairs == ()
    assert found.pressures == ()
    (table,) = found.parameter.tables
    assert (table.bytes_per_token, table.row_bytes, table.amplification) == (12_672, 264, None)
    assert "gds" in table.missing


def test_kv_offload_beside_a_parameter_table_is_held_against_the_same_table(tmp_path: Path) -> None:
    both = replace(dram(), kinds=("kv", "parameter"), parameter=engram("host_dram").parameter)
    found = studied(
        tmp_path, made(16, 1000.0), made(16, 900.0, offload=engram("host_dram")), made(16, 1800.0, offload=both)
    )
    (pair,) = found.pairs
    assert pair.base.has_parameter
    assert pair.throughput.change == 1.0


def test_host_memory_and_flash_are_compared_at_one_pace_and_never_beyond_an_end(tmp_path: Path) -> None:
    fast = [made(n, y, x=x, offload=engram("host_dram")) for n, x, y in ((1, 100.0, 1000.0), (2, 50.0, 2000.0))]
    slow = [made(n, y, x=x, offload=engram("local_nvme")) for n, x, y in ((1, 80.0, 400.0), (2, 40.0, 900.0))]
    (item,) = studied(tmp_path, *fast, *slow, query=f"x={INTERACTIVITY_P50}").parameter.comparisons
    assert (item.fast.below, item.slow.below) == (("host_dram",), ("local_nvme",))
    assert [(read.x, read.measured_fast, read.measured_slow) for read in item.reads] == [
        (50.0, True, False),
        (80.0, False, True),
    ]
    # 900 at 40 and 400 at 80 give 775 at 50; 2,000 at 50 and 1,000 at 100 give 1,400 at 80.
    assert [read.ratio for read in item.reads] == pytest.approx([775 / 2000, 400 / 1400])


def test_one_point_a_side_is_shown_as_it_was_typed(tmp_path: Path) -> None:
    told = {"metrics": {"total_tokens_per_usd": 121e6}}
    slow = {"metrics": {"total_tokens_per_usd": 52e6}}
    found = studied(
        tmp_path,
        made(16, 900.0, x=125.0, offload=engram("host_dram"), **told),
        made(16, 900.0, x=124.0, offload=engram("local_nvme"), **slow),
    )
    (item,) = found.parameter.comparisons
    assert item.typed is not None
    assert [(corner.x, corner.y) for corner in item.typed] == [(125.0, 121e6), (124.0, 52e6)]
    assert item.ratio == pytest.approx(52 / 121)
    assert item.reads == ()


def test_a_row_is_read_by_whole_pages() -> None:
    assert amplification(264) == pytest.approx(15.515, abs=5e-4)
    assert amplification(4096) == 1
    assert amplification(5000) == pytest.approx(8192 / 5000)


def test_nothing_is_extrapolated() -> None:
    line = [Corner(id="a", x=10.0, y=100.0, halo=False), Corner(id="b", x=20.0, y=50.0, halo=False)]
    assert [interpolated(line, x) for x in (9.9, 10.0, 15.0, 20.0, 20.1)] == [None, 100.0, 75.0, 50.0, None]


def test_an_empty_view_is_a_study_too(tmp_path: Path) -> None:
    found = studied(tmp_path)
    assert (found.pairs, found.nvme, found.waterfall, found.sides) == ((), (), None, None)


def test_words() -> None:
    assert [change_text(value) for value in (0.0, 0.004, -0.032, 0.5, 8.9, 9.0)] == [
        "0 %",
        "+0.4 %",
        "−3.2 %",
        "+50 %",
        "+890 %",
        "10×",
    ]
    assert [levels_text(levels) for levels in ([16], [24, 16], [64, 40, 48])] == ["16", "16 and 24", "40 to 64"]
    # What lies between two of them is named only where it is one of them.
    among = [1, 2, 4, 8, 16, 32, 40, 48]
    assert levels_text([1, 2, 4, 8, 40], among) == "1 to 8 and 40"
    assert levels_text([4, 40, 48], among) == "4, 40 and 48"


def test_recipes_that_are_called_the_same_are_told_apart(tmp_path: Path) -> None:
    versions = ("0.22.0", "0.23.1", None)
    points = [
        made(16, y, engine_version=version, offload=offload)
        for version in versions
        for y, offload in ((100.0, OFF), (110.0, kv()))
    ]
    found = studied(tmp_path, *points, made(16, 90.0, precision="fp8", offload=kv()))
    labels = [recipe.label for recipe in found.recipes]
    assert len(set(labels)) == len(labels)
    assert sorted(label.partition("TP8")[2] for label in labels if "FP4" in label) == [
        " · 0.22.0",
        " · 0.23.1",
        " · version not reported",
    ]
    assert [label.partition("TP8")[2] for label in labels if "FP8" in label] == [""]
