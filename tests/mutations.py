"""Ways in which a result file comes to be damaged: cut, flipped, renamed, retyped, nested, in another encoding.

Every choice comes from the `Random` that is handed in, so that a seed and a number name one damage for ever.
"""

import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import accumulate
from random import Random
from typing import Any

import zstandard

Mutation = Callable[[bytes, Random], bytes]
Slot = tuple[Any, Any]
"""A dict with one of its keys, or a list with one of its places."""

_NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z_]{2,}")
_HUGE = (
    *(b"1e400", b"-1e400", b"1e308", b"1e-320", b"-0.0", b"0", b"0.0", b"-1", b"-5.5", b"1e21", b"1e-9", b"1e15"),
    *(b"99999999999999999999999999", b"9223372036854775807", b"9223372036854775808", b"18446744073709551616"),
    *(b"NaN", b"Infinity", b"-Infinity", b"nan", b"inf", b"1_000", b"1,000", b"0x10", b"1e5000", b"9" * 5000),
)
_ODD: tuple[Any, ...] = (
    *(None, True, False, "", " ", "x", "none", "nan", "inf", "-inf", "1e999", "١٢٣", "12", "0", "-3", "1,5", "#"),
    *([], {}, [1], [None], ["a", {}], {"a": 1}, {"mean": "x"}, [[]], [{}], "\u0000", "\ud800", "é" * 300, "//"),
    *(0, -1, 1, -0.0, 1e308, -1e308, 5e-324, 2**63, 2**64, -(2**63), 10**30, 0.5, 1e-9, 1e20),
    *(253402300800, -62135596801, "2026-13-45", "?&=%", "a/b"),
)
_DEEP = 100
"""What lies deeper is not taken apart here, since walking through it would take the interpreter's own stack."""
_DEPTHS = (30, 200, 300, 2_000, 60_000)
_ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "utf-7", "cp500", "latin-1", "cp1252")
_JOINTS = (b"", b"\n", b",", b"\n---\n", b"\x00")


def cut(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def flip(data: bytes, random: Random) -> bytes:
    flipped = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8, 64))):
        if flipped:
            at = random.randrange(len(flipped))
            flipped[at] = random.choice((flipped[at] ^ (1 << random.randrange(8)), random.randrange(256)))
    return bytes(flipped)


def drop_stretch(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    return data[:start] + data[start + random.choice((1, 5, 40, 400)) :]


def repeat_stretch(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    end = start + random.choice((1, 10, 100, 1000))
    return data[:end] + data[start:end] * random.choice((1, 2, 20)) + data[end:]


def rename(data: bytes, random: Random) -> bytes:
    """One word that stands in the file becomes another, everywhere or once."""
    words = sorted(set(_WORD.findall(data)))
    if not words:
        return data
    old = random.choice(words)
    new = random.choice((old.upper(), old + b"_x", old[:-1], old[::-1], b"", random.choice(words), b'"', b"\xff"))
    return data.replace(old, new, random.choice((-1, 1)))


def huge(data: bytes, random: Random) -> bytes:
    """One number, or every equal one, becomes one that no count, rate or time can be."""
    numbers = list(_NUMBER.finditer(data))
    if not numbers:
        return data
    match, new = random.choice(numbers), random.choice(_HUGE)
    if random.random() < 0.2:
        return data.replace(match[0], new)
    return data[: match.start()] + new + data[match.end() :]


def nest(data: bytes, random: Random) -> bytes:
    """One number becomes nothing but brackets."""
    numbers = list(_NUMBER.finditer(data))
    if not numbers:
        return data
    match, depth = random.choice(numbers), random.choice(_DEPTHS)
    left, right = random.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"- ", b""), (b"(", b")"), (b'"', b'"')))
    return data[: match.start()] + left * depth + b"1" + right * depth + data[match.end() :]


def encode(data: bytes, random: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    if random.random() < 0.3:
        text = text.replace("a", "ä")
    return text.encode(random.choice(_ENCODINGS), "replace")


def pack(data: bytes, random: Random) -> bytes:
    """Compressed, or in an archive, and that perhaps cut short."""
    packed = random.choice((_gzipped, zstandard.compress, _zipped))(data)
    return cut(packed, random) if random.random() < 0.4 else packed


def _gzipped(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def _zipped(data: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("folder/result.json"), data)
    return held.getvalue()


def join(data: bytes, random: Random) -> bytes:
    """The file twice over, or the second half of it before the first."""
    middle = random.randrange(len(data) + 1)
    joint = random.choice(_JOINTS)
    return random.choice((data + joint + data, data[middle:] + joint + data[:middle]))


def retype(data: bytes, random: Random) -> bytes:
    """Some values of a JSON text become something else, or change places, or go, or get another key."""
    values, is_lines = _json(data)
    if values is None:
        return _retyped_cell(data, random)
    for _ in range(random.choice((1, 1, 2, 5, 30))):
        slots = list(_slots(values))
        if not slots:
            return data
        holder, key = random.choice(slots)
        action = random.randrange(6)
        if action <= 2:
            holder[key] = deepcopy(random.choice(_ODD))
        elif action == 3:
            other, place = random.choice(slots)
            holder[key], other[place] = deepcopy(other[place]), deepcopy(holder[key])
        elif action == 4 and len(holder) > 1:
            del holder[key]
        elif isinstance(holder, dict):
            holder[random.choice(("", "x", f"{key}s", str(key).upper(), "mean", "metrics"))] = holder.pop(key)
    texts = (json.dumps(value, ensure_ascii=random.random() < 0.5) for value in (values if is_lines else values[:1]))
    return "\n".join(texts).encode("utf-8", "surrogatepass")


def _json(data: bytes) -> tuple[list[Any] | None, bool]:
    """The values of a JSON text in a list, and whether there is one a line."""
    if _depth(data) > _DEEP:
        return None, False
    try:
        return [json.loads(data)], False
    except ValueError:
        try:
            return [json.loads(line) for line in data.splitlines() if line.strip()] or None, True
        except ValueError:
            return None, False


def _depth(data: bytes) -> int:
    """How deep brackets lie within each other, at most."""
    steps = (1 if byte in b"[{" else -1 for byte in data if byte in b"[]{}")
    return max(accumulate(steps), default=0)


def _slots(value: Any) -> Iterator[Slot]:
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _slots(value[key])


def _retyped_cell(data: bytes, random: Random) -> bytes:
    """What stands between two separators of a table or of YAML becomes something else."""
    parts = re.split(rb"([,\n]|: )", data)
    at = random.randrange(0, len(parts), 2)
    odd = random.choice(_ODD)
    parts[at] = (odd if isinstance(odd, str) else json.dumps(odd)).encode("utf-8", "surrogatepass")
    return b"".join(parts)


MUTATIONS: tuple[Mutation, ...] = (
    *(cut, flip, drop_stretch, repeat_stretch, nest, encode, pack, join),
    *(rename, rename, huge, huge, retype, retype, retype, retype),
)
"""Those that leave a file well formed stand here more often: they reach further into a reader."""


def mutated(data: bytes, random: Random) -> bytes:
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        data = random.choice(MUTATIONS)(data, random)
    return data
