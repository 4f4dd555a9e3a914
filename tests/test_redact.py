"""Secrets are taken out wherever they hide, and nothing else is."""

import json
from typing import Any

import pytest

from ingest.document import Document
from ingest.redact import REDACTED, document_may_hold_secrets, may_hold_secrets, redacted

SECRET = "q7RtYp2LxWv9"


def suspect(value: Any) -> bool:
    """Whether a document is looked through, which must not depend on whether it was parsed before."""
    data = json.dumps(value, indent=1).encode()
    document = Document(place="x", resolved="/x", name="x", folders=(), data=data)
    unparsed = document_may_hold_secrets(document)
    assert document.parsed.value == value
    assert document_may_hold_secrets(document) == unparsed
    return unparsed


@pytest.mark.parametrize(
    "value",
    [
        {"api_key": SECRET},
        {"OPENAI_API_KEY": SECRET},
        {"apiKey": SECRET},
        {"password": SECRET},
        {"hf_token": SECRET},
        {"token": SECRET},
        {"client-secret": SECRET},
        {"credentials": {"user": "me", "pin": SECRET}},
        {"config": {"server": [{"headers": {"Authorization": f"Bearer {SECRET}"}}]}},
        {"name": "HF_TOKEN", "value": SECRET},
        ["--api-key", SECRET, "--port", "8000"],
        [["Authorization", f"Bearer {SECRET}"]],
        f"vllm serve m --api-key {SECRET} --max-tokens 5",
        f"vllm serve m --api-key={SECRET}",
        f"vllm serve m --api-key '{SECRET}'",
        f"OPENAI_API_KEY={SECRET} python bench.py",
        f"export HF_TOKEN={SECRET}; vllm serve m",
        f"curl -H 'Authorization: Bearer {SECRET}' http://host/v1",
        f"https://me:{SECRET}@host/v1",
        f"sk-{SECRET}",
        f"hf_{SECRET}",
        f"password: {SECRET}, next",
    ],
)
def test_a_secret_does_not_stay(value: Any) -> None:
    cleaned = json.dumps(redacted(value))
    assert SECRET not in cleaned
    assert REDACTED in cleaned
    assert may_hold_secrets(json.dumps(value).encode())
    assert suspect({"rows": [[{"note": value}]]})


@pytest.mark.parametrize(
    "value",
    [
        {"total_token_throughput": 512.0, "max_tokens": 5, "tokens": [1, 2], "tokenizer_id": "Qwen/Qwen3"},
        {"token": 7, "api_key": None, "password": "", "authorized": "yes"},
        {"key": "value", "cache_key_policy": "lru", "monkey": "x"},
        "vllm serve deepseek-ai/DeepSeek-R1 --max-num-batched-tokens 8192 --tokenizer x --eos-token </s>",
        "mi355x-amds_05",
        "https://host:8000/v1?model=a@b",
        {"kv_key": "k-cache", "image": "vllm/vllm-openai:v0.14.1"},
        ["--model", "m", "--tokenizer", "t"],
    ],
)
def test_what_is_no_secret_comes_back_as_it_was(value: Any) -> None:
    assert redacted(value) == value
    assert isinstance(value, str) or redacted(value) is value


@pytest.mark.parametrize("name", ["hf_dataset_name", "hf_split", "joules_per_output_token", "joules_per_total_token"])
def test_names_that_every_record_holds_make_no_file_suspect_but_hide_no_secret(name: str) -> None:
    assert not may_hold_secrets(json.dumps({name: "x"}).encode())
    assert not suspect({name: "x"})
    assert suspect({name: f"hf_{SECRET}"})
    assert suspect([{name: "x"}, {"hf_token": SECRET}])
    assert may_hold_secrets(json.dumps({name: f"hf_{SECRET}"}).encode())
    assert may_hold_secrets(json.dumps({name: "x", "hf_token": SECRET}).encode())
