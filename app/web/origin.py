"""Under which address readers know this Halo: how absolute links in cards, frames and answers to assistants begin."""

import os
import re
from collections.abc import Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

HALO_URL = "HALO_URL"
"""Environment variable: that address, where it is not the one that a request names."""

_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_LONGEST_HOST = 256
_URL = re.compile(rf"https?://{_HOST.pattern}(?:/[A-Za-z0-9._~/-]*)?")


def known_as() -> str:
    """HALO_URL without a slash at its end; empty where it is not set, or no address."""
    told = os.environ.get(HALO_URL, "").strip().rstrip("/")
    return told if _URL.fullmatch(told) else ""


def known_host() -> str:
    """The host of HALO_URL, with its port if it names one; else empty."""
    return urlsplit(known_as()).netloc


def known_origin() -> str:
    """`https://halo.example`, as browsers name where a page comes from; empty without HALO_URL."""
    parts = urlsplit(known_as())
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def host_of(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The host that a request was sent to, in small letters, with its port if it names one.

    Empty where the header is anything but that: what stands before an @ would otherwise pass for a host.
    """
    told = [value.decode("latin-1") for name, value in headers if name == b"host"]
    return told[0].lower() if len(told) == 1 and is_host(told[0]) else ""


def is_host(text: str) -> bool:
    """Whether a text is `host` or `host:port` and nothing else."""
    if len(text) >= _LONGEST_HOST or not _HOST.fullmatch(text):
        return False
    port = text.rpartition("]")[2].rpartition(":")[2] if ":" in text.rpartition("]")[2] else ""
    return not port or 0 < int(port) < 2**16


def origin_of(scope: MutableMapping[str, Any]) -> str:
    """How absolute links begin: HALO_URL, else as the request says; empty where that could be no host."""
    if told := known_as():
        return told
    host = host_of(scope["headers"])
    return f"{scope['scheme']}://{host}" if host else ""
