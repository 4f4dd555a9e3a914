"""KV bytes per token of every model, against the figures that documents, logs and measurements give."""

import pytest

from app.catalog.geometry import KV_FORMATS, Geometry, KvFormat, kv_bytes_per_token
from app.catalog.links import LINKS
from app.catalog.models import MODELS

MILLION = 2**20
GIB, MIB = 2**30, 2**20


def geometry(key: str) -> Geometry:
    found = MODELS[key].geometry
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("model", "bf16", "fp8"),
    [
        ("llama70b", 327_680, 163_840),
        ("gptoss120b", 36_864, 18_432),
        ("dsr1", 70_272, 35_136),
        ("kimik2.5", 70_272, 35_136),
        ("dsv3.2", 85_888, 43_188),
        ("dsv4", 9_848, 5_511.4375),
        ("dsv4flash", 6_880, 3_850.25),
        ("kimik3", 27_648, 13_824),
        ("minimaxm3", None, 61_440 + 7_296),
        ("minimaxm2.5", 253_952, 126_976),
        ("qwen3.5", 30_720, 15_360),
        ("gemma4", 81_920, 40_960),
        ("glm5.2", 92_628, 47_700),
        ("glm5.3", 92_628, 47_700),
        ("qwen3-coder-30b-a3b", 98_304, 49_152),
        ("qwen3-8b", 147_456, 73_728),
        ("qwen3-0.6b", 114_688, 57_344),
    ],
)
def test_bytes_per_token(model: str, bf16: float | None, fp8: float) -> None:
    found = geometry(model)
    assert kv_bytes_per_token(found, "bf16") == bf16
    assert kv_bytes_per_token(found, "fp8") == fp8
    assert ("bf16" in found.formats) == (bf16 is not None)


@pytest.mark.parametrize(("model", "packed"), [("dsv3.2", 48_068), ("glm5.2", 53_940)])
def test_the_packed_format_of_latent_attention(model: str, packed: int) -> None:
    assert kv_bytes_per_token(geometry(model), "fp8_ds_mla") == packed


@pytest.mark.parametrize(("model", "gib"), [("dsv3.2", 83.9), ("dsv4", 9.62), ("dsv4flash", 6.72)])
def test_a_million_tokens(model: str, gib: float) -> None:
    bytes_per_token = kv_bytes_per_token(geometry(model), "bf16")
    assert bytes_per_token is not None
    assert bytes_per_token * MILLION / GIB == pytest.approx(gib, abs=0.03)


def test_v4_in_fp8_lies_where_engines_put_it() -> None:
    assert 5_000 < (kv_bytes_per_token(geometry("dsv4"), "fp8") or 0) < 5_520


def test_the_pools_of_v4_pro_hold_a_third_of_what_its_formula_would_have() -> None:
    # AgentX: B300 with 8 × 96 GB more than B200 reports about 43 against 22 million tokens.
    bought = 8 * 96e9 * 0.9 / (43e6 - 22e6)
    assert bought == pytest.approx(33_000, rel=0.01)
    formulas = [kv_bytes_per_token(geometry("dsv4"), form) or 0 for form in ("bf16", "fp8")]
    assert [3 < bought / each < 7 for each in formulas] == [True, True]
    assert geometry("dsv4").is_hybrid


def test_the_logged_pool_of_kimi_k3_is_within_a_percent() -> None:
    logged = 42.23 * GIB / 3_249_215
    assert logged == pytest.approx(13_955, abs=1)
    assert kv_bytes_per_token(geometry("kimik3"), "fp8") == pytest.approx(logged, rel=0.01)


def test_the_state_of_kimi_k3_doubles_its_tokens_where_checkpoints_lie_32k_apart() -> None:
    state = geometry("kimik3").state
    assert state is not None
    assert state.checkpoint is not None
    assert state.checkpoint / MIB == pytest.approx(438, abs=0.5)
    assert state.checkpoint / 32_768 == pytest.approx(14_000, rel=0.01)


def test_the_state_of_qwen_3_5_is_its_matrices_and_the_inputs_of_its_convolutions() -> None:
    state = geometry("qwen3.5").state
    assert state is not None
    assert state.checkpoint == 45 * (64 * 128 * 128 * 4 + (2 * 16 + 64) * 128 * 3 * 2)
    assert state.checkpoint / MIB == pytest.approx(183.2, abs=0.1)


def test_the_windows_of_gemma_4_cost_800_mib_a_conversation_and_its_full_layers_20_gib_at_256k() -> None:
    assert geometry("gemma4").per_sequence("bf16") == 800 * MIB
    assert 262_144 * (kv_bytes_per_token(geometry("gemma4"), "bf16") or 0) == 20 * GIB


def test_the_logged_rank_of_minimax_m3_holds_the_layer_that_predicts_further() -> None:
    found = geometry("minimaxm3")
    logged = 37.62 * GIB / 1_048_576
    assert logged == pytest.approx(38_523, abs=1)
    assert found.per_rank(2, "fp8", draft=True) == 38_528
    assert found.per_rank(2, "fp8") == 38_016


def test_heads_are_cut_over_ranks_until_there_is_one_on_each() -> None:
    found = geometry("qwen3-coder-30b-a3b")
    assert [found.per_rank(tp, "bf16") for tp in (1, 2, 4, 8)] == [98_304, 49_152, 24_576, 24_576]


def test_latent_attention_lies_whole_on_every_rank() -> None:
    assert {geometry("dsr1").per_rank(tp, "fp8") for tp in (1, 4, 8)} == {35_136}


def test_the_windows_of_gpt_oss_cost_the_same_at_every_length() -> None:
    assert geometry("gptoss120b").per_sequence("bf16") == pytest.approx(4.7e6, rel=0.01)
    assert geometry("dsr1").per_sequence("bf16") == 0


def test_a_pool_cannot_be_worked_out_where_states_windows_or_compressors_share_it() -> None:
    hybrids = {model.key for model in MODELS if model.geometry and model.geometry.is_hybrid}
    assert hybrids == {"gemma4", "gptoss120b", "dsv4", "dsv4flash", "kimik3", "qwen3.5"}


def test_every_geometry_says_where_it_comes_from() -> None:
    for model in MODELS:
        if found := model.geometry:
            assert found.source
            assert found.date
            assert found.words
            assert set(found.formats) <= set(KV_FORMATS)
            assert all(found.kv_bytes_per_token(form) for form in found.formats)


@pytest.mark.parametrize(
    ("link", "llama", "deepseek", "glm", "kimi"),
    [
        ("nvme4", 46.8, 10.0, 13.2, 1.98),
        ("nvme5", 23.4, 5.0, 6.6, 0.99),
        ("nvme6", 11.7, 2.5, 3.3, 0.49),
        ("pcie4", 13.1, 2.8, 3.7, 0.55),
        ("pcie5", 6.0, 1.3, 1.7, 0.25),
        ("pcie6", 3.0, 0.64, 0.84, 0.13),
        ("c2c", 0.8, 0.18, 0.23, 0.035),
        ("net400", 6.8, 1.5, 1.9, 0.29),
    ],
)
def test_microseconds_to_move_a_token(link: str, llama: float, deepseek: float, glm: float, kimi: float) -> None:
    forms: tuple[tuple[str, KvFormat, float], ...] = (
        ("llama70b", "bf16", llama),
        ("dsr1", "bf16", deepseek),
        ("glm5.2", "bf16", glm),
        ("kimik3", "fp8", kimi),
    )
    for model, form, expected in forms:
        moved = kv_bytes_per_token(geometry(model), form)
        assert moved is not None
        assert moved / LINKS[link].bytes_per_s * 1e6 == pytest.approx(expected, rel=0.04)
