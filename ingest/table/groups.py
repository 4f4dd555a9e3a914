"""The columns of a Halo table by group, each with its meaning. What the catalog declares is read off it."""

from dataclasses import dataclass
from typing import Literal

from app.catalog.chips import CHIPS
from app.catalog.engines import ENGINES, ORCHESTRATORS
from app.catalog.metrics import METRICS
from app.catalog.models import MODELS
from app.catalog.offload import (
    ACCESS_PATHS,
    BACKENDS,
    EVIDENCE,
    GDS_STATES,
    PAGE_CACHE_STATES,
    SCOPES,
    TIERS,
    USES,
    WRITE_POLICIES,
)
from app.catalog.origins import ORIGINS
from app.catalog.precisions import PRECISIONS
from app.catalog.speculation import SPECULATIONS
from app.catalog.transfers import OWN, WAIT_COLUMNS
from app.catalog.vocabulary import Term, Vocabulary

Reads = Literal["word", "workload", "text", "number", "count", "flag", "mode", "kinds", "tiers", "unused"]


@dataclass(frozen=True, slots=True)
class Column:
    """A name a header may hold. A word that its vocabulary lacks is kept as `other:<word>`, or refused if `closed`."""

    name: str
    reads: Reads
    text: str
    unit: str = ""
    words: Vocabulary[Term] | None = None
    closed: bool = False


RECIPE = [
    Column("model", "word", "The model, by key, name, or repository address.", words=MODELS),
    Column("chip", "word", "The chip, by key or by any label it is known under.", words=CHIPS),
    Column(
        "engine", "word", "What runs the model. `dynamo-vllm` is split into engine and orchestrator.", words=ENGINES
    ),
    Column("engine_version", "text", "Its version. Left empty: read from the tag of `image`."),
    Column("orchestrator", "word", "What stands in front of the engines, if anything.", words=ORCHESTRATORS),
    Column("precision", "word", "Precision of the weights.", words=PRECISIONS),
    Column("spec", "word", "Speculative decoding; `none` when there is none.", words=SPECULATIONS),
    Column("image", "text", "The container image, for the point page."),
]

WORKLOAD = [
    Column("workload", "workload", "`1k/1k`, `8k/1k` or any `<input>/<output>`; `agentic:<data set>`, or `agentic`."),
    Column("dataset", "text", "The trace data set, where `workload` does not name it."),
    Column("isl", "count", "Input tokens that a request was to have.", "tok"),
    Column("osl", "count", "Output tokens that a request was to have.", "tok"),
]

_PER_WORKER = (
    Column("workers", "count", "Number of workers"),
    Column("tp", "count", "Tensor parallelism of a worker"),
    Column("pp", "count", "Pipeline parallelism of a worker"),
    Column("pcp", "count", "Prefill context parallelism of a worker"),
    Column("dcp", "count", "Decode context parallelism of a worker"),
    Column("ep", "count", "Expert parallelism of a worker; multiplies no chips"),
    Column("dp_attention", "flag", "Whether attention is data parallel"),
)


def _role(role: str) -> list[Column]:
    return [
        Column(f"{role}_chip", "word", f"The chip of the {role} workers.", words=CHIPS),
        Column(f"{role}_chips", "count", f"All {role} chips.", "chips"),
        *(Column(f"{role}_{each.name}", each.reads, f"{each.text}, {role} alone.") for each in _PER_WORKER),
    ]


LAYOUT = [
    Column("chip_count", "count", "All chips. Left empty: the roles' together, else tp * pp * pcp * workers.", "chips"),
    Column("disaggregated", "flag", "Whether prefill and decode have chips of their own."),
    Column("multinode", "flag", "Whether the deployment spans servers."),
    *(Column(each.name, each.reads, f"{each.text}.") for each in _PER_WORKER),
    *_role("prefill"),
    *_role("decode"),
]

OFFLOAD = [
    Column(
        "offload_mode", "mode", "`on`, `off` or `unknown`. Left empty: on when another column says so, else unknown."
    ),
    Column("offload_kind", "kinds", "`kv`, `parameter` or `kv+parameter`. Left empty: what the backend is known for."),
    Column("offload_use", "word", "What parked KV state is for.", words=USES),
    Column(
        "offload_tiers", "tiers", "Memories in use: `hbm>host_dram>local_nvme`. Spaces, `+`, `,` and `→` also separate."
    ),
    Column(
        "offload_backend",
        "text",
        "The software that moves the state. `native` is told apart by the engine.",
        words=BACKENDS,
    ),
    Column("offload_version", "text", "Version of the backend."),
    Column(
        "offload_evidence", "word", "How the offload is known. Left empty: stated here.", words=EVIDENCE, closed=True
    ),
    Column("write_policy", "word", "When a block is written below HBM.", words=WRITE_POLICIES),
    Column("access_path", "word", "How bytes travel between the tiers.", words=ACCESS_PATHS),
    Column("gds", "word", "State of GPUDirect Storage. Configured is not active.", words=GDS_STATES),
    Column("page_cache", "word", "State of the page cache over the files.", words=PAGE_CACHE_STATES),
]


def _sizes(medium: Term) -> list[Column]:
    tokens = Column(
        f"{medium.key}_capacity_tokens", "count", f"Tokens that {medium.label} holds, replicas once.", "tok"
    )
    size = Column(f"{medium.key}_capacity_bytes", "count", f"Bytes set aside in {medium.label}.", "B")
    scope = Column(f"{medium.key}_capacity_scope", "word", "What that size is counted over.", words=SCOPES)
    # How many tokens HBM holds is a metric of its own.
    return [size, scope] if f"{medium.key}_pool_tokens" in METRICS else [tokens, size, scope]


TIER_SIZES = [column for medium in TIERS for column in _sizes(medium)]

TOKENS_BY_SOURCE = [
    Column("prompt_tokens", "count", "All prompt tokens of the measured phase: the denominator of every share.", "tok"),
    *(
        Column(
            f"{medium.key}_tokens",
            "count",
            f"Prompt tokens by source: {medium.label}. Wins over a stated share.",
            "tok",
        )
        for medium in TIERS
    ),
    Column("computed_tokens", "count", "Prompt tokens that no cache served.", "tok"),
    Column("chunk_queries", "count", "Look-ups in a tier behind host memory, in chunks.", "chunks"),
    Column("chunk_hits", "count", "Those it answered: a rate over what faster tiers missed, and no share.", "chunks"),
]

PARAMETER_TABLE = [
    Column(f"parameter_{column.name}", column.reads, column.text, column.unit, column.words)
    for column in (
        Column("table", "text", "Which table: `engram`, `ple`, `moe_experts` or another."),
        Column("layers", "text", "Layers that consult it."),
        Column("rows", "count", "Rows of the table.", "rows"),
        Column("row_bytes", "count", "Bytes of a row.", "B"),
        Column("table_bytes", "count", "Bytes of the table.", "B"),
        Column("rows_per_token", "number", "Rows read per token.", "rows/tok"),
        Column("bytes_per_token", "number", "Bytes read per token.", "B/tok"),
        Column("medium", "word", "The memory it lies in.", words=TIERS),
        Column("sharding", "text", "`tp`, `dp`, `replicated` or `shared_memory`."),
        Column("access_path", "word", "How rows reach the chip.", words=ACCESS_PATHS),
        Column("gds", "word", "State of GPUDirect Storage for it.", words=GDS_STATES),
        Column("page_cache", "word", "State of the page cache over its file.", words=PAGE_CACHE_STATES),
        Column("page_cache_hit_rate", "number", "Fraction of its reads that the page cache served.", "fraction"),
        Column("resident_fraction", "number", "Fraction of it that lay in memory.", "fraction"),
        Column("dedupe", "flag", "Whether equal rows of one step were read once."),
        Column("dedupe_ratio", "number", "Rows asked for, over rows read."),
        Column("gather_location", "text", "Where rows are gathered: `cpu` or `gpu`."),
        Column("rowid_copy", "text", "`d2h` where row ids are copied to the host, else `none`."),
        Column("prefetch", "text", "`none`, `same_step` or `cross_step`."),
        Column("graph_mode", "text", "`full`, `piecewise` or `eager`."),
        Column("hot_row_cache_bytes", "count", "Size of a cache of hot rows.", "B"),
        Column("major_faults", "count", "Page faults that read the drive.", "faults"),
        Column("bytes_read", "count", "Bytes read from the drive.", "B"),
        Column("effective_bps", "number", "Bytes per second that arrived.", "B/s"),
        Column("freed_hbm_bytes", "count", "HBM that it no longer takes.", "B"),
        Column("topology_change", "text", "What that allowed, such as `TP4 to TP2`."),
    )
]

_UNITS = {"bytes": "B", "seconds": "s", "operations": "transfers"}
_TRANSFERS = {
    "bytes": "Bytes moved",
    "seconds": "Seconds that transfers took",
    "operations": "Transfers",
}
_WAYS = {"load": "towards the chip", "store": "away from it"}


def _transfer(name: str) -> Column:
    counter = OWN[name]
    words = f"{_TRANSFERS[counter.quantity]} between {TIERS.label(counter.medium)} and what is nearer to the chip"
    return Column(name, "number", f"{words}, {_WAYS[counter.way]}.", _UNITS[counter.quantity])


TRAFFIC = [
    Column("kv_cache_dtype", "text", "Format of the KV cache: `fp8`, `bf16` or `fp8_ds_mla`."),
    *(_transfer(name) for name in OWN),
    *(
        Column(
            name,
            "number",
            f"{name.rpartition('_')[0].capitalize()} for offload: {name.rpartition('_')[2]} over the run.",
            "s" if name.endswith("seconds") else "times",
        )
        for name in WAIT_COLUMNS
    ),
]

STORAGE = [
    Column("storage_model", "text", "The drives, or the storage behind a network."),
    Column("storage_drives", "count", "How many drives.", "drives"),
    Column("storage_capacity_bytes", "number", "Capacity of one drive.", "B"),
    Column("storage_read_bps", "number", "What all drives together read alone, measured.", "B/s"),
    Column("storage_write_bps", "number", "What all drives together write alone, measured.", "B/s"),
    Column("storage_dwpd", "number", "Drive writes a day that the vendor rates a drive for.", "1/day"),
    Column("storage_interface", "text", "Such as `PCIe 5 x4`, or the fabric."),
    Column("storage_raid", "text", "Such as `RAID 0`."),
]

PROVENANCE = [
    Column("origin", "word", "Left empty: measured. A frontier never crosses origins.", words=ORIGINS, closed=True),
    Column("source_title", "text", "Title of the report that the row was typed from."),
    Column("source_url", "text", "Its address."),
    Column("source_date", "text", "Its date."),
    Column("price_basis", "text", "What stated prices or power rest on, or `not stated`."),
    Column("interactivity_def", "text", "What stated interactivity rests on. Left empty: as published."),
    Column("note", "text", "A sentence for the point page."),
    Column("run", "text", "Name of the run: the rows of one sweep share it."),
    Column("run_time", "text", "ISO 8601. Without an offset, the zone stays unknown."),
    Column("iteration", "count", "Which repeat of the same measurement."),
    Column("cold", "flag", "Whether caches were empty at the start."),
]

EXPORTED = [
    Column(name, "unused", "Written by Halo's own exports and not read: Halo works it out.")
    for name in ("id", "config_id", "recipe_id", "run_label", "source", "layout", "offload_label", "flags")
]


def _metrics() -> dict[str, list[Column]]:
    groups: dict[str, list[Column]] = {}
    for metric in METRICS:
        text = metric.text + (" Needs `price_basis`." if metric.made == "priced" else "")
        unit = "fraction" if metric.is_share else metric.unit
        groups.setdefault(f"Metrics: {metric.group.lower()}", []).append(Column(metric.key, "number", text, unit))
    return groups


GROUPS: dict[str, list[Column]] = {
    "Recipe": RECIPE,
    "Workload": WORKLOAD,
    "Layout": LAYOUT,
    **_metrics(),
    "Offload": OFFLOAD,
    "Tier sizes": TIER_SIZES,
    "Prompt tokens by source": TOKENS_BY_SOURCE,
    "Traffic of offload": TRAFFIC,
    "Storage": STORAGE,
    "Parameter table": PARAMETER_TABLE,
    "Where it comes from": PROVENANCE,
    "From exports": EXPORTED,
}
"""Every accepted column, in the order that the documentation lists them."""
