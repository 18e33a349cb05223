"""A service under a steady load for a long time: no error, and memory that stays flat.

    python benchmarks/soak.py [--minutes 20] [--rate 300] [--connections 16]

Starts `waypost serve`, asks for decisions about many hosts at a fixed rate over keep-alive connections (every fiftieth
request validates a page, every hundredth searches), and samples the resident memory of the process. The rate is to be
about half of what `benchmarks/service.py` reaches. Exit status 0 if every answer was a 200 and memory in the last quarter
is at most a tenth above that of the second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

WAYPOST = [sys.executable, "-m", "waypost"]
QUOTAS = ("checks", "checks-day", "validate", "lookups")
PAGE = b'<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Lamp</b></div>' * 40


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}


def run(*arguments: str) -> str:
    return subprocess.run([*WAYPOST, *arguments], capture_output=True, text=True, env=environment(), check=True).stdout


def request(number: int, key: str) -> bytes:
    if number % 100 == 99:
        return (
            f"GET /v1/search?q=acme{number % 7} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {key}\r\n\r\n"
        ).encode()
    if number % 50 == 49:
        path, media, body = "/v1/validate", "text/html", PAGE
    else:
        path, media = "/v1/agent-safety", "application/json"
        body = json.dumps(
            {"url": f"https://shop{number % 5000}.example.com/{number}", "intended_action": "payment"}
        ).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {key}\r\ncontent-type: {media}\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


async def worker(port: int, key: str, every_s: float, ends: float, seen: Counter[Any], waits: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    number, due = 0, time.monotonic()
    while due < ends:
        await asyncio.sleep(max(due - time.monotonic(), 0))
        due += every_s
        number += 1
        began = time.perf_counter()
        writer.write(request(number, key))
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(length)
        seen[int(head[9:12])] += 1
        waits.append(time.perf_counter() - began)
    writer.close()


def resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


async def load(options: argparse.Namespace, key: str, pid: int) -> tuple[Counter[Any], list[float], list[float]]:
    seen: Counter[Any] = Counter()
    waits: list[float] = []
    sizes: list[float] = []
    ends = time.monotonic() + options.minutes * 60
    every_s = options.connections / options.rate
    tasks = [
        asyncio.create_task(worker(options.port, key, every_s, ends, seen, waits)) for _ in range(options.connections)
    ]
    while time.monotonic() < ends:
        await asyncio.sleep(min(10, options.minutes * 6))
        sizes.append(resident_mb(pid))
        recent = waits[-2000:] or [0.0]
        print(
            f"{sum(seen.values())} answers, {dict(seen)}, {sizes[-1]:.0f} MB, "
            f"p50 {statistics.median(recent) * 1000:.1f} ms",
            flush=True,
        )
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, BaseException):
            seen[type(outcome).__name__] += 1
    return seen, waits, sizes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--rate", type=float, default=300)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--port", type=int, default=18990)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        data, config = Path(name) / "data", Path(name) / "server.toml"
        lines = [f'data = "{data}"', f"port = {options.port}", "offline = true", 'log = "none"']
        lines += [f'site_url = "http://127.0.0.1:{options.port}"', "[quotas]"]
        config.write_text("\n".join([*lines, *(f'"{each}" = 1000000000' for each in QUOTAS), ""]))
        run("org", "create", "Acme", "--data", str(data))
        made = run(
            "keys", "create", "--name", "soak", "--scopes", "agent,validate,search", "--data", str(data), "--json"
        )
        process = subprocess.Popen([*WAYPOST, "serve", "--config", str(config)], env=environment())
        try:
            for _ in range(200):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{options.port}/healthz", timeout=5).close()
                    break
                except OSError:
                    time.sleep(0.1)
            seen, waits, sizes = asyncio.run(load(options, json.loads(made)["key"], process.pid))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
    quarter = max(len(sizes) // 4, 1)
    early, late = statistics.mean(sizes[quarter : 2 * quarter] or sizes), statistics.mean(sizes[-quarter:])
    waits.sort()
    print(f"{options.minutes:g} minutes: {dict(seen)}; p50 {waits[len(waits) // 2] * 1000:.1f} ms, "
          f"p99 {waits[int(len(waits) * 0.99)] * 1000:.1f} ms; {early:.0f} MB in the second quarter, {late:.0f} MB in the last")  # fmt: skip
    return int(set(seen) != {200} or late > early * 1.1)


if __name__ == "__main__":
    raise SystemExit(main())
