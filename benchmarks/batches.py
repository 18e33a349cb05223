"""Seconds of a batch in every interface over a slow resolver, and the answers to 32 checks at once.

    python benchmarks/batches.py [--resolver 0.4] [--items 20,50] [--rounds 2]
    python benchmarks/batches.py --at-once 32 [--resolver 1.5]

The service runs with its network on, as `waypost serve` does, in a process of its own; only its resolver is this
script's: it answers every name after the given seconds, without an address. Nothing leaves the machine. To compare with
another checkout, alternate: `PYTHONPATH=OTHER/src python benchmarks/batches.py`.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from typing import Any

from service import make_key

PORT = 18400
ACTION = "payment"


def slow_resolver() -> None:
    """Let every name be answered after SLOW seconds, without an address."""
    from waypost.net.resolve import Answer, SystemResolver

    seconds = float(os.environ["SLOW"])

    async def resolve(_self: Any, _host: str, *, within_s: float) -> Answer:
        await asyncio.sleep(min(seconds, within_s))
        return Answer("no_such_name" if seconds < within_s else "timeout")

    async def name_servers(_self: Any, _domain: str, *, within_s: float) -> tuple[str, ...]:
        await asyncio.sleep(min(seconds, within_s))
        return ()

    SystemResolver.resolve = resolve
    SystemResolver.name_servers = name_servers


def serve() -> None:
    import uvicorn

    from waypost.api.app import create_app
    from waypost.api.settings import Settings
    from waypost.api.state import open_state

    slow_resolver()
    state = open_state(Settings(data=os.environ["BENCH_DATA"], log="none"))
    options = {"log_level": "critical", "access_log": False, "http": "waypost.api.protocol:Wire"}
    uvicorn.run(create_app(state), port=PORT, **options)


def command_line() -> int:
    from waypost.cli import main

    slow_resolver()
    return main(["check", "--batch", sys.argv[2], "--action", ACTION, "--json"])


@contextlib.contextmanager
def service(folder: str) -> Iterator[str]:
    url = f"http://127.0.0.1:{PORT}"
    process = subprocess.Popen([sys.executable, __file__, "serve"], env={**os.environ, "BENCH_DATA": folder})
    try:
        for _ in range(400):
            try:
                urllib.request.urlopen(f"{url}/healthz", timeout=1)
                break
            except OSError:
                time.sleep(0.05)
        time.sleep(1)
        yield url
    finally:
        process.terminate()
        process.wait()


_NUMBERS = itertools.count()


def urls(count: int) -> list[str]:
    """URLs at hosts that no run has used: a host is observed once a minute."""
    return [f"https://host-{os.getpid()}-{next(_NUMBERS)}.test/pay" for _ in range(count)]


def api(url: str, key: str, count: int) -> str:
    from waypost.client import Client, NoAnswer

    with Client(url, key) as client:
        try:
            return summary(entry.unknowns for entry in client.batch([(each, ACTION) for each in urls(count)]).results)
        except NoAnswer as error:
            return f"NO ANSWER: {error}"


def authzen(url: str, key: str, count: int) -> str:
    import httpx

    items = [{"resource": {"type": "url", "id": each}} for each in urls(count)]
    body = {"subject": {"type": "agent", "id": "a"}, "action": {"name": ACTION}, "evaluations": items}
    answer = httpx.post(
        f"{url}/access/v1/evaluations", json=body, headers={"authorization": f"Bearer {key}"}, timeout=120
    )
    return summary(each["context"]["unknowns"] for each in answer.json()["evaluations"])


def mcp_remote(url: str, key: str, count: int) -> str:
    from waypost.client import AsyncClient
    from waypost.mcp.remote import RemoteBackend
    from waypost.registry import load

    return asyncio.run(many(RemoteBackend(AsyncClient(url, key), load()), count))


def mcp_local(_url: str, _key: str, count: int) -> str:
    from waypost.mcp.local import LocalBackend
    from waypost.registry import load
    from waypost.service import open_service

    return asyncio.run(many(LocalBackend(open_service(), load()), count))


async def many(backend: Any, count: int) -> str:
    async def progress(_done: int, _of: int) -> None:
        pass

    items = [{"url": each, "intended_action": ACTION} for each in urls(count)]
    try:
        document = await backend.call("check_many", {"items": items}, progress)
    except Exception as error:  # noqa: BLE001  the answer of the interface
        return f"NO ANSWER: {error}"
    finally:
        await backend.close()
    return summary(each.get("unknowns", ["(an error)"]) for each in document["results"])


def cli(_url: str, _key: str, count: int) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(urls(count)))
        file.flush()
        run = subprocess.run([sys.executable, __file__, "cli", file.name], capture_output=True, text=True)
    return summary(json.loads(line)["unknowns"] for line in run.stdout.splitlines())


def summary(unknowns: Any) -> str:
    """Counts of what the checks report about the name."""
    words = ("network_check_not_made", "dns_timeout", "dns_not_resolved", "(an error)")
    found = Counter(next((word for word in words if word in each), "-") for each in unknowns)
    return ", ".join(f"{count} {word}" for word, count in found.most_common())


DOORS = {"API, client": api, "AuthZEN": authzen, "MCP, service": mcp_remote, "MCP, local": mcp_local,
         "command line": cli}  # fmt: skip


async def together(url: str, key: str, count: int) -> None:
    """So many single checks at the same time."""
    import httpx

    async with httpx.AsyncClient(
        base_url=url, headers={"authorization": f"Bearer {key}"}, timeout=30, limits=httpx.Limits(max_connections=200)
    ) as client:
        began = time.perf_counter()
        body = [{"url": each, "intended_action": ACTION, "include": ["evidence_summary"]} for each in urls(count)]
        answers = await asyncio.gather(*(client.post("/v1/agent-safety", json=each) for each in body))
        seconds = time.perf_counter() - began
    kinds: Counter[tuple[str, ...]] = Counter()
    for answer in answers:
        decision = answer.json()
        network = next(each for each in decision["evidence_summary"] if each["type"] == "automated_network_check")
        until = round((_ms(decision["expires_at"]) - time.time() * 1000) / 1000)
        kinds[(network["status"], f"expires in {until} s", *decision["unknowns"])] += 1
    print(f"{count} checks at once, {seconds:.2f} s:")
    for kind, number in kinds.most_common():
        print(f"  {number:>3} x {', '.join(kind)}")


def _ms(text: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(text).timestamp() * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--resolver", default="0.4", help="seconds of the resolver")
    parser.add_argument("--items", default="20,50")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--at-once", type=int, help="so many single checks at the same time, in place of batches")
    options = parser.parse_args()
    os.environ["SLOW"] = options.resolver
    slow_resolver()
    with tempfile.TemporaryDirectory() as folder:
        key = make_key(folder, "live")
        with service(folder) as url:
            if options.at_once:
                asyncio.run(together(url, key, options.at_once))
                return 0
            for count in (int(each) for each in options.items.split(",")):
                for name, run in DOORS.items():
                    for _ in range(options.rounds):
                        began = time.perf_counter()
                        found = run(url, key, count)
                        print(f"{count:>3} items  {name:13} {time.perf_counter() - began:6.2f} s  {found}", flush=True)
    return 0


if __name__ == "__main__":
    modes = {"serve": serve, "cli": command_line}
    raise SystemExit(modes.get(sys.argv[1] if len(sys.argv) > 1 else "", main)())
