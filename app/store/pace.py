"""How often each sender may send: counted in a file of the store's folder, since several processes answer."""

import fcntl
import math
import time
from pathlib import Path

import orjson

_FILE = "uploads.json"
WINDOW_S = 60.0


def admitted(folder: Path, name: str, most: int) -> int:
    """0 when `name` may send now, which is counted; else the seconds to wait until it may."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _FILE).open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        now = time.time()
        # A clock that was set back leaves times in the future, which would keep a sender out for long.
        past = {who: [at for at in times if now - WINDOW_S < at <= now] for who, times in _read(file.read()).items()}
        own = past.get(name, [])
        wait = math.ceil(own[-most] + WINDOW_S - now) if len(own) >= most else 0
        if not wait:
            past[name] = [*own, now]
        file.seek(0)
        file.truncate()
        file.write(orjson.dumps({who: times for who, times in past.items() if times}))
    return max(wait, 0)


def _read(data: bytes) -> dict[str, list[float]]:
    """What a crash left half written counts as nothing."""
    try:
        found = orjson.loads(data or b"{}")
        return {str(who): [float(at) for at in times] for who, times in found.items()}
    except (ValueError, TypeError, AttributeError):
        return {}
