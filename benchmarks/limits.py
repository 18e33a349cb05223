"""What a limit costs a request, beside the least that a request does anyway: its key's SHA-256 and a look in a table.

    python benchmarks/limits.py

The two alternate in one run; the ratio is what counts. `shared` reports to a store once a second as a service does.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from waypost.api.limits import Limits
from waypost.service import clock
from waypost.store import open_store

CALLS, ROUNDS = 5_000, 9


class Key(NamedTuple):
    id: str = "k"
    organization: str = "o"
    limits: Mapping[str, int] = MappingProxyType({"checks": 1_000_000_000, "checks-day": 1_000_000_000})


async def timed(work: Callable[[int], Awaitable[object]]) -> float:
    """Microseconds a call."""
    now = clock()
    began = time.thread_time()
    for _ in range(CALLS):
        await work(now)
    return (time.thread_time() - began) / CALLS * 1e6


async def run(folder: Path) -> None:
    key = Key()
    text = b"wp_live_" + b"x" * 38
    keys = {hashlib.sha256(text).digest(): key}
    with open_store(folder) as store, Limits(store) as shared:
        alone = Limits()

        async def floor(now: int) -> object:
            return keys[hashlib.sha256(text).digest()]

        async def one(now: int) -> object:
            return await shared.of_key(key, "checks", now)

        async def with_headers(now: int) -> object:
            return (await shared.of_key(key, "checks", now)).headers

        async def address(now: int) -> object:
            return await alone.of_address("2001:db8::1", "schema", now)

        kinds = {"key lookup": floor, "shared": one, "shared, headers": with_headers, "address": address}
        times: dict[str, list[float]] = {name: [] for name in kinds}
        for _ in range(ROUNDS):
            for name, work in kinds.items():
                times[name].append(await timed(work))
            await shared.settle(clock())
    base = min(times["key lookup"])
    for name, each in times.items():
        best = min(each)
        print(f"{name:18} {best:7.2f} us {best / base:7.1f}x")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
