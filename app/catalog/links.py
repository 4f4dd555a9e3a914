"""The ways by which attention state comes back to a chip, with the rate that each achieves in one direction."""

from dataclasses import dataclass
from typing import Literal

from app.catalog.vocabulary import Term, Vocabulary

Owner = Literal["chip", "drive", "port"]


@dataclass(frozen=True, kw_only=True)
class Link(Term):
    """A link from a memory to the chips. `medium` is the tier behind it.

    Each chip has a link of its own where `owner` is chip; drives and network ports are the server's, and all ranks
    share them.
    """

    gb_s: float
    medium: str
    owner: Owner
    source: str
    date: str = "2026-09"

    @property
    def bytes_per_s(self) -> float:
        return self.gb_s * 1e9


_USUAL = "what sequential reads usually achieve"

LINKS: Vocabulary[Link] = Vocabulary(
    "link",
    [
        Link(
            key="pcie4",
            label="PCIe 4 x16",
            gb_s=25,
            medium="host_dram",
            owner="chip",
            aliases=("pcie gen4",),
            source="achievable part of 32 GB/s",
        ),
        Link(
            key="pcie5",
            label="PCIe 5 x16",
            gb_s=55,
            medium="host_dram",
            owner="chip",
            aliases=("pcie gen5",),
            source="achievable part of 64 GB/s; 54.4 was measured on an H20",
        ),
        Link(
            key="pcie6",
            label="PCIe 6 x16",
            gb_s=110,
            medium="host_dram",
            owner="chip",
            aliases=("pcie gen6",),
            source="assumed: twice PCIe 5, not measured",
        ),
        Link(
            key="c2c",
            label="NVLink-C2C",
            gb_s=400,
            medium="host_dram",
            owner="chip",
            aliases=("nvlink c2c",),
            source="achievable part of 450 GB/s in one direction",
        ),
        Link(key="nvme4", label="NVMe Gen4", gb_s=7, medium="local_nvme", owner="drive", source=f"one drive: {_USUAL}"),
        Link(
            key="nvme5", label="NVMe Gen5", gb_s=14, medium="local_nvme", owner="drive", source=f"one drive: {_USUAL}"
        ),
        Link(
            key="nvme6", label="NVMe Gen6", gb_s=28, medium="local_nvme", owner="drive", source=f"one drive: {_USUAL}"
        ),
        Link(
            key="net400",
            label="400G network",
            gb_s=48,
            medium="remote_dram",
            owner="port",
            aliases=("400 gbe", "ndr"),
            source="achievable part of 50 GB/s, Ethernet or InfiniBand NDR",
        ),
    ],
)

DRAM_LINKS = tuple(link.key for link in LINKS if link.owner == "chip")
DRIVES = tuple(link.key for link in LINKS if link.owner == "drive")
NETWORK = "net400"
USUAL_DRAM_LINK = "pcie5"
COHERENT = "c2c"
USUAL_DRIVE = "nvme5"
