"""Who runs the model (the engine), and who sends requests to it (the orchestrator)."""

import re
from dataclasses import dataclass

from app.catalog.vocabulary import Term, Vocabulary, folded, is_other, other


@dataclass(frozen=True, kw_only=True)
class Engine(Term):
    """A serving runtime. `symbol` is the mark of its points; `hue_shift` and `lift` shade its chip's color."""

    symbol: str
    hue_shift: float = 0.0
    lift: float = 0.0


class Engines(Vocabulary[Engine]):
    """Engines by name, or by the word for an engine with its orchestrator, such as `dynamo-trt`."""

    def key_of(self, spelling: str | None) -> str | None:
        return split_framework(spelling).engine


ENGINES = Engines(
    "engine",
    [
        Engine(key="vllm", label="vLLM", symbol="circle", text="The vLLM project's serving engine."),
        Engine(
            key="sglang",
            label="SGLang",
            symbol="square",
            aliases=("sgl",),
            text="The SGLang project's serving engine.",
            hue_shift=34,
            lift=0.06,
        ),
        Engine(
            key="trt",
            label="TensorRT-LLM",
            symbol="diamond",
            aliases=("trtllm", "trt-llm", "tensorrt", "tensorrt_llm", "tensorrtllm"),
            text="NVIDIA's serving engine for its own chips.",
            hue_shift=-23,
            lift=0.13,
        ),
        Engine(
            key="atom",
            label="ATOM",
            symbol="triangle-up",
            aliases=("amd atom",),
            text="AMD's serving engine for its own chips.",
            hue_shift=-30,
            lift=-0.16,
        ),
        Engine(
            key="tilert",
            label="TileRT",
            symbol="triangle-down",
            text="The TileRT project's low-latency runtime.",
            hue_shift=50,
            lift=0.12,
        ),
    ],
)

UNKNOWN_SYMBOL = "pentagon"

NO_ORCHESTRATOR = "none"

ORCHESTRATORS: Vocabulary[Term] = Vocabulary(
    "orchestrator",
    [
        Term(
            key=NO_ORCHESTRATOR,
            label="no orchestrator",
            text="Requests go to the engine itself, or through a plain router.",
        ),
        Term(key="dynamo", label="Dynamo", aliases=("nvidia dynamo", "ai-dynamo"), text="NVIDIA's serving layer."),
        Term(key="llm-d", label="llm-d", aliases=("llmd",), text="The Kubernetes serving layer of the llm-d project."),
        Term(key="mori", label="MoRI", text="AMD's transfer library with a router, in front of disaggregated SGLang."),
        Term(
            key="mooncake",
            label="Mooncake ATOMesh",
            aliases=("atomesh", "mooncake-atomesh"),
            text="AMD's mesh over Mooncake, in front of ATOM. Not the Mooncake Store that parks attention state.",
        ),
        Term(key="infera", label="Infera", text="Infera's serving layer."),
    ],
)


@dataclass(frozen=True, slots=True)
class Framework:
    """What one `framework` word of a file says. `disaggregated_default` holds where the file states nothing itself."""

    engine: str | None = None
    orchestrator: str | None = None
    disaggregated_default: bool | None = None


_DISAGGREGATED = re.compile(r"-(disagg|disaggregated|pd)$")
_WHOLE = {
    # InferenceX writes these two for AMD's disaggregated stacks: configs at 843c6254, 2026-08-21
    "sglang-disagg": Framework("sglang", "mori", True),
    "atom-disagg": Framework("atom", "mooncake", True),
    "mooncake-atomesh": Framework("atom", "mooncake"),
    "atomesh": Framework("atom", "mooncake"),
}
_DISAGGREGATED_UNLESS_TOLD = ("dynamo", "mori")


def split_framework(raw: str | None) -> Framework:
    """Engine, orchestrator and the default for disaggregation behind a word such as `dynamo-trt`.

    An engine's own name means that there is no orchestrator; an orchestrator's own name leaves the engine open.
    """
    if raw is None or not raw.strip():
        return Framework()
    if is_other(raw):
        return Framework(engine=other(raw))
    word = folded(re.sub(r"[+/(),]", " ", raw))
    if word in _WHOLE:
        return _WHOLE[word]
    name = _DISAGGREGATED.sub("", word)
    stated = True if name != word else None
    if engine := ENGINES.resolve(name):
        return Framework(engine.key, None if stated else NO_ORCHESTRATOR, stated)
    orchestrator, rest = _leading_orchestrator(name)
    if orchestrator is None:
        return Framework(other(raw), None, stated)
    default = True if stated or orchestrator in _DISAGGREGATED_UNLESS_TOLD else None
    engine = ENGINES.resolve(rest)
    return Framework(engine.key if engine else other(rest) if rest else None, orchestrator, default)


def symbol_of(engine: str | None) -> str:
    """The Plotly mark for an engine's points."""
    term = ENGINES.get(engine)
    return term.symbol if term else UNKNOWN_SYMBOL


def _leading_orchestrator(name: str) -> tuple[str | None, str]:
    words = name.split("-")
    for count in range(len(words), 0, -1):
        if term := ORCHESTRATORS.resolve("-".join(words[:count])):
            return term.key, "-".join(words[count:])
    return None, name


_NAMED = re.compile(
    r"(?:vllm|sglang|sgl|atom|trtllm|tensorrt-llm)[-_]?v?(\d+\.\d+(?:\.\d+)*(?:\.?(?:rc|post|dev|a|b)\d+)*)"
)
_LEADING = re.compile(r"^(?:release-)?v?(\d+\.\d+(?:\.\d+)*(?:\.?(?:rc|post|dev|a|b)\d+)*)(?=$|[-_+.])")
_NIGHTLY = re.compile(r"nightly.*?(20\d{6})")


def version_of_image(image: str | None) -> str | None:
    """The engine's version as a container tag gives it: `0.5.9` for `lmsysorg/sglang:v0.5.9-cu130`.

    A nightly build gives `nightly-20260923` when its tag has a date. None for tags that say nothing, and for
    Dynamo's images, whose tag counts Dynamo's releases rather than the engine's.
    """
    if image is None:
        return None
    path, _, tag = image.strip().lower().replace("#", "/").partition("@")[0].rpartition(":")
    if not path or "/" in tag or "dynamo" in path:
        return None
    if nightly := _NIGHTLY.search(tag):
        return f"nightly-{nightly.group(1)}"
    if "nightly" in tag:
        return None
    found = _NAMED.search(tag) or _LEADING.match(tag)
    return found.group(1) if found else None
