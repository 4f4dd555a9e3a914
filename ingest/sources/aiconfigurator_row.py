"""One predicted config of an aiconfigurator table as a point."""

import re

from app.catalog.chips import CHIPS
from app.catalog.engines import split_framework
from app.catalog.models import MODELS
from app.catalog.point import Json, Layout, Point, Role
from app.catalog.precisions import PRECISIONS
from app.catalog.workloads import fixed_workload
from ingest.sources.benches import pace, seconds, throughput, told
from ingest.sources.fields import Fields
from ingest.sources.inferencex_row import Measured, Unusable
from ingest.sources.measures import TPUT_PER_CHIP

_MS = 1e-3
_LATENCIES = {"ttft": "ttft", "tpot": "tpot", "e2el": "request_latency"}
_FACTS = ("prefix", "bs", "global_bs", "memory", "parallel", "gemm", "kvcache", "fmha", "moe", "comm")
_ROLE = re.compile(r"^\([pd]\)")
_SLACK = 0.02


def point_of(row: Fields) -> Point:
    """The point of a row. Raises Unusable."""
    measured = Measured()
    apart = "(d)tp" in row or "(p)tp" in row
    layout = _layout(row, apart)
    stated = row.integer("num_total_gpus")
    count = stated if stated and stated > 0 else _chips(layout)
    _throughput(row, measured, count)
    for quantity, name in _LATENCIES.items():
        seconds(measured, row, quantity, {"mean": name}, unit=_MS)
    pace(measured, "tpot")
    isl, osl, users = row.integer("isl"), row.integer("osl"), row.number("concurrency")
    words = {
        "model": row.text("model"),
        "chip": _of(row, "system", apart),
        "engine": _of(row, "backend", apart),
        "precision": _of(row, "gemm", apart),
    }
    framework = split_framework(words["engine"])
    facts = {key: _plain(value) for key, value in row.row.items() if _ROLE.sub("", key) in _FACTS}
    return Point(
        model=MODELS.key_of(words["model"]),
        chip=CHIPS.key_of(words["chip"]),
        chip_count=count,
        layout=layout,
        engine=framework.engine,
        orchestrator=framework.orchestrator,
        engine_version=_of(row, "version", apart),
        precision=PRECISIONS.key_of(words["precision"]),
        workload=fixed_workload(isl, osl),
        concurrency=users if users and users > 0 else None,
        origin="predicted",
        dialect="aiconfigurator",
        metrics=measured.metrics,
        interactivity_def=measured.interactivity_def,
        facts=told({"isl": isl, "osl": osl, **facts}),
        spellings={name: text for name, text in words.items() if text},
        flags=tuple(dict.fromkeys((*measured.flags, *row.flags))),
        warnings=tuple(row.notes),
        raw=row.row,
    )


def _throughput(row: Fields, measured: Measured, count: int | None) -> None:
    """Output per chip as predicted; input from the sequences per second that give that output."""
    per_chip, isl = row.number("tokens/s/gpu"), row.number("isl")
    if per_chip is None or per_chip <= 0:
        raise Unusable("its tokens/s/gpu is not above zero, so nothing is predicted that could be drawn")
    sequences = row.number("seq/s/gpu")
    whole = row.number("tokens/s")
    if sequences is None and whole and (rate := row.number("seq/s")) is not None:
        sequences = rate * per_chip / whole
    inputs = None if sequences is None or isl is None else sequences * isl
    measured.metrics[TPUT_PER_CHIP["output"]] = per_chip
    if inputs is not None:
        measured.metrics |= {TPUT_PER_CHIP["input"]: inputs, TPUT_PER_CHIP["total"]: inputs + per_chip}
    if count:
        throughput(measured, total=None, output=per_chip * count, inputs=None if inputs is None else inputs * count)
        if whole and abs(whole - per_chip * count) > _SLACK * whole:
            measured.flags.append("chip_count_disputed")


def _layout(row: Fields, apart: bool) -> Layout:
    if not apart:
        return Layout(whole=_role(row, ""), disaggregated=False)
    return Layout(prefill=_role(row, "(p)"), decode=_role(row, "(d)"), disaggregated=True)


def _role(row: Fields, prefix: str) -> Role:
    """Attention is copied dp times, so a worker has tp * pp * dp chips; experts are spread over the same ones."""
    tp, pp, dp = (row.integer(f"{prefix}{name}") or None for name in ("tp", "pp", "dp"))
    workers = row.integer(f"{prefix}workers") or None
    each = tp * (pp or 1) * (dp or 1) if tp else None
    return Role(
        chip=CHIPS.key_of(row.text(f"{prefix}system") or row.text("system")),
        chips=each * (workers or 1) if each and (workers or not prefix) else None,
        workers=workers,
        tp=tp,
        pp=pp,
        ep=row.integer(f"{prefix}moe_ep") or None,
        dp_attention=dp > 1 if dp else None,
    )


def _chips(layout: Layout) -> int | None:
    if layout.whole:
        return layout.whole.chips
    roles = (layout.prefill, layout.decode)
    return sum(role.chips for role in roles if role and role.chips) if all(r and r.chips for r in roles) else None


def _plain(value: Json) -> Json:
    """A cell as a number, where it is one."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def _of(row: Fields, name: str, apart: bool) -> str | None:
    return row.text(name) or (row.text(f"(d){name}") or row.text(f"(p){name}") if apart else None)
