"""A service under hostile clients of every kind at once: no answer of 500, and memory, files and threads that go back.

    python benchmarks/attack.py [--minutes 10] [--idle 300] [--seed 1]

Starts `waypost serve` on an empty folder. Together, from addresses of their own on loopback:

  mutants      the described example of every endpoint, with members of other types, long, deep, odd or missing, with bodies
               cut, repeated, in other encodings and media types, paths and queries of odd characters, heads that are wrong
  bytes        requests that are hardly HTTP: wrong lengths, half chunks, bare line feeds, no line feeds, binary
  slow         clients that send a byte a second, and clients that read nothing of a large answer
  idle         connections that send nothing and stay
  churn        connections that are opened and reset at once
  honest       a client of decisions and pages, which must be answered

Prints the answers by status and kind, each answer of 500 with its request, the honest client's times, and memory, open files
and threads of the service by quarter and after the end. Exit status 1 for an answer of 500 or none to the honest client,
for a process that ended, for 20 % more memory in the last quarter than in the second, and for files left open.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from waypost.api.table import table

WAYPOST = [sys.executable, "-m", "waypost"]
QUOTAS = ("checks", "checks-day", "validate", "lookups", "reading", "keys", "submissions", "reviews")
ODD = ("", "\0", "\ud800", "é" * 9, "\u202eabc", "a" * 5000, "%00", "../" * 9, "{{7*7}}", "' OR 1=1 --", "0" * 400, "-0", "1e999",
       "https://", "https://[::1", "https://a" + ".b" * 200, "https://xn--a.example/", "http://user:pw@127.0.0.1:99999/")  # fmt: skip
VALUES = (None, True, -1, 0, 2**63, 2**200, 1e308, [], {}, [[]], {"": {}}, *ODD)
PATIENCE_S = 20.0
MOST_LEFT = 40
"""Files that stay open rightly: those of the threads that read the store, and the pipes of the workers for pages."""


class Shot(NamedTuple):
    """Bytes of a request, and the endpoint that they are a mutant of."""

    kind: str
    data: bytes


# ---- requests ----


def mutated(value: Any, rng: random.Random) -> Any:
    """JSON value with one place changed."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        name = rng.choice(list(value))
        act = rng.randrange(5)
        if act == 0:
            return {key: each for key, each in value.items() if key != name}
        if act == 1:
            return value | {rng.choice(ODD) or "x": value[name]}
        return value | {name: mutated(value[name], rng) if act < 4 else rng.choice(VALUES)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return value[:at] + [mutated(value[at], rng)] * rng.choice((1, 2, 300)) + value[at:]
    if isinstance(value, str) and rng.random() < 0.6:
        at = rng.randrange(len(value) + 1)
        return value[:at] + rng.choice(ODD) + value[at:]
    return rng.choice(VALUES)


def body_of(endpoint: Any, rng: random.Random) -> tuple[bytes, str]:
    """Body for an endpoint, often wrong, and its media type."""
    described = endpoint.body
    if described is None or (not described.examples and rng.random() < 0.5):
        return (b"", "") if rng.random() < 0.8 else (rng.randbytes(200), "application/json")
    example: Any = rng.choice(list(described.examples.values())) if described.examples else {"name": "x", "csrf": "y"}
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        example = mutated(example, rng)
    if described.media == "application/x-www-form-urlencoded":
        pairs = example if isinstance(example, dict) else {"x": example}
        return urlencode({str(key).encode("utf-8", "replace"): str(each).encode("utf-8", "replace")
                          for key, each in pairs.items()}).encode(), described.media  # fmt: skip
    data = json.dumps(example).encode()
    act = rng.randrange(14)
    changed: dict[int, Callable[[], bytes]] = {
        0: lambda: data[: rng.randrange(len(data) + 1)],
        1: lambda: data * 2,
        2: lambda: b"[" * rng.choice((10, 1000, 60_000)) + data,
        3: lambda: data.decode().encode(rng.choice(("utf-16", "utf-32", "utf-8-sig"))),
        4: lambda: bytes(each ^ (rng.random() < 0.02) for each in data),
        5: lambda: b'{"a":' * 3000 + b"1" + b"}" * 3000,
        6: lambda: b"<script type=application/ld+json>" + data * rng.choice((1, 50)) + rng.choice((b"", b"</script>")),
        7: lambda: b"<div itemscope><b itemprop=a>" * rng.choice((1, 5000)) + data,
        8: lambda: rng.randbytes(rng.choice((1, 100, 9000))),
    }
    medias = (
        described.media,
        *described.others,
        "text/plain",
        "application/json; charset=latin-1",
        "multipart/form-data",
        "",
    )
    return (changed[act]() if act in changed else data), (described.media if act > 8 else rng.choice(medias))


def requests_of(key: str, rng: random.Random) -> Iterator[Shot]:
    """Requests of all endpoints, without end."""
    endpoints = [each for each in table() if each.path != "/healthz"]
    others = ("PUT", "HEAD", "OPTIONS", "TRACE", "QUERY", "BREW", "get")
    while True:
        endpoint = rng.choice(endpoints)
        path = endpoint.path
        for name in endpoint.members:
            path = path.replace(
                f"{{{name}}}", quote(rng.choice((*ODD, "x", "Product", "0190")), safe="", errors="replace")
            )
        if rng.random() < 0.4:
            names = ("q", "domain", "cursor", "limit", "type", "name", "brand", "x[]", "")
            pairs = [
                (rng.choice(names), rng.choice(ODD).encode("utf-8", "replace")) for _ in range(rng.choice((1, 2, 200)))
            ]
            path += "?" + urlencode(pairs)[:6000]
        data, media = body_of(endpoint, rng)
        method = endpoint.method if rng.random() < 0.9 else rng.choice(others)
        head = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1"]
        if rng.random() < 0.9:
            head.append(
                f"authorization: Bearer {key if rng.random() < 0.95 else rng.choice(('x', key[:-1] + '0', ''))}"
            )
        if media:
            head.append(f"content-type: {media}")
        if data and rng.random() < 0.05:
            data = gzip.compress(data)
            head.append("content-encoding: gzip")
        if rng.random() < 0.1:
            head += [rng.choice((
                "idempotency-key: " + "k" * 300, "if-none-match: *", "accept: \xff/\xff", "accept-language: " + "a," * 900,
                "cookie: " + "s=" * 700, "x-forwarded-for: 1.2.3.4, ::1", "traceparent: 00-0-0-0", "range: bytes=0-,5-1",
                "expect: 100-continue", "te: trailers", "accept: text/html", "origin: null"))]  # fmt: skip
        head.append(f"content-length: {len(data)}")
        yield Shot(
            f"{endpoint.method} {endpoint.path}", "\r\n".join(head).encode("latin-1", "replace") + b"\r\n\r\n" + data
        )


def hardly_http(rng: random.Random) -> bytes:
    start = b"POST /v1/agent-safety HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    return rng.choice((
        rng.randbytes(rng.choice((1, 40, 4000))), b"GET / HTTP/9.9\r\n\r\n", b"GET\r\n\r\n", b"\r\n" * 500, b"GET /" + b"a" * 90_000,
        b"GET / HTTP/1.1\n\n", b"GET / HTTP/1.1\r\n\r\n", b"GET http://[/ HTTP/1.1\r\nhost: x\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        start + b"content-length: -1\r\n\r\n{}", start + b"content-length: 5\r\ncontent-length: 6\r\n\r\n{}",
        start + b"content-length: 99\r\n\r\n{}", start + b"transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{}",
        start + b"transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n", start + b"transfer-encoding: gzip\r\n\r\n{}",
        start + b"".join(b"x%d: y\r\n" % n for n in range(2000)) + b"\r\n", start + b"x: " + b"y" * 70_000 + b"\r\n\r\n",
        b"GET /v1/schema/%s HTTP/1.1\r\nhost: x\r\n\r\n" % quote(rng.randbytes(9)).encode() * 20, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ))  # fmt: skip


# ---- clients ----


class Attack:
    def __init__(self, port: int, key: str, ends: float, seed: int) -> None:
        self.port, self.key, self.ends, self.seed = port, key, ends, seed
        self.answers: Counter[tuple[str, str]] = Counter()
        self.errors: list[tuple[int, Shot, bytes]] = []
        self.waits_ms: list[float] = []
        self.unanswered: list[str] = []

    def is_over(self) -> bool:
        return time.monotonic() > self.ends

    async def open(self, group: int, rng: random.Random) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        own = (f"127.{group}.{rng.randrange(256)}.{rng.randrange(1, 255)}", 0)
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=own)

    def note(self, kind: str, shot: Shot, answer: bytes) -> None:
        status = answer[9:12].decode("latin-1") if answer.startswith(b"HTTP/1") else "closed" if not answer else "other"
        self.answers[kind, status] += 1
        if status.startswith("5") and status != "503" and len(self.errors) < 40:
            self.errors.append((int(status), shot, answer))

    async def send(self, kind: str, shot: Shot, group: int, rng: random.Random) -> None:
        with suppress(OSError, TimeoutError):
            reader, writer = await self.open(group, rng)
            try:
                writer.write(shot.data)
                answer = await asyncio.wait_for(reader.read(4096), PATIENCE_S)
            finally:
                writer.transport.abort()
            self.note(kind, shot, answer)
            return
        self.answers[kind, "no answer"] += 1

    async def mutants(self, number: int) -> None:
        rng = random.Random(self.seed * 1000 + number)
        for shot in requests_of(self.key, rng):
            if self.is_over():
                return
            await self.send("mutants", shot, 1, rng)

    async def bytes(self, number: int) -> None:
        rng = random.Random(self.seed * 2000 + number)
        while not self.is_over():
            await self.send("bytes", Shot("bytes", hardly_http(rng)), 2, rng)
            await asyncio.sleep(0.02)

    async def slow(self, number: int) -> None:
        rng = random.Random(self.seed * 3000 + number)
        whole = next(requests_of(self.key, rng)).data
        large = b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n" * 40
        while not self.is_over():
            with suppress(OSError, TimeoutError):
                reader, writer = await self.open(3, rng)
                if number % 2:
                    writer.write(large)  # and nothing is read
                    await asyncio.sleep(min(60, max(0, self.ends - time.monotonic())))
                else:
                    for at in range(len(whole)):
                        writer.write(whole[at : at + 1])
                        await writer.drain()
                        await asyncio.sleep(1)
                        if self.is_over() or reader.at_eof():
                            break
                writer.transport.abort()
                self.answers["slow", "done"] += 1
            await asyncio.sleep(0.1)

    async def idle(self, number: int) -> None:
        rng = random.Random(self.seed * 4000 + number)
        while not self.is_over():
            with suppress(OSError, TimeoutError):
                reader, writer = await self.open(4, rng)
                with suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(100), max(0.1, self.ends - time.monotonic()))
                writer.transport.abort()
                self.answers["idle", "closed by the service"] += 1
            await asyncio.sleep(0.5)

    async def churn(self) -> None:
        rng = random.Random(self.seed * 5000)
        while not self.is_over():
            with suppress(OSError):
                client = socket.socket()
                client.setblocking(False)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, not an end
                client.bind((f"127.5.{rng.randrange(256)}.{rng.randrange(1, 255)}", 0))
                await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", self.port))
                if rng.random() < 0.5:
                    await asyncio.get_running_loop().sock_sendall(client, next(requests_of(self.key, rng)).data[:100])
                client.close()
                self.answers["churn", "reset"] += 1
            await asyncio.sleep(0.01)

    async def honest(self) -> None:
        rng = random.Random(6)
        number = 0
        while not self.is_over():
            number += 1
            body = json.dumps({"url": f"https://shop{number}.example.com/", "intended_action": "payment"}).encode()
            path, media = "/v1/agent-safety", "application/json"
            if number % 5 == 0:
                path, media, body = "/v1/validate", "text/html", b'<p itemscope itemtype="https://schema.org/Book">'
            head = f"POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {self.key}\r\ncontent-type: {media}\r\n"
            data = f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body
            begun, answer, end = time.monotonic(), b"", "closed"
            try:
                reader, writer = await self.open(6, rng)
                writer.write(data)
                answer = await asyncio.wait_for(reader.read(), PATIENCE_S)
                writer.close()
            except (OSError, TimeoutError) as error:
                end = type(error).__name__
            wait_ms = (time.monotonic() - begun) * 1000
            self.waits_ms.append(wait_ms)
            self.note("honest", Shot("honest", data), answer)
            if not answer.startswith(b"HTTP/1.1 200 "):
                self.unanswered.append(f"{answer[:12].decode('latin-1') or end} after {wait_ms:.0f} ms")
            await asyncio.sleep(0.05)


# ---- the service ----


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}


def run(*arguments: str) -> str:
    return subprocess.run([*WAYPOST, *arguments], capture_output=True, text=True, env=environment(), check=True).stdout


def state_of(process: int) -> tuple[float, int, int]:
    """Resident memory in MB, open files and threads of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    memory = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    return memory, len(list(Path(f"/proc/{process}/fd").iterdir())), int(status.partition("Threads:")[2].split()[0])


def files_of(process: int) -> Counter[str]:
    """Open files of a process by kind: sockets, pipes, or names of files."""
    names: Counter[str] = Counter()
    for each in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):
            names[Path(each.readlink()).name.partition(":")[0]] += 1
    return names


async def measured(attack: Attack, process: int, options: argparse.Namespace) -> list[tuple[float, int, int]]:
    clients = [attack.mutants(n) for n in range(options.mutants)] + [attack.bytes(n) for n in range(4)]
    clients += [attack.slow(n) for n in range(60)] + [attack.idle(n) for n in range(options.idle)]
    tasks = [asyncio.create_task(each) for each in (*clients, attack.churn(), attack.honest())]
    samples = []
    while not attack.is_over():
        await asyncio.sleep(2)
        samples.append(state_of(process))
    await asyncio.wait(tasks, timeout=PATIENCE_S + 5)
    for task in tasks:
        task.cancel()
    for error in [task.exception() for task in tasks if task.done() and not task.cancelled() and task.exception()]:
        raise error or AssertionError
    return samples


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--idle", type=int, default=300)
    parser.add_argument("--mutants", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = ["--data", f"{folder}/data"]
        run("org", "create", "Attacked", *data)
        scopes = "agent,check,validate,search,snippets,domain,official,dispute,relationships,review,audit,keys"
        key = json.loads(run("keys", "create", "--name", "attack", "--scopes", scopes, "--json", *data))["key"]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        lines = [f'data = "{folder}/data"', f"port = {port}", "offline = true", f'site_url = "http://127.0.0.1:{port}"']
        quotas = [f'"{each}" = {10**8}' for each in QUOTAS]
        Path(folder, "server.toml").write_text("\n".join([*lines, "[quotas]", *quotas, ""]))
        with Path(folder, "log").open("wb") as log:
            command = [*WAYPOST, "serve", "--config", f"{folder}/server.toml"]
            process = subprocess.Popen(command, env=environment(), stdout=log, stderr=log)
        try:
            return attacked(process, port, key, options)
        finally:
            process.send_signal(signal.SIGTERM)
            print(f"exit status of the service: {process.wait(60)}")
            text = Path(folder, "log").read_text(errors="replace")
            print(f"log: {text.count(chr(10)):,} lines, {text.count('Traceback')} tracebacks")


def attacked(process: subprocess.Popen[bytes], port: int, key: str, options: argparse.Namespace) -> int:
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            break
        assert process.poll() is None, "the service ended"
        time.sleep(0.1)
    time.sleep(3)  # for what the service loads after its start
    before = state_of(process.pid)
    attack = Attack(port, key, time.monotonic() + options.minutes * 60, options.seed)
    samples = asyncio.run(measured(attack, process.pid, options))
    time.sleep(15)  # connections in their last seconds
    after, files = state_of(process.pid), files_of(process.pid)
    for (kind, status), number in sorted(attack.answers.items()):
        print(f"{kind:10} {status:24} {number:10,}")
    for status, shot, answer in attack.errors:
        print(f"{status} {shot.kind}\n  {shot.data[:600]!r}\n  {answer[:400]!r}")
    waits = sorted(attack.waits_ms)
    print(f"honest client: {len(waits):,} requests, {len(attack.unanswered)} not answered with 200 {attack.unanswered}, "
          f"p50 {statistics.median(waits):.0f} ms, p99 {waits[len(waits) * 99 // 100]:.0f} ms")  # fmt: skip
    print(f"{'':14} {'MB':>8} {'files':>7} {'threads':>8}")
    quarter = len(samples) // 4
    quarters = [samples[quarter * n : quarter * (n + 1)] for n in range(4)]
    rows = {
        f"quarter {n + 1}": [statistics.mean(each[i] for each in part) for i in range(3)]
        for n, part in enumerate(quarters)
    }
    for name, row in {"before": before, **rows, "after": after}.items():
        print(f"{name:14} {row[0]:8.1f} {row[1]:7.0f} {row[2]:8.0f}")
    grew = rows["quarter 4"][0] > 1.2 * rows["quarter 2"][0]
    left = after[1] > before[1] + MOST_LEFT
    print(f"open files after: {dict(files)}")
    return int(bool(attack.errors) or bool(attack.unanswered) or grew or left or process.poll() is not None)


if __name__ == "__main__":
    raise SystemExit(main())
