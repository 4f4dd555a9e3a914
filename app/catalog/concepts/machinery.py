"""Concepts of the machinery: roles apart, reading past the processor, and the cache that nobody asked for."""

from app.catalog.concepts.base import Concept, Look
from app.catalog.concepts.sources import (
    AGENTX,
    CONNECTOR,
    CUFILE,
    ENGRAM,
    GDS_BENCH,
    HICACHE,
    KIMI_K3,
    MINIMAX,
    PREFILL_SERVICE,
)
from app.catalog.metrics import HBM_POOL_TOKENS

MACHINERY = (
    Concept(
        key="disaggregation",
        also=("prefill-decode disaggregation", "P/D", "disagg", "split serving"),
        plain="One group of chips reads the prompts, another writes the answers, so that a long prompt does not make "
        "every answer stutter.",
        precise="Prefill workers compute attention state and send it to decode workers over a fast link or network. "
        "Chips, parallelism and number of workers differ by role. Per-chip figures divide by the chips of both.",
        details=(
            "What must cross: bytes a token × prompt. The time to send it is part of the first token's wait.",
            "Decode workers count what they fetch from prefill as external, in the same counter as offload. Halo flags "
            "it, and calls nothing a hit that may be a transfer.",
            "Prefix caches live with prefill; a decode worker's own cache misses most of it.",
            "The ratio of roles fits one mix of lengths. Agents, with tiny outputs and cached inputs, want another "
            "than 8k/1k.",
        ),
        matters="It moves the frontier at high interactivity and costs chips at low; it also decides where caches and "
        "their misses are.",
        reading="The layout says 2P+4D with each role's parallelism. Filter on disaggregated. Look for the flag before "
        "comparing shares.",
        looks=(
            Look(text="Disaggregated deployments", filters={"disaggregated": ("true",)}),
            Look(text="With and without, by color", color="disaggregated"),
        ),
        sources=(PREFILL_SERVICE, MINIMAX, AGENTX),
    ),
    Concept(
        key="gpudirect",
        also=("GDS", "cuFile", "hipFile"),
        plain="The drive puts data straight into the chip's memory. Without it data goes to the server's memory first "
        "and is copied once more.",
        precise="Direct memory access between NVMe (or a network card) and HBM. Five states are told apart: off, "
        "active, requested but fell back, requested and not verified, unknown. Configured is not active.",
        details=(
            "Libraries fall back to ordinary reads without an error: on overlay file systems in containers, on file "
            "systems that are not supported, without the kernel module.",
            "Proof is a counter of the driver, or reads that no page cache and no host buffer saw.",
            "It saves host bandwidth and a copy. It makes no drive faster.",
            "With GDS the host tier often disappears: fewer hits from DRAM may cost more than the copy saved. Below "
            "the capacity of host memory DRAM was faster in a published test, 0.58 against 0.98 to 1.28 s at 10,000 "
            "tokens.",
        ),
        matters="A figure for GDS that fell back is a figure for POSIX reads with another name.",
        reading="The flash panel of a point says which state, and what would prove it.",
        looks=(
            Look(
                text="A point that says whether GDS was active",
                shows="gds",
                page="point",
                filters={"tier": ("local_nvme",)},
                offload=("kv",),
                needs=(HBM_POOL_TOKENS,),
                anchor="nvme",
            ),
            Look(text="Points with a tier on local flash", filters={"tier": ("local_nvme",)}),
        ),
        sources=(GDS_BENCH, CUFILE, ENGRAM),
    ),
    Concept(
        key="page-cache",
        also=("file cache", "buffer cache", "warm files"),
        plain="The operating system keeps files it has read in spare memory. Ask again, and they come from memory: "
        "pleasant, unless you were measuring the drive.",
        precise="States: cold (dropped before the run), warm (files lay in memory), mixed, bypassed (O_DIRECT or GDS), "
        "unknown. A file that was just written is warm.",
        details=(
            "Backends that read files in the ordinary way, or map them, go through it; a tier called disk may then "
            "be DRAM.",
            "Its size is whatever memory is left over, so a run with a smaller host tier may have a larger page "
            "cache and look better for it.",
            "With a warm cache a mapped table reads nothing from storage; the faults, the copies and the gathering "
            "remain.",
            "mincore or a read that must not wait tells afterwards which pages lay in memory.",
        ),
        matters="It turns a test of flash into a test of DRAM, and nothing in the result shows it.",
        reading="The flash panel prints the state with what it proves, and keeps cold and warm passes apart.",
        looks=(
            Look(
                text="A point on flash with its page-cache state",
                shows="page_cache",
                page="point",
                filters={"tier": ("local_nvme", "remote_flash")},
                anchor="nvme",
            ),
            Look(text="Points on flash, local and remote", filters={"tier": ("local_nvme", "remote_flash")}),
        ),
        sources=(ENGRAM, HICACHE, GDS_BENCH),
    ),
    Concept(
        key="pool-ratio",
        also=("r", "offload pool over HBM pool"),
        plain="How many times as many conversations the slower memory can hold as the chip's own.",
        precise="r = tokens below HBM / tokens in HBM, after replication. Tokens, not bytes: a tier that keeps eight "
        "copies of each token holds an eighth of what its bytes suggest.",
        details=(
            "Write-through: below 1 it adds nothing, and 1.5 to 3 is the usual range. Exclusive: any size adds.",
            "More than the working set needs is idle.",
            "Where only bytes are stated, Halo works tokens out from the model's geometry and says so; for hybrids it "
            "does not, since their state shares the room.",
            "One engine's ratio setting counts per rank: ratio 2 asked for more than a server's 3 TB.",
        ),
        matters="It says at a glance whether a pool can add hits at all.",
        reading="The scale on the point page, with the band of 1.5 to 3 shaded.",
        looks=(
            Look(
                text="Gain against the ratio of pools",
                page="offload",
                agentic=True,
                needs=(HBM_POOL_TOKENS,),
                anchor="h-pressure",
            ),
            Look(
                text="A point with both pools in tokens",
                shows="ratio",
                page="point",
                filters={"tier": ("host_dram",)},
                offload=("kv",),
                needs=(HBM_POOL_TOKENS,),
                anchor="pools",
            ),
        ),
        sources=(AGENTX, CONNECTOR, KIMI_K3),
    ),
)
