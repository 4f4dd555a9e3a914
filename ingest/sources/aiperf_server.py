"""The server's metrics that AIPerf collected beside a run: they say where the run's prompt tokens came from."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from app.catalog.offload import BACKENDS, TIERS, Offload, kv_tiers, resolve_backend
from app.catalog.offload import Tier as OffloadTier
from app.catalog.point import Json, Point
from app.store.series import Slice
from ingest.connectors import proven_connector
from ingest.document import Document, Reopened
from ingest.engine_counters import cache_of, engine_of
from ingest.invariants import Setting
from ingest.scrape import Scrape, config_info, pool_metrics
from ingest.sources.aiperf_files import server, server_slices
from ingest.sources.aiperf_files.places import about

_DIALECT = "aiperf"
_GIB = 2**30
_CONFIG = (
    "block_size",
    "cache_dtype",
    "num_gpu_blocks",
    "num_cpu_blocks",
    "gpu_memory_utilization",
    "kv_offloading_size",
)
_COUNTED = {"preemptions": "vllm:num_preemptions", "prompt_tokens": "vllm:prompt_tokens"}


class AIPerfServerMetrics:
    """Completes the runs of its folder, and none that names another benchmark or has counters of its own."""

    key = "aiperf-server-metrics"
    label = "AIPerf server metrics"
    version = 1
    role: Literal["companion"] = "companion"

    def claims(self, document: Document) -> bool:
        if document.data[:4].lstrip(b"\xef\xbb\xbf")[:1] == b"{":
            return b'"series"' in document.data and server.is_object(document.parsed.value)
        return server.is_table(document.data[:256].decode("utf-8", "replace"))

    def note(self, document: Document) -> object:
        return _Noted(*_scrape(document))

    def completes(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        _, run = _noted(document)
        return about(document, others, run)

    def complete(self, document: Document, point: Point) -> Point:
        scrape, run = _noted(document)
        own = point.facts.get("benchmark_id")
        if (run and own and run != own) or (point.cache.tiers and not point.dialect.startswith(_DIALECT)):
            return point
        return with_server(point, scrape)

    def slices_in(self, document: Document, point: Point) -> Iterator[Slice]:
        if document.data[:4].lstrip(b"\xef\xbb\xbf")[:1] != b"{":
            return iter(())
        return server_slices.slices(document.parsed.value, _setting(point, point.offload))


class _Noted(NamedTuple):
    """The totals of a file, and the benchmark that it says it was recorded during."""

    scrape: Scrape
    run: str | None


def _noted(document: Document) -> _Noted:
    noted = document.noted if isinstance(document, Reopened) else None
    return noted if isinstance(noted, _Noted) else _Noted(*_scrape(document))


def _scrape(document: Document) -> tuple[Scrape, str | None]:
    value = document.parsed.value if document.data[:4].lstrip(b"\xef\xbb\xbf")[:1] == b"{" else None
    return server.scrape_in(document.text) if value is None else server.scrape_of(value)


def with_server(point: Point, scrape: Scrape) -> Point:
    """The point with its cache by tier, pool and engine; with its offload where the record states none itself."""
    offload = point.offload if point.offload.evidence else _offload(scrape, point.offload)
    facts = _facts(scrape)
    return replace(
        point,
        engine=point.engine or engine_of(scrape),
        offload=offload,
        cache=cache_of(scrape, _setting(point, offload)),
        metrics={**point.metrics, **pool_metrics(scrape)},
        facts={**point.facts, "server": facts} if facts else point.facts,
    )


def _setting(point: Point, offload: Offload) -> Setting:
    return Setting(
        mode=offload.mode,
        connector=proven_connector(offload),
        disaggregated=bool(point.layout.disaggregated),
        ceiling=point.cache.ceiling_share,
    )


def _offload(scrape: Scrape, known: Offload) -> Offload:
    """vLLM states the size of its own offload. Its backend is a default and means nothing without a size."""
    config = config_info(scrape)
    size = config.get("kv_offloading_size", "")
    try:
        gib = float(size)
    except ValueError:
        return known
    if gib <= 0:
        return known
    raw = config.get("kv_offloading_backend")
    backend = resolve_backend(raw, engine_of(scrape))
    host = TIERS["host_dram"].key
    below = kv_tiers(backend if backend in BACKENDS else None, [host])
    sized = OffloadTier(medium=host, capacity_bytes=round(gib * _GIB), scope="cluster")
    tiers = tuple(sized if tier.medium == host else tier for tier in below)
    return Offload(
        mode="on",
        kinds=("kv",),
        use="prefix_reuse",
        backend=backend,
        backend_raw=raw,
        tiers=tiers,
        evidence="field",
    )


def _facts(scrape: Scrape) -> dict[str, Json]:
    config = config_info(scrape)
    facts: dict[str, Json] = {key: config[key] for key in _CONFIG if config.get(key, "None") not in ("None", "")}
    facts |= {name: total for name, key in _COUNTED.items() if (total := scrape.total(key)) is not None}
    return facts
