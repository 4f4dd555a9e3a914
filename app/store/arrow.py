"""Arrow files with what no library of ours writes: words about the file, and about each column its unit.

Polars makes the record batches; the schema message and the footer are put together here, since neither
Polars nor DuckDB writes metadata of an IPC file or of its fields. The layout is that of Arrow's
`Schema.fbs`, `Message.fbs` and `File.fbs`, version V5.
"""

import io
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

Words = Mapping[str, str]
_MAGIC = b"ARROW1"
_CONTINUES = b"\xff\xff\xff\xff"
_ENDS = _CONTINUES + bytes(4)
_V5 = 4
_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Told:
    """A column: its name, its type in SQL, and words about it."""

    name: str
    type: str
    words: Words = field(default_factory=dict)


_POLARS: dict[str, Any] = {
    "BIGINT": pl.Int64,
    "INTEGER": pl.Int32,
    "DOUBLE": pl.Float64,
    "BOOLEAN": pl.Boolean,
    "VARCHAR": pl.String,
    "VARCHAR[]": pl.List(pl.String),
}


def arrow_file(pages: Iterable[list[dict[str, Any]]], columns: Sequence[Told], words: Words) -> Iterator[bytes]:
    """An Arrow IPC file, one record batch a page, as it is made. Readers may map it or read it as a stream."""
    start = _MAGIC + bytes(2)
    message = schema_message(columns, words, large=True)
    yield start + message
    at, blocks = len(start) + len(message), []
    for rows in pages:
        for head, body in _batches(frame_of(rows, columns)):
            yield head + body
            blocks.append((at, len(head), len(body)))
            at += len(head) + len(body)
    footer = _encoded(_Table((_Number("h", _V5), _schema(columns, words, large=True), _Blocks(()), _Blocks(blocks))))
    yield _ENDS + footer + struct.pack("<i", len(footer)) + _MAGIC


def frame_of(rows: list[dict[str, Any]], columns: Sequence[Told]) -> pl.DataFrame:
    """Rows as a frame of those columns."""
    return pl.DataFrame(rows, schema={column.name: _POLARS[column.type] for column in columns}, orient="row")


def schema_message(columns: Sequence[Told], words: Words, *, large: bool) -> bytes:
    """The schema as an encapsulated message. Texts have offsets of 64 bits where `large`, as Polars writes them."""
    table = _Table(
        (_Number("h", _V5), _Number("B", _SCHEMA), _schema(columns, words, large=large), _Number("q", 0)),
    )
    data = _encoded(table)
    return _CONTINUES + struct.pack("<i", len(data)) + data


def _batches(frame: pl.DataFrame) -> Iterator[tuple[bytes, bytes]]:
    """Head and body of each record batch of a frame: its stream without the schema and the end."""
    held = io.BytesIO()
    frame.write_ipc_stream(held, compat_level=pl.CompatLevel.oldest())
    data = held.getvalue()
    at = 0
    while data[at : at + 8] != _ENDS and at < len(data):
        (size,) = struct.unpack_from("<i", data, at + 4)
        head = data[at : at + 8 + size]
        body = _body_length(head)
        if body:
            yield head, data[at + len(head) : at + len(head) + body]
        at += len(head) + body


def _body_length(head: bytes) -> int:
    """What a message says of the bytes that follow it: slot 3 of its table."""
    (root,) = struct.unpack_from("<I", head, 8)
    table = 8 + root
    (back,) = struct.unpack_from("<i", head, table)
    vtable = table - back
    (size,) = struct.unpack_from("<H", head, vtable)
    place = vtable + 4 + 2 * 3
    if place + 2 > vtable + size:
        return 0
    (offset,) = struct.unpack_from("<H", head, place)
    return int(struct.unpack_from("<q", head, table + offset)[0]) if offset else 0


# Kinds of value of a flatbuffer. Children follow what refers to them, so that every reference points forward.


@dataclass(frozen=True, slots=True)
class _Number:
    format: str
    value: int


@dataclass(frozen=True, slots=True)
class _Text:
    value: str


@dataclass(frozen=True, slots=True)
class _Vector:
    items: tuple["_Node", ...]


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Where record batches lie: structs of offset, length of the head, length of the body."""

    items: Sequence[tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class _Table:
    """Slots in order; None is one that is left out."""

    slots: tuple["_Number | _Node | None", ...]


_Node = _Text | _Vector | _Blocks | _Table


def _schema(columns: Sequence[Told], words: Words, *, large: bool) -> _Table:
    fields = _Vector(tuple(_field(column.name, column.type, column.words, large=large) for column in columns))
    return _Table((None, fields, _pairs(words)))


def _field(name: str, kind: str, words: Words, *, large: bool) -> _Table:
    number, made = _type(kind, large=large)
    children = (_field("item", kind.removesuffix("[]"), {}, large=large),) if kind.endswith("[]") else ()
    return _Table((_Text(name), _Number("B", 1), _Number("B", number), made, None, _Vector(children), _pairs(words)))


def _type(kind: str, *, large: bool) -> tuple[int, _Table]:
    """The number of a type in Arrow's union, and its table."""
    if kind.endswith("[]"):
        return 21 if large else 12, _Table(())
    if kind in ("BIGINT", "INTEGER"):
        return 2, _Table((_Number("i", 64 if kind == "BIGINT" else 32), _Number("B", 1)))
    if kind == "DOUBLE":
        return 3, _Table((_Number("h", 2),))
    return (6 if kind == "BOOLEAN" else 20 if large else 5), _Table(())


def _pairs(words: Words) -> _Vector | None:
    return _Vector(tuple(_Table((_Text(key), _Text(value))) for key, value in words.items())) if words else None


def _encoded(root: _Table) -> bytes:
    """The flatbuffer of a table, filled up to a multiple of eight bytes."""
    data = bytearray(4)
    struct.pack_into("<I", data, 0, _put(data, root))
    return bytes(data + bytes(-len(data) % 8))


def _put(data: bytearray, node: _Node) -> int:
    """Appends a value with its children, and says where it lies."""
    if isinstance(node, _Text):
        text = node.value.encode()
        _fill(data, 4)
        at = len(data)
        data += struct.pack("<I", len(text)) + text + b"\0"
        return at
    if isinstance(node, _Blocks):
        _fill(data, 8, ahead=4)
        at = len(data)
        data += struct.pack("<I", len(node.items))
        for offset, head, body in node.items:
            data += struct.pack("<qi4xq", offset, head, body)
        return at
    if isinstance(node, _Vector):
        _fill(data, 4)
        at = len(data)
        data += struct.pack("<I", len(node.items)) + bytes(4 * len(node.items))
        for place, item in enumerate(node.items):
            _refer(data, at + 4 + 4 * place, item)
        return at
    return _put_table(data, node)


def _put_table(data: bytearray, table: _Table) -> int:
    offsets, size = [], 4
    for slot in table.slots:
        width = struct.calcsize(f"<{slot.format}") if isinstance(slot, _Number) else 4
        if slot is None:
            offsets.append(0)
            continue
        size += -size % width
        offsets.append(size)
        size += width
    head = 4 + 2 * len(offsets)
    # Numbers of eight bytes lie at their own multiples when the table begins at one.
    _fill(data, 8, ahead=head)
    vtable, at = len(data), len(data) + head
    data += struct.pack(f"<HH{len(offsets)}H", head, size, *offsets) + struct.pack("<i", at - vtable) + bytes(size - 4)
    for slot, offset in zip(table.slots, offsets, strict=True):
        if isinstance(slot, _Number):
            struct.pack_into(f"<{slot.format}", data, at + offset, slot.value)
        elif slot is not None:
            _refer(data, at + offset, slot)
    return at


def _refer(data: bytearray, place: int, node: _Node) -> None:
    struct.pack_into("<I", data, place, _put(data, node) - place)


def _fill(data: bytearray, multiple: int, *, ahead: int = 0) -> None:
    """Zeros, until what comes `ahead` bytes further on lies at a multiple."""
    data += bytes(-(len(data) + ahead) % multiple)
