"""Offload in words: kinds, memory tiers, backends, and the one place where a point's offload is labelled.

Media, not levels: engines number their caches differently (L2 is host memory to SGLang and storage to
LMCache's multiprocess mode), so a tier is named by what it physically is.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from app.catalog.vocabulary import Term, Vocabulary

Mode = Literal["on", "off", "unknown"]
Evidence = Literal["field", "recipe_flag", "name", "metric_presence", "supplied"]


@dataclass(frozen=True, kw_only=True)
class Medium(Term):
    """A memory that can hold attention state. `share_metric` names the metric its share adds to."""

    share_metric: str
    flash: bool = False


TIERS: Vocabulary[Medium] = Vocabulary(
    "tier",
    [
        Medium(
            key="hbm",
            label="HBM",
            share_metric="hbm_share",
            aliases=("gpu", "device", "local_cache_hit", "chip"),
            text="The chip's own memory.",
        ),
        Medium(
            key="host_dram",
            label="DRAM",
            share_metric="dram_share",
            aliases=("cpu", "dram", "host", "cpu ram", "host memory"),
            text="Memory of the server that holds the chips.",
        ),
        Medium(
            key="local_nvme",
            label="NVMe",
            share_metric="nvme_share",
            flash=True,
            aliases=("ssd", "nvme", "disk", "local_disk", "fs", "storage_hicachefile"),
            text="Flash drives in the server.",
        ),
        Medium(
            key="remote_dram",
            label="Remote DRAM",
            share_metric="remote_share",
            aliases=("storage_mooncakestore", "redis", "valkey", "infinistore"),
            text="Memory of another machine.",
        ),
        Medium(
            key="remote_flash",
            label="Remote flash",
            share_metric="remote_share",
            flash=True,
            aliases=("nvme-of", "hf3fs", "3fs", "storage_hf3fs", "storage_hicachehf3fs", "weka", "vast"),
            text="Flash reached over a network.",
        ),
        Medium(
            key="object",
            label="Object store",
            share_metric="remote_share",
            aliases=("s3", "gcs", "obj"),
            text="A bucket reached over a network.",
        ),
        Medium(
            key="cxl",
            label="CXL memory",
            share_metric="remote_share",
            aliases=("dax", "maru"),
            text="Memory on a CXL link.",
        ),
        Medium(
            key="external",
            label="External",
            share_metric="external_share",
            aliases=("external_kv_transfer",),
            text="Some KV connector; the record does not prove which memory stands behind it.",
        ),
        Medium(
            key="unattributed",
            label="Cached, tier unknown",
            share_metric="unattributed_share",
            aliases=("total", "storage_unknown", "combined"),
            text="Served from a cache, the tier not reported.",
        ),
    ],
)

TIER_SHARES: tuple[str, ...] = tuple(dict.fromkeys(medium.share_metric for medium in TIERS))
"""Share metrics of the tiers, fastest first, each once."""

KINDS: Vocabulary[Term] = Vocabulary(
    "offload kind",
    [
        Term(
            key="kv",
            label="KV offload",
            text="Attention state is parked in slower memory, so that a later request resumes instead of recomputing.",
        ),
        Term(
            key="parameter",
            label="Parameter offload",
            aliases=("engram",),
            text="Learned weights (such as Engram rows) lie in slower memory. Says nothing about KV offload.",
        ),
    ],
)

USES: Vocabulary[Term] = Vocabulary(
    "offload use",
    [
        Term(key="prefix_reuse", label="prefix reuse", text="Parked prompt prefixes are loaded instead of recomputed."),
        Term(
            key="sparse_decode",
            label="sparse decode",
            aliases=("hisparse",),
            text="Attention state stays in host memory while decoding, and only the selected part is read.",
        ),
        Term(key="state", label="recurrent state", text="Checkpoints of recurrent layers are parked."),
    ],
)


@dataclass(frozen=True, kw_only=True)
class Backend(Term):
    """Software that moves the state. `media` is what it uses when the record names nothing else."""

    kind: str = "kv"
    media: tuple[str, ...] = ("host_dram",)
    use: str = "prefix_reuse"


BACKENDS: Vocabulary[Backend] = Vocabulary(
    "offload backend",
    [
        Backend(
            key="vllm-native",
            label="vLLM OffloadingConnector",
            aliases=("OffloadingConnector", "CPUOffloadingSpec"),
            text="vLLM's own connector to host memory.",
        ),
        Backend(
            key="vllm-tiering",
            label="vLLM tiered offload",
            aliases=("TieringOffloadingSpec",),
            media=("host_dram", "external"),
            text="vLLM's connector with tiers behind host memory.",
        ),
        Backend(
            key="vllm-simple",
            label="vLLM SimpleCPU",
            aliases=("SimpleCPUOffloadConnector",),
            text="vLLM's simple connector: host memory, or a disk when it is configured so.",
        ),
        Backend(
            key="lmcache",
            label="LMCache",
            aliases=("LMCacheConnectorV1", "LMCacheConnector"),
            text="LMCache inside the engine's processes.",
        ),
        Backend(
            key="lmcache-mp",
            label="LMCache MP",
            aliases=("LMCacheMPConnector",),
            text="LMCache as a process of its own, shared by the ranks of a node.",
        ),
        Backend(
            key="atom-lmcache", label="ATOM + LMCache", aliases=("lmcache_offload",), text="LMCache under AMD's ATOM."
        ),
        Backend(
            key="mooncake",
            label="Mooncake Store",
            aliases=("mooncake-store", "MooncakeStoreConnector"),
            text="A pool over the memory of the cluster's servers.",
        ),
        Backend(
            key="hicache", label="SGLang HiCache", aliases=("hierarchical-cache",), text="SGLang's hierarchical cache."
        ),
        Backend(
            key="trtllm-native",
            label="TRT-LLM host cache",
            aliases=("trt-native",),
            text="TensorRT-LLM's secondary pool in host memory.",
        ),
        Backend(key="kvbm", label="Dynamo KVBM", aliases=("dynamo-kvbm",), text="Dynamo's KV block manager."),
        Backend(key="flexkv", label="FlexKV", text="FlexKV."),
        Backend(
            key="llmd-fs",
            label="llm-d file system",
            aliases=("SharedStorageOffloadingSpec",),
            media=("external",),
            text="llm-d's shared file system backend.",
        ),
        Backend(key="ucm", label="UCM", text="Unified Cache Manager."),
        Backend(key="umbp", label="UMBP", text="UMBP."),
        Backend(key="memkv", label="MemKV", text="MemKV."),
        Backend(
            key="hisparse",
            label="SGLang HiSparse",
            use="sparse_decode",
            text="SGLang keeps attention state in host memory while decoding.",
        ),
        Backend(
            key="gds",
            label="GPUDirect Storage",
            aliases=("cufile",),
            media=("external",),
            text="Storage read straight into the chip's memory.",
        ),
        Backend(
            key="engram",
            label="Engram",
            kind="parameter",
            use="",
            aliases=("dynamo-engram",),
            text="A learned table of n-gram embeddings, consulted at a few layers.",
        ),
    ],
)

EVIDENCE: Vocabulary[Term] = Vocabulary(
    "evidence",
    [
        Term(key="field", label="Stated by the result file"),
        Term(key="recipe_flag", label="Read from the launch command"),
        Term(key="name", label="Read from a file or folder name"),
        Term(key="metric_presence", label="Inferred from the counters that are present"),
        Term(key="supplied", label="Said by whoever ingested the file"),
    ],
)

SCOPES: Vocabulary[Term] = Vocabulary(
    "scope",
    [
        Term(key="per_rank", label="per rank"),
        Term(key="per_process", label="per process"),
        Term(key="per_node", label="per node"),
        Term(key="cluster", label="whole deployment"),
    ],
)

GDS_STATES: Vocabulary[Term] = Vocabulary(
    "GPUDirect Storage state",
    [
        Term(key="off", label="off", text="Reads pass through host memory."),
        Term(key="active", label="active", text="The drive writes into the chip's memory, and the run has shown it."),
        Term(
            key="requested_fell_back",
            label="requested, but fell back",
            text="It was configured, and the driver read in the ordinary way instead: this is no GDS figure.",
        ),
        Term(
            key="requested_unverified",
            label="requested, not verified",
            text="It was configured; nothing in the record shows that it took effect. It falls back without an error.",
        ),
        Term(key="unknown", label="unknown", text="The record does not say."),
    ],
)

PAGE_CACHE_STATES: Vocabulary[Term] = Vocabulary(
    "page cache state",
    [
        Term(key="cold", label="cold", text="The files were not in memory: reads came from the drive."),
        Term(
            key="warm",
            label="warm",
            text="The files lay in memory: reads came from DRAM, and the drive was not tested.",
        ),
        Term(key="mixed", label="mixed", text="Some reads came from memory, some from the drive, in unknown parts."),
        Term(key="bypassed", label="bypassed", text="Direct I/O or GDS: every read came from the drive."),
        Term(
            key="unknown", label="unknown", text="Reads may have come from memory: the figure says little of a drive."
        ),
    ],
)

ACCESS_PATHS: Vocabulary[Term] = Vocabulary(
    "access path",
    [
        Term(key="dma_copy", label="DMA copy", text="A copy engine of the chip moves blocks while it computes."),
        Term(
            key="kernel_copy", label="copy kernel", text="A kernel gathers scattered blocks, and takes compute units."
        ),
        Term(
            key="uva_zero_copy",
            label="UVA, zero copy",
            aliases=("uva",),
            text="The chip reads pinned host memory by address, without a copy before.",
        ),
        Term(
            key="mmap_page_cache",
            label="mmap through the page cache",
            aliases=("mmap",),
            text="A file mapped into memory: a page that is not there is read when it is touched.",
        ),
        Term(key="buffered_io", label="buffered I/O", text="Ordinary reads, which the page cache may serve from DRAM."),
        Term(key="o_direct", label="O_DIRECT", text="Reads that go round the page cache, in aligned blocks."),
        Term(key="io_uring", label="io_uring", text="Many reads handed to the kernel at once."),
        Term(key="gds_cufile", label="GDS (cuFile)", text="GPUDirect Storage by NVIDIA's cuFile."),
        Term(key="gds_hipfile", label="GDS (hipFile)", text="Its counterpart by AMD's hipFile."),
        Term(key="ugds", label="uGDS", text="GPUDirect Storage driven from user space."),
        Term(key="nvme_kv", label="NVMe KV", text="The drive's own key-value commands, without a file system."),
        Term(key="rdma", label="RDMA", text="A network card reads and writes memory of another machine."),
        Term(key="nvlink_c2c", label="NVLink-C2C", text="The coherent link between a Grace processor and its chips."),
    ],
)


@dataclass(frozen=True, kw_only=True)
class WritePolicy(Term):
    """When a block is written below HBM. `inclusive` tiers repeat what HBM holds, others add to it; None: between."""

    inclusive: bool | None


WRITE_POLICIES: Vocabulary[WritePolicy] = Vocabulary(
    "write policy",
    [
        WritePolicy(
            key="write_through",
            label="write-through",
            inclusive=True,
            text="Every block is copied at once: the tier repeats what HBM holds.",
        ),
        WritePolicy(
            key="write_through_selective",
            label="selective write-through",
            inclusive=None,
            text="Blocks are copied after some hits.",
        ),
        WritePolicy(
            key="write_back", label="write-back", inclusive=False, text="Blocks are copied when HBM drops them."
        ),
        WritePolicy(key="on_evict", label="on eviction", inclusive=False, text="Blocks move when HBM drops them."),
        WritePolicy(key="lazy", label="lazy", inclusive=False, text="Blocks are copied when there is time."),
    ],
)

POOL_BAND = (1.5, 3.0)
"""Pool below HBM over HBM's pool, in tokens: an empirical guide for write-through host memory."""

SHARE_OF_PROMPT = "share_of_prompt"
"""The only denominator that is charted and compared."""

DENOMINATORS: Vocabulary[Term] = Vocabulary(
    "denominator",
    [
        Term(key=SHARE_OF_PROMPT, label="all prompt tokens", text="Tokens that a tier served, over all prompt tokens."),
        Term(
            key="conditional_on_miss",
            label="tokens that faster tiers missed",
            text="Half of what faster tiers missed is little where they missed little: such rates rank nothing.",
        ),
        Term(
            key="conditional_on_lookup",
            label="tokens looked up there",
            text="Look-ups may hold tokens that HBM has too, and leave short prompts out.",
        ),
        Term(key="share_of_cached", label="cached tokens", text="How what was cached divides up, not how much was."),
        Term(
            key="blocks_reused", label="blocks, all tiers together", text="Reused blocks over reused and missed ones."
        ),
        Term(
            key="sliding_window", label="the last requests alone", text="A gauge over the last requests, not the run."
        ),
        Term(key="hits_per_query", label="queries, meaning not known", text="Hits over queries, whatever was queried."),
        Term(
            key="hits_per_object",
            label="objects now stored",
            text="Hits so far over objects now stored: no rate, and it may exceed 1.",
        ),
        Term(
            key="router_prediction",
            label="the router's own prediction",
            text="What a router expected, not what was hit.",
        ),
    ],
)
"""What rates are rates of. Two denominators never share an axis or a bar."""

_PARAMETER_LEGACY_NONE = ("none", "null", "off", "false", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """One memory a config's offload uses, with what is known of its size."""

    medium: str
    capacity_tokens: int | None = None
    capacity_bytes: int | None = None
    scope: str | None = None
    native_label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offload:
    """Whether and how a point used offload, decided once. Everything that shows offload reads this value.

    `tiers` run from the fastest medium down and include HBM for KV offload. `kinds` is empty exactly
    when the mode is not on.
    """

    mode: Mode = "unknown"
    kinds: tuple[str, ...] = ()
    use: str | None = None
    backend: str | None = None
    backend_raw: str | None = None
    backend_version: str | None = None
    tiers: tuple[Tier, ...] = ()
    evidence: Evidence | None = None
    write_policy: str | None = None
    access_path: str | None = None
    gds: str | None = None
    page_cache: str | None = None
    parameter: dict[str, object] = field(default_factory=dict)
    """What a parameter table says of itself: table, rows, row_bytes, medium, dedupe, prefetch ..."""

    @property
    def kind(self) -> str | None:
        """The flat form of `kinds`: kv, parameter, kv+parameter, or None."""
        return "+".join(k.key for k in KINDS if k.key in self.kinds) or None

    @property
    def has_halo(self) -> bool:
        """KV-cache offload, and nothing else, is ringed."""
        return "kv" in self.kinds

    @property
    def media(self) -> tuple[str, ...]:
        return tuple(tier.medium for tier in self.tiers)

    @property
    def label(self) -> str:
        """`KV offload · HBM→DRAM · LMCache 0.5.3`: kind, media and backend, leaving out what is unknown."""
        if self.mode == "off":
            return "No offload"
        if self.mode == "unknown":
            return "Offload not reported"
        parts = [" + ".join(KINDS[k.key].label for k in KINDS if k.key in self.kinds)]
        if self.tiers:
            parts.append("→".join(TIERS.label(medium) or "" for medium in self.media))
        backend = BACKENDS.label(self.backend)
        if backend:
            parts.append(f"{backend} {self.backend_version}" if self.backend_version else backend)
        if self.use and self.use != "prefix_reuse":
            parts.append(USES.label(self.use) or self.use)
        return " · ".join(part for part in parts if part)


def resolve_backend(raw: str | None, runtime: str | None) -> str | None:
    """The backend a spelling means under an engine runtime; None when it says there is none.

    `native` means vLLM's connector under vLLM and the host cache under TensorRT-LLM; under AMD's engine
    `lmcache` is its own integration. `none` and empty are no backend.
    """
    if raw is None or raw.strip().lower() in _PARAMETER_LEGACY_NONE:
        return None
    spelling = raw.strip().lower()
    if spelling in ("native", "native-offload"):
        return {"vllm": "vllm-native", "trt": "trtllm-native"}.get(runtime or "", BACKENDS.key_of(raw))
    if spelling == "lmcache" and runtime == "atom":
        return "atom-lmcache"
    return BACKENDS.key_of(raw)


def kv_tiers(backend: str | None, stated: Iterable[str] = (), *, hbm_tokens: int | None = None) -> tuple[Tier, ...]:
    """HBM and the media below it: those the record states, else those the backend is known for, else external."""
    known = BACKENDS.get(backend)
    below = list(dict.fromkeys(stated)) or list(known.media if known else ("external",))
    order = [medium.key for medium in TIERS]
    below.sort(key=order.index)
    return (
        Tier(medium="hbm", capacity_tokens=hbm_tokens),
        *(Tier(medium=medium) for medium in below if medium != "hbm"),
    )
