"""10,000 damaged calls of `waypost mcp`: every error begins STOP, and nothing leaks.

    nice -n 19 python benchmarks/mcp_fuzz.py [--http] [--calls 10000] [--seed 21]

Over standard input and output, or with `--http` over HTTP in front of a service, whose requests are damaged too: their
method, path, headers and bytes. Half of the calls are of the revisions with a handshake, half of the stateless one.

Every address has a canary in its path, query, fragment and credentials. Neither it nor a key may stand in any byte that
is written: answers with their headers, standard output and error of both processes, the service's log, its data folder,
and the spans that it exports to a collector on loopback. Status 1, and the number of the call, where a promise does not
hold. Nothing but loopback is reached: the hosts are made up.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CANARY = "c4n4ry"
HOSTS = (
    "allow.test",
    "stop.test",
    "impersonation.test",
    "unknown.test",
    "error.test",
    "127.0.0.1",
    "[::1]",
    "xn--a",
    "",
)
ACTIONS = ("payment", "login", "upload", "visit", "PAYMENT", "", "unspecified", "pay\u0000ment")
TOOLS = ("check_destination", "check_many", "explain_decision", "find_official", "domain_profile", "validate_markup",
         "preview_snippet", "schema", "dispute", "no_such_tool", "")  # fmt: skip
ODD: tuple[Any, ...] = (None, True, 0, -1, 1e308, "", "\u202e", "\ud800", [], {}, [[[[]]]], "x" * 20_000, {"$ref": "#"})
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
}


def url(rng: random.Random) -> str:
    if rng.random() < 0.3:  # a good one, so that decisions are reached too
        return f"https://{rng.choice(HOSTS[:5])}/{CANARY}?{CANARY}={CANARY}"
    scheme = rng.choice(("https", "https", "http", "ftp", "HTTPS", "javascript", "data", ""))
    user = rng.choice(("", "", f"{CANARY}:{CANARY}@"))
    port = rng.choice(("", "", ":8443", ":99999", ":x"))
    path = rng.choice(("/", f"/{CANARY}", f"/{CANARY}/../{CANARY}%2f", f"/{CANARY}\u0000", f"/{CANARY}" * 400))
    query = rng.choice(("", f"?{CANARY}={CANARY}", f"?next=https://stop.test/{CANARY}", f"#{CANARY}"))
    return f"{scheme}://{user}{rng.choice(HOSTS)}{port}{path}{query}"


def arguments(rng: random.Random, tool: str) -> Any:
    check = {"url": url(rng), "intended_action": rng.choice(ACTIONS if rng.random() < 0.5 else ACTIONS[:4])}
    made: dict[str, Any] = {
        "check_destination": check,
        "check_many": {"items": [{**check, "url": url(rng)} for _ in range(rng.choice((0, 1, 2, 51)))]},
        "explain_decision": {"decision_id": rng.choice(("9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10", f"../{CANARY}"))},
        "find_official": {"query": rng.choice(("adidas", "", "\u0000"))},
        "domain_profile": {"domain": rng.choice((*HOSTS, url(rng)))},
        "validate_markup": {"data": {"@type": "Product", "url": "https://shop.test/"}},
        "preview_snippet": {"kind": "product", "data": {"@type": "Product"}},
        "schema": {"name": rng.choice(("Product", "../../etc/passwd", ""))},
        "dispute": {"decision_id": f"{CANARY}", "claim": "other", "statement": url(rng)},
    }.get(tool, {"url": url(rng)})
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        name = rng.choice([*made, "url", "extra", f"/{CANARY}"])
        made[name] = rng.choice(ODD)
    return rng.choice((*[made] * 12, [made], url(rng), None))


def message(rng: random.Random, number: int, *, handshake: bool) -> bytes:
    tool = rng.choice(TOOLS)
    params: dict[str, Any] = {"name": tool, "arguments": arguments(rng, tool)}
    method = "tools/call" if rng.random() < 0.9 else rng.choice(("resources/read", "prompts/get", "no/such", "ping"))
    if method == "resources/read":
        params = {"uri": url(rng)}
    if handshake is (rng.random() < 0.02):  # now and then of the other revision
        params["_meta"] = META | ({} if rng.random() < 0.7 else {f"x/{CANARY}": url(rng)})
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def verdict(answer: dict[str, Any]) -> str:
    """Kind of answer; raises AssertionError where an error does not begin STOP."""
    if error := answer.get("error"):
        assert error["message"].startswith("STOP"), error
        return "error of the protocol"
    result = answer["result"]
    if "content" not in result:
        return "other result"
    first = result["content"][0]["text"]
    if result.get("isError"):
        assert first.startswith("STOP"), first
        return "error result"
    assert first.startswith(("STOP:", "ALLOW:", "RESULT:")), first
    return first.partition(":")[0]


class Stdio:
    """Server as a process, spoken to with the handshake of 2025-11-25 or without one, as of 2026-07-28."""

    def __init__(self, *, handshake: bool) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "waypost", "mcp", "--fixtures"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        )  # fmt: skip
        self.written = [b""]
        self._reader = threading.Thread(target=self._errors, daemon=True)
        self._reader.start()
        if not handshake:
            return
        opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "f", "version": "1"}}
        self.exchange(json.dumps({"jsonrpc": "2.0", "id": "o", "method": "initialize", "params": opening}).encode())
        self._send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def _errors(self) -> None:
        assert self._process.stderr
        self.written += list(self._process.stderr)

    def _send(self, raw: bytes) -> None:
        assert self._process.stdin
        self._process.stdin.write(raw + b"\n")
        self._process.stdin.flush()

    def exchange(self, raw: bytes) -> dict[str, Any]:
        self._send(raw)
        assert self._process.stdout
        while line := self._process.stdout.readline():
            assert CANARY.encode() not in line, line[:2000]
            found: dict[str, Any] = json.loads(line)
            if "method" not in found:
                return found
        raise AssertionError("the server ended")

    def end(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        status = self._process.wait(60)
        self._reader.join(60)
        assert status == 0, status
        assert CANARY.encode() not in b"".join(self.written), b"".join(self.written)[:2000]


class Collector(BaseHTTPRequestHandler):
    """Collector of OpenTelemetry that retains the bytes of every export."""

    exported: list[bytes] = []  # noqa: RUF012  one for the program

    def do_POST(self) -> None:
        self.exported.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


QUOTAS = ("checks", "checks-day", "lookups", "validate", "preview", "schema", "reading", "submissions", "failed-auth")


class Http:
    """Two processes, a service with spans and the server of tools in front of it, and their output in files."""

    def __init__(self, folder: Path, collector: str) -> None:
        self._folder, self._data = folder, folder / "data"
        config = folder / "server.toml"
        quotas = "\n".join(f"{name} = 10000000" for name in QUOTAS)
        config.write_text(f"otel = true\n[quotas]\n{quotas}\n", "utf-8")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("WAYPOST_", "OTEL_"))}
        self._environment = environment | {"OTEL_EXPORTER_OTLP_ENDPOINT": collector}
        self._run("org", "create", "Fuzz")
        made = self._run("keys", "create", "--name", "fuzz", "--labels", "Read,Write,Validate", "--environment", "test")
        self.key = str(json.loads(made)["key"])
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        service = f"http://127.0.0.1:{port}"
        self._processes = [
            self._start("serve", "--config", str(config), "--data", str(self._data), "--port", str(port), "--offline")
        ]
        self._wait(lambda: urllib.request.urlopen(f"{service}/healthz", timeout=5).read())
        self._processes.append(self._start("mcp", "--http", "--service", service, "--port", "0"))
        line = str(self._wait(lambda: (folder / "mcp.out").read_text("utf-8")))
        self._port = int(urllib.parse.urlsplit(line.split()[1]).port or 0)
        self._session = ""

    def _wait(self, read: Callable[[], Any]) -> Any:
        """First result that is not empty."""
        for _ in range(600):
            with suppress(OSError):
                if found := read():
                    return found
            assert all(process.poll() is None for process in self._processes), "a process ended"
            time.sleep(0.1)
        raise AssertionError("a process does not answer")

    def kill(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()

    def _run(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "waypost", *arguments, "--data", str(self._data), "--json"]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=self._environment).stdout

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._folder / f"{name}.out").open("wb") as out, (self._folder / f"{name}.err").open("wb") as err:
            command = [sys.executable, "-m", "waypost", name, *arguments]
            return subprocess.Popen(command, stdout=out, stderr=err, env=self._environment)

    def exchange(self, raw: bytes, rng: random.Random, *, handshake: bool) -> dict[str, Any]:
        """Message of the answer. A session is opened where the handshake needs one and none is open."""
        if handshake and not self._session:
            opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "f", "version": "1"}}
            message = {"jsonrpc": "2.0", "id": "o", "method": "initialize", "params": opening}
            self._send(json.dumps(message).encode(), self._headers())
        headers = self._headers()
        if handshake:
            headers |= {"mcp-session-id": self._session, "mcp-protocol-version": "2025-11-25"}
        else:
            sent = json.loads(raw)
            headers |= {"mcp-protocol-version": "2026-07-28", "mcp-method": str(sent["method"])}
            if isinstance(name := sent["params"].get("name", sent["params"].get("uri")), str):
                headers["mcp-name"] = urllib.parse.quote(name)
        method, path = "POST", "/mcp"
        if rng.random() < 0.15:
            method, path, raw = damaged(rng, method, path, raw, headers)
        return self._send(raw, headers, method, path)

    def _headers(self) -> dict[str, str]:
        return {
            "authorization": f"Bearer {self.key}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        }

    def _send(self, raw: bytes, headers: dict[str, str], method: str = "POST", path: str = "/mcp") -> dict[str, Any]:
        line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            line.request(method, path, raw, headers)
            answer = line.getresponse()
            text = (
                b"" if answer.headers.get_content_type() == "text/event-stream" and method == "GET" else answer.read()
            )
        finally:
            line.close()
        whole = repr(answer.getheaders()).encode() + text
        assert CANARY.encode() not in whole, whole[:2000]
        assert self.key.encode() not in whole, "the key is in an answer"
        # A session that a damaged request ended is opened again by the next call.
        self._session = "" if answer.status == 404 else answer.headers.get("mcp-session-id", self._session)
        found = [part for part in text.replace(b"\r", b"").split(b"\n") if part.startswith(b"data: {")]
        messages = [json.loads(part[6:]) for part in found] or ([json.loads(text)] if text else [])
        messages = [message for message in messages if "method" not in message]
        assert answer.status < 500 or answer.status == 503, (answer.status, text)
        assert messages or answer.status < 400 or method != "POST", (answer.status, whole[:500])
        return messages[-1] if messages else {"result": {}}

    def end(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
            assert process.wait(60) in {0, -15}, process.returncode
        secrets = (CANARY.encode(), self.key.encode(), self.key.rpartition("_")[2].encode())
        written = {path: path.read_bytes() for path in self._folder.rglob("*") if path.is_file()}
        written[Path("spans")] = b"".join(Collector.exported)
        assert b"waypost.decision" in written[Path("spans")], "no span was exported"
        assert written[self._folder / "serve.err"].count(b'"event":"request"') > 0, "nothing was logged"
        for path, content in written.items():
            for secret in secrets:
                place = content.find(secret)
                assert place < 0, (path, content[max(place - 200, 0) : place + 200])


def damaged(rng: random.Random, method: str, path: str, raw: bytes, headers: dict[str, str]) -> tuple[str, str, bytes]:
    """(method, path, body) of a request with one thing wrong, which may be in `headers` too."""
    names = ("mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name", "content-type", "accept", "origin",
             "host", "authorization", f"x-{CANARY}", "traceparent", "content-encoding")  # fmt: skip
    values = (
        CANARY,
        f"/{CANARY}?{CANARY}",
        "",
        f"https://stop.test/{CANARY}",
        f"Bearer {CANARY}",
        "2031-01-01",
        "text/xml",
    )
    match rng.randrange(7):
        case 0 | 1 | 2:
            headers[rng.choice(names)] = rng.choice(values)
        case 3:
            headers.pop(rng.choice([*headers]))
        case 4:
            method = rng.choice(("DELETE", "PUT", "PATCH", "OPTIONS", "QUERY"))
        case 5:
            path = rng.choice((f"/{CANARY}", f"/mcp?{CANARY}={CANARY}", f"/mcp/{CANARY}", "/mcp/", "//mcp"))
        case _:
            cut = rng.randrange(len(raw))
            raw = rng.choice(
                (raw[:cut], raw[:cut] + b"\xff" + raw[cut:], b"[" + raw + b"]", raw + raw, b"x" * 5_000_000)
            )
    return method, path, raw


@contextmanager
def collector() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def over_stdio(calls: int, seed: int, found: Counter[str]) -> None:
    lines = [Stdio(handshake=True), Stdio(handshake=False)]
    for number in range(calls):
        rng = random.Random(f"{seed}/{number}")
        answer = lines[number % 2].exchange(message(rng, number, handshake=number % 2 == 0))
        found[verdict(answer)] += 1
    for line in lines:
        line.end()


def over_http(calls: int, seed: int, found: Counter[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, collector() as address:
        server = Http(Path(folder), address)
        try:
            for number in range(calls):
                rng, handshake = random.Random(f"{seed}/{number}"), number % 2 == 0
                answer = server.exchange(message(rng, number, handshake=handshake), rng, handshake=handshake)
                found[verdict(answer)] += 1
            server.end()
        finally:
            server.kill()
        print(f"{len(Collector.exported)} exports with {sum(map(len, Collector.exported)):,} bytes of spans")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--http", action="store_true", help="over HTTP, in front of a service")
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=21)
    args = parser.parse_args()
    found: Counter[str] = Counter()
    began = time.monotonic()
    try:
        (over_http if args.http else over_stdio)(args.calls, args.seed, found)
    except AssertionError as error:
        print(f"call {found.total()} of seed {args.seed}: {error}")
        return 1
    print(f"{args.calls} calls of seed {args.seed} in {time.monotonic() - began:.0f} s: {dict(found.most_common())}")
    print("every error began STOP; no path, query, fragment or credentials in any byte written")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
