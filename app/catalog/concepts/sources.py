"""Publications that concepts rest on, each once."""

from app.catalog.concepts.base import Source

_SEMI = "SemiAnalysis"
_BLOG = "https://inferencex.semianalysis.com/blog"

AGENTX = Source(
    title="AgentX - InferenceXv3: Does CUDA Moat Hold up in Agentic Inferencing?",
    publisher=_SEMI,
    date="2026-08-24",
    url="https://newsletter.semianalysis.com/p/agentx-inferencexv3-does-cuda-moat",
)
OVERVIEW = Source(
    title="A Brief Overview of Agentic Workloads",
    publisher=_SEMI,
    date="2026-08-19",
    url=f"{_BLOG}/brief-overview-of-agentic-workloads",
)
AGENTX_FAQ = Source(
    title="AgentX: How the Benchmark Works",
    publisher=_SEMI,
    date="2026-08-11",
    url=f"{_BLOG}/agentx-how-the-benchmark-works-faq",
)
ENGRAM = Source(
    title="Engrams Embedding Entendre: Codesign for Efficient DRAM/SSD Offloading",
    publisher=_SEMI,
    date="2026-09-18",
    url=f"{_BLOG}/engrams-embedding-entendre-codesign",
)
KIMI_K3 = Source(
    title="Kimi K3: The Manos, The Mythos, The Legendos",
    publisher=_SEMI,
    date="2026-08-03",
    url="https://newsletter.semianalysis.com/p/kimi-k3-the-manos-the-mythos-the",
)
TWO_CHIPS = Source(
    title="DeepSeek V4 Pro on AgentX, B200 against B300: the KV working set",
    publisher=_SEMI,
    date="2026-08",
    url=f"{_BLOG}/deepseek-v4-pro-agentx-b200-vs-b300-kv-working-set",
)
MINIMAX = Source(
    title="MiniMax M3 on AgentX: Why B200 and B300 Beat Their Rack-Scale Counterparts",
    publisher=_SEMI,
    date="2026-08-25",
    url=f"{_BLOG}/minimax-m3-agentx-b200-b300-vs-rack-scale",
)
KVREAP = Source(
    title="kvreap: vLLM 0.31 with a file system tier on VAST",
    publisher="wseaton",
    date="2026-10-09",
    url="https://github.com/wseaton/kvreap",
)
COUNTERS = Source(
    title="Pull request 30522: what external prefix-cache queries count",
    publisher="vLLM",
    date="2025-12-11",
    url="https://github.com/vllm-project/vllm/pull/30522",
)
CONNECTOR = Source(
    title="KV Offloading Connector",
    publisher="vLLM",
    date="2026-01-08",
    url="https://vllm.ai/blog/2026-01-08-kv-offloading-connector",
)
CONVOY = Source(
    title="Issue 44294: throughput falls behind the offloading connector although the cache fits",
    publisher="vLLM",
    date="2026-06",
    url="https://github.com/vllm-project/vllm/issues/44294",
)
HICACHE = Source(
    title="HiCache: design of the hierarchical cache",
    publisher="SGLang",
    date="",
    url="https://github.com/sgl-project/sglang/blob/main/docs/advanced_features/hicache_design.md",
)
GDS_BENCH = Source(
    title="gds-benchmark-nvidia: CPU, disk and GPUDirect Storage under LMCache",
    publisher="panpan0000",
    date="",
    url="https://github.com/panpan0000/gds-benchmark-nvidia",
)
CUFILE = Source(
    title="Pull request 811: the GDS backend falls back to POSIX calls",
    publisher="LMCache",
    date="2025-06-11",
    url="https://github.com/LMCache/LMCache/pull/811",
)
DYNAMO_DISK = Source(
    title="Issue 6101: loading from disk takes 40 seconds where prefill takes 0.9",
    publisher="NVIDIA Dynamo",
    date="2026-02-10",
    url="https://github.com/ai-dynamo/dynamo/issues/6101",
)
EFFICIENT_AGENT = Source(
    title="EfficientAgent",
    publisher="arXiv 2609.33762",
    date="2026-09",
    url="https://arxiv.org/abs/2609.33762",
)
CEILING_SHIFT = Source(
    title="Issue 1632: the ceiling of a trace depends on data set and context limit",
    publisher="InferenceX",
    date="2026-06",
    url="https://github.com/SemiAnalysisAI/InferenceX/issues/1632",
)
RELOAD_ATOM = Source(
    title="Pull request 1318: reloading from host memory, eight times as fast as recomputing",
    publisher="AMD ATOM",
    date="",
    url="https://github.com/ROCm/ATOM/pull/1318",
)
STORAGE_OFFLOAD = Source(
    title="Mooncake Store: results of SSD offload",
    publisher="Mooncake",
    date="2026-08-22",
    url="https://github.com/kvcache-ai/Mooncake",
)
PREFILL_SERVICE = Source(
    title="Prefill-as-a-Service: KVCache of Next-Generation Models Could Go Cross-Datacenter",
    publisher="arXiv 2604.15039",
    date="2026-04",
    url="https://arxiv.org/abs/2604.15039",
)
METHOD = Source(
    title="How results are made and ingested",
    publisher="InferenceX",
    date="2026-08-21",
    url="https://github.com/SemiAnalysisAI/InferenceX/blob/main/docs/results-and-ingestion.md",
)
