"""AIPerf run directories made by hand: a summary, its requests one by one, and what the server told over time."""

import json
from collections.abc import Iterator
from pathlib import Path

from app.catalog.point import Json
from tests.conftest import ROOT

SAMPLES = ROOT / "tests" / "samples"
RUN = json.loads((SAMPLES / "aiperf" / "run.json").read_text())
ZERO = 1_790_000_000_000_000_000
SECOND = 1_000_000_000


def request(
    number: int,
    *,
    start: float,
    seconds: float = 2.0,
    conversation: str = "a",
    turn: int = 0,
    depth: int = 0,
    phase: str | None = "profiling",
    error: str | None = None,
    isl: int = 1000,
    osl: int = 101,
    ttft: float = 0.5,
    cached: int | None = None,
) -> Json:
    """A record: its first token after `ttft` seconds, the rest evenly until its end."""
    lengths = {"input_sequence_length": isl, "output_sequence_length": osl}
    lengths |= {} if cached is None else {"usage_prompt_cache_read_tokens": cached}
    metrics: dict[str, Json] = {key: {"value": count, "unit": "tokens"} for key, count in lengths.items()}
    metrics["time_to_first_token"] = {"value": ttft * 1000, "unit": "ms"}
    metrics["request_latency"] = {"value": seconds, "unit": "s"}
    metrics["inter_token_latency"] = {"value": 1000 * (seconds - ttft) / max(1, osl - 1), "unit": "ms"}
    return {
        "metadata": {
            "session_num": number,
            "conversation_id": conversation,
            "turn_index": turn,
            "agent_depth": depth,
            "request_start_ns": ZERO + round(start * SECOND),
            "request_end_ns": ZERO + round((start + seconds) * SECOND),
            "worker_id": f"worker_{number % 2}",
            **({} if phase is None else {"benchmark_phase": phase}),
        },
        "metrics": {} if error else metrics,
        "error": {"type": error} if error else None,
    }


def agents(conversations: int = 3, turns: int = 8) -> Iterator[Json]:
    """Conversations that warm up, take turns, call a sub-agent each and lose one request in the end."""
    number = 0
    for conversation in range(conversations):
        for turn in range(turns):
            begun = conversation * 0.7 + turn * 3.0
            isl = 2000 + 1500 * turn + 100 * conversation
            yield request(
                number,
                start=begun,
                seconds=2.0 + 0.1 * turn,
                conversation=f"talk-{conversation}",
                turn=turn,
                phase="warmup" if turn == 0 else "profiling",
                isl=isl,
                osl=51 + 10 * turn,
                ttft=0.2 + 0.05 * turn,
                cached=0 if turn == 0 else isl - 1500,
            )
            number += 1
        yield request(
            number, start=begun, seconds=1.0, conversation=f"talk-{conversation}::sa:0", depth=1, isl=800, osl=21
        )
        number += 1
    yield request(number, start=begun + 1, conversation="talk-0", turn=turns, error="ServerDisconnectedError")


def over_time(seconds: int = 24, width: int = 2) -> Json:
    """A server's metrics whose pool fills, whose queue grows, and whose hits move from HBM to slower memory."""
    starts = range(0, seconds, width)

    def series(kind: str, low: float, high: float, **labels: str) -> Json:
        key = "total" if kind == "counter" else "avg"
        values = [low + (high - low) * at / seconds for at in starts]
        slices = [
            {"start_ns": ZERO + at * SECOND, "end_ns": ZERO + (at + width) * SECOND, key: value}
            for at, value in zip(starts, values, strict=True)
        ]
        spread = {"avg": sum(values) / len(values), "min": low, "max": high}
        stats = {"total": sum(values)} if kind == "counter" else spread
        return {"labels": {"engine": "0", **labels}, "stats": stats, "timeslices": slices}

    def metric(kind: str, *listed: Json) -> Json:
        return {"type": kind, "unit": "", "series": list(listed)}

    def gauge(low: float, high: float) -> Json:
        return metric("gauge", series("gauge", low, high))

    def source(name: str, low: float, high: float) -> Json:
        return series("counter", low, high, source=name)

    return {
        "schema_version": "1.0",
        "metrics": {
            "vllm:kv_cache_usage_perc": gauge(0.2, 0.98),
            "vllm:num_requests_running": gauge(2, 6),
            "vllm:num_requests_waiting": gauge(0, 3),
            "vllm:prompt_tokens_by_source": metric(
                "counter",
                source("local_compute", 400, 300),
                source("local_cache_hit", 600, 300),
                source("external_kv_transfer", 0, 400),
            ),
            "vllm:prompt_tokens": metric("counter", series("counter", 1000, 1000)),
        },
    }


def write_run(folder: Path, *records: Json, server: Json = None, slices: Json = None, **summary: Json) -> Path:
    """A directory as AIPerf leaves it; `summary` replaces blocks of its summary."""
    folder.mkdir(parents=True, exist_ok=True)
    ok = sum(not record["error"] and record["metadata"].get("benchmark_phase") != "warmup" for record in records)
    counted = {"request_count": {"unit": "requests", "avg": ok}} if records else {}
    (folder / "profile_export_aiperf.json").write_text(json.dumps({**RUN, **counted, **summary}))
    if records:
        (folder / "profile_export.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    if server is not None:
        (folder / "server_metrics_export.json").write_text(json.dumps(server))
    if slices is not None:
        (folder / "profile_export_aiperf_timeslices.json").write_text(json.dumps(slices))
    return folder
