"""What a running service does beside its requests: sharing counts, writing down uses, forgetting what is too old."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from waypost.api.admin import Admin
from waypost.api.metrics import Sharing
from waypost.api.search_index import index_of
from waypost.store.retention import sweep

if TYPE_CHECKING:
    from waypost.api.state import Running

FLUSH_S = 60.0
SWEEP_EVERY = 60
"""Flushes between two sweeps."""
SWEEP_PAUSE_S = 0.1
SHARE_S = 1.0
RUN = "run"
"""The folder, below that of the data, of what lives only as long as the service."""


async def keep(running: Running) -> None:
    """Goes on until it is cancelled. What fails now is tried again; requests say by themselves what is wrong."""
    works: list[Coroutine[Any, Any, None]] = [
        running.limits.keep(),
        _tidy(running),
        # Made ready now, so that the first search waits for nothing.
        asyncio.to_thread(_index, running),
    ]
    if running.settings.admin_port:
        works.append(_count(running))
    async with asyncio.TaskGroup() as tasks:
        for work in works:
            tasks.create_task(_noted(running, work))


def _index(running: Running) -> None:
    index_of(running.service.world, running.registry)


async def _noted(running: Running, work: Coroutine[Any, Any, None]) -> None:
    """One piece of work that fails takes no other with it."""
    try:
        await work
    except Exception as fault:  # noqa: BLE001 - whatever it was, the service goes on
        running.logs.failure(request_id="", route="", fault=fault)


async def _tidy(running: Running) -> None:
    rounds = 0
    while True:
        await _noted(running, asyncio.to_thread(running.keyring.flush))
        if rounds % SWEEP_EVERY == 0:
            await _noted(running, _sweep(running))
        rounds += 1
        await asyncio.sleep(FLUSH_S)


async def _sweep(running: Running) -> None:
    while (await running.write(partial(sweep, now=running.now()))).more:
        await asyncio.sleep(SWEEP_PAUSE_S)  # those who wait for the store go first


async def _count(running: Running) -> None:
    """Share this process's counts with the others, and show the sum of all where nobody shows it yet."""
    sharing = Sharing(running.folder / RUN, running.metrics)
    async with Admin(running.settings.admin_port, sharing.text) as admin:
        while True:
            await asyncio.to_thread(sharing.write)
            await admin.listen()
            await asyncio.sleep(SHARE_S)
