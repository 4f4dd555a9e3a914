"""By which names a Halo that answers assistants lets itself be called."""

from collections.abc import Sequence

from app.web.origin import is_host, known_host, known_origin

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

Headers = Sequence[tuple[bytes, bytes]]


def hosts() -> list[str]:
    """Values of a Host header that are answered; `:*` stands for any port."""
    known = known_host()
    return [*LOOPBACK, *(f"{name}:*" for name in LOOPBACK), *([known] if known else [])]


def origins() -> list[str]:
    """Values of an Origin header that are answered."""
    known = known_origin()
    own = [*LOOPBACK, *(f"{name}:*" for name in LOOPBACK)]
    return [*(f"http://{name}" for name in own), *([known] if known else [])]


def header(headers: Headers, name: bytes) -> str:
    """The value of a header, empty where it is absent."""
    return next((value.decode("latin-1") for key, value in headers if key == name), "")


def is_listed(value: str, listed: Sequence[str]) -> bool:
    """Whether a host, or an origin with one, is among those listed: its name whole, and after it a port or nothing."""
    if not is_host(value.partition("://")[2] or value):
        return False
    return value in listed or any(value.startswith(name.removesuffix("*")) for name in listed if name.endswith(":*"))
