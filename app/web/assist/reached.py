"""Where a reader reaches this Halo, and by which names it lets itself be called."""

import os
from collections.abc import Sequence
from urllib.parse import urlsplit

HALO_URL = "HALO_URL"
"""Environment variable: the address under which readers know this Halo, where that is not the one it listens on."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

Headers = Sequence[tuple[bytes, bytes]]


def base(scheme: str, host: str) -> str:
    """The beginning of every link: HALO_URL, else the address that was asked."""
    return os.environ.get(HALO_URL, "").rstrip("/") or f"{scheme}://{host}"


def hosts() -> list[str]:
    """Values of a Host header that are answered; `:*` stands for any port."""
    known = urlsplit(os.environ.get(HALO_URL, "")).netloc
    return [*LOOPBACK, *(f"{name}:*" for name in LOOPBACK), *([known] if known else [])]


def origins() -> list[str]:
    """Values of an Origin header that are answered."""
    parts = urlsplit(os.environ.get(HALO_URL, ""))
    own = [f"{parts.scheme}://{parts.netloc}"] if parts.netloc else []
    return [f"http://{name}" for name in hosts() if name != parts.netloc] + own


def header(headers: Headers, name: bytes) -> str:
    """The value of a header, empty where it is absent."""
    return next((value.decode("latin-1") for key, value in headers if key == name), "")


def is_listed(value: str, listed: Sequence[str]) -> bool:
    return value in listed or any(value.startswith(name.removesuffix("*")) for name in listed if name.endswith(":*"))
