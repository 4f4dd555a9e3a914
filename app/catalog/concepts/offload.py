"""Concepts of offload itself: what is parked, where, and whether loading it back pays."""

from app.catalog.concepts.base import Concept, Look
from app.catalog.concepts.sources import (
    AGENTX,
    CONNECTOR,
    CONVOY,
    DYNAMO_DISK,
    EFFICIENT_AGENT,
    ENGRAM,
    GDS_BENCH,
    HICACHE,
    KIMI_K3,
    KVREAP,
    MINIMAX,
    PREFILL_SERVICE,
    RELOAD_ATOM,
    STORAGE_OFFLOAD,
)
from app.catalog.metrics import CACHED_SHARE, CONCURRENCY, INPUT_TPUT, TOTAL_TOKENS_PER_USD, ttft

OFFLOAD = (
    Concept(
        key="kv-cache-offload",
        also=("KV offload", "CPU offload of the KV cache", "hierarchical cache", "tiered KV cache"),
        plain="When the chip's memory is full, finished conversations are moved to the server's memory instead of "
        "being thrown away, and fetched back when they go on.",
        precise="Blocks of attention state are copied from HBM to a slower tier, by a policy (at once, when dropped, "
        "when there is time), and loaded back when a prompt matches them. In Halo it has a kind (kv), tiers named by "
        "what they are, a backend, and evidence. A dashed ring marks every point that used it, on the frontier or "
        "off it.",
        details=(
            "It replaces prefill of matched tokens by a copy. Decode is not sped up by it.",
            "It costs: copies share links with other traffic, writes share memory bandwidth, and look-ups sit on the "
            "way to the first token.",
            "With latent attention every rank holds all of a token, so a tier keeps one copy for each rank unless the "
            "engine keeps one for all. Sizes in bytes then promise more than they hold.",
            "Hybrid models must park recurrent state as well; either part missing voids the hit.",
            "Small pools and ample HBM make it a loss: on one test throughput fell by 40 % although everything fitted.",
        ),
        matters="On agents it can multiply throughput: in published runs of a large model on eight B300, 16 sessions "
        "went from 50 to 245 output tokens a second and the wait from 86 to 0.85 seconds. With eight sessions it "
        "changed nothing.",
        reading="Compare off with on at one concurrency and one recipe: the twin on the point page, or ring against no "
        "ring on a curve. Then ask where the hits came from: a ring with no share below HBM gained nothing from it.",
        looks=(
            Look(
                text="Did it pay: pairs off and on, and a verdict for each recipe",
                page="offload",
                agentic=True,
                anchor="h-verdicts",
            ),
            Look(
                text="Points with KV offload and without, same recipes",
                offload=("on", "off"),
                agentic=True,
                color="offload",
            ),
            Look(
                text="A point whose hits came from host memory",
                page="point",
                filters={"tier": ("host_dram",)},
                offload=("kv",),
                needs=(CACHED_SHARE,),
                anchor="h-off",
            ),
        ),
        sources=(AGENTX, CONNECTOR, HICACHE, MINIMAX, CONVOY),
    ),
    Concept(
        key="nvme-offload",
        also=("SSD offload", "disk tier", "flash tier", "KV cache on NVMe"),
        plain="The same with solid-state drives as the parking place: room for days of conversations, at a tenth of "
        "the speed of memory or less.",
        precise="A KV tier on local flash, or on flash behind a network. One drive of PCIe 5 reads about 14 GB/s; host "
        "memory over PCIe 5 gives 55 GB/s to each chip. Most backends pass through host memory, so such a tier is DRAM "
        "plus flash and its hits are those of both.",
        details=(
            "Ask five things of every figure: which medium, which way of reading, whether GPUDirect Storage took "
            "effect, whether the page cache was cold, and whether the pass was the first.",
            "Buffered reads of a file that was just written come from DRAM. Such a run tested no drive.",
            "Writes wear drives. 20,000 new tokens a second of 70,272 bytes are 1.4 GB/s, 121 TB a day, or 15.8 "
            "times a drive of 7.68 TB.",
            "The first pass writes and the next reads. One system was slower than recomputing in the pass right after "
            "the cold one, while its writes drained.",
            "Where host memory already limits the time to the first token, a slower tier behind it cannot help.",
            "Results of parameter tables on SSD say nothing of it: other data, other access, no hits.",
        ),
        matters="It is the only tier that holds conversations for as long as people take to answer. Whether it pays "
        "depends on bytes a token: small with latent attention, large without.",
        reading="The tier filter finds such points; their page has a panel for flash that lists what the record leaves "
        "open. Unknown stays unknown.",
        looks=(
            Look(text="Would NVMe help: the verdict of a study", page="offload", agentic=True, anchor="h-verdicts"),
            Look(text="Points with NVMe behind DRAM", filters={"tier": ("local_nvme",)}, offload=("kv",)),
            Look(
                text="How one of them read its flash",
                page="point",
                filters={"tier": ("local_nvme", "remote_flash")},
                offload=("kv",),
                anchor="nvme",
            ),
        ),
        sources=(STORAGE_OFFLOAD, GDS_BENCH, DYNAMO_DISK, KVREAP, KIMI_K3),
    ),
    Concept(
        key="parameter-offload",
        also=("Engram offload", "weight offload", "embedding table offload"),
        plain="Part of the model itself, a huge look-up table, is kept in slower memory and read row by row as words "
        "come in.",
        precise="A learned table of rows addressed by hashes of recent tokens. The rows needed are known before the "
        "layer runs, so they can be fetched ahead. They are the same for every session: no hit rate, no write "
        "policy. For one published model: 768,022,850 rows of 264 bytes are 202.8 GB; 48 rows a token are 12,672 "
        "bytes.",
        details=(
            "A drive reads pages of 4,096 bytes for a row of 264: 15.5 times what is used, unless rows are put "
            "together.",
            "At 55,000 tokens a second, 48 rows each are 2.6 million random reads a second, about all that one PCIe 5 "
            "drive is rated for.",
            "A warm page cache removes the reads; copying row ids, removing duplicates and gathering remain.",
            "What counts beside the medium: where rows are gathered, whether equal rows are read once, whether they "
            "are fetched ahead, and whether the step still runs as one graph.",
        ),
        matters="It frees HBM, and so may allow half the chips. In the published pair near 125 tok/s/user the host "
        "memory arm gave about 121 million tokens per dollar and the SSD arm about 52 million, over the whole serving "
        "path and without GPUDirect Storage.",
        reading="A small square, never a ring. Compare arms at equal interactivity in tokens per dollar. It is no "
        "evidence for or against KV offload to NVMe.",
        looks=(
            Look(
                text="Host memory against flash, in tokens per dollar",
                page="offload",
                offload=("parameter",),
                anchor="h-parameter",
            ),
            Look(text="Points with a parameter table below HBM", offload=("parameter",)),
            Look(
                text="The same in total tokens per dollar",
                offload=("parameter",),
                y=TOTAL_TOKENS_PER_USD,
                needs=(TOTAL_TOKENS_PER_USD,),
            ),
            Look(
                text="One of them with what it says of its table",
                page="point",
                offload=("parameter",),
                anchor="parameter",
            ),
        ),
        sources=(ENGRAM,),
    ),
    Concept(
        key="write-policy",
        also=("inclusive and exclusive tiers", "write-on-evict", "lazy writes"),
        plain="When the copy is made. Write-through copies everything at once; write-back copies what is about to be "
        "dropped. The first is simple and wastes room, the second saves room and must hurry.",
        precise="r is the pool below HBM over HBM's pool, in tokens after replication. Write-through tiers are "
        "inclusive: they repeat HBM, and distinct tokens grow to max(1, r) times. Write-back, on-eviction and lazy "
        "tiers are exclusive: 1 + r times. At r = 2 that is 2 against 3.",
        details=(
            "At r ≤ 1 a write-through tier cannot add a single hit. From about 1.5 it begins to, and beyond what "
            "sessions need more is idle: hence the band of 1.5 to 3, a guide from experience.",
            "Write-through writes every new token, once for each copy; that is the load on links and drives.",
            "Write-back must copy before the block can be given away, so a burst of new prompts waits for the copies.",
            "A selective policy copies what was hit before. It spares writes where most prompts never return and loses "
            "the first return.",
        ),
        matters="It decides how much a pool of a given size is worth, and how fast drives wear.",
        reading="The point page states policy, r, and what both rules would give; the scale shows r with its band. A "
        "policy that is not reported leaves a range.",
        looks=(
            Look(
                text="A point with its pool ratio and write policy",
                shows="ratio",
                page="point",
                offload=("kv",),
                filters={"tier": ("host_dram",)},
                anchor="pools",
            ),
            Look(text="Backends side by side", offload=("kv",), color="backend"),
        ),
        sources=(AGENTX, CONNECTOR, HICACHE, KIMI_K3),
    ),
    Concept(
        key="transfer-batching",
        also=("bytes per operation", "batched copies", "coalesced transfers"),
        plain="Moving a conversation in a few large pieces instead of thousands of small ones. Each piece has a fixed "
        "cost, so small ones never reach the speed of the link.",
        precise="Bytes an operation = bytes moved / transfers. A block of 16 tokens in one layer may be some "
        "kilobytes; blocks lie scattered, so a copy of a prompt is layers × blocks pieces unless the layout puts the "
        "layers of a page together or one call takes a list.",
        details=(
            "Engines batch by one call with many addresses, by a kernel that gathers, or by storing a page's layers "
            "side by side. The kernel takes compute units; the layout must fit the attention kernels.",
            "A change of layout alone took one engine's transfer of a prompt from 109 to 43 ms.",
            "AMD's runtime lacked the batched copy before ROCm 7.14, so offload under vLLM copied piece by piece "
            "there: a verdict on the platform at the time, not on offload.",
            "Flash wants pieces of hundreds of kilobytes and many in flight.",
        ),
        matters="It separates the bandwidth of the data sheet from that of the run, often by ten.",
        reading="The traffic panel gives bytes, transfers and bytes each, and two rates: while moving, and over the "
        "whole run.",
        looks=(
            Look(
                text="A point with counters of what moved",
                shows="flows",
                page="point",
                offload=("kv",),
                filters={"tier": ("host_dram",)},
                needs=(INPUT_TPUT,),
                anchor="traffic",
            ),
        ),
        sources=(MINIMAX, CONNECTOR, HICACHE),
    ),
    Concept(
        key="reload",
        also=("reload or recompute", "resume", "load back", "break-even"),
        plain="A conversation that is no longer in the chip's memory can be fetched or read again from the start. "
        "Fetching is usually faster, but not always, and for short ones hardly ever.",
        precise="T_load = t0 + queue + N × bytes on a rank / bandwidth of its link. T_recompute = N × (2 × active "
        "parameters + attention) / (efficiency × FLOPS). Below N* = t0 / (t_rec − b / BW) recomputing wins; below "
        "BW* = b / t_rec it wins at any length.",
        details=(
            "Attention grows with length, so long prompts favor reloading more than the linear part says.",
            "Faster chips raise the bar for links: what must be compared is FLOP per byte of link.",
            "Time of one token, recomputed against reloaded, as measured: 78 against 10 µs (host memory, ATOM), 232 "
            "against 4.2 µs (host memory, H20), but 45 against 2,000 µs from a disk tier on an H100.",
            "Engines set a least length for loads (8,192 tokens in one), so short prompts show no host hits by policy.",
            "A queue on the link is shared: many sessions that resume at once may wait longer than one alone would "
            "compute.",
        ),
        matters="It is the question behind every tier: a hit that arrives later than a recomputation is a loss.",
        reading="The traffic panel compares what this throughput asks of the link with what the link carries. The plan "
        "draws both times over prompt length and marks measured anchors.",
        looks=(
            Look(
                text="Reload against recompute over prompt length, begun with a point",
                page="plan",
                offload=("kv",),
                needs=(INPUT_TPUT,),
                anchor="h-time",
            ),
            Look(
                text="Time to first token over concurrency, with offload and without",
                agentic=True,
                offload=("on", "off"),
                x=CONCURRENCY,
                y=ttft("p50"),
                color="offload",
                needs=(ttft("p50"),),
            ),
            Look(
                text="A point with the reload bandwidth that it needs",
                page="point",
                offload=("kv",),
                filters={"tier": ("host_dram",)},
                needs=(INPUT_TPUT, CACHED_SHARE),
                anchor="traffic",
            ),
        ),
        sources=(RELOAD_ATOM, DYNAMO_DISK, EFFICIENT_AGENT, PREFILL_SERVICE),
    ),
)
