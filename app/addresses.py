"""Addresses that people and other programs give."""

from urllib.parse import SplitResult, urlsplit


def split_address(text: str) -> SplitResult:
    """The parts of an address. One that cannot be read, such as `http://[::1`, has a path and nothing else."""
    try:
        return urlsplit(text)
    except ValueError:
        return SplitResult("", "", text, "", "")
