"""The worked examples that every tier rule has to reproduce, and the rules between figures."""

import math

import pytest

from app.catalog.metrics import CACHED_SHARE, COMPUTED_SHARE
from app.catalog.offload import TIER_SHARES, Offload, resolve_backend
from app.catalog.point import Cache, Point, TierShare
from ingest import counters, tiers
from ingest.connectors import offload_of_config
from ingest.invariants import (
    Setting,
    bytes_mismatch,
    capacity_mismatch,
    judged,
    mirror_tier,
    parameter_table_bytes,
)

ON = Setting(mode="on", connector="host_dram")
OFF = Setting(mode="off")
PD = Setting(mode="on", connector="external", disaggregated=True)
SOURCES = {"local_compute": 200.0, "local_cache_hit": 600.0, "external_kv_transfer": 200.0}


def shares(cache: Cache) -> dict[str, float]:
    return {tier.medium: round(tier.share, 6) for tier in cache.tiers if tier.share is not None}


def vllm(external_queries: float) -> Cache:
    return counters.vllm_counters(
        ON, 1000, prefix_hits=600, prefix_queries=1000, external_hits=200, external_queries=external_queries
    )


def test_both_meanings_of_external_queries_give_the_same_shares() -> None:
    old, new = vllm(1000), vllm(400)
    assert shares(old) == shares(new) == {"hbm": 0.6, "host_dram": 0.2}
    assert old.flags == ("ext_queries_all_prompt",)
    assert new.flags == ("ext_queries_conditional",)
    assert [(rate.value, rate.denominator) for rate in new.other_rates] == [(0.5, "conditional_on_miss")]


def test_external_queries_that_match_neither_meaning_are_flagged_and_stay_a_rate_of_their_own() -> None:
    cache = vllm(700)
    assert cache.flags == ("ext_queries_unexplained",)
    assert cache.other_rates[0].denominator == "hits_per_query"
    assert shares(cache)["host_dram"] == 0.2


def test_sources_give_those_shares_without_a_doubt() -> None:
    cache = counters.vllm_sources(ON, SOURCES)
    assert shares(cache) == {"hbm": 0.6, "host_dram": 0.2}
    assert cache.flags == ()
    assert (cache.prompt_tokens, cache.cached_share, cache.computed_share) == (1000, pytest.approx(0.8), 0.2)


def test_a_small_share_of_the_prompt_and_a_high_rate_on_a_miss_are_both_true() -> None:
    cache = counters.vllm_counters(
        Setting(mode="on"), 14_991_384, external_hits=947_616, tier_chunks={"fs": (66_364, 70_301)}
    )
    assert shares(cache) == {"external": 0.063211}
    assert cache.cached_share == pytest.approx(0.0632, abs=1e-4)
    assert [(rate.denominator, round(rate.value, 3)) for rate in cache.other_rates] == [("conditional_on_miss", 0.944)]


def test_a_decode_workers_connector_is_not_host_memory() -> None:
    cache = counters.vllm_sources(PD, SOURCES)
    assert shares(cache) == {"hbm": 0.6, "external": 0.2}
    assert cache.flags == ("external_includes_pd",)


def test_counters_of_prefill_workers_alone_are_not_suspected() -> None:
    alone = Setting(mode="on", connector="external", disaggregated=True, prefill_only=True)
    assert counters.vllm_sources(alone, SOURCES).flags == ("external_unspecified",)


def test_what_a_connector_served_is_split_by_the_media_it_read() -> None:
    tiered = Setting(mode="on", connector="external")
    cache = counters.vllm_sources(tiered, SOURCES, cached_by_source={"device": 700, "cpu": 300, "fs": 100})
    assert shares(cache) == {"hbm": 0.6, "host_dram": 0.15, "local_nvme": 0.05}


def test_a_simple_connector_told_to_use_a_disk_is_not_host_memory() -> None:
    config = {
        "kv_connector": "SimpleCPUOffloadConnector",
        "kv_connector_extra_config": {"kv_offload_backend": "disk", "disk_path": "/mnt/kv"},
    }
    offload = offload_of_config(config)
    assert offload is not None
    assert offload.media == ("hbm", "local_nvme")
    assert (offload.access_path, offload.evidence) == ("o_direct", "recipe_flag")


def test_connectors_inside_another_are_found_and_transfer_alone_is_no_offload() -> None:
    multi = {
        "kv_connector": "MultiConnector",
        "kv_connector_extra_config": {
            "connectors": [
                {"kv_connector": "NixlConnector"},
                {
                    "kv_connector": "OffloadingConnector",
                    "kv_connector_extra_config": {
                        "spec_name": "TieringOffloadingSpec",
                        "secondary_tiers": [{"type": "fs"}],
                    },
                },
            ]
        },
    }
    offload = offload_of_config(multi)
    assert offload is not None
    assert (offload.backend, offload.media) == ("vllm-tiering", ("hbm", "host_dram", "local_nvme"))
    assert offload_of_config({"kv_connector": "NixlConnector"}) is None


def test_sglang_sources_add_up() -> None:
    cache = counters.sglang(ON, 1000, {"device": 548, "host": 403})
    assert shares(cache) == {"hbm": 0.548, "host_dram": 0.403}
    assert cache.cached_share == pytest.approx(0.951)


def test_sglang_storage_and_total_have_places_of_their_own() -> None:
    cache = counters.sglang(ON, 1000, {"device": 500, "host": 100, "storage_HiCacheFile": 150, "total": 50})
    assert shares(cache) == {"hbm": 0.5, "host_dram": 0.1, "local_nvme": 0.15, "unattributed": 0.05}
    assert cache.cached_share == pytest.approx(0.8)


def test_atoms_cached_tokens_already_hold_what_was_loaded() -> None:
    cache = counters.atom(ON, 1000, 900, 300)
    assert shares(cache) == {"hbm": 0.6, "host_dram": 0.3}
    assert cache.cached_share == pytest.approx(0.9)
    assert cache.flags == ()


def test_tensorrt_has_one_rate_for_two_tiers_and_over_blocks() -> None:
    cache = counters.trtllm(ON, reused_blocks=900, missed_blocks=100)
    assert [(tier.medium, tier.share, tier.denominator) for tier in cache.tiers] == [
        ("unattributed", 0.9, "blocks_reused")
    ]
    assert cache.flags == ("combined_rate",)
    assert tiers.share_metrics(cache) == {}


def test_tensorrts_tokens_are_a_share_and_its_blocks_stand_beside_them() -> None:
    cache = counters.trtllm(ON, 1000, 880, hit_rate=0.9)
    assert shares(cache) == {"unattributed": 0.88}
    assert [rate.denominator for rate in cache.other_rates] == ["blocks_reused"]


def test_mooncakes_hits_over_objects_are_no_rate() -> None:
    cache = counters.mooncake(ON, {"MEMORY": 500}, objects=100)
    assert (cache.tiers, cache.other_rates, cache.flags) == ((), (), ("hits_per_object",))
    assert cache.counters == {"hits.MEMORY": 500, "objects": 100}


def test_a_sum_just_above_one_is_kept_and_drawn_as_one() -> None:
    cache = counters.sglang(ON, 1000, {"device": 700, "host": 312})
    assert shares(cache) == {"hbm": 0.7, "host_dram": 0.312}
    assert (cache.cached_share, cache.computed_share, cache.flags) == (1.0, 0.0, ("clamped",))


def test_a_sum_far_above_one_is_shown_and_nothing_is_derived_from_it() -> None:
    cache = counters.sglang(ON, 1000, {"device": 900, "host": 300})
    assert shares(cache) == {"hbm": 0.9, "host_dram": 0.3}
    assert cache.flags == ("sum_gt_1",)
    assert cache.computed_share is None
    assert not {CACHED_SHARE, COMPUTED_SHARE} & tiers.share_metrics(cache).keys()


def test_with_offload_off_other_tiers_rates_are_hidden_and_their_counts_kept() -> None:
    cache = counters.sglang(OFF, 1000, {"device": 500, "host": 120})
    assert shares(cache) == {"hbm": 0.5}
    assert cache.flags == ("stale_tier_rate",)
    assert cache.counters["cached_tokens_by_source.host"] == 120


def test_offload_that_moved_nothing_is_flagged_as_inert() -> None:
    assert counters.sglang(ON, 1000, {"device": 500, "host": 0}).flags == ("offload_inert",)
    assert counters.sglang(ON, 1000, {"device": 500, "host": 0}, activity=[4096]).flags == ()


def test_a_tier_that_was_not_reported_is_neither_zero_nor_inert() -> None:
    cache = counters.sglang(ON, 1000, {"device": 500})
    assert shares(cache) == {"hbm": 0.5}
    assert cache.flags == ("offload_tier_unreported",)
    assert (cache.cached_share, cache.computed_share) == (0.5, None)
    assert tiers.reported(ON, {"hbm": None}, "nothing").tiers == ()


def test_a_measured_zero_stays_a_zero() -> None:
    assert tiers.share_metrics(counters.sglang(OFF, 1000, {"device": 0}))[TIER_SHARES[0]] == 0.0


def test_computed_tokens_beyond_the_prompt_are_a_contradiction_and_not_used() -> None:
    cache = counters.sglang(OFF, 11_116_069, {"device": 4_025_600}, computed_tokens=17_400_203)
    assert cache.flags == ("computed_exceeds_prompt",)
    assert cache.computed_share == pytest.approx(1 - 4_025_600 / 11_116_069)


def test_more_reuse_than_an_endless_cache_could_give_is_flagged() -> None:
    ceiling = Setting(mode="off", ceiling=0.5)
    assert counters.sglang(ceiling, 1000, {"device": 540}).flags == ("above_ceiling",)
    assert counters.sglang(ceiling, 1000, {"device": 520}).flags == ()


def test_an_overall_rate_that_is_not_the_sum_is_flagged() -> None:
    assert counters.sglang(ON, 1000, {"device": 500, "host": 200}, overall=0.5).flags == ("overall_mismatch",)


def test_a_share_outside_zero_to_one_is_drawn_at_the_edge_and_flagged() -> None:
    cache = judged(ON, [TierShare(medium="host_dram", share=1.142, tokens=1142)], prompt_tokens=1000)
    assert shares(cache) == {"host_dram": 1.0}
    assert cache.flags == ("out_of_range", "sum_gt_1")
    assert cache.tiers[0].tokens == 1142


def test_without_prompt_tokens_there_is_no_share_however_many_hits() -> None:
    cache = counters.vllm_counters(ON, 0, external_hits=46_080, external_queries=46_322)
    assert shares(cache) == {}
    assert tiers.share_metrics(cache) == {}


def test_rates_on_a_miss_become_shares_one_after_the_other() -> None:
    assert tiers.from_conditional([0.6, 0.5]) == pytest.approx([0.6, 0.2])
    assert sum(tiers.from_conditional([0.9, 0.5])) == pytest.approx(0.95)


def test_an_engines_lookup_and_a_routers_guess_keep_their_own_denominators() -> None:
    assert tiers.lookup_rate(1000, 400, "LMCache")[0].denominator == "conditional_on_lookup"
    cache = counters.frontend(ON, 1000, 300, rates={"router_kv_hit_rate": 0.4})
    assert shares(cache) == {"unattributed": 0.3}
    assert cache.other_rates[0].denominator == "router_prediction"


def test_native_means_what_its_engine_calls_native() -> None:
    assert resolve_backend("native", "trt") == "trtllm-native"
    assert resolve_backend("native", "vllm") == "vllm-native"


def test_loaded_bytes_are_held_against_the_tokens_they_carried() -> None:
    loaded, tokens = 108_680_183_808, 947_616
    assert loaded / tokens == 114_688
    assert not bytes_mismatch(loaded, tokens, 114_688)
    assert bytes_mismatch(loaded, tokens, 114_688, replication=8)


def test_a_pools_tokens_are_held_against_its_bytes() -> None:
    pool = 42.23 * 2**30
    assert math.isclose(pool / 3_249_215, 13_955, rel_tol=1e-4)
    assert math.isclose(pool / 3_249_215, 13_824, rel_tol=0.01)
    assert not capacity_mismatch(3_249_215, pool, 13_824)
    assert capacity_mismatch(3_249_215, pool, 13_824, replication=8)


def test_a_tier_no_larger_than_the_one_it_repeats_is_a_mirror() -> None:
    assert mirror_tier(100, 100, inclusive=True)
    assert not mirror_tier(300, 100, inclusive=True)
    assert not mirror_tier(100, 100, inclusive=False)


def test_a_parameter_table_has_a_size_and_no_halo() -> None:
    assert parameter_table_bytes((384_006_168, 384_016_682), 264) == 202_758_032_400
    assert parameter_table_bytes((48,), 264) == 12_672
    point = Point(dialect="by hand", offload=Offload(mode="on", kinds=("parameter",)))
    assert not point.offload.has_halo
    assert point.offload.kind == "parameter"
