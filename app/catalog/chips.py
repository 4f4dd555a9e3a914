"""The chips: names, memory, rates, links, prices and power. Every number carries its source and date.

Sources. app: InferenceX-app `packages/constants` and `gpu-specs.ts`, synced 2026-08-14; its prices are
SemiAnalysis' "Market July 2026 Pricing Surveys & AI Cloud TCO Model". app-04: the same table as it stood
from April 2026 until 14 July. app-09: files stored in September 2026.
"""

import re
from dataclasses import dataclass, field

from app.catalog.links import COHERENT, USUAL_DRAM_LINK
from app.catalog.precisions import Precision
from app.catalog.vocabulary import Term, Vocabulary, other

NVIDIA = "NVIDIA"
AMD = "AMD"


@dataclass(frozen=True, slots=True)
class Memory:
    """Gigabytes that a program can use and that are built in, the kind of memory, and its bandwidth in TB/s."""

    usable_gb: float
    physical_gb: float
    kind: str
    tb_s: float | None = None


@dataclass(frozen=True, slots=True)
class Rates:
    """Dense TFLOPS by number format; None where the chip has no such units or no figure is listed."""

    fp4: float | None = None
    fp8: float | None = None
    bf16: float | None = None

    def of(self, precision: Precision) -> tuple[str, float] | None:
        """What weights of a format are multiplied in, with its rate: that format, or the next wider one there is."""
        bits = 16 if precision.key.startswith("int") else precision.bits
        wanted = [("FP4", 4, self.fp4), ("FP8", 8, self.fp8), ("BF16", 16, self.bf16)]
        return next(((name, rate) for name, width, rate in wanted if width >= bits and rate), None)


@dataclass(frozen=True, slots=True)
class Links:
    """GB/s to its neighbours, one direction; how many chips such links join, and how; the network beyond.

    `host` is the key of the link to the memory of the server.
    """

    scale_up_gb_s: float | None
    scale_up: str
    domain: int | None
    topology: str = "switched"
    scale_out: str | None = None
    host: str = USUAL_DRAM_LINK


@dataclass(frozen=True, kw_only=True)
class Chip(Term):
    """A chip, and the color of its lines in the two themes.

    `kw` is its all-in power, the share of host and network included, by month; `usd_h` its price per hour, by table.
    """

    vendor: str
    architecture: str = ""
    tdp_w: int | None = None
    devices: int = 1
    memory: Memory | None = None
    rates: Rates = Rates()
    links: Links | None = None
    kw: dict[str, float] = field(default_factory=dict)
    usd_h: dict[str, float] = field(default_factory=dict)
    light: str
    dark: str


def _usd(month: str, hyp: float | None, neo: float | None, rent: float | None) -> dict[str, float]:
    """Prices at a hyperscaler, at a neocloud, and rented for three years."""
    prices = {f"hyp@{month}": hyp, f"neo@{month}": neo, f"rent@{month}": rent}
    return {table: price for table, price in prices.items() if price is not None}


def _kw(apr: float | None = None, jul: float | None = None, sep: float | None = None) -> dict[str, float]:
    months = {"2026-04": apr, "2026-07": jul, "2026-09": sep}
    return {month: kw for month, kw in months.items() if kw is not None}


_NVLINK4 = Links(450, "NVLink 4", 8, scale_out="400G RoCE")  # app 2026-08-14
_NVLINK5 = Links(900, "NVLink 5", 8, scale_out="400G RoCE")  # app 2026-08-14
_NVL72 = Links(900, "NVLink 5", 72, host=COHERENT)  # app 2026-08-14; Grace packages reach host memory by C2C

_HOST = re.compile(r"[a-z]+\d*-p\d+-g\d+|localhost|ip(-\d+){4}|\d+(\.\d+){3}|[a-z0-9\-]+(\.[a-z0-9\-]+)+")
_MAKERS = re.compile(r"(nvidia|amd|intel|google|huawei|instinct|geforce|radeon|cluster|gpu)[\s_\-]+")
_COUNT = re.compile(r"\d+\s*x\s*(?=[a-z])")
_OTHER_CARDS = ("pcie", "nvl")
"""Words after a known chip's name that make it another card, with other memory and links."""


class Chips(Vocabulary[Chip]):
    """Chips by key, trade name, runner label (`cluster:h200-dgxc_05`) or the name that a driver gives them."""

    def resolve(self, spelling: str) -> Chip | None:
        words = _words(spelling)
        for count in range(len(words), 0, -1):
            if chip := super().resolve("-".join(words[:count])):
                return None if words[count : count + 1] and words[count] in _OTHER_CARDS else chip
        return None

    def key_of(self, spelling: str | None) -> str | None:
        """None for an empty label and for a host's name, which says nothing about its chips."""
        text = _bare(spelling or "")
        if not text:
            return None
        if chip := self.resolve(text):
            return chip.key
        words = _words(text)
        if len(words) > 1 and words[1] in _OTHER_CARDS:
            return other(" ".join(words[:2]))
        return None if _HOST.fullmatch(text) else other(re.split(r"[_\-]", text)[0] or text)


def _bare(label: str) -> str:
    """A label without what stands before a colon, counts (`8x`) and makers' names."""
    text = label.strip().lower().rsplit(":", 1)[-1].strip()
    text = _COUNT.sub("", text, count=1) if _COUNT.match(text) else text
    while made := _MAKERS.match(text):
        text = text[made.end() :]
    return text


def _words(label: str) -> list[str]:
    return [word for word in re.split(r"[\s_\-]+", _bare(label)) if word]


CHIPS = Chips(
    "chip",
    [
        Chip(
            key="h100",
            label="H100",
            vendor=NVIDIA,
            architecture="Hopper",
            tdp_w=700,  # app 2026-08-14
            memory=Memory(80, 80, "HBM3", 3.35),  # app 2026-08-14
            rates=Rates(None, 1979, 989),  # app 2026-08-14
            links=_NVLINK4,
            kw=_kw(1.73, 1.37),  # app-04 2026-04, app 2026-07-14
            usd_h={
                **_usd("2026-04", 1.30, 1.69, 1.30),  # app-04 2026-04
                **_usd("2026-07", 1.17, 1.55, 1.78),  # app 2026-07
                **_usd("2026-09", 1.17, None, 2.00),  # app-09 2026-09
            },
            light="#8b915f",
            dark="#2c9204",
        ),
        Chip(
            key="h200",
            label="H200",
            vendor=NVIDIA,
            architecture="Hopper",
            tdp_w=700,  # app 2026-08-14
            memory=Memory(141, 144, "HBM3e", 4.8),  # app 2026-08-14
            rates=Rates(None, 1979, 989),  # app 2026-08-14
            links=Links(450, "NVLink 4", 8, scale_out="400G InfiniBand NDR"),  # app 2026-08-14
            kw=_kw(1.73, 1.37),  # app-04 2026-04, app 2026-07-14
            usd_h={
                **_usd("2026-04", 1.41, 1.74, 1.60),  # app-04 2026-04
                **_usd("2026-07", 1.22, 1.59, 2.05),  # app 2026-07
                **_usd("2026-09", 1.22, None, 2.90),  # app-09 2026-09
            },
            light="#2f5c10",
            dark="#5fd67a",
        ),
        Chip(
            key="b200",
            label="B200",
            vendor=NVIDIA,
            architecture="Blackwell",
            tdp_w=1000,  # app 2026-08-14
            memory=Memory(180, 192, "HBM3e", 8),  # app 2026-08-14
            rates=Rates(9000, 4500, 2250),  # app 2026-08-14
            links=_NVLINK5,
            kw=_kw(2.17, 1.71),  # app-04 2026-04, app 2026-07-14
            usd_h={
                **_usd("2026-04", 1.95, 2.34, 2.90),  # app-04 2026-04
                **_usd("2026-07", 1.73, 2.07, 2.60),  # app 2026-07
                **_usd("2026-09", 1.73, None, 3.70),  # app-09 2026-09
            },
            light="#0a9184",
            dark="#3fa9a0",
        ),
        Chip(
            key="b300",
            label="B300",
            vendor=NVIDIA,
            architecture="Blackwell",
            tdp_w=1200,  # app 2026-08-14
            memory=Memory(268, 288, "HBM3e", 8),  # app 2026-08-14; 268.6 by nvidia-smi, so the unit is GiB
            rates=Rates(13500, 4500, 2250),  # app 2026-08-14
            links=Links(900, "NVLink 5", 8, scale_out="800G RoCE"),  # app 2026-08-14
            kw=_kw(2.17, 1.90),  # app-04 2026-04, app 2026-07-14
            usd_h={
                **_usd("2026-04", 2.34, 2.808, 3.48),  # app-04 2026-04
                **_usd("2026-07", 2.26, 2.52, 3.00),  # app 2026-07
                **_usd("2026-09", 2.26, None, 4.25),  # app-09 2026-09
            },
            light="#02441c",
            dark="#9be8ac",
        ),
        Chip(
            key="gb200",
            label="GB200 NVL72",
            aliases=("gb200-nvl", "gb200-nvl72"),
            vendor=NVIDIA,
            architecture="Blackwell",
            tdp_w=1200,  # app 2026-08-14
            memory=Memory(186, 192, "HBM3e", 8),  # app 2026-08-14; 185.0 by nvidia-smi, so the unit is GiB
            rates=Rates(10000, 5000, 2500),  # app 2026-08-14
            links=_NVL72,
            kw=_kw(2.10, 1.87),  # app-04 2026-04, app 2026-07-14
            usd_h={
                **_usd("2026-04", 2.21, 2.75, 3.30),  # app-04 2026-04
                **_usd("2026-07", 1.86, 2.26, 2.60),  # app 2026-07
                **_usd("2026-09", 1.86, None, 4.00),  # app-09 2026-09
            },
            light="#005960",
            dark="#3c9dd9",
        ),
        Chip(
            key="gb300",
            label="GB300 NVL72",
            aliases=("gb300-nvl", "gb300-nvl72"),
            vendor=NVIDIA,
            architecture="Blackwell",
            tdp_w=1400,  # app 2026-08-14
            memory=Memory(278, 288, "HBM3e", 8),  # app 2026-08-14; 277.5 by nvidia-smi, so the unit is GiB
            rates=Rates(15000, 5000, 2500),  # app 2026-08-14
            links=_NVL72,
            kw=_kw(2.10, 2.12),  # app-04 2026-04, app 2026-07-14
            usd_h={
                **_usd("2026-04", 2.652, 3.30, 3.96),  # app-04 2026-04
                **_usd("2026-07", 2.31, 2.79, 3.30),  # app 2026-07
                **_usd("2026-09", 2.31, None, 5.00),  # app-09 2026-09
            },
            light="#044b59",
            dark="#a9e9f0",
        ),
        Chip(
            key="vr200",
            label="VR200 NVL",
            aliases=("vera rubin", "vr200-nvl72", "vr200-nvl144"),
            vendor=NVIDIA,
            architecture="Rubin",
            usd_h=_usd("2026-09", 3.61, None, 8.50),  # app-09 2026-09
            light="#2c72b0",
            dark="#0585d8",
        ),
        Chip(
            key="rtx6000pro",
            label="RTX PRO 6000",
            aliases=("rtx-pro-6000-blackwell", "rtxpro6000", "rtx6000-pro"),
            vendor=NVIDIA,
            architecture="Blackwell",
            tdp_w=600,  # app 2026-08-14
            memory=Memory(96, 96, "GDDR7"),  # app 2026-08-14
            links=Links(None, "PCIe 5, no NVLink", 8, "host"),  # app 2026-08-14
            kw=_kw(jul=0.975),  # app 2026-07-14
            usd_h={
                **_usd("2026-07", 0.68, 0.75, 0.52),  # app 2026-07
                **_usd("2026-09", 0.68, None, 0.52),  # app-09 2026-09
            },
            light="#899603",
            dark="#cbbd00",
        ),
        Chip(
            key="rtx5090",
            label="RTX 5090",
            vendor=NVIDIA,
            architecture="Blackwell",
            tdp_w=575,  # app 2026-08-14
            memory=Memory(32, 32, "GDDR7"),  # app 2026-08-14
            links=Links(None, "PCIe", None, "host"),  # app 2026-08-14
            # The source fills power and hyperscaler price with the placeholder 9.99: missing.
            usd_h=_usd("2026-07", None, 0.57, 0.60),  # app 2026-07
            light="#5e5200",
            dark="#898206",
        ),
        Chip(
            key="mi300x",
            label="MI300X",
            vendor=AMD,
            architecture="CDNA 3",
            tdp_w=750,  # app 2026-08-14
            memory=Memory(192, 192, "HBM3", 5.3),  # app 2026-08-14
            rates=Rates(None, 2615, 1307),  # app 2026-08-14
            links=Links(448, "Infinity Fabric", 8, "full mesh", "400G RoCE"),  # app 2026-08-14
            kw=_kw(1.79, 1.39),  # app-04 2026-04, app 2026-07-14
            usd_h={
                **_usd("2026-04", 1.12, 1.40, 1.55),  # app-04 2026-04
                **_usd("2026-07", 0.95, 1.16, 1.30),  # app 2026-07
                **_usd("2026-09", 0.95, None, 1.30),  # app-09 2026-09
            },
            light="#7d105d",
            dark="#ffcdec",
        ),
        Chip(
            key="mi325x",
            label="MI325X",
            vendor=AMD,
            architecture="CDNA 3",
            tdp_w=1000,  # app 2026-08-14
            memory=Memory(256, 256, "HBM3e", 6),  # app 2026-08-14
            rates=Rates(None, 2615, 1307),  # app 2026-08-14
            links=Links(448, "Infinity Fabric", 8, "full mesh", "400G RoCE"),  # app 2026-08-14
            kw=_kw(2.18, 1.69),  # app-04 2026-04, app 2026-07-14
            usd_h={
                **_usd("2026-04", 1.28, 1.59, 1.80),  # app-04 2026-04
                **_usd("2026-07", 1.10, 1.32, 1.60),  # app 2026-07
                **_usd("2026-09", 1.10, None, 1.60),  # app-09 2026-09
            },
            light="#6e0210",
            dark="#a16a6a",
        ),
        Chip(
            key="mi355x",
            label="MI355X",
            vendor=AMD,
            architecture="CDNA 4",
            tdp_w=1400,  # app 2026-08-14
            memory=Memory(288, 288, "HBM3e", 8),  # app 2026-08-14
            rates=Rates(10066, 5033, 2516),  # app 2026-08-14
            links=Links(538, "Infinity Fabric gen 5", 8, "full mesh", "400G RoCE"),  # app 2026-08-14
            kw=_kw(2.65, 2.09),  # app-04 2026-04, app 2026-07-14
            # A white paper of September 2026 gives 3.00 for rental.
            usd_h={
                **_usd("2026-04", 1.48, 1.90, 2.10),  # app-04 2026-04
                **_usd("2026-07", 1.50, 2.09, 2.10),  # app 2026-07
                **_usd("2026-09", 1.50, None, 2.90),  # app-09 2026-09
            },
            light="#da402a",
            dark="#ef6a55",
        ),
        Chip(
            key="tpuv7",
            label="TPU v7 Ironwood",
            aliases=("ironwood", "tpu-v7", "tpu7x"),
            vendor="Google",
            architecture="TPU v7",
            devices=2,  # InferenceX 843c6254, 2026-08-21: tp=8 runs on 4 chips
            tdp_w=980,  # app-09 2026-09
            kw=_kw(sep=1.207),  # app-09 2026-09
            usd_h=_usd("2026-09", 1.21, None, 2.00),  # app-09 2026-09
            light="#3f55d8",
            dark="#97a2ff",
        ),
        Chip(
            key="jalapeno",
            label="Jalapeno",
            vendor="OpenAI",
            tdp_w=700,  # app-09 2026-09
            kw=_kw(sep=1.125),  # app-09 2026-09
            # The source gives ranges, 1.27 to 1.47 (hyperscaler) and 1.27 to 1.79 (rental), so no price is set.
            light="#6b4fc0",
            dark="#b6a2f2",
        ),
    ],
)

EXAMPLE_CHIP = "b200"
"""What a plan begins with when nobody has said which chip."""

MORE_MEMORY = ("b200", "b300")
"""Two chips whose main difference is memory: the second holds half as much again."""
