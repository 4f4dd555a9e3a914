"""Bytes against tokens where a point is finished: rules 9 to 12 of the offload domain as flags on the row."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog.metrics import HBM_POOL_TOKENS
from app.catalog.models import MODELS
from app.catalog.offload import Offload, Tier
from app.catalog.point import Cache, Layout, Point, Role, TierShare
from app.store.read import Store
from app.store.select import Selection
from ingest.finish import finish
from ingest.pipeline import ingest

MODEL = MODELS.key_of("meta-llama/Llama-3.3-70B-Instruct")
WEIGHT = 2 * 80 * 8 * 128 * 2
"""Bytes of a token in bf16: keys and values of 80 layers, 8 heads of 128."""
FLAGS = {"bytes_mismatch", "capacity_mismatch", "mirror_tier", "over_budget"}
ON = Offload(mode="on", kinds=("kv",), use="prefix_reuse", backend="vllm-native", evidence="recipe_flag")


def flags(
    tier: Tier | None = None,
    *,
    loaded: float | None = None,
    dtype: str | None = "bfloat16",
    policy: str | None = None,
    pool: int | None = None,
    tp: int = 8,
    **changes: object,
) -> set[str]:
    """The flags of a point whose host memory served 1,000 of 2,000 prompt tokens."""
    served = TierShare(medium="host_dram", tokens=1000, share=0.5)
    tiers = (Tier(medium="hbm"), tier or Tier(medium="host_dram"))
    point = Point(
        dialect="d",
        model=MODEL,
        layout=Layout(whole=Role(tp=tp), disaggregated=False, multinode=False),
        offload=replace(ON, tiers=tiers, write_policy=policy),
        cache=Cache(
            prompt_tokens=2000,
            tiers=(served,),
            counters={} if loaded is None else {"vllm:kv_offload_load_bytes": loaded},
        ),
        metrics={} if pool is None else {HBM_POOL_TOKENS: pool},
        facts={} if dtype is None else {"kv_cache_dtype": dtype},
    )
    return set(finish(replace(point, **changes)).flags) & FLAGS  # type: ignore[arg-type]  # fields of a Point


@pytest.mark.parametrize(
    ("loaded", "dtype", "expected"),
    [
        (1000 * WEIGHT, "bfloat16", set()),
        (1090 * WEIGHT, "bfloat16", set()),
        (1200 * WEIGHT, "bfloat16", {"bytes_mismatch"}),
        (500 * WEIGHT, "bfloat16", {"bytes_mismatch"}),
        (500 * WEIGHT, "fp8", set()),
        (500 * WEIGHT, None, set()),
        (100 * WEIGHT, None, {"bytes_mismatch"}),
        (None, "bfloat16", set()),
    ],
)
def test_loaded_bytes_are_weighed_against_the_tokens(
    loaded: float | None, dtype: str | None, expected: set[str]
) -> None:
    assert flags(loaded=loaded, dtype=dtype) == expected


def test_nothing_is_weighed_where_it_is_not_known_what_counts() -> None:
    wrong = 100 * WEIGHT
    assert flags(loaded=wrong, model=None) == set()
    assert flags(loaded=wrong, model="other:llama-9") == set()
    assert flags(loaded=wrong, offload=Offload(mode="off", evidence="field")) == set()
    transfers = Cache(
        prompt_tokens=2000,
        tiers=(TierShare(medium="external", tokens=1000, share=0.5),),
        counters={"vllm:kv_offload_load_bytes": wrong},
        flags=("external_includes_pd",),
    )
    assert flags(cache=transfers) == set()


def test_a_tier_holds_no_more_tokens_than_fit_into_its_bytes() -> None:
    full = Tier(medium="host_dram", capacity_tokens=1_000_000, capacity_bytes=1_000_000 * WEIGHT, scope="per_node")
    assert flags(full) == set()
    assert flags(replace(full, capacity_tokens=1_100_000)) == {"capacity_mismatch"}
    assert flags(replace(full, capacity_tokens=1_100_000), dtype=None) == set()
    assert flags(replace(full, capacity_tokens=1_100_000, scope=None)) == set()


def test_a_tier_that_repeats_hbm_and_is_no_larger_adds_nothing() -> None:
    small = Tier(medium="host_dram", capacity_tokens=1_000_000)
    assert flags(small, policy="write_through", pool=2_000_000) == {"mirror_tier"}
    assert flags(small, policy="write_through", pool=900_000) == set()
    assert flags(small, policy="write_back", pool=2_000_000) == set()
    assert flags(small, pool=2_000_000) == set()
    by_bytes = Tier(medium="host_dram", capacity_bytes=1_000_000 * WEIGHT, scope="per_node")
    assert flags(by_bytes, policy="write_through", pool=2_000_000) == {"mirror_tier"}


@pytest.mark.parametrize(
    ("scope", "terabytes", "tp", "expected"),
    [
        ("per_node", 3, 8, set()),
        ("per_node", 9, 8, {"over_budget"}),
        ("per_rank", 0.5, 8, set()),
        ("per_rank", 1.5, 8, {"over_budget"}),
        ("per_rank", 1.5, 4, set()),
        ("cluster", 9, 8, {"over_budget"}),
        (None, 9, 8, set()),
    ],
)
def test_a_server_has_only_so_much_memory(scope: str | None, terabytes: float, tp: int, expected: set[str]) -> None:
    assert flags(Tier(medium="host_dram", capacity_bytes=round(terabytes * 10**12), scope=scope), tp=tp) == expected


def test_the_flag_is_on_the_stored_row(tmp_path: Path) -> None:
    header = (
        "model,chip,engine,precision,isl,osl,concurrency,chip_count,tp,total_tput,tpot_p50_s,offload_mode,"
        "offload_backend,offload_tiers,prompt_tokens,host_dram_tokens,host_dram_loaded_bytes\n"
    )
    row = "Llama-3.3-70B,h100,vllm,fp8,1024,1024,8,8,8,1000,0.02,on,vllm-native,hbm>host_dram,2000,1000,{}\n"
    (tmp_path / "table.csv").write_text(header + row.format(1000 * WEIGHT) + row.format(100 * WEIGHT))
    ingest([tmp_path / "table.csv"], tmp_path / "db")
    rows = Store(tmp_path / "db").snapshot().rows(Selection(newest=False))
    assert sorted("bytes_mismatch" in row["flags"] for row in rows) == [False, True]
