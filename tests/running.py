"""A Halo in processes of its own, as people run it, for tests that send to it or fetch from it over a real socket."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2

ROOT = Path(__file__).parents[1]
HALO = [sys.executable, "-m", "app.cli"]


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def halo(*arguments: str | Path, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """`halo` as a command, with nothing of the caller's own settings."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HALO_")}
    plain |= {"COLUMNS": "140", "NO_COLOR": "1", "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [*HALO, *map(str, arguments)], cwd=cwd, env=plain, capture_output=True, text=True, timeout=120, check=False
    )


@contextmanager
def serving(folder: Path, *, workers: int = 1, **environment: str) -> Iterator[str]:
    """The address of `halo serve` over the store in a folder."""
    port = free_port()
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HALO_")}
    command = [*HALO, "serve", "--db", str(folder), "--port", str(port), "--workers", str(workers)]
    with subprocess.Popen(
        command, cwd=ROOT, env={**plain, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as server:
        address = f"http://127.0.0.1:{port}"
        try:
            _wait(address, server)
            yield address
        finally:
            server.terminate()
            server.communicate(timeout=30)


def _wait(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        if server.poll() is not None:
            raise RuntimeError((server.stderr.read() if server.stderr else b"").decode())
        try:
            if httpx2.get(f"{address}/healthz").status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.1)
    raise RuntimeError(f"{address} does not answer")
