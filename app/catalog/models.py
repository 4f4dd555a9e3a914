"""The models that were served. Each checkpoint has its own key; `family` joins those that other sites merge."""

import re
from dataclasses import dataclass

from app.catalog.geometry import (
    CONFIG,
    MLA_WIDTH,
    Geometry,
    Heads,
    Index,
    Latent,
    State,
    Window,
    compressed,
    gated_delta,
    grouped,
    latent,
    stateful,
    windowed,
)
from app.catalog.vocabulary import Term, Vocabulary, other, raw_of


@dataclass(frozen=True, kw_only=True)
class Model(Term):
    """A checkpoint. `hf` are its addresses on Hugging Face; the last part of each is a spelling of the model.

    `geometry` is what its attention keeps of a token; None where no source that we know says so.
    """

    developer: str
    family: str
    hf: tuple[str, ...] = ()
    geometry: Geometry | None = None


def _model(
    key: str,
    label: str,
    developer: str,
    *,
    family: str = "",
    hf: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    geometry: Geometry | None = None,
) -> Model:
    names = tuple(dict.fromkeys(address.rsplit("/", 1)[-1] for address in hf))
    return Model(
        key=key,
        label=label,
        developer=developer,
        family=family or label,
        hf=hf,
        aliases=(*also, *names),
        geometry=geometry,
    )


# Geometry. Layers, heads and parameters: the models' config.json and cards, as InferenceX-app documents them, read
# 2026-08. `checked` names the measurement that agrees with the arithmetic.
_DEEPSEEK_V3 = latent(61, total=671e9, active=37e9, query_heads=128)
_V32 = latent(
    61,
    index=Index(layers=61, bf16=256, fp8=132),
    total=671e9,
    active=37e9,
    checked="vLLM states 83.9 GiB for a million tokens in BF16; the index key stays in BF16 there",
)
_KIMI_K2 = latent(61, total=1e12, active=32e9, query_heads=64)
_GLM_5 = latent(78, index=Index(layers=78, bf16=132, fp8=132), total=744e9, active=40e9)
_GLM_52 = latent(
    78,
    index=Index(layers=21, bf16=132, fp8=132),
    total=744e9,
    active=40e9,
    checked="llm-d measured 92.6 kB a token in BF16",
    note="One layer in four has an indexer of its own. Active parameters are those stated for GLM-5.",
)
_MINIMAX_M2 = grouped(62, 8, 128, total=229.9e9, active=9.8e9, query_heads=48)


_PRECISION = re.compile(r"-(fp4|fp8|mxfp4|nvfp4|bf16|int4)([-_.].*)?$", re.IGNORECASE)
_CACHE_FOLDER = re.compile(r"(?:^|[/\\])models--[^/\\]+?--([^/\\]+)")


def model_name(raw: str) -> str:
    """The last part of an address or path, without folders, owner and revision."""
    text = raw.strip()
    if cached := _CACHE_FOLDER.search(text):
        return cached.group(1)
    last = re.split(r"[/\\]", text.rstrip("/\\"))[-1]
    return last.rsplit("--", 1)[-1].split("@", 1)[0] or text


class Models(Vocabulary[Model]):
    """Models by short key, by address on Hugging Face, or by a path on somebody's disk.

    Only the last part of an address or path counts: the same weights lie under many folders.
    """

    def resolve(self, spelling: str) -> Model | None:
        name = model_name(spelling)
        return super().resolve(name) or super().resolve(_PRECISION.sub("", name))

    def key_of(self, spelling: str | None) -> str | None:
        if spelling is None or not spelling.strip(" /\\"):
            return None
        term = self.resolve(spelling)
        return term.key if term else other(model_name(raw_of(spelling.strip())))


MODELS = Models(
    "model",
    [
        # Keys and addresses: InferenceX-app constants, 2026-08-14; kimik3, dsv41flash: stored files of 2026-09
        _model(
            "dsr1",
            "DeepSeek-R1-0528",
            "DeepSeek",
            hf=(
                "deepseek-ai/DeepSeek-R1-0528",
                "deepseek-ai/DeepSeek-R1",
                "nvidia/DeepSeek-R1-0528-FP4-V2",
                "amd/DeepSeek-R1-0528-MXFP4-Preview",
            ),
            geometry=_DEEPSEEK_V3,
        ),
        _model(
            "dsv4",
            "DeepSeek-V4-Pro",
            "DeepSeek",
            hf=("deepseek-ai/DeepSeek-V4-Pro",),
            also=("dsv4pro", "dsv4-pro", "DeepSeek-V4"),
            geometry=compressed(
                30,
                31,
                total=1.6e12,
                active=49e9,
                checked="9.62 GiB for a million tokens in BF16, as published",
            ),
        ),
        _model("dsv41flash", "DeepSeek-V4.1-Flash", "DeepSeek", hf=("deepseek-ai/DeepSeek-V4.1-Flash",)),
        _model(
            "dsv2lite",
            "DeepSeek-Coder-V2-Lite-Instruct",
            "DeepSeek",
            hf=("deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", "RedHatAI/DeepSeek-Coder-V2-Lite-Instruct-FP8"),
            geometry=latent(27, total=15.7e9, active=2.4e9, source="the model's config.json", date="2024-06"),
        ),
        _model(
            "gptoss120b",
            "gpt-oss-120b",
            "OpenAI",
            hf=("openai/gpt-oss-120b",),
            also=("gptoss",),
            geometry=windowed(
                Heads(18, 8, 64),
                Window(layers=18, kv_heads=8, width=64, tokens=128),
                total=116.83e9,
                active=5.13e9,
                attention=2 * 18 * 64 * 64,
            ),
        ),
        _model(
            "llama70b",
            "Llama-3.3-70B-Instruct",
            "Meta",
            hf=(
                "meta-llama/Llama-3.3-70B-Instruct",
                "nvidia/Llama-3.3-70B-Instruct-FP8",
                "nvidia/Llama-3.3-70B-Instruct-FP4",
                "amd/Llama-3.3-70B-Instruct-FP8-KV",
                "amd/Llama-3.3-70B-Instruct-MXFP4",
            ),
            also=("Llama-3.3-70B",),
            geometry=grouped(80, 8, 128, total=70.6e9, active=70.6e9, query_heads=64),
        ),
        _model(
            "qwen3.5",
            "Qwen-3.5-397B-A17B",
            "Alibaba",
            hf=("Qwen/Qwen3.5-397B-A17B", "Qwen/Qwen3.5-397B-A17B-FP8"),
            geometry=stateful(
                Heads(15, 2, 256),
                gated_delta(45, value_heads=64, key_heads=16, width=128, kernel=4),
                "GQA among Gated DeltaNet layers",
                total=397e9,
                active=17e9,
                note="A checkpoint of the recurrent state follows from the config, 183 MiB with the matrices in FP32, "
                "as configs of the family ask; an engine that keeps them in BF16 needs about half. No log that we know "
                "confirms it.",
            ),
        ),
        _model(
            "kimik2.5",
            "Kimi-K2.5",
            "Moonshot AI",
            hf=("moonshotai/Kimi-K2.5", "amd/Kimi-K2.5-MXFP4", "nvidia/Kimi-K2.5-NVFP4"),
            geometry=_KIMI_K2,
        ),
        _model(
            "kimik2.6",
            "Kimi-K2.6",
            "Moonshot AI",
            family="Kimi-K2.5",
            hf=("moonshotai/Kimi-K2.6",),
            geometry=_KIMI_K2,
        ),
        _model(
            "kimik2.7-code",
            "Kimi-K2.7-Code",
            "Moonshot AI",
            family="Kimi-K2.5",
            hf=("moonshotai/Kimi-K2.7-Code",),
            also=("kimik2.7", "Kimi-K2.7"),
            geometry=_KIMI_K2,
        ),
        _model(
            "kimik3",
            "Kimi-K3",
            "Moonshot AI",
            hf=("moonshotai/Kimi-K3",),
            geometry=stateful(
                Latent(24, MLA_WIDTH),
                State(layers=69, checkpoint=8 * 54.78 * 2**20),
                "MLA among KDA layers",
                total=2.8e12,
                active=104e9,
                checked="a vLLM log has 42.23 GiB for 3,249,215 tokens in FP8, 13,955 B each; the formula gives 13,824",
                note="A checkpoint of the recurrent state is 54.78 MiB on each of 8 ranks.",
            ),
        ),
        _model(
            "minimaxm2.5",
            "MiniMax-M2.5",
            "MiniMax",
            hf=("MiniMaxAI/MiniMax-M2.5", "amd/MiniMax-M2.5-MXFP4"),
            geometry=_MINIMAX_M2,
        ),
        _model(
            "minimaxm2.7",
            "MiniMax-M2.7",
            "MiniMax",
            family="MiniMax-M2.5",
            hf=("MiniMaxAI/MiniMax-M2.7",),
            geometry=_MINIMAX_M2,
        ),
        _model(
            "minimaxm3",
            "MiniMax-M3",
            "MiniMax",
            hf=("MiniMaxAI/MiniMax-M3",),
            geometry=Geometry(
                kind="GQA with block-sparse attention (MSA)",
                parts=(Heads(60, 4, 128), Index(layers=57, bf16=None, fp8=128)),
                draft=Heads(1, 4, 128),
                formats=("fp8",),
                source=CONFIG,
                date="2026-08",
                total=427e9,
                active=23e9,
                checked="a vLLM log has 37.62 GiB for 1,048,576 tokens on each of 2 ranks, 38,523 B each; the formula "
                "gives 38,528 with the layer that predicts further tokens, 38,016 without",
            ),
        ),
        _model(
            "glm5",
            "GLM-5",
            "Z.ai",
            hf=("zai-org/GLM-5", "zai-org/GLM-5-FP8"),
            geometry=_GLM_5,
        ),
        _model(
            "glm5.1",
            "GLM-5.1",
            "Z.ai",
            family="GLM-5",
            hf=("zai-org/GLM-5.1", "zai-org/GLM-5.1-FP8", "amd/GLM-5.1-MXFP4"),
            geometry=_GLM_5,
        ),
        _model(
            "glm5.2",
            "GLM-5.2",
            "Z.ai",
            hf=("zai-org/GLM-5.2", "zai-org/GLM-5.2-FP8", "nvidia/GLM-5.2-NVFP4"),
            geometry=_GLM_52,
        ),
        _model(
            "gemma4",
            "Gemma-4-31B",
            "Google",
            hf=("google/gemma-4-31b-it",),
            also=("gemma-4",),
            geometry=windowed(
                Heads(10, 4, 512),
                Window(layers=50, kv_heads=16, width=256, tokens=1024),
                source="the model's config.json, as public tests of several engines copy it",
                date="2026-11",
                total=30.7e9,
                active=30.7e9,
                attention=2 * 10 * 32 * 512,
            ),
        ),
        _model(
            "dsv3.2",
            "DeepSeek-V3.2",
            "DeepSeek",
            hf=("deepseek-ai/DeepSeek-V3.2", "deepseek-ai/DeepSeek-V3.2-Exp", "nvidia/DeepSeek-V3.2-NVFP4"),
            geometry=_V32,
        ),
        _model(
            "dsv4flash",
            "DeepSeek-V4-Flash",
            "DeepSeek",
            hf=("deepseek-ai/DeepSeek-V4-Flash",),
            geometry=compressed(
                21,
                20,
                total=284e9,
                active=13e9,
                checked="6.72 GiB for a million tokens in BF16, as published",
                note="Which layers are sparse is inferred from that figure.",
            ),
        ),
        _model("glm5.3", "GLM-5.3", "Z.ai", hf=("zai-org/GLM-5.3", "zai-org/GLM-5.3-FP8"), geometry=_GLM_52),
        _model(
            "qwen3-coder-30b-a3b",
            "Qwen3-Coder-30B-A3B",
            "Alibaba",
            hf=("Qwen/Qwen3-Coder-30B-A3B-Instruct", "Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8"),
            geometry=grouped(
                48,
                4,
                128,
                total=30.5e9,
                active=3.3e9,
                query_heads=32,
                source="the model's config.json",
                checked="11.41 and 5.32 GiB a rank, the working sets that EfficientAgent (arXiv 2609.33762) reports",
            ),
        ),
        _model(
            "qwen3-8b",
            "Qwen3-8B",
            "Alibaba",
            hf=("Qwen/Qwen3-8B", "Qwen/Qwen3-8B-FP8"),
            geometry=grouped(
                36,
                8,
                128,
                total=8.2e9,
                active=8.2e9,
                query_heads=32,
                source="the model's config.json",
                checked="bytes that an offload connector counted",
            ),
        ),
        _model(
            "qwen3-0.6b",
            "Qwen3-0.6B",
            "Alibaba",
            hf=("Qwen/Qwen3-0.6B",),
            geometry=grouped(
                28,
                8,
                128,
                total=0.6e9,
                active=0.6e9,
                query_heads=16,
                source="the model's config.json",
                checked="108,680,183,808 B loaded for 947,616 tokens is 114,688 B each (kvreap run)",
            ),
        ),
    ],
)


def family_of(model: str | None) -> str | None:
    """The bucket that related checkpoints share; a model nobody knows is its own."""
    term = MODELS.get(model)
    return term.family if term else MODELS.label(model)


EXAMPLE_MODEL = "kimik2.5"
"""What a plan begins with when nobody has said which model."""
