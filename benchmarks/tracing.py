"""Cost of spans of OpenTelemetry, as CPU time of a request: off, on with 1 % sampled, and on for every request.

    python benchmarks/tracing.py [--rounds 8] [--block 3000]

Needs the extra otel. A request is a decision in process, from the application's scope to its last message, store and
writing thread included. All three take turns in one process, a block of requests each, so that what else the machine
does is the same for all; a ratio is the median of those of all rounds. CPU time is that of all threads, the exporter's
too; a block ends with an export, and is as long as what a busy service exports at once. Spans go by OTLP over HTTP to a
collector in a process of its own. While spans are off, each place that could make one is a call that returns the same
object: what such a place takes is measured alone, and by the number of places that a request passes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import service

from waypost import tracing

SAMPLED = {"off": None, "1 %": "0.01", "all": "1.0"}
WARM, PLACES_TIMED = 300, 100_000
PROVIDERS: dict[str, Any] = {}


class Sink(BaseHTTPRequestHandler):
    """Collector that takes every batch."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def collect(port: Any) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    port.send(server.server_port)
    server.serve_forever()


def tracer(name: str, share: str | None) -> Any:
    """Tracer that samples a share of the requests; None for spans that are off."""
    if share is None:
        return None
    os.environ |= {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": share}
    provider, made = tracing.switch_on(), tracing.TRACER
    PROVIDERS[name] = provider
    tracing.switch_off()
    return made


async def measure(key: str, rounds: int, block: int) -> dict[str, list[float]]:
    """Seconds of CPU for a block of requests, by variant and round."""
    plain = service.waypost()
    traced = tracing.Traced(plain)
    tracers = {name: tracer(name, share) for name, share in SAMPLED.items()}
    body = json.dumps(service.BODY).encode()
    headers = [(b"host", b"127.0.0.1:1"), (b"content-length", str(len(body)).encode()),
               (b"authorization", f"Bearer {key}".encode()), (b"content-type", b"application/json")]  # fmt: skip
    scope = {"type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1",
             "method": "POST", "scheme": "http", "path": "/v1/agent-safety", "raw_path": b"/v1/agent-safety",
             "query_string": b"", "root_path": "", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)}  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        assert message.get("status", 200) == 200, message

    taken: dict[str, list[float]] = {name: [] for name in SAMPLED}
    async with plain.litestar.lifespan():

        async def requests(name: str, count: int) -> float:
            tracing.TRACER = tracers[name]
            app = plain if tracers[name] is None else traced
            began = time.process_time()
            for _ in range(count):
                await app({**scope, "headers": list(headers), "state": {}}, receive, send)
            if name in PROVIDERS:
                await asyncio.to_thread(PROVIDERS[name].force_flush)
            return time.process_time() - began

        for name in SAMPLED:
            await requests(name, WARM)
        for number in range(rounds):
            order = [*SAMPLED] if number % 2 else [*SAMPLED][::-1]
            for name in order:
                taken[name].append(await requests(name, block))
        tracing.switch_off()
    return taken


def place_off() -> tuple[float, int]:
    """(seconds of CPU of a place for a span while they are off, places that a request passes)"""
    began = time.process_time()
    for _ in range(PLACES_TIMED):
        with tracing.span("waypost.decision", action="payment") as made:
            made.note(allowed=True)
    return (time.process_time() - began) / PLACES_TIMED, 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--block", type=int, default=3000)
    options = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    collector = multiprocessing.Process(target=collect, args=(theirs,), daemon=True)
    collector.start()
    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = f"http://127.0.0.1:{ours.recv()}"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["BENCH_DATA"] = folder
        key = service.make_key(folder)
        taken = asyncio.run(measure(key, options.rounds, options.block))
    off = median(taken["off"]) / options.block
    for name, seconds in taken.items():
        ratio = median(each / base for each, base in zip(seconds, taken["off"], strict=True))
        print(f"{name}: {median(seconds) / options.block * 1e6:.0f} us of CPU a request, {ratio:.3f} of off")
    place, places = place_off()
    print(f"a place while off: {place * 1e6:.2f} us; {places} of them are {places * place / off:.4f} of a request")
    for provider in PROVIDERS.values():
        provider.shutdown()
    collector.terminate()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
