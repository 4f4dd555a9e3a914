"""One hand-built point for every case that a page has to tell apart, in a real store."""

from dataclasses import replace
from pathlib import Path

from app.catalog.metrics import HBM_POOL_TOKENS
from app.catalog.models import MODELS
from app.catalog.offload import Offload, Tier
from app.catalog.point import Cache, Layout, OtherRate, Point, Role, TierShare
from app.store.publish import publish
from app.store.rows import Arrival, Rejection
from ingest.finish import finish
from tests.points import arrival, kv, point, shares

WORKLOAD = "agentic:cc-traces"
ODD = "node //7 #1 100% 🔥"
"""A name as people have them: nothing in it may break a link or a page."""

FAILED = "no request succeeded, so nothing was measured"

ALL_TIERS = Offload(
    mode="on",
    kinds=("kv",),
    use="prefix_reuse",
    backend="lmcache",
    backend_raw="LMCacheConnectorV1",
    backend_version="0.5.3",
    tiers=(
        Tier(medium="hbm", capacity_tokens=1_620_000),
        Tier(medium="host_dram", capacity_tokens=3_890_000, capacity_bytes=273 * 10**9, scope="per_node"),
        Tier(medium="local_nvme", capacity_tokens=12_400_000, capacity_bytes=871 * 10**9, scope="per_node"),
        Tier(medium="remote_flash"),
    ),
    evidence="field",
    write_policy="write_through",
    access_path="o_direct",
    gds="off",
)
PARAMETER = Offload(
    mode="on",
    kinds=("parameter",),
    backend="engram",
    backend_raw="engram",
    tiers=(Tier(medium="local_nvme"),),
    evidence="recipe_flag",
    parameter={"table": "engram", "medium": "local_nvme", "rows": 768_022_850, "row_bytes": 264, "page_cache": "warm"},
)
OFF = Offload(mode="off", evidence="field")
FLASH = Offload(
    mode="on",
    kinds=("kv",),
    use="prefix_reuse",
    backend="vllm-tiering",
    tiers=(
        Tier(medium="hbm", capacity_tokens=1_000_000),
        Tier(medium="host_dram", capacity_tokens=2_000_000),
        Tier(medium="local_nvme", capacity_tokens=6_000_000),
    ),
    evidence="recipe_flag",
    write_policy="write_back",
    access_path="buffered_io",
    gds="requested_fell_back",
    page_cache="warm",
)
MOVED = {
    # 550 tokens from below HBM, of 35,136 bytes in each of eight copies; one copy on flash.
    "vllm:kv_offload_total_bytes{transfer_type=cpu_to_gpu}": 154_598_400.0,
    "vllm:kv_offload_total_bytes{transfer_type=gpu_to_cpu}": 309_196_800.0,
    "vllm:kv_offload_total_time{transfer_type=cpu_to_gpu}": 4.0,
    "vllm:kv_offload_tiering_read_bytes{tier=1:fs}": 5_270_400.0,
    "vllm:kv_offload_tiering_write_bytes{tier=1:fs}": 15_811_200.0,
    "local_nvme_load_operations": 1000.0,
    "lookup_seconds": 3.0,
    "lookup_operations": 1500.0,
}
APART = Layout(
    prefill=Role(chip="gb300", chips=8, workers=1, tp=8),
    decode=Role(chip="gb300", chips=8, workers=2, tp=4),
    disaggregated=True,
    multinode=True,
)


def _cache(**tokens: int) -> Cache:
    return replace(shares(**tokens), ceiling_share=0.93)


def cases() -> dict[str, Point]:
    """Points by what is special about them. `all_tiers` and `off` are twins."""
    agentic = {"workload": WORKLOAD, "interactivity_def": "1/itl", "engine_version": "0.14.1"}
    external = (TierShare(medium="hbm", share=0.5, tokens=500), TierShare(medium="external", share=0.4, tokens=400))
    return {
        "all_tiers": point(
            128,
            x=25.0,
            y=10_296.0,
            offload=ALL_TIERS,
            cache=replace(
                _cache(hbm=368, host_dram=484, local_nvme=0, remote_flash=49),
                other_rates=(
                    OtherRate(name="LMCache lookup hits", value=0.332, denominator="conditional_on_lookup"),
                    OtherRate(name="master hit rate", value=3.5, denominator="hits_per_object"),
                ),
            ),
            metrics={"ttft_p90_s": 3.0, "ttft_p50_s": 1.12, HBM_POOL_TOKENS: 1_620_000},
            facts={"image": "vllm/vllm-openai:v0.14.1", "router": {"name": "plain"}},
            spellings={"chip": "b200-dgxc_01", "engine": "vllm"},
            **agentic,
        ),
        "off": point(
            128, x=13.9, y=5_824.0, offload=OFF, cache=_cache(hbm=368), metrics={"ttft_p90_s": 14.56}, **agentic
        ),
        "kv_parameter": point(
            256,
            x=26.0,
            y=11_000.0,
            offload=replace(ALL_TIERS, kinds=("kv", "parameter"), parameter={"table": "engram", "dedupe": True}),
            cache=_cache(hbm=400, host_dram=500),
            **agentic,
        ),
        "lighter": point(64, x=40.0, y=8_000.0, offload=ALL_TIERS, **agentic),
        "combined": point(
            8,
            engine="trt",
            workload=WORKLOAD,
            offload=kv("trtllm-native", None),
            cache=replace(_cache(unattributed=620), flags=("combined_rate",)),
        ),
        "blocks": point(
            24,
            engine="trt",
            workload=WORKLOAD,
            offload=kv("trtllm-native", None),
            cache=Cache(
                prompt_tokens=1000,
                tiers=(TierShare(medium="unattributed", share=0.7, denominator="blocks_reused", provenance="a gauge"),),
                flags=("combined_rate", "gauge_mean"),
            ),
        ),
        "stale": point(
            16,
            engine="sglang",
            workload=WORKLOAD,
            offload=OFF,
            cache=replace(_cache(hbm=300), flags=("stale_tier_rate",), counters={"cpu_hits": 200.0}),
        ),
        "external": point(
            32,
            chip="gb300",
            chip_count=16,
            layout=APART,
            orchestrator="dynamo",
            workload=WORKLOAD,
            offload=kv("mooncake", None),
            cache=Cache(
                prompt_tokens=1000,
                tiers=external,
                cached_share=0.9,
                computed_share=0.1,
                flags=("external_includes_pd",),
            ),
        ),
        "flash": point(
            16,
            workload=WORKLOAD,
            offload=FLASH,
            iteration=2,
            cache=replace(_cache(hbm=300, host_dram=400, local_nvme=150), counters=MOVED),
            metrics={"duration_s": 100.0, "input_tput": 20_000.0, "output_tput": 500.0, "input_tokens_mean": 250_000.0},
            facts={
                "kv_cache_dtype": "fp8",
                "storage": {
                    "model": "drives of a test",
                    "drives": 4,
                    "capacity_bytes": 1e12,
                    "read_bps": 20e9,
                    "dwpd": 1,
                },
            },
            run_time="2026-11-26T02:00:00",
        ),
        "parameter": point(4, model="dsv4", offload=PARAMETER),
        "unknown": point(4, offload=Offload(), precision="fp8", facts={"note": "<script>alert(1)</script>"}),
        "too_much": point(
            4,
            engine="atom",
            workload=WORKLOAD,
            offload=kv("lmcache-mp"),
            cache=replace(_cache(hbm=700, host_dram=400), computed_share=None, flags=("sum_gt_1",)),
        ),
        "bare": Point(
            dialect="by-hand",
            metrics={"total_tput_per_chip": 1.0},
            raw={"only": "throughput"},
            concurrency=None,
        ),
        "odd": point(
            1,
            chip=f"other:{ODD}",
            model=MODELS.key_of(ODD),
            workload=f"other:{ODD}",
            engine=f"other:{ODD}",
            facts={"source_title": "A report", "source_url": "javascript:alert(1)", "source_date": "2026-11-01"},
        ),
    }


def stored_cases(folder: Path) -> None:
    """Publishes every case, a repeat, and a corrected record, so that the store has a past."""
    first = [_arrival(name, of) for name, of in cases().items()]
    again = replace(cases()["lighter"], run_time="2026-11-27T02:14:00", raw={"again": 1})
    cold = replace(cases()["flash"], iteration=1, cold=True, run_time="2026-11-26T01:00:00", raw={"cold": 1})
    first.append(_arrival("flash", cold, run="run-b", place="b/cold.json"))
    first.append(_arrival("lighter", again, run="run-b", place="b/again.json"))
    refused = [
        Rejection(path="b/failed.json", where="row 3", reason=FAILED, source="by-hand"),
        Rejection(path="b/failed.json", where="row 4", reason=FAILED, source="by-hand"),
        Rejection(path="c.txt", where="file", reason="no format that Halo reads"),
    ]
    publish(folder, first, refused)
    corrected = replace(cases()["stale"], metrics={**cases()["stale"].metrics, "ttft_mean_s": 0.7}, raw={"new": 1})
    publish(folder, [_arrival("stale", corrected)])


def _arrival(name: str, of: Point, *, run: str = "run-a", place: str | None = None) -> Arrival:
    return arrival(
        finish(replace(of, spellings={**of.spellings, "case": name})),
        run=run,
        place=place or f"a/{name}.json",
        where="file",
        supplied={"chip_count": "8"} if name == "odd" else {},
    )
