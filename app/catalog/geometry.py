"""What one token of context costs a model in attention state, and what a conversation costs beside that.

Every part knows its bytes for one token in a format, and over how many ranks of a tensor-parallel group they are cut:
a part that is not cut lies whole on every rank, so below HBM each rank may keep a copy of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

KvFormat = Literal["bf16", "fp8", "fp8_ds_mla"]
KV_FORMATS: Mapping[str, str] = {"bf16": "BF16", "fp8": "FP8", "fp8_ds_mla": "FP8, packed for MLA (656 B)"}
_SIZE: Mapping[KvFormat, int] = {"bf16": 2, "fp8": 1, "fp8_ds_mla": 1}
_PACKED = 656
"""Bytes of one latent entry as vLLM packs it: 512 in FP8, four FP32 scales, 64 rotary values in BF16."""

MLA_WIDTH = 512 + 64


class Part(Protocol):
    """Layers of one kind of attention, whose state grows with every token."""

    @property
    def words(self) -> str: ...
    def bytes(self, form: KvFormat) -> float | None:
        """Bytes a token over all its layers; None where nobody has said how the format lays them out."""

    def cut(self, tp: int) -> int:
        """Over how many ranks a token's bytes are spread."""


@dataclass(frozen=True, slots=True)
class Heads:
    """Keys and values by head (MHA, GQA): 2 x layers x heads x width. A rank holds at least one head."""

    layers: int
    kv_heads: int
    width: int

    @property
    def words(self) -> str:
        return f"2 · {self.layers} layers · {self.kv_heads} KV heads · {self.width}"

    def bytes(self, form: KvFormat) -> float:
        return 2 * self.layers * self.kv_heads * self.width * _SIZE[form]

    def cut(self, tp: int) -> int:
        return min(tp, self.kv_heads)


@dataclass(frozen=True, slots=True)
class Latent:
    """Multi-head latent attention: one compressed vector a token and layer, whole on every rank."""

    layers: int
    width: int = MLA_WIDTH

    @property
    def words(self) -> str:
        return f"{self.layers} layers · {self.width}"

    def bytes(self, form: KvFormat) -> float:
        return self.layers * (_PACKED if form == "fp8_ds_mla" else self.width * _SIZE[form])

    def cut(self, tp: int) -> int:
        return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """Keys of the indexer of sparse attention, by format in bytes for one token and layer."""

    layers: int
    bf16: int | None
    fp8: int

    @property
    def words(self) -> str:
        return f"{self.layers} indexed layers · {self.fp8} B in FP8" + (f", {self.bf16} B in BF16" if self.bf16 else "")

    def bytes(self, form: KvFormat) -> float | None:
        one = self.bf16 if form == "bf16" else self.fp8
        return None if one is None else self.layers * one

    def cut(self, tp: int) -> int:
        return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Compressed:
    """Attention over entries that each stand for `ratio` tokens; bytes of one entry by format."""

    layers: int
    ratio: int
    bf16: int
    fp8: int

    @property
    def words(self) -> str:
        return f"{self.layers} layers · {self.bf16} B (BF16) or {self.fp8} B (FP8) for every {self.ratio} tokens"

    def bytes(self, form: KvFormat) -> float:
        return self.layers * (self.bf16 if form == "bf16" else self.fp8) / self.ratio

    def cut(self, tp: int) -> int:
        return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Sliding-window layers: bounded for a sequence, however long it grows."""

    layers: int
    kv_heads: int
    width: int
    tokens: int

    def bytes_per_sequence(self, form: KvFormat) -> int:
        return 2 * self.layers * self.kv_heads * self.width * _SIZE[form] * self.tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Recurrent state of linear attention: the same size at every length, once for each checkpoint that is kept.

    `checkpoint` is bytes over all ranks; None where no log or paper that we know gives it.
    """

    layers: int
    checkpoint: float | None = None


def gated_delta(layers: int, *, value_heads: int, key_heads: int, width: int, kernel: int) -> State:
    """Gated DeltaNet: a matrix in FP32 for each value head, and the last inputs of its convolution in BF16."""
    matrix = value_heads * width * width * 4
    convolution = (2 * key_heads + value_heads) * width * (kernel - 1) * 2
    return State(layers=layers, checkpoint=layers * (matrix + convolution))


@dataclass(frozen=True, slots=True, kw_only=True)
class Geometry:
    """The attention state of a model, and the arithmetic of its prefill. `checked` is the measurement that agrees.

    `draft` is the layer that a speculative draft adds. Parameters are counts; `attention` is FLOP for one token and
    one token of context before it, None where attention is sparse or not known and only weights are counted.
    """

    kind: str
    parts: tuple[Part, ...]
    source: str
    date: str
    checked: str = ""
    window: Window | None = None
    state: State | None = None
    draft: Part | None = None
    formats: tuple[KvFormat, ...] = ("bf16", "fp8")
    total: float | None = None
    active: float | None = None
    attention: float | None = None
    note: str = ""
    pool_note: str = ""
    """Why its HBM pool cannot be worked out from bytes a token; empty where it can."""

    @property
    def words(self) -> str:
        return " + ".join(part.words for part in self.parts)

    @property
    def is_hybrid(self) -> bool:
        return bool(self.pool_note)

    def kv_bytes_per_token(self, form: KvFormat) -> float | None:
        """Bytes of one full copy of a token's state."""
        return self.per_rank(1, form)

    def per_rank(self, tp: int, form: KvFormat, *, draft: bool = False) -> float | None:
        """Bytes of a token on each of `tp` ranks that serve a conversation together; what is not cut is whole."""
        total = 0.0
        for part in (*self.parts, *([self.draft] if draft and self.draft else [])):
            whole = part.bytes(form)
            if whole is None:
                return None
            total += whole / part.cut(tp)
        return total

    def per_sequence(self, form: KvFormat) -> float:
        """Bytes that a conversation costs once, whatever its length."""
        return self.window.bytes_per_sequence(form) if self.window else 0.0


def kv_bytes_per_token(geometry: Geometry, form: KvFormat) -> float | None:
    return geometry.kv_bytes_per_token(form)


CONFIG = "the model's config.json, as InferenceX-app documents it"
_STATE_NOTE = (
    "Recurrent state, its checkpoints and attention state share one budget, so bytes a token do not say how many "
    "tokens fit."
)
_WINDOW_NOTE = (
    "Windowed and full layers share one budget whose split is the engine's, so bytes a token do not say how many "
    "tokens fit."
)
_COMPRESSED_NOTE = (
    "Window and compressor pools lie in the same budget: on one pair of chips the added memory bought tokens at three "
    "to six times the bytes of the formula."
)


def grouped(
    layers: int,
    kv_heads: int,
    width: int,
    *,
    source: str = CONFIG,
    date: str = "2026-08",
    checked: str = "",
    total: float | None = None,
    active: float | None = None,
    query_heads: int | None = None,
) -> Geometry:
    """Grouped-query attention in every layer."""
    return Geometry(
        kind="GQA",
        parts=(Heads(layers, kv_heads, width),),
        source=source,
        date=date,
        checked=checked,
        total=total,
        active=active,
        attention=None if query_heads is None else 2 * layers * query_heads * width,
    )


def latent(
    layers: int,
    *,
    index: Index | None = None,
    source: str = CONFIG,
    date: str = "2026-08",
    checked: str = "",
    total: float | None = None,
    active: float | None = None,
    query_heads: int | None = None,
    note: str = "",
) -> Geometry:
    """Latent attention, with the indexer that makes it sparse where there is one."""
    width = (128 + 64 + 128) // 2  # the mean of a query's and a value's width, as prefill expands them
    return Geometry(
        kind="MLA with a sparse indexer (DSA)" if index else "MLA",
        parts=(Latent(layers), *([index] if index else [])),
        source=source,
        date=date,
        checked=checked,
        formats=("bf16", "fp8", "fp8_ds_mla"),
        total=total,
        active=active,
        attention=None if query_heads is None else 2 * layers * query_heads * width,
        note=note,
    )


def compressed(csa: int, hca: int, *, note: str = "", checked: str = "", total: float, active: float) -> Geometry:
    """DeepSeek V4: sparse layers over every fourth token with an index, dense ones over every 128th."""
    return Geometry(
        kind="compressed attention (CSA and HCA)",
        parts=(
            Compressed(layers=csa, ratio=4, bf16=1024 + 256, fp8=584 + 132),
            Compressed(layers=hca, ratio=128, bf16=1024, fp8=584),
        ),
        source=CONFIG,
        date="2026-08",
        checked=checked,
        total=total,
        active=active,
        note=note or "With an index in FP4 rather than FP8 an entry has 652 B instead of 716.",
        pool_note=_COMPRESSED_NOTE,
    )


def stateful(
    part: Part,
    state: State,
    kind: str,
    *,
    checked: str = "",
    total: float,
    active: float,
    note: str = "",
) -> Geometry:
    """A few layers of full attention among layers with recurrent state."""
    return Geometry(
        kind=kind,
        parts=(part,),
        state=state,
        source=CONFIG,
        date="2026-08",
        checked=checked,
        total=total,
        active=active,
        note=note,
        pool_note=_STATE_NOTE,
    )


def windowed(
    part: Part,
    window: Window,
    *,
    source: str = CONFIG,
    date: str = "2026-08",
    checked: str = "",
    total: float,
    active: float,
    attention: float,
) -> Geometry:
    """Full attention in some layers, a sliding window in the rest."""
    return Geometry(
        kind="GQA with sliding windows",
        parts=(part,),
        window=window,
        source=source,
        date=date,
        checked=checked,
        total=total,
        active=active,
        attention=attention,
        pool_note=_WINDOW_NOTE,
    )
