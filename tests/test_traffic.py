"""What offload moved and held, in exact numbers: by hand, and of the published run where 94 % and 6 % are both true."""

from pathlib import Path
from typing import Any

import pytest

from app import traffic
from app.catalog.geometry import Geometry
from app.catalog.models import MODELS
from app.catalog.transfers import counter_of
from app.details.misses import misses_document
from app.details.moved import flows_of
from app.details.point import point_document
from app.plan import formulas
from app.store.read import Store
from app.store.select import Selection
from app.view import View
from ingest.demo import published_tables
from ingest.engine_counters import cache_of
from ingest.invariants import Setting
from ingest.pipeline import ingest
from ingest.scrape import Scrape, Series
from tests.page_points import stored_cases

Document = dict[str, Any]


def documents(folder: Path) -> list[Document]:
    snapshot = Store(folder).snapshot()
    found = [point_document(snapshot, row["id"], View()) for row in snapshot.rows(Selection(newest=True))]
    return [document for document in found if document is not None]


@pytest.fixture(scope="module")
def flash(tmp_path_factory: pytest.TempPathFactory) -> Document:
    folder = tmp_path_factory.mktemp("cases")
    stored_cases(folder)
    return next(d for d in documents(folder) if d["provenance"]["spellings"]["case"] == "flash")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    folder = tmp_path_factory.mktemp("published")
    ingest(published_tables(), folder)
    return documents(folder)


@pytest.fixture(scope="module")
def kvreap(published: list[Document]) -> Document:
    return next(document for document in published if document["offload"]["backend"]["key"] == "vllm-tiering")


def geometry(label: str) -> Geometry:
    found = MODELS.resolve(label)
    assert found is not None
    assert found.geometry is not None
    return found.geometry


def test_the_published_run_where_94_and_6_percent_are_both_true(kvreap: Document) -> None:
    cache = kvreap["cache"]
    assert cache["cached_share"] == pytest.approx(0.0632, abs=5e-5)
    rate = cache["other_rates"][0]
    assert rate["value"] == pytest.approx(66_364 / 70_301)
    assert round(rate["value"], 3) == 0.944
    assert rate["denominator"] == "conditional_on_miss"
    moved = kvreap["traffic"]
    assert moved["loaded_bytes"] == 108_680_183_808
    assert round(moved["write_amplification"], 1) == 4.2
    check = moved["cross_check"]
    assert check["counted"] == 114_688.0
    assert check["expected"] == 114_688
    assert (check["state"], check["copies"]) == ("agrees", 1)
    assert [flow["medium"] for flow in moved["flows"]] == ["external", "external"]


def test_twenty_thousand_new_tokens_a_second_wear_a_drive_fifteen_times_a_day() -> None:
    held = geometry("DeepSeek-R1-0528").kv_bytes_per_token("bf16")
    assert held == 70_272
    rate = formulas.required_bandwidth(20_000, held)
    a_day = formulas.written_per_day(20_000, held)
    assert rate == pytest.approx(1.405e9, rel=1e-3)
    assert a_day == pytest.approx(121.4e12, rel=1e-3)
    assert round(formulas.drive_writes_per_day(a_day, 7.68e12), 1) == 15.8


def test_a_thrashing_tier_writes_more_than_comes_back() -> None:
    assert traffic.write_amplification(81.7e6, 12.6e6) == pytest.approx(6.5, abs=0.02)
    assert traffic.write_amplification(5.0, 0.0) is None


@pytest.mark.parametrize(
    ("counted", "copies"), [(100.0, 1), (109.0, 1), (111.0, None), (800.0, 8), (720.0, 8), (700.0, None)]
)
def test_bytes_agree_with_one_copy_or_with_all(counted: float, copies: float | None) -> None:
    assert traffic.agreeing_copies(counted, 100.0, 8) == copies


def test_flows_are_told_by_way_and_memory(flash: Document) -> None:
    flows = {(flow["way"], flow["medium"]): flow for flow in flash["traffic"]["flows"]}
    assert list(flows) == [
        ("load", "host_dram"),
        ("load", "local_nvme"),
        ("store", "host_dram"),
        ("store", "local_nvme"),
    ]
    host = flows["load", "host_dram"]
    assert (host["bytes"], host["seconds"], host["bytes_per_s_busy"]) == (154_598_400, 4.0, 38_649_600)
    assert host["bytes_per_s_mean"] == 1_545_984
    assert flows["load", "local_nvme"]["bytes_per_operation"] == pytest.approx(5_270.4)
    assert flash["traffic"]["waits"] == [
        {
            "key": "lookup",
            "label": "Looking up",
            "seconds": 3.0,
            "times": 1500.0,
            "counters": ["lookup_seconds", "lookup_operations"],
        }
    ]


def test_what_the_throughput_asks_of_links_and_drives(flash: Document) -> None:
    moved = flash["traffic"]
    assert moved["cross_check"]["state"] == "agrees"
    assert moved["cross_check"]["copies"] == 8
    assert moved["write_amplification"] == 2.0
    dram, nvme = moved["required"]
    assert dram["bytes_per_s"] == pytest.approx(20_000 * 0.4 * 35_136 * 8)
    assert dram["link_bytes_per_s"] == 8 * 55e9
    assert dram["load_of_link"] == pytest.approx(20_000 * 0.4 * 35_136 * 8 / 440e9)
    assert nvme["link_bytes_per_s"] == 20e9
    assert nvme["link_label"] == "as the record states"
    write = moved["write"]
    assert write["basis"] == "counted"
    assert write["bytes_per_s"] == pytest.approx(158_112)
    assert write["drive_writes_per_day"] == pytest.approx(158_112 * 86_400 / 4e12)


def test_pools_by_both_rules_and_the_working_set(flash: Document) -> None:
    pools = flash["pools"]
    assert [item["ratio"] for item in pools["ratios"]] == [2.0, 8.0]
    assert pools["policy"]["inclusion"] == "exclusive"
    assert pools["gain"] == {"inclusive": 6.0, "exclusive": 9.0, "here": 9.0}
    assert pools["working_set"]["tokens"] == 4_000_000
    assert pools["working_set"]["over_hbm"] == 4.0
    assert pools["working_set"]["over_kept"] == pytest.approx(4 / 9)


def test_flash_says_how_it_was_read_and_keeps_passes_apart(flash: Document) -> None:
    nvme = flash["nvme"]
    assert nvme["evidence_for_kv"]
    assert nvme["gds"]["key"] == "requested_fell_back"
    assert nvme["page_cache"]["key"] == "warm"
    assert [(item["iteration"], item["cold"]) for item in nvme["iterations"]] == [(1, True), (2, False)]
    assert nvme["device"]["drives"] == 4
    assert nvme["needed"] == []


def test_a_parameter_table_on_flash_is_no_evidence_of_kv_offload(published: list[Document]) -> None:
    found = [document["nvme"] for document in published if document["offload"]["kinds"] == ["parameter"]]
    on_flash = [nvme for nvme in found if nvme is not None]
    assert len(on_flash) == 1
    assert not on_flash[0]["evidence_for_kv"]
    assert on_flash[0]["page_cache"] == {
        "key": "unknown",
        "reported": False,
        "label": "unknown",
        "text": "Reads may have come from memory: the figure says little of a drive.",
    }


def cache(**given: Any) -> Document:
    return {"cached_share": None, "ceiling_share": None, "flags": [], "counters": {}, "other_rates": [], **given}


def test_misses_are_attributed_and_add_up() -> None:
    found = misses_document(cache(cached_share=0.85, ceiling_share=0.955))
    assert {part["key"]: round(part["share"], 6) for part in found["parts"]} == {
        "cached": 0.85,
        "compulsory": 0.045,
        "lost": 0.105,
    }
    assert found["achieved"] == pytest.approx(0.85 / 0.955)
    assert sum(part["share"] for part in found["parts"]) == pytest.approx(1)


def test_state_that_checkpoints_lost_is_told_from_the_rest() -> None:
    names = ("wanted", "cached", "full")
    counters = {f"atom:prefix_cache_{n}_tokens": v for n, v in zip(names, (900.0, 850.0, 1000.0), strict=True)}
    found = misses_document(cache(cached_share=0.85, ceiling_share=0.95, counters=counters))
    assert {part["key"]: round(part["share"], 6) for part in found["parts"]} == {
        "cached": 0.85,
        "compulsory": 0.05,
        "state": 0.05,
        "lost": 0.05,
    }


def test_more_than_the_ceiling_leaves_nothing_lost() -> None:
    found = misses_document(cache(cached_share=0.97, ceiling_share=0.95))
    assert found["above_ceiling"]
    assert {part["key"]: round(part["share"], 6) for part in found["parts"]} == {
        "cached": 0.97,
        "compulsory": 0.03,
        "lost": 0.0,
    }


@pytest.mark.parametrize("flag", ["sum_gt_1", "offload_tier_unreported", "external_includes_pd"])
def test_a_doubtful_share_is_not_attributed(flag: str) -> None:
    found = misses_document(cache(cached_share=0.9, ceiling_share=0.95, flags=[flag]))
    assert found["parts"] == []
    assert found["achieved"] is None
    assert found["reason"]


def test_a_prediction_stays_beside_the_shares() -> None:
    rate = {"name": "router_kv_hit_rate", "value": 0.9, "denominator": "router_prediction", "provenance": ""}
    found = misses_document(cache(cached_share=0.6, ceiling_share=0.95, other_rates=[rate]))
    assert found["prediction"]["value"] == 0.9
    assert "router" not in " ".join(part["key"] for part in found["parts"])


def test_a_scrape_keeps_directions_and_tiers_apart() -> None:
    name = "vllm:kv_offload_total_bytes"
    scrape = Scrape(
        (
            Series("vllm:prompt_tokens_by_source_total", {"source": "local_compute"}, total=600.0),
            Series("vllm:prompt_tokens_by_source_total", {"source": "external_kv_transfer"}, total=400.0),
            Series(f"{name}_total", {"transfer_type": "CPU_to_GPU"}, total=10.0),
            Series(f"{name}_total", {"transfer_type": "GPU_to_CPU"}, total=30.0),
            Series("vllm:kv_offload_tiering_read_bytes_total", {"tier": "1:fs"}, total=4.0),
            Series("lmcache:time_to_retrieve", {}, total=2.0),
        )
    )
    found = cache_of(scrape, Setting(mode="on"))
    flows = {(flow.way, flow.medium): flow for flow in flows_of(found.counters, ("host_dram", "local_nvme"))}
    assert flows["load", "host_dram"].bytes == 10.0
    assert flows["store", "host_dram"].bytes == 30.0
    assert flows["load", "local_nvme"].bytes == 4.0
    assert flows["load", "external"].seconds == 2.0


def test_a_counter_that_names_no_memory_belongs_to_the_only_tier() -> None:
    assert counter_of("vllm:kv_offload_load_bytes_total") is not None
    assert counter_of("vllm:prompt_tokens") is None
    (flow,) = flows_of({"vllm:kv_offload_load_bytes": 5.0}, ("host_dram",))
    assert flow.medium == "host_dram"
    (flow,) = flows_of({"vllm:kv_offload_load_bytes": 5.0}, ("host_dram", "local_nvme"))
    assert flow.medium == "external"
