"""InferenceX rows made by hand, for tests that need files to ingest."""

import json
from pathlib import Path
from typing import Any


def fixed(concurrency: int = 8, **changes: Any) -> dict[str, Any]:
    """A fixed-sequence row on eight chips of one node; a change to None leaves the key out."""
    row = {
        "hw": "h200-nv",
        "image": "lmsysorg/sglang:v0.5.9-cu130",
        "model": "deepseek-ai/DeepSeek-R1-0528",
        "infmax_model_prefix": "dsr1",
        "framework": "sglang",
        "precision": "fp8",
        "spec_decoding": "none",
        "conc": concurrency,
        "isl": 1024,
        "osl": 1024,
        "disagg": False,
        "is_multinode": False,
        "tp": 8,
        "ep": 1,
        "dp_attention": "false",
        "tput_per_gpu": 100.0 + concurrency,
        "output_tput_per_gpu": 50.0 + concurrency / 2,
        "input_tput_per_gpu": 50.0 + concurrency / 2,
        "mean_ttft": 0.25,
        "median_ttft": 0.2,
        "mean_tpot": 0.02,
        "median_tpot": 0.02,
        **changes,
    }
    return {key: value for key, value in row.items() if value is not None}


def agentic(concurrency: int = 8, offloading: str = "none", **changes: Any) -> dict[str, Any]:
    """A flat agentic row on four chips."""
    row = {
        "hw": "mi355x-amds",
        "image": "",
        "model": "moonshotai/Kimi-K2.5",
        "infmax_model_prefix": "kimik2.5",
        "framework": "vllm",
        "precision": "fp4",
        "spec_decoding": "none",
        "conc": concurrency,
        "scenario_type": "agentic-coding",
        "disagg": False,
        "is_multinode": False,
        "tp": 4,
        "ep": 1,
        "dp_attention": "false",
        "offloading": offloading,
        "num_requests_total": 60,
        "num_requests_successful": 60,
        "tput_per_gpu": 2000.0 + concurrency,
        "output_tput_per_gpu": 20.0,
        "input_tput_per_gpu": 1980.0 + concurrency,
        "mean_ttft": 2.0,
        "p90_ttft": 3.0,
        "mean_itl": 0.04,
        "p90_itl": 0.05,
        "server_gpu_cache_hit_rate": 0.9,
        "total_prompt_tokens": 1_000_000,
        "total_generation_tokens": 10_000,
        **changes,
    }
    return {key: value for key, value in row.items() if value is not None}


def write(path: Path, content: Any) -> Path:
    """Writes JSON, making folders on the way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
