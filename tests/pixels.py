"""A PNG as rows of pixels, read with nothing but zlib, so that tests look at what was drawn."""

import struct
import zlib

Pixel = tuple[int, int, int]
MAGIC = b"\x89PNG\r\n\x1a\n"


def pixels(png: bytes) -> list[list[Pixel]]:
    """Red, green and blue of each pixel, row by row, of a picture with eight bits a channel."""
    assert png.startswith(MAGIC)
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    step = {2: 3, 6: 4}[kind]
    assert depth == 8
    packed, at = b"", 8
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            packed += png[at + 8 : at + 8 + size]
        at += size + 12
    data, stride = zlib.decompress(packed), width * step
    before, rows = bytes(stride), []
    for line in range(height):
        start = line * (stride + 1)
        before = _unfiltered(data[start], data[start + 1 : start + 1 + stride], before, step)
        rows.append([(before[i], before[i + 1], before[i + 2]) for i in range(0, stride, step)])
    return rows


def _unfiltered(how: int, line: bytes, above: bytes, step: int) -> bytes:
    made = bytearray(line)
    for i, value in enumerate(line):
        left = made[i - step] if i >= step else 0
        up, corner = above[i], above[i - step] if i >= step else 0
        made[i] = (value + (0, left, up, (left + up) // 2, _paeth(left, up, corner))[how]) & 255
    return bytes(made)


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda one: (abs(guess - one), (left, up, corner).index(one)))
