"""Under which address readers reach this Halo: what absolute links in cards and embeds begin with."""

import os
import re
from collections.abc import MutableMapping
from typing import Any

SETTING = "HALO_URL"
_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_URL = re.compile(rf"https?://{_HOST.pattern}")


def origin_of(scope: MutableMapping[str, Any]) -> str:
    """`https://halo.example`: HALO_URL, else as the request says; empty where it says nothing that could be a host."""
    told = os.environ.get(SETTING, "").rstrip("/")
    if told and _URL.fullmatch(told):
        return told
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    return f"{scope['scheme']}://{host.lower()}" if _HOST.fullmatch(host) and len(host) < 256 else ""
