"""A decision by each way to the same service: the raw API, the Python client, `waypost mcp` over standard input and
output and over HTTP. Medians in milliseconds, and as ratios to the raw API, in one run.

    python benchmarks/mcp_speed.py [--calls 200]

The service is offline and on loopback; all ways take turns, so that the load of the machine is the same for all.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from waypost.client import Client

WAYPOST = [sys.executable, "-m", "waypost"]
URL = "https://shop.test/"
CHECK = {"url": URL, "intended_action": "payment"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "speed", "version": "1"},
}
CALL = {
    "jsonrpc": "2.0", "id": 1, "method": "tools/call",
    "params": {"name": "check_destination", "arguments": CHECK, "_meta": META},
}  # fmt: skip


def start(*arguments: str, **variables: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
    return subprocess.Popen(
        [*WAYPOST, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env={**environment, **variables},
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=200)
    args = parser.parse_args()
    processes: list[subprocess.Popen[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            return measure(args.calls, folder, processes)
        finally:
            for process in processes:
                process.kill()
                process.communicate()


def measure(calls: int, folder: str, processes: list[subprocess.Popen[str]]) -> int:
    config = Path(folder) / "server.toml"
    config.write_text("[quotas]\nchecks = 1000000\nchecks-day = 1000000\nlookups = 1000000\n", "utf-8")
    key = made_key(folder)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    service = f"http://127.0.0.1:{port}"
    options = ("--config", str(config), "--data", folder, "--port", str(port), "--offline")
    processes.append(start("serve", *options, WAYPOST_LOG="none"))
    wait_for(f"{service}/healthz")
    processes.append(start("mcp", "--service", service, WAYPOST_API_KEY=key))
    processes.append(start("mcp", "--http", "--service", service, "--port", "0"))
    address = line_of(processes[2]).split()[1]
    http = httpx.Client(trust_env=False, timeout=30)
    bearer = {"authorization": f"Bearer {key}"}
    rpc_headers = bearer | {
        "accept": "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call", "mcp-name": "check_destination",
    }  # fmt: skip
    client = Client(service, key)

    def by_stdio() -> Any:
        pipe = processes[1].stdin
        assert pipe
        pipe.write(json.dumps(CALL) + "\n")
        pipe.flush()
        return json.loads(line_of(processes[1]))["result"]

    ways: dict[str, Callable[[], Any]] = {
        "raw API": lambda: http.post(f"{service}/v1/agent-safety", json=CHECK, headers=bearer).raise_for_status(),
        "Python client": lambda: client.may(URL, "payment"),
        "mcp, stdio": by_stdio,
        "mcp, HTTP": lambda: http.post(address, json=CALL, headers=rpc_headers).raise_for_status(),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(calls + 10):
        for name, call in ways.items():
            began = time.perf_counter()
            call()
            if number >= 10:
                taken[name].append((time.perf_counter() - began) * 1000)
    raw = median(taken["raw API"])
    for name, found in taken.items():
        print(f"{name}: {median(found):.2f} ms, {median(found) / raw:.2f} times the raw API")
    return 0


def made_key(folder: str) -> str:
    for command in (["org", "create", "Speed"], ["keys", "create", "--name", "speed", "--scopes", "agent"]):
        done = subprocess.run(
            [*WAYPOST, *command, "--data", folder, "--json"], capture_output=True, text=True, check=True
        )
    return str(json.loads(done.stdout)["key"])


def wait_for(address: str) -> None:
    for _ in range(300):
        try:
            httpx.get(address, trust_env=False, timeout=5).raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise SystemExit("the service does not answer")


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline()


if __name__ == "__main__":
    raise SystemExit(main())
