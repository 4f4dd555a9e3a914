"""Which encoding a client takes, and bytes in it."""

import gzip
from functools import lru_cache

import brotli
import zstandard

ENCODINGS = ("br", "zstd", "gzip")
"""In the order we prefer them: the smallest first."""

IDENTITY = "identity"
SMALLEST = 512
"""Bytes below which compressing costs more than it saves."""


@lru_cache(maxsize=512)
def choose(accepted: str) -> str:
    """The encoding to answer with: the one the client weighs highest, ours first among equals."""
    weights: dict[str, float] = {}
    for part in accepted.split(","):
        name, *options = (text.strip().lower() for text in part.split(";"))
        if name:
            weights[name] = _weight(options)
    rest = weights.get("*", 0.0)
    best, weight = IDENTITY, 0.0
    for encoding in ENCODINGS:
        offered = weights.get(encoding, weights.get("x-gzip", rest) if encoding == "gzip" else rest)
        if offered > weight:
            best, weight = encoding, offered
    return best if weight >= weights.get(IDENTITY, 0.0) else IDENTITY


def encode(body: bytes, encoding: str) -> bytes:
    if encoding == "br":
        return bytes(brotli.compress(body, quality=5))
    if encoding == "zstd":
        return zstandard.ZstdCompressor(level=6).compress(body)
    if encoding == "gzip":
        # Without a time stamp, so that equal answers are equal bytes.
        return gzip.compress(body, compresslevel=6, mtime=0)
    return body


def _weight(options: list[str]) -> float:
    for option in options:
        name, _, value = option.partition("=")
        if name.strip() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
