"""The offload of a point in depth, as its page prints it: pools, misses, traffic and flash."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.catalog.point import Json
from app.web.blocks.facts import Fact
from app.web.blocks.holds import pool_facts
from app.web.blocks.misses import MissBlock, miss_block
from app.web.blocks.nvme import NvmeBlock, nvme_block
from app.web.blocks.traffic import TrafficBlock, traffic_block


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepBlock:
    pools: tuple[Fact, ...]
    misses: MissBlock
    traffic: TrafficBlock | None
    nvme: NvmeBlock | None


def deep_block(document: Mapping[str, Json]) -> DeepBlock:
    return DeepBlock(
        pools=pool_facts(document["pools"]),
        misses=miss_block(document["misses"]),
        traffic=traffic_block(document["traffic"]),
        nvme=nvme_block(document["nvme"]),
    )
