"""Writes the demo's result tables: `python -m data.demo_model.generate [FOLDER]`, by default into data/demo.

Every figure comes from the serving model; a wobble of a few per cent, a hash of the row's name, stands in for
the scatter of real runs. The same code always writes the same bytes.
"""

import csv
import hashlib
import io
import math
import sys
from pathlib import Path
from statistics import NormalDist

from app.catalog.models import MODELS as CATALOG
from data.demo_model.arms import TABLES, Arm
from data.demo_model.parts import HOSTS, WORKLOADS, Workload
from data.demo_model.serving import Deployment, Outcome, hbm_tokens, serve, tier_bytes, tier_tokens

HEADER = (
    "# Synthetic figures from the small serving model in data/demo_model/serving.py. They describe no real system.\n"
    "# Written by `python -m data.demo_model.generate`. Columns: docs/halo_table.md\n"
)
_STATISTICS = ("mean", "p50", "p75", "p90", "p95", "p99")
_AGENT_RUN_S = 1800.0
_ROUNDS = 10
_CHUNK = 256
_KEPT = 0.7
"""How much of new state a tier gets that is only written when HBM drops it."""
_DRIVE = {"storage_drives": "8", "storage_capacity_bytes": "7680000000000", "storage_dwpd": "1"}
_MTP = {True: "mtp", False: "none"}


def tables() -> dict[str, str]:
    """The text of every table, by file name."""
    return {name: _table([row for arm in arms for row in rows(arm)]) for name, arms in TABLES.items()}


def rows(arm: Arm) -> list[dict[str, str]]:
    """The rows of one arm, one for each number of users."""
    workload = WORKLOADS[arm.workload]
    found = []
    for users in arm.users:
        outcome = serve(arm.deployment, workload, users)
        row = {
            **_recipe(arm),
            "workload": arm.workload,
            "concurrency": str(users),
            **_measured(arm, workload, outcome),
            **_offload(arm),
            **_cache(arm, workload, outcome),
            **_traffic(arm, workload, outcome),
            "origin": "synthetic",
            "run": arm.run,
            "run_time": arm.run_time,
            "note": arm.note,
        }
        found.append({name: cell for name, cell in row.items() if not name.endswith(arm.without or ("\0",))})
    return found


def _recipe(arm: Arm) -> dict[str, str]:
    d = arm.deployment
    row = {
        "model": d.model.key,
        "chip": d.chip,
        "chip_count": str(d.all_chips),
        "engine": d.engine,
        "engine_version": arm.version,
        "orchestrator": arm.orchestrator,
        "precision": d.precision,
        "spec": _MTP[d.mtp],
        "disaggregated": _flag(d.prefill_chips > 0),
        "multinode": _flag(d.all_chips > 8),
    }
    layout = {"tp": str(d.tp), "ep": str(d.tp if d.dp_attention else 1), "dp_attention": _flag(d.dp_attention)}
    if not d.prefill_chips:
        return row | layout
    for role, chips in (("prefill", d.prefill_chips), ("decode", d.chips)):
        row |= {f"{role}_chips": str(chips), f"{role}_workers": str(chips // d.tp)}
        row |= {f"{role}_{name}": cell for name, cell in layout.items()}
    return row


def _measured(arm: Arm, w: Workload, o: Outcome) -> dict[str, str]:
    d = arm.deployment
    rate = o.requests_s * _wobble(arm, o.users, "rate", 0.012)
    pace = o.pace_s * _wobble(arm, o.users, "pace", 0.015)
    ttft = o.ttft_s * _wobble(arm, o.users, "ttft", 0.06)
    token = "itl" if w.agentic else "tpot"
    duration = _AGENT_RUN_S if w.agentic else _ROUNDS * o.users / rate
    row = {
        "total_tput": _number(rate * (w.isl + w.osl)),
        "output_tput": _number(rate * w.osl),
        "input_tput": _number(rate * w.isl),
        **_spread("ttft", ttft, 0.35 + w.spread),
        **_spread(token, pace, 0.05 + 0.08 * w.spread + 0.45 * o.prefill_busy),
        **_spread("e2el", ttft + w.osl * pace, 0.1 + w.spread),
        "input_tokens_mean": str(w.isl),
        "output_tokens_mean": str(w.osl),
        "duration_s": _number(duration),
        "requests_ok": str(round(rate * duration)),
        "requests_failed": "0",
        "hbm_pool_tokens": str(o.pool_tokens),
        "hbm_usage_max": _number(min(1.0, o.users * (w.isl + w.osl) / max(1, hbm_tokens(d, d.cache_chips)))),
    }
    if not w.agentic and d.engine != "trt":
        watts = (d.spec.tdp_w or 0) * (0.52 + 0.36 * min(1.0, o.prefill_busy + 0.3 * math.log10(1 + o.users)))
        row["power_per_chip_w"] = _number(watts)
        for kind, tokens in (("total", w.isl + w.osl), ("output", w.osl), ("input", w.isl)):
            row[f"joules_per_{kind}_token"] = _number(watts * d.all_chips / (rate * tokens))
    return row


def _offload(arm: Arm) -> dict[str, str]:
    d = arm.deployment
    parked = d.table not in ("", "hbm") and d.model.table_gb > 0
    kinds = [kind for kind, on in (("kv", bool(d.tiers.gb)), ("parameter", parked)) if on]
    row = {"offload_mode": "on" if kinds else "off", "offload_kind": "+".join(kinds)}
    if d.tiers.gb:
        row["offload_tiers"] = ">".join(["hbm", *d.tiers.gb])
        row["offload_use"] = "prefix_reuse"
    elif parked:
        row["offload_tiers"] = d.table
    row |= {
        "offload_backend": arm.backend,
        "offload_version": arm.backend_version,
        "write_policy": arm.write_policy,
        "access_path": arm.access_path,
        "gds": arm.gds,
        "page_cache": arm.page_cache,
    }
    tokens = tier_tokens(d)
    for medium, size in tier_bytes(d).items():
        row |= {
            f"{medium}_capacity_tokens": str(tokens[medium]),
            f"{medium}_capacity_bytes": str(size),
            f"{medium}_capacity_scope": "cluster",
        }
    if d.model.table_gb:
        row |= _table_facts(d)
    return row


def _table_facts(d: Deployment) -> dict[str, str]:
    """The parameter table, in the numbers that its model was published with."""
    mapped = d.table == "local_nvme"
    return {
        "parameter_table": "engram",
        "parameter_layers": "1 and 14",
        "parameter_rows": "768022850",
        "parameter_row_bytes": "264",
        "parameter_table_bytes": "202758032400",
        "parameter_rows_per_token": "48",
        "parameter_bytes_per_token": "12672",
        "parameter_medium": d.table,
        "parameter_dedupe": _flag(mapped),
        "parameter_gather_location": "cpu" if mapped else "gpu",
        "parameter_rowid_copy": "d2h" if mapped else "none",
        "parameter_prefetch": "none" if mapped else "same_step",
        "parameter_graph_mode": "piecewise" if mapped else "full",
        "parameter_freed_hbm_bytes": "0" if d.table == "hbm" else "202758032400",
    }


def _cache(arm: Arm, w: Workload, o: Outcome) -> dict[str, str]:
    """Prompt tokens by source, adding up to all of them."""
    if not w.agentic:
        return {}
    prompt = round(o.requests_s * _wobble(arm, o.users, "rate", 0.012) * _AGENT_RUN_S) * w.isl
    served = {medium: round(prompt * share) for medium, share in o.shares.items()}
    computed = prompt - sum(served.values())
    if arm.combined == "unattributed":
        served = {"unattributed": sum(served.values())}
    elif arm.combined:
        served = {"hbm": served["hbm"], arm.combined: sum(served.values()) - served["hbm"]}
    return {
        "prompt_tokens": str(prompt),
        **{f"{medium}_tokens": str(tokens) for medium, tokens in served.items()},
        "computed_tokens": str(computed),
        "ceiling_share": _number(w.ceiling),
    }


def _traffic(arm: Arm, w: Workload, o: Outcome) -> dict[str, str]:
    """Bytes between the tiers. What comes from flash passes through host memory, where each rank keeps its own copy."""
    d = arm.deployment
    geometry = CATALOG[d.model.key].geometry
    media = [medium for medium in ("host_dram", "local_nvme") if medium in d.tiers.gb]
    if not w.agentic or not media or arm.combined or geometry is None:
        return {}
    once = geometry.kv_bytes_per_token("fp8") or 0.0
    ranks = 1 if d.dp_attention else d.tp
    held = ranks * (geometry.per_rank(ranks, "fp8") or 0.0)
    requests = round(o.requests_s * _wobble(arm, o.users, "rate", 0.012) * _AGENT_RUN_S)
    served = {medium: round(requests * w.isl * share) for medium, share in o.shares.items()}
    fresh = requests * (w.isl + w.osl) - sum(served.values())
    row = {"kv_cache_dtype": "fp8", **(_DRIVE if "local_nvme" in media else {})}
    for at, medium in enumerate(media):
        each = once if medium == "local_nvme" else held
        loaded = sum(served.get(name, 0) for name in media[at:])
        stored = round(fresh * (1.0 if arm.write_policy.startswith("write_through") else _KEPT))
        link = HOSTS[d.chip].gb_s[medium] * 1e9 * d.chips
        for way, done, tokens in (("load", "loaded", loaded), ("store", "stored", stored)):
            row[f"{medium}_{done}_bytes"] = str(round(tokens * each))
            row[f"{medium}_{way}_operations"] = str(math.ceil(tokens / _CHUNK))
            row[f"{medium}_{way}_seconds"] = _number(1.1 * tokens * each / link)
    return row


def _spread(name: str, mean: float, sigma: float) -> dict[str, str]:
    """Mean and percentiles of a log-normal spread around a mean."""
    middle = math.log(mean) - sigma**2 / 2
    at = {f"p{p}": math.exp(middle + sigma * NormalDist().inv_cdf(p / 100)) for p in (50, 75, 90, 95, 99)}
    return {f"{name}_{statistic}_s": _number({"mean": mean, **at}[statistic]) for statistic in _STATISTICS}


def _wobble(arm: Arm, users: int, what: str, size: float) -> float:
    """A factor near 1 that belongs to this row and quantity."""
    d = arm.deployment
    name = f"{arm.run}|{d.tp}|{d.mtp}|{d.precision}|{arm.backend}|{d.table}|{len(d.tiers.gb)}|{users}|{what}"
    fraction = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") / 2**32
    return 1 + size * (2 * fraction - 1)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _number(value: float) -> str:
    """Five significant digits, never in exponents: what a tool would print."""
    text = f"{value:.5g}"
    return f"{float(text):.0f}" if "e+" in text else f"{float(text):.10f}".rstrip("0").rstrip(".")


def _table(found: list[dict[str, str]]) -> str:
    """The rows as CSV. A column is there when some row fills it."""
    columns = list(dict.fromkeys(name for row in found for name, cell in row.items() if cell))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return HEADER + text.getvalue()


def write(folder: Path) -> list[Path]:
    """Write every table into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, text in tables().items():
        path = folder / name
        path.write_text(text, encoding="utf-8", newline="\n")
        paths.append(path)
    return paths


if __name__ == "__main__":
    for written in write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "demo"):
        print(written)
