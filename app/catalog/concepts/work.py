"""Concepts of what is served: agents, their caches, and how long what they left behind is worth keeping."""

from app.catalog.chips import MORE_MEMORY
from app.catalog.concepts.base import Concept, Look
from app.catalog.concepts.sources import (
    AGENTX,
    AGENTX_FAQ,
    EFFICIENT_AGENT,
    KIMI_K3,
    METHOD,
    MINIMAX,
    OVERVIEW,
    TWO_CHIPS,
)
from app.catalog.metrics import (
    CACHED_SHARE,
    CEILING_SHARE,
    CONCURRENCY,
    HBM_POOL_TOKENS,
    INPUT_TOKENS_MEAN,
    INPUT_TPUT,
)

WORK = (
    Concept(
        key="agentx",
        also=("InferenceXv3", "inferencex-agentx-mvp", "agentic traces"),
        plain="A benchmark that replays recorded sessions of coding agents against a server: the same turns, the same "
        "pauses, the same sub-agents, for as many sessions at once as the operator asks for.",
        precise="AIPerf keeps a given number of session trees alive for 900 seconds or more (1,800 by default) after "
        "a warm-up. Token counts, shared prefixes, sub-agents and pauses are those of recorded sessions; the text is "
        "made up. Concurrency counts live sessions, not requests in flight. A marker at the start of every replayed "
        "session keeps copies of one trace from hitting each other's cache.",
        details=(
            "Output length is forced to that of the recording, so every system produces the same tokens.",
            "A session can fan out into sub-agents, so requests in flight may exceed the concurrency; while tools run "
            "they undercut it.",
            "The record states the share that an endless cache could have served on this very replay: Halo's ceiling.",
            "Offload to DRAM takes part. NVMe is outside its rules so far, so no AgentX point shows offload to flash.",
            "Runs that overrode a safeguard are marked invalid by the tool, and Halo flags them.",
        ),
        matters="Fixed prompts of random tokens have nothing to reuse, so they say nothing about caches, routing or "
        "offload. On agents those decide the result.",
        reading="Filter on workload: names that begin with agentic are traces, by data set. Interactivity is 1/ITL "
        "there and defaults to p90. Total throughput is mostly cached input; computed throughput leaves that out.",
        looks=(
            Look(text="Agent traces, throughput against the slow tail of interactivity", agentic=True),
            Look(
                text="The same with offload on only: every point ringed",
                agentic=True,
                offload=("kv",),
            ),
            Look(
                text="A point with the ceiling of its own trace",
                page="point",
                agentic=True,
                needs=(CACHED_SHARE, CEILING_SHARE),
                anchor="misses",
            ),
        ),
        sources=(AGENTX, AGENTX_FAQ, METHOD, OVERVIEW),
    ),
    Concept(
        key="agentic",
        also=("agentic inference", "coding-agent workload", "multi-turn trace"),
        plain="What a server sees when a program, not a person, talks to it: long conversations that come back again "
        "and again with everything said so far, plus a little that is new.",
        precise="Sessions of tens to hundreds of turns. Turn n sends the whole of turn n − 1, its answer, and the "
        "result of a tool. The cached part of a prompt tends towards 1 as a session grows; what is new is a few "
        "hundred to a few thousand tokens. Sub-agents start in bursts with contexts of their own.",
        details=(
            "Prompts of 50,000 to 300,000 tokens with answers of a few hundred are ordinary.",
            "Between turns a session waits: for a tool, a test run, a person. Its attention state is idle but wanted.",
            "Several sessions share a system prompt, so a cache may serve more than one session's own trace would "
            "allow.",
            "Which replica a turn reaches matters as much as what that replica holds.",
        ),
        matters="When 95 % of a prompt can be reused, losing the cache multiplies the work by twenty. Capacity, "
        "placement and reload speed of attention state then weigh more than arithmetic.",
        reading="Compare the cached share with its ceiling, and computed with total throughput. A system that looks "
        "slow may only have lost its cache.",
        looks=(
            Look(text="Agent traces over concurrency", agentic=True, x=CONCURRENCY),
            Look(text="Cached share over concurrency", agentic=True, x=CONCURRENCY, y=CACHED_SHARE),
            Look(text="Fixed lengths, for contrast: nothing to reuse", agentic=False),
        ),
        sources=(OVERVIEW, AGENTX, AGENTX_FAQ),
    ),
    Concept(
        key="prefix-cache",
        also=("prefix caching", "radix cache", "automatic prefix caching", "prompt cache"),
        plain="When two requests begin with the same words, the second need not read them again: the work of the first "
        "is still there.",
        precise="Attention state of past tokens, kept in blocks and found by a hash of all tokens up to each block. "
        "Only an unbroken run from the first token counts: one token that differs ends the match. A hit saves "
        "prefill, never decode.",
        details=(
            "Blocks of 16 to 256 tokens set the grain: the last, partly filled block is computed again.",
            "Hybrid models also need the recurrent state at the end of the match. Engines keep it at intervals only, "
            "so the usable match may be shorter than the attention state would allow.",
            "HBM evicts by last use. A burst of new sessions pushes out state that an idle one will want.",
            "Benchmarks that switch it off have an HBM share of zero by construction; Halo flags them.",
        ),
        matters="It is the difference between reading 100,000 tokens and reading the 500 that are new.",
        reading="The HBM share is what it served from the chip's memory; shares of slower tiers are prefix hits that "
        "HBM no longer held. Recomputed is the rest.",
        looks=(
            Look(
                text="HBM share and the others, point by point: cached share over concurrency",
                x=CONCURRENCY,
                y=CACHED_SHARE,
                needs=(CACHED_SHARE,),
            ),
            Look(
                text="Where the prompt tokens of one point came from",
                page="point",
                needs=(CACHED_SHARE,),
                anchor="h-off",
            ),
        ),
        sources=(OVERVIEW, KIMI_K3, AGENTX),
    ),
    Concept(
        key="cache-lifetime",
        also=("time to live", "residency time", "retention"),
        plain="How long a finished prompt stays findable before newer ones push it out. An agent that comes back later "
        "than that pays for the whole prompt again.",
        precise="For a tier that drops what was used longest ago: lifetime = distinct tokens it holds / new tokens "
        "that enter it a second. New tokens are those no cache served, plus what is generated. Capacity counts after "
        "replication, and a tier that repeats HBM holds nothing beyond its own size.",
        details=(
            "Example: 3.6 million tokens of HBM at 4,000 new tokens a second last 15 minutes; at 40,000, 90 seconds.",
            "Tools answer in seconds, builds in minutes, people in hours: HBM, DRAM and flash match those scales.",
            "It assumes that all sessions are alike. Policies that keep shared or often hit blocks stretch it for "
            "those.",
            "A falling hit rate makes more tokens new, which shortens the lifetime further: the fall is steep.",
        ),
        matters="Pauses between turns, not turns, decide which tier an agent needs. A pool twice as large helps only "
        "if sessions return within its lifetime and not within the present one.",
        reading="Open the plan from a point: it prefills pool and write rate. On the point page compare the working "
        "set with what is kept.",
        looks=(
            Look(
                text="How long a prefix stays in each memory, begun with a point",
                page="plan",
                offload=("kv",),
                needs=(INPUT_TPUT,),
                anchor="h-keep",
            ),
            Look(
                text="A point with pool sizes and its working set",
                page="point",
                offload=("kv",),
                needs=(HBM_POOL_TOKENS, INPUT_TOKENS_MEAN, CONCURRENCY),
                anchor="pools",
            ),
            Look(
                text="Cached share as sessions are added",
                agentic=True,
                x=CONCURRENCY,
                y=CACHED_SHARE,
                needs=(CACHED_SHARE,),
            ),
        ),
        sources=(OVERVIEW, EFFICIENT_AGENT, AGENTX),
    ),
    Concept(
        key="working-set",
        also=("live footprint", "KV working set"),
        plain="All the conversations that are open right now, measured in tokens. If it fits the memory, everyone "
        "resumes for free; if not, somebody recomputes.",
        precise="W = sessions × mean context. Pressure on HBM is W / HBM pool, in tokens. For a tier that drops what "
        "was used longest ago the reuse working set is (A − 1) × mean prompt × bytes a token, A the active agents: "
        "what passes through between two turns of one of them.",
        details=(
            "Three regimes: it fits HBM (offload idles), it fits the pool below (offload pays), it fits neither "
            "(state is written and never read).",
            "Reproduced example: 16 agents, 33,228 tokens, 24,576 bytes a token on a rank need 11.41 GiB on each "
            "rank; 8 agents 5.32 GiB.",
            "The edge is a cliff, not a slope: with least-recently-used eviction a scan that is slightly too large "
            "misses everything.",
            "Mean context hides the tail. A few sessions of 300,000 tokens may hold half of it.",
        ),
        matters="It tells beforehand whether more memory, or faster, or none, would help. B300 holds about twice the "
        "tokens of B200 for one large model, so the same sessions that spill there fit here.",
        reading="The point page states it with the pressure. On the chart, put concurrency on the x axis and look "
        "where off and on part: that is where it outgrew HBM.",
        looks=(
            Look(
                text="Gain against working set over HBM pool",
                page="offload",
                agentic=True,
                needs=(HBM_POOL_TOKENS,),
                anchor="h-pressure",
            ),
            Look(
                text="A point with its working set against the pools",
                page="point",
                offload=("kv",),
                needs=(HBM_POOL_TOKENS, INPUT_TOKENS_MEAN, CONCURRENCY),
                anchor="pools",
            ),
            Look(
                text="B200 and B300, cached share over concurrency",
                filters={"chip": MORE_MEMORY},
                agentic=True,
                x=CONCURRENCY,
                y=CACHED_SHARE,
                color="chip",
                needs=(CACHED_SHARE,),
            ),
        ),
        sources=(TWO_CHIPS, EFFICIENT_AGENT, AGENTX, MINIMAX),
    ),
)
