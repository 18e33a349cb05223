"""10,000 damaged calls of `waypost mcp` over standard input and output: every error begins STOP, and nothing leaks.

    nice -n 19 python benchmarks/mcp_fuzz.py [--calls 10000] [--seed 21]

Every address has a canary in its path, query, fragment and credentials; none may stand in any byte that the server
writes. Status 1, and the number of the call, where a promise does not hold. Nothing but loopback is reached: the hosts are made up.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
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
        self.ask(json.dumps({"jsonrpc": "2.0", "id": "o", "method": "initialize", "params": opening}).encode())
        self._send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def _errors(self) -> None:
        assert self._process.stderr
        self.written += list(self._process.stderr)

    def _send(self, raw: bytes) -> None:
        assert self._process.stdin
        self._process.stdin.write(raw + b"\n")
        self._process.stdin.flush()

    def ask(self, raw: bytes) -> dict[str, Any]:
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


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=21)
    args = parser.parse_args()
    found: Counter[str] = Counter()
    began, number = time.monotonic(), 0
    lines = [Stdio(handshake=True), Stdio(handshake=False)]
    try:
        for number in range(args.calls):
            rng = random.Random(f"{args.seed}/{number}")
            answer = lines[number % 2].ask(message(rng, number, handshake=number % 2 == 0))
            found[verdict(answer)] += 1
        for line in lines:
            line.end()
    except AssertionError as error:
        print(f"call {number} of seed {args.seed}: {error}")
        return 1
    print(f"{args.calls} calls of seed {args.seed} in {time.monotonic() - began:.0f} s: {dict(found.most_common())}")
    print("every error began STOP; no path, query, fragment or credentials in any byte written")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
