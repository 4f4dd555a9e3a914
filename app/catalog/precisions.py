"""The number format that a model's weights are served in."""

from dataclasses import dataclass

from app.catalog.vocabulary import Term, Vocabulary

_UNSTATED = ("", "unknown", "n/a", "none", "null", "auto")


@dataclass(frozen=True, kw_only=True)
class Precision(Term):
    """A number format. Marks of 8 bits and wider are drawn hollow, those of 4 bits solid."""

    bits: int

    @property
    def hollow(self) -> bool:
        return self.bits >= 8


class Precisions(Vocabulary[Precision]):
    """Number formats; a file that says it does not know the format says nothing."""

    def key_of(self, spelling: str | None) -> str | None:
        return None if (spelling or "").strip().lower() in _UNSTATED else super().key_of(spelling)


PRECISIONS = Precisions(
    "precision",
    [
        Precision(
            key="fp4",
            label="FP4",
            bits=4,
            aliases=("nvfp4", "mxfp4", "float4", "w4a4", "nvfp4-fp8kv"),
            text="4-bit floats. NVFP4 and MXFP4 are two such formats; the point page names the one a file states.",
        ),
        Precision(
            key="int4",
            label="INT4",
            bits=4,
            aliases=("w4a16", "awq", "gptq"),
            text="4-bit integers with scales, computed in a wider format.",
        ),
        Precision(
            key="fp8",
            label="FP8",
            bits=8,
            aliases=("fp8block", "fp8-block", "fp8_e4m3", "fp8-static", "fp8_ds_mla", "mxfp8", "float8"),
            text="8-bit floats.",
        ),
        Precision(key="int8", label="INT8", bits=8, aliases=("w8a8-int8",), text="8-bit integers with scales."),
        Precision(key="bf16", label="BF16", bits=16, aliases=("bfloat16",), text="16-bit floats with a wide range."),
        Precision(key="fp16", label="FP16", bits=16, aliases=("float16", "half"), text="16-bit IEEE floats."),
    ],
)
