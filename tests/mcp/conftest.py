"""The server as a process, spoken to in lines of JSON-RPC, and a service for it to ask."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

WAYPOST = [sys.executable, "-m", "waypost"]
SECRET = "s3cr3t-path"
PATIENCE_S = 300
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def environment(**more: str) -> dict[str, str]:
    stored = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
    return {**stored, **more}


class Server:
    """`waypost mcp` as a process. `out` and `err` are all bytes that it wrote."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        self._process = subprocess.Popen(
            [*WAYPOST, "mcp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(**variables),
        )
        self.out, self.err = b"", b""
        self._id = 0
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()

    def _read_errors(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            self.err += line

    def send(self, message: dict[str, Any] | bytes) -> None:
        assert self._process.stdin
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._process.stdin.write(raw + b"\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next message that answers something, after all notifications."""
        assert self._process.stdout
        while line := self._process.stdout.readline():
            self.out += line
            message: dict[str, Any] = json.loads(line)
            if "method" not in message:
                return message
        raise AssertionError(f"the server ended: {self.err.decode()}")

    def exchange(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self._id += 1
        self.send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params or {}})
        answer = self.receive()
        assert answer["id"] == self._id
        return answer

    def hello(self) -> dict[str, Any]:
        answer = self.exchange("initialize", HELLO)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Result of a tool."""
        return self.exchange("tools/call", {"name": tool, "arguments": arguments})["result"]

    def end(self) -> int:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self.out += self._process.stdout.read()
        status = self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return status

    def interrupt(self) -> int:
        """Exit status after an interrupt, while standard input stays open."""
        self._process.send_signal(signal.SIGINT)
        status = self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return status

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe
            with suppress(BrokenPipeError):
                pipe.close()


def first(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


@contextmanager
def running(*arguments: str, **variables: str) -> Iterator[Server]:
    server = Server(*arguments, **variables)
    try:
        server.hello()
        yield server
    finally:
        server.kill()


class Service:
    """`waypost up` as a process, with the live key that it shows, and keys made by its API."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            [*WAYPOST, "up", "--json", "--no-build", "--offline", "--port", "0", "--data", str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
        assert self._process.stdout
        answer = json.loads(self._process.stdout.readline())
        self.url, self.key = answer["site_url"], answer["key"]
        self._until_it_answers()

    def _until_it_answers(self) -> None:
        waited = threading.Event()
        for _ in range(PATIENCE_S * 10):
            try:
                urllib.request.urlopen(f"{self.url}/healthz", timeout=60).close()
                return
            except OSError:
                waited.wait(0.1)
        raise AssertionError("the service does not answer")

    def keys(self, *arguments: str) -> Any:
        command = [*WAYPOST, "keys", *arguments, "--data", str(self._folder), "--json"]
        return json.loads(subprocess.run(command, capture_output=True, check=True, env=environment()).stdout)

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = Service(tmp_path_factory.mktemp("service"))
    try:
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that decides about the made-up hosts."""
    with running("--fixtures") as made:
        yield made
