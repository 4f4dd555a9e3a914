"""The models that were served. Each checkpoint has its own key; `family` joins those that other sites merge."""

import re
from dataclasses import dataclass

from app.catalog.vocabulary import Term, Vocabulary, other, raw_of


@dataclass(frozen=True, kw_only=True)
class Model(Term):
    """A checkpoint. `hf` are its addresses on Hugging Face; the last part of each is a spelling of the model."""

    developer: str
    family: str
    hf: tuple[str, ...] = ()


def _model(
    key: str, label: str, developer: str, *, family: str = "", hf: tuple[str, ...] = (), also: tuple[str, ...] = ()
) -> Model:
    names = tuple(dict.fromkeys(address.rsplit("/", 1)[-1] for address in hf))
    return Model(key=key, label=label, developer=developer, family=family or label, hf=hf, aliases=(*also, *names))


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
        ),
        _model(
            "dsv4",
            "DeepSeek-V4-Pro",
            "DeepSeek",
            hf=("deepseek-ai/DeepSeek-V4-Pro",),
            also=("dsv4pro", "dsv4-pro", "DeepSeek-V4"),
        ),
        _model("dsv41flash", "DeepSeek-V4.1-Flash", "DeepSeek", hf=("deepseek-ai/DeepSeek-V4.1-Flash",)),
        _model(
            "dsv2lite",
            "DeepSeek-Coder-V2-Lite-Instruct",
            "DeepSeek",
            hf=("deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", "RedHatAI/DeepSeek-Coder-V2-Lite-Instruct-FP8"),
        ),
        _model("gptoss120b", "gpt-oss-120b", "OpenAI", hf=("openai/gpt-oss-120b",), also=("gptoss",)),
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
        ),
        _model(
            "qwen3.5",
            "Qwen-3.5-397B-A17B",
            "Alibaba",
            hf=("Qwen/Qwen3.5-397B-A17B", "Qwen/Qwen3.5-397B-A17B-FP8"),
        ),
        _model(
            "kimik2.5",
            "Kimi-K2.5",
            "Moonshot AI",
            hf=("moonshotai/Kimi-K2.5", "amd/Kimi-K2.5-MXFP4", "nvidia/Kimi-K2.5-NVFP4"),
        ),
        _model("kimik2.6", "Kimi-K2.6", "Moonshot AI", family="Kimi-K2.5", hf=("moonshotai/Kimi-K2.6",)),
        _model(
            "kimik2.7-code",
            "Kimi-K2.7-Code",
            "Moonshot AI",
            family="Kimi-K2.5",
            hf=("moonshotai/Kimi-K2.7-Code",),
            also=("kimik2.7", "Kimi-K2.7"),
        ),
        _model("kimik3", "Kimi-K3", "Moonshot AI", hf=("moonshotai/Kimi-K3",)),
        _model("minimaxm2.5", "MiniMax-M2.5", "MiniMax", hf=("MiniMaxAI/MiniMax-M2.5", "amd/MiniMax-M2.5-MXFP4")),
        _model("minimaxm2.7", "MiniMax-M2.7", "MiniMax", family="MiniMax-M2.5", hf=("MiniMaxAI/MiniMax-M2.7",)),
        _model("minimaxm3", "MiniMax-M3", "MiniMax", hf=("MiniMaxAI/MiniMax-M3",)),
        _model("glm5", "GLM-5", "Z.ai", hf=("zai-org/GLM-5", "zai-org/GLM-5-FP8")),
        _model(
            "glm5.1",
            "GLM-5.1",
            "Z.ai",
            family="GLM-5",
            hf=("zai-org/GLM-5.1", "zai-org/GLM-5.1-FP8", "amd/GLM-5.1-MXFP4"),
        ),
        _model("glm5.2", "GLM-5.2", "Z.ai", hf=("zai-org/GLM-5.2", "zai-org/GLM-5.2-FP8", "nvidia/GLM-5.2-NVFP4")),
        _model("gemma4", "Gemma-4-31B", "Google", hf=("google/gemma-4-31b-it",), also=("gemma-4",)),
    ],
)


def family_of(model: str | None) -> str | None:
    """The bucket that related checkpoints share; a model nobody knows is its own."""
    term = MODELS.get(model)
    return term.family if term else MODELS.label(model)
