"""Answers of other machines read whole, within bounds of size and time: whoever never ends is not waited for."""

import time

import httpx2

LARGEST = 256 << 20
LONGEST_S = 600.0
"""For one body, however steadily it drips: a read that times out sees only pauses."""


class Endless(Exception):
    """A body beyond its bounds; the message says which, to be put after an address."""


def whole(answer: httpx2.Response) -> bytes:
    """The body of an answer that is being streamed, unpacked. Raises Endless and what the connection raises."""
    begun, parts, size = time.monotonic(), [], 0
    for part in answer.iter_bytes():
        size += len(part)
        if size > LARGEST:
            packed = " once unpacked" if answer.headers.get("content-encoding") else ""
            raise Endless(f"answers with more than {LARGEST >> 20} MiB{packed}, which is the most that is taken")
        if time.monotonic() - begun > LONGEST_S:
            raise Endless(f"had not ended its answer after {LONGEST_S:g} s, with {size:,} bytes so far")
        parts.append(part)
    return b"".join(parts)
