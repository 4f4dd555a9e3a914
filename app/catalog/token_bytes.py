"""What a token of a point's context weighs: one full copy, what a rank holds of it, and how many copies there are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.catalog.geometry import KV_FORMATS, KvFormat
from app.catalog.models import MODELS
from app.catalog.point import Json

_PER_RANK = ("per_rank", "per_process")

_DTYPES: dict[str, KvFormat] = {
    "fp8": "fp8",
    "fp8_e4m3": "fp8",
    "fp8_e5m2": "fp8",
    "fp8_ds_mla": "fp8_ds_mla",
    "bf16": "bf16",
    "bfloat16": "bf16",
    "fp16": "bf16",
    "float16": "bf16",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBytes:
    """`value` is one full copy; `copies` are held where nothing keeps a single one, as with latent attention.

    `stated` where the record names the format. Else BF16 is assumed, twice what FP8 takes.
    """

    value: float
    form: KvFormat
    stated: bool
    copies: float
    ranks: int
    kind: str
    words: str
    source: str
    hybrid: bool
    """Whether state or windows come on top, so that a pool's tokens do not follow from its bytes."""

    @property
    def held(self) -> float:
        """Bytes of a token over all ranks that serve a conversation together."""
        return self.value * self.copies

    @property
    def per_rank(self) -> float:
        return self.held / self.ranks

    def document(self) -> dict[str, Json]:
        return {
            "value": self.value,
            "format": self.form,
            "format_label": KV_FORMATS[self.form],
            "format_stated": self.stated,
            "copies": self.copies,
            "ranks": self.ranks,
            "attention": self.kind,
            "formula": self.words,
            "source": self.source,
            "hybrid": self.hybrid,
        }


def token_bytes_of(row: Mapping[str, Any], detail: Json) -> TokenBytes | None:
    """None where the model's geometry is not known."""
    model = MODELS.get(row["model"])
    geometry = model.geometry if model else None
    if geometry is None:
        return None
    form = _format(detail["facts"])
    stated = form is not None and geometry.kv_bytes_per_token(form) is not None
    chosen: KvFormat = form if form is not None and stated else "bf16"
    value = geometry.kv_bytes_per_token(chosen)
    if value is None:
        return None
    ranks = _ranks(detail["layout"])
    each = geometry.per_rank(ranks, chosen)
    return TokenBytes(
        value=value,
        form=chosen,
        stated=stated,
        copies=ranks * each / value if each else 1.0,
        ranks=ranks,
        kind=geometry.kind,
        words=geometry.words,
        source=f"{geometry.source}, read {geometry.date}",
        hybrid=geometry.is_hybrid,
    )


def tokens_in(tier: Json, layout: Json, tokens: TokenBytes | None) -> float | None:
    """Tokens that a tier's bytes have room for: bytes / (bytes per token x copies), by rank where the size is a rank's.

    Not for hybrids, whose state shares the budget, nor over several servers.
    """
    size = tier["capacity_bytes"]
    if size is None or tokens is None or tokens.hybrid or layout["disaggregated"]:
        return None
    if tier["scope"] in _PER_RANK:
        return float(size / tokens.per_rank) if tokens.ranks > 1 else None
    if tier["scope"] == "cluster" or (tier["scope"] == "per_node" and layout["multinode"] is not True):
        return float(size / tokens.held)
    return None


def _format(facts: Json) -> KvFormat | None:
    server = facts.get("server")
    spelled = facts.get("kv_cache_dtype") or (server.get("cache_dtype") if isinstance(server, dict) else None)
    return _DTYPES.get(str(spelled).strip().lower()) if spelled else None


def _ranks(layout: Json) -> int:
    """Ranks that serve a conversation together: its tensor-parallel group, or one where attention runs on copies."""
    role = layout["prefill"] or layout["whole"] or {}
    if role.get("dp_attention"):
        return 1
    return max(1, int(role.get("tp") or 1) // max(1, int(role.get("dcp") or 1)))
