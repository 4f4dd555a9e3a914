"""Concepts of what is measured: shares and their denominators, speeds, waits, and the frontier."""

from app.catalog.concepts.base import Concept, Look
from app.catalog.concepts.sources import AGENTX, CEILING_SHIFT, COUNTERS, ENGRAM, KVREAP, METHOD, MINIMAX, OVERVIEW
from app.catalog.metrics import (
    CACHED_SHARE,
    CEILING_SHARE,
    CONCURRENCY,
    INTERACTIVITY_P50,
    INTERACTIVITY_P90,
    ITL_P50_S,
    OUTPUT_TPUT_PER_CHIP,
    TOTAL_TOKENS_PER_USD,
    TPOT_MEAN_S,
    ttft,
)

MEASURES = (
    Concept(
        key="tier-share",
        also=("hit rate by tier", "cache hit rate", "token sources"),
        plain="Of all the words that were read, how many came from this memory. The shares of all memories and of what "
        "was computed anew make up the whole.",
        precise="share = tokens that a tier served / all prompt tokens of the measured phase. It is the only rate that "
        "Halo charts. Rates over anything else keep the name of their denominator and stand apart.",
        details=(
            "Over what faster tiers missed: with 60 % from HBM, a rate of 50 % behind it is a share of 20 %; with 90 % "
            "from HBM the same rate is a share of 5 %. Such a rate ranks nothing.",
            "Both true of one run: the file system answered 94.4 % of the chunks it was asked for, and served 6.3 % of "
            "all prompt tokens (947,616 of 14,991,384).",
            "vLLM's external queries counted all prompt tokens in older releases and the remaining ones in newer, so "
            "Halo divides hits by prompt tokens and flags which it was.",
            "ATOM's cached tokens contain the loaded ones: HBM is (cached − loaded) / full, or they would add up to "
            "1.2.",
            "External means some connector. It is called DRAM only where the recipe proves it, and on decode workers "
            "it may be transfers from prefill, which are no hits.",
            "Mooncake's printed hit rate is hits per stored object and may exceed 1: no rate at all.",
        ),
        matters="Two dashboards may print 94 % and 6 % for one run. Whoever buys drives should know which was meant.",
        reading="The bar on the point page; HBM, DRAM, NVMe and remote from dark to light, hatched where the tier is "
        "not known. No tier and a measured zero and not reported are three different things there.",
        looks=(
            Look(
                text="Where the prompt tokens came from, stacked over concurrency",
                page="offload",
                needs=(CACHED_SHARE,),
                anchor="h-waterfall",
            ),
            Look(text="Cached share over concurrency", x=CONCURRENCY, y=CACHED_SHARE, needs=(CACHED_SHARE,)),
            Look(
                text="A point with its tiers and raw counts",
                page="point",
                offload=("kv",),
                needs=(CACHED_SHARE,),
                anchor="h-off",
            ),
            Look(
                text="A point that has a rate with another denominator",
                page="point",
                filters={"backend": ("vllm-tiering",)},
                needs=(CACHED_SHARE,),
                anchor="other-rates",
            ),
        ),
        sources=(KVREAP, COUNTERS, METHOD),
    ),
    Concept(
        key="ceiling",
        also=("theoretical hit rate", "infinite-cache hit rate", "achieved over ceiling"),
        plain="The most that any cache could have served on this recording, however large. What is missing to it was "
        "lost; what lies above it was never there to win.",
        precise="T = hit blocks / all blocks of the trace with a cache that forgets nothing, within one session. "
        "Achieved = cached share / T. Compulsory misses = 1 − T. Lost = max(0, T − cached share): to capacity, policy, "
        "routing or recurrent state.",
        details=(
            "It depends on the data set, the block size and the longest context: for two recordings 96.8 % and 85.8 %, "
            "and 65.6 to 69.9 % for the second where prompts were cut at 131,072 tokens.",
            "Sessions that share a system prompt can beat a ceiling that looks at single sessions. Halo flags it as a "
            "note, not as an error.",
            "Hybrid models tell what state cost them: prefixes that matched and checkpoints that were gone.",
            "A router's prediction is a mean over requests and is set beside the shares, never subtracted from them.",
        ),
        matters="A hit rate of 90 % is poor under a ceiling of 97 and excellent under one of 91.",
        reading="The tick over the bar of the point page, and the attribution under it. Compare within one data set "
        "only.",
        looks=(
            Look(
                text="A point with achieved over ceiling and where the rest went",
                page="point",
                offload=("kv",),
                needs=(CACHED_SHARE, CEILING_SHARE),
                anchor="misses",
            ),
            Look(
                text="Cached share over concurrency where the ceiling is known",
                agentic=True,
                x=CONCURRENCY,
                y=CACHED_SHARE,
                needs=(CACHED_SHARE, CEILING_SHARE),
            ),
        ),
        sources=(CEILING_SHIFT, METHOD, AGENTX),
    ),
    Concept(
        key="interactivity",
        also=("tokens per second per user", "tok/s/user", "user speed"),
        plain="How fast one reader sees the answer appear. At about ten tokens a second people read along; agents have "
        "no such limit and wait for every token.",
        precise="1 / TPOT for fixed lengths, 1 / ITL for agents, at the same statistic. p90 interactivity is 1 over "
        "the p90 latency: the speed that nine out of ten reach or exceed, so the slow tail and not the fast one.",
        details=(
            "The wait for the first token is not in it; end-to-end interactivity contains it.",
            "A mean of speeds is not the inverse of a mean latency. Halo inverts latencies, always.",
            "Speculation raises it at light load and costs at heavy load, where rejected tokens take the place of "
            "others.",
            "Two definitions never share a frontier without being named: every point says which one it has.",
        ),
        matters="Throughput alone can be bought by making everyone wait. This is the other side of the trade.",
        reading="The x axis by default, higher to the right is better. For agents at p90, else at p50; the axis menu "
        "has the rest.",
        looks=(
            Look(text="Agents, at p90", agentic=True, x=INTERACTIVITY_P90, needs=(INTERACTIVITY_P90,)),
            Look(text="Fixed lengths, at p50", agentic=False, x=INTERACTIVITY_P50, needs=(INTERACTIVITY_P50,)),
        ),
        sources=(METHOD, AGENTX),
    ),
    Concept(
        key="ttft",
        also=("time to first token", "first-token latency", "prefill latency"),
        plain="How long nothing happens after you press enter.",
        precise="From sending the request to its first output token: queueing, look-up, loading of cached state, "
        "prefill of the rest, and one decode step. Seconds, at mean and percentiles.",
        details=(
            "For agents it is nearly all queue and cache: new tokens are few, and a miss costs the whole context.",
            "Its percentiles split two crowds, hits and misses. A p50 of 0.4 s with a p99 of 30 s is a hit rate in "
            "disguise.",
            "Servers that answer with an empty first chunk look faster than they are; formats that count it are "
            "flagged.",
            "Offload shows here first: 4,286 to 438 ms at the median in one published pair.",
        ),
        matters="An agent pays it on every turn, a hundred times a session.",
        reading="As x axis smaller is better and the frontier turns round. Over concurrency it shows where the cache "
        "or the link gives out.",
        looks=(
            Look(text="TTFT p50 over concurrency", x=CONCURRENCY, y=ttft("p50"), needs=(ttft("p50"),)),
            Look(
                text="The same for agents, with offload and without",
                agentic=True,
                offload=("on", "off"),
                color="offload",
                x=CONCURRENCY,
                y=ttft("p90"),
                needs=(ttft("p90"),),
            ),
        ),
        sources=(METHOD, AGENTX),
    ),
    Concept(
        key="tpot",
        also=("time per output token", "mean pace after the first token"),
        plain="How long each further word takes once the answer has begun, on average over the answer.",
        precise="(end-to-end latency − TTFT) / (output tokens − 1), one value a request; its percentiles are over "
        "requests. It smooths stalls inside an answer.",
        details=(
            "One output token gives no TPOT: the denominator is zero and the request is left out.",
            "With speculation several tokens arrive at once; TPOT counts tokens, so it is not misled by that.",
            "Other requests' prefill between decode steps shows in it as a slower pace, not as a gap.",
        ),
        matters="Its inverse is the interactivity of fixed-length results.",
        reading="In the table of metrics of each point, at all statistics kept. Prefer it to ITL for fixed lengths.",
        looks=(
            Look(text="Fixed lengths: throughput against TPOT", agentic=False, x=TPOT_MEAN_S, needs=(TPOT_MEAN_S,)),
        ),
        sources=(METHOD,),
    ),
    Concept(
        key="itl",
        also=("inter-token latency", "time between tokens", "TBT"),
        plain="The gap between one word and the next.",
        precise="Time between output tokens as they arrive. Agentic files keep one mean a request, which makes it "
        "TPOT by another name; most other tools keep every gap between streamed chunks, and a chunk may hold several "
        "tokens.",
        details=(
            "Over chunks it sees stalls that a mean hides: its p99 is where prefill of others interrupts an answer.",
            "With speculation, chunks of three tokens make it three times TPOT. The two then do not compare.",
            "Halo keeps what each format means and says at each point which definition its interactivity rests on.",
        ),
        matters="It is the jerkiness that readers notice, and the base of interactivity for agents.",
        reading="As a metric of each point; interactivity of agentic points is its inverse.",
        looks=(Look(text="Agents: throughput against ITL p50", agentic=True, x=ITL_P50_S, needs=(ITL_P50_S,)),),
        sources=(METHOD, AGENTX),
    ),
    Concept(
        key="frontier",
        also=("Pareto front", "Pareto-optimal points", "trade-off curve"),
        plain="The best you can have of one thing for each amount of the other. Everything under the line is beaten by "
        "something on it.",
        precise="The points of a series that no other point of it equals or beats on both axes while beating it on "
        "one. Each axis knows its direction. It is computed before rounding, within one model, workload and origin.",
        details=(
            "It joins measured points by straight lines for the eye; nothing was measured between them.",
            "One lucky run can hold a stretch of it. Repeats are folded to the newest by default and can be shown.",
            "On and off points share a series, so the frontier may change from one to the other along the way.",
            "A predicted or synthetic point never pushes out a measured one: origins have frontiers of their own.",
        ),
        matters="It compares systems at the operating point that you need, instead of at the one each looks best at.",
        reading="Lines are frontiers, faint marks are beaten. A ring on the line means that offload was needed for it.",
        looks=(
            Look(text="What offload adds to a frontier", page="offload", agentic=True, anchor="h-gain"),
            Look(text="Throughput against interactivity"),
            Look(
                text="Output throughput per chip instead of total",
                y=OUTPUT_TPUT_PER_CHIP,
                needs=(OUTPUT_TPUT_PER_CHIP,),
            ),
            Look(text="Tokens per dollar", y=TOTAL_TOKENS_PER_USD, needs=(TOTAL_TOKENS_PER_USD,)),
        ),
        sources=(METHOD, OVERVIEW, MINIMAX, ENGRAM),
    ),
)
