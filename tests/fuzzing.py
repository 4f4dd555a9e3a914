"""Damaged samples through the whole of ingest, and what must hold of whatever comes out.

`tests/test_fuzz.py` runs a fixed number of cases, `bench/fuzz.py` as many as one likes.
"""

import math
import shutil
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import orjson

from app.catalog.flags import FLAGS
from app.catalog.metrics import METRICS, REQUESTS_OK, STATISTICS
from app.catalog.point import Point
from app.store.rows import Arrival
from ingest.invariants import SLACK
from ingest.pipeline import gather
from ingest.plausible import COUNT_SLACK, DISPUTED
from ingest.sources.measures import INTERACTIVITY, LATENCY, TOKEN_KINDS, TPUT, TPUT_PER_CHIP
from tests.conftest import ROOT
from tests.mutations import mutated

SAMPLES = ROOT / "tests" / "samples"
SEED = 20261129
PATIENCE = 30
"""Seconds after which a case hangs. One takes milliseconds; this is no measure of speed."""

_ALSO_READ = "vllm_bench/with_metadata.json"
_BESIDE = {
    "aiperf_artifacts": {"run.json": "aiperf/run.json"},
    "aiperf_server": {"run.json": "aiperf/run.json"},
    "guidellm_config": {"report.json": "guidellm/v1_two_streams_and_one_rate.json"},
    "inference_perf_server": {"stage_0_lifecycle_metrics.json": "inference_perf/stage_0_lifecycle_metrics.json"},
    "inferencex_power": {
        "agg_dsr1_fp8_h200_tp8_conc16.json": "inferencex_fixed/v1_single_node_with_power.json",
    },
    "launch_command": {"result.json": _ALSO_READ},
    "prometheus_pair": {
        "metrics_before.txt": "prometheus_pair/metrics_before.txt",
        "metrics_after.txt": "prometheus_pair/metrics_after.txt",
        "result.json": _ALSO_READ,
    },
    "vllm_sweep": {"result.json": _ALSO_READ},
}
"""Whole files that a damaged one of these folders lies beside, since it says nothing alone."""
_AS_COUNTED = (b'"total_input_tokens": 153600', b'"total_input_tokens": 1000')
"""The pair of metrics pages counts as many prompt tokens as its result then has."""


class Hang(BaseException):
    """A case that does not come to an end. No `except Exception` on the way may keep it."""


class Case(NamedTuple):
    number: int
    sample: Path
    data: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case: how many points and refusals, and every rule that it broke, as sentences."""

    arrivals: Sequence[Arrival]
    refused: int
    broken: Sequence[str]


def samples() -> list[Path]:
    return sorted(path for path in SAMPLES.glob("*/*") if path.is_file() and not path.name.endswith(".points.json"))


def cases(count: int, seed: int) -> Iterator[Case]:
    """Each sample in turn, damaged in a way that the seed and the number of the case determine."""
    files = samples()
    for number in range(count):
        sample = files[number % len(files)]
        yield Case(number, sample, mutated(sample.read_bytes(), Random(f"{seed}:{number}")))


def lay_out(case: Case, folder: Path) -> None:
    """The case in a folder of its own, with what it needs beside it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    kind = case.sample.parent.name
    for name, sample in _BESIDE.get(kind, {}).items():
        data = (SAMPLES / sample).read_bytes()
        (folder / name).write_bytes(data.replace(*_AS_COUNTED) if kind == "prometheus_pair" else data)
    (folder / case.sample.name).write_bytes(case.data)


def run(case: Case, folder: Path) -> Outcome:
    """Ingests a case from a folder of its own. Raises what ingest raises, and Hang."""
    lay_out(case, folder)
    with _watched(case):
        gathered = gather([folder])
    reasons = [reason for file in gathered.files for reason in [*(text for _, text in file.refused), *file.warnings]]
    broken = [reason for reason in reasons if reason.startswith("could not be ") and "Error" in reason]
    for file in gathered.files:
        if file.role == "results" and not file.refused and file not in gathered.owners and not file.warnings:
            broken.append(f"{file.path} vanished: neither a point nor a word about it")
    for arrival in gathered.arrivals:
        broken += [f"{arrival.place}, {arrival.where}: {what}" for what in wrong(arrival.point)]
    return Outcome(gathered.arrivals, sum(len(file.refused) for file in gathered.files), broken)


def wrong(point: Point) -> list[str]:
    """The invariants that a point breaks; none may, whatever its file held."""
    metrics, broken = point.metrics, []
    for key, value in metrics.items():
        if key not in METRICS:
            broken.append(f"{key} is in no catalog")
        elif isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            broken.append(f"{key} is {value!r}")
        elif METRICS[key].is_share and not 0 <= value <= 1 + SLACK:
            broken.append(f"the share {key} is {value}")
        elif value < 0:
            broken.append(f"{key} is {value}")
    for quantity, keys in LATENCY.items():
        broken += [f"{quantity} is {metrics[key]}" for key in keys.values() if key in metrics and metrics[key] <= 0]
    broken += _axes(point)
    if metrics.get(REQUESTS_OK, 1) < 1:
        broken.append("no request succeeded")
    if point.chip_count is not None and point.chip_count < 1:
        broken.append(f"{point.chip_count} chips")
    if point.concurrency is not None and not (math.isfinite(point.concurrency) and point.concurrency > 0):
        broken.append(f"a concurrency of {point.concurrency}")
    broken += [f"the flag {flag} means nothing" for flag in (*point.flags, *point.cache.flags) if flag not in FLAGS]
    broken += [f"{tier.medium} served {tier.share}" for tier in point.cache.tiers if not 0 <= (tier.share or 0) <= 1]
    cached = point.cache.cached_share
    if cached is not None and not 0 <= cached <= 1 + SLACK and "sum_gt_1" not in point.cache.flags:
        broken.append(f"caches served {cached} without a doubt")
    try:
        orjson.dumps(asdict(point))
    except (TypeError, ValueError) as error:
        broken.append(f"it cannot be written as JSON: {error}")
    return broken


def _axes(point: Point) -> list[str]:
    """The two axes: interactivity is the inverse of its latency, and throughput per chip that of all chips."""
    metrics, broken = point.metrics, []
    for statistic in STATISTICS:
        value, quantity = metrics.get(INTERACTIVITY[statistic]), (point.interactivity_def or "").removeprefix("1/")
        latency = metrics.get(LATENCY[quantity][statistic]) if quantity in LATENCY else None
        if value is not None and (value <= 0 or (latency and not math.isclose(value * latency, 1, rel_tol=1e-3))):
            broken.append(f"interactivity {statistic} is {value} at a latency of {latency}")
    for kind in TOKEN_KINDS:
        system, per_chip = metrics.get(TPUT[kind]), metrics.get(TPUT_PER_CHIP[kind])
        if system is None or per_chip is None or not point.chip_count or DISPUTED in point.flags:
            continue
        if not math.isclose(per_chip * point.chip_count, system, rel_tol=2 * COUNT_SLACK, abs_tol=1e-6):
            broken.append(f"{kind}: {per_chip} on each of {point.chip_count} chips is not {system}")
    total, output = metrics.get(TPUT["total"]), metrics.get(TPUT["output"])
    if (metrics.get(TPUT_PER_CHIP["total"], total) or 1) <= 0 or (total is not None and total <= 0 and not output):
        broken.append(f"a throughput of {total}")
    return broken


@contextmanager
def _watched(case: Case) -> Iterator[None]:
    """Ends a case that does not end by itself."""

    def give_up(*_: object) -> None:
        raise Hang(f"case {case.number}, {case.sample.parent.name}/{case.sample.name}: no end after {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
