"""The tables, read off the catalog: one wide row a point, and what is known of snapshots and refusals.

Rows are never changed in meaning or erased. `since` and `until` say in which snapshots a row lives, so
that every earlier snapshot can be asked again; `newest_rank` and `extra_flags` depend on a row's
neighbours, and their earlier values move to `standings`.
"""

from dataclasses import dataclass

from app.catalog.metrics import METRICS


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str


_KEYS = [
    Column("row", "BIGINT"),
    Column("id", "VARCHAR"),
    Column("since", "INTEGER"),
    Column("until", "INTEGER"),
    Column("newest_rank", "INTEGER"),
    Column("extra_flags", "VARCHAR[]"),
    Column("standing_since", "INTEGER"),
    Column("identity", "VARCHAR"),
    Column("config_id", "VARCHAR"),
    Column("recipe_id", "VARCHAR"),
    Column("n", "INTEGER"),
    Column("content_key", "VARCHAR"),
    Column("told_key", "VARCHAR"),
    Column("companion_keys", "VARCHAR[]"),
    Column("reader", "VARCHAR"),
    Column("richness", "INTEGER"),
]

_WORDS = [
    Column("run", "VARCHAR"),
    Column("run_label", "VARCHAR"),
    Column("run_time", "VARCHAR"),
    Column("run_instant", "TIMESTAMP"),
    Column("iteration", "INTEGER"),
    Column("cold", "BOOLEAN"),
    Column("source", "VARCHAR"),
    Column("origin", "VARCHAR"),
    Column("model", "VARCHAR"),
    Column("workload", "VARCHAR"),
    Column("chip", "VARCHAR"),
    Column("chip_count", "INTEGER"),
    Column("prefill_chip", "VARCHAR"),
    Column("decode_chip", "VARCHAR"),
    Column("prefill_chips", "INTEGER"),
    Column("decode_chips", "INTEGER"),
    Column("engine", "VARCHAR"),
    Column("orchestrator", "VARCHAR"),
    Column("engine_version", "VARCHAR"),
    Column("precision", "VARCHAR"),
    Column("spec", "VARCHAR"),
    Column("layout", "VARCHAR"),
    Column("tp", "INTEGER"),
    Column("ep", "INTEGER"),
    Column("dataset", "VARCHAR"),
    Column("disaggregated", "BOOLEAN"),
    Column("offload_mode", "VARCHAR"),
    Column("offload_kind", "VARCHAR"),
    Column("offload_use", "VARCHAR"),
    Column("offload_tiers", "VARCHAR[]"),
    Column("offload_backend", "VARCHAR"),
    Column("offload_label", "VARCHAR"),
    Column("interactivity_def", "VARCHAR"),
    Column("flags", "VARCHAR[]"),
    Column("detail", "VARCHAR"),
    Column("raw", "VARCHAR"),
]

POINT_COLUMNS: tuple[Column, ...] = (*_KEYS, *_WORDS, *(Column(metric.key, "DOUBLE") for metric in METRICS))
"""`detail` and `raw` are JSON texts: what pages show and no filter needs."""

TABLES: dict[str, tuple[Column, ...]] = {
    "points": POINT_COLUMNS,
    "standings": (
        Column("row", "BIGINT"),
        Column("since", "INTEGER"),
        Column("until", "INTEGER"),
        Column("newest_rank", "INTEGER"),
        Column("extra_flags", "VARCHAR[]"),
    ),
    "places": (
        Column("row", "BIGINT"),
        Column("place", "VARCHAR"),
        Column("spot", "VARCHAR"),
        Column("since", "INTEGER"),
    ),
    "rejections": (
        Column("path", "VARCHAR"),
        Column("spot", "VARCHAR"),
        Column("reason", "VARCHAR"),
        Column("source", "VARCHAR"),
        Column("since", "INTEGER"),
    ),
    "snapshots": (
        Column("seq", "INTEGER"),
        Column("id", "VARCHAR"),
        Column("new", "INTEGER"),
        Column("superseded", "INTEGER"),
        Column("removed", "INTEGER"),
        Column("refused", "INTEGER"),
        Column("points", "INTEGER"),
    ),
}


def create_sql(table: str) -> str:
    columns = ", ".join(f'"{column.name}" {column.type}' for column in TABLES[table])
    return f"CREATE TABLE {table} ({columns})"
