"""The tables that come with Halo: the demo is what its model computes, and published figures name their source."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog.metrics import METRICS
from app.catalog.models import MODELS
from app.catalog.offload import BACKENDS, TIERS
from app.catalog.origins import ORIGINS
from app.catalog.point import Point, recipe_id
from data.demo_model.arms import AGENTIC, TABLES
from data.demo_model.generate import tables
from data.demo_model.parts import MODELS as DEMO_MODELS
from data.demo_model.parts import WORKLOADS
from data.demo_model.serving import Deployment, Tiers, fit, hbm_tokens, serve, shares
from ingest.demo import demo_tables, published_tables
from ingest.document import Document
from ingest.finish import finish
from ingest.sources.base import Found
from ingest.sources.halo_table import HaloTable

AGENTS = WORKLOADS[AGENTIC]
SERVER = Deployment(model=DEMO_MODELS["kimik2.5"], chip="b200", chips=8, engine="vllm", precision="fp4", tp=8)
WITH_DRAM = replace(SERVER, tiers=Tiers(gb={"host_dram": 250}, repeats=False))


def points(paths: list[Path]) -> Iterator[Point]:
    for path in paths:
        document = Document(path.name, f"/{path.name}", path.name, (), path.read_bytes())
        for reading in HaloTable().read(document):
            assert isinstance(reading, Found), (path.name, reading)
            yield finish(reading.point)


DEMO = list(points(demo_tables()))
PUBLISHED = list(points(published_tables()))


def test_the_demo_tables_are_what_the_model_computes() -> None:
    committed = {path.name: path.read_text(encoding="utf-8") for path in demo_tables()}
    assert committed == tables(), "python -m data.demo_model.generate writes them"


def test_every_demo_point_is_synthetic_and_lacks_nothing() -> None:
    assert {point.origin for point in DEMO} == {"synthetic"}
    assert not [(point.model, point.needs) for point in DEMO if point.needs]
    assert not [word for point in DEMO for word in point.warnings]


def test_the_demo_shows_every_case_of_offload() -> None:
    kinds = {(point.offload.mode, point.offload.kind) for point in DEMO}
    assert kinds == {("off", None), ("on", "kv"), ("on", "parameter"), ("on", "kv+parameter")}
    media = {tier.medium for point in DEMO for tier in point.cache.tiers if tier.tokens}
    assert {"hbm", "host_dram", "local_nvme", "remote_flash", "external", "unattributed"} <= media
    backends = {point.offload.backend for point in DEMO} - {None}
    assert len(backends) >= 7
    assert all(backend in BACKENDS for backend in backends)


def test_shares_and_recomputed_prompt_tokens_add_up() -> None:
    for point in DEMO:
        if point.cache.tiers:
            assert sum(tier.share or 0 for tier in point.cache.tiers) + (
                point.cache.computed_share or 0
            ) == pytest.approx(1)
            assert (point.cache.cached_share or 0) <= (point.cache.ceiling_share or 0) + 1e-6


def test_most_offload_points_have_a_twin() -> None:
    off = {(recipe_id(point), point.workload, point.concurrency) for point in DEMO if point.offload.mode == "off"}
    on = [point for point in DEMO if point.offload.has_halo]
    twins = [point for point in on if (recipe_id(point), point.workload, point.concurrency) in off]
    assert len(twins) > 0.9 * len(on)


def test_some_demo_points_cannot_be_drawn_at_the_slow_tail() -> None:
    """So that the chart has something to count as left out."""
    lacking = [
        point for point in DEMO if "interactivity_p50" in point.metrics and "interactivity_p90" not in point.metrics
    ]
    assert 0 < len(lacking) < len(DEMO) / 10


def test_offload_is_idle_below_pressure_and_costs_a_little() -> None:
    alone, parked = serve(SERVER, AGENTS, 4), serve(WITH_DRAM, AGENTS, 4)
    assert parked.shares["host_dram"] < 0.001
    assert 0.95 < parked.requests_s / alone.requests_s < 1


def test_offload_pays_once_the_sessions_outgrow_hbm() -> None:
    users = int(1.6 * hbm_tokens(SERVER, 8) / AGENTS.isl)
    alone, parked = serve(SERVER, AGENTS, users), serve(WITH_DRAM, AGENTS, users)
    assert parked.requests_s > 2 * alone.requests_s
    assert parked.ttft_s < alone.ttft_s / 2


def test_a_tier_that_is_too_small_for_its_copies_is_lost_work() -> None:
    small = replace(SERVER, tiers=Tiers(gb={"host_dram": 40}, repeats=True))
    users = int(1.6 * hbm_tokens(SERVER, 8) / AGENTS.isl)
    assert shares(small, AGENTS, users)["host_dram"] == 0
    assert serve(small, AGENTS, users).requests_s < serve(SERVER, AGENTS, users).requests_s
    holding = replace(small, tiers=Tiers(gb={"host_dram": 40}, repeats=False))
    assert shares(holding, AGENTS, users)["host_dram"] > 0


def test_a_link_slower_than_computing_makes_offload_worse() -> None:
    (far,) = (arm.deployment for arm in TABLES["agentic.csv"] if "remote_flash" in arm.deployment.tiers.gb)
    bound, alone = serve(far, AGENTS, 48), serve(replace(far, tiers=Tiers()), AGENTS, 48)
    assert bound.shares["remote_flash"] > 0.5
    assert bound.requests_s < alone.requests_s / 2


def test_a_cache_holds_more_the_larger_it_is() -> None:
    sizes = [fit(capacity, 1e6) for capacity in (1e5, 5e5, 1e6, 2e6, 1e7)]
    assert sizes == sorted(sizes)
    assert sizes[0] < 0.01
    assert sizes[-1] > 0.99


def test_host_memory_beats_a_mapped_file_for_a_parameter_table() -> None:
    arms = {arm.deployment.table: arm for arm in TABLES["engram.csv"] if not arm.deployment.tiers.gb}
    for users in arms["hbm"].users:
        dram, file = (serve(arms[medium].deployment, AGENTS, users) for medium in ("host_dram", "local_nvme"))
        assert dram.requests_s > file.requests_s
        assert dram.pace_s < file.pace_s


def test_more_users_never_make_a_single_user_faster_while_everything_fits() -> None:
    paces = [serve(SERVER, AGENTS, users).pace_s for users in (1, 2, 4, 8, 12, 16)]
    assert all(faster < slower for faster, slower in itertools.pairwise(paces))


def test_every_published_point_names_its_report() -> None:
    assert 8 <= len(PUBLISHED) <= 20
    for point in PUBLISHED:
        assert point.origin == "published"
        assert all(point.facts.get(name) for name in ("source_title", "source_url", "source_date", "note"))


def test_the_published_pair_of_parameter_tables_on_b200() -> None:
    pair = [point for point in PUBLISHED if point.offload.kinds == ("parameter",)]
    (per_dollar,) = {key for point in pair for key in point.facts["stated"]}
    assert METRICS[per_dollar].family == per_dollar
    assert {(point.offload.media, point.metrics[per_dollar]) for point in pair} == {
        (("host_dram",), 121e6),
        (("local_nvme",), 52e6),
    }
    for point in pair:
        assert (point.model, point.chip, point.metrics["interactivity_p90"]) == ("dsv41flash", "b200", 125.0)
        assert point.facts["price_basis"] == "not stated"
        assert not point.offload.has_halo
    on_ssd = next(point for point in pair if "local_nvme" in point.offload.media)
    assert (on_ssd.offload.gds, on_ssd.offload.access_path) == ("off", "mmap_page_cache")


def test_words_of_the_shipped_tables_are_catalog_words() -> None:
    assert all(point.model in MODELS for point in DEMO)
    assert all(point.origin in ORIGINS for point in (*DEMO, *PUBLISHED))
    assert all(tier in TIERS for point in (*DEMO, *PUBLISHED) for tier in point.offload.media)
