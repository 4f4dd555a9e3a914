"""The words of Halo that no other catalog holds: what marks, pages and figures are called, and what they mean."""

from dataclasses import dataclass

from app.catalog.vocabulary import Term, Vocabulary


@dataclass(frozen=True, kw_only=True)
class Word(Term):
    """A word with its meaning; `see` are the keys of words that belong with it."""

    see: tuple[str, ...] = ()


def _word(key: str, label: str, text: str, *see: str, also: tuple[str, ...] = ()) -> Word:
    return Word(key=key, label=label, text=text, see=see, aliases=also)


_CHART = [
    _word(
        "point",
        "Point",
        "One result: a config at one concurrency, on one workload, in one run.",
        "config",
        "workload",
        "run",
    ),
    _word(
        "frontier",
        "Pareto frontier",
        "The points of a series that no other point of it beats on both axes at once. Moving along it trades one axis "
        "for the other. Each axis knows which direction is better.",
        "dominated",
        "series",
        also=("pareto", "pareto front"),
    ),
    _word(
        "dominated",
        "Dominated",
        "A point that another point of its series beats on one axis without losing on the other. Drawn fainter.",
        "frontier",
    ),
    _word(
        "halo",
        "Halo",
        "The dashed ring: this point used KV-cache offload. Nothing else is ever ringed, and every such point is "
        "ringed wherever it is drawn, on the frontier or off it.",
        "kv-cache-offload",
        "notch",
        also=("ring",),
    ),
    _word(
        "notch",
        "Notch",
        "The small square at a point's upper right: this point used parameter offload. A point may carry halo and "
        "notch.",
        "parameter-offload",
        "halo",
    ),
    _word(
        "series",
        "Series",
        "The points of one color: by default those that share chip, engine, precision and speculation. Points with and "
        "without offload share a series, so that a curve shows what offload does.",
        "frontier",
    ),
    _word(
        "reading-line",
        "Reading line",
        "A line across the chart at one value of the horizontal axis. Where it meets a frontier, that series is read: "
        "measured where a point lies there, interpolated on the straight line between two neighbouring points, and "
        "nothing outside the range of the frontier.",
        "frontier",
        "service-level",
        "baseline",
        also=("reading",),
    ),
    _word(
        "service-level",
        "Service level",
        "What users must get, as a bound on a metric: at most where lower is better, at least where higher is. A point "
        "that does not report the metric is unknown, neither meeting nor failing.",
        "reading-line",
        "percentile",
        also=("slo", "service level objective"),
    ),
    _word(
        "baseline",
        "Baseline",
        "The series that the ratios of a comparison are against. Without a choice it is the one whose frontier "
        "overlaps most others on the horizontal axis.",
        "series",
        "noise",
    ),
    _word(
        "noise",
        "Noise",
        "How far repeats of one config at one load lie apart. With two or more, least and most are given; with five or "
        "more also the bootstrap interval of their mean. A difference whose intervals overlap is within noise. Of two "
        "single runs, less than 3 % is called the same, since nobody measured their noise.",
        "run",
        "baseline",
        also=("repeat noise",),
    ),
    _word(
        "comparable-group",
        "Comparable group",
        "What all points on a chart have in common: model, workload and origin. A frontier never crosses from one "
        "group to another.",
        "frontier",
        "workload",
    ),
    _word(
        "percentile",
        "Percentile",
        "The p90 of a latency is what nine out of ten requests stay under. Interactivity at p90 is its inverse: the "
        "speed that nine out of ten users reach or exceed, which is the slow tail.",
        "interactivity",
    ),
]

_CONFIG = [
    _word(
        "recipe",
        "Recipe",
        "How a model is served: chips and their number by role, engine and version, precision, speculation, "
        "parallelism and disaggregation. Offload is not part of it.",
        "config",
    ),
    _word("config", "Config", "A recipe together with its offload.", "recipe", "twin"),
    _word(
        "twin",
        "Twin",
        "The other of two configs that share a recipe and differ in offload alone. Comparing twins at one concurrency "
        "shows what offload gains or costs.",
        "config",
    ),
    _word(
        "workload",
        "Workload",
        "What was served: a fixed number of input and output tokens, written 1k/1k with 1k = 1024 tokens, or the "
        "traces of agents at work.",
        "agentic",
    ),
    _word(
        "agentic",
        "Agentic workload",
        "Recorded sessions of coding agents, played again. A session sends a growing prompt again and again, so most "
        "of each prompt can come from a cache, and total throughput is mostly cached input.",
        "workload",
        "prefix-cache",
    ),
    _word(
        "agentx",
        "AgentX",
        "A benchmark that replays recorded sessions of coding agents: their turns, pauses and sub-agents, for so many "
        "sessions at once.",
        "agentic",
        "ceiling",
        also=("inferencexv3",),
    ),
    _word(
        "run",
        "Run",
        "One execution of a sweep over concurrencies. Points of one run were measured together.",
        "point",
    ),
    _word(
        "disaggregation",
        "Disaggregation",
        "Prefill and decode run on separate chips, and the attention state travels from the one to the other. Figures "
        "per chip divide by the chips of both roles.",
        "prefill",
        "decode",
        also=("disagg", "p/d"),
    ),
    _word("prefill", "Prefill", "Reading the prompt: all its tokens at once, limited by arithmetic.", "decode"),
    _word("decode", "Decode", "Writing the answer: one token after another, limited by memory bandwidth.", "prefill"),
    _word(
        "layout",
        "Parallelism",
        "How a model is spread over chips: tensor parallel (TP) splits each layer, pipeline parallel (PP) puts layers "
        "on different chips, expert parallel (EP) spreads experts, and DPA runs attention on copies. EP adds no chips.",
        also=("tensor parallel", "expert parallel", "dpa"),
    ),
    _word(
        "prompt-token",
        "Prompt token",
        "A token of a request's input, whether it had to be computed or came from a cache.",
        "tier-share",
    ),
]

_CACHE = [
    _word(
        "kv-cache",
        "KV cache",
        "The attention state of the tokens read so far. With it a request goes on where an earlier one stopped; "
        "without it the prompt is computed again.",
        "prefix-cache",
        "kv-cache-offload",
    ),
    _word(
        "prefix-cache",
        "Prefix cache",
        "Attention state kept after a request, for later requests that begin with the same tokens. It lives in HBM "
        "unless it is offloaded.",
        "kv-cache",
    ),
    _word(
        "kv-cache-offload",
        "KV-cache offload",
        "Attention state that does not fit HBM is parked in slower memory, such as the server's DRAM or flash, and "
        "loaded back when a request needs it. It pays when loading is faster than computing again.",
        "halo",
        "tier",
    ),
    _word(
        "nvme-offload",
        "NVMe offload",
        "Offload to flash drives: far larger than DRAM and far slower. A figure means little unless it says whether "
        "the operating system's page cache was warm and whether GPUDirect Storage was active.",
        "page-cache",
        "gpudirect",
    ),
    _word(
        "parameter-offload",
        "Parameter offload",
        "Learned weights that are looked up by token, such as Engram tables, lie in DRAM or on flash. The rows are the "
        "same for every session, so it has no hit rate and says nothing about KV-cache offload.",
        "notch",
    ),
    _word(
        "tier",
        "Tier",
        "A kind of memory that prompt tokens were served from, named by what it is. Engines number their caches "
        "differently: L2 is DRAM to one and storage to another.",
        "tier-share",
    ),
    _word(
        "tier-share",
        "Tier share",
        "Tokens that a tier served, divided by all prompt tokens. Shares of one point and its recomputed share add up "
        "to the whole. It is the only hit rate that is charted.",
        "denominator",
        "ceiling",
        also=("share", "hit rate", "cache hit rate"),
    ),
    _word(
        "denominator",
        "Denominator of a hit rate",
        "What the hits are divided by. Over all prompt tokens, over the tokens that faster tiers missed, over the "
        "tokens looked up, or over the cached tokens: one run gives four figures. With 60 % from HBM, a 50 % rate on "
        "the rest is a share of 20 %. Rates with another denominator keep their own name and are not charted.",
        "tier-share",
        also=("conditional_on_miss", "conditional_on_lookup", "share_of_cached", "share_of_prompt"),
    ),
    _word(
        "ceiling",
        "Ceiling",
        "The share that an infinitely large cache could have served on the same trace. It depends on the data set, so "
        "it is only compared within one.",
        "tier-share",
        also=("theoretical hit rate",),
    ),
    _word(
        "recomputed",
        "Recomputed",
        "Prompt tokens that no cache served, so that the chips had to read them.",
        "tier-share",
    ),
    _word(
        "working-set",
        "Working set",
        "The attention state of all sessions that are alive. Offload helps when it is larger than HBM and fits the "
        "slower memory; when it fits neither, state is written and never read.",
        "kv-cache-offload",
    ),
    _word(
        "cache-lifetime",
        "Cache lifetime",
        "How long a tier keeps a prefix that nobody asks for: the tokens it holds over the new tokens that enter it a "
        "second. An agent that pauses longer than that pays for its whole prompt again.",
        "working-set",
        "prefix-cache",
    ),
    _word(
        "pool",
        "Pool",
        "The part of a memory that is set aside for attention state, in tokens. Bytes mislead: copies held by several "
        "ranks count once in tokens.",
        "pool-ratio",
        "replication",
    ),
    _word(
        "pool-ratio",
        "Pool ratio r",
        "Tokens that the pools below HBM hold, over those that HBM holds. For write-through host memory 1.5 to 3 is "
        "the usual range.",
        "write-policy",
        "pool",
    ),
    _word(
        "replication",
        "Copies of a token",
        "How many copies of one token's attention state lie below HBM. With latent attention each rank of a "
        "tensor-parallel group has one, unless the engine keeps one for all.",
        "pool",
    ),
    _word(
        "write-policy",
        "Write-through and write-back",
        "When a block is copied below HBM: at once, or when HBM drops it. The first repeats what HBM holds and keeps "
        "max(1, r) times as many tokens, the second adds to it and keeps 1 + r times as many.",
        "pool-ratio",
        "write-amplification",
    ),
    _word(
        "write-amplification",
        "Write amplification",
        "Bytes written below HBM for each byte that came back. Far above 1 the tier stores what nobody asks for.",
        "write-policy",
        "drive-writes",
    ),
    _word(
        "drive-writes",
        "Drive writes a day",
        "How many times a day all drives of a tier are written over. Vendors rate drives for one to three over their "
        "warranty.",
        "write-amplification",
        also=("dwpd", "endurance"),
    ),
    _word(
        "transfer-batching",
        "Transfer batching",
        "Moving attention state in few large pieces: bytes moved over transfers. Small pieces never reach the speed of "
        "the link.",
        "reload",
    ),
    _word(
        "reload",
        "Reload and recompute",
        "A prefix that HBM no longer holds can be loaded from a slower tier or computed again. Which is faster follows "
        "from length, bytes a token, link and chip.",
        "kv-cache-offload",
        "working-set",
        also=("break-even",),
    ),
    _word(
        "page-cache",
        "Page cache",
        "DRAM in which the operating system keeps files it has read. A warm page cache makes a flash tier read from "
        "DRAM.",
        "nvme-offload",
    ),
    _word(
        "gpudirect",
        "GPUDirect Storage",
        "Reading from flash straight into HBM. Being configured is not being active: it falls back to ordinary reads "
        "without an error.",
        "nvme-offload",
        also=("gds",),
    ),
]

_HALO = [
    _word(
        "snapshot",
        "Snapshot",
        "One published state of the store. A link that names its snapshot shows the same numbers for good.",
    ),
    _word(
        "evidence",
        "Evidence",
        "Where a point's offload was read from: a field of the result file, the launch command, a name, or the mere "
        "presence of a counter, in falling order of trust.",
        "kv-cache-offload",
    ),
    _word(
        "origin",
        "Origin",
        "Whether numbers were measured, predicted, typed from a public report, or made up for a demo.",
    ),
    _word("source", "Source", "A format of result files that Halo reads."),
    _word("flag", "Flag", "A named doubt about the numbers of a point, shown wherever they are."),
    _word(
        "not-reported",
        "Not reported",
        "The record does not say. It is not zero: a measured zero reads 0.",
    ),
    _word(
        "price-table",
        "Price table",
        "Dollars per chip and hour, and kilowatts per chip, on one basis at one date. Figures of money and provisioned "
        "power follow from it and change with it, with no new measurement.",
    ),
    _word(
        "provisioned-power",
        "Provisioned power",
        "The power that must be there for a chip: its own, and its share of the host and the network. Measured energy "
        "is another thing: that of the GPU boards alone.",
        "price-table",
    ),
]

WORDS: Vocabulary[Word] = Vocabulary("word", [*_CHART, *_CONFIG, *_CACHE, *_HALO])
