"""InferenceX rows made by rule: the shapes of the benchmark's own files, as many digits, nobody's results."""

import json
import random
from collections.abc import Iterator
from typing import Any

Row = dict[str, Any]
_STATISTICS = ("mean", "p50", "p75", "p90", "p95", "p99", "std")
_LOADS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


def rows(count: int, seed: int = 1) -> Iterator[Row]:
    """Fixed-sequence, flat and nested agentic rows in turn, in recipes and loads that do not repeat for long."""
    rnd = random.Random(seed)
    makers = (_fixed, _flat, _nested)
    for number in range(count):
        yield makers[number % 3](rnd, number // 3)


def text(content: Row | list[Row]) -> bytes:
    """As the benchmark writes it: indented by two."""
    return json.dumps(content, indent=2).encode()


def _recipe(number: int, hardware: str, precision: str) -> Row:
    load = number % len(_LOADS)
    variant = number // len(_LOADS)
    return {
        "hw": f"{hardware}_{variant % 12:02d}",
        "conc": _LOADS[load],
        "image": f"vllm/vllm-openai:v0.{14 + variant // 48 % 30}.{variant // 1440}",
        "model": "deepseek-ai/DeepSeek-R1-0528",
        "infmax_model_prefix": "dsr1",
        "framework": ("vllm", "sglang")[variant // 12 % 2],
        "precision": precision,
        "spec_decoding": ("none", "mtp")[variant // 24 % 2],
        "disagg": False,
        "is_multinode": False,
        "tp": 8,
        "pp": 1,
        "dcp_size": 1,
        "pcp_size": 1,
        "ep": 1,
        "dp_attention": "false",
    }


def _spread(rnd: random.Random, mean: float) -> dict[str, float]:
    slow = (1.0, 0.95, 1.1, 1.3, 1.5, 2.0, 0.3)
    return {name: mean * factor * (0.9 + 0.2 * rnd.random()) for name, factor in zip(_STATISTICS, slow, strict=True)}


def _affixed(rnd: random.Random, quantity: str, mean: float) -> Row:
    return {f"{'median' if name == 'p50' else name}_{quantity}": value for name, value in _spread(rnd, mean).items()}


def _throughput(rnd: random.Random) -> Row:
    total = 2000 + 9000 * rnd.random()
    return {
        "tput_per_gpu": total,
        "output_tput_per_gpu": total * 0.01,
        "input_tput_per_gpu": total * 0.99,
    }


def _fixed(rnd: random.Random, number: int) -> Row:
    return {
        **_recipe(number, "h200-nv", "fp8"),
        "isl": 1024,
        "osl": 1024,
        **_throughput(rnd),
        **_affixed(rnd, "ttft", 0.3),
        **_affixed(rnd, "tpot", 0.02),
        **_affixed(rnd, "itl", 0.18),
        **_affixed(rnd, "e2el", 17.0),
        **_affixed(rnd, "intvty", 50.0),
        "benchmark_outcome": {"status": "passed", "requested": 160, "completed": 159, "failed": 1},
    }


def _flat(rnd: random.Random, number: int) -> Row:
    offloading = ("none", "lmcache")[number // len(_LOADS) % 2]
    return {
        **_recipe(number, "mi355x-amds", "fp4"),
        "scenario_type": "agentic-coding",
        "offloading": offloading,
        "num_requests_total": 120,
        "num_requests_successful": 120,
        **_throughput(rnd),
        **{
            key: value
            for quantity in ("qps", "ttft", "e2el", "itl", "tpot", "intvty", "input_tokens")
            for key, value in _affixed(rnd, quantity, 2.0).items()
        },
        "theoretical_cache_hit_rate": 0.95,
        "server_gpu_cache_hit_rate": 0.5 + 0.4 * rnd.random(),
        "server_cpu_cache_hit_rate": 0.3 * rnd.random() if offloading != "none" else None,
        "cpu_kv_cache_usage_pct": None,
        "total_prompt_tokens": 9_600_000 + number,
        "total_generation_tokens": 48_000,
        "total_requests_completed": 120,
        "response_cache_hit_rate": None,
        "duration_seconds": 240.0 + rnd.random(),
    }


def _nested(rnd: random.Random, number: int) -> Row:
    offloaded = number // len(_LOADS) % 2 == 1
    hits, dram = int(500_000 + 300_000 * rnd.random()), int(150_000 * rnd.random()) if offloaded else 0
    given = _throughput(rnd)
    total, output, inputs = given.values()
    return {
        **_recipe(number, "b200-dgxc", "fp4"),
        "scenario_type": "agentic-coding",
        "num_gpus": 8,
        "kv_offloading": "dram" if offloaded else "none",
        **({"kv_offload_backend": {"name": "lmcache", "version": "0.3.9"}} if offloaded else {}),
        "num_requests_total": 140,
        "num_requests_successful": 140,
        "dataset": {"loader": "cc_traces", "hf_dataset_name": "example/cc-traces", "hf_split": "train"},
        "request_metrics": {
            "qps": _spread(rnd, 0.1),
            "latency": {quantity: _spread(rnd, 2.0) for quantity in ("ttft", "e2el", "itl", "tpot", "intvty")},
            "tokens": {"input": _spread(rnd, 80_000.0), "output_actual": _spread(rnd, 400.0), "output_expected": {}},
            "throughput": {
                "input": {"tokens_per_second": inputs * 8},
                "output": {"tokens_per_second": output * 8},
                "total": {"tokens_per_second": total * 8},
                "duration_seconds": 600.5,
                "per_gpu": {"total_tput_tps": total, "output_tput_tps": output, "input_tput_tps": inputs},
            },
            "cache": {"theoretical_cache_hit_rate": 0.97},
        },
        "server_metrics": {
            "present": True,
            "adapter": "vllm",
            "cache": {
                "gpu_cache_hit_rate": hits / 1e6,
                "prefix_cache_hits": hits,
                "prefix_cache_queries": 1_000_000,
                "external_prefix_cache_hits": dram or None,
                "external_prefix_cache_queries": 1_000_000 - hits if offloaded else None,
            },
            "kv_cache": {"gpu_usage_pct": 0.87, "gpu_total_tokens": 2_000_000, "cpu_usage_pct": None},
            "tokens": {
                "prompt_total": 1_000_000,
                "generation_total": 5_000,
                "requests_completed": 140,
                "prompt_by_source": {
                    "gpu_cache_hit": hits,
                    "cpu_or_external_cache_hit": dram,
                    "computed": 1_000_000 - hits - dram,
                },
            },
            "sources": [],
        },
    }
