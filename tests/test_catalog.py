"""The dictionary: every word resolves to one key, every number is the one its source gives."""

import re
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.chips import CHIPS, Chip
from app.catalog.dimensions import COLOR_CHOICES, DIMENSIONS, LINK_FILTERS, SERIES_DIMENSIONS
from app.catalog.engines import ENGINES, ORCHESTRATORS, Framework, split_framework, symbol_of, version_of_image
from app.catalog.flags import FLAGS, flag_of
from app.catalog.glossary import entries, entry_of
from app.catalog.metrics import METRICS
from app.catalog.models import MODELS, family_of
from app.catalog.offload import BACKENDS, KINDS, TIERS
from app.catalog.origins import ORIGINS
from app.catalog.precisions import PRECISIONS
from app.catalog.speculation import SPECULATIONS
from app.catalog.vocabulary import Term, Vocabulary, folded, is_other
from app.catalog.words import WORDS
from app.catalog.workloads import (
    agentic_workload,
    dataset_name,
    fixed_workload,
    workload_key,
    workload_kind,
    workload_label,
    workload_order,
)
from tests.conftest import ROOT

ALL: list[Vocabulary[Term]] = [
    CHIPS,
    DIMENSIONS,
    ENGINES,
    ORCHESTRATORS,
    FLAGS,
    METRICS,
    MODELS,
    BACKENDS,
    KINDS,
    TIERS,
    ORIGINS,
    PRECISIONS,
    SPECULATIONS,
    WORDS,
]
TERMS = [
    pytest.param(vocabulary, term, id=f"{vocabulary.name}-{term.key}") for vocabulary in ALL for term in vocabulary
]


@pytest.mark.parametrize(("vocabulary", "term"), TERMS)
def test_a_term_is_found_by_its_key_its_label_and_every_alias(vocabulary: Vocabulary[Term], term: Term) -> None:
    assert term.label
    for spelling in (term.key, term.label, *term.aliases, term.label.upper(), f" {term.key} "):
        assert vocabulary.resolve(spelling) is term, spelling
        assert vocabulary.key_of(spelling) == term.key, spelling


def test_two_terms_may_not_share_a_spelling() -> None:
    with pytest.raises(ValueError, match="'dram' is claimed by 'a' and 'b'"):
        Vocabulary("memory", [Term(key="a", label="A", aliases=("DRAM",)), Term(key="b", label="B", aliases=("dram",))])


@pytest.mark.parametrize("vocabulary", ALL, ids=lambda vocabulary: vocabulary.name)
def test_a_word_nobody_knows_is_kept_as_it_came(vocabulary: Vocabulary[Term]) -> None:
    key = vocabulary.key_of("Zyzzyva9")
    assert key == "other:zyzzyva9"
    assert is_other(key)
    assert vocabulary.key_of(key) == key
    assert vocabulary.label(key) == "zyzzyva9"
    assert vocabulary.order(key) > max(vocabulary.order(term.key) for term in vocabulary)


CHIP_LABELS = {
    "h100": "H100 h100-cw_01 h100-dgxc-slurm_11 h100-multinode cluster:h100-dgxc NVIDIA-H100-80GB-HBM3 8xH100",
    "h200": "h200-cw_00 h200-nb_1 h200-dgxc-slurm h200-multinode h200-nv h200_sxm h200_sglang H200-SXM",
    "b200": "b200-cw_0 b200-nb b200-dgxc_05 b200-nscale-slurm b200-multinode b200-new b200-dsv4 b200-trt b200_sxm",
    "b300": "b300-nv B300",
    "gb200": "gb200-nv gb200 GB200",
    "gb300": "gb300-nv",
    "mi300x": "mi300x-amds mi300x",
    "mi325x": "mi325x-amds mi325x-tw",
    "mi355x": "mi355x-amds_05 mi355x-amd mi355x-disagg MI355X",
    "rtx6000pro": "rtx6000pro-lat",
}
DRIVER_NAMES = {
    "NVIDIA H200": "h200",
    "NVIDIA GB200": "gb200",
    "NVIDIA H100 80GB HBM3": "h100",
    "AMD Instinct MI355X": "mi355x",
    "AMD Instinct MI300X OAM": "mi300x",
    "GB300 NVL72": "gb300",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": "rtx6000pro",
    "NVIDIA GeForce RTX 5090": "rtx5090",
    "TPU v7 Ironwood": "tpuv7",
}
LABELS = [(label, key) for key, labels in CHIP_LABELS.items() for label in labels.split()] + list(DRIVER_NAMES.items())


@pytest.mark.parametrize(("label", "key"), LABELS)
def test_a_chip_is_read_from_runner_labels_and_driver_names(label: str, key: str) -> None:
    assert CHIPS.key_of(label) == key


@pytest.mark.parametrize("label", ["", "  ", "mia1-p02-g17", "cluster:mia1-p02-g17", "node7.example.local", "10.0.0.7"])
def test_a_host_name_carries_no_chip(label: str) -> None:
    assert CHIPS.key_of(label) is None


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("gaudi3", "other:gaudi3"),
        ("gaudi3-lab_02", "other:gaudi3"),
        ("Intel Gaudi 3", "other:gaudi 3"),
        ("NVIDIA L40S", "other:l40s"),
        ("NVIDIA H100 PCIe", "other:h100 pcie"),
        ("H100 NVL", "other:h100 nvl"),
        ("GH200", "other:gh200"),
    ],
)
def test_an_unknown_chip_is_kept_and_never_taken_for_a_known_one(label: str, key: str) -> None:
    assert CHIPS.key_of(label) == key


@given(st.text(max_size=60))
def test_any_text_reads_as_a_chip_a_kept_word_or_nothing(text: str) -> None:
    key = CHIPS.key_of(text)
    assert key is None or key in CHIPS or (is_other(key) and key != "other:")
    assert CHIPS.key_of(key) in (key, None) or key is None


def test_chip_facts_are_those_of_the_source() -> None:
    hopper, rack, instinct = CHIPS["h200"], CHIPS["gb300"], CHIPS["mi355x"]
    assert hopper.memory is not None
    assert (hopper.memory.usable_gb, hopper.memory.physical_gb, hopper.memory.tb_s) == (141, 144, 4.8)
    assert hopper.rates.fp4 is None
    assert hopper.rates.fp8 == 1979
    assert rack.links is not None
    assert (rack.links.domain, rack.links.scale_up_gb_s) == (72, 900)
    assert rack.tdp_w == 1400
    assert (instinct.rates.fp4, instinct.rates.fp8, instinct.rates.bf16) == (10066, 5033, 2516)


def test_no_placeholder_stands_for_a_missing_number() -> None:
    for chip in CHIPS:
        assert 9.99 not in (*chip.kw.values(), *chip.usd_h.values()), chip.key
    assert CHIPS["rtx5090"].kw == {}


def test_every_number_of_a_chip_names_its_source_and_date() -> None:
    lines = (ROOT / "app" / "catalog" / "chips.py").read_text(encoding="utf-8").splitlines()
    numbers = {field.name for field in fields(Chip)} & {"tdp_w", "memory", "rates", "links", "kw", "usd_h"}
    stated = [line for line in lines if re.match(rf"\s+(?:{'|'.join(numbers)})=.*\d.*\)?,", line) or "**_usd(" in line]
    assert len(stated) > 70
    for line in stated:
        assert re.search(r"# app(-04|-09)? 2026-\d\d", line) or "links=_NV" in line, line


@pytest.mark.parametrize(
    ("raw", "engine", "orchestrator", "disaggregated"),
    [
        ("vllm", "vllm", "none", None),
        ("SGLang", "sglang", "none", None),
        ("trt", "trt", "none", None),
        ("TensorRT-LLM", "trt", "none", None),
        ("tensorrt_llm", "trt", "none", None),
        ("atom", "atom", "none", None),
        ("tilert", "tilert", "none", None),
        ("dynamo-vllm", "vllm", "dynamo", True),
        ("dynamo-sglang", "sglang", "dynamo", True),
        ("dynamo-trt", "trt", "dynamo", True),
        ("dynamo-trtllm", "trt", "dynamo", True),
        ("Dynamo + vLLM", "vllm", "dynamo", True),
        ("llmd-vllm", "vllm", "llm-d", None),
        ("llm-d vLLM", "vllm", "llm-d", None),
        ("mori-sglang", "sglang", "mori", True),
        ("sglang-disagg", "sglang", "mori", True),
        ("mooncake-atom", "atom", "mooncake", None),
        ("atom-disagg", "atom", "mooncake", True),
        ("Mooncake ATOMesh", "atom", "mooncake", None),
        ("vllm-disagg", "vllm", None, True),
        ("dynamo", None, "dynamo", True),
        ("dynamo-newthing", "other:newthing", "dynamo", True),
        ("newthing", "other:newthing", None, None),
        ("other:newthing", "other:newthing", None, None),
        ("", None, None, None),
        (None, None, None, None),
    ],
)
def test_a_framework_is_an_engine_and_an_orchestrator(
    raw: str | None, engine: str | None, orchestrator: str | None, disaggregated: bool | None
) -> None:
    assert split_framework(raw) == Framework(engine, orchestrator, disaggregated)
    assert ENGINES.key_of(raw) == engine


def test_every_engine_has_a_mark_of_its_own() -> None:
    marks = [symbol_of(engine.key) for engine in ENGINES] + [symbol_of("other:newthing")]
    assert len(set(marks)) == len(marks)


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("vllm/vllm-openai:v0.14.1", "0.14.1"),
        ("vllm/vllm-openai-rocm:v0.22.0", "0.22.0"),
        ("vllm#vllm-openai:v0.14.1", "0.14.1"),
        ("lmsysorg/sglang:v0.5.9-cu130", "0.5.9"),
        ("lmsysorg/sglang-rocm:v0.5.12.post1-rocm720-mi35x-20260531", "0.5.12.post1"),
        ("nvcr.io#nvidia#tensorrt-llm#release:1.3.0rc24", "1.3.0rc24"),
        ("rocm/vllm:rocm7.0.0_vllm_0.11.2_20251210", "0.11.2"),
        ("vllm/vllm-openai:nightly-7c5dc571cbd1064ecc8a9b1045637ff647aa22cb", None),
        ("lmsysorg/sglang:nightly-dev-cu13-20260923-06008c17@sha256:59213", "nightly-20260923"),
        ("registry.example:5000/vllm", None),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1", None),
        ("vllm/vllm-openai:latest", None),
        ("", None),
        (None, None),
    ],
)
def test_the_engine_version_is_read_from_the_container_tag(image: str | None, version: str | None) -> None:
    assert version_of_image(image) == version


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ("dsr1", "dsr1"),
        ("dsr1-fp8", "dsr1"),
        ("deepseek-ai/DeepSeek-R1", "dsr1"),
        ("nvidia/DeepSeek-R1-0528-FP4-V2", "dsr1"),
        ("amd/DeepSeek-R1-0528-MXFP4-Preview", "dsr1"),
        ("/home/models/deepseek-r1", "dsr1"),
        ("/home/user/deepseek-r1/", "dsr1"),
        ("/lustre/fsw/models/Kimi-K2.5-NVFP4", "kimik2.5"),
        ("/home/user/openai--gpt-oss-120b", "gptoss120b"),
        ("/root/hub/models--openai--gpt-oss-120b/snapshots/0123abc", "gptoss120b"),
        (r"C:\models\Kimi-K2.6", "kimik2.6"),
        ("gptoss", "gptoss120b"),
        ("dsv4pro", "dsv4"),
        ("kimik2.7", "kimik2.7-code"),
        ("moonshotai/Kimi-K2.7-Code", "kimik2.7-code"),
        ("Qwen/Qwen3.5-397B-A17B-FP8", "qwen3.5"),
        ("amd/MiniMax-M2.5-MXFP4", "minimaxm2.5"),
        ("amd/Llama-3.3-70B-Instruct-FP8-KV", "llama70b"),
        ("amd/GLM-5.1-MXFP4", "glm5.1"),
        ("zai-org/GLM-5-FP8", "glm5"),
        ("nvidia/GLM-5.2-NVFP4", "glm5.2"),
        ("RedHatAI/DeepSeek-Coder-V2-Lite-Instruct-FP8", "dsv2lite"),
        ("deepseek-ai/DeepSeek-V4.1-Flash", "dsv41flash"),
        ("Qwen/Qwen3-Coder-30B", "other:qwen3-coder-30b"),
        ("/models/Qwen3-Coder-30B", "other:qwen3-coder-30b"),
        ("DeepSeek-R1-Distill-Llama-70B-FP8", "other:deepseek-r1-distill-llama-70b-fp8"),
        ("other:qwen3-coder-30b", "other:qwen3-coder-30b"),
        ("", None),
        ("/", None),
    ],
)
def test_a_model_is_read_from_keys_addresses_and_paths(raw: str, key: str | None) -> None:
    assert MODELS.key_of(raw) == key


def test_checkpoints_of_one_family_keep_keys_of_their_own() -> None:
    assert family_of("kimik2.6") == family_of("kimik2.5") == family_of("kimik2.7-code") == "Kimi-K2.5"
    assert family_of("glm5.1") == family_of("glm5") != family_of("glm5.2")
    assert family_of("other:qwen3-coder-30b") == "qwen3-coder-30b"


@pytest.mark.parametrize(
    ("raw", "key", "hollow"),
    [
        ("nvfp4", "fp4", False),
        ("MXFP4", "fp4", False),
        ("int4", "int4", False),
        ("fp8block", "fp8", True),
        ("fp8_ds_mla", "fp8", True),
        ("bfloat16", "bf16", True),
    ],
)
def test_precisions_know_their_spellings_and_their_fill(raw: str, key: str, hollow: bool) -> None:
    assert PRECISIONS.key_of(raw) == key
    assert PRECISIONS[key].hollow is hollow


@pytest.mark.parametrize("raw", [None, "", "Unknown", "auto", "n/a"])
def test_a_precision_that_the_file_does_not_know_is_missing(raw: str | None) -> None:
    assert PRECISIONS.key_of(raw) is None


def test_an_empty_speculation_is_none_and_an_absent_one_is_missing() -> None:
    assert SPECULATIONS.key_of("") == "none"
    assert SPECULATIONS.key_of(None) is None
    assert SPECULATIONS.key_of("EAGLE3") == "eagle"
    assert SPECULATIONS.key_of("draft_model") == "draft_model"


@pytest.mark.parametrize(
    ("isl", "osl", "key"),
    [
        (1024, 1024, "1k/1k"),
        (8192, 1024, "8k/1k"),
        (1024, 8192, "1k/8k"),
        (8192, 256, "8k/256"),
        (8192, 625, "8k/625"),
        (1000, 1000, "1000/1000"),
        (None, 1024, None),
        (0, 1024, None),
    ],
)
def test_a_fixed_workload_is_named_by_its_tokens(isl: int | None, osl: int | None, key: str | None) -> None:
    assert fixed_workload(isl, osl) == key
    assert key is None or workload_kind(key) == "fixed"


@pytest.mark.parametrize(
    ("spelling", "key"),
    [
        ("1k1k", "1k/1k"),
        ("_1k8k_".strip("_"), "1k/8k"),
        ("1024/1024", "1k/1k"),
        ("8192x1024", "8k/1k"),
        ("isl1024_osl8192", "1k/8k"),
        ("8k256", "8k/256"),
        ("agentic-coding", "agentic"),
        ("agentic-traces", "agentic"),
        ("agentic:semianalysisai/cc-traces-weka-062126", "agentic:cc-traces-weka-062126"),
        ("agentic: cc-traces-weka-062126", "agentic:cc-traces-weka-062126"),
        ("10241024", "other:10241024"),
        ("chat", "other:chat"),
        ("", None),
    ],
)
def test_a_workload_is_read_from_its_spellings(spelling: str, key: str | None) -> None:
    assert workload_key(spelling) == key
    assert workload_key(key) == key


def test_an_agentic_workload_is_named_by_its_data_set() -> None:
    assert agentic_workload("semianalysisai/cc-traces-weka-062126") == "agentic:cc-traces-weka-062126"
    assert agentic_workload(None) == agentic_workload("") == "agentic"
    assert dataset_name("semianalysis_cc_traces_weka_062126") == "cc-traces-weka-062126"
    assert workload_label("agentic:cc-traces-weka-062126") == "agentic: cc-traces-weka-062126"
    assert workload_kind("agentic:x") == workload_kind("agentic") == "agentic"


def test_workloads_sort_by_tokens_then_traces_then_the_unknown() -> None:
    keys = [None, "other:chat", "agentic:b", "8k/256", "1k/8k", "agentic", "1k/1k", "8k/1k"]
    assert sorted(keys, key=workload_order) == [
        "1k/1k",
        "1k/8k",
        "8k/256",
        "8k/1k",
        "agentic",
        "agentic:b",
        "other:chat",
        None,
    ]


@given(st.integers(1, 2**20), st.integers(1, 2**20))
def test_the_name_of_a_fixed_workload_reads_back_as_itself(isl: int, osl: int) -> None:
    key = fixed_workload(isl, osl)
    assert workload_key(key) == key
    assert workload_key(f"{isl}/{osl}") == key


def test_filters_and_colors_are_read_off_the_dimensions() -> None:
    assert {"model", "workload", "chip", "engine", "precision", "spec", "backend", "tier", "run", "origin"} <= set(
        LINK_FILTERS
    )
    assert set(SERIES_DIMENSIONS) <= set(COLOR_CHOICES)
    assert "tier" not in COLOR_CHOICES


@pytest.mark.parametrize(
    ("dimension", "spelling", "value"),
    [
        ("chip", "B200-DGXC_03", "b200"),
        ("chip", "gaudi3", "other:gaudi3"),
        ("chip", "other:gaudi3", "other:gaudi3"),
        ("chip", "unknown", "unknown"),
        ("model", "/models/GLM-5.2-NVFP4", "glm5.2"),
        ("engine", "dynamo-trtllm", "trt"),
        ("workload", "1k1k", "1k/1k"),
        ("backend", "HiCache", "hicache"),
        ("tier", "dram", "host_dram"),
        ("chip_count", "08", "8"),
        ("chip_count", "-1", None),
        ("concurrency", "many", None),
        ("origin", "nowhere", None),
        ("disaggregated", "yes", "true"),
        ("spec", " ", None),
        ("run", "Nightly 7", "Nightly 7"),
    ],
)
def test_a_spelling_in_a_link_means_one_value(dimension: str, spelling: str, value: str | None) -> None:
    assert DIMENSIONS[dimension].resolve(spelling) == value


def test_values_of_a_dimension_print_and_sort_the_way_readers_expect() -> None:
    chips, counts = DIMENSIONS["chip"], DIMENSIONS["chip_count"]
    assert chips.label_of("gb200") == "GB200 NVL72"
    assert chips.label_of("other:gaudi3") == "gaudi3"
    assert chips.label_of(None) == "not reported"
    assert sorted(["16", "8", None, "72"], key=counts.order) == ["8", "16", "72", None]
    assert sorted(["other:gaudi3", None, "b200", "h100"], key=chips.order) == ["h100", "b200", "other:gaudi3", None]


def test_every_flag_says_what_it_means_in_a_sentence() -> None:
    for flag in FLAGS:
        assert flag.text.endswith("."), flag.key
        assert flag.severity in ("note", "doubt", "contradiction")
    assert flag_of("never_seen_before").label == "never seen before"
    assert flag_of("clamped") is FLAGS["clamped"]


def test_every_flag_that_ingest_raises_is_described() -> None:
    raised: set[str] = set()
    for path in [*(ROOT / "ingest").rglob("*.py"), *(ROOT / "app" / "store").rglob("*.py")]:
        source = path.read_text(encoding="utf-8")
        raised |= set(re.findall(r'(?:raised|flags)\.(?:append|add)\(\s*"(\w+)"', source))
        for group in re.findall(r"(?<![\w])flags(?:: list\[str\])? ?= ?[(\[]([^)\]]*)[)\]]", source):
            raised |= set(re.findall(r'"(\w+)"', group))
    assert {"sum_gt_1", "offload_inert"} <= raised
    assert sorted(raised - {flag.key for flag in FLAGS}) == []


def test_the_glossary_explains_every_word_once() -> None:
    keys = [entry.key for entry in entries()]
    assert len(keys) == len(set(keys))
    for entry in entries():
        assert entry.text, entry.key
        assert entry_of(entry.key) is entry
        for key in entry.see:
            assert entry_of(key) is not None, f"{entry.key} points to {key}"


def test_the_glossary_is_read_off_the_catalogs() -> None:
    for metric in METRICS:
        entry = entry_of(metric.key)
        assert entry is not None
        assert (entry.kind, metric.unit in entry.text) == ("metric", True), metric.key
    for vocabulary in (CHIPS, MODELS, ENGINES, PRECISIONS, TIERS, KINDS, FLAGS):
        for term in vocabulary:
            assert entry_of(term.key) is not None, term.key
    assert entry_of("no such word") is None
    assert (halo := entry_of("ring")) is not None
    assert halo.key == "halo"


def test_folding_joins_case_spaces_and_underscores() -> None:
    assert folded("  RTX_PRO 6000 ") == folded("rtx-pro-6000")
