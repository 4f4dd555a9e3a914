"""Servers in processes of their own on 127.0.0.1, each ended by its process id, and a client that keeps connections."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

from bench.bare import FOLDER

HOST = "127.0.0.1"
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Running:
    """A server: where it listens, who it is, and how many seconds it took until it answered."""

    port: int
    process: int
    started_s: float

    def cpu_s(self) -> float:
        """Processor seconds it has used so far; what else the machine does hardly shows in them."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def halo(folder: Path) -> Iterator[Running]:
    """`halo serve` over a store."""
    port = _free_port()
    command = [sys.executable, "-m", "app.cli", "serve", "--db", str(folder), "--port", str(port)]
    with _running(command, port, {}) as running:
        yield running


@contextmanager
def bare(answers: Path) -> Iterator[Running]:
    """An ASGI application that knows only the bytes in a folder, under uvicorn with the settings of `halo serve`."""
    port = _free_port()
    code = (
        "import uvicorn; uvicorn.run('bench.bare:application', factory=True, "
        f"host={HOST!r}, port={port}, log_level='warning')"
    )
    with _running([sys.executable, "-c", code], port, {FOLDER: str(answers)}) as running:
        yield running


@contextmanager
def _running(command: Sequence[str], port: int, settings: Mapping[str, str]) -> Iterator[Running]:
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, env={**os.environ, **settings}, cwd=Path(__file__).parents[1], stdout=subprocess.DEVNULL
    )
    try:
        yield Running(port, process.pid, _answered(process, port, begun))
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answered(process: "subprocess.Popen[bytes]", port: int, begun: float) -> float:
    """Seconds until the server answers at all. Raises when it does not."""
    while time.perf_counter() - begun < _PATIENCE:
        if process.poll() is not None:
            raise RuntimeError(f"the server stopped with {process.returncode}")
        try:
            get(port, "/healthz")
        except OSError:
            time.sleep(0.01)
        else:
            return time.perf_counter() - begun
    raise RuntimeError(f"no answer within {_PATIENCE:g} s")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def get(port: int, path: str, encoding: str = "identity") -> tuple[dict[str, str], bytes]:
    """Headers and body as they travel: nothing is decompressed."""
    connection = HTTPConnection(HOST, port, timeout=60)
    try:
        connection.request("GET", path, headers={"accept-encoding": encoding})
        response = connection.getresponse()
        body = response.read()
        if response.status not in (200, 404):
            raise RuntimeError(f"{path} answered {response.status}")
        return {name.lower(): value for name, value in response.getheaders()}, body
    finally:
        connection.close()


def rate(port: int, path: str, connections: int, seconds: float, encoding: str = "br") -> float:
    """Requests a second over connections that stay open, one request at a time on each."""
    return asyncio.run(_load(port, path, connections, seconds, encoding))


async def _load(port: int, path: str, connections: int, seconds: float, encoding: str) -> float:
    request = f"GET {path} HTTP/1.1\r\nhost: {HOST}\r\naccept-encoding: {encoding}\r\n\r\n".encode()
    loop = asyncio.get_running_loop()
    clients = [_Client(request) for _ in range(connections)]
    for client in clients:
        await loop.create_connection(partial(_itself, client), HOST, port)
    begun = time.perf_counter()
    for client in clients:
        client.ask()
    await asyncio.sleep(seconds)
    done, spent = sum(client.done for client in clients), time.perf_counter() - begun
    for client in clients:
        client.close()
    if any(client.broken for client in clients):
        raise RuntimeError(f"{path}: an answer was not a 200 with a length")
    return done / spent


def _itself(client: "_Client") -> "_Client":
    return client


class _Client(asyncio.Protocol):
    """One connection: the next request leaves when the answer to the last is there."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._transport: asyncio.Transport | None = None
        self._missing = 0
        self._head = b""
        self.done = 0
        self.broken = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def ask(self) -> None:
        if self._transport is not None:
            self._transport.write(self._request)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if not self._missing:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self._head[:end].lower()
            at = head.find(b"content-length:")
            if at < 0 or b" 200 " not in head[:20]:
                self.broken = True
                return
            length = int(head[at + 15 :].split(b"\r\n", 1)[0])
            self._missing = length - (len(self._head) - end - 4)
            self._head = b""
        else:
            self._missing -= len(data)
        if self._missing == 0:
            self.done += 1
            self.ask()
